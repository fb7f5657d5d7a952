//! What a step can touch.

use super::effects::Update;
use super::objects::{Exposed, Objects};
use super::uses::{COUNT, CREATE, DESTROY, Uses, buffer, byte, insert, insert_byte, join, meeting, none};
use spinor_exec::{Place, Shape, Shapes};
use spinor_model::access::{ChannelUse, Use, uses_of, uses_of_action};
use spinor_model::expr::ChannelTest;
use spinor_model::model::{Action, Model};
use spinor_model::ranges::Ranges;
use spinor_model::{Access, Base, Expr, ProctypeId};

/// For what footprints are made.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) model: &'a Model,
    pub(super) ranges: &'a Ranges,
    pub(super) shapes: &'a Shapes<'a>,
    pub(super) shape: &'a Shape,
    pub(super) objects: &'a Objects,
    pub(super) exposed: &'a Exposed,
    /// An index of an array that has a value, as it has in a state for as long as its process waits.
    pub(super) given: Option<(&'a Expr, i32)>,
}

/// In whose name a statement is executed: a process of the shape, or one that is still to be created, of
/// which only the type is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Who {
    pub(super) proctype: ProctypeId,
    pub(super) slot: Option<usize>,
}

/// How far a use decides about the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// It belongs to the first statement: the rules for both being executable hold.
    First,
    /// It may come later in the step, or only its value is asked for: the rules do not hold.
    Inner,
}

/// The channels that a variable may mean.
pub(super) struct Channels {
    pub(super) known: Vec<usize>,
    /// It may be one that does not exist, or not yet.
    pub(super) missing: bool,
}

/// What a step touches, and which processes it creates.
#[derive(Clone, Debug)]
pub(super) struct Footprint {
    pub(super) uses: Uses,
    /// Numbers that are read only to give them their next value: [`Update`].
    pub(super) own: Uses,
    pub(super) runs: Vec<ProctypeId>,
}

impl Footprint {
    pub(super) fn new(words: usize) -> Footprint {
        Footprint { uses: none(words), own: none(words), runs: Vec::new() }
    }

    pub(super) fn join(&mut self, other: &Footprint) {
        join(&mut self.uses, &other.uses);
        join(&mut self.own, &other.own);
        self.runs.extend(&other.runs);
    }

    /// It touches everything that there is.
    pub(super) fn touch_everything(&mut self) {
        self.uses.fill(u64::MAX);
    }
}

