//! Who reads and writes which number, as the text says.

use super::{Interval, Ranges};
use crate::expr::{Access, Base, Expr, Pattern, Receive};
use crate::model::{Action, Initial, Model, ProctypeId};
use crate::types::Scalar;
use std::collections::{BTreeSet, HashMap};

/// Arrays with more elements are not followed one by one.
const MOST_ELEMENTS: usize = 64;

/// The numbers that are followed from location to location of a proctype.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    /// Where each is.
    pub(super) places: Vec<(Base, u32)>,
    pub(super) bounds: Vec<Interval>,
    numbers: HashMap<(Base, u32), usize>,
}

impl Slots {
    pub(super) fn find(&self, base: Base, offset: u32) -> Option<usize> {
        self.numbers.get(&(base, offset)).copied()
    }

    fn push(&mut self, base: Base, offset: u32, bounds: Interval) {
        self.numbers.insert((base, offset), self.places.len());
        self.places.push((base, offset));
        self.bounds.push(bounds);
    }
}

/// Who writes a leaf.
#[derive(Clone, Default)]
struct Writers {
    proctypes: BTreeSet<u16>,
    /// Some store has an index that is not constant.
    any_element: bool,
    /// Stores with constant indexes: by whom, to which offset.
    elements: BTreeSet<(u16, u32)>,
}

/// Fills in what the text says: `is_read`, `is_written`, owners and slots.
pub(super) fn annotate(model: &Model, ranges: &mut Ranges) {
    let mut usage = Usage { ranges, writers: Vec::new(), proctype: ProctypeId(0) };
    let count = |part: &Vec<super::Leaf>| vec![Writers::default(); part.len()];
    usage.writers = vec![count(&usage.ranges.globals), count(&usage.ranges.hidden)];
    usage.writers.extend(usage.ranges.locals.iter().map(count));
    usage.model(model);
    let writers = std::mem::take(&mut usage.writers);
    let single = &ranges.bounds.is_single;
    let owner = |it: &Writers| {
        let only = it.proctypes.first().copied().filter(|_| it.proctypes.len() == 1);
        only.filter(|&id| single[usize::from(id)]).map(ProctypeId)
    };
    ranges.owners = [0, 1].map(|part| writers[part].iter().map(owner).collect());
    ranges.slots = (0..model.proctypes.len()).map(|id| slots(ranges, &writers, ProctypeId(id as u16))).collect();
}

fn slots(ranges: &Ranges, writers: &[Vec<Writers>], id: ProctypeId) -> Slots {
    let mut slots = Slots::default();
    let single = ranges.bounds.is_single[usize::from(id.0)];
    for (part, base) in [(0, Base::Global), (1, Base::Hidden), (2 + usize::from(id.0), Base::Local)] {
        for (leaf, writers) in ranges.part(base, id).iter().zip(&writers[part]) {
            if leaf.ty == Scalar::Chan || leaf.offsets.len() > MOST_ELEMENTS || writers.any_element {
                continue;
            }
            for &offset in &leaf.offsets {
                let mut who = writers.elements.iter().filter(|it| it.1 == offset).map(|it| it.0).peekable();
                let own = base == Base::Local || (single && who.peek().is_some() && who.all(|who| who == id.0));
                if own {
                    slots.push(base, offset, Interval::of_type(&leaf.ty));
                }
            }
        }
    }
    slots
}

struct Usage<'a> {
    ranges: &'a mut Ranges,
    writers: Vec<Vec<Writers>>,
    proctype: ProctypeId,
}

