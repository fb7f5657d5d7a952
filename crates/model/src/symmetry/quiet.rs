//! What a process may still do from a location.

use crate::expr::Access;
use crate::model::{Action, Edge, LocationId, Model, Proctype, ProctypeId, StatementId};
use spinor_syntax::Place;
use std::collections::BTreeSet;

/// The statements that create processes.
pub(super) fn creations(model: &Model) -> BTreeSet<(ProctypeId, StatementId)> {
    let of = |(index, proctype): (usize, &Proctype)| {
        let runs = proctype.statements.iter().enumerate().filter(|(_, statement)| statement.runs);
        runs.map(|(id, _)| (ProctypeId(index as u16), StatementId(id as u32))).collect::<Vec<_>>()
    };
    model.proctypes.iter().enumerate().flat_map(of).collect()
}

/// The locations from which none of some statements can be executed.
pub(super) fn quiet(proctype: &Proctype, passed: impl Fn(StatementId) -> bool) -> Vec<bool> {
    let is_passed = |id: StatementId| within(proctype, id).into_iter().any(&passed);
    let mut quiet: Vec<bool> =
        proctype.locations.iter().map(|it| !it.edges.iter().any(|edge| is_passed(edge.statement))).collect();
    loop {
        let leads_out = |at: usize| {
            let mut targets = proctype.locations[at].edges.iter().filter_map(|edge| edge.target);
            targets.any(|LocationId(target)| !quiet[usize::from(target)])
        };
        let Some(at) = (0..quiet.len()).find(|&at| quiet[at] && leads_out(at)) else { return quiet };
        quiet[at] = false;
    }
}

/// A statement, and those inside of it if it is a `d_step`.
pub(super) fn within(proctype: &Proctype, id: StatementId) -> Vec<StatementId> {
    let mut all = vec![id];
    match &proctype.statement(id).action {
        Action::DStep(d_step) => all.extend(d_step.nodes.iter().flat_map(|node| &node.edges).map(|edge| edge.0)),
        Action::Condition(_) | Action::Else | Action::Assign(..) | Action::Send(_) | Action::Receive(_) => {}
        Action::Input(_) | Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) => {}
        Action::SetPriority(..) | Action::Goto | Action::End => {}
    }
    all
}

/// The statements that can be executed from quiet locations.
pub(super) fn reachable(proctype: &Proctype, quiet: &[bool]) -> BTreeSet<StatementId> {
    let locations = proctype.locations.iter().zip(quiet).filter(|(_, quiet)| **quiet);
    locations.flat_map(|(it, _)| &it.edges).flat_map(|edge| within(proctype, edge.statement)).collect()
}

/// Where processes of a type end, if they do.
pub(super) fn end_of(proctype: &Proctype) -> Option<Place> {
    let edges = proctype.locations.iter().flat_map(|location| &location.edges);
    let mut statements = edges.map(|edge| proctype.statement(edge.statement));
    statements.find(|statement| statement.action == Action::End).map(|statement| statement.place)
}

/// Sets of statements of which a process chooses one, to store a number: `if :: i = 0 :: i = 1 fi`, which is what becomes
/// of `select (i : 0 .. 1)`. No number is spelled out by that, but a set of them.
pub(super) fn choices(proctype: &Proctype) -> Vec<Vec<StatementId>> {
    let mut all: Vec<Vec<StatementId>> = Vec::new();
    for location in &proctype.locations {
        for edge in &location.edges {
            let alike = location.edges.iter().filter(|other| is_alternative(proctype, edge, other));
            let mut set: Vec<StatementId> = alike.map(|it| it.statement).collect();
            set.sort_unstable();
            set.dedup();
            if set.len() > 1 && !all.contains(&set) {
                all.push(set);
            }
        }
    }
    all
}

/// Whether two edges of one location differ only in the number that is stored.
pub(super) fn is_alternative(proctype: &Proctype, one: &Edge, other: &Edge) -> bool {
    let leads = |it: &Edge| (it.target, it.atomic, it.escape);
    let to = |it: &Edge| stored(proctype, it.statement).map(|it| it.0);
    to(one).is_some() && to(one) == to(other) && leads(one) == leads(other)
}

/// What a statement stores where, if that is a number of the text.
pub(super) fn stored(proctype: &Proctype, statement: StatementId) -> Option<(&Access, i32)> {
    match &proctype.statement(statement).action {
        Action::Assign(target, value) => super::choice::constant(value).map(|number| (target, number)),
        Action::Condition(_) | Action::Else | Action::Send(_) | Action::Receive(_) | Action::Input(_) => None,
        Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) | Action::SetPriority(..) => None,
        Action::DStep(_) | Action::Goto | Action::End => None,
    }
}
