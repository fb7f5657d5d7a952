//! The product of the system and a claim, made as it is searched.
//!
//! The claim moves first: it reads a state, and then the system makes a step. A system that cannot move repeats its
//! state, so that the claim can go on (claim stutter). States of the system are stored once, whatever the claim does
//! with them; what the claim asks of a state is evaluated once.

use super::choices::Choices;
use super::claim::{Claim, ClaimEdge};
use super::letters::Letters;
use super::space::{Edge, Node, Space, Stop, Usage};
use super::system::System;
use crate::control::Control;
use crate::expand::Expander;
use crate::observe::{Observer, Progress};
use crate::report::StopReason;
use spinor_exec::{Move, Semantics, Shapes, Successors};
use spinor_store::Numbered;
use std::sync::Arc;

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

pub(crate) struct Product<'a, 'm, S, T: Numbered> {
    system: System<'a, 'm, S, T>,
    letters: Letters<'m>,
    claim: &'a Claim,
    accepting: Vec<bool>,
    control: &'a Control<'a>,
    observer: &'a mut dyn Observer,
    thread: usize,
    first: u32,
    /// The steps of the claim that each letter allows in each state, or what is at fault; found when first asked for.
    ways: Vec<Option<Result<Box<[u32]>, u64>>>,
    /// Where the edges of the last expansion come from, if somebody wants to know.
    origins: Option<Vec<Origin>>,
}

/// What the product is made of.
pub(crate) struct Parts<'a, 'm, S, T> {
    pub(crate) engine: Expander<'m, S>,
    pub(crate) shapes: Arc<Shapes<'m>>,
    pub(crate) claim: &'a Claim,
    pub(crate) fairness: Option<Fairness>,
    pub(crate) store: &'a T,
    pub(crate) choices: Option<&'a Choices>,
    /// Which of several threads it is for.
    pub(crate) thread: usize,
}

impl<'a, 'm, S: Semantics, T: Numbered> Product<'a, 'm, S, T> {
    /// The product, or nothing if there is no room for the first state.
    pub(crate) fn new(
        parts: Parts<'a, 'm, S, T>,
        first: &Successors,
        control: &'a Control<'a>,
        observer: &'a mut dyn Observer,
    ) -> Option<Product<'a, 'm, S, T>> {
        let Parts { engine, shapes, claim, fairness, store, choices, thread } = parts;
        let mut system = System::new(engine, (store, control), fairness, choices, shapes.clone());
        let first = system.begin(first)?;
        let accepts = |edges: &Vec<ClaimEdge>| edges.first().is_some_and(|edge| edge.marks != 0);
        Some(Product {
            system,
            letters: Letters::new(shapes, claim),
            claim,
            accepting: claim.states.iter().map(accepts).collect(),
            control,
            observer,
            thread,
            first,
            ways: Vec::new(),
            origins: None,
        })
    }

    /// Bytes of the vectors that were stored.
    pub(super) fn vector_bytes(&self) -> u64 {
        self.system.states.bytes
    }

    pub(super) fn memory(&self) -> usize {
        self.system.memory() + self.letters.memory()
    }

    /// The place of the steps that a letter allows the claim.
    fn way(&mut self, letter: usize, claim: u32) -> usize {
        let width = self.claim.states.len();
        let place = letter * width + claim as usize;
        if self.ways.len() <= place {
            self.ways.resize_with((letter + 1) * width, || None);
        }
        let (automaton, letters) = (self.claim, &self.letters);
        self.ways[place].get_or_insert_with(|| automaton.steps(claim, letters.get(letter)));
        place
    }

