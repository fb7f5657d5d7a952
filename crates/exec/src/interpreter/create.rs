//! Statements that create processes.
//!
//! `run` is the one operator that changes the state. Wherever it stands in a statement, the processes are created
//! first, from left to right as far as the operators ask for their operands; what is left is a statement with
//! constants in their places, which is executed as any other.

use super::eval::Value;
use super::{Context, Interpreter};
use crate::fault::Fault;
use crate::state::State;
use spinor_model::eval;
use spinor_model::expr::{Access, BinaryOp, Expr, Index, Pattern, Receive, Run};
use spinor_model::model::Action;

impl Interpreter<'_> {
    /// Whether a statement can be executable, whatever its processes are called: of a receive, whether there is a message
    /// at all.
    pub(super) fn may_be_executable(&self, action: &Action, state: &State, cx: Context<'_>) -> Value<bool> {
        match action {
            Action::Receive(receive) => {
                let channel = self.channel(&receive.channel, state, cx)?;
                Ok(match cx.handshake {
                    Some(handshake) => handshake.channel == channel,
                    None => state.channel_length(&self.layout, channel) > 0,
                })
            }
            Action::Condition(_) | Action::Else | Action::Assign(..) | Action::Send(_) | Action::Input(_) => {
                Ok(cx.handshake.is_none())
            }
            Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) | Action::SetPriority(..) => {
                Ok(cx.handshake.is_none())
            }
            Action::DStep(_) | Action::Goto | Action::End => Ok(cx.handshake.is_none()),
        }
    }

    /// A statement whose processes have been created.
    pub(crate) fn settled(&self, action: &Action, state: &mut State, cx: Context<'_>) -> Value<Action> {
        Ok(match action {
            Action::Condition(value) => Action::Condition(self.settled_value(value, state, cx)?),
            Action::Assign(target, value) => {
                let value = self.settled_value(value, state, cx)?;
                Action::Assign(self.settled_access(target, state, cx)?, value)
            }
            Action::Receive(receive) => Action::Receive(self.settled_receive(receive, state, cx)?),
            Action::Input(target) => Action::Input(self.settled_access(target, state, cx)?),
            Action::Assert(value) => Action::Assert(self.settled_value(value, state, cx)?),
            Action::Print(format, values) => {
                let values = values.iter().map(|value| self.settled_value(value, state, cx)).collect::<Value<_>>()?;
                Action::Print(format.clone(), values)
            }
            Action::PrintMtype(value, set) => Action::PrintMtype(self.settled_value(value, state, cx)?, set.clone()),
            Action::SetPriority(process, priority) => {
                let process = self.settled_value(process, state, cx)?;
                Action::SetPriority(process, self.settled_value(priority, state, cx)?)
            }
            Action::Send(_) | Action::DStep(_) => return Err(Fault::RunInside),
            Action::Else | Action::Goto | Action::End => action.clone(),
        })
    }

    fn settled_value(&self, expr: &Expr, state: &mut State, cx: Context<'_>) -> Value<Expr> {
        self.value_creating(expr, state, cx).map(Expr::Constant)
    }

    fn settled_access(&self, access: &Access, state: &mut State, cx: Context<'_>) -> Value<Access> {
        let mut settled = access.clone();
        for Index { value, .. } in &mut settled.indexes {
            *value = self.settled_value(value, state, cx)?;
        }
        Ok(settled)
    }

    fn settled_receive(&self, receive: &Receive, state: &mut State, cx: Context<'_>) -> Value<Receive> {
        let mut settled = receive.clone();
        settled.channel = self.settled_access(&receive.channel, state, cx)?;
        for pattern in &mut settled.patterns {
            match pattern {
                Pattern::Match(value) => *value = self.settled_value(value, state, cx)?,
                Pattern::Store(target) => *target = self.settled_access(target, state, cx)?,
                Pattern::Ignore => {}
            }
        }
        Ok(settled)
    }

    /// The value of an expression that may create processes.
    fn value_creating(&self, expr: &Expr, state: &mut State, cx: Context<'_>) -> Value {
        if !expr.has_run() {
            return self.eval(expr, state, cx);
        }
        match expr {
            Expr::Run(run) => self.run(run, state, cx),
            Expr::Unary(op, operand) => Ok(eval::unary(*op, self.value_creating(operand, state, cx)?)),
            Expr::Binary(op, left, right) => {
                let left = self.value_creating(left, state, cx)?;
                match op {
                    BinaryOp::And if left == 0 => Ok(0),
                    BinaryOp::Or if left != 0 => Ok(1),
                    _ => eval::binary(*op, left, self.value_creating(right, state, cx)?).ok_or(Fault::DivisionByZero),
                }
            }
            Expr::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.value_creating(condition, state, cx)? != 0 { then } else { otherwise };
                self.value_creating(chosen, state, cx)
            }
            Expr::Load(access) => {
                let access = self.settled_access(access, state, cx)?;
                self.eval(&Expr::Load(access), state, cx)
            }
            Expr::Len(channel) => {
                let channel = self.settled_access(channel, state, cx)?;
                self.eval(&Expr::Len(channel), state, cx)
            }
            Expr::ChannelTest(test, channel) => {
                let channel = self.settled_access(channel, state, cx)?;
                self.eval(&Expr::ChannelTest(*test, channel), state, cx)
            }
            Expr::Poll(receive) => {
                let receive = self.settled_receive(receive, state, cx)?;
                self.eval(&Expr::Poll(receive.into()), state, cx)
            }
            Expr::Enabled(pid) => {
                let pid = self.settled_value(pid, state, cx)?;
                self.eval(&Expr::Enabled(pid.into()), state, cx)
            }
            Expr::PcValue(pid) => {
                let pid = self.settled_value(pid, state, cx)?;
                self.eval(&Expr::PcValue(pid.into()), state, cx)
            }
            Expr::GetPriority(pid) => {
                let pid = self.settled_value(pid, state, cx)?;
                self.eval(&Expr::GetPriority(pid.into()), state, cx)
            }
            Expr::AtLabel { pid, label } => {
                let pid = self.settled_pid(pid.as_deref(), state, cx)?;
                self.eval(&Expr::AtLabel { pid, label: *label }, state, cx)
            }
            Expr::Remote { proctype, pid, access } => {
                let pid = self.settled_pid(pid.as_deref(), state, cx)?;
                let access = self.settled_access(access, state, cx)?;
                self.eval(&Expr::Remote { proctype: *proctype, pid, access }, state, cx)
            }
            Expr::Constant(_) | Expr::Timeout | Expr::NonProgress | Expr::Pid | Expr::ProcessCount => {
                self.eval(expr, state, cx)
            }
            Expr::Last | Expr::OwnPriority => self.eval(expr, state, cx),
        }
    }

    fn settled_pid(&self, pid: Option<&Expr>, state: &mut State, cx: Context<'_>) -> Value<Option<Box<Expr>>> {
        pid.map(|pid| self.settled_value(pid, state, cx).map(Box::new)).transpose()
    }

    fn run(&self, run: &Run, state: &mut State, cx: Context<'_>) -> Value {
        let arguments: Vec<i32> =
            run.arguments.iter().map(|argument| self.value_creating(argument, state, cx)).collect::<Value<_>>()?;
        self.create(run.proctype, run.priority, &arguments, state).map(|pid| pid as i32)
    }
}
