//! Whether the promises of `xr` and `xs` are kept. No reduction relies on them.

use super::footprint::{Ground, Who};
use super::objects::{Exposed, Objects};
use spinor_exec::{Shape, Shapes};
use spinor_model::access::{ChannelUse, uses_of_action};
use spinor_model::model::{Action, Exclusive};
use spinor_model::{Access, ProctypeId, StatementId};
use std::collections::{BTreeMap, BTreeSet};

/// A promise that somebody does not keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Breach {
    /// Whose promise.
    pub proctype: ProctypeId,
    /// Which of its promises.
    pub promise: usize,
    /// Who uses the channel as well.
    pub by: ProctypeId,
    /// Where.
    pub statement: StatementId,
}

/// All statements that use a channel which another process promised to use alone, in some state of a shape that was
/// met; and whether they do so whenever they are executed there, as far as can be seen. To look at a channel is
/// not to receive from it.
#[must_use]
pub fn breaches(shapes: &Shapes<'_>) -> BTreeMap<Breach, bool> {
    let model = shapes.model();
    let mut found = BTreeMap::new();
    if model.proctypes.iter().all(|proctype| proctype.exclusive.is_empty()) {
        return found;
    }
    let exposed = Exposed::new(model, &BTreeSet::new());
    for shape in shapes.met() {
        let objects = Objects::new(model, shapes.ranges(), &shape, &exposed);
        let ranges = shapes.ranges();
        let ground = Ground { model, ranges, shapes, shape: &shape, objects: &objects, exposed: &exposed, given: None };
        for (slot, process) in shape.processes.iter().enumerate() {
            let who = Who { proctype: process.proctype, slot: Some(slot) };
            for (index, promise) in model.proctype(who.proctype).exclusive.iter().enumerate() {
                of_promise(&ground, &shape, (who, index, promise), &mut found);
            }
        }
    }
    found
}

fn of_promise(
    ground: &Ground<'_>,
    shape: &Shape,
    (who, index, promise): (Who, usize, &Exclusive),
    found: &mut BTreeMap<Breach, bool>,
) {
    let others = shape.processes.iter().enumerate().filter(|(slot, _)| who.slot != Some(*slot));
    for (slot, process) in others {
        let other = Who { proctype: process.proctype, slot: Some(slot) };
        let proctype = ground.model.proctype(other.proctype);
        for (id, statement) in proctype.statements.iter().enumerate() {
            let channels = used(proctype, &statement.action, promise.send);
            let mine = ground.channels(who, &promise.channel);
            for theirs in channels.into_iter().map(|access| ground.channels(other, access)) {
                if !theirs.known.iter().any(|channel| mine.known.contains(channel)) {
                    continue;
                }
                let is_sure = theirs.known.len() == 1 && mine.known.len() == 1 && !theirs.missing && !mine.missing;
                let (by, statement) = (other.proctype, StatementId(id as u32));
                let breach = Breach { proctype: who.proctype, promise: index, by, statement };
                *found.entry(breach).or_default() |= is_sure;
            }
        }
    }
}

/// The channels to which an action sends, or from which it receives.
fn used<'m>(proctype: &'m spinor_model::Proctype, action: &'m Action, is_send: bool) -> Vec<&'m Access> {
    let mut channels = Vec::new();
    uses_of_action(proctype, action, &mut |it| {
        let is_used = |kind: ChannelUse| if is_send { kind.sends() } else { kind.receives() };
        channels.extend(it.channel().filter(|(kind, _)| is_used(*kind)).map(|(_, access)| access));
    });
    channels
}
