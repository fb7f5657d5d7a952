//! The steps of the system: all of them, or those that are enough.

use super::choices::{Choices, Chosen};
use super::movers::{Movers, bit};
use super::product::Fairness;
use super::space::Stop;
use super::states::States;
use crate::control::Control;
use crate::expand::{Choice, Expand as _, Expander};
use crate::reduce::Processes;
use crate::report::StopReason;
use crate::walker::halt_if_cut;
use spinor_exec::{Ended, Fault, FindingKind, Move, Next, Semantics, Shape, Shapes, Successors};
use spinor_store::Numbered;
use std::sync::Arc;

/// States of the system, and their steps.
pub(super) struct System<'a, 'm, S, T: Numbered> {
    pub(super) engine: Expander<'m, S>,
    pub(super) states: States<'a, T>,
    pub(super) control: &'a Control<'a>,
    pub(super) fairness: Option<Fairness>,
    /// What is left out, if anything is.
    choices: Option<&'a Choices>,
    choice: Choice,
    /// The state that was expanded last, its successors, and the processes that these begin with if that matters.
    pub(super) words: Vec<u64>,
    out: Successors,
    owners: Vec<u8>,
    /// The processes that can begin a step, one that is at fault included; known where fairness matters.
    able: u64,
    /// The processes that move in each of them, as bits, if fairness asks for them; those who are told by moves only.
    movers: Vec<u64>,
    inside: Option<Movers<'m>>,
    /// Which of the successors are taken, and their numbers.
    taken: Option<Processes>,
    pub(super) numbers: Vec<u32>,
}

