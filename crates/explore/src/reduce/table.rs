//! The dependence table of a shape: for each process and location what its next steps touch, what
//! conflicts with them, and what the process can still touch from there on.

use super::effects::Effects;
use super::footprint::{Ground, Who};
use super::guard::{self, Guard};
use super::objects::{self, Exposed, Objects};
use super::obstacle::obstacle;
use super::predicate::Predicate;
use super::steps::{Maker, births};
use super::transitions::Transitions;
use super::uses::{
    COUNT, CREATE, DESTROY, Level, Uses, buffer_conflicts, byte, contains, insert, insert_byte, intersect, join,
    meeting_conflicts, none,
};
use super::visible::{self, Preserve};
use spinor_exec::{Bits, Shape, Shapes};
use spinor_model::model::{Action, Edge, Location};
use spinor_model::{Expr, LocationId, ProctypeId};
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
    /// What it touches beyond what only decides whether it can be executed, if that is known, and beyond what it
    /// reads of a number to update it.
    pub(super) beyond: Uses,
    /// The values that it leaves behind.
    pub(super) effects: Effects,
    /// What must hold before it can be executed, as far as that is known.
    pub(super) guard: Guard,
    pub(super) landings: Vec<LocationId>,
    /// It is the end of the process, and nothing else.
    pub(super) is_end: bool,
    /// The same for each value of an index, which is known in a state.
    pub(super) narrowed: Option<Narrowed>,
}

/// An edge for each value of an index that only the process itself can change.
#[derive(Clone, Debug)]
pub(super) struct Narrowed {
    pub(super) index: Predicate,
    pub(super) edges: Vec<EdgeUses>,
}

impl EdgeUses {
    /// Whether it creates processes.
    pub(super) fn creates(&self) -> bool {
        contains(&self.uses, CREATE)
    }
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
    /// Something that must be preserved may happen from here on: by default anything.
    pub(super) is_risk: bool,
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
    /// The first bit of a variable.
    pub(super) first_variable: u32,
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
        let ground = Ground { model, ranges, shapes, shape, objects: &objects, exposed, given: None };
        let is_reducible = obstacle(model).is_none();
        let births: Vec<Uses> = births(&ground).into_iter().map(|birth| birth.uses).collect();
        let pids = if is_reducible { 0..shape.processes.len() } else { 0..0 };
        let is_risk = |proctype: ProctypeId, edge: &Edge| match preserve {
            Preserve::Deadlock => false,
            Preserve::Assertions => ranges.is_risk(proctype, edge.statement),
            _ => true,
        };
        let who = |slot: usize| Who { proctype: shape.processes[slot].proctype, slot: Some(slot) };
        let makers: Vec<Maker<'_>> = pids.map(|slot| Maker::new(&ground, who(slot))).collect();
        let assembly = Assembly { ground: &ground, births: &births, makers: &makers, is_risk: &is_risk };
        let mut slots: Vec<Slot> = (0..makers.len()).map(|slot| assembly.slot(slot)).collect();
        mark_local(&mut slots, objects.words);
        let capacity = |kind: usize| u64::from(model.channel_types[kind].capacity);
        let queues = shape.channels.iter().map(|it| Queue { length: it.length, capacity: capacity(it.kind) });
        let meetings = objects.channels.iter().enumerate().filter(|(channel, _)| ground.is_rendezvous(*channel));
        let meetings = meetings.map(|(_, &at)| at).collect();
        Table {
            slots,
            meetings,
            first_variable: objects.first_variable(),
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

/// Puts together what is known of the processes of a shape.
struct Assembly<'a> {
    ground: &'a Ground<'a>,
    births: &'a [Uses],
    makers: &'a [Maker<'a>],
    is_risk: &'a dyn Fn(ProctypeId, &Edge) -> bool,
}

impl Assembly<'_> {
    fn slot(&self, slot: usize) -> Slot {
        let words = self.ground.objects.words;
        let process = &self.ground.shape.processes[slot];
        let proctype = self.ground.model.proctype(process.proctype);
        let point = |(at, location): (usize, &Location)| {
            let edges = (0..location.edges.len()).map(|edge| self.edge(slot, LocationId(at as u16), edge));
            let edges: Vec<EdgeUses> = edges.collect();
            let mut next = none(words);
            edges.iter().for_each(|edge| _ = join(&mut next, &edge.uses));
            let conflicts = conflicts(self.ground, &next);
            let is_risk = location.edges.iter().any(|edge| (self.is_risk)(process.proctype, edge));
            Point { edges, next, conflicts, future: none(words), is_local: false, is_risk }
        };
        let mut points: Vec<Point> = proctype.locations.iter().enumerate().map(point).collect();
        look_ahead(&mut points);
        Slot { proctype: process.proctype, location: process.location, points }
    }

    fn edge(&self, slot: usize, at: LocationId, edge: usize) -> EdgeUses {
        let who = self.makers[slot].who;
        let location = self.ground.model.proctype(who.proctype).location(at);
        let narrowed = guard::index(self.ground, who, location, &location.edges[edge]).and_then(|(index, length)| {
            let edges = (0..length as i32).map(|value| self.edge_for(slot, (at, edge), Some((index, value))));
            Some(Narrowed { index: Predicate::compile(self.ground, who, index)?, edges: edges.collect() })
        });
        EdgeUses { narrowed, ..self.edge_for(slot, (at, edge), None) }
    }

    fn edge_for(&self, slot: usize, (at, edge): (LocationId, usize), given: Option<(&Expr, i32)>) -> EdgeUses {
        let ground = Ground { given, ..*self.ground };
        let who = self.makers[slot].who;
        let proctype = ground.model.proctype(who.proctype);
        let location = proctype.location(at);
        let step = self.makers[slot].step(self.makers, at, edge, given);
        let mut reach = step.footprint.uses.clone();
        step.footprint.runs.iter().for_each(|run| _ = join(&mut reach, &self.births[usize::from(run.0)]));
        let edge = &location.edges[edge];
        let guard = guard::guard(&ground, who, location, edge);
        let conflicts = conflicts(&ground, &step.footprint.uses);
        EdgeUses {
            reach,
            beyond: if guard.is_complete { step.beyond.uses } else { step.footprint.uses.clone() },
            between: conflicts.on_levels(&[Level::Between]),
            conflicts,
            effects: step.effects,
            guard,
            landings: step.landings.into_iter().collect(),
            is_end: proctype.statement(edge.statement).action == Action::End,
            uses: step.footprint.uses,
            narrowed: None,
        }
    }
}

/// Futures, and whether anything to be preserved is in them, as the least fixed point over the graph of the
/// process.
fn look_ahead(points: &mut [Point]) {
    loop {
        let mut grown = false;
        for at in (0..points.len()).rev() {
            let mut future = std::mem::take(&mut points[at].future);
            let mut is_risk = points[at].is_risk;
            for edge in &points[at].edges {
                grown |= join(&mut future, &edge.reach);
                for target in edge.landings.iter().filter(|target| usize::from(target.0) != at) {
                    grown |= join(&mut future, &points[usize::from(target.0)].future);
                    is_risk |= points[usize::from(target.0)].is_risk;
                }
            }
            grown |= is_risk != points[at].is_risk;
            points[at].is_risk = is_risk;
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
