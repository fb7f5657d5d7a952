//! The steps of a process: what each edge touches until the process stops again.

use super::effects::Effects;
use super::footprint::{Footprint, Ground, Position, Who};
use super::guard::guard_of;
use super::objects::Objects;
use super::uses::{Uses, byte, insert, insert_byte, join, meeting};
use spinor_model::access::{uses_of, uses_of_action};
use spinor_model::model::{Action, Edge, Location, Proctype};
use spinor_model::{Access, Expr, LocationId, ProctypeId, StatementId};
use std::collections::BTreeSet;

/// A step that begins with an edge.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) footprint: Footprint,
    /// The same without what only decides whether it can be executed, if an expression decides, and without what
    /// updates read.
    pub(super) beyond: Footprint,
    pub(super) effects: Effects,
    /// Where the process may stand afterwards.
    pub(super) landings: BTreeSet<LocationId>,
}

/// Makes the steps of a process.
pub(super) struct Maker<'a> {
    ground: &'a Ground<'a>,
    pub(super) who: Who,
    proctype: &'a Proctype,
    /// What each statement touches as the first of a step, and later in it.
    first: Vec<Footprint>,
    inner: Vec<Footprint>,
    effects: Vec<Effects>,
}

/// What the first statement of a step touches.
struct Opening {
    /// To decide whether it can be executed, if an expression decides.
    guard: Footprint,
    rest: Footprint,
}

