//! Statements: when they are executable, and what they do.

use super::eval::Value;
use super::{Context, Interpreter};
use crate::fault::Fault;
use crate::semantics::{Cut, FindingKind};
use crate::state::State;
use spinor_model::expr::{Access, Pattern, Receive, Send};
use spinor_model::model::{Action, DStep, Initial, Proctype, Statement};
use spinor_model::{ProctypeId, Scalar};

/// Steps after which a `d_step` is watched for running in circles.
const D_STEP_PATIENCE: u64 = 1_000;
/// Steps of a `d_step` between two looks at its limits.
const D_STEP_CHECK: u64 = 1 << 16;

/// A message on its way from a sender to a receiver.
#[derive(Clone, Debug)]
pub(crate) struct Handshake {
    pub(crate) channel: usize,
    pub(crate) values: Vec<i32>,
}

/// What came of trying a statement.
pub(crate) enum Outcome {
    /// It is not executable.
    Blocked,
    /// It was executed; assertions may have failed on the way.
    Done,
    /// A rendezvous is offered: somebody must take it.
    Offer(Handshake),
    /// A limit was reached inside of a `d_step`: nothing is known of where it leads.
    Cut(Cut),
}

impl Interpreter<'_> {
    /// Tries a statement in `state`; if it is executable, the state that it leads to is in `next`.
    /// The location is not moved.
    pub(crate) fn attempt(
        &self,
        proctype: &Proctype,
        statement: &Statement,
        state: &State,
        next: &mut State,
        cx: Context<'_>,
        found: &mut Vec<FindingKind>,
    ) -> Value<Outcome> {
        if let Some(d_step) = statement.action.d_step() {
            next.copy_from(state);
            return self.d_step(proctype, d_step, next, cx, found);
        }
        if statement.runs {
            next.copy_from(state);
            return self.create_step(&statement.action, next, cx, found);
        }
        if let (Some(send), None) = (statement.action.send(), cx.handshake) {
            let channel = self.channel(&send.channel, state, cx)?;
            if self.is_rendezvous(state, channel) {
                let values = self.message(send, channel, state, cx)?;
                next.copy_from(state);
                return Ok(Outcome::Offer(Handshake { channel, values }));
            }
        }
        if !self.is_executable(&statement.action, state, cx)? {
            return Ok(Outcome::Blocked);
        }
        next.copy_from(state);
        self.apply(&statement.action, next, cx, found)?;
        Ok(Outcome::Done)
    }

    /// Whether a statement other than a `d_step` can be executed.
    pub(crate) fn is_executable(&self, action: &Action, state: &State, cx: Context<'_>) -> Value<bool> {
        if cx.handshake.is_some() && action.receive().is_none() {
            return Ok(false);
        }
        Ok(match action {
            Action::Condition(condition) => self.eval(condition, state, cx)? != 0,
            Action::Else => !cx.moved,
            Action::Send(send) => {
                let channel = self.channel(&send.channel, state, cx)?;
                let capacity = self.layout.channels[state.channel_kind(&self.layout, channel)].capacity;
                state.channel_length(&self.layout, channel) < capacity.max(1)
            }
            Action::Receive(receive) => self.can_receive(receive, state, cx)?,
            Action::End => cx.pid + 1 == state.process_count(),
            Action::Assign(..) | Action::Input(_) | Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) => {
                true
            }
            Action::SetPriority(..) | Action::Goto => true,
            Action::DStep(_) => unreachable!("tried as a whole"),
        })
    }

    fn is_rendezvous(&self, state: &State, channel: usize) -> bool {
        self.layout.channels[state.channel_kind(&self.layout, channel)].capacity == 0
    }

    fn can_receive(&self, receive: &Receive, state: &State, cx: Context<'_>) -> Value<bool> {
        let channel = self.channel(&receive.channel, state, cx)?;
        match cx.handshake {
            Some(handshake) => {
                // A message that is only looked at is not taken.
                if handshake.channel != channel || receive.keep {
                    return Ok(false);
                }
                self.count_fields(&receive.channel, channel, receive.patterns.len(), state)?;
                let field = |index: usize| handshake.values[index];
                self.matches(receive, &field, state, cx)
            }
            None if self.is_rendezvous(state, channel) => match receive.keep {
                true => Err(Fault::PollOfRendezvous(receive.channel.name.clone())),
                false => Ok(false),
            },
            None => {
                if state.channel_length(&self.layout, channel) > 0 {
                    self.count_fields(&receive.channel, channel, receive.patterns.len(), state)?;
                }
                Ok(self.find_message(receive, channel, state, cx)?.is_some())
            }
        }
    }

    /// The slot of the message that a receive would take. A poll may name the first fields only.
    pub(crate) fn find_message(
        &self,
        receive: &Receive,
        channel: usize,
        state: &State,
        cx: Context<'_>,
    ) -> Value<Option<usize>> {
        let length = state.channel_length(&self.layout, channel);
        let candidates = if receive.random { length } else { length.min(1) };
        let fields = self.layout.channels[state.channel_kind(&self.layout, channel)].fields.len();
        // Where there is no message, nothing is compared.
        if length > 0 && receive.patterns.len() > fields {
            self.count_fields(&receive.channel, channel, receive.patterns.len(), state)?;
        }
        for slot in 0..candidates {
            let field = |index: usize| state.message_field(&self.layout, channel, slot, index);
            if self.matches(receive, &field, state, cx)? {
                return Ok(Some(slot));
            }
        }
        Ok(None)
    }

    fn matches(&self, receive: &Receive, field: &dyn Fn(usize) -> i32, state: &State, cx: Context<'_>) -> Value<bool> {
        for (index, pattern) in receive.patterns.iter().enumerate() {
            if let Some(value) = pattern.wanted()
                && self.eval(value, state, cx)? != field(index)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn count_fields(&self, access: &Access, channel: usize, found: usize, state: &State) -> Value<()> {
        let expected = self.layout.channels[state.channel_kind(&self.layout, channel)].fields.len();
        if expected == found {
            return Ok(());
        }
        Err(Fault::FieldCount { name: access.name.clone(), expected, found })
    }

    /// The values of a message, converted to the types of the channel's fields.
    pub(crate) fn message(&self, send: &Send, channel: usize, state: &State, cx: Context<'_>) -> Value<Vec<i32>> {
        self.count_fields(&send.channel, channel, send.arguments.len(), state)?;
        let fields = &self.layout.channels[state.channel_kind(&self.layout, channel)].fields;
        let mut values = Vec::with_capacity(fields.len());
        for (argument, (_, ty)) in send.arguments.iter().zip(fields) {
            let value = self.eval(argument, state, cx)?;
            values.push(converted(ty, value, &send.channel.name)?);
        }
        Ok(values)
    }

    /// Executes a statement that [`Self::is_executable`].
    pub(crate) fn apply(
        &self,
        action: &Action,
        state: &mut State,
        cx: Context<'_>,
        found: &mut Vec<FindingKind>,
    ) -> Value<()> {
        match action {
            Action::Assign(target, value) => {
                let value = self.eval(value, state, cx)?;
                self.store(target, value, state, cx)?;
            }
            Action::Input(target) => {
                let character = self.input.ok_or(Fault::NoInput)?;
                self.store(target, character, state, cx)?;
            }
            Action::Send(send) => self.send(send, state, cx, found)?,
            Action::Receive(receive) => self.receive(receive, state, cx, found)?,
            Action::Assert(condition) => {
                if self.eval(condition, state, cx)? == 0 {
                    found.push(FindingKind::Assertion("".into()));
                }
            }
            Action::SetPriority(process, priority) => {
                let (process, priority) = (self.eval(process, state, cx)?, self.eval(priority, state, cx)?);
                if let Some(pid) = usize::try_from(process).ok().filter(|&pid| pid < state.process_count()) {
                    let priority = u8::try_from(priority).ok().filter(|&it| it > 0).ok_or(Fault::Priority(priority))?;
                    state.set_priority(&self.layout, pid, priority);
                }
            }
            // A print has no effect, but its arguments can be at fault.
            Action::Print(_, values) => values.iter().try_for_each(|value| self.eval(value, state, cx).map(drop))?,
            Action::PrintMtype(value, _) => drop(self.eval(value, state, cx)?),
            Action::End => state.pop_process(),
            Action::Condition(_) | Action::Else | Action::Goto => {}
            Action::DStep(_) => unreachable!("executed as a whole"),
        }
        Ok(())
    }

    fn store(&self, target: &Access, value: i32, state: &mut State, cx: Context<'_>) -> Value<()> {
        let value = converted(&target.ty, value, &target.name)?;
        let at = self.address(target, state, cx)?;
        state.set(at, &target.ty, value);
        Ok(())
    }

    fn send(&self, send: &Send, state: &mut State, cx: Context<'_>, found: &mut Vec<FindingKind>) -> Value<()> {
        let channel = self.channel(&send.channel, state, cx)?;
        let values = self.message(send, channel, state, cx)?;
        let length = state.channel_length(&self.layout, channel);
        let slot = if send.sorted { self.sorted_slot(send, channel, length, state, cx)? } else { length };
        state.insert_message(&self.layout, channel, slot, &values);
        self.watch((true, channel, &values), state, found);
        Ok(())
    }

    /// In front of the first message that is greater, field by field. As in SPIN, the values are
    /// compared before they are cut to the types of the fields.
    fn sorted_slot(&self, send: &Send, channel: usize, length: usize, state: &State, cx: Context<'_>) -> Value<usize> {
        let values: Vec<i32> =
            send.arguments.iter().map(|argument| self.eval(argument, state, cx)).collect::<Value<_>>()?;
        let is_greater = |slot: &usize| {
            let stored = (0..values.len()).map(|field| state.message_field(&self.layout, channel, *slot, field));
            stored.gt(values.iter().copied())
        };
        Ok((0..length).find(is_greater).unwrap_or(length))
    }

    fn receive(
        &self,
        receive: &Receive,
        state: &mut State,
        cx: Context<'_>,
        found: &mut Vec<FindingKind>,
    ) -> Value<()> {
        if let Some(Handshake { channel, values }) = cx.handshake {
            self.take(receive, values, state, cx, |_| {})?;
            // A send that nobody takes does not happen.
            self.watch((true, *channel, values), state, found);
            self.watch((false, *channel, values), state, found);
            return Ok(());
        }
        let channel = self.channel(&receive.channel, state, cx)?;
        let Some(slot) = self.find_message(receive, channel, state, cx)? else { return Ok(()) };
        let values: Vec<i32> =
            (0..receive.patterns.len()).map(|field| state.message_field(&self.layout, channel, slot, field)).collect();
        let remove = |state: &mut State| {
            if !receive.keep {
                state.remove_message(&self.layout, channel, slot);
            }
        };
        self.take(receive, &values, state, cx, remove)?;
        if !receive.keep {
            self.watch((false, channel, &values), state, found);
        }
        Ok(())
    }

    /// Stores the fields of a message. As in SPIN, it is gone when the last is stored: an index there may ask for the
    /// length of the channel.
    fn take(
        &self,
        receive: &Receive,
        values: &[i32],
        state: &mut State,
        cx: Context<'_>,
        remove: impl FnOnce(&mut State),
    ) -> Value<()> {
        let (last, before) = match receive.patterns.split_last() {
            Some((Pattern::Store(last), before)) => (Some(last), before),
            Some((Pattern::Match(_) | Pattern::Ignore, _)) | None => (None, &receive.patterns[..]),
        };
        for (pattern, &value) in before.iter().zip(values) {
            match pattern {
                Pattern::Store(target) => self.store(target, value, state, cx)?,
                Pattern::Match(_) | Pattern::Ignore => {}
            }
        }
        remove(state);
        match (last, values.get(before.len())) {
            (Some(last), Some(&value)) => self.store(last, value, state, Context { handshake: None, ..cx }),
            (None, _) | (_, None) => Ok(()),
        }
    }

    /// Executes a statement that creates processes: first these are there, then the rest is done with their pids.
    fn create_step(
        &self,
        action: &Action,
        state: &mut State,
        cx: Context<'_>,
        found: &mut Vec<FindingKind>,
    ) -> Value<Outcome> {
        // What surely cannot be executed creates nothing.
        if !self.may_be_executable(action, state, cx)? {
            return Ok(Outcome::Blocked);
        }
        let action = self.settled(action, state, cx)?;
        if !self.is_executable(&action, state, cx)? {
            return Ok(Outcome::Blocked);
        }
        self.apply(&action, state, cx, found)?;
        Ok(Outcome::Done)
    }

    /// Creates a process with its parameters, local variables and channels.
    pub(crate) fn create(
        &self,
        proctype: ProctypeId,
        priority: u8,
        arguments: &[i32],
        state: &mut State,
    ) -> Value<usize> {
        if state.process_count() >= 255 {
            return Err(Fault::TooManyProcesses);
        }
        let definition = self.model.proctype(proctype);
        let pid = state.push_process(&self.layout, proctype, definition.start);
        state.set_priority(&self.layout, pid, priority);
        let cx = Context::of(pid);
        for (parameter, &value) in definition.parameters.iter().zip(arguments) {
            self.store(parameter, value, state, cx)?;
        }
        self.initialise(&definition.locals_init, state, cx)?;
        Ok(pid)
    }

    pub(crate) fn initialise(&self, initials: &[Initial], state: &mut State, cx: Context<'_>) -> Value<()> {
        for initial in initials {
            match initial {
                Initial::Value(target, value) => {
                    let value = self.eval(value, state, cx)?;
                    self.store(target, value, state, cx)?;
                }
                Initial::Channel(target, kind) => {
                    if state.channel_count() >= 255 {
                        return Err(Fault::TooManyChannels);
                    }
                    let id = state.push_channel(&self.layout, usize::from(kind.0));
                    self.store(target, id as i32, state, cx)?;
                }
            }
        }
        Ok(())
    }

    /// Executes a `d_step`.
    fn d_step(
        &self,
        proctype: &Proctype,
        d_step: &DStep,
        state: &mut State,
        cx: Context<'_>,
        found: &mut Vec<FindingKind>,
    ) -> Value<Outcome> {
        if d_step.is_else && cx.moved {
            return Ok(Outcome::Blocked);
        }
        let mut node = 0_usize;
        let mut cx = cx;
        // Brent's method: a state that comes back means that the sequence never ends. One that is long may end.
        let mut seen: Option<(usize, Vec<u8>)> = None;
        for step in 0_u64.. {
            let chosen = self.d_step_choice(proctype, d_step, node, state, cx)?;
            let Some((statement, target)) = chosen else {
                return if step == 0 { Ok(Outcome::Blocked) } else { Err(Fault::BlockedDStep) };
            };
            let before = found.len();
            self.apply(&statement.action, state, cx, found)?;
            name_assertions(&mut found[before..], statement);
            // Only the first statement can take part in a rendezvous.
            cx.handshake = None;
            let Some(target) = target else { break };
            node = target as usize;
            if step >= D_STEP_PATIENCE {
                if seen.as_ref().is_some_and(|(at, bytes)| *at == node && bytes == state.bytes()) {
                    return Err(Fault::EndlessDStep);
                }
                if step.is_power_of_two() || seen.is_none() {
                    seen = Some((node, state.bytes().to_vec()));
                }
                if step.is_multiple_of(D_STEP_CHECK)
                    && let Some(cut) = cx.is_over(step)
                {
                    return Ok(Outcome::Cut(cut));
                }
            }
        }
        Ok(Outcome::Done)
    }

    pub(crate) fn d_step_choice<'m>(
        &self,
        proctype: &'m Proctype,
        d_step: &DStep,
        node: usize,
        state: &State,
        cx: Context<'_>,
    ) -> Value<Option<(&'m Statement, Option<u32>)>> {
        let cx = Context { moved: false, ..cx };
        for &(id, target) in &d_step.nodes[node].edges {
            let statement = proctype.statement(id);
            if let Some(send) = statement.action.send() {
                let channel = self.channel(&send.channel, state, cx)?;
                if cx.handshake.is_none() && self.is_rendezvous(state, channel) {
                    return Err(Fault::RendezvousInDStep);
                }
            }
            if self.is_executable(&statement.action, state, cx)? {
                return Ok(Some((statement, target)));
            }
        }
        Ok(None)
    }

    /// Whether the guard of a `d_step` is executable.
    pub(crate) fn d_step_is_executable(
        &self,
        proctype: &Proctype,
        d_step: &DStep,
        state: &State,
        cx: Context<'_>,
    ) -> Value<bool> {
        Ok(self.d_step_choice(proctype, d_step, 0, state, cx)?.is_some())
    }
}

/// Gives failed assertions the text of their statement.
pub(crate) fn name_assertions(found: &mut [FindingKind], statement: &Statement) {
    for kind in found {
        if let FindingKind::Assertion(text) = kind
            && text.is_empty()
        {
            *text = statement.text.clone();
        }
    }
}

fn converted(ty: &Scalar, value: i32, name: &std::sync::Arc<str>) -> Value {
    ty.convert(value).map_err(|_| {
        let (low, high) = ty.bounds();
        Fault::Range { name: name.clone(), value, low, high }
    })
}
