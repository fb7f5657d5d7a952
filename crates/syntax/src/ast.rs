//! The tree of a model, as written: names are not resolved, macros and inlines are expanded.

pub use crate::operator::{BinaryOp, ChannelTest, TemporalOp, UnaryOp};
use crate::source::Place;
use std::sync::Arc;

/// A name with its place.
#[derive(Clone, Debug)]
pub struct Name {
    /// How it is written.
    pub text: Arc<str>,
    /// Where it stands.
    pub place: Place,
}

/// A whole model.
#[derive(Debug, Default)]
pub struct Program {
    /// Everything at the top level, in the order of the text.
    pub units: Vec<Unit>,
    /// `_last` stands somewhere in the text, be it an argument that an inline does not use: as in
    /// SPIN that makes it part of the state.
    pub mentions_last: bool,
    /// `_priority` stands somewhere in the text.
    pub mentions_priority: bool,
}

/// Something at the top level.
#[derive(Debug)]
pub enum Unit {
    /// A `proctype`.
    Proctype(Box<Proctype>),
    /// The `init` process.
    Init(Init),
    /// A `never` claim.
    Never(Never),
    /// A `trace` or `notrace` automaton.
    Trace(Trace),
    /// An `ltl` block.
    Ltl(Ltl),
    /// Global variables.
    Variables(VariableDecl),
    /// A `typedef`.
    Typedef(Typedef),
    /// An `mtype` enumeration.
    Mtype(MtypeDecl),
    /// A named range of integers.
    Subrange(Subrange),
}

/// A `proctype`.
#[derive(Debug)]
pub struct Proctype {
    /// Its name.
    pub name: Name,
    /// How many instances are started with the system.
    pub active: Option<Expr>,
    /// `D_proctype`: must never have a choice.
    pub deterministic: bool,
    /// The formal parameters.
    pub parameters: Vec<VariableDecl>,
    /// `priority N`.
    pub priority: Option<Expr>,
    /// `provided (e)`.
    pub provided: Option<Expr>,
    /// The statements.
    pub body: Body,
}

/// `init`.
#[derive(Debug)]
pub struct Init {
    /// The word itself.
    pub place: Place,
    /// `priority N`.
    pub priority: Option<Expr>,
    /// The statements.
    pub body: Body,
}

/// A `never` claim.
#[derive(Debug)]
pub struct Never {
    /// The word itself.
    pub place: Place,
    /// Its name, where one is given.
    pub name: Option<Name>,
    /// The statements.
    pub body: Body,
}

/// A `trace` or `notrace` automaton.
#[derive(Debug)]
pub struct Trace {
    /// The word itself.
    pub place: Place,
    /// `notrace`.
    pub negated: bool,
    /// The statements.
    pub body: Body,
}

/// An `ltl` block.
#[derive(Debug)]
pub struct Ltl {
    /// The word itself.
    pub place: Place,
    /// Its name, where one is given.
    pub name: Option<Name>,
    /// The formula: an expression that may hold [`ExprKind::Temporal`].
    pub formula: Expr,
}

/// A braced body.
#[derive(Debug)]
pub struct Body {
    /// The statements.
    pub steps: Vec<Stmt>,
    /// The closing brace.
    pub end: Place,
}

/// A `typedef`.
#[derive(Debug)]
pub struct Typedef {
    /// Its name.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<VariableDecl>,
}

/// `mtype = { a, b }` or `mtype : set = { a, b }`.
#[derive(Debug)]
pub struct MtypeDecl {
    /// The set's name, where one is given.
    pub set: Option<Name>,
    /// The names in the order of the text.
    pub names: Vec<Name>,
}

/// `subrange Counter = 0 .. 10`.
#[derive(Debug)]
pub struct Subrange {
    /// Its name.
    pub name: Name,
    /// The smallest value.
    pub low: Expr,
    /// The greatest value.
    pub high: Expr,
}

