//! The value of an expression in a state.

use super::{Context, Interpreter};
use crate::fault::Fault;
use crate::state::State;
use spinor_model::expr::{Access, Base, BinaryOp, ChannelTest, Expr, Receive};
use spinor_model::{ProctypeId, eval};

pub(crate) type Value<T = i32> = Result<T, Fault>;

impl Interpreter<'_> {
    /// The value of an expression that creates no process.
    pub(crate) fn eval(&self, expr: &Expr, state: &State, cx: Context) -> Value {
        Ok(match expr {
            Expr::Constant(value) => *value,
            Expr::Load(access) => {
                let at = self.address(access, state, cx)?;
                state.get(at, &access.ty)
            }
            Expr::Binary(op, left, right) => return self.binary(*op, left, right, state, cx),
            Expr::Unary(op, operand) => eval::unary(*op, self.eval(operand, state, cx)?),
            Expr::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.eval(condition, state, cx)? != 0 { then } else { otherwise };
                self.eval(chosen, state, cx)?
            }
            Expr::Len(channel) => {
                let channel = self.channel(channel, state, cx)?;
                self.length_seen(channel, state, cx) as i32
            }
            Expr::ChannelTest(test, channel) => i32::from(self.test(*test, channel, state, cx)?),
            Expr::Poll(receive) => i32::from(self.poll(receive, state, cx)?),
            Expr::Enabled(pid) => {
                let pid = self.eval(pid, state, cx)?;
                if pid == cx.pid as i32 {
                    return Err(Fault::EnabledOfItself);
                }
                // Among more than there are some process asks twice, and so for ever.
                if cx.asking > state.process_count() {
                    return Err(Fault::EnabledInCircles);
                }
                let asked = Context { asking: cx.asking + 1, ..cx.phase() };
                existing(pid, state).map_or(Ok(0), |pid| self.can_move(state, pid, asked).map(i32::from))?
            }
            Expr::PcValue(pid) => {
                let pid = self.eval(pid, state, cx)?;
                existing(pid, state).map_or(0, |pid| self.location(state, pid).number as i32)
            }
            Expr::GetPriority(pid) => {
                let pid = self.eval(pid, state, cx)?;
                existing(pid, state).map_or(0, |pid| i32::from(state.priority(&self.layout, pid)))
            }
            Expr::AtLabel { pid, label } => {
                let label = &self.model.labels[label.0 as usize];
                let process = self.remote(pid.as_deref(), label.proctype, state, cx)?;
                let at = process.map(|pid| (state.proctype(&self.layout, pid), state.location(&self.layout, pid)));
                i32::from(at.is_some_and(|(proctype, at)| proctype == label.proctype && Some(at) == label.location))
            }
            Expr::Remote { proctype, pid, access } => {
                self.remote_variable(*proctype, pid.as_deref(), access, state, cx)?
            }
            Expr::Timeout => i32::from(cx.timeout),
            Expr::NonProgress => {
                let progress = self.locations(state).any(|location| location.is_progress);
                i32::from(!progress)
            }
            Expr::Pid => cx.pid as i32,
            Expr::ProcessCount => state.process_count() as i32,
            Expr::Last => self.last_offset.map_or(0, |at| state.get(at, &spinor_model::Scalar::Byte)),
            Expr::OwnPriority => i32::from(state.priority(&self.layout, cx.pid)),
            Expr::Run(_) => return Err(Fault::RunInside),
        })
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr, state: &State, cx: Context) -> Value {
        let left = self.eval(left, state, cx)?;
        match op {
            BinaryOp::And if left == 0 => Ok(0),
            BinaryOp::Or if left != 0 => Ok(1),
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::BitAnd
            | BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Greater
            | BinaryOp::Less
            | BinaryOp::GreaterEqual
            | BinaryOp::LessEqual
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight
            | BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder => {
                let right = self.eval(right, state, cx)?;
                eval::binary(op, left, right).ok_or(Fault::DivisionByZero)
            }
        }
    }

    /// Where a variable is in the vector.
    pub(crate) fn address(&self, access: &Access, state: &State, cx: Context) -> Value<usize> {
        let base = match access.base {
            Base::Global => self.layout.hidden,
            Base::Hidden => 0,
            Base::Local => state.locals(&self.layout, cx.pid),
        };
        self.address_from(base, access, state, cx)
    }

    fn address_from(&self, base: usize, access: &Access, state: &State, cx: Context) -> Value<usize> {
        let mut at = base + access.offset as usize;
        for index in &access.indexes {
            let value = self.eval(&index.value, state, cx)?;
            if value < 0 || value as u32 >= index.length {
                return Err(Fault::Index { name: access.name.clone(), index: value, length: index.length });
            }
            at += value as usize * index.stride as usize;
        }
        Ok(at)
    }

    /// The channel that a variable holds, counted from 0.
    pub(crate) fn channel(&self, access: &Access, state: &State, cx: Context) -> Value<usize> {
        let at = self.address(access, state, cx)?;
        let id = state.get(at, &access.ty);
        if id <= 0 {
            return Err(Fault::UninitialisedChannel(access.name.clone()));
        }
        if id as usize > state.channel_count() {
            return Err(Fault::NoSuchChannel(access.name.clone()));
        }
        Ok(id as usize - 1)
    }

    /// How many messages there are to who looks. As in SPIN, one that is offered is in its channel as long as others are
    /// asked whether they take it.
    fn length_seen(&self, channel: usize, state: &State, cx: Context) -> usize {
        let offered = usize::from(cx.handshake.is_some_and(|handshake| handshake.channel == channel));
        state.channel_length(&self.layout, channel) + offered
    }

    fn test(&self, test: ChannelTest, channel: &Access, state: &State, cx: Context) -> Value<bool> {
        let channel = self.channel(channel, state, cx)?;
        let length = self.length_seen(channel, state, cx);
        let capacity = self.layout.channels[state.channel_kind(&self.layout, channel)].capacity;
        // A rendezvous channel counts as having room for one, and as never holding it.
        let full = length == capacity.max(1);
        Ok(match test {
            ChannelTest::Full => full,
            ChannelTest::NotFull => !full,
            ChannelTest::Empty => length == 0,
            ChannelTest::NotEmpty => length > 0,
        })
    }

    fn poll(&self, receive: &Receive, state: &State, cx: Context) -> Value<bool> {
        let channel = self.channel(&receive.channel, state, cx)?;
        if self.layout.channels[state.channel_kind(&self.layout, channel)].capacity == 0 {
            return Err(Fault::PollOfRendezvous(receive.channel.name.clone()));
        }
        Ok(self.find_message(receive, channel, state, cx)?.is_some())
    }

    /// The process that a remote reference means.
    fn remote(&self, pid: Option<&Expr>, proctype: ProctypeId, state: &State, cx: Context) -> Value<Option<usize>> {
        match pid {
            Some(pid) => Ok(existing(self.eval(pid, state, cx)?, state)),
            None => Ok((0..state.process_count()).find(|&pid| state.proctype(&self.layout, pid) == proctype)),
        }
    }

    /// A variable of another process; 0 if there is no such process.
    fn remote_variable(
        &self,
        proctype: ProctypeId,
        pid: Option<&Expr>,
        access: &Access,
        state: &State,
        cx: Context,
    ) -> Value {
        let Some(pid) = self.remote(pid, proctype, state, cx)? else { return Ok(0) };
        if state.proctype(&self.layout, pid) != proctype {
            let expected = self.model.proctype(proctype).name.clone();
            return Err(Fault::RemoteType { pid: pid as i32, expected });
        }
        let at = self.address_from(state.locals(&self.layout, pid), access, state, cx)?;
        Ok(state.get(at, &access.ty))
    }
}

fn existing(pid: i32, state: &State) -> Option<usize> {
    usize::try_from(pid).ok().filter(|&pid| pid < state.process_count())
}
