//! The dependence table of a shape: for each process and location what its next steps touch, what
//! conflicts with them, and what the process can still touch from there on.

use super::footprint::{Ground, Who};
use super::guard::{self, Condition};
use super::objects::{self, Exposed, Objects};
use super::obstacle::obstacle;
use super::steps::{Step, births, steps};
use super::transitions::Transitions;
use super::uses::{
    COUNT, CREATE, DESTROY, Level, Uses, buffer_conflicts, byte, contains, insert, insert_byte, intersect, join,
    meeting_conflicts, none,
};
use super::visible::{self, Preserve};
use spinor_exec::{Bits, Shape, Shapes};
use spinor_model::model::Action;
use spinor_model::{LocationId, ProctypeId};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// What conflicts with some uses. What does so only on some levels of a channel is apart.
#[derive(Clone, Debug)]
pub(super) struct Conflicts {
    pub(super) fixed: Uses,
    pub(super) channels: Vec<ChannelConflicts>,
}

/// What of the uses of a channel conflicts, by its [`Level`].
#[derive(Clone, Copy, Debug)]
pub(super) struct ChannelConflicts {
    pub(super) channel: usize,
    at: u32,
    masks: [u8; 3],
}

impl ChannelConflicts {
    pub(super) fn add(&self, level: Level, out: &mut [u64]) {
        insert_byte(out, self.at, self.masks[level as usize]);
    }
}

/// A step of a process of the shape.
#[derive(Clone, Debug)]
pub(super) struct EdgeUses {
    pub(super) uses: Uses,
    /// The same, with all that processes can touch which it creates.
    pub(super) reach: Uses,
    pub(super) conflicts: Conflicts,
    /// What conflicts with it when no channel is full or empty.
    pub(super) between: Uses,
    /// What must hold before it can be executed, as far as that is known.
    pub(super) conditions: Vec<Condition>,
    pub(super) landings: Vec<LocationId>,
    /// It is the end of the process, and nothing else.
    pub(super) is_end: bool,
}

/// A location of a process of the shape.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) edges: Vec<EdgeUses>,
    /// What its next steps touch, executable or not.
    pub(super) next: Uses,
    pub(super) conflicts: Conflicts,
    /// What the process can touch from here on, in this step or later, with all that it creates.
    pub(super) future: Uses,
    /// Nothing that any other process ever does conflicts with the next steps, whatever the state.
    pub(super) is_local: bool,
}

/// A process of the shape.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) proctype: ProctypeId,
    pub(super) location: Bits,
    pub(super) points: Vec<Point>,
}

/// A channel of the shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    length: Bits,
    capacity: u64,
}

impl Queue {
    pub(super) fn level(&self, state: &[u64]) -> Level {
        Level::of(self.length.get(state), self.capacity)
    }
}

/// The dependence table of a shape.
#[derive(Debug)]
pub struct Table {
    pub(super) slots: Vec<Slot>,
    pub(super) queues: Vec<Queue>,
    /// The bytes of rendezvous channels.
    pub(super) meetings: Vec<u32>,
    /// Words of a set of uses.
    pub(super) words: usize,
    /// The uses that change what a property is about.
    pub(super) visible: Uses,
    pub(super) preserve: Preserve,
    /// Whether anything can be said of the model at all.
    is_reducible: bool,
    transitions: OnceLock<Option<Transitions>>,
    shape: Arc<Shape>,
}

impl Table {
    /// The table of a shape, for a property.
    pub(super) fn new(shapes: &Shapes<'_>, shape: &Arc<Shape>, exposed: &Exposed, preserve: &Preserve) -> Table {
        let (model, ranges) = (shapes.model(), shapes.ranges());
        let objects = Objects::new(model, ranges, shape, exposed);
        let ground = Ground { model, ranges, shapes, shape, objects: &objects, exposed };
        let is_reducible = obstacle(model).is_none();
        let births: Vec<Uses> = births(&ground).into_iter().map(|birth| birth.uses).collect();
        let pids = if is_reducible { 0..shape.processes.len() } else { 0..0 };
        let mut slots: Vec<Slot> = pids.map(|pid| slot(&ground, &births, pid)).collect();
        mark_local(&mut slots, objects.words);
        let capacity = |kind: usize| u64::from(model.channel_types[kind].capacity);
        let queues = shape.channels.iter().map(|it| Queue { length: it.length, capacity: capacity(it.kind) });
        let meetings = objects.channels.iter().enumerate().filter(|(channel, _)| ground.is_rendezvous(*channel));
        let meetings = meetings.map(|(_, &at)| at).collect();
        Table {
            slots,
            meetings,
            queues: queues.collect(),
            words: objects.words,
            visible: visible::uses(&ground, preserve),
            preserve: preserve.clone(),
            is_reducible,
            transitions: OnceLock::new(),
            shape: shape.clone(),
        }
    }

