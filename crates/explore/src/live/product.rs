//! The product of the system and a claim, made as it is searched.
//!
//! The claim moves first: it reads a state, and then the system makes a step. A system that cannot move repeats its
//! state, so that the claim can go on (claim stutter). States of the system are stored once, whatever the claim does
//! with them; what the claim asks of a state is evaluated once.

use super::claim::Claim;
use super::paged::Paged;
use super::space::{Edge, Node, Space, Stop, Usage};
use super::states::States;
use crate::control::Control;
use crate::observe::{Observer, Progress};
use crate::report::StopReason;
use crate::walker::halt_if_cut;
use rustc_hash::FxHashMap;
use spinor_exec::{Fault, FindingKind, Letter, Move, Propositions, Semantics, Shape, Successors};
use spinor_store::Numbered;

/// Weak fairness: each process that can move in all states of a cycle moves in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fairness {
    /// How many processes there can be.
    pub(crate) processes: u32,
}

/// Where an edge comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// The step of the claim, at its state.
    pub(super) claim: u32,
    /// The step of the system, among the successors; none if it cannot move.
    pub(super) step: Option<u32>,
}

/// How many looks are remembered.
const GLANCES: usize = 1 << 12;

/// What is known of a state of the system: its letter, and whether a process is at an `accept` label.
const ACCEPTS: u32 = 1 << 31;

pub(crate) struct Product<'a, 'm, S, T: Numbered> {
    engine: S,
    propositions: Propositions<'m>,
    claim: &'a Claim,
    mentions: Vec<u64>,
    accepting: Vec<bool>,
    fairness: Option<Fairness>,
    control: &'a Control<'a>,
    observer: &'a mut dyn Observer,
    states: States<'a, T>,
    first: u32,
    /// The number of the letter of each state, counted from 1, and [`ACCEPTS`].
    facts: Paged<u32>,
    letters: Vec<Letter>,
    letter_numbers: FxHashMap<Letter, u32>,
    /// For each shape, where the propositions look; and what was seen there before.
    glances: Vec<Option<Vec<(usize, u64)>>>,
    seen: FxHashMap<Box<[u64]>, u32>,
    glance: Vec<u64>,
    words: Vec<u64>,
    out: Successors,
    /// The processes that the successors begin with, and those that can move, if that matters.
    owners: Vec<u8>,
    numbers: Vec<u32>,
    /// Where the edges of the last expansion come from.
    pub(super) origins: Vec<Origin>,
}

/// What the product is made of.
pub(crate) struct Parts<'a, 'm, S, T> {
    pub(crate) engine: S,
    pub(crate) propositions: Propositions<'m>,
    pub(crate) claim: &'a Claim,
    pub(crate) fairness: Option<Fairness>,
    pub(crate) store: &'a T,
}

impl<'a, 'm, S: Semantics, T: Numbered> Product<'a, 'm, S, T> {
    /// The product, or nothing if there is no room for the first state.
    pub(crate) fn new(
        parts: Parts<'a, 'm, S, T>,
        first: &Successors,
        control: &'a Control<'a>,
        observer: &'a mut dyn Observer,
    ) -> Option<Product<'a, 'm, S, T>> {
        let Parts { engine, propositions, claim, fairness, store } = parts;
        let mut states = States::new(store);
        let mut numbers = Vec::new();
        let fits = states.enter(first, &mut numbers);
        let accepts = |edges: &Vec<super::ClaimEdge>| edges.first().is_some_and(|edge| edge.marks != 0);
        fits.then(|| Product {
            engine,
            propositions,
            claim,
            mentions: claim.mentions(),
            accepting: claim.states.iter().map(accepts).collect(),
            fairness,
            control,
            observer,
            states,
            first: numbers[0],
            facts: Paged::default(),
            letters: Vec::new(),
            letter_numbers: FxHashMap::default(),
            glances: Vec::new(),
            seen: FxHashMap::default(),
            glance: Vec::new(),
            words: Vec::new(),
            out: Successors { limit: control.limit(store), ..Successors::default() },
            owners: Vec::new(),
            numbers: Vec::new(),
            origins: Vec::new(),
        })
    }

    /// Bytes of the vectors that were stored.
    pub(super) fn vector_bytes(&self) -> u64 {
        self.states.bytes
    }

