//! The steps of a process: what each edge touches until the process stops again.

use super::footprint::{Footprint, Ground, Position, Who};
use super::objects::Objects;
use super::uses::{byte, insert, insert_byte, meeting};
use spinor_model::model::{Action, Edge, Location, Proctype};
use spinor_model::{LocationId, ProctypeId};
use std::collections::BTreeSet;

/// A step that begins with an edge.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) footprint: Footprint,
    /// Where the process may stand afterwards.
    pub(super) landings: BTreeSet<LocationId>,
}

/// The steps from each location of a process, in the order of its edges.
pub(super) fn steps(ground: &Ground<'_>, who: Who) -> Vec<Vec<Step>> {
    let proctype = ground.model.proctype(who.proctype);
    let raw = |position: Position| {
        let of_statement = |statement: &spinor_model::Statement| {
            let mut footprint = ground.empty();
            ground.action(who, &statement.action, position, &mut footprint);
            footprint
        };
        proctype.statements.iter().map(of_statement).collect::<Vec<_>>()
    };
    let maker = Maker { ground, who, proctype, first: raw(Position::First), inner: raw(Position::Inner) };
    proctype
        .locations
        .iter()
        .enumerate()
        .map(|(at, location)| maker.location(LocationId(at as u16), location))
        .collect()
}

struct Maker<'a> {
    ground: &'a Ground<'a>,
    who: Who,
    proctype: &'a Proctype,
    /// What each statement touches as the first of a step, and later in it.
    first: Vec<Footprint>,
    inner: Vec<Footprint>,
}

impl Maker<'_> {
    fn location(&self, at: LocationId, location: &Location) -> Vec<Step> {
        let mut looks = self.ground.empty();
        for edge in &location.edges {
            looks.join(&self.ground.looked_at(self.first(edge)));
        }
        looks.runs.clear();
        // Whether an escape, or another statement of a deterministic process, can be executed decides
        // about all; otherwise only `else` looks at its siblings.
        let all_look = self.proctype.deterministic || location.edges.iter().any(|edge| edge.escape.is_some());
        let mut steps = Vec::new();
        for edge in &location.edges {
            let mut step = self.step(edge);
            if all_look || self.proctype.statement(edge.statement).action == Action::Else {
                step.footprint.join(&looks);
            }
            self.move_on(at, &mut step);
            steps.push(step);
        }
        steps
    }

    fn first(&self, edge: &Edge) -> &Footprint {
        &self.first[edge.statement.0 as usize]
    }

    /// The statement, and all that an atomic sequence may execute after it. Where a rendezvous takes place
    /// inside, other processes go on: that touches everything.
    fn step(&self, edge: &Edge) -> Step {
        let mut footprint = self.first(edge).clone();
        if let Some(provided) = &self.proctype.provided {
            self.ground.value(self.who, provided, &mut footprint);
        }
        let mut landings: BTreeSet<LocationId> = edge.target.into_iter().collect();
        if edge.atomic && !self.only_offers(edge) {
            let mut waiting: Vec<LocationId> = edge.target.into_iter().collect();
            while let Some(location) = waiting.pop() {
                for next in &self.proctype.location(location).edges {
                    footprint.join(&self.inner[next.statement.0 as usize]);
                    if self.meets(next) {
                        footprint.touch_everything();
                    }
                    let target = next.target.filter(|target| landings.insert(*target));
                    waiting.extend(target.filter(|_| next.atomic));
                }
            }
        }
        Step { footprint, landings }
    }

    /// Whether an edge is a send that is always a rendezvous: there the sender loses control.
    fn only_offers(&self, edge: &Edge) -> bool {
        let Action::Send(send) = &self.proctype.statement(edge.statement).action else { return false };
        let only = self.ground.only_channel(self.who, &send.channel);
        only.is_some_and(|channel| self.ground.is_rendezvous(channel))
    }

    fn meets(&self, edge: &Edge) -> bool {
        let is_meeting = |bits: u8| bits & (meeting::OFFER | meeting::ACCEPT) != 0;
        self.meetings(edge).any(|(_, bits)| is_meeting(bits))
    }

    /// The rendezvous channels that an edge uses.
    fn meetings<'a>(&'a self, edge: &Edge) -> impl Iterator<Item = (u32, u8)> + use<'a> {
        let uses = &self.first(edge).uses;
        let channels = self.ground.objects.channels.iter().enumerate();
        let meeting = channels.filter(|(channel, _)| self.ground.is_rendezvous(*channel));
        meeting.map(|(_, &at)| (at, byte(uses, at)))
    }

    /// Where the process stands changes: others may have waited for that.
    fn move_on(&self, from: LocationId, step: &mut Step) {
        let places: Vec<LocationId> = step.landings.iter().copied().chain([from]).collect();
        for &place in &places {
            for edge in &self.proctype.location(place).edges {
                for (at, bits) in self.meetings(edge) {
                    if bits & (meeting::OFFER | meeting::ACCEPT) != 0 {
                        insert_byte(&mut step.footprint.uses, at, meeting::ARRIVE);
                    }
                }
            }
        }
        let is_exposed = |place: &LocationId| self.ground.exposed.has_location(self.who.proctype, *place);
        let bit = self.who.slot.and_then(|slot| self.ground.objects.location(slot));
        if let Some(bit) = bit.filter(|_| places.iter().any(is_exposed)) {
            insert(&mut step.footprint.uses, Objects::write_bit(bit));
        }
    }
}

/// All that processes of each type can touch that are still to be created, and all that they create.
pub(super) fn births(ground: &Ground<'_>) -> Vec<Footprint> {
    let count = ground.model.proctypes.len();
    let whole = |id: usize| {
        let mut all = ground.empty();
        let proctype = ProctypeId(id as u16);
        if ground.model.proctype(proctype).is_process() {
            let of_all = steps(ground, Who { proctype, slot: None });
            of_all.iter().flatten().for_each(|step| all.join(&step.footprint));
        }
        all
    };
    let mut births: Vec<Footprint> = (0..count).map(whole).collect();
    loop {
        let before = births.clone();
        let mut grown = false;
        for (id, birth) in births.iter_mut().enumerate() {
            for run in &before[id].runs {
                grown |= super::uses::join(&mut birth.uses, &before[usize::from(run.0)].uses);
            }
        }
        if !grown {
            return births;
        }
    }
}
