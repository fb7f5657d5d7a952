//! The searches on random graphs, against the definition.

use super::cndfs::{Colours, cndfs};
use super::couvreur::couvreur;
use super::levels::Levels;
use super::ndfs::ndfs;
use super::space::{Edge, Evidence, Evil, Node, Space, Stop, Usage};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

/// A graph with marks on edges.
#[derive(Clone, Debug)]
struct Graph {
    marks: u32,
    nodes: Vec<Vec<(u32, u64)>>,
    /// The node at which the claim ends.
    end: Option<u32>,
    keep_going: bool,
    max_depth: usize,
}

impl Graph {
    fn random(rng: &mut SmallRng) -> Graph {
        let count = rng.random_range(1..12_u32);
        let marks = rng.random_range(0..4);
        let all = (1_u64 << marks) - 1;
        let edge = |rng: &mut SmallRng| {
            let marks = rng.random_range(0..=all) & rng.random_range(0..=all);
            (rng.random_range(0..count), marks)
        };
        let degree = rng.random_range(1..4);
        let nodes = (0..count).map(|_| (0..rng.random_range(0..=degree)).map(|_| edge(rng)).collect()).collect();
        Graph { marks, nodes, end: None, keep_going: rng.random(), max_depth: usize::MAX }
    }

    /// The same with marks on nodes: all edges out of a node have them, or none.
    fn with_accepting_nodes(mut self, rng: &mut SmallRng) -> Graph {
        self.marks = 1;
        for edges in &mut self.nodes {
            let accepts = rng.random_ratio(1, 4);
            edges.iter_mut().for_each(|edge| edge.1 = u64::from(accepts));
        }
        self
    }

    fn reachable(&self, from: u32) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                open.extend(self.nodes[node as usize].iter().map(|edge| edge.0));
            }
        }
        seen
    }

    /// By definition: a reachable node, from which all edges that lead back to it have all marks between them.
    fn accepts(&self) -> bool {
        let from_first = self.reachable(0);
        let from: Vec<Vec<bool>> = (0..self.nodes.len()).map(|node| self.reachable(node as u32)).collect();
        (0..self.nodes.len()).filter(|&node| from_first[node]).any(|node| {
            let inside = (0..self.nodes.len()).filter(|&it| from[node][it] && from[it][node]);
            let edges = inside.flat_map(|it| &self.nodes[it]).filter(|edge| from[edge.0 as usize][node]);
            let marks: Vec<u64> = edges.map(|edge| edge.1).collect();
            !marks.is_empty() && marks.iter().fold(0, |all, marks| all | marks) == self.all_marks()
        })
    }
}

impl Space for Graph {
    fn first(&self) -> Node {
        Node { system: 0, claim: 0 }
    }

    fn width(&self) -> u32 {
        1
    }

    fn all_marks(&self) -> u64 {
        (1 << self.marks) - 1
    }

    fn edges(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Stop> {
        let edge = |&(system, marks): &(u32, u64)| Edge { to: Node { system, claim: 0 }, marks };
        out.extend(self.nodes[node.system as usize].iter().map(edge));
        if self.end == Some(node.system) { Err(Stop::Ends) } else { Ok(()) }
    }

    fn accepts(&self, node: Node) -> bool {
        self.nodes[node.system as usize].first().is_some_and(|edge| edge.1 == 1)
    }

    fn goes_on(&mut self, _: Usage) -> bool {
        true
    }

    fn is_followed(&mut self, depth: usize) -> bool {
        depth <= self.max_depth
    }

    fn keeps_going(&self) -> bool {
        self.keep_going
    }
}

/// Whether the evidence is a path of the graph, with all marks in its cycle.
fn check(graph: &Graph, evidence: &Evidence) {
    let mut at = 0;
    let mut entry = 0;
    for (step, edge) in evidence.stem.iter().chain(&evidence.cycle).enumerate() {
        if step == evidence.stem.len() {
            entry = at;
        }
        assert!(graph.nodes[at as usize].contains(&(edge.to.system, edge.marks)), "{graph:?} {evidence:?}");
        at = edge.to.system;
    }
    if evidence.evil == Evil::Cycle {
        assert_eq!(at, entry, "{graph:?} {evidence:?}");
        assert!(!evidence.cycle.is_empty());
        let marks = evidence.cycle.iter().fold(0, |all, edge| all | edge.marks);
        assert_eq!(marks, graph.all_marks(), "{graph:?} {evidence:?}");
    } else {
        assert_eq!(Some(at), graph.end);
    }
}

#[test]
fn searches_find_a_cycle_if_there_is_one() {
    let mut found = 0;
    for seed in 0..40_000 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut graph = Graph::random(&mut rng);
        let expected = graph.accepts();
        found += u32::from(expected);
        let searched = couvreur(&mut graph);
        assert_eq!(searched.evidence.is_some(), expected, "seed {seed}: {graph:?}");
        searched.evidence.iter().for_each(|evidence| check(&graph, evidence));
        if graph.keep_going || !expected {
            let reachable = graph.reachable(0).iter().filter(|it| **it).count() as u64;
            assert_eq!(searched.stored, reachable, "seed {seed}: {graph:?}");
        }
        let mut copy = graph.clone();
        let mut levels = Levels::new(&mut copy);
        let searched = ndfs(&mut levels, true);
        assert_eq!(searched.evidence.is_some(), expected, "seed {seed}: {graph:?}");
        let evidence = searched.evidence.map(|it| levels.evidence_below(it));
        evidence.iter().for_each(|evidence| check(&graph, evidence));
    }
    assert!((5_000..30_000).contains(&found), "{found} graphs accept");
}