/// The prefix of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// No prefix, or `show`, which only matters to displays.
    Plain,
    /// `hidden`: not part of the state.
    Hidden,
    /// `local`: a promise that one process alone uses it.
    Local,
}

/// Variables of one type.
#[derive(Debug)]
pub struct VariableDecl {
    /// `hidden`, `show`, `local`.
    pub visibility: Visibility,
    /// The type.
    pub ty: TypeName,
    /// The variables.
    pub variables: Vec<Declarator>,
}

/// One variable of a declaration.
#[derive(Debug)]
pub struct Declarator {
    /// Its name.
    pub name: Name,
    /// The width of an `unsigned`.
    pub width: Option<Expr>,
    /// The size of an array.
    pub size: Option<Expr>,
    /// Its initial value.
    pub initialiser: Option<Initialiser>,
}

/// An initial value.
#[derive(Debug)]
pub enum Initialiser {
    /// `= e`.
    Value(Expr),
    /// `= { a, b, c }`.
    List(Vec<Expr>),
    /// `= [n] of { types }`.
    Channel(ChannelInit),
}

/// `[n] of { types }`.
#[derive(Debug)]
pub struct ChannelInit {
    /// From the bracket to the brace.
    pub place: Place,
    /// How many messages it holds.
    pub capacity: Expr,
    /// What a message is made of.
    pub fields: Vec<TypeName>,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// What it is.
    pub kind: TypeKind,
    /// Where it is written.
    pub place: Place,
}

/// What a type is.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `bit` or `bool`.
    Bit,
    /// `byte`.
    Byte,
    /// `pid`.
    Pid,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `unsigned`.
    Unsigned,
    /// `mtype` or `mtype : set`.
    Mtype(Option<Name>),
    /// `chan`.
    Chan,
    /// `value n`: 0 to n-1.
    Value(Box<Expr>),
    /// A `typedef` or a `subrange`.
    Named(Name),
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub place: Place,
}

