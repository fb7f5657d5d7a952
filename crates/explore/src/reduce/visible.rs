//! What a reduced search must preserve.

use super::footprint::Ground;
use super::objects::Objects;
use super::uses::{CREATE, DESTROY, Uses, buffer, insert, insert_byte, none};
use spinor_exec::Place;
use spinor_model::access::{ChannelVariable, Object};
use spinor_model::{Base, ProctypeId};
use std::collections::BTreeSet;

/// What a reduced search must preserve. The proviso belongs to the search; what is said here is what the
/// chosen sets must satisfy beyond being persistent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Preserve {
    /// Deadlocks. Persistent sets alone keep them (Godefroid 1996, chapter 4); no proviso.
    #[default]
    Deadlock,
    /// Also assertions and faults. If a process outside of the set may yet fail an assertion or be at fault:
    /// the weak proviso, of each chosen set some successor is not on the stack. Otherwise every execution that
    /// shows something wrong has a step of the set, and is one step shorter after it.
    Assertions,
    /// Also the local states of processes, and executed statements. The weak proviso, always.
    Statements,
    /// Also all joint values of these objects. The weak proviso, and: if a step of the set can change one
    /// of them, then no process outside of the set ever will (the rule V of Valmari: without it the
    /// order of two such steps is lost).
    Invariants(BTreeSet<Object>),
    /// Also formulas of linear time without "next" over these objects. The strong proviso: no successor of
    /// a chosen set is on the stack; and no step of the set can change one of them (condition C2 of Peled).
    Ltl(BTreeSet<Object>),
}

impl Preserve {
    /// The objects that a property is about.
    #[must_use]
    pub fn objects(&self) -> BTreeSet<Object> {
        match self {
            Preserve::Deadlock | Preserve::Assertions | Preserve::Statements => BTreeSet::new(),
            Preserve::Invariants(objects) | Preserve::Ltl(objects) => objects.clone(),
        }
    }
}

/// The uses that can change an object of the property.
pub(super) fn uses(ground: &Ground<'_>, preserve: &Preserve) -> Uses {
    let mut uses = none(ground.objects.words);
    for object in preserve.objects() {
        add(ground, object, &mut uses);
    }
    uses
}

fn add(ground: &Ground<'_>, object: Object, uses: &mut Uses) {
    let bits = match object {
        Object::Global(variable) => ground.objects.of_variable(ground.ranges, Base::Global, variable),
        Object::Hidden(variable) => ground.objects.of_variable(ground.ranges, Base::Hidden, variable),
        Object::Remote(owner, variable) => ground.objects.of_local(ground.ranges, ground.shape, owner, variable),
        Object::Label(label) => locations(ground, ground.model.labels[label.0 as usize].proctype),
        Object::Location(owner, _) => locations(ground, owner),
        Object::Channel(variable) => return contents(ground, variable, uses),
        Object::Processes => {
            insert(uses, CREATE);
            insert(uses, DESTROY);
            return;
        }
        // A variable of the claim itself.
        Object::Local(_) => return,
        Object::Locations | Object::Last | Object::Priorities | Object::Enabledness => return uses.fill(u64::MAX),
    };
    bits.into_iter().for_each(|bit| insert(uses, Objects::write_bit(bit)));
}

/// Where processes of a type stand, as far as somebody looks.
fn locations(ground: &Ground<'_>, owner: ProctypeId) -> Vec<u32> {
    let slots = ground.shape.processes.iter().enumerate().filter(|(_, it)| it.proctype == owner);
    slots.filter_map(|(slot, _)| ground.objects.location(slot)).collect()
}

/// The contents of the channels that a variable may hold.
fn contents(ground: &Ground<'_>, variable: ChannelVariable, uses: &mut Uses) {
    let mut meant: Vec<usize> = (0..ground.shape.channels.len()).collect();
    let global = match variable {
        ChannelVariable::Global(variable) => Some(variable),
        ChannelVariable::Hidden(_) | ChannelVariable::Local(_) => None,
    };
    if let Some(variable) = global {
        let leaves = ground.ranges.globals.iter().zip(&ground.shape.globals);
        let of_it = leaves.filter(|(leaf, _)| leaf.variable == variable);
        let known: Option<Vec<i32>> =
            of_it.map(|(_, place)| values(place)).collect::<Option<Vec<_>>>().map(|it| it.concat());
        if let Some(known) = known {
            meant.retain(|channel| known.contains(&(*channel as i32 + 1)));
        }
    }
    for channel in meant.into_iter().filter(|channel| !ground.is_rendezvous(*channel)) {
        let change = buffer::SEND | buffer::RECEIVE | buffer::CHANGE;
        insert_byte(uses, ground.objects.channels[channel], change);
    }
}

fn values(place: &Place) -> Option<Vec<i32>> {
    match place {
        Place::Known(values) => Some(values.clone()),
        Place::Stored { .. } => None,
    }
}
