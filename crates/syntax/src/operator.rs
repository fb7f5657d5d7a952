//! The operators of expressions and formulas.

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Negate,
    /// `~`
    Complement,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&&`
    And,
    /// `||`
    Or,
}

/// A test of a channel's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelTest {
    /// `full`
    Full,
    /// `empty`
    Empty,
    /// `nfull`
    NotFull,
    /// `nempty`
    NotEmpty,
}

/// An operator of linear temporal logic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemporalOp {
    /// `[]`
    Always,
    /// `<>`
    Eventually,
    /// `X`
    Next,
    /// `U`
    Until,
    /// `W`
    WeakUntil,
    /// `V` or `R`
    Release,
    /// `->`
    Implies,
    /// `<->`
    Equivalent,
}

impl UnaryOp {
    /// How it is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            UnaryOp::Not => "!",
            UnaryOp::Negate => "-",
            UnaryOp::Complement => "~",
        }
    }
}

impl BinaryOp {
    /// How it is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }
}

impl ChannelTest {
    /// How it is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            ChannelTest::Full => "full",
            ChannelTest::Empty => "empty",
            ChannelTest::NotFull => "nfull",
            ChannelTest::NotEmpty => "nempty",
        }
    }
}
