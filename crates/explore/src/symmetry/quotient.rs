//! An engine whose states are representatives.
//!
//! A state stands for its orbit: what follows it is the representative of what follows. That is a bisimulation quotient
//! (Emerson and Sistla 1996; Ip and Dill 1996), so a search that knows nothing of it visits the quotient. A path through it
//! is a real execution up to renaming: [`Semantics::executed`] keeps track of who is who.

use super::canonical::{Automorphisms, Parent, Scratch};
use super::turns::follow;
use super::{Orbits, Strategy, Symmetries};
use spinor_exec::{Atlas, Expanded, Fault, Interpreter, Move, Replay, Semantics, Shape, Successors};
use spinor_model::symmetry::Pick;
use spinor_model::{Action, Model, ProctypeId, StatementId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An engine around another that replaces each state by the representative of its orbit.
#[derive(Debug)]
pub struct Quotient<'m, S> {
    engine: S,
    symmetries: Option<Arc<Symmetries<'m>>>,
    known: Vec<Option<Known>>,
    parent: Parent,
    scratch: Scratch,
}

/// What is known of a shape.
#[derive(Clone, Debug)]
struct Known {
    orbits: Arc<Orbits>,
    group: Option<Arc<Automorphisms>>,
}

impl<'m, S: Semantics> Quotient<'m, S> {
    /// The quotient of an engine by the symmetries of its model; without any, the engine itself.
    pub fn new(engine: S, symmetries: Option<Arc<Symmetries<'m>>>) -> Quotient<'m, S> {
        let (parent, scratch) = (Parent::default(), Scratch::default());
        Quotient { engine, symmetries, known: Vec::new(), parent, scratch }
    }

    /// Replaces a state by its representative, and shows the permutation, if it is not the identity.
    fn represent(&mut self, words: &mut [u64], mut show: impl FnMut(&Automorphisms, Option<&[u8]>)) {
        let Some(symmetries) = &self.symmetries else { return };
        let id = Shape::id_of(words[0]) as usize;
        if self.known.len() <= id {
            self.known.resize(id + 1, None);
        }
        let known = self.known[id].get_or_insert_with(|| Known { orbits: symmetries.orbits(id as u32), group: None });
        if !known.orbits.is_at_rest(words) {
            return;
        }
        if !known.group.as_ref().is_some_and(|group| group.are_of(words)) {
            known.group = Some(symmetries.group(&known.orbits, words));
        }
        let Some(group) = &known.group else { return };
        if group.labels() == 0 {
            return;
        }
        let image = group.represent(symmetries.strategy, words, None, &mut self.scratch);
        show(group, image);
    }

    /// Replaces a state by its representative.
    pub fn represent_alone(&mut self, state: &mut [u64]) {
        self.represent(state, |_, _| {});
    }

    /// How many states the orbit of a state has; none if there are too many permutations to find out.
    pub fn orbit(&mut self, state: &[u64]) -> Option<u64> {
        let (mut size, mut scratch) = (Some(1), Scratch::default());
        self.represent(&mut state.to_vec(), |group, _| size = group.orbit(state, &mut scratch));
        size
    }

    /// The images of a state under permutations that generate all, for tests; none if nothing is known to be symmetric.
    pub fn images(&mut self, state: &[u64]) -> Vec<Vec<u64>> {
        let mut images = Vec::new();
        self.represent(&mut state.to_vec(), |group, _| images = group.images(state));
        images
    }

    /// Replaces the last successors by their representatives. Who has no symmetries pays for a branch only.
    #[inline(always)]
    fn represent_from(&mut self, state: &[u64], first: usize, out: &mut Successors) {
        if self.symmetries.is_some() {
            self.represent_each(state, first, out);
        }
    }

    fn represent_each(&mut self, state: &[u64], first: usize, out: &mut Successors) {
        let ready = self.make_ready(state);
        for n in first..out.list.len() {
            let next = out.list[n];
            let at = next.at as usize;
            let words = &mut out.words[at..at + next.bytes.div_ceil(8) as usize];
            match &ready {
                // Who is at rest stays so, and what processes were given stays the same.
                Some((id, group, strategy)) if Shape::id_of(words[0]) == *id => {
                    group.represent(*strategy, words, Some(&self.parent), &mut self.scratch);
                }
                _ => self.represent(words, |_, _| {}),
            }
        }
    }

    /// Makes ready for the successors of a state that are of its shape, if that is at rest and its automorphisms are known.
    fn make_ready(&mut self, state: &[u64]) -> Option<(u32, Arc<Automorphisms>, Strategy)> {
        let id = Shape::id_of(*state.first()?);
        let known = self.known.get(id as usize)?.as_ref()?;
        let group = known.group.as_ref().filter(|group| group.labels() > 0 && group.are_of(state))?;
        let group = Some(group).filter(|_| known.orbits.is_at_rest(state))?;
        if !self.parent.is(state) {
            group.prepare(state, &mut self.parent);
        }
        Some((id, group.clone(), self.symmetries.as_ref()?.strategy))
    }

    /// Follows a path from representative to representative.
    fn follow(&mut self, path: &[Move]) -> Option<Execution<'m>> {
        let mut execution = Execution::new(self.symmetries.as_ref()?.model());
        let mut out = Successors::default();
        self.engine.initial(&mut out).ok()?;
        let mut state = out.vector(&out.list[0]).to_vec();
        self.represent(&mut state, |group, image| execution.rename(group, image));
        let mut rest = path;
        while let Some(first) = rest.first() {
            let Some((moves, next)) = self.step(&state, first.pid, |it| rest.starts_with(it)) else { break };
            execution.step(&moves, self.engine.processes(&state));
            rest = &rest[moves.len()..];
            state = next;
            self.represent(&mut state, |group, image| execution.rename(group, image));
        }
        // What shows a violation is no step of its own.
        execution.step(rest, self.engine.processes(&state));
        Some(execution)
    }