    /// The edges out of a node.
    fn expand(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Stop> {
        self.system.load(node.system);
        let facts = self.letters.facts(node.system, &self.system.words);
        let way = self.way(facts.letter(), node.claim);
        match &self.ways[way] {
            Some(Ok(steps)) if steps.is_empty() => return Ok(()),
            Some(Ok(_)) | None => {}
            &Some(Err(faulty)) => {
                let fault = self.letters.fault(&self.system.words, faulty);
                return Err(Stop::Fault(fault.expect("it was seen to be at fault")));
            }
        }
        self.check_processes()?;
        let moved = self.system.expand(node.system)?;
        let fair = self.fair_marks();
        let rest = if !moved && self.claim.stutters { Some(self.rest(node.system)?) } else { None };
        let label = u64::from(facts.accepts());
        let Product { system, claim, ways, origins, .. } = self;
        let mut ends = false;
        for &number in ways[way].iter().flatten().flatten() {
            let edge = &claim.states[node.claim as usize][number as usize];
            let Some(target) = edge.target else {
                ends = true;
                continue;
            };
            let marks = edge.marks | label;
            let to = |system: u32| Node { system, claim: target };
            if fair.first.is_none() {
                out.extend(system.numbers.iter().map(|&system| Edge { to: to(system), marks }));
            } else {
                let steps = system.numbers.iter().zip(system.movers());
                out.extend(steps.map(|(&system, &movers)| Edge { to: to(system), marks: marks | fair.of(movers) }));
            }
            if let Some(rest) = rest {
                out.push(Edge { to: to(rest), marks: marks | fair.all });
            }
            if let Some(origins) = origins {
                let steps = (0..system.numbers.len() as u32).map(Some).chain(rest.map(|_| None));
                origins.extend(steps.map(|step| Origin { claim: number, step }));
            }
        }
        if ends { Err(Stop::Ends) } else { Ok(()) }
    }

    /// The state whose words are loaded as it is when it is repeated.
    fn rest(&mut self, state: u32) -> Result<u32, Stop> {
        let shape = self.letters.rest(&mut self.system.words);
        shape.map_or(Ok(state), |shape| self.system.enter_loaded(&shape))
    }

    /// The marks of fairness for steps of each process in turn, and for a system that stands still.
    fn fair_marks(&self) -> FairMarks {
        let Some(Fairness { processes }) = self.system.fairness else { return FairMarks::default() };
        let all = (u64::MAX >> (64 - processes)) << self.claim.marks;
        let enabled = self.system.enabled() << self.claim.marks;
        FairMarks { idle: all & !enabled, first: Some(self.claim.marks), all }
    }

    /// Whether fairness can watch all processes of the state whose words are loaded.
    fn check_processes(&self) -> Result<(), Stop> {
        let count = self.system.engine.processes(&self.system.words);
        if self.system.fairness.is_none_or(|it| count <= it.processes as usize) {
            return Ok(());
        }
        self.control.halt(StopReason::Processes);
        Err(Stop::Halted)
    }

    /// The moves of an edge that is known to be there, and the step of the claim.
    pub(super) fn step(&mut self, from: Node, edge: Edge) -> Option<(Vec<Move>, u32)> {
        let mut edges = Vec::new();
        self.origins = Some(Vec::new());
        let expanded = self.edges(from, &mut edges);
        let origins = self.origins.take()?;
        if expanded == Err(Stop::Halted) {
            return None;
        }
        let Origin { claim, step } = origins[edges.iter().position(|it| *it == edge)?];
        let moves = step.map_or_else(Vec::new, |step| self.system.moves(step as usize));
        Some((moves, claim))
    }

    /// The steps of a lasso as an execution of the model.
    pub(super) fn unrolled(&mut self, steps: Vec<Vec<Move>>, cycle: usize) -> Option<Vec<Vec<Move>>> {
        self.system.engine.unrolled(steps, cycle)
    }

    /// The step with which the claim ends at a node.
    pub(super) fn last_step(&mut self, node: Node) -> Option<u32> {
        self.system.load(node.system);
        let facts = self.letters.facts(node.system, &self.system.words);
        let letter = self.letters.get(facts.letter());
        let edges = &self.claim.states[node.claim as usize];
        let steps = self.claim.steps(node.claim, letter).ok()?;
        steps.iter().copied().find(|&step| edges[step as usize].target.is_none())
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct FairMarks {
    /// Of processes that cannot move.
    idle: u64,
    /// The place of the first, if fairness matters.
    first: Option<usize>,
    all: u64,
}

impl FairMarks {
    /// The marks of a step in which some processes move.
    fn of(&self, movers: u64) -> u64 {
        self.idle | self.first.map_or(0, |first| movers << first) & self.all
    }
}

impl<S: Semantics, T: Numbered> Space for Product<'_, '_, S, T> {
    fn first(&self) -> Node {
        Node { system: self.first, claim: self.claim.initial }
    }

    fn width(&self) -> u32 {
        self.claim.states.len() as u32
    }

    fn all_marks(&self) -> u64 {
        let fair = self.system.fairness.map_or(0, |it| (u64::MAX >> (64 - it.processes)) << self.claim.marks);
        self.claim.all_marks() | fair
    }

    fn edges(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Stop> {
        self.expand(node, out)
    }

    fn accepts(&self, node: Node) -> bool {
        self.accepting[node.claim as usize] || self.letters.accepts(node.system)
    }

    fn goes_on(&mut self, usage: Usage) -> bool {
        self.system.look_at_limits();
        self.control.set_size(self.thread, usage.memory + self.memory());
        let progress = Progress { depth: usage.depth, errors: usage.errors, ..Progress::default() };
        self.control.watch(self.system.states.store(), progress, self.observer);
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