impl Ground<'_> {
    pub(super) fn empty(&self) -> Footprint {
        Footprint::new(self.objects.words)
    }

    /// Adds what a statement touches.
    pub(super) fn action(&self, who: Who, action: &Action, position: Position, out: &mut Footprint) {
        let proctype = self.model.proctype(who.proctype);
        let is_update = |(target, value)| Update::of(self, who, target, value).is_some();
        // What is inside of a `d_step` is executed together.
        if let Some(d_step) = action.d_step() {
            for (statement, _) in d_step.nodes.iter().flat_map(|node| &node.edges) {
                self.action(who, &proctype.statement(*statement).action, Position::Inner, out);
            }
        } else if let Some((target, _)) = action.assignment().filter(|it| is_update(*it)) {
            let element = self.element(who, target);
            target.indexes.iter().for_each(|index| self.value(who, &index.value, out));
            self.variable(who, target, element, Objects::write_bit, &mut out.uses);
            self.variable(who, target, element, Objects::read_bit, &mut out.own);
        } else {
            uses_of_action(proctype, action, &mut |it| self.add(who, it, position, out));
        }
    }

    /// Adds what an expression reads.
    pub(super) fn value(&self, who: Who, value: &Expr, out: &mut Footprint) {
        uses_of(value, &mut |it| self.add(who, it, Position::Inner, out));
    }

    fn add(&self, who: Who, it: Use<'_>, position: Position, out: &mut Footprint) {
        match it {
            Use::Read(access) => {
                self.variable(who, access, self.element(who, access), Objects::read_bit, &mut out.uses)
            }
            Use::Write(access) => {
                self.variable(who, access, self.element(who, access), Objects::write_bit, &mut out.uses)
            }
            Use::Channel(kind, access) => self.channel(who, kind, access, position, out),
            Use::Remote(owner, pid, access) => {
                insert(&mut out.uses, COUNT);
                // The indexes are those of the reader.
                let element = self.shapes.element(owner, access, Expr::constant);
                for slot in self.processes(owner, pid) {
                    let owner = Who { proctype: owner, slot: Some(slot) };
                    self.variable(owner, access, element, Objects::read_bit, &mut out.uses);
                }
            }
            Use::Label(label, pid) => {
                insert(&mut out.uses, COUNT);
                let owner = self.model.labels[label.0 as usize].proctype;
                let bits = self.processes(owner, pid).filter_map(|slot| self.objects.location(slot));
                bits.for_each(|bit| insert(&mut out.uses, Objects::read_bit(bit)));
            }
            Use::Create(proctype) => self.create(proctype, out),
            Use::End => self.end(who, out),
            Use::Count => insert(&mut out.uses, COUNT),
            // Siblings are looked at where the location is known; models with the others are not reduced.
            Use::Siblings | Use::Locations | Use::Last => {}
            Use::Priority | Use::SetPriority | Use::Enabledness => {}
        }
    }

    /// Which element of its leaf an access of a process means, if that is known.
    pub(super) fn element(&self, who: Who, access: &Access) -> Option<usize> {
        let slot = who.slot?;
        self.shapes.element(who.proctype, access, |index| match self.given {
            Some((given, value)) if given == index => Some(value),
            _ => self.shapes.constant(self.shape, slot, index),
        })
    }

    fn variable(&self, who: Who, access: &Access, element: Option<usize>, bit: fn(u32) -> u32, out: &mut [u64]) {
        let bits = self.objects.of_access(self.ranges, (who.proctype, who.slot), access, element);
        bits.into_iter().for_each(|it| insert(out, bit(it)));
    }

    /// The processes that a remote reference may mean.
    fn processes(&self, owner: ProctypeId, pid: Option<&Expr>) -> impl Iterator<Item = usize> {
        let only = pid.and_then(Expr::constant);
        let slots = self.shape.processes.iter().enumerate();
        let is_meant = move |slot: usize| only.is_none_or(|only| only == slot as i32);
        slots.filter(move |(slot, it)| it.proctype == owner && is_meant(*slot)).map(|(slot, _)| slot)
    }

    /// A new process evaluates its initial values at once, and stands at its first location.
    fn create(&self, proctype: ProctypeId, out: &mut Footprint) {
        insert(&mut out.uses, CREATE);
        out.runs.push(proctype);
        let who = Who { proctype, slot: None };
        self.arrive_at_start(who, out);
        for initial in &self.model.proctype(proctype).locals_init {
            if let Some((_, value)) = initial.value() {
                self.value(who, value, out);
            }
        }
    }

    /// Others may be waiting for a rendezvous with a process that stands where a new one begins.
    fn arrive_at_start(&self, who: Who, out: &mut Footprint) {
        let proctype = self.model.proctype(who.proctype);
        for edge in &proctype.location(proctype.start).edges {
            uses_of_action(proctype, &proctype.statement(edge.statement).action, &mut |it| {
                let Some((kind, access)) = it.channel() else { return };
                let channels = self.channels(who, access).known.into_iter();
                if meeting_use(kind) & (meeting::OFFER | meeting::ACCEPT) != 0 {
                    let meetings = channels.filter(|channel| self.is_rendezvous(*channel));
                    meetings.for_each(|it| insert_byte(&mut out.uses, self.objects.channels[it], meeting::ARRIVE));
                }
            });
        }
    }

    /// A process takes its channels with it.
    fn end(&self, who: Who, out: &mut Footprint) {
        insert(&mut out.uses, DESTROY);
        for (channel, owner) in self.objects.owners.iter().enumerate() {
            if owner.is_some() && *owner == who.slot {
                let change = if self.is_rendezvous(channel) { meeting_change() } else { buffer::CHANGE };
                insert_byte(&mut out.uses, self.objects.channels[channel], change);
            }
        }
    }

    fn channel(&self, who: Who, kind: ChannelUse, access: &Access, position: Position, out: &mut Footprint) {
        let channels = self.channels(who, access);
        if channels.missing {
            insert(&mut out.uses, COUNT);
        }
        for channel in channels.known {
            let bits = match self.is_rendezvous(channel) {
                true => meeting_use(kind),
                false => buffer_use(kind, position),
            };
            insert_byte(&mut out.uses, self.objects.channels[channel], bits);
        }
    }

    pub(super) fn is_rendezvous(&self, channel: usize) -> bool {
        self.model.channel_types[self.shape.channels[channel].kind].capacity == 0
    }

    /// The only channel that an access of a process of the shape can mean.
    pub(super) fn only_channel(&self, who: Who, access: &Access) -> Option<usize> {
        let channels = self.channels(who, access);
        match channels.known[..] {
            [only] if !channels.missing => Some(only),
            _ => None,
        }
    }

    /// Whether an access of a process can mean a channel.
    pub(super) fn may_mean(&self, who: Who, access: &Access, channel: usize) -> bool {
        self.channels(who, access).known.contains(&channel)
    }

    /// The channels that an access of a process can mean.
    pub(super) fn channels(&self, who: Who, access: &Access) -> Channels {
        if let Some(values) = self.known_values(who, access) {
            let exists = |id: &i32| *id >= 1 && *id as usize <= self.shape.channels.len();
            let missing = values.iter().any(|id| *id as usize > self.shape.channels.len());
            let mut known: Vec<usize> = values.iter().filter(|id| exists(id)).map(|id| *id as usize - 1).collect();
            known.sort_unstable();
            known.dedup();
            return Channels { known, missing };
        }
        let set = self.ranges.channels(who.proctype, access);
        let all = self.shape.channels.iter().enumerate();
        let known = all.filter(|(_, channel)| set.contains(channel.site)).map(|(index, _)| index).collect();
        // A number that outlives its channel may come to mean another one.
        Channels { known, missing: true }
    }

    /// The numbers that a channel variable holds in all states of the shape.
    fn known_values(&self, who: Who, access: &Access) -> Option<Vec<i32>> {
        let (leaf, element) = self.ranges.element(access.base, who.proctype, access.offset);
        let place = match (access.base, who.slot) {
            (Base::Global, _) => &self.shape.globals[leaf],
            (Base::Local, Some(slot)) => &self.shape.processes[slot].leaves[leaf],
            (Base::Local, None) | (Base::Hidden, _) => return None,
        };
        let Place::Known(values) = place else { return None };
        if access.indexes.is_empty() {
            return Some(vec![values[element]]);
        }
        Some(self.element(who, access).map_or_else(|| values.clone(), |element| vec![values[element]]))
    }

    /// What decides whether a statement can be executed, as something that is only looked at: `else`, and
    /// what stands behind the escape of an `unless`, depend on it.
    pub(super) fn looked_at(&self, footprint: &Footprint) -> Footprint {
        let mut out = self.empty();
        out.uses.copy_from_slice(&footprint.uses);
        join(&mut out.uses, &footprint.own);
        for bit in [CREATE, DESTROY] {
            if super::uses::contains(&footprint.uses, bit) {
                out.uses[0] &= !(1 << bit);
                insert(&mut out.uses, COUNT);
            }
        }
        for (channel, &at) in self.objects.channels.iter().enumerate() {
            let bits = byte(&footprint.uses, at);
            out.uses[at as usize / 64] &= !(0xff << (at % 64));
            let looks = match self.is_rendezvous(channel) {
                true if bits & (meeting::OFFER | meeting::ACCEPT | meeting::WATCH) != 0 => meeting::WATCH,
                false if bits != 0 => buffer::LOOK,
                _ => 0,
            };
            insert_byte(&mut out.uses, at, looks);
        }
        out
    }
}

