//! A short execution that shows a violation: by breadth-first search among the nodes that were visited.

use super::space::{Edge, Evidence, Evil, Node};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Nodes that a search for a short stem visits before it takes the path of the depth-first search instead.
const EFFORT: usize = 1 << 20;

/// What was visited.
pub(super) trait Region {
    fn first(&self) -> Node;

    /// The edges out of a node; `false` if there is no more time.
    fn edges(&mut self, node: Node, out: &mut Vec<Edge>) -> bool;

    /// Whether a node was visited.
    fn is_known(&self, node: Node) -> bool;

    fn all_marks(&self) -> u64;

    /// The path of the depth-first search.
    fn path(&self) -> Vec<Edge>;
}

/// A way to a node that is wanted, and for a cycle one around from there, through wanted nodes only, with all marks.
pub(super) fn lasso<R: Region>(region: &mut R, evil: Evil, is_wanted: impl Fn(&R, Node) -> bool) -> Evidence {
    let first = region.first();
    let stem = shortest(region, first, EFFORT, &|region, node| region.is_known(node), &|region, edge| {
        edge.map_or(is_wanted(region, first), |edge| is_wanted(region, edge.to))
    });
    let stem = stem.unwrap_or_else(|| {
        let path = region.path();
        let enters = path.iter().position(|edge| is_wanted(region, edge.to)).map_or(0, |at| at + 1);
        let enters = if is_wanted(region, first) { 0 } else { enters };
        path[..enters].to_vec()
    });
    let mut cycle = Vec::new();
    if evil == Evil::Cycle {
        let entry = stem.last().map_or(first, |edge| edge.to);
        cycle = around(region, entry, &is_wanted);
    }
    Evidence { evil, stem, cycle }
}

/// A way from a node back to it: to the nearest edge with a mark that is missing, until none is, and home.
fn around<R: Region>(region: &mut R, entry: Node, is_inside: &impl Fn(&R, Node) -> bool) -> Vec<Edge> {
    let mut cycle: Vec<Edge> = Vec::new();
    let mut missing = region.all_marks();
    let mut at = entry;
    loop {
        let is_home = |edge: &Edge| edge.to == entry;
        let is_goal = |edge: &Edge| if missing == 0 { is_home(edge) } else { edge.marks & missing != 0 };
        if missing == 0 && at == entry && !cycle.is_empty() {
            return cycle;
        }
        let part = shortest(region, at, usize::MAX, is_inside, &|_, edge| edge.is_some_and(is_goal));
        let Some(part) = part else { return Vec::new() };
        missing &= !part.iter().fold(0, |all, edge| all | edge.marks);
        at = part.last().map_or(at, |edge| edge.to);
        cycle.extend(part);
    }
}

/// The shortest way from a node to an edge that is a goal, through nodes that are inside. No edge at all is tried
/// first.
fn shortest<R: Region>(
    region: &mut R,
    from: Node,
    effort: usize,
    is_inside: &impl Fn(&R, Node) -> bool,
    is_goal: &impl Fn(&R, Option<&Edge>) -> bool,
) -> Option<Vec<Edge>> {
    if is_goal(region, None) {
        return Some(Vec::new());
    }
    let mut before: FxHashMap<Node, (Node, u64)> = FxHashMap::default();
    let mut queue = VecDeque::from([from]);
    let mut edges = Vec::new();
    while let Some(node) = queue.pop_front() {
        if before.len() > effort || !region.edges(node, &mut edges) {
            return None;
        }
        for &edge in edges.iter().filter(|edge| is_inside(region, edge.to)) {
            if is_goal(region, Some(&edge)) {
                let mut path = back(&before, from, node);
                path.push(edge);
                return Some(path);
            }
            if edge.to != from && !before.contains_key(&edge.to) {
                before.insert(edge.to, (node, edge.marks));
                queue.push_back(edge.to);
            }
        }
    }
    None
}

/// The way that a breadth-first search took to a node.
fn back(before: &FxHashMap<Node, (Node, u64)>, from: Node, to: Node) -> Vec<Edge> {
    let mut path = Vec::new();
    let mut node = to;
    while node != from {
        let (source, marks) = before[&node];
        path.push(Edge { to: node, marks });
        node = source;
    }
    path.reverse();
    path
}
