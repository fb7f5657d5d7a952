//! Channels: which one is meant, and what is in it.

use super::variable::Element;
use super::{Generator, Result, Unsupported};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use spinor_exec::{Bits, ChannelPlace, Lane, LaneField, Place};
use spinor_model::expr::{ChannelTest, Receive, Send};
use spinor_model::model::ChannelType;
use spinor_model::ranges::Interval;
use spinor_model::{Access, Base};

/// A statement that can mean more channels than this is left to the interpreter.
const MOST_CHANNELS: usize = 32;
/// Queues longer than this are searched by the interpreter.
pub(super) const MOST_SLOTS: u32 = 16;

/// What is known of the channel that a variable holds.
pub(super) enum Meant {
    /// This one.
    Known(usize),
    /// None that exists.
    None,
    /// The one with this number.
    Computed(Value),
}

impl Generator<'_, '_> {
    /// The channel that a variable holds, as far as the shape tells.
    pub(super) fn known_channel(&self, access: &Access) -> Result<Option<i32>> {
        if access.base == Base::Hidden {
            return Err(Unsupported);
        }
        Ok(self.site.shapes.constant_variable(&self.shape, self.pid, access))
    }

    pub(super) fn channel(&mut self, access: &Access) -> Result<Meant> {
        if let Some(id) = self.known_channel(access)? {
            let exists = id > 0 && id as usize <= self.shape.channels.len();
            return Ok(if exists { Meant::Known(id as usize - 1) } else { Meant::None });
        }
        let id = self.load(access)?;
        let index = self.builder.ins().iadd_imm_s(id, -1);
        let count = self.shape.channels.len() as i64;
        let exists = self.builder.ins().icmp_imm_s(IntCC::UnsignedLessThan, index, count);
        self.branch_unless(exists, self.defer);
        Ok(Meant::Computed(id))
    }

    /// Whether a variable holds a rendezvous channel in every state of the shape.
    pub(super) fn is_surely_rendezvous(&self, access: &Access) -> Result<bool> {
        let id = self.known_channel(access)?.unwrap_or(0);
        let channel = self.shape.channels.get((id as usize).wrapping_sub(1));
        Ok(id > 0 && channel.is_some_and(|channel| self.channel_type(channel).capacity == 0))
    }

    pub(super) fn channel_type(&self, channel: &ChannelPlace) -> &ChannelType {
        &self.site.shapes.model().channel_types[channel.kind]
    }

    /// Makes code for each channel that a variable may hold.
    pub(super) fn each_channel(&mut self, access: &Access, make: &mut dyn FnMut(&mut Self, usize) -> Result) -> Result {
        let id = match self.channel(access)? {
            Meant::Known(channel) => return make(self, channel),
            Meant::None => {
                self.give_up();
                return Ok(());
            }
            Meant::Computed(id) => id,
        };
        let candidates = self.candidates(access);
        if candidates.len() > MOST_CHANNELS {
            return Err(Unsupported);
        }
        let done = self.builder.create_block();
        for channel in candidates {
            let (here, other) = (self.builder.create_block(), self.builder.create_block());
            let is_this = self.builder.ins().icmp_imm_s(IntCC::Equal, id, channel as i64 + 1);
            self.builder.ins().brif(is_this, here, &[], other, &[]);
            self.continue_in(here);
            make(self, channel)?;
            self.builder.ins().jump(done, &[]);
            self.continue_in(other);
        }
        self.builder.ins().jump(self.defer, &[]);
        self.continue_in(done);
        Ok(())
    }

    /// The channels that a variable may hold. One that is left out by mistake costs time only.
    fn candidates(&self, access: &Access) -> Vec<usize> {
        let (_, place) = match self.leaf(access) {
            Ok(found) => found,
            Err(Unsupported) => return Vec::new(),
        };
        let all = 0..self.shape.channels.len();
        match place {
            Place::Known(values) => all.filter(|&channel| values.contains(&(channel as i32 + 1))).collect(),
            Place::Stored { coding, .. } => all.filter(|&id| coding.number(id as i32 + 1).is_some()).collect(),
        }
    }

    /// Whether a trace may watch a channel: the interpreter moves it.
    pub(super) fn is_watched(&self, channel: usize) -> bool {
        let events = self.site.shapes.model().trace.iter().flat_map(|trace| trace.events.values());
        let may_mean =
            |access: &Access| !matches!(self.known_channel(access), Ok(Some(id)) if id != channel as i32 + 1);
        events.map(|event| &event.channel).any(may_mean)
    }

    /// The state is left to the interpreter; what comes after is never reached.
    pub(super) fn give_up(&mut self) {
        self.builder.ins().jump(self.defer, &[]);
        let never = self.builder.create_block();
        self.continue_in(never);
    }

