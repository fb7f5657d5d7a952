//! A message handed over from a sender to a receiver, without a buffer.

use super::channel::Meant;
use super::{Generator, Result, Unsupported};
use crate::context::DEEP_SHIFT;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Variable;
use spinor_model::expr::{Pattern, Receive, Send};
use spinor_model::model::{Action, Edge, Location};
use spinor_model::ranges::Interval;
use spinor_model::{Expr, LocationId, Proctype};

/// A send that more statements than this can take is left to the interpreter.
const MOST_RECEIVES: usize = 400;

/// A message that is offered.
struct Offer<'e> {
    channel: usize,
    values: Vec<(Value, Interval)>,
    /// The words of the state in which it is offered: the sender has moved on already.
    words: Vec<Value>,
    edge: &'e Edge,
    /// Whether somebody took it.
    taken: Variable,
}

impl Generator<'_, '_> {
    /// Offers a message to all who can take it, in SPIN's order.
    pub(super) fn offer(&mut self, edge: &Edge, send: &Send, channel: usize) -> Result {
        let place = self.shape.channels[channel].clone();
        if send.arguments.len() != self.channel_type(&place).fields.len() {
            self.give_up();
            return Ok(());
        }
        let values = self.message(send, &place)?;
        self.move_on(self.pid, edge);
        self.set_last(self.pid);
        self.add_status(1 << (DEEP_SHIFT + self.length + 1));
        let words = self.words.clone().into_iter().map(|word| self.builder.use_var(word)).collect();
        let taken = self.builder.declare_var(types::I32);
        let zero = self.int(0);
        self.builder.def_var(taken, zero);
        let offer = Offer { channel, values, words, edge, taken };
        let sender = (self.pid, self.proctype, self.no_timeout);
        self.no_timeout = true;
        let mut receives = 0;
        for receiver in (0..self.shape.processes.len()).rev().filter(|&pid| pid != sender.0) {
            self.pid = receiver;
            self.proctype = self.shape.processes[receiver].proctype;
            let result = self.receiver(&offer, sender.0, &mut receives);
            if result.is_err() {
                (self.pid, self.proctype, self.no_timeout) = sender;
                return result;
            }
        }
        (self.pid, self.proctype, self.no_timeout) = sender;
        self.mark_taken(&offer);
        Ok(())
    }

    /// If somebody took the message, the sender has moved.
    fn mark_taken(&mut self, offer: &Offer<'_>) {
        let taken = self.builder.use_var(offer.taken);
        let moved = self.builder.use_var(self.moved);
        let moved = self.builder.ins().bor(moved, taken);
        self.builder.def_var(self.moved, moved);
        let before = self.builder.use_var(self.escape);
        let own = self.int(offer.edge.escape.map_or(0, |group| group as i32 + 1));
        let escape = self.builder.ins().select(taken, own, before);
        self.builder.def_var(self.escape, escape);
    }

    /// One process, wherever it may stand.
    fn receiver(&mut self, offer: &Offer<'_>, sender: usize, receives: &mut usize) -> Result {
        let definition = self.definition();
        let mut places = Vec::new();
        for (index, location) in definition.locations.iter().enumerate() {
            let edges = self.takers(definition, location, offer.channel)?;
            if edges > 0 {
                *receives += edges;
                places.push(LocationId(index as u16));
            }
        }
        if *receives > MOST_RECEIVES {
            return Err(Unsupported);
        }
        if places.is_empty() {
            return Ok(());
        }
        let bits = self.shape.processes[self.pid].location;
        self.restore(offer);
        let stands = self.get(bits);
        let done = self.builder.create_block();
        for location in places {
            let (here, other) = (self.builder.create_block(), self.builder.create_block());
            let is_here = self.builder.ins().icmp_imm_s(IntCC::Equal, stands, i64::from(location.0));
            self.builder.ins().brif(is_here, here, &[], other, &[]);
            self.continue_in(here);
            self.receiver_at(offer, sender, definition.location(location), done)?;
            self.builder.ins().jump(done, &[]);
            self.continue_in(other);
        }
        self.builder.ins().jump(done, &[]);
        self.continue_in(done);
        Ok(())
    }

    /// How many edges of a location may take a message from a channel.
    fn takers(&self, definition: &Proctype, location: &Location, channel: usize) -> Result<usize> {
        let mut count = 0;
        for edge in &location.edges {
            let mut may = false;
            for receive in beginnings(definition, edge).filter_map(Action::receive) {
                may |= self.may_mean(receive, channel)?;
            }
            count += usize::from(may);
        }
        Ok(count)
    }

    /// Whether a receive may be from a channel, or be at fault.
    fn may_mean(&self, receive: &Receive, channel: usize) -> Result<bool> {
        let known = self.known_channel(&receive.channel)?;
        let exists = |id: i32| id > 0 && id as usize <= self.shape.channels.len();
        Ok(known.is_none_or(|id| !exists(id) || id as usize == channel + 1))
    }

    fn restore(&mut self, offer: &Offer<'_>) {
        for (index, &value) in offer.words.iter().enumerate() {
            self.builder.def_var(self.words[index], value);
        }
    }

