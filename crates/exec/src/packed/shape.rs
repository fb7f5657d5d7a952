//! The shape of a state: which processes and channels there are, and where everything about them
//! lies in the packed vector.
//!
//! Processes and channels come and go as on a stack, so in general the place of a variable is
//! known only at run time. But the states of a search have few different shapes, most models one
//! after their start. All is static within a shape: the proctype of each pid, the place of each
//! variable, and which channel a statement means, if the variables that tell are never assigned. A vector begins
//! with the number of its shape.

use super::codec::{Codec, Repr};
use super::coding::Coding;
use super::fixed::Static;
use super::place::{Allocator, Bits, Packing, Series, width_of};
use super::simplify::Simplified;
use crate::layout::{ChannelLayout, Layout};
use crate::state::State;
use spinor_model::model::{Initial, Model, Trace};
use spinor_model::ranges::{Leaf, Ranges};
use spinor_model::{Base, ProctypeId, Scalar};
use std::sync::atomic::AtomicBool;

/// Shapes with smaller numbers have a few bits for it. With the others, all of these bits are set, and
/// the number comes behind them.
pub(super) const SHORT_NUMBERS: u32 = (1 << SHORT_WIDTH) - 1;
const SHORT_WIDTH: u8 = 4;
/// A search has fewer shapes than numbers of this width.
pub(super) const LONG_WIDTH: u8 = 24;

/// Where the numbers of a [`Leaf`] are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere: the same in all states of the shape.
    Known(Vec<i32>),
    /// In the vector, less the smallest value.
    Stored {
        /// The numbers that stand for the values.
        coding: Coding,
        /// The places.
        series: Series,
    },
}

/// A process of a shape.
#[derive(Clone, Debug)]
pub struct ProcessPlace {
    /// What it is an instance of.
    pub proctype: ProctypeId,
    /// Where it stands.
    pub location: Bits,
    /// Its priority, in models with priorities.
    pub priority: Option<Bits>,
    /// Its variables, as in [`Ranges::locals`].
    pub leaves: Vec<Place>,
}

/// A channel of a shape.
#[derive(Clone, Debug)]
pub struct ChannelPlace {
    /// Its place in [`Model::channel_types`].
    pub kind: usize,
    /// Its place in [`Ranges::sites`].
    pub site: usize,
    /// How many messages it holds.
    pub length: Bits,
    /// The messages, cut so that the parts of one message lie within a word.
    pub lanes: Vec<Lane>,
}

/// A part of each message of a channel.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The fields of it.
    pub fields: Vec<LaneField>,
    /// The places of the parts.
    pub series: Series,
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub struct LaneField {
    /// Its number.
    pub field: usize,
    /// Its lowest bit in the part.
    pub shift: u8,
    /// Its bits.
    pub width: u8,
    /// The numbers that stand for the values.
    pub coding: Coding,
}

/// A shape.
#[derive(Debug)]
pub struct Shape {
    /// Its number.
    pub id: u32,
    /// What stands for it in other processes, where it has another number.
    pub signature: u64,
    /// The processes, by pid.
    pub processes: Vec<ProcessPlace>,
    /// The channels; the first has number 1 in the model.
    pub channels: Vec<ChannelPlace>,
    /// The global variables, as in [`Ranges::globals`].
    pub globals: Vec<Place>,
    /// `_last`.
    pub last: Option<Bits>,
    /// Whether the step to a state has passed `accept` labels inside of it, where these count.
    pub passed: Option<Bits>,
    /// The location of the trace.
    pub trace: Option<Bits>,
    /// How many bytes a vector has.
    pub bytes: u32,
    /// How many of these count when states are compared.
    pub key: u32,
    /// The bits that are in use.
    pub used: Vec<u64>,
    pub(super) codec: Codec,
    /// Some state of it was looked at.
    pub(super) is_met: AtomicBool,
}

impl Shape {
    /// How many words a vector has.
    #[must_use]
    pub fn words(&self) -> usize {
        self.bytes.div_ceil(8) as usize
    }

