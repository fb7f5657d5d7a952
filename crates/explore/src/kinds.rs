//! What kind of transition each edge is, as paper 002 (section 5) tells them apart for caches.

use spinor_model::model::{Action, Model, Proctype};
use spinor_model::{LocationId, ProctypeId};
use spinor_store::Kind;
use std::collections::HashMap;

/// The kind of each edge, by proctype and location. An atomic sequence is what it begins with.
#[derive(Debug)]
pub(crate) struct Kinds(Vec<Vec<Vec<Kind>>>);

impl Kinds {
    pub(crate) fn new(model: &Model) -> Kinds {
        Kinds(model.proctypes.iter().map(of_proctype).collect())
    }

    /// The kind of an edge.
    pub(crate) fn of(&self, proctype: ProctypeId, location: LocationId, edge: u32) -> Kind {
        let edges = self.0.get(usize::from(proctype.0)).and_then(|it| it.get(usize::from(location.0)));
        edges.and_then(|it| it.get(edge as usize)).copied().unwrap_or(Kind::Other)
    }
}

/// What leads to where several paths meet is a branch.
fn of_proctype(proctype: &Proctype) -> Vec<Vec<Kind>> {
    let mut entrances = HashMap::new();
    let edges = proctype.locations.iter().flat_map(|location| &location.edges);
    edges.for_each(|edge| *entrances.entry(edge.target).or_insert(0) += 1);
    let kind = |edge: &spinor_model::Edge| match proctype.statement(edge.statement).action {
        _ if entrances[&edge.target] > 1 => Kind::Branch,
        Action::Receive(_) => Kind::Receive,
        Action::Send(_) => Kind::Send,
        Action::Assign(..) => Kind::Assignment,
        Action::Condition(_) | Action::Else | Action::Input(_) | Action::Assert(_) | Action::Print(..) => Kind::Other,
        Action::PrintMtype(..) | Action::SetPriority(..) | Action::DStep(_) | Action::Goto | Action::End => Kind::Other,
    };
    proctype.locations.iter().map(|location| location.edges.iter().map(kind).collect()).collect()
}