impl<'a> Maker<'a> {
    pub(super) fn new(ground: &'a Ground<'a>, who: Who) -> Maker<'a> {
        let proctype = ground.model.proctype(who.proctype);
        let raw = |position: Position| {
            let of_statement = |statement: &spinor_model::Statement| {
                let mut footprint = ground.empty();
                ground.action(who, &statement.action, position, &mut footprint);
                footprint
            };
            proctype.statements.iter().map(of_statement).collect::<Vec<_>>()
        };
        let effects = proctype.statements.iter().map(|statement| Effects::of(ground, who, &statement.action));
        let (first, inner, effects) = (raw(Position::First), raw(Position::Inner), effects.collect());
        Maker { ground, who, proctype, first, inner, effects }
    }

    /// The step that begins with an edge, also for one value of an index in its first statement. `peers` are all
    /// processes with which a rendezvous may take place.
    pub(super) fn step(&self, peers: &[Maker<'_>], at: LocationId, edge: usize, given: Option<(&Expr, i32)>) -> Step {
        let location = self.proctype.location(at);
        let edge = &location.edges[edge];
        let Opening { guard, rest } = self.opening(edge, given);
        let mut step = self.follow(peers, edge, rest);
        step.footprint.join(&guard);
        // Whether an escape, or another statement of a deterministic process, can be executed decides
        // about all; otherwise only `else` looks at its siblings.
        let all_look = self.proctype.deterministic || location.edges.iter().any(|edge| edge.escape.is_some());
        if all_look || self.proctype.statement(edge.statement).action.is_else() {
            self.look_around(location, given, &mut step.footprint);
        }
        self.move_on(at, &mut step);
        step
    }

    fn look_around(&self, location: &Location, given: Option<(&Expr, i32)>, out: &mut Footprint) {
        for edge in &location.edges {
            let Opening { mut guard, rest } = self.opening(edge, given);
            guard.join(&rest);
            let mut looks = self.ground.looked_at(&guard);
            looks.runs.clear();
            out.join(&looks);
        }
    }

    fn opening(&self, edge: &Edge, given: Option<(&Expr, i32)>) -> Opening {
        let Maker { ground, who, proctype, .. } = *self;
        let action = &proctype.statement(edge.statement).action;
        let narrow = Ground { given, ..*ground };
        let is_stable = given.is_none_or(|(index, _)| !changes(proctype, action, index));
        let wide = if is_stable { &narrow } else { ground };
        let (mut guard, mut rest) = (ground.empty(), ground.empty());
        match (guard_of(proctype, action), action.d_step()) {
            (Some(_), Some(d_step)) => {
                for (number, (id, _)) in d_step.nodes.iter().flat_map(|node| &node.edges).enumerate() {
                    let inside = &proctype.statement(*id).action;
                    match number {
                        0 => narrow.action(who, inside, Position::Inner, &mut guard),
                        _ => wide.action(who, inside, Position::Inner, &mut rest),
                    }
                }
            }
            (Some(_), None) => narrow.action(who, action, Position::First, &mut guard),
            (None, _) => wide.action(who, action, Position::First, &mut rest),
        }
        Opening { guard, rest }
    }

    fn first(&self, edge: &Edge) -> &Footprint {
        &self.first[edge.statement.0 as usize]
    }

    /// What follows the opening: all that the step may execute after it, also where it goes on with who accepts a
    /// rendezvous inside.
    fn follow(&self, peers: &[Maker<'_>], edge: &Edge, mut footprint: Footprint) -> Step {
        if let Some(provided) = &self.proctype.provided {
            self.ground.value(self.who, provided, &mut footprint);
        }
        let effects = self.effects[edge.statement.0 as usize].clone();
        let mut train = Train { peers, footprint, effects, seen: BTreeSet::new() };
        let mut landings: BTreeSet<LocationId> = edge.target.into_iter().collect();
        if self.goes_on(edge) && !self.only_offers(edge) {
            train.run(self, edge, &mut landings);
        }
        let Train { mut footprint, effects, .. } = train;
        let beyond = footprint.clone();
        join(&mut footprint.uses, &beyond.own);
        Step { beyond, footprint, effects, landings }
    }

    /// Whether the step goes on after an edge: inside an atomic sequence, or where a location is passed.
    fn goes_on(&self, edge: &Edge) -> bool {
        let merge = self.ground.shapes.merge();
        let passes = |target: LocationId| merge.is_some_and(|merge| merge.passes(self.who.proctype, target));
        edge.atomic || edge.target.is_some_and(passes)
    }

    /// Whether an edge is a send that is always a rendezvous: there the sender loses control.
    fn only_offers(&self, edge: &Edge) -> bool {
        let send = self.proctype.statement(edge.statement).action.send();
        send.is_some_and(|send| self.only_meets(&send.channel))
    }

    /// Whether an edge is a receive that is always a rendezvous: it waits for a sender, whose step it then is.
    fn only_accepts(&self, edge: &Edge) -> bool {
        let receive = self.proctype.statement(edge.statement).action.receive();
        receive.is_some_and(|receive| self.only_meets(&receive.channel))
    }

    fn only_meets(&self, channel: &Access) -> bool {
        self.ground.only_channel(self.who, channel).is_some_and(|channel| self.ground.is_rendezvous(channel))
    }

    /// The rendezvous channels that an edge uses.
    fn meetings<'s>(&'s self, edge: &Edge) -> impl Iterator<Item = (u32, u8)> + use<'s, 'a> {
        let uses = &self.first(edge).uses;
        let channels = self.ground.objects.channels.iter().enumerate();
        let meeting = channels.filter(|(channel, _)| self.ground.is_rendezvous(*channel));
        meeting.map(|(_, &at)| (at, byte(uses, at)))
    }

    /// Where the process stands changes: others may have waited for that.
    fn move_on(&self, from: LocationId, step: &mut Step) {
        let places: Vec<LocationId> = step.landings.iter().copied().chain([from]).collect();
        for uses in [&mut step.footprint.uses, &mut step.beyond.uses] {
            self.mark_places(&places, uses);
        }
    }

    fn mark_places(&self, places: &[LocationId], uses: &mut Uses) {
        for &place in places {
            for edge in &self.proctype.location(place).edges {
                for (at, bits) in self.meetings(edge) {
                    if bits & (meeting::OFFER | meeting::ACCEPT) != 0 {
                        insert_byte(uses, at, meeting::ARRIVE);
                    }
                }
            }
        }
        let is_exposed = |place: &LocationId| self.ground.exposed.has_location(self.who.proctype, *place);
        let bit = self.who.slot.and_then(|slot| self.ground.objects.location(slot));
        if let Some(bit) = bit.filter(|_| places.iter().any(is_exposed)) {
            insert(uses, Objects::write_bit(bit));
        }
    }
}

/// A step on its way through an atomic sequence and locations that are passed, from process to process.
struct Train<'p, 'm> {
    /// Nobody if they are not known.
    peers: &'p [Maker<'m>],
    footprint: Footprint,
    effects: Effects,
    /// Who accepted where, by which edge.
    seen: BTreeSet<(Option<usize>, LocationId, usize)>,
}

