//! What the generator knows at a point of the program: types, names, modes.

use super::program::{Expr, Start};

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// One bit.
    Bit,
    /// One bit by another name.
    Bool,
    /// 0 to 255.
    Byte,
    /// 16 bits with a sign.
    Short,
    /// 32 bits with a sign.
    Int,
    /// The number of a process.
    Pid,
    /// So many bits.
    Unsigned(u8),
    /// A member of a set of names.
    Mtype(usize),
    /// A structure.
    Struct(usize),
    /// A channel for messages of a class.
    Channel(usize),
}

impl Type {
    /// Whether a variable of the type takes any number.
    pub(crate) fn is_number(self) -> bool {
        !matches!(self, Self::Mtype(_) | Self::Struct(_) | Self::Channel(_))
    }

    /// Whether a variable of the type keeps every value of a message field. SPIN puts
    /// the value that a variable kept back into the channel when it undoes a receive,
    /// so that a message that was cut to fit is lost. A bit that is `alone` in its
    /// message is a whole byte.
    pub(crate) fn holds(self, field: Self, alone: bool) -> bool {
        match field {
            Self::Bit | Self::Bool if !alone => self.is_number(),
            Self::Bit | Self::Bool | Self::Byte | Self::Pid => {
                matches!(self, Self::Byte | Self::Pid | Self::Short | Self::Int)
            }
            Self::Short => matches!(self, Self::Short | Self::Int),
            Self::Int => self == Self::Int,
            _ => self == field,
        }
    }

    /// Whether its values are never negative: a remainder can be an index.
    pub(crate) fn is_natural(self) -> bool {
        self.is_number() && !matches!(self, Self::Short | Self::Int)
    }

    /// Whether adding one to it again and again stays within few values.
    pub(crate) fn wraps_soon(self) -> bool {
        matches!(self, Self::Bit | Self::Bool | Self::Unsigned(1..=2))
    }

    /// Whether it can count to three.
    pub(crate) fn can_count(self) -> bool {
        matches!(self, Self::Byte | Self::Short | Self::Int | Self::Pid)
    }

    /// The type as written, and what follows the name.
    pub(crate) fn text(self) -> (String, String) {
        let word = match self {
            Self::Bit => "bit",
            Self::Bool => "bool",
            Self::Byte => "byte",
            Self::Short => "short",
            Self::Int => "int",
            Self::Pid => "pid",
            Self::Mtype(0) => "mtype",
            Self::Channel(_) => "chan",
            Self::Mtype(set) => return (format!("mtype:kind{set}"), String::new()),
            Self::Struct(number) => return (format!("T{number}"), String::new()),
            Self::Unsigned(bits) => return ("unsigned".to_owned(), format!(" : {bits}")),
        };
        (word.to_owned(), String::new())
    }
}

/// A variable, field, parameter or channel in reach.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// Its name.
    pub(crate) name: String,
    /// The type of it or of its elements.
    pub(crate) ty: Type,
    /// The number of elements of an array.
    pub(crate) length: Option<u8>,
    /// Whether it may be assigned to.
    pub(crate) writable: bool,
    /// The capacity of a channel, if it is always the same channel.
    pub(crate) capacity: Option<u8>,
    /// Whether the channel lives as long as the program.
    pub(crate) is_lasting: bool,
}

impl Variable {
    /// A writable scalar.
    pub(crate) fn scalar(name: impl Into<String>, ty: Type) -> Self {
        Self { name: name.into(), ty, length: None, writable: true, capacity: None, is_lasting: true }
    }

    /// The same variable, never assigned to.
    pub(crate) fn fixed(mut self) -> Self {
        self.writable = false;
        self
    }
}

/// A place that was chosen: an expression that leads to a variable.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// How to write it.
    pub(crate) expr: Expr,
    /// Its type.
    pub(crate) ty: Type,
    /// The capacity, if it is always the same channel.
    pub(crate) capacity: Option<u8>,
}

/// What the statements at a point may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Anything.
    Plain,
    /// Inside `atomic`: nothing that may go on for ever.
    Atomic,
    /// Inside `d_step`: in addition, nothing that blocks or chooses.
    DStep,
}

/// A process that is known to be alive, by its number.
#[derive(Clone, Debug)]
pub(crate) struct Elder {
    /// The name of its type.
    pub(crate) name: String,
    /// Its number.
    pub(crate) pid: u8,
    /// Whether it is the only one of its type.
    pub(crate) is_only: bool,
    /// Its labels.
    pub(crate) labels: Vec<String>,
    /// Its variables.
    pub(crate) variables: Vec<String>,
}

/// The head of a process, chosen before any body is written.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    /// Its name.
    pub(crate) name: String,
    /// How it comes to life.
    pub(crate) start: Start,
    /// Its parameters.
    pub(crate) parameters: Vec<Variable>,
}

/// The state of writing one body.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// The variables in reach, without the global ones.
    pub(crate) scope: Vec<Variable>,
    /// Names that no statement may assign to now: counters of loops around.
    pub(crate) frozen: Vec<String>,
    /// Names declared between the braces around this point. Options open no
    /// scope, so this can be more than is in reach.
    pub(crate) taken: Vec<String>,
    /// What the statements may do.
    pub(crate) mode: Mode,
    /// How many statements are around this point.
    pub(crate) depth: usize,
    /// Whether there is a loop to break from.
    pub(crate) in_loop: bool,
    /// Whether the body may have labels.
    pub(crate) has_labels: bool,
    /// Labels that stand already.
    pub(crate) labels: Vec<String>,
    /// Labels that were jumped to and do not stand yet.
    pub(crate) pending: Vec<String>,
    /// Processes with lower numbers: they outlive this one.
    pub(crate) elders: Vec<Elder>,
    /// The prefix of the names of variables in blocks.
    pub(crate) prefix: &'static str,
    /// How many statements may still be written.
    pub(crate) budget: usize,
}

impl Body {
    /// A body with these variables and room for so many statements.
    pub(crate) fn new(scope: Vec<Variable>, budget: usize) -> Self {
        Self {
            scope,
            frozen: Vec::new(),
            taken: Vec::new(),
            mode: Mode::Plain,
            depth: 0,
            in_loop: false,
            has_labels: true,
            labels: Vec::new(),
            pending: Vec::new(),
            elders: Vec::new(),
            prefix: "t",
            budget,
        }
    }
}
