//! What selectors and independence promise, checked in every state of the full graph.

use std::collections::{BTreeSet, VecDeque};

use spinor_exec::Move;
use spinor_explore::reduce::{Independence, Processes, Tables, View, is_deterministic};

use super::graph::{Arrow, Graph};

/// Steps that are called independent commute, and none makes a step of the other process possible or
/// impossible; first for whole processes, then for single edges.
pub(crate) fn independence(graph: &Graph<'_>, tables: &Tables<'_>) -> Result<u64, String> {
    let mut judge = Independence::default();
    let mut pairs = 0;
    for at in 0..graph.nodes.len() {
        let node = &graph.nodes[at];
        let table = tables.of(&node.words);
        let mut steps = |pid: usize| graph.steps(at, pid);
        let view = View::new(&table, &node.words, &mut steps);
        for one in 0..view.processes() {
            for other in (0..view.processes()).filter(|&other| other != one) {
                let whole = judge.of_processes(&view, one, other);
                for step in &node.steps[one] {
                    if whole {
                        pairs += 1;
                        commutes(graph, at, step, (other, None))
                            .map_err(|it| format!("processes {one} {other}: {it}"))?;
                    }
                    pairs += edges(graph, at, (&view, &mut judge), (one, step), other)?;
                }
            }
        }
    }
    Ok(pairs)
}

fn edges(
    graph: &Graph<'_>,
    at: usize,
    (view, judge): (&View<'_>, &mut Independence),
    (one, step): (usize, &Arrow),
    other: usize,
) -> Result<u64, String> {
    let mut pairs = 0;
    let mine = edges_of(graph, at, one, step.moves[0]);
    let firsts: BTreeSet<u32> = graph.nodes[at].steps[other].iter().map(|it| it.moves[0].statement.0).collect();
    for first in firsts {
        let arrow = graph.nodes[at].steps[other].iter().find(|it| it.moves[0].statement.0 == first);
        let theirs = edges_of(graph, at, other, arrow.expect("just seen").moves[0]);
        let all = mine.iter().all(|&a| theirs.iter().all(|&b| judge.of_edges(view, (one, a), (other, b))));
        if all {
            pairs += 1;
            let outcome = commutes(graph, at, step, (other, Some(first)));
            outcome.map_err(|it| format!("edges {one}/{mine:?} {other}/{theirs:?}: {it}"))?;
        }
    }
    Ok(pairs)
}

/// The edges of the present location that execute a statement.
fn edges_of(graph: &Graph<'_>, at: usize, pid: usize, step: Move) -> Vec<usize> {
    let state = graph.interpreter.state(&graph.nodes[at].reference);
    let edges = &graph.interpreter.location(&state, pid).edges;
    (0..edges.len()).filter(|&edge| edges[edge].statement == step.statement).collect()
}

/// Whether `step` commutes with the steps of `other`, those that begin with a statement if it is given.
fn commutes(graph: &Graph<'_>, at: usize, step: &Arrow, (other, first): (usize, Option<u32>)) -> Result<(), String> {
    let is_meant = |it: &&Arrow| first.is_none_or(|first| it.moves[0].statement.0 == first);
    let before: Vec<&Arrow> = graph.nodes[at].steps[other].iter().filter(is_meant).collect();
    let Some(later) = graph.nodes[step.to].steps.get(other) else {
        return if before.is_empty() { Ok(()) } else { Err(format!("state {at}: process {other} is gone")) };
    };
    let after: Vec<&Arrow> = later.iter().filter(is_meant).collect();
    let moves = |arrows: &[&Arrow]| arrows.iter().map(|it| it.moves.clone()).collect::<Vec<_>>();
    let wrong = |at: usize| {
        let all = graph.nodes[at].findings[other].iter();
        all.filter(|it| first.is_none_or(|first| it.0 == first)).collect::<Vec<_>>()
    };
    if moves(&before) != moves(&after) || wrong(at) != wrong(step.to) {
        let what = first.map_or_else(String::new, |first| format!(" beginning with {first}"));
        return Err(format!("state {at}: {:?} changes what process {other} can do{what}", step.moves));
    }
    for (before, after) in before.iter().zip(&after) {
        let own = graph.nodes[before.to].steps[usize::from(step.moves[0].pid)].iter();
        if !own.clone().any(|it| it.moves == step.moves && it.to == after.to) {
            return Err(format!("state {at}: {:?} and {:?} do not commute", step.moves, before.moves));
        }
    }
    Ok(())
}

/// A process that is called deterministic has one step, and is a persistent set alone. Returns how many
/// there were.
pub(crate) fn determinism(graph: &Graph<'_>, tables: &Tables<'_>) -> Result<u64, String> {
    let mut count = 0;
    for (at, node) in graph.nodes.iter().enumerate() {
        let table = tables.of(&node.words);
        for pid in 0..node.steps.len() {
            let mut steps = |pid: usize| graph.steps(at, pid);
            if is_deterministic(&mut View::new(&table, &node.words, &mut steps), pid) {
                count += 1;
                persistence(graph, at, &Processes::single(pid)).map_err(|it| format!("deterministic: {it}"))?;
                if graph.steps(at, pid) != 1 {
                    return Err(format!("state {at}: process {pid} is not deterministic"));
                }
            }
        }
    }
    Ok(count)
}

/// A set is persistent: wherever processes outside of it lead, its processes can do the same as now, and
/// all commutes. Returns how many states were looked at.
pub(crate) fn persistence(graph: &Graph<'_>, at: usize, set: &Processes) -> Result<u64, String> {
    let mut seen = BTreeSet::from([at]);
    let mut waiting = VecDeque::from([at]);
    while let Some(now) = waiting.pop_front() {
        let outside = (0..graph.nodes[now].steps.len()).filter(|pid| !set.contains(*pid));
        for step in outside.flat_map(|pid| &graph.nodes[now].steps[pid]) {
            if let Some(pid) = set.iter().find(|&pid| step.involves(pid)) {
                return Err(format!("state {at}, {set:?}: at {now}, {:?} involves process {pid}", step.moves));
            }
            for pid in set.iter() {
                commutes(graph, now, step, (pid, None)).map_err(|it| format!("state {at}, {set:?}: at {now}, {it}"))?;
            }
            if seen.insert(step.to) {
                waiting.push_back(step.to);
            }
        }
    }
    Ok(seen.len() as u64)
}
