//! What the searches for accepting cycles see: nodes, and edges with marks.

use spinor_exec::Fault;

/// A state of the system together with a state of the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    pub(crate) system: u32,
    pub(crate) claim: u32,
}

/// A step to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) to: Node,
    pub(crate) marks: u64,
}

/// Why a node is not to be expanded like others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The search must end.
    Halted,
    /// The claim is at its end: a violation.
    Ends,
    /// A proposition is at fault: a violation.
    Fault(Fault),
}

/// What a search uses, to be compared with limits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) memory: usize,
    pub(crate) depth: usize,
    pub(crate) errors: u64,
}

/// A graph in which an execution accepts if it has all marks again and again.
pub(crate) trait Space {
    /// Where executions begin.
    fn first(&self) -> Node;

    /// Nodes have claims below this number.
    fn width(&self) -> u32;

    /// All marks, as bits.
    fn all_marks(&self) -> u64;

    /// Appends the edges out of a node. If a part of them is enough, it is chosen here, once and for all threads.
    fn edges(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Stop>;

    /// Whether a node that was expanded accepts: for searches that want acceptance of nodes.
    fn accepts(&self, node: Node) -> bool;

    /// Looks at the limits; `false` if the search must end.
    fn goes_on(&mut self, usage: Usage) -> bool;

    /// Whether paths of so many steps are followed; if not, the search is not complete.
    fn is_followed(&mut self, depth: usize) -> bool;

    /// Whether the search goes on after a violation.
    fn keeps_going(&self) -> bool;
}

/// The place of a node in tables.
pub(crate) fn index(node: Node, width: u32) -> u64 {
    u64::from(node.system) * u64::from(width) + u64::from(node.claim)
}

/// Why an execution must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Evil {
    /// It goes round for ever, with all marks.
    Cycle,
    /// The claim ends.
    End,
    /// A proposition is at fault.
    Fault(Fault),
}

/// An execution that must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Evidence {
    pub(crate) evil: Evil,
    /// The edges from the first node on.
    pub(crate) stem: Vec<Edge>,
    /// The edges that are repeated.
    pub(crate) cycle: Vec<Edge>,
}

impl Evidence {
    /// The last node of a path shows it. Each node comes with the edge that was followed out of it.
    pub(crate) fn at_last(path: impl ExactSizeIterator<Item = (Node, Edge)>, evil: Evil) -> Evidence {
        let below = path.len() - 1;
        Evidence { evil, stem: path.take(below).map(|(_, edge)| edge).collect(), cycle: Vec::new() }
    }

    /// A path comes back to one of its nodes: by the edge that was followed last, or by others in its place.
    pub(crate) fn round(path: impl Iterator<Item = (Node, Edge)>, to: Node, instead: &[Edge]) -> Evidence {
        let (nodes, mut stem): (Vec<Node>, Vec<Edge>) = path.unzip();
        if !instead.is_empty() {
            stem.pop();
            stem.extend(instead);
        }
        let at = nodes.iter().position(|node| *node == to).expect("a node of the path");
        let cycle = stem.split_off(at);
        Evidence { evil: Evil::Cycle, stem, cycle }
    }
}

/// What a search found and counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Searched {
    pub(crate) evidence: Option<Evidence>,
    pub(crate) stored: u64,
    pub(crate) matched: u64,
    pub(crate) depth: usize,
    pub(crate) memory: usize,
}

impl Searched {
    /// What two threads counted together.
    pub(crate) fn join(self, other: Searched) -> Searched {
        Searched {
            evidence: self.evidence.or(other.evidence),
            stored: self.stored + other.stored,
            matched: self.matched + other.matched,
            depth: self.depth.max(other.depth),
            memory: self.memory + other.memory,
        }
    }
}

/// Expansions between two looks at the limits.
pub(crate) const TICK: u64 = 1 << 8;