/// What a statement is.
#[derive(Debug)]
pub enum StmtKind {
    /// A local declaration.
    Variables(VariableDecl),
    /// `xr` or `xs`.
    Exclusive {
        /// `xs`: exclusive sender; otherwise `xr`.
        send: bool,
        /// The channels.
        channels: Vec<VarRef>,
    },
    /// `name: statement`; without a statement it labels a `skip`.
    Labelled(Name, Box<Stmt>),
    /// `v = e`, also `v++` and `v--`.
    Assign(VarRef, Expr),
    /// `c!e,e` or `c!!e,e`.
    Send {
        /// The channel.
        channel: VarRef,
        /// The message.
        arguments: Vec<Expr>,
        /// `!!`.
        sorted: bool,
    },
    /// `c?a`, `c??a`, `c?<a>`, `c??<a>`.
    Receive {
        /// The channel.
        channel: VarRef,
        /// The pattern.
        arguments: Vec<ReceiveArg>,
        /// `??`.
        random: bool,
        /// `<a>`: the message stays in the channel.
        keep: bool,
    },
    /// An expression, executable when it is not zero.
    Expr(Expr),
    /// `else`.
    Else,
    /// `goto label`.
    Goto(Name),
    /// `break`.
    Break,
    /// `if ... fi`.
    If(Vec<Branch>),
    /// `do ... od`.
    Do(Vec<Branch>),
    /// `for (v : low .. high) { }`.
    ForRange {
        /// The index.
        variable: VarRef,
        /// The first value.
        low: Expr,
        /// The last value.
        high: Expr,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `for (v in c) { }`.
    ForIn {
        /// The index, or the structure that takes each message.
        variable: VarRef,
        /// The array or channel.
        collection: VarRef,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `select (v : low .. high)` in the general form: a loop that may stop at each value.
    /// The form with small constant bounds is parsed as the `if` that SPIN makes of it.
    Select {
        /// The variable.
        variable: VarRef,
        /// The first value.
        low: Expr,
        /// The last value.
        high: Expr,
    },
    /// `select` over many constants: an assignment and a loop, as SPIN expands it.
    SelectLoop(Box<[Stmt; 2]>),
    /// `atomic { }`.
    Atomic(Vec<Stmt>),
    /// `d_step { }`.
    DStep(Vec<Stmt>),
    /// `{ }`.
    Block(Vec<Stmt>),
    /// The call of an `inline`: a block of its own.
    Inline {
        /// The name that was called.
        name: Name,
        /// Which definition, counted from 1: labels of different inlines do not mix.
        id: u32,
        /// The expanded body.
        body: Vec<Stmt>,
    },
    /// `main unless escape`.
    Unless(Box<Stmt>, Box<Stmt>),
    /// `assert(e)`.
    Assert(Expr),
    /// `printf(format, e, e)`.
    Print {
        /// The format, escapes as written.
        format: Arc<str>,
        /// The values.
        arguments: Vec<Expr>,
    },
    /// `printm(e)`.
    PrintMtype(Expr),
    /// `set_priority(p, n)`.
    SetPriority(Expr, Expr),
    /// Embedded C: parsed so that it can be refused.
    EmbeddedC(Arc<str>),
    /// What could not be parsed.
    Error,
}

/// One option of `if` or `do`.
#[derive(Debug)]
pub struct Branch {
    /// The `::`.
    pub place: Place,
    /// The statements.
    pub steps: Vec<Stmt>,
}

/// An argument of a receive.
#[derive(Debug)]
pub enum ReceiveArg {
    /// A variable that takes the field, or a name that turns out to be an `mtype` constant.
    Variable(VarRef),
    /// `eval(e)`.
    Eval(Expr),
    /// A constant that the field must equal.
    Constant(i32, Place),
}

/// A variable with its index and field.
#[derive(Clone, Debug)]
pub struct VarRef {
    /// The variable or field.
    pub name: Name,
    /// `[e]`.
    pub index: Option<Box<Expr>>,
    /// `.field`.
    pub field: Option<Box<VarRef>>,
}

impl VarRef {
    /// The whole reference.
    #[must_use]
    pub fn place(&self) -> Place {
        let mut place = self.name.place;
        if let Some(index) = &self.index {
            place = place.to(index.place);
        }
        match &self.field {
            Some(field) => place.to(field.place()),
            None => place,
        }
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub place: Place,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, `true`, `false` or `skip`.
    Number(i32),
    /// A variable, an `mtype` constant or a predefined name.
    Variable(VarRef),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(a, b) priority n`.
    Run {
        /// The proctype.
        proctype: Name,
        /// Its arguments.
        arguments: Vec<Expr>,
        /// `priority n`.
        priority: Option<Box<Expr>>,
    },
    /// `len(c)`.
    Len(VarRef),
    /// `full(c)` and its like.
    ChannelTest(ChannelTest, VarRef),
    /// `c?[a]` and `c??[a]`.
    Poll {
        /// The channel.
        channel: VarRef,
        /// The pattern.
        arguments: Arc<[ReceiveArg]>,
        /// `??`.
        random: bool,
    },
    /// `enabled(p)`.
    Enabled(Box<Expr>),
    /// `pc_value(p)`.
    PcValue(Box<Expr>),
    /// `get_priority(p)`.
    GetPriority(Box<Expr>),
    /// `P[i]@label`.
    RemoteLabel {
        /// The proctype.
        proctype: Name,
        /// The process.
        pid: Option<Box<Expr>>,
        /// The label.
        label: Name,
    },
    /// `P[i]:v`.
    RemoteVariable {
        /// The proctype.
        proctype: Name,
        /// The process.
        pid: Option<Box<Expr>>,
        /// The variable.
        variable: VarRef,
    },
    /// `timeout`.
    Timeout,
    /// `np_`.
    NonProgress,
    /// An operator of temporal logic; the second operand of a unary one is absent.
    Temporal(TemporalOp, Box<Expr>, Option<Box<Expr>>),
    /// `c_expr { }`.
    EmbeddedC(Arc<str>),
    /// What could not be parsed.
    Error,
}
