//! The values of expressions.

use super::{Generator, Result, Unsupported};
use crate::context::Context;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use spinor_model::expr::{BinaryOp, UnaryOp};
use spinor_model::{Access, Expr, LocationId, ProctypeId};
use std::mem::offset_of;

impl Generator<'_, '_> {
    /// The value of an expression, in 32 bits. A fault gives the state up.
    pub(super) fn value(&mut self, expr: &Expr) -> Result<Value> {
        Ok(match expr {
            Expr::Constant(value) => self.int(*value),
            Expr::Load(access) => self.load(access)?,
            Expr::Unary(UnaryOp::Negate, operand) => {
                let operand = self.value(operand)?;
                self.builder.ins().ineg(operand)
            }
            Expr::Unary(UnaryOp::Complement, operand) => {
                let operand = self.value(operand)?;
                self.builder.ins().bnot(operand)
            }
            Expr::Unary(UnaryOp::Not, _) => self.truth(expr)?,
            Expr::Binary(op, left, right) => match comparison(*op) {
                None if !matches!(op, BinaryOp::And | BinaryOp::Or) => self.arithmetic(*op, left, right)?,
                _ => self.truth(expr)?,
            },
            Expr::Conditional(parts) => self.conditional(parts)?,
            Expr::Len(channel) => self.length_of(channel)?,
            Expr::ChannelTest(test, channel) => self.channel_test(*test, channel)?,
            Expr::Poll(receive) => self.poll(receive)?,
            Expr::AtLabel { pid, label } => {
                let label = &self.site.shapes.model().labels[label.0 as usize];
                let (proctype, location) = (label.proctype, label.location);
                self.at_label(pid.as_deref(), proctype, location)?
            }
            Expr::Remote { proctype, pid, access } => self.remote_variable(*proctype, pid.as_deref(), access)?,
            Expr::Timeout if self.no_timeout => self.int(0),
            Expr::Timeout => {
                let memory = MemFlagsData::trusted().with_readonly();
                self.builder.ins().load(types::I32, memory, self.context, offset_of!(Context, timeout) as i32)
            }
            Expr::Pid => self.int(self.pid as i32),
            Expr::ProcessCount => self.int(self.shape.processes.len() as i32),
            Expr::OwnPriority => self.int(1),
            Expr::Last => match self.shape.last {
                Some(bits) => {
                    let word = self.get(bits);
                    self.builder.ins().ireduce(types::I32, word)
                }
                None => self.int(0),
            },
            Expr::Run(_) | Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) | Expr::NonProgress => {
                return Err(Unsupported);
            }
        })
    }

    /// Whether an expression is not 0, as 0 or 1 in 32 bits.
    fn truth(&mut self, expr: &Expr) -> Result<Value> {
        let condition = self.condition(expr)?;
        Ok(self.builder.ins().uextend(types::I32, condition))
    }

    /// Whether an expression is not 0, as 0 or 1 in 8 bits.
    pub(super) fn condition(&mut self, expr: &Expr) -> Result<Value> {
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => {
                let operand = self.condition(operand)?;
                Ok(self.builder.ins().bxor_imm_s(operand, 1))
            }
            Expr::Binary(BinaryOp::And, left, right) => self.both(left, right, true),
            Expr::Binary(BinaryOp::Or, left, right) => self.both(left, right, false),
            Expr::Binary(op, left, right) if comparison(*op).is_some() => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                let comparison = comparison(*op).unwrap_or(IntCC::Equal);
                Ok(self.builder.ins().icmp(comparison, left, right))
            }
            Expr::Constant(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) => {
                self.is_not_zero(expr)
            }
            Expr::Run(_) | Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Enabled(_) => {
                self.is_not_zero(expr)
            }
            Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::Timeout => {
                self.is_not_zero(expr)
            }
            Expr::NonProgress | Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority => {
                self.is_not_zero(expr)
            }
        }
    }

    fn is_not_zero(&mut self, expr: &Expr) -> Result<Value> {
        let value = self.value(expr)?;
        Ok(self.builder.ins().icmp_imm_s(IntCC::NotEqual, value, 0))
    }

    /// `&&` or `||`: the right side is evaluated only if the left does not decide, unless it is
    /// simple.
    fn both(&mut self, left: &Expr, right: &Expr, and: bool) -> Result<Value> {
        let left = self.condition(left)?;
        if is_simple(right) {
            let right = self.condition(right)?;
            return Ok(if and { self.builder.ins().band(left, right) } else { self.builder.ins().bor(left, right) });
        }
        let (done, result) = self.merge_block(types::I8);
        let rest = self.builder.create_block();
        let decided = self.builder.ins().iconst(types::I8, i64::from(!and));
        let (on_true, on_false) = if and { (rest, done) } else { (done, rest) };
        let arguments = [decided.into()];
        let none = [];
        self.builder.ins().brif(
            left,
            on_true,
            if and { &none[..] } else { &arguments[..] },
            on_false,
            if and { &arguments[..] } else { &none[..] },
        );
        self.continue_in(rest);
        let right = self.condition(right)?;
        self.jump_with(done, right);
        self.continue_in(done);
        Ok(result)
    }

    fn conditional(&mut self, [condition, then, otherwise]: &[Expr; 3]) -> Result<Value> {
        let condition = self.condition(condition)?;
        let (yes, no) = (self.builder.create_block(), self.builder.create_block());
        let (done, result) = self.merge_block(types::I32);
        self.builder.ins().brif(condition, yes, &[], no, &[]);
        for (block, part) in [(yes, then), (no, otherwise)] {
            self.continue_in(block);
            let value = self.value(part)?;
            self.jump_with(done, value);
        }
        self.continue_in(done);
        Ok(result)
    }

    fn arithmetic(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Result<Value> {
        let divisor = right;
        let (left, right) = (self.value(left)?, self.value(right)?);
        Ok(match op {
            BinaryOp::Add => self.builder.ins().iadd(left, right),
            BinaryOp::Subtract => self.builder.ins().isub(left, right),
            BinaryOp::Multiply => self.builder.ins().imul(left, right),
            BinaryOp::BitAnd => self.builder.ins().band(left, right),
            BinaryOp::BitOr => self.builder.ins().bor(left, right),
            BinaryOp::BitXor => self.builder.ins().bxor(left, right),
            BinaryOp::ShiftLeft => self.builder.ins().ishl(left, right),
            BinaryOp::ShiftRight => self.builder.ins().sshr(left, right),
            BinaryOp::Divide | BinaryOp::Remainder => self.divide(op, left, right, divisor),
            _ => return Err(Unsupported),
        })
    }

    fn divide(&mut self, op: BinaryOp, left: Value, right: Value, divisor: &Expr) -> Value {
        let constant = divisor.constant().is_some_and(|divisor| divisor != 0 && divisor != -1);
        if constant {
            return match op {
                BinaryOp::Divide => self.builder.ins().sdiv(left, right),
                _ => self.builder.ins().srem(left, right),
            };
        }
        self.branch_unless(right, self.defer);
        // In 64 bits, because the smallest number divided by -1 must wrap around.
        let (left, right) =
            (self.builder.ins().sextend(types::I64, left), self.builder.ins().sextend(types::I64, right));
        let result = match op {
            BinaryOp::Divide => self.builder.ins().sdiv(left, right),
            _ => self.builder.ins().srem(left, right),
        };
        self.builder.ins().ireduce(types::I32, result)
    }

    /// The process that a remote reference means: static within a shape.
    fn remote(&mut self, pid: Option<&Expr>, proctype: ProctypeId) -> Result<Option<usize>> {
        let processes = &self.shape.processes;
        match pid {
            None => Ok(processes.iter().position(|process| process.proctype == proctype)),
            Some(Expr::Constant(pid)) => Ok(usize::try_from(*pid).ok().filter(|&pid| pid < processes.len())),
            Some(Expr::Pid) => Ok(Some(self.pid)),
            Some(Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_)) => Err(Unsupported),
            Some(Expr::Run(_) | Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_)) => Err(Unsupported),
            Some(Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_)) => Err(Unsupported),
            Some(Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::Timeout | Expr::NonProgress) => Err(Unsupported),
            Some(Expr::ProcessCount | Expr::Last | Expr::OwnPriority) => Err(Unsupported),
        }
    }

    fn at_label(&mut self, pid: Option<&Expr>, proctype: ProctypeId, location: Option<LocationId>) -> Result<Value> {
        let (Some(pid), Some(location)) = (self.remote(pid, proctype)?, location) else { return Ok(self.int(0)) };
        let process = &self.shape.processes[pid];
        if process.proctype != proctype {
            return Ok(self.int(0));
        }
        let at = self.get(process.location);
        let there = self.builder.ins().icmp_imm_s(IntCC::Equal, at, i64::from(location.0));
        Ok(self.builder.ins().uextend(types::I32, there))
    }

    fn remote_variable(&mut self, proctype: ProctypeId, pid: Option<&Expr>, access: &Access) -> Result<Value> {
        let Some(pid) = self.remote(pid, proctype)? else { return Ok(self.int(0)) };
        // Indexes belong to the one who asks: only those that are constant are simple.
        if self.shape.processes[pid].proctype != proctype || !access.indexes.is_empty() {
            return Err(Unsupported);
        }
        let asker = (self.pid, self.proctype);
        (self.pid, self.proctype) = (pid, proctype);
        let value = self.load(access);
        (self.pid, self.proctype) = asker;
        value
    }
}

/// The comparison that an operator is.
fn comparison(op: BinaryOp) -> Option<IntCC> {
    Some(match op {
        BinaryOp::Less => IntCC::SignedLessThan,
        BinaryOp::LessEqual => IntCC::SignedLessThanOrEqual,
        BinaryOp::Greater => IntCC::SignedGreaterThan,
        BinaryOp::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
        BinaryOp::Equal => IntCC::Equal,
        BinaryOp::NotEqual => IntCC::NotEqual,
        _ => return None,
    })
}

/// Whether an expression is cheap and cannot be at fault.
pub(super) fn is_simple(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(_) | Expr::Pid | Expr::ProcessCount | Expr::Timeout => true,
        Expr::Load(access) => access.indexes.is_empty(),
        Expr::Unary(_, operand) => is_simple(operand),
        Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, ..) => false,
        Expr::Binary(_, left, right) => is_simple(left) && is_simple(right),
        Expr::Conditional(_) | Expr::Run(_) | Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) => false,
        Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } => false,
        Expr::Remote { .. } | Expr::NonProgress | Expr::Last | Expr::OwnPriority => false,
    }
}