impl Usage<'_> {
    fn model(&mut self, model: &Model) {
        self.initials(&model.globals_init);
        for (index, proctype) in model.proctypes.iter().enumerate() {
            self.proctype = ProctypeId(index as u16);
            self.initials(&proctype.locals_init);
            proctype.provided.iter().for_each(|condition| self.reads(condition));
            proctype.exclusive.iter().for_each(|it| self.read(self.proctype, &it.channel));
            proctype.statements.iter().for_each(|statement| self.action(&statement.action));
            if self.ranges.bounds.is_run[index] {
                proctype.parameters.iter().for_each(|parameter| self.leaf(self.proctype, parameter).is_written = true);
            }
        }
        let events = model.trace.iter().flat_map(|trace| trace.events.values().map(|event| (trace.proctype, event)));
        events.for_each(|(trace, event)| self.read(trace, &event.channel));
        // Formulas are kept as text: every variable with a name that occurs counts as read.
        for ltl in &model.ltl {
            let text = spinor_syntax::print::expression(&ltl.formula);
            let words: BTreeSet<&str> = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect();
            let parts = self.ranges.locals.iter_mut().chain([&mut self.ranges.globals, &mut self.ranges.hidden]);
            for leaf in parts.flatten() {
                let name = leaf.name.split(['[', '.']).next().unwrap_or_default();
                leaf.is_read |= words.contains(name);
            }
        }
    }

    fn initials(&mut self, initials: &[Initial]) {
        initials.iter().filter_map(Initial::value).for_each(|(_, value)| self.reads(value));
    }

    fn leaf(&mut self, proctype: ProctypeId, access: &Access) -> &mut super::Leaf {
        let (leaf, _) = self.ranges.element(access.base, proctype, access.offset);
        &mut self.ranges.part_mut(access.base, proctype)[leaf]
    }

    fn action(&mut self, action: &Action) {
        match action {
            Action::Condition(value) | Action::Assert(value) | Action::PrintMtype(value, _) => self.reads(value),
            Action::Assign(target, value) => {
                self.reads(value);
                self.write(target);
            }
            Action::Input(target) => self.write(target),
            Action::Send(send) => {
                self.read(self.proctype, &send.channel);
                send.arguments.iter().for_each(|argument| self.reads(argument));
            }
            Action::Receive(receive) => {
                self.receive(receive);
                receive.patterns.iter().filter_map(Pattern::stored).for_each(|target| self.write(target));
            }
            Action::Print(_, values) => values.iter().for_each(|value| self.reads(value)),
            Action::SetPriority(process, priority) => [process, priority].into_iter().for_each(|it| self.reads(it)),
            Action::Else | Action::DStep(_) | Action::Goto | Action::End => {}
        }
    }

    fn receive(&mut self, receive: &Receive) {
        self.read(self.proctype, &receive.channel);
        for pattern in &receive.patterns {
            match pattern {
                Pattern::Match(value) => self.reads(value),
                Pattern::Store(target) => target.indexes.iter().for_each(|index| self.reads(&index.value)),
                Pattern::Ignore => {}
            }
        }
    }

    fn write(&mut self, target: &Access) {
        target.indexes.iter().for_each(|index| self.reads(&index.value));
        self.leaf(self.proctype, target).is_written = true;
        let (leaf, _) = self.ranges.element(target.base, self.proctype, target.offset);
        let part = super::part_number(target.base, self.proctype);
        let writers = &mut self.writers[part][leaf];
        writers.proctypes.insert(self.proctype.0);
        match target.indexes.is_empty() {
            true => _ = writers.elements.insert((self.proctype.0, target.offset)),
            false => writers.any_element = true,
        }
    }

    fn read(&mut self, proctype: ProctypeId, access: &Access) {
        access.indexes.iter().for_each(|index| self.reads(&index.value));
        self.leaf(proctype, access).is_read = true;
    }

    /// Everything that an expression reads, at any depth.
    fn reads(&mut self, expr: &Expr) {
        let own = self.proctype;
        expr.visit(&mut |part| match part {
            Expr::Load(access) | Expr::Len(access) | Expr::ChannelTest(_, access) => {
                self.leaf(own, access).is_read = true;
            }
            Expr::Remote { proctype, access, .. } => self.leaf(*proctype, access).is_read = true,
            Expr::Poll(receive) => self.leaf(own, &receive.channel).is_read = true,
            // Their parts are visited.
            Expr::Constant(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) | Expr::Run(_) => {}
            Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } => {}
            // No variables.
            Expr::Timeout | Expr::NonProgress | Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority => {}
        });
    }
}
