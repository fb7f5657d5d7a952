//! Statements: when they are executable, and what they do.

use super::{Generator, Result, Unsupported};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use spinor_exec::ChannelPlace;
use spinor_model::expr::{Receive, Send};
use spinor_model::model::{Action, Edge};

impl Generator<'_, '_> {
    /// Executes a statement on the words, or goes to `blocked`.
    pub(super) fn action(&mut self, action: &Action, blocked: Block) -> Result {
        match action {
            Action::Condition(condition) => self.guard(condition, blocked)?,
            Action::Else => {
                let moved = self.builder.use_var(self.moved);
                self.branch_away(moved, blocked);
            }
            Action::Assign(target, value) => {
                let range = self.range(value);
                let value = self.value(value)?;
                self.store(target, value, range)?;
            }
            Action::Send(send) => {
                self.each_channel(&send.channel, &mut |this, channel| this.send(send, channel, blocked))?;
            }
            Action::Receive(receive) => {
                self.each_channel(&receive.channel, &mut |this, channel| this.receive(receive, channel, blocked))?;
            }
            Action::Assert(condition) => {
                let condition = self.condition(condition)?;
                self.branch_unless(condition, self.defer);
            }
            Action::Print(_, values) => {
                // Nothing happens, but an argument can be at fault.
                for value in values {
                    self.value(value)?;
                }
            }
            Action::PrintMtype(value, _) => drop(self.value(value)?),
            Action::Goto => {}
            Action::Input(_) | Action::SetPriority(..) | Action::DStep(_) | Action::End => return Err(Unsupported),
        }
        Ok(())
    }

    /// A send that is a step of its own: buffered, or offered to whoever takes it.
    pub(super) fn send_edge(&mut self, edge: &Edge, send: &Send, blocked: Block) -> Result {
        self.each_channel(&send.channel, &mut |this, channel| {
            if this.channel_type(&this.shape.channels[channel]).capacity == 0 {
                return this.offer(edge, send, channel);
            }
            this.send(send, channel, blocked)?;
            this.finish_edge(edge)
        })
    }

    /// Puts a message into a buffer; a rendezvous gives the state up.
    fn send(&mut self, send: &Send, number: usize, blocked: Block) -> Result {
        let channel = &self.shape.channels[number].clone();
        let kind = self.channel_type(channel);
        let (capacity, fields) = (kind.capacity, kind.fields.len());
        if capacity == 0 {
            self.give_up();
            return Ok(());
        }
        let length = self.get(channel.length);
        let has_room = self.builder.ins().icmp_imm_s(IntCC::UnsignedLessThan, length, i64::from(capacity));
        self.branch_unless(has_room, blocked);
        if send.arguments.len() != fields || self.is_watched(number) {
            self.give_up();
            return Ok(());
        }
        let values = self.message(send, channel)?;
        if !send.sorted {
            self.append(channel, &values);
            return Ok(());
        }
        if capacity > super::channel::MOST_SLOTS {
            return Err(Unsupported);
        }
        // As in SPIN, the values are compared before they are cut to the types of the fields.
        let raw: Vec<Value> = send.arguments.iter().map(|argument| self.value(argument)).collect::<Result<_>>()?;
        let done = self.builder.create_block();
        for slot in 0..capacity {
            let (here, next) = (self.builder.create_block(), self.builder.create_block());
            let is_last = self.builder.ins().icmp_imm_s(IntCC::Equal, length, i64::from(slot));
            let compare = self.builder.create_block();
            self.builder.ins().brif(is_last, here, &[], compare, &[]);
            self.continue_in(compare);
            let is_greater = self.is_greater(channel, slot, &raw);
            self.builder.ins().brif(is_greater, here, &[], next, &[]);
            self.continue_in(here);
            self.insert(channel, slot, &values);
            self.builder.ins().jump(done, &[]);
            self.continue_in(next);
        }
        self.builder.ins().jump(self.defer, &[]);
        self.continue_in(done);
        Ok(())
    }

    /// Whether the message in a slot is greater than these values, field by field.
    fn is_greater(&mut self, channel: &ChannelPlace, slot: u32, values: &[Value]) -> Value {
        let mut result = self.builder.ins().iconst(types::I8, 0);
        for (field, &value) in values.iter().enumerate().rev() {
            let stored = self.message_field(channel, slot, field);
            let greater = self.builder.ins().icmp(IntCC::SignedGreaterThan, stored, value);
            let equal = self.builder.ins().icmp(IntCC::Equal, stored, value);
            let rest = self.builder.ins().band(equal, result);
            result = self.builder.ins().bor(greater, rest);
        }
        result
    }

    /// Takes a message out of a buffer.
    fn receive(&mut self, receive: &Receive, number: usize, blocked: Block) -> Result {
        let channel = &self.shape.channels[number].clone();
        let kind = self.channel_type(channel);
        let (capacity, fields) = (kind.capacity, kind.fields.len());
        if capacity == 0 {
            // Nothing is ever in a rendezvous channel; looking into it is a fault.
            let to = if receive.keep { self.defer } else { blocked };
            self.builder.ins().jump(to, &[]);
            let never = self.builder.create_block();
            self.continue_in(never);
            return Ok(());
        }
        self.message_exists(channel, 0, blocked);
        if receive.patterns.len() != fields || self.is_watched(number) {
            self.give_up();
            return Ok(());
        }
        let slots = self.slots_to_search(receive, capacity)?;
        let done = self.builder.create_block();
        for slot in 0..slots {
            let next = self.builder.create_block();
            if slot > 0 {
                self.message_exists(channel, slot, next);
            }
            self.matches(receive, channel, slot, next)?;
            self.take(receive, channel, slot)?;
            self.builder.ins().jump(done, &[]);
            self.continue_in(next);
        }
        self.builder.ins().jump(blocked, &[]);
        self.continue_in(done);
        Ok(())
    }

    /// Stores the fields of the message in a slot where they are wanted. It is gone when the last is stored.
    fn take(&mut self, receive: &Receive, channel: &ChannelPlace, slot: u32) -> Result {
        let values: Vec<Value> =
            (0..receive.patterns.len()).map(|field| self.message_field(channel, slot, field)).collect();
        let last = receive.patterns.len().saturating_sub(1);
        for (field, (pattern, value)) in receive.patterns.iter().zip(values).enumerate() {
            if field == last && !receive.keep {
                self.remove(channel, slot);
            }
            if let Some(target) = pattern.stored() {
                let range = self.field_range(channel, field);
                self.store(target, value, range)?;
            }
        }
        Ok(())
    }
}