    pub(super) fn memory(&self) -> usize {
        self.states.memory() + self.facts.memory() + self.out.words.capacity() * 8
    }

    /// The number of the letter of a state whose words are loaded.
    fn facts(&mut self, system: u32) -> u32 {
        let known = self.facts.get(u64::from(system));
        if known != 0 {
            return known;
        }
        let facts = self.evaluate_once();
        self.facts.set(u64::from(system), facts);
        facts
    }

    /// The same from what the state looks like where the propositions look.
    fn evaluate_once(&mut self) -> u32 {
        let Product { glances, propositions, words, glance, .. } = self;
        let id = Shape::id_of(words[0]) as usize;
        if glances.len() <= id {
            glances.resize_with(id + 1, || None);
        }
        let labels = self.claim.labels;
        let observed =
            glances[id].get_or_insert_with(|| propositions.observed(&propositions.shapes().get(id as u32), labels));
        glance.clear();
        glance.push(id as u64);
        glance.extend(observed.iter().map(|&(word, mask)| words[word] & mask));
        if let Some(&known) = self.seen.get(&self.glance[..]) {
            return known;
        }
        let facts = self.evaluate();
        if self.seen.len() >= GLANCES {
            self.seen.clear();
        }
        self.seen.insert(self.glance.as_slice().into(), facts);
        facts
    }

    fn evaluate(&mut self) -> u32 {
        let letter = self.propositions.letter(&self.words);
        let next = self.letters.len() as u32;
        let number = *self.letter_numbers.entry(letter).or_insert(next);
        if number == next {
            self.letters.push(letter);
        }
        let accepts = self.claim.labels && self.propositions.is_at_accept();
        (number + 1) | if accepts { ACCEPTS } else { 0 }
    }

    /// All successors of the state whose words are loaded, numbered. Says whether the system can move.
    fn expand(&mut self) -> Result<bool, Stop> {
        self.out.clear();
        self.owners.clear();
        self.numbers.clear();
        let Product { engine, out, words, .. } = self;
        let (moved, cut) = if self.fairness.is_some() {
            expand_by_process(engine, words, out, &mut self.owners)
        } else {
            let expanded = engine.expand(words, out);
            (expanded.moved, expanded.cut)
        };
        halt_if_cut(self.control, cut);
        let endless = FindingKind::Fault(Fault::EndlessAtomic);
        if self.out.findings.iter().any(|finding| finding.kind == endless) {
            self.control.cut(StopReason::EndlessAtomic);
        }
        if cut.is_some() {
            return Err(Stop::Halted);
        }
        if !self.states.enter(&self.out, &mut self.numbers) {
            let reason =
                if self.control.plan.max_memory.is_some() { StopReason::Memory } else { StopReason::StoreFull };
            self.control.halt(reason);
            return Err(Stop::Halted);
        }
        Ok(moved)
    }

    /// The marks of fairness for steps of each process in turn, and for a system that stands still.
    fn fair_marks(&mut self) -> Result<FairMarks, Stop> {
        let Some(Fairness { processes }) = self.fairness else { return Ok(FairMarks::default()) };
        if self.engine.processes(&self.words) > processes as usize {
            self.control.halt(StopReason::Processes);
            return Err(Stop::Halted);
        }
        let all = (u64::MAX >> (64 - processes)) << self.claim.marks;
        let enabled = self.owners.iter().fold(0, |all, &pid| all | 1_u64 << (usize::from(pid) + self.claim.marks));
        Ok(FairMarks { idle: all & !enabled, first: self.claim.marks, all })
    }

    /// The moves of an edge that is known to be there, and the step of the claim.
    pub(super) fn step(&mut self, from: Node, edge: Edge) -> Option<(Vec<Move>, u32)> {
        let mut edges = Vec::new();
        if self.edges(from, &mut edges) == Err(Stop::Halted) {
            return None;
        }
        let Origin { claim, step } = self.origins[edges.iter().position(|it| *it == edge)?];
        let moves = step.map_or_else(Vec::new, |step| self.engine.moves(&self.words, step as usize));
        Some((moves, claim))
    }