impl<'a, 'm, S: Semantics, T: Numbered> System<'a, 'm, S, T> {
    pub(super) fn new(
        engine: Expander<'m, S>,
        (store, control): (&'a T, &'a Control<'a>),
        fairness: Option<Fairness>,
        choices: Option<&'a Choices>,
        shapes: Arc<Shapes<'m>>,
    ) -> System<'a, 'm, S, T> {
        System {
            engine,
            states: States::new(store),
            control,
            fairness,
            choices,
            choice: Choice::default(),
            words: Vec::new(),
            out: Successors { limit: control.limit(store), ..Successors::default() },
            owners: Vec::new(),
            able: 0,
            movers: Vec::new(),
            inside: fairness.and_then(|_| Movers::new(shapes)),
            taken: None,
            numbers: Vec::new(),
        }
    }

    /// Puts in the first state and says its number; nothing if there is no room.
    pub(super) fn begin(&mut self, first: &Successors) -> Option<u32> {
        self.numbers.clear();
        self.states.enter(first, None::<fn(usize) -> bool>, &mut self.numbers).then(|| self.numbers[0])
    }

    pub(super) fn memory(&self) -> usize {
        self.states.memory() + self.out.words.capacity() * 8 + self.choices.map_or(0, Choices::memory)
    }

    pub(super) fn look_at_limits(&mut self) {
        self.out.limit = self.control.limit(self.states.store());
    }

    /// Loads the words of a state.
    pub(super) fn load(&mut self, state: u32) {
        self.states.load(state, &mut self.words);
    }

    /// The steps of the state whose words are loaded: their targets, numbered. Says whether the system can move.
    pub(super) fn expand(&mut self, state: u32) -> Result<bool, Stop> {
        self.out.clear();
        self.owners.clear();
        self.movers.clear();
        self.numbers.clear();
        self.taken = None;
        let Some(choices) = self.choices else { return self.expand_whole() };
        // Whoever comes first chooses for all threads, in whichever search.
        match choices.of(state) {
            None if choices.begin(state) => self.decide(choices, state),
            None => self.expand(state),
            Some(Chosen::Set(set)) => self.expand_set(set),
            Some(Chosen::Whole) => self.expand_whole(),
        }
    }

    fn expand_whole(&mut self) -> Result<bool, Stop> {
        let ended = if self.fairness.is_some() {
            self.expand_by_process()
        } else {
            self.engine.expand(&self.words, &mut self.out).ended
        };
        let moves = self.check(ended)?;
        if self.fairness.is_some() {
            self.find_movers();
        }
        self.enter(None)?;
        Ok(moves)
    }

    /// Who moves in each step.
    fn find_movers(&mut self) {
        let System { movers, owners, inside, words, out, .. } = self;
        movers.extend(owners.iter().map(|&pid| bit(pid)));
        if let Some(inside) = inside {
            inside.of(words, out, movers);
        }
    }

    /// The steps of some processes, as they were chosen before.
    fn expand_set(&mut self, set: Processes) -> Result<bool, Stop> {
        let mut ended = Ended::Moved;
        for pid in (0..self.engine.processes(&self.words)).rev() {
            if set.contains(pid) {
                let expanded = self.engine.expand_process(&self.words, pid, &mut self.out);
                ended = ended.and(expanded.ended);
                self.owners.resize(self.out.list.len(), pid as u8);
            }
        }
        self.check(ended)?;
        self.enter(Some(set))?;
        Ok(true)
    }

    /// Takes the first set that the proviso allows, or the whole.
    fn decide(&mut self, choices: &Choices, state: u32) -> Result<bool, Stop> {
        let expanded = self.engine.expand_for(&self.words, &mut self.out, &mut self.choice);
        let decided = self.check(expanded.ended).and_then(|moves| Ok((moves, self.take_first(choices, state)?)));
        let moves = match decided {
            Ok((moves, true)) => return Ok(moves),
            Ok((moves, false)) => {
                choices.choose(state, None);
                moves
            }
            Err(stop) => {
                // Others may be waiting.
                choices.choose(state, None);
                return Err(stop);
            }
        };
        self.enter(None)?;
        Ok(moves)
    }

    /// Whether a set was taken.
    fn take_first(&mut self, choices: &Choices, state: u32) -> Result<bool, Stop> {
        self.owners.extend_from_slice(&self.choice.pids);
        for number in 0..self.choice.sets.len() {
            let set = self.choice.sets[number];
            self.enter(Some(set))?;
            let is_allowed = self.numbers.iter().all(|&to| choices.is_unknown(to));
            if is_allowed {
                // What was chosen is known to others at once: there is no second thought.
                return Ok(choices.choose(state, Some(set)) == Chosen::Set(set));
            }
        }
        if !self.choice.sets.is_empty() {
            self.engine.regret(self.choice.saved);
        }
        Ok(false)
    }

    /// Puts in the successors that begin with some processes, or all.
    fn enter(&mut self, set: Option<Processes>) -> Result<(), Stop> {
        let System { states, out, owners, numbers, .. } = self;
        let owners: &[u8] = owners;
        numbers.clear();
        self.taken = set;
        let is_wanted = set.map(|set| move |index: usize| set.contains(usize::from(owners[index])));
        if states.enter(out, is_wanted, numbers) {
            return Ok(());
        }
        self.no_room()
    }

    /// Puts in the state whose words are loaded.
    pub(super) fn enter_loaded(&mut self, shape: &Shape) -> Result<u32, Stop> {
        let only = Next { at: 0, bytes: shape.bytes, key: shape.key, distance: 0 };
        let out = Successors { words: self.words.clone(), list: vec![only], ..Successors::default() };
        let mut numbers = Vec::new();
        if self.states.enter(&out, None::<fn(usize) -> bool>, &mut numbers) {
            return Ok(numbers[0]);
        }
        self.no_room()
    }

    fn no_room<R>(&self) -> Result<R, Stop> {
        let reason = if self.control.plan.max_memory.is_some() { StopReason::Memory } else { StopReason::StoreFull };
        self.control.halt(reason);
        Err(Stop::Halted)
    }

    /// Whether the system can move, unless the expansion was cut short. Executions that end with a fault are no infinite
    /// ones, and a property of these does not hold because of that.
    fn check(&mut self, ended: Ended) -> Result<bool, Stop> {
        halt_if_cut(self.control, ended.cut());
        for finding in &self.out.findings {
            match &finding.kind {
                FindingKind::Fault(Fault::EndlessAtomic) => self.control.cut(StopReason::EndlessAtomic),
                FindingKind::Fault(_) => self.control.cut(StopReason::Fault),
                // Executions go on.
                FindingKind::Assertion(_) | FindingKind::Trace(_) => {}
            }
        }
        match ended {
            Ended::Moved => Ok(true),
            Ended::Stuck => Ok(false),
            Ended::Cut(_) => Err(Stop::Halted),
        }
    }

    /// Expands process by process, so that it is known with whom each successor begins.
    fn expand_by_process(&mut self) -> Ended {
        let System { engine, words, out, owners, able, .. } = self;
        let mut ended = Ended::Stuck;
        *able = 0;
        for pid in (0..engine.processes(words)).rev() {
            let expanded = engine.expand_process(words, pid, out);
            if expanded.ended != Ended::Stuck {
                *able |= bit(pid as u8);
            }
            ended = ended.and(expanded.ended);
            owners.resize(out.list.len(), pid as u8);
        }
        if ended != Ended::Stuck {
            return ended;
        }
        // It may be time for a timeout.
        out.clear();
        owners.clear();
        let expanded = engine.expand(words, out);
        owners.extend((0..out.list.len()).map(|n| engine.moves(words, n).first().map_or(0, |first| first.pid)));
        let all = (0..engine.processes(words)).fold(0, |all, pid| all | bit(pid as u8));
        // Whose fault it is at a timeout is not looked into: a fault leaves the claim undecided.
        *able = if has_fault(out.findings.iter().map(|it| &it.kind)) {
            all
        } else {
            owners.iter().fold(0, |all, &pid| all | bit(pid))
        };
        expanded.ended
    }

    /// The processes that the successors which were taken begin with, if that is known.
    pub(super) fn owners(&self) -> impl Iterator<Item = u8> {
        let is_taken = |pid: &u8| self.taken.is_none_or(|set| set.contains(usize::from(*pid)));
        self.owners.iter().copied().filter(is_taken)
    }

    /// The processes that move in each successor, as bits, if fairness asks for them.
    pub(super) fn movers(&self) -> &[u64] {
        &self.movers
    }

    /// The processes that can begin a step, as bits, if fairness asks for them.
    pub(super) fn enabled(&self) -> u64 {
        self.able
    }

    /// The moves to a successor that was taken, of the state that was expanded last.
    pub(super) fn moves(&mut self, step: usize) -> Vec<Move> {
        let pid = self.owners().nth(step).filter(|_| self.taken.is_some());
        let Some(pid) = pid else { return self.engine.moves(&self.words, step) };
        let before = self.owners().take(step).filter(|&it| it == pid).count();
        let mut out = Successors::default();
        // Engines count the steps of the processes above first.
        for above in (usize::from(pid) + 1..self.engine.processes(&self.words)).rev() {
            self.engine.expand_process(&self.words, above, &mut out);
        }
        self.engine.moves(&self.words, out.list.len() + before)
    }
}

/// Whether a step is at fault.
pub(super) fn has_fault<'k>(mut findings: impl Iterator<Item = &'k FindingKind>) -> bool {
    findings.any(|kind| match kind {
        FindingKind::Fault(_) => true,
        FindingKind::Assertion(_) | FindingKind::Trace(_) => false,
    })
}
