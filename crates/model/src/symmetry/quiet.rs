//! What a process may still do from a location.

use crate::model::{Action, LocationId, Model, Proctype, ProctypeId, StatementId};
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
    if let Action::DStep(d_step) = &proctype.statement(id).action {
        all.extend(d_step.nodes.iter().flat_map(|node| &node.edges).map(|edge| edge.0));
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
