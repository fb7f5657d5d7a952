//! One mark instead of many, while the search goes on: a node waits for the marks one after the other, and accepts
//! where it has seen them all. With the marks of weak fairness these are Choueka's copies (1974).

use super::space::{Edge, Evidence, Node, Space, Stop, Usage};

/// A space whose nodes accept.
pub(crate) struct Levels<'p, P> {
    space: &'p mut P,
    count: u32,
}

impl<P: Space> Levels<'_, P> {
    pub(crate) fn new(space: &mut P) -> Levels<'_, P> {
        let count = space.all_marks().count_ones();
        Levels { space, count }
    }

    /// How many copies of a node there are.
    fn levels(&self) -> u32 {
        self.count + 1
    }

    /// The node that this is a copy of.
    pub(crate) fn below(&self, node: Node) -> Node {
        Node { claim: node.claim / self.levels(), ..node }
    }

    /// The execution that this is a copy of.
    pub(crate) fn evidence_below(&self, evidence: Evidence) -> Evidence {
        let below = |edge: Edge| Edge { to: self.below(edge.to), ..edge };
        let Evidence { evil, stem, cycle } = evidence;
        Evidence { evil, stem: stem.into_iter().map(below).collect(), cycle: cycle.into_iter().map(below).collect() }
    }

    fn level(&self, node: Node) -> u32 {
        node.claim % self.levels()
    }

    fn copy(&self, node: Node, level: u32) -> Node {
        Node { claim: node.claim * self.levels() + level, ..node }
    }

    /// The same edges between copies.
    fn climb(&self, node: Node, edges: &mut [Edge]) {
        let level = if self.level(node) == self.count { 0 } else { self.level(node) };
        for edge in edges {
            let climbed = (edge.marks >> level).trailing_ones();
            edge.to = self.copy(edge.to, (level + climbed).min(self.count));
        }
    }
}

impl<P: Space> Space for Levels<'_, P> {
    fn first(&self) -> Node {
        self.copy(self.space.first(), 0)
    }

    fn width(&self) -> u32 {
        self.space.width() * self.levels()
    }

    fn all_marks(&self) -> u64 {
        self.space.all_marks()
    }

    fn edges(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Stop> {
        let first = out.len();
        let expanded = self.space.edges(self.below(node), out);
        self.climb(node, &mut out[first..]);
        expanded
    }

    fn accepts(&self, node: Node) -> bool {
        self.level(node) == self.count
    }

    fn goes_on(&mut self, usage: Usage) -> bool {
        self.space.goes_on(usage)
    }

    fn is_followed(&mut self, depth: usize) -> bool {
        self.space.is_followed(depth)
    }

    fn keeps_going(&self) -> bool {
        self.space.keeps_going()
    }
}