    /// Follows a lasso from representative to representative. What is repeated leads back to the same representative, but
    /// its processes may have changed places by some permutation: it is gone round as often as the permutation's order.
    fn unroll(&mut self, steps: &[Vec<Move>], cycle: usize) -> Option<Vec<Vec<Move>>> {
        let mut execution = Execution::new(self.symmetries.as_ref()?.model());
        let mut out = Successors::default();
        self.engine.initial(&mut out).ok()?;
        let mut state = out.vector(&out.list[0]).to_vec();
        self.represent(&mut state, |group, image| execution.rename(group, image));
        let mut unrolled = Vec::new();
        let (stem, around) = steps.split_at_checked(cycle)?;
        self.go_along(stem, &mut state, &mut execution, &mut unrolled)?;
        let begun = execution.renaming.clone();
        loop {
            self.go_along(around, &mut state, &mut execution, &mut unrolled)?;
            if execution.renaming == begun {
                return Some(unrolled);
            }
        }
    }

    /// Takes some steps, and appends them as they are in the execution.
    fn go_along(
        &mut self,
        steps: &[Vec<Move>],
        state: &mut Vec<u64>,
        execution: &mut Execution<'m>,
        out: &mut Vec<Vec<Move>>,
    ) -> Option<()> {
        for step in steps {
            if let Some(first) = step.first() {
                (_, *state) = self.step(state, first.pid, |it| it == step)?;
            }
            out.push(execution.renaming.of(step));
            if !step.is_empty() {
                self.represent(state, |group, image| execution.rename(group, image));
            }
        }
        Some(())
    }

    /// The step of a process whose moves are those that are looked for.
    fn step(&mut self, state: &[u64], pid: u8, is_it: impl Fn(&[Move]) -> bool) -> Option<(Vec<Move>, Vec<u64>)> {
        let mut out = Successors::default();
        self.engine.expand(state, &mut out);
        let mut part = Successors::default();
        let pids = (usize::from(pid) + 1..self.engine.processes(state)).rev();
        for younger in pids {
            self.engine.expand_process(state, younger, &mut part);
        }
        // With a timeout the parts are not the whole.
        let first = part.list.len().min(out.list.len());
        let candidates = (first..out.list.len()).chain(0..first);
        candidates.into_iter().find_map(|n| {
            let moves = self.engine.moves(state, n);
            is_it(&moves).then(|| (moves, out.vector(&out.list[n]).to_vec()))
        })
    }
}

