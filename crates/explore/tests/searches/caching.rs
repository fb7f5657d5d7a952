//! Depth-first search with a cache that holds a part of the states (paper 002), on a model: all states are
//! visited whatever is forgotten.

use crate::support;
use spinor_exec::{Packed, Packing, Semantics, Successors};
use spinor_model::model::Action;
use spinor_model::{Model, ProctypeId, StatementId};
use spinor_store::{Arrival, Cache, CacheConfig, CacheStatistics, Kind, Replacement, Slot, Strata, Visitor};
use std::collections::{HashMap, HashSet};

fn compile(defines: &[(&str, &str)]) -> Model {
    support::compile_with(&support::place("tests/papers/transfer.pml"), defines)
}

/// What kind of transition each statement is, as paper 002 tells them apart: what leads to where several
/// paths meet is a branch.
fn kinds(model: &Model) -> HashMap<(ProctypeId, StatementId), Kind> {
    let mut kinds = HashMap::new();
    for (index, proctype) in model.proctypes.iter().enumerate() {
        let mut entrances = HashMap::new();
        let edges = || proctype.locations.iter().flat_map(|location| &location.edges);
        edges().for_each(|edge| *entrances.entry(edge.target).or_insert(0) += 1);
        for edge in edges() {
            let kind = match proctype.statement(edge.statement).action {
                _ if entrances[&edge.target] > 1 => Kind::Branch,
                Action::Receive(_) => Kind::Receive,
                Action::Send(_) => Kind::Send,
                Action::Assign(..) => Kind::Assignment,
                _ => Kind::Other,
            };
            kinds.insert((ProctypeId(index as u16), edge.statement), kind);
        }
    }
    kinds
}

/// A state on the path.
struct Frame {
    state: Vec<u64>,
    successors: Vec<(Vec<u64>, u32, Kind)>,
    next: usize,
    slot: Slot,
    /// How many states were stored when it was.
    begun: u64,
}

struct Search<'m> {
    engine: Packed<'m>,
    kinds: HashMap<(ProctypeId, StatementId), Kind>,
    cache: Cache,
    visited: HashSet<Vec<u64>>,
    out: Successors,
    path: Vec<Frame>,
}

impl Search<'_> {
    fn new(model: &Model, config: CacheConfig) -> Search<'_> {
        Search {
            engine: Packed::new(model, Packing::default()),
            kinds: kinds(model),
            cache: Cache::new(config),
            visited: HashSet::new(),
            out: Successors::default(),
            path: Vec::new(),
        }
    }

    /// Searches all; what the cache counted.
    fn run(mut self) -> (HashSet<Vec<u64>>, CacheStatistics) {
        self.out.clear();
        self.engine.initial(&mut self.out).expect("a first state");
        let first = self.out.list[0];
        let words = self.out.vector(&first).to_vec();
        self.arrive(words, first.bytes, Kind::Other);
        while let Some(frame) = self.path.last_mut() {
            if let Some((words, bytes, kind)) = frame.successors.get(frame.next).cloned() {
                frame.next += 1;
                self.arrive(words, bytes, kind);
            } else {
                let below = self.visited.len() as u64 - frame.begun;
                self.cache.leave(frame.slot, below);
                self.path.pop();
            }
        }
        let statistics = self.cache.statistics();
        (self.visited, statistics)
    }

    fn arrive(&mut self, words: Vec<u64>, bytes: u32, kind: Kind) {
        let visitor = Visitor { words: &words, bytes, kind, depth: self.path.len() as u32 };
        match self.cache.arrive(&visitor) {
            Arrival::New { slot, .. } => self.push(words, slot),
            Arrival::Known { on_stack, .. } => {
                assert_eq!(on_stack, self.path.iter().any(|frame| frame.state == words));
            }
            Arrival::Full => panic!("the stack is larger than the cache"),
        }
    }

    fn push(&mut self, state: Vec<u64>, slot: Slot) {
        self.out.clear();
        self.engine.expand(&state, &mut self.out);
        let mut successors = Vec::new();
        for (index, next) in self.out.list.iter().enumerate() {
            let last = *self.engine.moves(&state, index).last().expect("a move");
            let kind = self.kinds[&(last.proctype, last.statement)];
            successors.push((self.out.vector(next).to_vec(), next.bytes, kind));
        }
        let begun = self.visited.len() as u64;
        self.visited.insert(state.clone());
        self.path.push(Frame { state, successors, next: 0, slot, begun });
    }
}

#[test]
fn every_state_is_visited_whatever_is_forgotten() {
    let model = compile(&[("TOTAL", "3"), ("LOSSES", "1"), ("HASTY", "0")]);
    let whole = CacheConfig::default();
    let (states, exact) = Search::new(&model, whole).run();
    assert!(states.len() > 500, "{}", states.len());
    assert_eq!((exact.stored as usize, exact.evicted), (states.len(), 0));
    let stratified = Replacement::Stratified(Strata { every: 4, at: 0 });
    for replacement in Replacement::PLAIN.into_iter().chain([stratified]) {
        for percent in [80, 60] {
            let config = CacheConfig { states: (states.len() * percent / 100) as u32, replacement, ..whole };
            let (visited, it) = Search::new(&model, config).run();
            assert_eq!(visited, states, "{replacement:?}, {percent} %");
            assert!(it.held <= config.states && it.evicted > 0, "{it:?}");
            assert!(it.stored >= exact.stored, "{it:?}");
        }
    }
}