fn meeting_use(kind: ChannelUse) -> u8 {
    match kind {
        ChannelUse::Send | ChannelUse::SortedSend => meeting::OFFER,
        ChannelUse::Receive | ChannelUse::RandomReceive => meeting::ACCEPT,
        // Such a channel never holds anything, but it can cease to be.
        ChannelUse::Copy | ChannelUse::RandomCopy | ChannelUse::Length | ChannelUse::Test(_) | ChannelUse::Poll => {
            meeting::WATCH
        }
    }
}

fn meeting_change() -> u8 {
    meeting::OFFER | meeting::ACCEPT | meeting::ARRIVE | meeting::WATCH
}

fn buffer_use(kind: ChannelUse, position: Position) -> u8 {
    match (kind, position) {
        (ChannelUse::Send, Position::First) => buffer::SEND,
        (ChannelUse::Receive, Position::First) => buffer::RECEIVE,
        (ChannelUse::Copy, Position::First) => buffer::HEAD,
        (ChannelUse::Test(test), Position::First) => match test {
            ChannelTest::Full | ChannelTest::NotFull => buffer::FULLNESS,
            ChannelTest::Empty | ChannelTest::NotEmpty => buffer::EMPTINESS,
        },
        (ChannelUse::Send | ChannelUse::Receive, Position::Inner)
        | (ChannelUse::SortedSend | ChannelUse::RandomReceive, _) => buffer::CHANGE,
        (ChannelUse::Copy | ChannelUse::Test(_), Position::Inner)
        | (ChannelUse::RandomCopy | ChannelUse::Length | ChannelUse::Poll, _) => buffer::LOOK,
    }
}
