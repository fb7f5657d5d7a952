//! The full state graph of a small model, with the steps of each process apart.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use spinor_exec::{Ended, Expansion, Interpreter, Move, Packing, Shapes, Simplify};
use spinor_model::Model;

/// A step of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrow {
    /// What was executed.
    pub(crate) moves: Vec<Move>,
    /// Where it leads.
    pub(crate) to: usize,
}

impl Arrow {
    /// Whether a process takes part.
    pub(crate) fn involves(&self, pid: usize) -> bool {
        self.moves.iter().any(|step| usize::from(step.pid) == pid)
    }
}

/// A state.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// The packed vector.
    pub(crate) words: Vec<u64>,
    /// The reference vector.
    pub(crate) reference: Vec<u8>,
    /// The steps of each process, a rendezvous with its sender.
    pub(crate) steps: Vec<Vec<Arrow>>,
    /// What went wrong in the steps of each process, with the first statement of the step.
    pub(crate) findings: Vec<BTreeSet<(u32, String)>>,
    /// Nothing can move.
    pub(crate) is_deadlock: bool,
}

/// All states.
#[derive(Debug)]
pub(crate) struct Graph<'m> {
    pub(crate) shapes: Arc<Shapes<'m>>,
    pub(crate) interpreter: Interpreter<'m>,
    pub(crate) nodes: Vec<Node>,
}

impl<'m> Graph<'m> {
    /// The graph of a model as it is written; nothing if it has more states than `most`, or no first one.
    pub(crate) fn new(model: &'m Model, most: usize) -> Option<Graph<'m>> {
        Graph::simplified(model, Simplify::default(), most)
    }

    /// The graph of its whole steps, with merging where that is wanted.
    pub(crate) fn simplified(model: &'m Model, simplify: Simplify, most: usize) -> Option<Graph<'m>> {
        let shapes = Arc::new(Shapes::new(model, Packing::Bits, simplify));
        let interpreter = Interpreter::merging(model, shapes.merge().cloned());
        let mut graph = Graph { shapes, interpreter, nodes: Vec::new() };
        let first = graph.interpreter.initial().ok()?;
        let mut known = HashMap::new();
        graph.add(first, &mut known);
        let mut next = 0;
        while next < graph.nodes.len() {
            graph.expand(next, &mut known);
            next += 1;
            if graph.nodes.len() > most {
                return None;
            }
        }
        Some(graph)
    }

    fn add(&mut self, reference: Vec<u8>, known: &mut HashMap<Vec<u8>, usize>) -> usize {
        if let Some(&index) = known.get(&reference) {
            return index;
        }
        let mut words = Vec::new();
        self.shapes.pack(&self.shapes.of(&reference), &reference, &mut words);
        known.insert(reference.clone(), self.nodes.len());
        self.nodes.push(Node { words, reference, ..Node::default() });
        self.nodes.len() - 1
    }

    fn expand(&mut self, at: usize, known: &mut HashMap<Vec<u8>, usize>) {
        let reference = self.nodes[at].reference.clone();
        let count = self.interpreter.state(&reference).process_count();
        let mut expansion = Expansion::default();
        let mut ended = Ended::Stuck;
        for pid in 0..count {
            self.interpreter.expand_process(&reference, pid, &mut expansion);
            ended = ended.and(expansion.ended());
            let mut arrows = Vec::new();
            for successor in &expansion.successors {
                let to = self.add(expansion.vector(successor).to_vec(), known);
                arrows.push(Arrow { moves: expansion.path(&successor.moves).to_vec(), to });
            }
            let finding = |it: &spinor_exec::Finding| {
                let path = expansion.path(&it.moves);
                let first = path.first().map_or(u32::MAX, |step| step.statement.0);
                (first, format!("{:?} {:?}", it.kind, path.last()))
            };
            let findings = expansion.findings.iter().map(finding).collect();
            self.nodes[at].steps.push(arrows);
            self.nodes[at].findings.push(findings);
        }
        self.nodes[at].is_deadlock = ended == Ended::Stuck;
    }

    /// How many steps a process can do.
    pub(crate) fn steps(&self, at: usize, pid: usize) -> usize {
        self.nodes[at].steps[pid].len()
    }
}