impl Train<'_, '_> {
    /// Goes on with a process after one of its edges.
    fn run(&mut self, maker: &Maker<'_>, edge: &Edge, landings: &mut BTreeSet<LocationId>) {
        let mut waiting: Vec<LocationId> = edge.target.into_iter().collect();
        while let Some(location) = waiting.pop() {
            for next in &maker.proctype.location(location).edges {
                if maker.only_accepts(next) {
                    continue;
                }
                let offers = maker.meetings(next).filter(|(_, bits)| bits & meeting::OFFER != 0);
                let offers: Vec<u32> = offers.map(|(at, _)| at).collect();
                self.pass(maker, next);
                offers.into_iter().for_each(|channel| self.offer(maker, channel));
                let target = next.target.filter(|target| landings.insert(*target));
                waiting.extend(target.filter(|_| maker.goes_on(next) && !maker.only_offers(next)));
            }
        }
    }

    fn pass(&mut self, maker: &Maker<'_>, edge: &Edge) {
        self.footprint.join(&maker.inner[edge.statement.0 as usize]);
        self.effects.join(&maker.effects[edge.statement.0 as usize]);
    }

    /// Whoever stands ready goes on; that nobody does matters as well.
    fn offer(&mut self, sender: &Maker<'_>, channel: u32) {
        insert_byte(&mut self.footprint.uses, channel, meeting::WATCH);
        if self.peers.is_empty() {
            self.footprint.touch_everything();
        }
        for peer in self.peers.iter().filter(|peer| peer.who.slot != sender.who.slot) {
            for (at, location) in peer.proctype.locations.iter().enumerate() {
                for (index, edge) in location.edges.iter().enumerate() {
                    let mut meetings = peer.meetings(edge);
                    if meetings.any(|(at, bits)| at == channel && bits & meeting::ACCEPT != 0) {
                        self.accept(peer, LocationId(at as u16), index);
                    }
                }
            }
        }
    }

    fn accept(&mut self, receiver: &Maker<'_>, at: LocationId, index: usize) {
        if !self.seen.insert((receiver.who.slot, at, index)) {
            return;
        }
        let edge = &receiver.proctype.location(at).edges[index];
        self.pass(receiver, edge);
        if let Some(provided) = &receiver.proctype.provided {
            receiver.ground.value(receiver.who, provided, &mut self.footprint);
        }
        let mut landings: BTreeSet<LocationId> = edge.target.into_iter().collect();
        if receiver.goes_on(edge) {
            self.run(receiver, edge, &mut landings);
        }
        landings.insert(at);
        let places: Vec<LocationId> = landings.into_iter().collect();
        receiver.mark_places(&places, &mut self.footprint.uses);
    }
}

/// All statements that a step which begins with an edge may execute in its own process.
pub(super) fn chain(proctype: &Proctype, edge: &Edge) -> Vec<StatementId> {
    let mut seen = BTreeSet::new();
    let mut statements = vec![edge.statement];
    let mut waiting: Vec<LocationId> = edge.target.filter(|_| edge.atomic).into_iter().collect();
    while let Some(at) = waiting.pop() {
        if !seen.insert(at) {
            continue;
        }
        for next in &proctype.location(at).edges {
            statements.push(next.statement);
            waiting.extend(next.target.filter(|_| next.atomic));
        }
    }
    statements
}

/// Whether an action writes a variable that an index of the process reads.
fn changes(proctype: &Proctype, action: &Action, index: &Expr) -> bool {
    let mut found = false;
    uses_of_action(proctype, action, &mut |it| {
        let Some(written) = it.written() else { return };
        let is_it = |read: &Access| read.base == written.base && read.variable == written.variable;
        uses_of(index, &mut |it| found |= it.read().is_some_and(is_it));
    });
    found
}

/// All that processes of each type can touch that are still to be created, and all that they create.
pub(super) fn births(ground: &Ground<'_>) -> Vec<Footprint> {
    let count = ground.model.proctypes.len();
    let whole = |id: usize| {
        let mut all = ground.empty();
        let proctype = ProctypeId(id as u16);
        if ground.model.proctype(proctype).is_process() {
            let maker = Maker::new(ground, Who { proctype, slot: None });
            for (at, location) in maker.proctype.locations.iter().enumerate() {
                let steps = (0..location.edges.len()).map(|edge| maker.step(&[], LocationId(at as u16), edge, None));
                steps.for_each(|step| all.join(&step.footprint));
            }
        }
        all
    };
    let mut births: Vec<Footprint> = (0..count).map(whole).collect();
    loop {
        let before = births.clone();
        let mut grown = false;
        for (id, birth) in births.iter_mut().enumerate() {
            for run in &before[id].runs {
                grown |= join(&mut birth.uses, &before[usize::from(run.0)].uses);
            }
        }
        if !grown {
            return births;
        }
    }
}