    /// All fields of a vector, each with its greatest value. The number of the shape comes first, so
    /// that it lies in the same bits when the fields are digits.
    pub(super) fn digits(&self) -> Vec<(Bits, u64)> {
        let short = Bits { word: 0, shift: 0, width: SHORT_WIDTH };
        let long = Bits { word: 0, shift: SHORT_WIDTH, width: LONG_WIDTH };
        let prefix = if self.id < SHORT_NUMBERS { vec![short] } else { vec![short, long] };
        prefix.into_iter().map(|bits| (bits, bits.ones())).chain(self.codec.digits()).collect()
    }

    /// The places of each field that two shapes have in common, if one begins like the other.
    pub fn common_fields(&self, other: &Shape) -> impl Iterator<Item = (Bits, Bits)> {
        self.codec.common_fields(&other.codec)
    }

    /// The number at the front of each vector.
    #[must_use]
    pub fn prefix(&self) -> u64 {
        let id = u64::from(self.id);
        if self.id < SHORT_NUMBERS { id } else { u64::from(SHORT_NUMBERS) | id << SHORT_WIDTH }
    }

    /// The bits of [`Self::prefix`].
    #[must_use]
    pub fn prefix_mask(&self) -> u64 {
        prefix_mask(self.id)
    }

    /// Whether all processes that [settled](super::Shapes::settle) give a shape this number.
    #[inline]
    #[must_use]
    pub fn is_agreed(id: u32) -> bool {
        id < SHORT_NUMBERS
    }

    /// The first word of a vector without the number of its shape.
    #[inline]
    #[must_use]
    pub fn without_number(first: u64) -> u64 {
        first & !prefix_mask(Shape::id_of(first))
    }

    /// The first word of a vector whose number is not agreed upon, with another such number.
    #[must_use]
    pub fn renumbered(first: u64, id: u32) -> u64 {
        Shape::without_number(first) | u64::from(SHORT_NUMBERS) | u64::from(id) << SHORT_WIDTH
    }

    /// The number of the shape of a vector.
    #[inline]
    #[must_use]
    pub fn id_of(first: u64) -> u32 {
        let short = first as u32 & SHORT_NUMBERS;
        if short < SHORT_NUMBERS { short } else { first as u32 >> SHORT_WIDTH & ((1 << LONG_WIDTH) - 1) }
    }
}

#[inline]
fn prefix_mask(id: u32) -> u64 {
    (1 << if id < SHORT_NUMBERS { SHORT_WIDTH } else { SHORT_WIDTH + LONG_WIDTH }) - 1
}

/// What shapes are made from.
pub(super) struct Ground<'a> {
    pub(super) model: &'a Model,
    pub(super) layout: &'a Layout,
    pub(super) ranges: &'a Ranges,
    pub(super) fixed: &'a Static,
    pub(super) simplified: &'a Simplified,
    pub(super) packing: Packing,
    /// Whether it is kept that labels were passed.
    pub(super) labels: bool,
}

/// Makes the shape of a reference vector. Of the vector only its records and the values of static
/// variables are looked at.
pub(super) fn build(ground: &Ground<'_>, id: u32, example: &[u8]) -> Shape {
    let mut state = State::default();
    state.load(ground.layout, example);
    let mut builder =
        Builder { ground, state: &state, allocator: Allocator::new(ground.packing), codec: Codec::new(example) };
    let prefix = builder.allocator.number(prefix_mask(id));
    debug_assert_eq!((prefix.word, prefix.shift), (0, 0));
    let globals = builder.globals();
    let last = ground.model.last_offset.map(|offset| builder.last(offset));
    let passed = ground.model.passed_offset.and_then(|offset| builder.passed(offset));
    let trace = ground.model.trace.as_ref().map(|trace| builder.trace(trace));
    let (processes, channels) = builder.records();
    let (key, used) = (builder.allocator.bytes(), builder.allocator.used().to_vec());
    builder.hidden();
    let bytes = builder.allocator.bytes();
    Shape {
        id,
        signature: 0,
        processes,
        channels,
        globals,
        last,
        passed,
        trace,
        bytes,
        key,
        used,
        codec: builder.codec,
        is_met: AtomicBool::new(false),
    }
}

