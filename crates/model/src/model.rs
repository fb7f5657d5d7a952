//! The model: process automata as plain data.

use crate::expr::{Access, Expr, Receive, Run, Send};
use crate::temporal::Temporal;
use crate::types::{Scalar, Variable};
use spinor_syntax::{Place, SourceMap};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A proctype by its place in [`Model::proctypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProctypeId(pub u16);

/// A location by its place in [`Proctype::locations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocationId(pub u16);

/// A statement by its place in [`Proctype::statements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatementId(pub u32);

/// A kind of channel by its place in [`Model::channel_types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChannelTypeId(pub u16);

/// A label that a remote reference names, by its place in [`Model::labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelRef(pub u32);

/// A whole model.
#[derive(Debug)]
pub struct Model {
    /// The name of the file.
    pub name: String,
    /// The text.
    pub sources: SourceMap,
    /// The global variables.
    pub globals: Vec<Variable>,
    /// How many bytes they take, `_last` and the location of the trace included.
    pub globals_size: u32,
    /// The hidden variables.
    pub hidden: Vec<Variable>,
    /// How many bytes they take.
    pub hidden_size: u32,
    /// Where `_last` is kept, if the model reads it.
    pub last_offset: Option<u32>,
    /// Where it is kept that the step to a state has passed an `accept` label inside of it, if steps can.
    pub passed_offset: Option<u32>,
    /// The `trace` or `notrace`, if there is one.
    pub trace: Option<Trace>,
    /// How the global variables begin.
    pub globals_init: Vec<Initial>,
    /// The processes, claims and event traces in the order of the text.
    pub proctypes: Vec<Proctype>,
    /// What is started with the system, in the order of their pids.
    pub active: Vec<Active>,
    /// The kinds of channels.
    pub channel_types: Vec<ChannelType>,
    /// The names of each `mtype` set; the unnamed set first. The first name of a set has value 1.
    pub mtypes: Vec<MtypeSet>,
    /// The `ltl` blocks.
    pub ltl: Vec<LtlBlock>,
    /// The labels of remote references.
    pub labels: Vec<RemoteLabel>,
    /// What the model uses that the state or the search must know of.
    pub uses: Uses,
    /// What comments promise.
    pub promises: Vec<Promise>,
}

/// That the processes of a type can change places: `/*@ symmetric P */`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// Whose processes.
    pub proctype: ProctypeId,
    /// Where it is promised.
    pub place: Place,
}

/// What the model uses anywhere outside of claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of independent facts")]
pub struct Uses {
    /// Priorities: then they are part of the state and are strict.
    pub priority: bool,
    /// `provided` clauses.
    pub provided: bool,
    /// `timeout`.
    pub timeout: bool,
    /// `enabled()`.
    pub enabled: bool,
    /// Some expression, other than the argument of a `printf`, reads a hidden variable.
    pub reads_hidden: bool,
    /// `STDIN`.
    pub stdin: bool,
    /// The property of progress: `np_` in a proctype.
    pub non_progress: bool,
}

/// A process that is started with the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Active {
    /// What it is.
    pub proctype: ProctypeId,
    /// Its priority.
    pub priority: u8,
}

/// The names of an `mtype`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MtypeSet {
    /// The name of the set.
    pub name: Option<Arc<str>>,
    /// Its members, the first having value 1.
    pub members: Vec<Arc<str>>,
}

/// An `ltl` block.
#[derive(Debug)]
pub struct LtlBlock {
    /// Its name, given or made up.
    pub name: Arc<str>,
    /// The formula as parsed.
    pub formula: spinor_syntax::ast::Expr,
    /// The formula with names resolved.
    pub temporal: Temporal,
    /// The expressions that it speaks of.
    pub atoms: Vec<Expr>,
    /// Where it is.
    pub place: Place,
}

/// A label that a remote reference names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteLabel {
    /// Whose label.
    pub proctype: ProctypeId,
    /// Its name.
    pub name: Arc<str>,
    /// The location, if the label marks one that a process can stand at.
    pub location: Option<LocationId>,
}

/// A kind of channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChannelType {
    /// How many messages it holds; none for a rendezvous.
    pub capacity: u32,
    /// The fields of a message.
    pub fields: Vec<Scalar>,
}

impl ChannelType {
    /// How many bytes a message takes.
    #[must_use]
    pub fn message_size(&self) -> u32 {
        self.fields.iter().map(Scalar::size).sum()
    }

    /// How many bytes the number of messages takes.
    #[must_use]
    pub fn length_size(&self) -> u32 {
        match self.capacity {
            0 => 0,
            1..=0xff => 1,
            0x100..=0xffff => 2,
            _ => 4,
        }
    }
}

