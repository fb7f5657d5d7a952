//! Whether two automata accept a word together.

use crate::explicit::Explicit;
use crate::scc;
use rustc_hash::FxHashMap;

/// Marks of both automata.
type BothMarks = (u64, u64);

/// Whether no word is accepted by both. Both must have the same letters.
pub(crate) fn are_disjoint(a: &Explicit, b: &Explicit) -> bool {
    let mut numbers: FxHashMap<(usize, usize), usize> = [((a.initial, b.initial), 0)].into_iter().collect();
    let mut open = vec![(a.initial, b.initial)];
    let mut edges: Vec<Vec<(usize, BothMarks)>> = Vec::new();
    while edges.len() < open.len() {
        let (p, q) = open[edges.len()];
        let mut steps = Vec::new();
        for left in &a.states[p] {
            for right in b.states[q].iter().filter(|right| right.letters.intersects(&left.letters)) {
                let pair = (left.target, right.target);
                let number = *numbers.entry(pair).or_insert_with(|| {
                    open.push(pair);
                    open.len() - 1
                });
                steps.push((number, (left.marks, right.marks)));
            }
        }
        edges.push(steps);
    }
    !has_accepting_component(&edges, (a.all_marks(), b.all_marks()))
}

/// Whether some component of a graph has all marks.
pub(crate) fn has_accepting_component(edges: &[Vec<(usize, BothMarks)>], all: BothMarks) -> bool {
    let components = scc::components(edges.len(), |node| edges[node].iter().map(|&(target, _)| target));
    let mut marks: Vec<Option<BothMarks>> = vec![None; components.count];
    for (node, steps) in edges.iter().enumerate() {
        for &(_, (left, right)) in steps.iter().filter(|(target, _)| components.of[*target] == components.of[node]) {
            let seen = marks[components.of[node]].get_or_insert((0, 0));
            *seen = (seen.0 | left, seen.1 | right);
        }
    }
    marks.contains(&Some(all))
}