/// How a leaf is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Its values belong to the shape.
    Fixed,
    /// Nobody reads it.
    Unread,
    Stored,
}

struct Builder<'a> {
    ground: &'a Ground<'a>,
    state: &'a State,
    allocator: Allocator,
    codec: Codec,
}

impl Builder<'_> {
    fn globals(&mut self) -> Vec<Place> {
        let Ground { ranges, fixed, simplified, layout, .. } = *self.ground;
        let kept = |leaf: usize| match fixed.globals[leaf] {
            true => Kept::Fixed,
            false if simplified.is_unread(Base::Global, ProctypeId(0), leaf) => Kept::Unread,
            false => Kept::Stored,
        };
        let leaves = ranges.globals.iter().enumerate();
        leaves.map(|(index, leaf)| self.leaf(leaf, kept(index), layout.hidden)).collect()
    }

    /// Variables of a process that begin at `base` in the reference vector.
    fn locals(&mut self, proctype: ProctypeId, base: usize) -> Vec<Place> {
        let Ground { ranges, fixed, simplified, .. } = *self.ground;
        let index = usize::from(proctype.0);
        let kept = |leaf: usize| match fixed.locals[index][leaf] {
            true => Kept::Fixed,
            false if simplified.is_unread(Base::Local, proctype, leaf) => Kept::Unread,
            false => Kept::Stored,
        };
        let leaves = ranges.locals[index].iter().enumerate();
        leaves.map(|(leaf, it)| self.leaf(it, kept(leaf), base)).collect()
    }

    fn leaf(&mut self, leaf: &Leaf, kept: Kept, base: usize) -> Place {
        let repr = Repr::new(&leaf.ty);
        let offsets = leaf.offsets.iter().map(|&offset| base + offset as usize);
        if kept == Kept::Fixed {
            let values = offsets.map(|at| {
                let value = self.state.get(at, &leaf.ty);
                self.codec.constant(at, repr, value);
                value
            });
            return Place::Known(values.collect());
        }
        let coding = Coding::of(&leaf.values);
        if kept == Kept::Unread {
            offsets.for_each(|at| self.codec.ignore(at, repr, coding.low));
            return Place::Known(vec![coding.low; leaf.offsets.len()]);
        }
        if coding.highest == 0 {
            offsets.for_each(|at| self.codec.constant(at, repr, coding.low));
            return Place::Known(vec![coding.low; leaf.offsets.len()]);
        }
        let series = self.allocator.series(coding.highest, leaf.offsets.len() as u32);
        for (n, at) in offsets.enumerate() {
            self.codec.field(at, repr, coding, series.element(n as u32));
        }
        Place::Stored { coding, series }
    }

    fn last(&mut self, offset: u32) -> Bits {
        let bits = self.allocator.number(0xff);
        self.codec.field(
            self.ground.layout.hidden + offset as usize,
            Repr::new(&Scalar::Byte),
            Coding::plain(0xff),
            bits,
        );
        bits
    }

    fn passed(&mut self, offset: u32) -> Option<Bits> {
        let (at, repr) = (self.ground.layout.hidden + offset as usize, Repr::new(&Scalar::Byte));
        if !self.ground.labels {
            self.codec.ignore(at, repr, 0);
            return None;
        }
        let bits = self.allocator.number(1);
        self.codec.field(at, repr, Coding::plain(1), bits);
        Some(bits)
    }

    fn trace(&mut self, trace: &Trace) -> Bits {
        let Ground { model, layout, .. } = *self.ground;
        let coding = Coding::plain(model.proctype(trace.proctype).locations.len().saturating_sub(1) as u64);
        let bits = self.allocator.number(coding.highest);
        self.codec.field(layout.hidden + trace.offset as usize, Repr::unsigned(2), coding, bits);
        bits
    }

    /// Processes and channels, in the order of their creation.
    fn records(&mut self) -> (Vec<ProcessPlace>, Vec<ChannelPlace>) {
        let (mut processes, mut channels) = (Vec::new(), Vec::new());
        let mut sites = self.sites(None, &self.ground.model.globals_init);
        for pid in 0..=self.state.process_count() {
            // The channels that came before this process.
            let until = self.state.process_record(pid);
            while channels.len() < self.state.channel_count() && self.state.channel_record(channels.len()) < until {
                let site = sites.next().expect("a channel belongs to a declaration");
                channels.push(self.channel(channels.len(), site));
            }
            if pid < self.state.process_count() {
                let proctype = self.state.proctype(self.ground.layout, pid);
                let definition = self.ground.model.proctype(proctype);
                sites = self.sites(Some(proctype), &definition.locals_init);
                processes.push(self.process(pid, proctype));
            }
        }
        (processes, channels)
    }

    /// The places in [`Ranges::sites`] of the channels that a list of initial values creates.
    fn sites(&self, owner: Option<ProctypeId>, initials: &[Initial]) -> std::vec::IntoIter<usize> {
        let ranges = self.ground.ranges;
        let site = |initial: &Initial| {
            let (access, _) = initial.channel()?;
            let (base, proctype) = owner.map_or((Base::Global, ProctypeId(0)), |owner| (Base::Local, owner));
            let (leaf, _) = ranges.element(base, proctype, access.offset);
            ranges.sites.iter().position(|site| site.owner == owner && site.leaf == leaf)
        };
        initials.iter().filter_map(site).collect::<Vec<_>>().into_iter()
    }

    fn process(&mut self, pid: usize, proctype: ProctypeId) -> ProcessPlace {
        let layout = self.ground.layout;
        let record = self.state.process_record(pid);
        let locations = self.ground.model.proctype(proctype).locations.len();
        let coding = Coding::plain(locations.saturating_sub(1) as u64);
        let location = self.allocator.number(coding.highest);
        self.codec.field(record + layout.tag, Repr::unsigned(layout.location), coding, location);
        let priority = layout.has_priority.then(|| self.allocator.number(0xff));
        if let Some(bits) = priority {
            self.codec.field(record + layout.locals - 1, Repr::unsigned(1), Coding::plain(0xff), bits);
        }
        let leaves = self.locals(proctype, record + layout.locals);
        ProcessPlace { proctype, location, priority, leaves }
    }

    fn channel(&mut self, channel: usize, site: usize) -> ChannelPlace {
        let layout = self.ground.layout;
        let kind = self.state.channel_kind(layout, channel);
        let shape = &layout.channels[kind];
        let length = self.allocator.number(shape.capacity as u64);
        let lanes = self.lanes(shape, site);
        let record = self.state.channel_record(channel);
        self.codec.queue(record + layout.tag, record, shape, length, &lanes);
        ChannelPlace { kind, site, length, lanes }
    }

    /// Cuts messages into parts of at most 64 bits.
    fn lanes(&mut self, shape: &ChannelLayout, site: usize) -> Vec<Lane> {
        let mut lanes: Vec<(Vec<LaneField>, u8)> = vec![(Vec::new(), 0)];
        for (field, range) in self.ground.ranges.sites[site].fields.iter().enumerate() {
            let coding = Coding::of(&range.values);
            let mut width = width_of(coding.highest);
            if self.ground.packing == Packing::Bytes {
                width = width.div_ceil(8) * 8;
            }
            if lanes.last().is_some_and(|(_, used)| used + width > 64) {
                lanes.push((Vec::new(), 0));
            }
            let (fields, used) = lanes.last_mut().expect("at least one lane");
            fields.push(LaneField { field, shift: *used, width, coding });
            *used += width;
        }
        lanes
            .into_iter()
            .map(|(fields, width)| Lane { fields, series: self.allocator.row(width, shape.capacity as u32) })
            .collect()
    }

    /// Hidden variables lie behind all that counts; if they matter to nobody, nowhere.
    fn hidden(&mut self) {
        if !self.ground.model.uses.reads_hidden {
            return;
        }
        self.allocator.break_word();
        self.ground.ranges.hidden.iter().filter(|leaf| leaf.is_read).for_each(|leaf| {
            self.leaf(leaf, Kept::Stored, 0);
        });
    }
}