    /// Whether steps of the model can be independent at all; otherwise no selector proposes anything.
    #[must_use]
    pub fn is_reducible(&self) -> bool {
        self.is_reducible
    }

    /// Where a process stands.
    pub(super) fn point(&self, state: &[u64], pid: usize) -> &Point {
        &self.slots[pid].points[self.location(state, pid)]
    }

    pub(super) fn location(&self, state: &[u64], pid: usize) -> usize {
        self.slots[pid].location.get(state) as usize
    }

    /// What single transitions need of each other, made when it is first asked for; nothing if there are too
    /// many of them.
    pub(super) fn transitions(&self) -> Option<&Transitions> {
        self.transitions.get_or_init(|| Transitions::new(self)).as_ref()
    }
}

fn slot(ground: &Ground<'_>, births: &[Uses], pid: usize) -> Slot {
    let process = &ground.shape.processes[pid];
    let who = Who { proctype: process.proctype, slot: Some(pid) };
    let proctype = ground.model.proctype(who.proctype);
    let of_edge = |(step, edge): (&Step, &spinor_model::Edge)| {
        let mut reach = step.footprint.uses.clone();
        step.footprint.runs.iter().for_each(|run| _ = join(&mut reach, &births[usize::from(run.0)]));
        let action = &proctype.statement(edge.statement).action;
        let conflicts = conflicts(ground, &step.footprint.uses);
        EdgeUses {
            uses: step.footprint.uses.clone(),
            reach,
            between: conflicts.on_levels(&[Level::Between]),
            conflicts,
            conditions: guard::conditions(ground, who, action),
            landings: step.landings.iter().copied().collect(),
            is_end: *action == Action::End,
        }
    };
    let of_locations = steps(ground, who);
    let points = of_locations.iter().zip(&proctype.locations).map(|(steps, location)| {
        let edges: Vec<EdgeUses> = steps.iter().zip(&location.edges).map(of_edge).collect();
        let mut next = none(ground.objects.words);
        edges.iter().for_each(|edge| _ = join(&mut next, &edge.uses));
        let conflicts = conflicts(ground, &next);
        Point { edges, next, conflicts, future: none(ground.objects.words), is_local: false }
    });
    let mut slot = Slot { proctype: who.proctype, location: process.location, points: points.collect() };
    look_ahead(&mut slot.points);
    slot
}

/// Futures as the least fixed point over the graph of the process.
fn look_ahead(points: &mut [Point]) {
    loop {
        let mut grown = false;
        for at in (0..points.len()).rev() {
            let mut future = std::mem::take(&mut points[at].future);
            for edge in &points[at].edges {
                grown |= join(&mut future, &edge.reach);
                for target in edge.landings.iter().filter(|target| usize::from(target.0) != at) {
                    grown |= join(&mut future, &points[usize::from(target.0)].future);
                }
            }
            points[at].future = future;
        }
        if !grown {
            return;
        }
    }
}