    /// The step with which the claim ends at a node.
    pub(super) fn last_step(&mut self, node: Node) -> Option<u32> {
        self.states.load(node.system, &mut self.words);
        let facts = self.facts(node.system);
        let letter = self.letters[(facts & !ACCEPTS) as usize - 1];
        let edges = &self.claim.states[node.claim as usize];
        let ends = |edge: &super::ClaimEdge| edge.target.is_none() && edge.label.holds(letter.truth);
        edges.iter().position(ends).map(|edge| edge as u32)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct FairMarks {
    /// Of processes that cannot move.
    idle: u64,
    /// The place of the first.
    first: usize,
    all: u64,
}

/// Expands process by process; `owners` are those that the successors begin with.
fn expand_by_process<S: Semantics>(
    engine: &mut S,
    state: &[u64],
    out: &mut Successors,
    owners: &mut Vec<u8>,
) -> (bool, Option<spinor_exec::Cut>) {
    let (mut moved, mut cut) = (false, None);
    for pid in (0..engine.processes(state)).rev() {
        let expanded = engine.expand_process(state, pid, out);
        moved |= expanded.moved;
        cut = cut.or(expanded.cut);
        owners.resize(out.list.len(), pid as u8);
    }
    if moved {
        return (moved, cut);
    }
    // It may be time for a timeout.
    out.clear();
    let expanded = engine.expand(state, out);
    owners.extend((0..out.list.len()).map(|n| engine.moves(state, n).first().map_or(0, |first| first.pid)));
    (expanded.moved, cut.or(expanded.cut))
}

impl<S: Semantics, T: Numbered> Space for Product<'_, '_, S, T> {
    fn first(&self) -> Node {
        Node { system: self.first, claim: self.claim.initial }
    }

    fn width(&self) -> u32 {
        self.claim.states.len() as u32
    }

    fn all_marks(&self) -> u64 {
        let fair = self.fairness.map_or(0, |it| (u64::MAX >> (64 - it.processes)) << self.claim.marks);
        self.claim.all_marks() | fair
    }

    fn edges(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Stop> {
        self.origins.clear();
        self.states.load(node.system, &mut self.words);
        let facts = self.facts(node.system);
        let letter = self.letters[(facts & !ACCEPTS) as usize - 1];
        let faulty = letter.faulty & self.mentions[node.claim as usize];
        if faulty != 0 {
            self.propositions.letter(&self.words);
            let fault = self.propositions.fault(faulty).expect("it was seen to be at fault");
            return Err(Stop::Fault(fault));
        }
        let claim = self.claim;
        let edges = &claim.states[node.claim as usize];
        if !edges.iter().any(|edge| edge.label.holds(letter.truth)) {
            return Ok(());
        }
        let moved = self.expand()?;
        let fair = self.fair_marks()?;
        let label = u64::from(facts & ACCEPTS != 0);
        let mut ends = false;
        for (number, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.label.holds(letter.truth)) {
            let Some(target) = edge.target else {
                ends = true;
                continue;
            };
            let marks = edge.marks | label;
            let mut add = |system: u32, marks: u64, step: Option<u32>| {
                out.push(Edge { to: Node { system, claim: target }, marks });
                self.origins.push(Origin { claim: number as u32, step });
            };
            for (index, &system) in self.numbers.iter().enumerate() {
                let own = self.owners.get(index).map_or(0, |&pid| 1 << (usize::from(pid) + fair.first));
                add(system, marks | fair.idle | own, Some(index as u32));
            }
            if !moved && claim.stutters {
                add(node.system, marks | fair.all, None);
            }
        }
        if ends { Err(Stop::Ends) } else { Ok(()) }
    }

    fn accepts(&self, node: Node) -> bool {
        self.accepting[node.claim as usize] || self.facts.get(u64::from(node.system)) & ACCEPTS != 0
    }

    fn goes_on(&mut self, usage: Usage) -> bool {
        self.out.limit = self.control.limit(self.states.store());
        self.control.set_size(0, usage.memory + self.memory());
        let progress = Progress { depth: usage.depth, errors: usage.errors, ..Progress::default() };
        self.control.watch(self.states.store(), progress, self.observer);
        if self.control.is_full() {
            self.control.halt(StopReason::Memory);
        }
        !self.control.is_halted()
    }

    fn is_followed(&mut self, depth: usize) -> bool {
        let is_followed = self.control.plan.max_depth.is_none_or(|limit| depth <= limit);
        if !is_followed {
            self.control.cut(StopReason::Depth);
        }
        is_followed
    }

    fn keeps_going(&self) -> bool {
        self.control.plan.keep_going
    }
}
