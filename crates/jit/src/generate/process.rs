//! Processes that come and go: the shape changes.

use super::{Generator, Result, Unsupported};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use spinor_exec::{Bits, Place, Shape};
use spinor_model::expr::Run;
use spinor_model::model::{Action, Edge, Initial};
use spinor_model::ranges::Interval;
use spinor_model::{Access, Base, ProctypeId};
use std::collections::HashSet;
use std::sync::Arc;

impl Generator<'_, '_> {
    /// The youngest process ends.
    pub(super) fn end_process(&mut self, edge: &Edge) -> Result {
        if edge.atomic {
            return Err(Unsupported);
        }
        self.check_choice(edge);
        let before = self.change_shape(self.site.shapes.after_end(&self.shape));
        self.set_last(self.pid);
        self.mark_executed(self.proctype, edge);
        self.emit(self.length + 1, None);
        self.mark_moved(edge);
        self.restore_shape(before);
        Ok(())
    }

    /// From here on the state that is made has another shape, which begins like the one before or
    /// is its beginning. What they have in common lies at the same place, if their numbers are
    /// equally long.
    fn change_shape(&mut self, after: Arc<Shape>) -> Arc<Shape> {
        let places: Vec<(Bits, Bits)> = if after.prefix_mask() == self.shape.prefix_mask() {
            let words = self.shape.words().min(after.words()) as u32;
            (0..words).map(|word| Bits { word, shift: 0, width: 64 }).map(|bits| (bits, bits)).collect()
        } else {
            // What has one value only takes no bits.
            self.shape.common_fields(&after).filter(|(from, _)| from.width > 0).collect()
        };
        let kept: Vec<(Bits, Value)> = places.into_iter().map(|(from, to)| (to, self.get(from))).collect();
        for word in 0..after.words() {
            if word == self.words.len() {
                self.words.push(self.builder.declare_var(types::I64));
            }
            let zero = self.long(0);
            self.builder.def_var(self.words[word], zero);
        }
        for (to, value) in kept {
            let value = self.mask(value, after.used[to.word as usize] >> to.shift);
            self.put(to, value);
        }
        let before = std::mem::replace(&mut self.shape, after);
        self.put_prefix();
        before
    }

    fn restore_shape(&mut self, before: Arc<Shape>) {
        self.words.truncate(before.words());
        self.shape = before;
    }

    fn put_prefix(&mut self) {
        let word = self.builder.use_var(self.words[0]);
        let rest = self.mask(word, !self.shape.prefix_mask());
        let prefix = self.long(self.shape.prefix());
        let word = self.builder.ins().bor(rest, prefix);
        self.builder.def_var(self.words[0], word);
    }

