//! What a part of the model is: questions that many ask, each answered for all variants here.

use crate::access::{ChannelUse, Object, Use};
use crate::expr::{Access, Base, BinaryOp, Expr, Pattern, Receive, Run, Send, UnaryOp};
use crate::model::{Action, ChannelTypeId, DStep, Initial, ProctypeId, Role};
use crate::types::{Scalar, Struct, Type};
use std::sync::Arc;

impl Expr {
    /// The number, if it is one that is written down.
    #[must_use]
    pub fn constant(&self) -> Option<i32> {
        match self {
            Expr::Constant(number) => Some(*number),
            Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) | Expr::Run(_) => None,
            Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Enabled(_) | Expr::PcValue(_) => None,
            Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::Timeout => None,
            Expr::NonProgress | Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority => None,
        }
    }

    /// The variable, if it is the value of one of the process's own or a global one.
    #[must_use]
    pub fn variable(&self) -> Option<&Access> {
        match self {
            Expr::Load(access) => Some(access),
            Expr::Constant(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) | Expr::Run(_) => None,
            Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Enabled(_) | Expr::PcValue(_) => None,
            Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::Timeout => None,
            Expr::NonProgress | Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority => None,
        }
    }

    /// The operator and its operand, if there is one.
    #[must_use]
    pub fn unary(&self) -> Option<(UnaryOp, &Expr)> {
        match self {
            Expr::Unary(op, operand) => Some((*op, operand)),
            Expr::Constant(_) | Expr::Load(_) | Expr::Binary(..) | Expr::Conditional(_) | Expr::Run(_) => None,
            Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Enabled(_) | Expr::PcValue(_) => None,
            Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::Timeout => None,
            Expr::NonProgress | Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority => None,
        }
    }

    /// The operator and its operands, if there are two.
    #[must_use]
    pub fn binary(&self) -> Option<(BinaryOp, &Expr, &Expr)> {
        match self {
            Expr::Binary(op, left, right) => Some((*op, left, right)),
            Expr::Constant(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Conditional(_) | Expr::Run(_) => None,
            Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Enabled(_) | Expr::PcValue(_) => None,
            Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::Timeout => None,
            Expr::NonProgress | Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority => None,
        }
    }

    /// The process that it creates, if it is `run` itself; a `run` further inside is not asked for.
    #[must_use]
    pub fn run(&self) -> Option<&Run> {
        match self {
            Expr::Run(run) => Some(run),
            Expr::Constant(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) => None,
            Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Enabled(_) | Expr::PcValue(_) => None,
            Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::Timeout => None,
            Expr::NonProgress | Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority => None,
        }
    }

    /// Whether it decides by the values of parts which of its parts count: `&&`, `||`, `(c -> a : b)`, or an operator.
    #[must_use]
    pub fn is_compound(&self) -> bool {
        match self {
            Expr::Binary(..) | Expr::Conditional(_) => true,
            Expr::Constant(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Run(_) | Expr::Len(_) => false,
            Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Enabled(_) | Expr::PcValue(_) => false,
            Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::Timeout => false,
            Expr::NonProgress | Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority => false,
        }
    }
}

impl Expr {
    /// Whether it is `full(c)` or one of its kin.
    #[must_use]
    pub fn is_channel_test(&self) -> bool {
        match self {
            Expr::ChannelTest(..) => true,
            Expr::Constant(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) => false,
            Expr::Run(_) | Expr::Len(_) | Expr::Poll(_) | Expr::Enabled(_) | Expr::PcValue(_) => false,
            Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::Timeout => false,
            Expr::NonProgress | Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority => false,
        }
    }
}

impl Role {
    /// Whether it watches sends and receives.
    #[must_use]
    pub fn is_trace(self) -> bool {
        match self {
            Role::Trace | Role::NoTrace => true,
            Role::Process | Role::Init | Role::Never => false,
        }
    }
}

impl Action {
    /// The send, if it is one; what stands inside of a `d_step` is not asked for.
    #[must_use]
    pub fn send(&self) -> Option<&Send> {
        match self {
            Action::Send(send) => Some(send),
            Action::Condition(_) | Action::Else | Action::Assign(..) | Action::Receive(_) | Action::Input(_) => None,
            Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) | Action::SetPriority(..) => None,
            Action::DStep(_) | Action::Goto | Action::End => None,
        }
    }

    /// The receive, if it is one; what stands inside of a `d_step` is not asked for.
    #[must_use]
    pub fn receive(&self) -> Option<&Receive> {
        match self {
            Action::Receive(receive) => Some(receive),
            Action::Condition(_) | Action::Else | Action::Assign(..) | Action::Send(_) | Action::Input(_) => None,
            Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) | Action::SetPriority(..) => None,
            Action::DStep(_) | Action::Goto | Action::End => None,
        }
    }

    /// The sequence, if it is a `d_step`.
    #[must_use]
    pub fn d_step(&self) -> Option<&DStep> {
        match self {
            Action::DStep(d_step) => Some(d_step),
            Action::Condition(_) | Action::Else | Action::Assign(..) | Action::Send(_) | Action::Receive(_) => None,
            Action::Input(_) | Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) => None,
            Action::SetPriority(..) | Action::Goto | Action::End => None,
        }
    }

    /// Whether it is `else`, or a `d_step` that begins with the `else` of the selection around it: it can be executed
    /// only if nothing before it in the same location can.
    #[must_use]
    pub fn is_else(&self) -> bool {
        match self {
            Action::Else => true,
            Action::DStep(d_step) => d_step.is_else,
            Action::Condition(_) | Action::Assign(..) | Action::Send(_) | Action::Receive(_) | Action::Input(_) => {
                false
            }
            Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) | Action::SetPriority(..) => false,
            Action::Goto | Action::End => false,
        }
    }

    /// Whether it is the end of the process.
    #[must_use]
    pub fn is_end(&self) -> bool {
        match self {
            Action::End => true,
            Action::Condition(_) | Action::Else | Action::Assign(..) | Action::Send(_) | Action::Receive(_) => false,
            Action::Input(_) | Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) => false,
            Action::SetPriority(..) | Action::DStep(_) | Action::Goto => false,
        }
    }

    /// The variable and its new value, if it is an assignment.
    #[must_use]
    pub fn assignment(&self) -> Option<(&Access, &Expr)> {
        match self {
            Action::Assign(target, value) => Some((target, value)),
            Action::Condition(_) | Action::Else | Action::Send(_) | Action::Receive(_) | Action::Input(_) => None,
            Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) | Action::SetPriority(..) => None,
            Action::DStep(_) | Action::Goto | Action::End => None,
        }
    }

    /// The condition, if it does nothing but wait for one.
    #[must_use]
    pub fn condition(&self) -> Option<&Expr> {
        match self {
            Action::Condition(value) => Some(value),
            Action::Else | Action::Assign(..) | Action::Send(_) | Action::Receive(_) | Action::Input(_) => None,
            Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) | Action::SetPriority(..) => None,
            Action::DStep(_) | Action::Goto | Action::End => None,
        }
    }
}