    /// A number for each channel that a variable may hold.
    fn of_channel(
        &mut self,
        access: &Access,
        make: &mut dyn FnMut(&mut Self, &ChannelPlace) -> Result<Value>,
    ) -> Result<Value> {
        let result = self.builder.declare_var(types::I32);
        let zero = self.int(0);
        self.builder.def_var(result, zero);
        self.each_channel(access, &mut |this, channel| {
            let place = this.shape.channels[channel].clone();
            let value = make(this, &place)?;
            this.builder.def_var(result, value);
            Ok(())
        })?;
        Ok(self.builder.use_var(result))
    }

    pub(super) fn length_of(&mut self, access: &Access) -> Result<Value> {
        self.of_channel(access, &mut |this, channel| {
            let length = this.get(channel.length);
            Ok(this.builder.ins().ireduce(types::I32, length))
        })
    }

    pub(super) fn channel_test(&mut self, test: ChannelTest, access: &Access) -> Result<Value> {
        self.of_channel(access, &mut |this, channel| {
            let length = this.get(channel.length);
            // A rendezvous channel counts as having room for one, and as never holding it.
            let capacity = i64::from(this.channel_type(channel).capacity.max(1));
            let (comparison, with) = match test {
                ChannelTest::Full => (IntCC::Equal, capacity),
                ChannelTest::NotFull => (IntCC::NotEqual, capacity),
                ChannelTest::Empty => (IntCC::Equal, 0),
                ChannelTest::NotEmpty => (IntCC::NotEqual, 0),
            };
            let holds = this.builder.ins().icmp_imm_s(comparison, length, with);
            Ok(this.builder.ins().uextend(types::I32, holds))
        })
    }

    pub(super) fn poll(&mut self, receive: &Receive) -> Result<Value> {
        self.of_channel(&receive.channel, &mut |this, channel| {
            let kind = this.channel_type(channel);
            let (capacity, fields) = (kind.capacity, kind.fields.len());
            if capacity == 0 || receive.patterns.len() > fields {
                this.give_up();
                return Ok(this.int(0));
            }
            let slots = this.slots_to_search(receive, capacity)?;
            let (done, result) = this.merge_block(types::I32);
            for slot in 0..slots {
                let next = this.builder.create_block();
                this.message_exists(channel, slot, next);
                this.matches(receive, channel, slot, next)?;
                let yes = this.int(1);
                this.jump_with(done, yes);
                this.continue_in(next);
            }
            let no = this.int(0);
            this.jump_with(done, no);
            this.continue_in(done);
            Ok(result)
        })
    }

    pub(super) fn slots_to_search(&self, receive: &Receive, capacity: u32) -> Result<u32> {
        if !receive.random {
            return Ok(1);
        }
        if capacity > MOST_SLOTS { Err(Unsupported) } else { Ok(capacity) }
    }

