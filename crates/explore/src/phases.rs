//! The first phase of two-phase search (Nalumasu and Gopalakrishnan, paper 003): deterministic steps are
//! followed at once, process by process, before a state is expanded in full.
//!
//! A step is deterministic if its process can do nothing else and is a persistent set by itself. The paper
//! goes through the processes once. To go on until nothing new is met has the gain of its second algorithm,
//! which is unsound (`tests/counterexamples`).

use crate::reduce::sound::Phases;
use crate::reduce::{Tables, View, is_deterministic};
use spinor_exec::{Cut, Expanded, Next, PackedFinding, Semantics, Successors};
use std::collections::HashMap;

/// States after which the first phase ends; it may end anywhere.
const MOST: usize = 1 << 16;

/// A state that the first phase met.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// Where its words are.
    pub(crate) next: Next,
    /// Where it came from, in the same list.
    parent: usize,
    /// Whose step that was.
    pid: u8,
    /// How many moves it is away from the first.
    pub(crate) depth: usize,
}

/// What the first phase met.
#[derive(Debug)]
pub(crate) struct Chain {
    rule: Phases,
    words: Vec<u64>,
    /// The states, the first one included.
    pub(crate) links: Vec<Link>,
    known: HashMap<Box<[u64]>, usize>,
    /// Where it ended.
    pub(crate) end: usize,
    /// What went wrong in a step from a state.
    pub(crate) findings: Vec<(usize, PackedFinding)>,
    pub(crate) cut: Option<Cut>,
    pub(crate) deepest: usize,
    out: Successors,
}

impl Chain {
    pub(crate) fn new(rule: Phases) -> Chain {
        Chain {
            rule,
            words: Vec::new(),
            links: Vec::new(),
            known: HashMap::new(),
            end: 0,
            findings: Vec::new(),
            cut: None,
            deepest: 0,
            out: Successors::default(),
        }
    }

    /// Begins with a state.
    pub(crate) fn begin(&mut self, words: &[u64], (bytes, key): (u32, u32), limit: spinor_exec::Limit) {
        self.words.clear();
        self.links.clear();
        self.known.clear();
        self.findings.clear();
        (self.end, self.cut, self.deepest, self.out.limit) = (0, None, 0, limit);
        self.add(words, Next { at: 0, bytes, key, distance: 0 }, 0);
    }

    pub(crate) fn vector(&self, link: usize) -> &[u64] {
        let next = self.links[link].next;
        let at = next.at as usize;
        &self.words[at..at + next.bytes.div_ceil(8) as usize]
    }

    /// The processes whose steps lead to a state from the first.
    pub(crate) fn route(&self, mut link: usize) -> Vec<u8> {
        let mut route = Vec::new();
        while link > 0 {
            route.push(self.links[link].pid);
            link = self.links[link].parent;
        }
        route.reverse();
        route
    }

    fn add(&mut self, words: &[u64], next: Next, pid: u8) -> usize {
        let at = self.words.len() as u32;
        let depth = self.links.get(self.end).map_or(0, |parent| parent.depth) + next.distance as usize;
        self.words.extend_from_slice(words);
        self.known.insert(words.into(), self.links.len());
        self.links.push(Link { next: Next { at, ..next }, parent: self.end, pid, depth });
        self.links.len() - 1
    }

    /// Rounds through the processes; further ones as long as they meet something new.
    pub(crate) fn go_ahead<S: Semantics>(&mut self, engine: &mut S, tables: &Tables<'_>, first: &[u64]) {
        debug_assert_eq!(self.vector(0), first);
        let mut is_first_round = true;
        loop {
            let before = self.links.len();
            let processes = engine.processes(self.vector(self.end));
            for pid in (0..processes).rev() {
                self.follow(engine, tables, pid, is_first_round);
            }
            is_first_round = false;
            let is_over = self.links.len() == before || self.links.len() >= MOST || self.cut.is_some();
            if is_over || self.rule != Phases::Fixpoint {
                return;
            }
        }
    }

    /// Follows one process until it is not deterministic or meets what was met. In further rounds it does not
    /// go round a circle that is known.
    fn follow<S: Semantics>(&mut self, engine: &mut S, tables: &Tables<'_>, pid: usize, mut goes_back: bool) {
        while self.links.len() < MOST
            && self.cut.is_none()
            && let Some(next) = self.step(engine, tables, pid)
        {
            let words = self.out.vector(&next).to_vec();
            let known = self.known.get(words.as_slice()).copied();
            if known.is_some() && !goes_back {
                return;
            }
            let from = self.end;
            self.findings.extend(self.out.findings.drain(..).map(|finding| (from, finding)));
            self.end = known.unwrap_or_else(|| self.add(&words, next, pid as u8));
            if known.is_some() {
                return;
            }
            goes_back = true;
        }
    }

    /// The only step of a process, if it is deterministic.
    fn step<S: Semantics>(&mut self, engine: &mut S, tables: &Tables<'_>, pid: usize) -> Option<Next> {
        let mut out = std::mem::take(&mut self.out);
        out.clear();
        let state = self.vector(self.end);
        let is_there = pid < engine.processes(state);
        let expanded = if is_there { engine.expand_process(state, pid, &mut out) } else { Expanded::default() };
        let is_forced = is_there && is_forced(tables, state, pid, out.list.len());
        self.out = out;
        self.cut = self.cut.or(expanded.cut);
        self.deepest = self.deepest.max(self.links[self.end].depth + expanded.deepest as usize);
        is_forced.then(|| self.out.list[0])
    }
}

/// Whether a process that can do so many steps is deterministic.
pub(crate) fn is_forced(tables: &Tables<'_>, state: &[u64], pid: usize, steps: usize) -> bool {
    let table = tables.of(state);
    steps == 1 && table.is_reducible() && is_deterministic(&mut View::new(&table, state, &mut |_| steps), pid)
}