/// The uses by others that conflict with `uses`. Ends of other processes are left out: whether these
/// matter depends on who is younger.
pub(super) fn conflicts(ground: &Ground<'_>, uses: &[u64]) -> Conflicts {
    let (read, write) = (0x5555_5555_5555_5555_u64, 0xaaaa_aaaa_aaaa_aaaa_u64);
    let both = |writes: u64| writes | writes >> 1;
    let mut fixed: Uses = uses.iter().map(|&word| both(word & write) | (word & read) << 1).collect();
    fixed[0] &= !0xff;
    for (bit, others) in [(CREATE, &[CREATE, COUNT][..]), (DESTROY, &[CREATE, COUNT]), (COUNT, &[CREATE])] {
        if contains(uses, bit) {
            others.iter().for_each(|other| insert(&mut fixed, *other));
        }
    }
    let mut channels = Vec::new();
    for (channel, &at) in ground.objects.channels.iter().enumerate() {
        let bits = byte(uses, at);
        fixed[at as usize / 64] &= !(0xff << (at % 64));
        if ground.is_rendezvous(channel) {
            insert_byte(&mut fixed, at, meeting_conflicts(bits));
        } else if bits != 0 {
            channels.push(ChannelConflicts { channel, at, masks: Level::ALL.map(|it| buffer_conflicts(bits, it)) });
        }
    }
    Conflicts { fixed, channels }
}

impl Conflicts {
    /// All that conflicts on any level.
    pub(super) fn on_any_level(&self) -> Uses {
        self.on_levels(&Level::ALL)
    }

    fn on_levels(&self, levels: &[Level]) -> Uses {
        let mut all = self.fixed.clone();
        for channel in &self.channels {
            levels.iter().for_each(|&level| channel.add(level, &mut all));
        }
        all
    }
}

/// A location is local if its next steps conflict with nothing in the whole life of any other process.
fn mark_local(slots: &mut [Slot], words: usize) {
    let lives: Vec<Uses> = slots.iter().map(|slot| life(slot, words)).collect();
    let stack = 1 << CREATE | 1 << DESTROY | 1 << COUNT;
    for (pid, slot) in slots.iter_mut().enumerate() {
        let mut others = none(words);
        let other = lives.iter().enumerate().filter(|(other, _)| *other != pid);
        other.for_each(|(_, life)| _ = join(&mut others, life));
        for point in &mut slot.points {
            point.is_local = point.next[0] & stack == 0 && !intersect(&point.conflicts.on_any_level(), &others);
        }
    }
}

fn life(slot: &Slot, words: usize) -> Uses {
    let mut life = none(words);
    slot.points.iter().for_each(|point| _ = join(&mut life, &point.future));
    life
}

/// The table as text for people: each location with what its next steps and its future touch.
#[must_use]
pub fn text(shapes: &Shapes<'_>, table: &Table) -> String {
    use std::fmt::Write;
    let (model, shape) = (shapes.model(), &table.shape);
    let exposed = Exposed::new(model, &table.preserve.objects());
    let objects = Objects::new(model, shapes.ranges(), shape, &exposed);
    let mut names: BTreeMap<u32, String> = objects::names(model, shapes.ranges(), shape, &objects);
    names.extend([(CREATE, "run".to_string()), (DESTROY, "end".to_string()), (COUNT, "_nr_pr".to_string())]);
    for (channel, &at) in objects.channels.iter().enumerate() {
        let is_meeting = model.channel_types[shape.channels[channel].kind].capacity == 0;
        let kinds: &[&str] = match is_meeting {
            true => &["offer", "accept", "arrive", "watch"],
            false => &["send", "receive", "change", "head", "full", "empty", "look"],
        };
        let name = &shapes.ranges().sites[shape.channels[channel].site].name;
        let of_kind = |(kind, word): (usize, &&str)| (at + kind as u32, format!("{name}#{}:{word}", channel + 1));
        names.extend(kinds.iter().enumerate().map(of_kind));
    }
    let list = |uses: &[u64]| {
        let words = super::uses::members(uses).filter_map(|bit| names.get(&(bit as u32)));
        words.cloned().collect::<Vec<_>>().join(" ")
    };
    let mut out = String::new();
    for (pid, slot) in table.slots.iter().enumerate() {
        let proctype = model.proctype(slot.proctype);
        let _ = writeln!(out, "process {pid} ({})", proctype.name);
        for (point, location) in slot.points.iter().zip(&proctype.locations) {
            let class = if point.is_local { "local" } else { "shared" };
            let (next, future) = (list(&point.next), list(&point.future));
            let _ = writeln!(out, "  {:>4} {class:<6} next {{{next}}} future {{{future}}}", location.number);
        }
    }
    out
}