    /// Goes elsewhere unless there is a message in a slot.
    pub(super) fn message_exists(&mut self, channel: &ChannelPlace, slot: u32, elsewhere: Block) {
        let length = self.get(channel.length);
        let exists = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, length, i64::from(slot));
        self.branch_unless(exists, elsewhere);
    }

    /// Goes elsewhere unless the message in a slot is what a receive asks for.
    pub(super) fn matches(&mut self, receive: &Receive, channel: &ChannelPlace, slot: u32, elsewhere: Block) -> Result {
        for (index, pattern) in receive.patterns.iter().enumerate() {
            if let Some(wanted) = pattern.wanted() {
                let wanted = self.value(wanted)?;
                let found = self.message_field(channel, slot, index);
                let same = self.builder.ins().icmp(IntCC::Equal, wanted, found);
                self.branch_unless(same, elsewhere);
            }
        }
        Ok(())
    }

    /// A field of the message in a slot.
    pub(super) fn message_field(&mut self, channel: &ChannelPlace, slot: u32, field: usize) -> Value {
        let (lane, found) = lane_field(channel, field);
        if found.width == 0 {
            return self.int(found.coding.low);
        }
        let part = lane.series.element(slot);
        let bits = Bits { word: part.word, shift: part.shift + found.shift, width: found.width };
        let place = Place::Stored { coding: found.coding, series: single(bits) };
        // A constant element of a series is always supported.
        self.load_element(&place, Element::Constant(0)).unwrap_or(self.state)
    }

    /// What is known of a field.
    pub(super) fn field_range(&self, channel: &ChannelPlace, field: usize) -> Interval {
        self.site.shapes.ranges().sites[channel.site].fields[field].range
    }

    /// The values of a message, converted to the types of the fields, with what is known of them.
    pub(super) fn message(&mut self, send: &Send, channel: &ChannelPlace) -> Result<Vec<(Value, Interval)>> {
        let types = self.channel_type(channel).fields.clone();
        let mut values = Vec::new();
        for (argument, ty) in send.arguments.iter().zip(&types) {
            let range = self.range(argument);
            let value = self.value(argument)?;
            values.push(self.convert(ty, value, range));
        }
        Ok(values)
    }

    /// The bits of one lane of a message.
    fn lane_bits(&mut self, lane: &Lane, values: &[(Value, Interval)]) -> Value {
        let mut bits = self.long(0);
        for field in &lane.fields {
            let (value, range) = values[field.field];
            if field.width == 0 {
                self.check_known(value, range, field.coding.low);
                continue;
            }
            let offset = self.encode(value, range, field.coding);
            let shifted = self.builder.ins().ishl_imm_s(offset, i64::from(field.shift));
            bits = self.builder.ins().bor(bits, shifted);
        }
        bits
    }

    /// Puts a message behind all others.
    pub(super) fn append(&mut self, channel: &ChannelPlace, values: &[(Value, Interval)]) {
        let length = self.get(channel.length);
        for lane in &channel.lanes {
            let bits = self.lane_bits(lane, values);
            let series = &lane.series;
            let width = i64::from(series.width);
            for (index, part) in series.parts.iter().enumerate() {
                let first = index as i64 * i64::from(series.per_word);
                let slot = self.builder.ins().iadd_imm_s(length, -first);
                let shift = self.builder.ins().imul_imm_s(slot, width);
                let shifted = self.builder.ins().ishl(bits, shift);
                let old = self.get(*part);
                let mut new = self.builder.ins().bor(old, shifted);
                if series.parts.len() > 1 {
                    let here = i64::from(part.width / series.width);
                    let is_here = self.builder.ins().icmp_imm_s(IntCC::UnsignedLessThan, slot, here);
                    new = self.builder.ins().select(is_here, new, old);
                }
                self.put(*part, new);
            }
        }
        self.change_length(channel, length, 1);
    }

    fn change_length(&mut self, channel: &ChannelPlace, length: Value, by: i64) {
        let length = self.builder.ins().iadd_imm_s(length, by);
        self.put(channel.length, length);
    }

    /// Takes the message in a slot out. The slots behind it move up, and the last becomes 0.
    pub(super) fn remove(&mut self, channel: &ChannelPlace, slot: u32) {
        for lane in &channel.lanes {
            if lane.series.width == 0 {
                continue;
            }
            if slot == 0 {
                self.shift_down(lane);
                continue;
            }
            for index in slot..lane.series.length {
                let last = index + 1 == lane.series.length;
                let value = if last { self.long(0) } else { self.get(lane.series.element(index + 1)) };
                self.put(lane.series.element(index), value);
            }
        }
        let length = self.get(channel.length);
        self.change_length(channel, length, -1);
    }

    fn shift_down(&mut self, lane: &Lane) {
        let series = &lane.series;
        let width = i64::from(series.width);
        for (index, part) in series.parts.iter().enumerate() {
            let old = self.get(*part);
            let mut new =
                if part.width == series.width { self.long(0) } else { self.builder.ins().ushr_imm_s(old, width) };
            if let Some(next) = series.parts.get(index + 1) {
                let next = Bits { width: series.width, ..*next };
                let first = self.get(next);
                let shift = i64::from(series.per_word - 1) * width;
                let moved = self.builder.ins().ishl_imm_s(first, shift);
                new = self.builder.ins().bor(new, moved);
            }
            self.put(*part, new);
        }
    }

    /// Puts a message in front of the one in a slot.
    pub(super) fn insert(&mut self, channel: &ChannelPlace, slot: u32, values: &[(Value, Interval)]) {
        for lane in &channel.lanes {
            if lane.series.width == 0 {
                self.lane_bits(lane, values);
                continue;
            }
            for index in (slot + 1..lane.series.length).rev() {
                let value = self.get(lane.series.element(index - 1));
                self.put(lane.series.element(index), value);
            }
            let bits = self.lane_bits(lane, values);
            self.put(lane.series.element(slot), bits);
        }
        let length = self.get(channel.length);
        self.change_length(channel, length, 1);
    }
}

fn lane_field(channel: &ChannelPlace, field: usize) -> (&Lane, LaneField) {
    let mut all = channel.lanes.iter().flat_map(|lane| lane.fields.iter().map(move |it| (lane, *it)));
    all.find(|(_, it)| it.field == field).expect("each field is in a lane")
}

fn single(bits: Bits) -> spinor_exec::Series {
    spinor_exec::Series { length: 1, width: bits.width, per_word: 1, parts: vec![bits] }
}
