//! What can go wrong in a model: findings, never errors of the tool.

use std::fmt;
use std::sync::Arc;

/// A fault of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `x / 0` or `x % 0`.
    DivisionByZero,
    /// An index outside of its array.
    Index {
        /// The array.
        name: Arc<str>,
        /// The index.
        index: i32,
        /// How many elements there are.
        length: u32,
    },
    /// A channel variable that was never given a channel.
    UninitialisedChannel(Arc<str>),
    /// A channel that is gone: it went with the process that made it.
    NoSuchChannel(Arc<str>),
    /// A value outside of the range of its variable.
    Range {
        /// The variable.
        name: Arc<str>,
        /// The value.
        value: i32,
        /// The smallest value of its type.
        low: i32,
        /// The greatest value of its type.
        high: i32,
    },
    /// A message with another number of fields than the channel has.
    FieldCount {
        /// The channel.
        name: Arc<str>,
        /// How many fields the channel has.
        expected: usize,
        /// How many fields the statement has.
        found: usize,
    },
    /// A `d_step` that cannot go on.
    BlockedDStep,
    /// A `d_step` that never ends.
    EndlessDStep,
    /// An atomic sequence that never ends.
    EndlessAtomic,
    /// A rendezvous send inside a `d_step`.
    RendezvousInDStep,
    /// A poll of a rendezvous channel, which never holds a message.
    PollOfRendezvous(Arc<str>),
    /// More than 255 processes.
    TooManyProcesses,
    /// More than 255 channels.
    TooManyChannels,
    /// A priority outside of 1 to 255.
    Priority(i32),
    /// `enabled()` of the process itself.
    EnabledOfItself,
    /// Processes ask each other whether they can move.
    EnabledInCircles,
    /// A remote reference to a process that is of another type.
    RemoteType {
        /// The process.
        pid: i32,
        /// The type it was expected to have.
        expected: Arc<str>,
    },
    /// Two executable statements in a `D_proctype`.
    Nondeterminism,
    /// Two steps of a trace for one event.
    TraceChoice,
    /// A `provided` clause is at fault.
    Provided {
        /// The type of the process.
        process: Arc<str>,
        /// What is wrong.
        fault: Box<Fault>,
    },
    /// A process is to be created where only a value is asked for.
    RunInside,
    /// `STDIN` is read where there is none.
    NoInput,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::DivisionByZero => write!(f, "division by zero"),
            Fault::Index { name, index, length } => {
                write!(f, "index {index} is outside of {name} with {length} elements")
            }
            Fault::UninitialisedChannel(name) => write!(f, "{name} holds no channel"),
            Fault::NoSuchChannel(name) => write!(f, "the channel in {name} does not exist any more"),
            Fault::Range { name, value, low, high } => {
                write!(f, "{value} is outside of the range {low} .. {high} of {name}")
            }
            Fault::FieldCount { name, expected, found } => {
                write!(f, "messages of {name} have {expected} fields, not {found}")
            }
            Fault::BlockedDStep => write!(f, "a d_step cannot go on: no statement is executable"),
            Fault::EndlessDStep => write!(f, "a d_step never ends"),
            Fault::EndlessAtomic => write!(f, "an atomic sequence never ends"),
            Fault::RendezvousInDStep => write!(f, "a rendezvous send inside a d_step"),
            Fault::PollOfRendezvous(name) => write!(f, "a poll of {name}, a rendezvous channel, is never true"),
            Fault::TooManyProcesses => write!(f, "more than 255 processes"),
            Fault::TooManyChannels => write!(f, "more than 255 channels"),
            Fault::Priority(priority) => write!(f, "priority {priority} is outside of 1 .. 255"),
            Fault::EnabledInCircles => write!(f, "enabled() of processes that ask each other"),
            Fault::EnabledOfItself => write!(f, "enabled() of the process itself"),
            Fault::RemoteType { pid, expected } => write!(f, "process {pid} is not of type {expected}"),
            Fault::Provided { process, fault } => write!(f, "{fault} in the provided clause of {process}"),
            Fault::RunInside => write!(f, "run where only a value is asked for"),
            Fault::NoInput => write!(f, "STDIN is read, and only a simulation has input: model it by a process"),
            Fault::TraceChoice => write!(f, "a choice in the trace: two of its steps match the event"),
            Fault::Nondeterminism => write!(f, "a choice in a D_proctype"),
        }
    }
}