/// What several threads find in a graph, as a graph of levels.
fn together(graph: &Graph, threads: usize) -> (Option<Evidence>, u64) {
    let colours = Colours::default();
    let stored = std::thread::scope(|scope| {
        let begin = |number| {
            let (mut copy, colours) = (graph.clone(), &colours);
            scope.spawn(move || cndfs(&mut Levels::new(&mut copy), colours, number).stored)
        };
        let threads: Vec<_> = (0..threads).map(begin).collect();
        threads.into_iter().map(|it| it.join().expect("no panic")).sum()
    });
    let evidence = colours.into_evidence().map(|it| Levels::new(&mut graph.clone()).evidence_below(it));
    (evidence, stored)
}

#[test]
fn several_threads_find_a_cycle_if_there_is_one() {
    for seed in 0..4_000 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut graph = Graph::random(&mut rng);
        let expected = graph.accepts();
        let (evidence, stored) = together(&graph, rng.random_range(2..5));
        assert_eq!(evidence.is_some(), expected, "seed {seed}: {graph:?}");
        evidence.iter().for_each(|evidence| check(&graph, evidence));
        if !expected {
            let alone = ndfs(&mut Levels::new(&mut graph), true).stored;
            assert_eq!(stored, alone, "seed {seed}: {graph:?}");
        }
    }
}

/// With a limit on depth no thread waits for what nobody visits.
#[test]
fn several_threads_come_to_an_end_with_a_limit() {
    for seed in 0..4_000 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut graph = Graph::random(&mut rng);
        graph.max_depth = rng.random_range(0..6);
        let (evidence, _) = together(&graph, rng.random_range(2..5));
        evidence.iter().for_each(|evidence| check(&graph, evidence));
    }
}

#[test]
fn nested_search_with_accepting_nodes() {
    for seed in 0..40_000 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut graph = Graph::random(&mut rng).with_accepting_nodes(&mut rng);
        let expected = graph.accepts();
        let searched = ndfs(&mut graph, true);
        assert_eq!(searched.evidence.is_some(), expected, "seed {seed}: {graph:?}");
        searched.evidence.iter().for_each(|evidence| check(&graph, evidence));
    }
}

#[test]
fn a_claim_that_ends_is_a_violation() {
    for seed in 0..4_000 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut graph = Graph::random(&mut rng).with_accepting_nodes(&mut rng);
        let end = rng.random_range(0..graph.nodes.len());
        graph.nodes.iter_mut().flatten().for_each(|edge| edge.1 = 0);
        (graph.end, graph.keep_going) = (Some(end as u32), false);
        let expected = graph.reachable(0)[end];
        for searched in [couvreur(&mut graph), ndfs(&mut graph, true)] {
            assert_eq!(searched.evidence.is_some(), expected, "seed {seed}: {graph:?}");
            searched.evidence.iter().for_each(|evidence| check(&graph, evidence));
        }
    }
}
