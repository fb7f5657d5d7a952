//! What a reduced search must keep of the full graph, up to renaming: states in which nobody can move, local states of
//! processes, and joint values of global variables and channels.

use super::State;
use spinor_exec::{Ended, Packed, Place, Semantics as _, Shape, Shapes, Successors};
use spinor_explore::reduce::sound::Property;
use spinor_explore::symmetry::Quotient;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// What is seen in some states and in all states that are the same up to renaming.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Representatives of states in which nobody can move.
    stuck: BTreeSet<State>,
    /// Who, and its type, location and variables.
    locals: BTreeSet<(usize, Vec<i32>)>,
    shared: BTreeSet<Vec<i32>>,
}

impl Facts {
    /// The facts of some states; representatives are those of `naive`.
    pub(super) fn new<'m>(
        states: impl IntoIterator<Item = State>,
        shapes: &Arc<Shapes<'m>>,
        naive: &mut Quotient<'m, Packed<'m>>,
    ) -> Facts {
        let mut engine = Packed::with(shapes.clone());
        let mut out = Successors::default();
        let mut facts = Facts::default();
        let represent = |mut state: State| {
            naive.represent_alone(&mut state);
            state
        };
        let representatives: HashSet<State> = states.into_iter().map(represent).collect();
        for state in representatives {
            out.clear();
            let is_stuck = engine.expand(&state, &mut out).ended == Ended::Stuck;
            for image in orbit(naive, &state) {
                let shape = shapes.get(Shape::id_of(image[0]));
                facts.locals.extend((0..shape.processes.len()).map(|pid| (pid, local(&shape, pid, &image))));
                facts.shared.insert(shared(&shape, &image));
            }
            if is_stuck {
                facts.stuck.insert(state);
            }
        }
        facts
    }

    /// What of these facts a search that must preserve something has lost, or made up.
    pub(super) fn compare(&self, found: &Facts, kept: Property) -> Result<(), String> {
        same("states in which nobody can move", &self.stuck, &found.stuck)?;
        if kept >= Property::Statements {
            same("local states", &self.locals, &found.locals)?;
        }
        if kept >= Property::Invariants {
            same("joint values", &self.shared, &found.shared)?;
        }
        Ok(())
    }
}

fn same<T: Ord + std::fmt::Debug>(what: &str, all: &BTreeSet<T>, found: &BTreeSet<T>) -> Result<(), String> {
    match (all.difference(found).next(), found.difference(all).next()) {
        (None, None) => Ok(()),
        (lost, extra) => Err(format!("{what}: {} of {}, lost {lost:?}, not there {extra:?}", found.len(), all.len())),
    }
}

/// All that a state stands for.
fn orbit<'m>(quotient: &mut Quotient<'m, Packed<'m>>, state: &State) -> Vec<State> {
    let mut orbit = vec![state.clone()];
    let mut at = 0;
    while at < orbit.len() {
        let images = quotient.images(&orbit[at]);
        for image in images {
            if !orbit.contains(&image) {
                orbit.push(image);
            }
        }
        at += 1;
    }
    orbit
}

fn values(place: &Place, state: &[u64], out: &mut Vec<i32>) {
    match place {
        Place::Known(values) => out.extend(values),
        Place::Stored { coding, series } => {
            out.extend((0..series.length).map(|element| coding.value(series.element(element).get(state))));
        }
    }
}

fn local(shape: &Shape, pid: usize, state: &[u64]) -> Vec<i32> {
    let process = &shape.processes[pid];
    let mut local = vec![i32::from(process.proctype.0), process.location.get(state) as i32];
    process.leaves.iter().for_each(|place| values(place, state, &mut local));
    local
}

fn shared(shape: &Shape, state: &[u64]) -> Vec<i32> {
    let mut shared = Vec::new();
    shape.globals.iter().for_each(|place| values(place, state, &mut shared));
    for channel in &shape.channels {
        let length = channel.length.get(state) as u32;
        shared.push(length as i32);
        for lane in &channel.lanes {
            for place in 0..length {
                let part = lane.series.element(place);
                let held = |field: &spinor_exec::LaneField| {
                    let shift = part.shift + field.shift;
                    let bits = spinor_exec::Bits { shift, width: field.width, ..part };
                    field.coding.value(bits.get(state))
                };
                shared.extend(lane.fields.iter().map(held));
            }
        }
    }
    shared
}