/// A path as an execution of the model.
struct Execution<'m> {
    model: &'m Model,
    moves: Vec<Move>,
    renaming: Renaming,
    /// Once processes have changed places: how many there are in the execution, and which of them have come to their
    /// end on the path but not there, because they are not the youngest.
    apart: Option<(usize, Vec<Move>)>,
}

/// What the path and the execution say differently.
#[derive(Clone, Debug, PartialEq)]
struct Renaming {
    /// The process that each process of the path is in the execution.
    who: Vec<u8>,
    /// The statement that is chosen in the execution for one that is chosen on the path, where it is another.
    chosen: BTreeMap<(ProctypeId, StatementId), StatementId>,
    /// The same for numbers that are picked by a loop, which begins with a statement.
    picked: BTreeMap<(ProctypeId, StatementId), BTreeMap<i32, (Pick, i32)>>,
    /// All permutations of labels, one after the other: channels may have changed places, too.
    labels: Vec<u8>,
}

impl Renaming {
    /// Moves of the path as they are in the execution.
    fn of(&self, moves: &[Move]) -> Vec<Move> {
        let mut all = Vec::new();
        let mut rest = moves;
        while let Some((first, behind)) = rest.split_first() {
            let statement = *self.chosen.get(&(first.proctype, first.statement)).unwrap_or(&first.statement);
            let one = Move { pid: self.who[usize::from(first.pid)], statement, ..*first };
            all.push(one);
            rest = behind;
            let Some(picked) = self.picked.get(&(first.proctype, first.statement)) else { continue };
            let Some((pick, _)) = picked.values().next() else { continue };
            let [_, test, step, _] = pick.parts;
            let rounds = behind.iter().take_while(|it| it.statement == test || it.statement == step).count();
            let number = pick.low + (rounds / 2) as i32;
            let number = picked.get(&number).map_or(number, |it| it.1);
            let round = [test, step].map(|statement| Move { statement, ..one });
            (pick.low..number).for_each(|_| all.extend(round));
            rest = &behind[rounds..];
        }
        all
    }

    /// Processes change places on the path.
    fn turn(&mut self, group: &Automorphisms, image: &[u8]) {
        let before = self.clone();
        for pid in 0..=u8::MAX {
            self.who[usize::from(group.pid(pid, image))] = before.who[usize::from(pid)];
        }
        for choice in &group.choices {
            for &(_, statement) in &choice.statements {
                let Some(after) = choice.after(statement, image) else { continue };
                let key = |statement| (choice.proctype, statement);
                let chosen = *before.chosen.get(&key(statement)).unwrap_or(&statement);
                self.chosen.insert(key(after), chosen);
            }
        }
        self.chosen.retain(|(_, path), chosen| path != chosen);
        for it in &group.picks {
            let key = (it.proctype, it.pick.parts[0]);
            let known = before.picked.get(&key);
            for number in it.pick.low..=it.pick.high {
                let picked = known.and_then(|known| known.get(&number)).map_or(number, |it| it.1);
                self.picked.entry(key).or_default().insert(it.after(number, image), (it.pick.clone(), picked));
            }
        }
        self.picked.values_mut().for_each(|it| it.retain(|path, (_, picked)| path != picked));
        self.picked.retain(|_, it| !it.is_empty());
        match self.labels.len() == image.len() {
            true => follow(&mut self.labels, image),
            false => self.labels = image.to_vec(),
        }
        if (0..).zip(&self.labels).all(|(label, to)| label == *to) {
            self.labels.clear();
        }
    }
}

