//! Random programs as a tree: what the generator builds, the printer writes and
//! the shrinker takes apart.

/// A whole program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    /// Macros: the head as written after `#define`, and the body.
    pub(crate) macros: Vec<(String, Expr)>,
    /// Sets of symbolic names; the first may have no name of its own.
    pub(crate) mtypes: Vec<Mtype>,
    /// Structures.
    pub(crate) typedefs: Vec<Typedef>,
    /// Global variables and channels.
    pub(crate) globals: Vec<Declaration>,
    /// Inline definitions.
    pub(crate) inlines: Vec<Inline>,
    /// Processes in the order of the text.
    pub(crate) processes: Vec<Process>,
}

/// One set of symbolic names.
#[derive(Clone, Debug)]
pub(crate) struct Mtype {
    /// The name of the set, if it has one.
    pub(crate) name: Option<String>,
    /// Its members.
    pub(crate) members: Vec<String>,
}

/// One structure.
#[derive(Clone, Debug)]
pub(crate) struct Typedef {
    /// Its name.
    pub(crate) name: String,
    /// Its fields.
    pub(crate) fields: Vec<Declaration>,
}

/// A variable, field or channel.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    /// The type as written, with a prefix such as `hidden` if there is one.
    pub(crate) ty: String,
    /// The name.
    pub(crate) name: String,
    /// What follows the name: a width or an array bound.
    pub(crate) suffix: String,
    /// The initial value.
    pub(crate) initial: Option<Initial>,
}

/// The right side of a declaration.
#[derive(Clone, Debug)]
pub(crate) enum Initial {
    /// A value.
    Value(Expr),
    /// A value for each element.
    List(Vec<Expr>),
    /// A new channel: its capacity and the types of its fields.
    Channel(u8, Vec<String>),
}

/// An inline definition.
#[derive(Clone, Debug)]
pub(crate) struct Inline {
    /// Its name.
    pub(crate) name: String,
    /// Its parameters.
    pub(crate) parameters: Vec<String>,
    /// Its body.
    pub(crate) body: Sequence,
}

/// How a process comes to life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// This many at the beginning.
    Active(u8),
    /// By `run`.
    Run,
    /// It is `init`.
    Init,
}

/// One process type.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// Its name.
    pub(crate) name: String,
    /// How it comes to life.
    pub(crate) start: Start,
    /// Its parameters.
    pub(crate) parameters: Vec<Declaration>,
    /// Its priority.
    pub(crate) priority: Option<u8>,
    /// The condition under which it may run.
    pub(crate) provided: Option<Expr>,
    /// Its body.
    pub(crate) body: Sequence,
}

/// Statements one after another.
pub(crate) type Sequence = Vec<Step>;

/// A statement with its label.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The label in front.
    pub(crate) label: Option<String>,
    /// The statement.
    pub(crate) stmt: Stmt,
}

impl From<Stmt> for Step {
    fn from(stmt: Stmt) -> Self {
        Self { label: None, stmt }
    }
}

/// What stands around a sequence in braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapper {
    /// `atomic`
    Atomic,
    /// `d_step`
    DStep,
    /// Nothing.
    Block,
}