/// How a variable begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// An expression, evaluated when the variable comes into being.
    Value(Access, Expr),
    /// A new channel.
    Channel(Access, ChannelTypeId),
}

/// What a proctype is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A process.
    Process,
    /// `init`.
    Init,
    /// A `never` claim.
    Never,
    /// A `trace`.
    Trace,
    /// A `notrace`.
    NoTrace,
}

/// A `trace` or `notrace`: an automaton that is no process. Each send and receive that it speaks of moves it along.
#[derive(Debug)]
pub struct Trace {
    /// The automaton, whose statements do nothing.
    pub proctype: ProctypeId,
    /// Where its location is kept, behind the global variables: a number of 16 bits.
    pub offset: u32,
    /// What its statements wait for.
    pub events: BTreeMap<StatementId, Event>,
}

/// A send or a receive on a global channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// A send; otherwise a receive.
    pub is_send: bool,
    /// The channel.
    pub channel: Access,
    /// What the fields of the message must be; any value if nothing is said.
    pub fields: Vec<Option<i32>>,
}

/// A process automaton.
#[derive(Debug)]
pub struct Proctype {
    /// Its name; SPIN's for `init` (`:init:`).
    pub name: Arc<str>,
    /// What it is for.
    pub role: Role,
    /// `D_proctype`.
    pub deterministic: bool,
    /// The numbers that `run` passes, in order.
    pub parameters: Vec<Access>,
    /// Parameters and local variables.
    pub locals: Vec<Variable>,
    /// How many bytes they take.
    pub locals_size: u32,
    /// How the local variables begin.
    pub locals_init: Vec<Initial>,
    /// `provided`.
    pub provided: Option<Expr>,
    /// Where it begins.
    pub start: LocationId,
    /// The locations.
    pub locations: Vec<Location>,
    /// The statements that edges execute.
    pub statements: Vec<Statement>,
    /// The channels that `xr` and `xs` promise to use alone.
    pub exclusive: Vec<Exclusive>,
    /// Where it is declared.
    pub place: Place,
}

/// A promise of `xr` or `xs`.
#[derive(Clone, Debug, PartialEq)]
pub struct Exclusive {
    /// `xs`; otherwise `xr`.
    pub send: bool,
    /// The channel.
    pub channel: Access,
    /// Where it is made.
    pub place: Place,
}

/// A control state.
#[derive(Clone, Debug, PartialEq)]
pub struct Location {
    /// SPIN's number of it within the proctype: `pc_value` and `(state N)` in displays.
    pub number: u32,
    /// The labels that stand here.
    pub labels: Vec<Arc<str>>,
    /// A process may rest here: an `end` label, or the end of the proctype.
    pub is_end: bool,
    /// A `progress` label.
    pub is_progress: bool,
    /// An `accept` label.
    pub is_accept: bool,
    /// What can be done, in the order in which SPIN tries it.
    pub edges: Vec<Edge>,
    /// The statement here.
    pub place: Place,
}

/// A step from one location to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// What is executed.
    pub statement: StatementId,
    /// Where it leads; the end of a process leads nowhere.
    pub target: Option<LocationId>,
    /// The process goes on without others in between.
    pub atomic: bool,
    /// The escape of an `unless` that it belongs to. Once an edge was executable, edges of another
    /// group that follow are not tried.
    pub escape: Option<u32>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it does.
    pub action: Action,
    /// SPIN's number of it in the whole model: the third column of a `.trail`.
    pub number: u32,
    /// How SPIN prints it.
    pub text: Arc<str>,
    /// Where it stands.
    pub place: Place,
    /// Whether it creates processes.
    pub runs: bool,
    /// What it reads and writes.
    pub accesses: crate::access::Accesses,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Executable when not zero.
    Condition(Expr),
    /// Executable when nothing before it in the same location is.
    Else,
    /// `v = e`.
    Assign(Access, Expr),
    /// `c!a`.
    Send(Send),
    /// `c?a`.
    Receive(Receive),
    /// `STDIN?v`: a character from outside, which only a simulation has.
    Input(Access),
    /// `assert(e)`.
    Assert(Expr),
    /// `printf`.
    Print(Arc<str>, Vec<Expr>),
    /// `printm(e)`, with the set of names.
    PrintMtype(Expr, Option<Arc<str>>),
    /// `set_priority(p, n)`.
    SetPriority(Expr, Expr),
    /// A deterministic sequence as one step.
    DStep(Box<DStep>),
    /// A step that only moves on: a `goto` or the end of a selection where that is a step, or the
    /// declaration of a structure in the middle of a body.
    Goto,
    /// The end of the process: executable for the youngest one only.
    End,
}