    fn receiver_at(&mut self, offer: &Offer<'_>, sender: usize, location: &Location, done: Block) -> Result {
        let definition = self.definition();
        let escape = self.builder.declare_var(types::I32);
        let zero = self.int(0);
        self.builder.def_var(escape, zero);
        for (index, edge) in location.edges.iter().enumerate() {
            let before = &location.edges[..index];
            if before.iter().any(|earlier| earlier.escape.is_some() && earlier.escape != edge.escape) {
                let taken = self.builder.use_var(escape);
                let own = edge.escape.map_or(0, |group| group as i64 + 1);
                let is_other = self.builder.ins().icmp_imm_s(IntCC::NotEqual, taken, own);
                let is_some = self.builder.ins().icmp_imm_s(IntCC::NotEqual, taken, 0);
                let stop = self.builder.ins().band(is_other, is_some);
                self.branch_away(stop, done);
            }
            let next = self.builder.create_block();
            let action = &definition.statement(edge.statement).action;
            if let Some(receive) = action.receive() {
                if self.may_mean(receive, offer.channel)? {
                    self.restore(offer);
                    if self.take_offer(offer, receive, next)? {
                        self.hand_over(offer, sender, edge)?;
                        let own = self.int(edge.escape.map_or(0, |group| group as i32 + 1));
                        self.builder.def_var(escape, own);
                    }
                }
            } else if beginnings(definition, edge).any(|action| action.receive().is_some()) {
                self.give_up();
            }
            self.builder.ins().jump(next, &[]);
            self.continue_in(next);
        }
        Ok(())
    }

    /// Whether a receive asks for something that the message cannot be, and nothing else can happen.
    fn never_matches(&self, offer: &Offer<'_>, receive: &Receive) -> bool {
        if receive.patterns.iter().filter_map(Pattern::wanted).any(Expr::can_fail) {
            return false;
        }
        let differs = |(pattern, &(_, range)): (&Pattern, &(Value, Interval))| {
            let Some(wanted) = pattern.wanted() else { return false };
            let wanted = self.site.shapes.constant(&self.shape, self.pid, wanted);
            wanted.is_some_and(|wanted| wanted < range.low || wanted > range.high)
        };
        receive.patterns.len() == offer.values.len() && receive.patterns.iter().zip(&offer.values).any(differs)
    }

    /// Takes the message if the receive asks for it, else goes to `next`. `false` if it never does.
    fn take_offer(&mut self, offer: &Offer<'_>, receive: &Receive, next: Block) -> Result<bool> {
        // The message is in its channel for those who are asked to take it, whichever channel that makes of it.
        if looks_at_lengths(receive) {
            self.give_up();
            return Ok(false);
        }
        match self.channel(&receive.channel)? {
            Meant::None => {
                self.give_up();
                return Ok(false);
            }
            Meant::Known(channel) if channel != offer.channel => return Ok(false),
            Meant::Known(_) => {}
            Meant::Computed(id) => {
                let same = self.builder.ins().icmp_imm_s(IntCC::Equal, id, offer.channel as i64 + 1);
                self.branch_unless(same, next);
            }
        }
        // A message that is only looked at is not taken.
        if receive.keep || self.never_matches(offer, receive) {
            return Ok(false);
        }
        if receive.patterns.len() != offer.values.len() {
            self.give_up();
            return Ok(false);
        }
        for (pattern, &(value, _)) in receive.patterns.iter().zip(&offer.values) {
            if let Some(wanted) = pattern.wanted() {
                let wanted = self.value(wanted)?;
                let same = self.builder.ins().icmp(IntCC::Equal, wanted, value);
                self.branch_unless(same, next);
            }
        }
        for (pattern, &(value, range)) in receive.patterns.iter().zip(&offer.values) {
            if let Some(target) = pattern.stored() {
                self.store(target, value, range)?;
            }
        }
        Ok(true)
    }

    /// Both have moved: the state is written.
    fn hand_over(&mut self, offer: &Offer<'_>, sender: usize, edge: &Edge) -> Result {
        if self.is_watched(offer.channel) {
            self.give_up();
            return Ok(());
        }
        self.move_on(self.pid, edge);
        self.set_last(self.pid);
        let sending = self.shape.processes[sender].proctype;
        self.mark_executed(sending, offer.edge);
        self.mark_executed(self.proctype, edge);
        self.arrive(edge, 2)?;
        let one = self.int(1);
        self.builder.def_var(offer.taken, one);
        Ok(())
    }
}

/// What a process can do first along an edge: its statement, or what a `d_step` begins with.
fn beginnings<'m>(definition: &'m Proctype, edge: &Edge) -> impl Iterator<Item = &'m Action> {
    let action = &definition.statement(edge.statement).action;
    let inside = action.d_step().and_then(|it| it.nodes.first()).map_or(&[][..], |node| &node.edges);
    std::iter::once(action).chain(inside.iter().map(|(id, _)| &definition.statement(*id).action))
}

/// Whether a receive asks how many messages there are: one that is offered counts.
fn looks_at_lengths(receive: &Receive) -> bool {
    let mut looks = false;
    receive.visit(&mut |expr| {
        looks |= match expr {
            Expr::Len(_) | Expr::ChannelTest(..) => true,
            Expr::Constant(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) => false,
            Expr::Run(_) | Expr::Poll(_) | Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) => false,
            Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::Timeout | Expr::NonProgress | Expr::Pid => false,
            Expr::ProcessCount | Expr::Last | Expr::OwnPriority => false,
        };
    });
    looks
}