/// One statement.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    /// A declaration in the middle of a body.
    Declare(Declaration),
    /// `skip`, `break`, `else`, `goto`: words that stand for themselves.
    Word(String),
    /// A condition, or a `run`.
    Guard(Expr),
    /// An assignment.
    Assign(Expr, Expr),
    /// `++` or `--` behind a place.
    Count(Expr, &'static str),
    /// A channel, one of `!` and `!!`, and the message.
    Send(Expr, &'static str, Vec<Expr>),
    /// A channel, the two halves of the operator, and what is to be received.
    Receive(Expr, (&'static str, &'static str), Vec<Expr>),
    /// `if`
    If(Vec<Sequence>),
    /// `do`
    Do(Vec<Sequence>),
    /// Braces.
    Wrap(Wrapper, Sequence),
    /// `{ main } unless { escape }`
    Unless(Sequence, Sequence),
    /// `for`, with the text between its parentheses.
    For(String, Sequence),
    /// Something that looks like a call: `assert`, `printf`, `select`, an inline.
    Call(String, Vec<Expr>),
}

impl Stmt {
    /// The statement that does nothing.
    pub(crate) fn skip() -> Self {
        Self::Word("skip".to_owned())
    }

    /// Whether the statement is one step without any structure.
    pub(crate) fn is_simple(&self) -> bool {
        matches!(self, Self::Guard(_) | Self::Assign(..) | Self::Count(..) | Self::Send(..) | Self::Receive(..))
            || matches!(self, Self::Word(word) if word == "skip")
    }
}

/// An expression. Parentheses are part of the tree: what stands without them is
/// read by each checker with its own table of precedences.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// A number.
    Number(i64),
    /// A name, or any text that is never taken apart.
    Name(String),
    /// An element of an array.
    Index(Box<Expr>, Box<Expr>),
    /// A field of a structure.
    Field(Box<Expr>, String),
    /// An operator in front.
    Unary(&'static str, Box<Expr>),
    /// An operator between.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// Parentheses.
    Paren(Box<Expr>),
    /// `(condition -> then : otherwise)`
    Conditional(Box<[Expr; 3]>),
    /// `len(q)`, `enabled(p)`, `eval(e)`, a macro.
    Call(String, Vec<Expr>),
    /// A new process: its type, its arguments and its priority.
    Run(String, Vec<Expr>, Option<u8>),
    /// A channel, one of `?` and `??`, and the message that is asked for.
    Poll(Box<Expr>, &'static str, Vec<Expr>),
}

impl Expr {
    /// A name.
    pub(crate) fn name(text: impl Into<String>) -> Self {
        Self::Name(text.into())
    }

    /// A binary expression without parentheses.
    pub(crate) fn binary(left: Self, operator: &'static str, right: Self) -> Self {
        Self::Binary(operator, Box::new(left), Box::new(right))
    }

    /// Whether a variable is named in it. Macros may hide names, so they mention all.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        let any = |parts: &[Self]| parts.iter().any(|part| part.mentions(name));
        match self {
            Self::Number(_) => false,
            Self::Name(text) => text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name),
            Self::Index(inner, index) => inner.mentions(name) || index.mentions(name),
            Self::Field(inner, _) | Self::Unary(_, inner) | Self::Paren(inner) => inner.mentions(name),
            Self::Binary(_, left, right) => left.mentions(name) || right.mentions(name),
            Self::Conditional(parts) => any(&**parts),
            Self::Call(text, args) => text.starts_with(|c: char| c.is_uppercase()) || any(args),
            Self::Run(_, args, _) => any(args),
            Self::Poll(channel, _, args) => channel.mentions(name) || any(args),
        }
    }

    /// Whether its value depends on how many messages some channel holds.
    pub(crate) fn asks_for_length(&self) -> bool {
        let any = |parts: &[Self]| parts.iter().any(Self::asks_for_length);
        match self {
            Self::Number(_) | Self::Name(_) => false,
            Self::Index(inner, index) => inner.asks_for_length() || index.asks_for_length(),
            Self::Field(inner, _) | Self::Unary(_, inner) | Self::Paren(inner) => inner.asks_for_length(),
            Self::Binary(_, left, right) => left.asks_for_length() || right.asks_for_length(),
            Self::Conditional(parts) => any(&**parts),
            Self::Call(text, args) => text == "len" || any(args),
            Self::Run(_, args, _) => any(args),
            Self::Poll(..) => true,
        }
    }

    /// The same expression in parentheses, where it is compound.
    pub(crate) fn paren(self) -> Self {
        match self {
            Self::Unary(..) | Self::Binary(..) => Self::Paren(Box::new(self)),
            other => other,
        }
    }
}