    /// `run P(..)` and `v = run P(..)`; other expressions with `run` are left to the interpreter.
    pub(super) fn run_statement(&mut self, edge: &Edge, action: &Action) -> Result {
        let (value, target) = match action {
            Action::Condition(value) => (value, None),
            Action::Assign(target, value) => (value, Some(target)),
            Action::Else | Action::Send(_) | Action::Receive(_) | Action::Input(_) => return Err(Unsupported),
            Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) => return Err(Unsupported),
            Action::SetPriority(..) | Action::DStep(_) | Action::Goto | Action::End => return Err(Unsupported),
        };
        let run = value.run().ok_or(Unsupported)?;
        self.check_choice(edge);
        let values = self.static_values(run)?;
        let Some(after) = self.site.shapes.after_run(&self.shape, run.proctype, &values) else {
            self.give_up();
            return Ok(());
        };
        let mut arguments = Vec::new();
        for argument in &run.arguments {
            let range = self.range(argument);
            arguments.push((self.value(argument)?, range));
        }
        let before = self.change_shape(after);
        let made = self.create(run, &arguments).and_then(|pid| match target {
            Some(target) => {
                let value = self.int(pid as i32);
                self.store(target, value, Interval { low: pid as i32, high: pid as i32 })
            }
            None => Ok(()),
        });
        if made.is_ok() {
            self.move_on(self.pid, edge);
            self.set_last(self.pid);
            self.mark_executed(self.proctype, edge);
            self.emit(self.length + 1, self.goes_on(edge).then_some(self.pid));
            self.mark_moved(edge);
        }
        self.restore_shape(before);
        made
    }

    /// What the static variables of a new process will hold: it must be known now, because the shape
    /// depends on it.
    fn static_values<'r>(&self, run: &Run) -> Result<Vec<(&'r Access, i32)>>
    where
        Self: 'r,
    {
        let shapes = self.site.shapes;
        let definition = shapes.model().proctype(run.proctype);
        let mut initials = definition.locals_init.iter().filter_map(Initial::value);
        if initials.any(|(target, _)| self.is_static(run.proctype, target)) {
            return Err(Unsupported);
        }
        let mut values = Vec::new();
        for (parameter, argument) in definition.parameters.iter().zip(&run.arguments) {
            if !self.is_static(run.proctype, parameter) {
                continue;
            }
            let value = shapes.constant(&self.shape, self.pid, argument).ok_or(Unsupported)?;
            let (low, high) = parameter.ty.bounds();
            if value < low || value > high {
                return Err(Unsupported);
            }
            values.push((parameter, value));
        }
        Ok(values)
    }

    fn is_static(&self, proctype: ProctypeId, access: &Access) -> bool {
        let (leaf, _) = self.site.shapes.ranges().element(Base::Local, proctype, access.offset);
        self.site.shapes.is_static(proctype, leaf)
    }

    /// Fills in the youngest process.
    fn create(&mut self, run: &Run, arguments: &[(Value, Interval)]) -> Result<usize> {
        let pid = self.shape.processes.len() - 1;
        let creator = (self.pid, self.proctype, self.no_timeout);
        (self.pid, self.proctype, self.no_timeout) = (pid, run.proctype, true);
        let filled = self.fill(run, arguments);
        (self.pid, self.proctype, self.no_timeout) = creator;
        filled.map(|()| pid)
    }

    /// In the order in which the interpreter does it: zeros, parameters, and initial values in their order.
    fn fill(&mut self, run: &Run, arguments: &[(Value, Interval)]) -> Result {
        let definition = self.definition();
        let start = self.long(u64::from(definition.start.0));
        self.put(self.shape.processes[self.pid].location, start);
        self.fill_zeros()?;
        for (parameter, &(value, range)) in definition.parameters.iter().zip(arguments) {
            if !self.is_static(run.proctype, parameter) {
                self.store(parameter, value, range)?;
            }
        }
        let own = definition.locals_init.iter().filter_map(Initial::channel).count();
        let mut channels = self.shape.channels.len() - own;
        for initial in &definition.locals_init {
            match initial {
                Initial::Value(target, value) => {
                    let range = self.range(value);
                    let value = self.value(value)?;
                    self.store(target, value, range)?;
                }
                Initial::Channel(target, _) => {
                    channels += 1;
                    if !self.is_static(run.proctype, target) {
                        let id = self.int(channels as i32);
                        self.store(target, id, Interval::single(channels as i32))?;
                    }
                }
            }
        }
        self.clear_dead(self.pid, definition.start);
        Ok(())
    }

    /// Variables are 0, or the smallest value of their range, before anything is stored. Where that is not among their
    /// values, something is stored before anybody sees them.
    fn fill_zeros(&mut self) -> Result {
        let definition = self.definition();
        let initials = definition.locals_init.iter().map(|initial| match initial {
            Initial::Value(target, _) | Initial::Channel(target, _) => target.offset,
        });
        let set: HashSet<u32> =
            definition.parameters.iter().map(|parameter| parameter.offset).chain(initials).collect();
        let leaves = &self.site.shapes.ranges().locals[usize::from(self.proctype.0)];
        let places = self.shape.processes[self.pid].leaves.clone();
        for (index, (leaf, place)) in leaves.iter().zip(places).enumerate() {
            let zero = leaf.ty.zero();
            let number = match place {
                Place::Known(_) if self.site.shapes.is_static(self.proctype, index) => continue,
                Place::Known(_) if self.site.shapes.is_unread(Base::Local, self.proctype, index) => continue,
                Place::Known(values) => values.iter().all(|&value| value == zero).then_some(0),
                Place::Stored { coding, .. } => coding.number(zero),
            };
            let Some(number) = number else {
                if leaf.offsets.iter().all(|offset| set.contains(offset)) {
                    continue;
                }
                return Err(Unsupported);
            };
            let Place::Stored { series, .. } = &self.shape.processes[self.pid].leaves[index] else { continue };
            let elements: Vec<Bits> = (0..series.length).map(|n| series.element(n)).collect();
            for bits in elements.into_iter().filter(|_| number > 0) {
                let value = self.long(number);
                self.put(bits, value);
            }
        }
        Ok(())
    }
}