impl Pattern {
    /// What the field must be, if it must be something.
    #[must_use]
    pub fn wanted(&self) -> Option<&Expr> {
        match self {
            Pattern::Match(value) => Some(value),
            Pattern::Store(_) | Pattern::Ignore => None,
        }
    }

    /// Where the field goes, if it is kept.
    #[must_use]
    pub fn stored(&self) -> Option<&Access> {
        match self {
            Pattern::Store(access) => Some(access),
            Pattern::Match(_) | Pattern::Ignore => None,
        }
    }
}

impl Initial {
    /// The variable and its value, if it begins with that of an expression.
    #[must_use]
    pub fn value(&self) -> Option<(&Access, &Expr)> {
        match self {
            Initial::Value(target, value) => Some((target, value)),
            Initial::Channel(..) => None,
        }
    }

    /// The variable and the type, if it begins with a channel of its own.
    #[must_use]
    pub fn channel(&self) -> Option<(&Access, ChannelTypeId)> {
        match self {
            Initial::Channel(target, kind) => Some((target, *kind)),
            Initial::Value(..) => None,
        }
    }
}

impl Scalar {
    /// The declared range, outside of which a value is a fault.
    #[must_use]
    pub fn declared_range(&self) -> Option<(i32, i32)> {
        match self {
            Scalar::Range { low, high } => Some((*low, *high)),
            Scalar::Bit | Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Short | Scalar::Int => None,
            Scalar::Unsigned(_) | Scalar::Mtype(_) | Scalar::Chan => None,
        }
    }
}

