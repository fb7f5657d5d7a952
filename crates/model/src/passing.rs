//! Whether a step can pass an `accept` label inside of it: a place that it comes to and leaves again.

use crate::model::{Action, Edge, LocationId, Model, Proctype, StatementId};

/// Whether steps can pass `accept` labels, as far as the text shows. An atomic sequence passes those on its way. While
/// one process is inside of such a sequence it can make another come to a place and leave it, by two rendezvous. A trace
/// follows several events of one step.
pub(crate) fn can_pass_labels(model: &Model) -> bool {
    let mut processes = model.proctypes.iter().filter(|it| it.is_process());
    let has_atomic = processes.clone().any(|it| edges(it).any(|edge| edge.atomic));
    let trace = model.trace.as_ref().map(|trace| model.proctype(trace.proctype));
    let is_traced = trace.is_some_and(|it| it.locations.iter().any(|location| location.is_accept));
    is_traced || has_atomic && processes.any(|it| accepting(it).any(|at| is_passed(it, at)))
}

fn edges(proctype: &Proctype) -> impl Iterator<Item = &Edge> {
    proctype.locations.iter().flat_map(|location| &location.edges)
}

fn accepting(proctype: &Proctype) -> impl Iterator<Item = LocationId> {
    let locations = proctype.locations.iter().enumerate();
    locations.filter(|(_, location)| location.is_accept).map(|(index, _)| LocationId(index as u16))
}

fn is_passed(proctype: &Proctype, at: LocationId) -> bool {
    let receives = proctype.location(at).edges.iter().any(|edge| takes_part(proctype, edge.statement));
    let mut arriving = edges(proctype).filter(|edge| edge.target == Some(at));
    let comes = |edge: &Edge| edge.atomic || receives && takes_part(proctype, edge.statement);
    receives && proctype.start == at || arriving.any(comes)
}

/// Whether a statement can be half of a rendezvous.
fn takes_part(proctype: &Proctype, statement: StatementId) -> bool {
    match &proctype.statement(statement).action {
        Action::Send(_) | Action::Receive(_) => true,
        Action::DStep(d_step) => d_step.nodes[0].edges.iter().any(|(first, _)| takes_part(proctype, *first)),
        Action::Condition(_) | Action::Else | Action::Assign(..) | Action::Input(_) | Action::Assert(_) => false,
        Action::Print(..) | Action::PrintMtype(..) | Action::SetPriority(..) | Action::Goto | Action::End => false,
    }
}