impl<'m> Execution<'m> {
    fn new(model: &'m Model) -> Execution<'m> {
        let (chosen, picked) = (BTreeMap::new(), BTreeMap::new());
        let renaming = Renaming { who: (0..=u8::MAX).collect(), chosen, picked, labels: Vec::new() };
        Execution { model, moves: Vec::new(), renaming, apart: None }
    }

    /// Processes change places on the path.
    fn rename(&mut self, group: &Automorphisms, image: Option<&[u8]>) {
        if let Some(image) = image {
            self.renaming.turn(group, image);
        }
    }

    /// Moves of the path from a state with so many processes.
    fn step(&mut self, moves: &[Move], processes: usize) {
        if self.apart.is_none() && self.renaming.who.iter().enumerate().any(|(from, &to)| from != usize::from(to)) {
            self.apart = Some((processes, Vec::new()));
        }
        for renamed in self.renaming.of(moves) {
            let it = &renamed;
            let action = &self.model.proctype(it.proctype).statement(it.statement).action;
            match &mut self.apart {
                Some((_, waiting)) if *action == Action::End => {
                    waiting.push(renamed);
                    self.end_youngest();
                }
                _ => self.moves.push(renamed),
            }
        }
    }

    /// Ends who waits for it and is the youngest.
    fn end_youngest(&mut self) {
        let Some((processes, waiting)) = &mut self.apart else { return };
        while let Some(at) = waiting.iter().position(|it| usize::from(it.pid) + 1 == *processes) {
            self.moves.push(waiting.swap_remove(at));
            *processes -= 1;
        }
    }

    /// Lets processes that stand at their end go, where nothing else can be done.
    fn come_to_rest(&mut self) {
        let mut interpreter = Interpreter::new(self.model);
        let Ok(mut replay) = Replay::new(&mut interpreter) else { return };
        let mut done = 0;
        while let Ok(step) = replay.step(&self.moves[done..]) {
            done += step.moves.len();
            if done < self.moves.len() {
                continue;
            }
            let options = replay.options();
            let Some(next) = options.successors.first().map(|it| options.path(&it.moves).to_vec()) else { return };
            let is_end = |it: &Move| self.model.proctype(it.proctype).statement(it.statement).action == Action::End;
            if !next.iter().all(is_end) {
                return;
            }
            self.moves.extend(next);
        }
    }
}

impl<S: Semantics> Semantics for Quotient<'_, S> {
    fn initial(&mut self, out: &mut Successors) -> Result<(), Fault> {
        let first = out.list.len();
        self.engine.initial(out)?;
        self.represent_from(&[], first, out);
        Ok(())
    }

    fn expand(&mut self, state: &[u64], out: &mut Successors) -> Expanded {
        let first = out.list.len();
        let expanded = self.engine.expand(state, out);
        self.represent_from(state, first, out);
        expanded
    }

    fn processes(&self, state: &[u64]) -> usize {
        self.engine.processes(state)
    }

    fn expand_process(&mut self, state: &[u64], pid: usize, out: &mut Successors) -> Expanded {
        let first = out.list.len();
        let expanded = self.engine.expand_process(state, pid, out);
        self.represent_from(state, first, out);
        expanded
    }

    fn expand_labelled(&mut self, state: &[u64], pid: usize, out: &mut Successors, edges: &mut Vec<u32>) -> Expanded {
        let first = out.list.len();
        let expanded = self.engine.expand_labelled(state, pid, out, edges);
        self.represent_from(state, first, out);
        expanded
    }

    fn is_valid_end(&mut self, state: &[u64]) -> bool {
        self.engine.is_valid_end(state)
    }

    fn moves(&mut self, state: &[u64], n: usize) -> Vec<Move> {
        self.engine.moves(state, n)
    }

    fn executed(&mut self, path: Vec<Move>, rests: bool) -> Vec<Move> {
        let Some(mut execution) = self.follow(&path) else { return path };
        if rests && execution.apart.is_some() {
            execution.come_to_rest();
        }
        execution.moves
    }

    fn unrolled(&mut self, steps: Vec<Vec<Move>>, cycle: usize) -> Option<Vec<Vec<Move>>> {
        match self.symmetries {
            Some(_) => self.unroll(&steps, cycle),
            None => Some(steps),
        }
    }

    fn was_executed(&self, proctype: ProctypeId, statement: StatementId) -> bool {
        self.engine.was_executed(proctype, statement)
    }

    fn atlas(&self) -> &dyn Atlas {
        self.engine.atlas()
    }

    fn fork(&self) -> Self {
        Quotient::new(self.engine.fork(), self.symmetries.clone())
    }
}
