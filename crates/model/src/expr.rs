//! Expressions with names resolved.

use crate::model::{LabelRef, ProctypeId};
use crate::types::Scalar;
pub use spinor_syntax::ast::{BinaryOp, ChannelTest, UnaryOp};
use std::sync::Arc;

/// A number computed from the state.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Constant(i32),
    /// The value of a variable.
    Load(Access),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands; `&&` and `||` evaluate the second only if needed.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`.
    Conditional(Box<[Expr; 3]>),
    /// Creates a process; the value is its pid.
    Run(Box<Run>),
    /// The number of messages in a channel.
    Len(Access),
    /// A test of a channel's length.
    ChannelTest(ChannelTest, Access),
    /// Whether a receive would find its message.
    Poll(Box<Receive>),
    /// Whether a process can move.
    Enabled(Box<Expr>),
    /// The control state of a process, as SPIN numbers it.
    PcValue(Box<Expr>),
    /// The priority of a process.
    GetPriority(Box<Expr>),
    /// Whether a process stands at a label.
    AtLabel {
        /// The process; without it, the first of its type.
        pid: Option<Box<Expr>>,
        /// The label.
        label: LabelRef,
    },
    /// A variable of another process.
    Remote {
        /// The type that the process must have.
        proctype: ProctypeId,
        /// The process; without it, the first of its type.
        pid: Option<Box<Expr>>,
        /// The variable, in the record of that process. Indexes belong to the one who asks.
        access: Access,
    },
    /// Nothing else in the system can move.
    Timeout,
    /// No process is at a progress label.
    NonProgress,
    /// `_pid`.
    Pid,
    /// `_nr_pr`.
    ProcessCount,
    /// `_last`.
    Last,
    /// `_priority`: that of the process itself.
    OwnPriority,
}

/// `run P(a, b)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What to create.
    pub proctype: ProctypeId,
    /// One value per number in the parameters.
    pub arguments: Vec<Expr>,
    /// Its priority.
    pub priority: u8,
}

/// Which part of the vector a variable is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// The global variables.
    Global,
    /// The hidden ones, which are not part of the state.
    Hidden,
    /// The local variables of the process.
    Local,
}

/// A number in the state vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// Which part.
    pub base: Base,
    /// The first byte, all indexes being 0.
    pub offset: u32,
    /// The indexes on the way.
    pub indexes: Vec<Index>,
    /// The type.
    pub ty: Scalar,
    /// The variable's number among those of its part.
    pub variable: u32,
    /// The variable's name, for people.
    pub name: Arc<str>,
}

/// An index into an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// Its value.
    pub value: Expr,
    /// How many elements there are.
    pub length: u32,
    /// How many bytes lie between two elements.
    pub stride: u32,
}

/// `c!a,b`.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// The channel.
    pub channel: Access,
    /// One value per field.
    pub arguments: Vec<Expr>,
    /// `!!`: in front of the first greater message.
    pub sorted: bool,
}

/// `c?a,b` in all its forms.
#[derive(Clone, Debug, PartialEq)]
pub struct Receive {
    /// The channel.
    pub channel: Access,
    /// One pattern per field.
    pub patterns: Vec<Pattern>,
    /// `??`: the first message that matches, not the first message.
    pub random: bool,
    /// `<>`: the message stays.
    pub keep: bool,
}

/// What happens to a field of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// It must have this value.
    Match(Expr),
    /// It is stored.
    Store(Access),
    /// It is dropped.
    Ignore,
}

impl Expr {
    /// Calls `visit` for this expression and all within it.
    pub fn visit<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        visit(self);
        match self {
            Expr::Constant(_) | Expr::Timeout | Expr::NonProgress | Expr::Pid => {}
            Expr::ProcessCount | Expr::Last | Expr::OwnPriority => {}
            Expr::Load(access) | Expr::Len(access) | Expr::ChannelTest(_, access) => access.visit(visit),
            Expr::Unary(_, operand) => operand.visit(visit),
            Expr::Enabled(pid) | Expr::PcValue(pid) | Expr::GetPriority(pid) => pid.visit(visit),
            Expr::Binary(_, left, right) => {
                left.visit(visit);
                right.visit(visit);
            }
            Expr::Conditional(parts) => parts.iter().for_each(|part| part.visit(visit)),
            Expr::Run(run) => run.arguments.iter().for_each(|argument| argument.visit(visit)),
            Expr::Poll(receive) => receive.visit(visit),
            Expr::AtLabel { pid, .. } => pid.iter().for_each(|pid| pid.visit(visit)),
            Expr::Remote { pid, access, .. } => {
                pid.iter().for_each(|pid| pid.visit(visit));
                access.visit(visit);
            }
        }
    }

    /// Whether evaluating it can be a fault.
    #[must_use]
    pub fn can_fail(&self) -> bool {
        let mut found = false;
        self.visit(&mut |expr| {
            found |= match expr {
                Expr::Load(access) => !access.indexes.is_empty(),
                Expr::Binary(op, ..) => matches!(op, BinaryOp::Divide | BinaryOp::Remainder),
                Expr::Constant(_) | Expr::Unary(..) | Expr::Conditional(_) | Expr::Pid | Expr::ProcessCount => false,
                Expr::Run(_) | Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Enabled(_) => true,
                Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } => true,
                Expr::Timeout | Expr::NonProgress | Expr::Last | Expr::OwnPriority => true,
            };
        });
        found
    }

    /// Whether it needs a hidden variable.
    #[must_use]
    pub fn loads_hidden(&self) -> bool {
        let mut found = false;
        self.visit(&mut |expr| {
            found |= match expr {
                Expr::Load(access) | Expr::Len(access) | Expr::ChannelTest(_, access) => access.base == Base::Hidden,
                Expr::Poll(receive) => receive.channel.base == Base::Hidden,
                Expr::Constant(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) | Expr::Run(_) => false,
                Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } => false,
                // Variables of processes are not hidden.
                Expr::Remote { .. } | Expr::Timeout | Expr::NonProgress | Expr::Pid | Expr::ProcessCount => false,
                Expr::Last | Expr::OwnPriority => false,
            };
        });
        found
    }

    /// The processes that evaluating it may create.
    #[must_use]
    pub fn runs(&self) -> Vec<&Run> {
        let mut runs = Vec::new();
        self.visit(&mut |expr| runs.extend(expr.run()));
        runs
    }

    /// Whether evaluating it may create a process.
    #[must_use]
    pub fn has_run(&self) -> bool {
        !self.runs().is_empty()
    }
}

impl Access {
    /// The processes that finding its place may create.
    #[must_use]
    pub fn runs(&self) -> Vec<&Run> {
        self.indexes.iter().flat_map(|index| index.value.runs()).collect()
    }

    /// Calls `visit` for the indexes and all within them.
    pub fn visit<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        self.indexes.iter().for_each(|index| index.value.visit(visit));
    }
}

impl Receive {
    /// Calls `visit` for the expressions of the channel and the patterns.
    pub fn visit<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        self.channel.visit(visit);
        for pattern in &self.patterns {
            match pattern {
                Pattern::Match(value) => value.visit(visit),
                Pattern::Store(access) => access.visit(visit),
                Pattern::Ignore => {}
            }
        }
    }
}
