//! The first phase of two-phase search (Nalumasu and Gopalakrishnan, paper 003): deterministic steps are
//! followed at once, process by process, before a state is expanded in full.
//!
//! A step is deterministic if its process can do nothing else and is a persistent set by itself. The paper
//! goes through the processes once. To go on until nothing new is met has the gain of its second algorithm,
//! which is unsound (`tests/counterexamples`).

use crate::path::before;
use crate::reduce::sound::Phases;
use crate::reduce::{Tables, View, is_deterministic};
use spinor_exec::{Cut, Ended, Expanded, Move, Next, PackedFinding, Semantics, Successors};
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

    /// The moves that lead to a state from the first.
    fn moves<S: Semantics>(&self, engine: &mut S, mut link: usize) -> Vec<Move> {
        let mut steps = Vec::new();
        while link > 0 {
            let Link { parent, pid, .. } = self.links[link];
            let from = self.vector(parent);
            let n = before(engine, from, pid.into());
            steps.push(engine.moves(from, n));
            link = parent;
        }
        steps.into_iter().rev().flatten().collect()
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
        self.cut = self.cut.or(expanded.ended.cut());
        self.deepest = self.deepest.max(self.links[self.end].depth + expanded.deepest as usize);
        is_forced.then(|| self.out.list[0])
    }
}

/// Both phases as one step, which is how breadth-first search takes them: a successor goes on at once to where
/// its first phase ends, and what lies between is not stored.
impl Chain {
    /// Appends all that can follow a state.
    pub(crate) fn expand<S: Semantics>(
        &mut self,
        engine: &mut S,
        tables: &Tables<'_>,
        state: &[u64],
        out: &mut Successors,
    ) -> Expanded {
        let first = out.list.len();
        let mut all = engine.expand(state, out);
        for n in first..out.list.len() {
            let next = out.list[n];
            self.go_ahead_from(engine, tables, (out, next));
            for (link, finding) in std::mem::take(&mut self.findings) {
                let before = engine.moves(state, n - first).into_iter().chain(self.moves(engine, link));
                out.findings.push(PackedFinding { moves: before.chain(finding.moves).collect(), ..finding });
            }
            let end = self.links[self.end];
            let distance = next.distance + end.depth as u32;
            if self.end > 0 {
                out.list[n] = Next { at: out.words.len() as u32, distance, ..end.next };
                out.words.extend_from_slice(self.vector(self.end));
            }
            all.furthest = all.furthest.max(distance);
            all.deepest = all.deepest.max(next.distance + self.deepest as u32);
            all.ended = self.cut.map_or(all.ended, |cut| all.ended.and(Ended::Cut(cut)));
        }
        all
    }

    /// The moves of the first phase behind the `n`-th successor of a state.
    pub(crate) fn moves_behind<S: Semantics>(
        &mut self,
        engine: &mut S,
        tables: &Tables<'_>,
        state: &[u64],
        n: usize,
    ) -> Vec<Move> {
        let mut out = Successors::default();
        engine.expand(state, &mut out);
        self.go_ahead_from(engine, tables, (&out, out.list[n]));
        self.moves(engine, self.end)
    }

    fn go_ahead_from<S: Semantics>(&mut self, engine: &mut S, tables: &Tables<'_>, (out, next): (&Successors, Next)) {
        let words = out.vector(&next);
        self.begin(words, (next.bytes, next.key), out.limit);
        self.go_ahead(engine, tables, words);
    }
}

/// Whether a process that can do so many steps is deterministic.
pub(crate) fn is_forced(tables: &Tables<'_>, state: &[u64], pid: usize, steps: usize) -> bool {
    let table = tables.of(state);
    steps == 1 && table.is_reducible() && is_deterministic(&mut View::new(&table, state, &mut |_| steps), pid)
}