impl Scalar {
    /// The set of names, if it is that of an `mtype` with one.
    #[must_use]
    pub fn mtype_set(&self) -> Option<&Arc<str>> {
        match self {
            Scalar::Mtype(set) => set.as_ref(),
            Scalar::Bit | Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Short | Scalar::Int => None,
            Scalar::Unsigned(_) | Scalar::Chan | Scalar::Range { .. } => None,
        }
    }
}

impl Type {
    /// The type of the number, if it is one.
    #[must_use]
    pub fn scalar(&self) -> Option<&Scalar> {
        match self {
            Type::Scalar(scalar) => Some(scalar),
            Type::Struct(_) => None,
        }
    }

    /// The fields, if it is a structure.
    #[must_use]
    pub fn structure(&self) -> Option<&Arc<Struct>> {
        match self {
            Type::Struct(fields) => Some(fields),
            Type::Scalar(_) => None,
        }
    }
}

impl<'m> Use<'m> {
    /// The variable, if one may be changed.
    #[must_use]
    pub fn written(self) -> Option<&'m Access> {
        match self {
            Use::Write(access) => Some(access),
            Use::Read(_) | Use::Channel(..) | Use::Remote(..) | Use::Label(..) | Use::Create(_) | Use::End => None,
            Use::Count | Use::Locations | Use::Last | Use::Priority | Use::SetPriority | Use::Enabledness => None,
            Use::Siblings => None,
        }
    }

    /// The variable of the process itself or of all, if one is read.
    #[must_use]
    pub fn read(self) -> Option<&'m Access> {
        match self {
            Use::Read(access) => Some(access),
            Use::Write(_) | Use::Channel(..) | Use::Remote(..) | Use::Label(..) | Use::Create(_) | Use::End => None,
            Use::Count | Use::Locations | Use::Last | Use::Priority | Use::SetPriority | Use::Enabledness => None,
            Use::Siblings => None,
        }
    }

    /// What is created, if a process is.
    #[must_use]
    pub fn created(self) -> Option<ProctypeId> {
        match self {
            Use::Create(proctype) => Some(proctype),
            Use::Read(_) | Use::Write(_) | Use::Channel(..) | Use::Remote(..) | Use::Label(..) | Use::End => None,
            Use::Count | Use::Locations | Use::Last | Use::Priority | Use::SetPriority | Use::Enabledness => None,
            Use::Siblings => None,
        }
    }

    /// What is done with the channel of which variable, if something is.
    #[must_use]
    pub fn channel(self) -> Option<(ChannelUse, &'m Access)> {
        match self {
            Use::Channel(kind, access) => Some((kind, access)),
            Use::Read(_) | Use::Write(_) | Use::Remote(..) | Use::Label(..) | Use::Create(_) | Use::End => None,
            Use::Count | Use::Locations | Use::Last | Use::Priority | Use::SetPriority | Use::Enabledness => None,
            Use::Siblings => None,
        }
    }
}

impl ChannelUse {
    /// Whether messages are put in.
    #[must_use]
    pub fn sends(self) -> bool {
        match self {
            ChannelUse::Send | ChannelUse::SortedSend => true,
            ChannelUse::Receive | ChannelUse::RandomReceive | ChannelUse::Copy | ChannelUse::RandomCopy => false,
            ChannelUse::Length | ChannelUse::Test(_) | ChannelUse::Poll => false,
        }
    }

    /// Whether messages are taken, or copied.
    #[must_use]
    pub fn receives(self) -> bool {
        match self {
            ChannelUse::Receive | ChannelUse::RandomReceive | ChannelUse::Copy | ChannelUse::RandomCopy => true,
            ChannelUse::Send | ChannelUse::SortedSend => false,
            ChannelUse::Length | ChannelUse::Test(_) | ChannelUse::Poll => false,
        }
    }
}

impl Object {
    /// Whether it is a variable that all processes share.
    #[must_use]
    pub fn is_shared_variable(&self) -> bool {
        match self {
            Object::Global(_) | Object::Hidden(_) => true,
            Object::Local(_) | Object::Remote(..) | Object::Channel(_) | Object::Processes | Object::Label(_) => false,
            Object::Location(..) | Object::Locations | Object::Last | Object::Priorities => false,
            Object::Enabledness => false,
        }
    }
}

impl Access {
    /// Whether it is a variable of the process itself.
    #[must_use]
    pub fn is_local(&self) -> bool {
        match self.base {
            Base::Local => true,
            Base::Global | Base::Hidden => false,
        }
    }
}