/// The inside of a `d_step`.
#[derive(Clone, Debug, PartialEq)]
pub struct DStep {
    /// The control states; the first one is where it begins.
    pub nodes: Vec<DStepNode>,
    /// It begins with the `else` of the selection that it is an option of.
    pub is_else: bool,
}

/// A control state inside of a `d_step`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DStepNode {
    /// What can be done, with where it leads: nowhere is the end of the `d_step`. The first that
    /// is executable is taken.
    pub edges: Vec<(StatementId, Option<u32>)>,
}

impl Action {
    /// Calls `visit` for the expressions of a statement; those inside of a `d_step` are statements of
    /// their own.
    pub fn visit<'m>(&'m self, visit: &mut dyn FnMut(&'m Expr)) {
        match self {
            Action::Condition(value) | Action::Assert(value) | Action::PrintMtype(value, _) => value.visit(visit),
            Action::Assign(target, value) => {
                target.visit(visit);
                value.visit(visit);
            }
            Action::Input(target) => target.visit(visit),
            Action::Send(send) => {
                send.channel.visit(visit);
                send.arguments.iter().for_each(|argument| argument.visit(visit));
            }
            Action::Receive(receive) => receive.visit(visit),
            Action::Print(_, values) => values.iter().for_each(|value| value.visit(visit)),
            Action::SetPriority(process, priority) => {
                process.visit(visit);
                priority.visit(visit);
            }
            Action::Else | Action::DStep(_) | Action::Goto | Action::End => {}
        }
    }

    /// The processes that it may create.
    #[must_use]
    pub fn runs(&self) -> Vec<&Run> {
        let mut runs = Vec::new();
        self.visit(&mut |expr| runs.extend(expr.run()));
        runs
    }
}

impl Proctype {
    /// The statements that an execution can or should pass, in the order of the text: those of edges, and those that no
    /// edge leads to. A `d_step` is one; a jump that is no step of its own is none.
    #[must_use]
    pub fn covered(&self) -> Vec<StatementId> {
        let all = || (0..self.statements.len() as u32).map(StatementId);
        let mut inside = vec![false; self.statements.len()];
        for id in all() {
            if let Some(d_step) = self.statement(id).action.d_step() {
                let edges = d_step.nodes.iter().flat_map(|node| &node.edges);
                edges.for_each(|(id, _)| inside[id.0 as usize] = true);
            }
        }
        let edges = self.locations.iter().flat_map(|location| &location.edges);
        let stepped: BTreeSet<StatementId> = edges.map(|edge| edge.statement).collect();
        let is_jump = |id: &StatementId| self.statement(*id).action == Action::Goto;
        all().filter(|id| stepped.contains(id) || !inside[id.0 as usize] && !is_jump(id)).collect()
    }
}

impl Model {
    /// A proctype by its id.
    #[must_use]
    pub fn proctype(&self, id: ProctypeId) -> &Proctype {
        &self.proctypes[usize::from(id.0)]
    }

    /// A place for people: `file:line`.
    #[must_use]
    pub fn line(&self, place: Place) -> String {
        format!("{}:{}", self.sources.name(place.at), self.sources.line(place.at))
    }

    /// The never claims, in the order of the text.
    pub fn claims(&self) -> impl Iterator<Item = &Proctype> {
        self.proctypes.iter().filter(|proctype| proctype.role == Role::Never)
    }

    /// The name of a value of an `mtype`.
    #[must_use]
    pub fn mtype_name(&self, set: Option<&str>, value: i32) -> Option<&Arc<str>> {
        let members = &self.mtypes.iter().find(|known| known.name.as_deref() == set)?.members;
        members.get(usize::try_from(value).ok()?.checked_sub(1)?)
    }
}

impl Event {
    /// Whether a message is one that is waited for.
    #[must_use]
    pub fn matches(&self, message: &[i32]) -> bool {
        self.fields.iter().zip(message).all(|(field, value)| field.is_none_or(|field| field == *value))
    }
}

impl Proctype {
    /// A location by its id.
    #[must_use]
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[usize::from(id.0)]
    }

    /// A statement by its id.
    #[must_use]
    pub fn statement(&self, id: StatementId) -> &Statement {
        &self.statements[id.0 as usize]
    }

    /// The location at its closing brace, if it comes there.
    #[must_use]
    pub fn closing(&self) -> Option<LocationId> {
        let ends = |location: &Location| location.edges.iter().any(|edge| edge.target.is_none());
        self.locations.iter().position(ends).map(|index| LocationId(index as u16))
    }

    /// Whether it can be run as a process.
    #[must_use]
    pub fn is_process(&self) -> bool {
        match self.role {
            Role::Process | Role::Init => true,
            Role::Never | Role::Trace | Role::NoTrace => false,
        }
    }
}
