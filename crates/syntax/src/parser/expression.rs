//! Expressions, by precedence climbing over SPIN's table.

use super::{Parsed, Parser, is_punct};
use crate::ast::{BinaryOp, ChannelTest, Expr, ExprKind, TemporalOp, UnaryOp, VarRef};
use crate::diagnostic::Diagnostic;
use crate::token::{Punct, TokenKind};

/// An operator between two operands.
#[derive(Clone, Copy)]
enum Infix {
    Binary(BinaryOp),
    Temporal(TemporalOp),
}

/// Operators of one expression.
const MAX_OPERATORS: u32 = 2_000;

impl Parser {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        if self.expressions == 0 {
            self.operators = 0;
        }
        self.expressions += 1;
        let expression = self.nested(|parser| {
            let first = parser.unary_expression()?;
            parser.climb(first, 0)
        });
        self.expressions -= 1;
        expression
    }

    /// Each operator may be one more level: what works on trees goes down all of them.
    fn count_operator(&mut self) -> Parsed<()> {
        self.operators += 1;
        if self.operators <= MAX_OPERATORS {
            return Ok(());
        }
        let message = format!("this expression has more than {MAX_OPERATORS} operators");
        self.fail(Diagnostic::error(self.place(), message).hint("give the value of a part to a variable first"))
    }

    /// An expression whose first operand, a variable, was read already.
    pub(super) fn expression_from(&mut self, variable: VarRef) -> Parsed<Expr> {
        let first = self.after_variable(variable)?;
        self.climb(first, 0)
    }

    fn climb(&mut self, mut left: Expr, minimum: u8) -> Parsed<Expr> {
        while let Some((infix, precedence)) = self.infix() {
            if precedence < minimum {
                break;
            }
            self.count_operator()?;
            self.bump();
            let mut right = self.unary_expression()?;
            while let Some((_, next)) = self.infix() {
                if next <= precedence {
                    break;
                }
                right = self.climb(right, next)?;
            }
            let place = left.place.to(right.place);
            let kind = match infix {
                Infix::Binary(op) => ExprKind::Binary(op, Box::new(left), Box::new(right)),
                Infix::Temporal(op) => ExprKind::Temporal(op, Box::new(left), Some(Box::new(right))),
            };
            left = Expr { kind, place };
        }
        Ok(left)
    }

    /// The operator here with its precedence; all of them associate to the left.
    fn infix(&self) -> Option<(Infix, u8)> {
        if let TokenKind::Name(word) = self.peek() {
            return if self.temporal { temporal_word(word) } else { None };
        }
        let punct = self.continuation()?;
        if self.temporal {
            match punct {
                Punct::Arrow => return Some((Infix::Temporal(TemporalOp::Implies), 1)),
                Punct::Equiv => return Some((Infix::Temporal(TemporalOp::Equivalent), 1)),
                Punct::Less if self.adjacent(Punct::Greater) => return None,
                _ => {}
            }
        }
        let (op, precedence) = binary(punct)?;
        Some((Infix::Binary(op), precedence))
    }

    /// Whether the next token is followed at once by `punct`: `[]` and `<>` are two tokens.
    fn adjacent(&self, punct: Punct) -> bool {
        let (first, second) = (self.token(0), self.token(1));
        is_punct(second, punct) && first.place.spelling.end == second.place.spelling.start
    }

    pub(super) fn unary_expression(&mut self) -> Parsed<Expr> {
        let place = self.place();
        if self.temporal
            && let Some(op) = self.temporal_prefix()
        {
            let operand = self.nested(Self::unary_expression)?;
            let place = place.to(operand.place);
            return Ok(Expr { kind: ExprKind::Temporal(op, Box::new(operand), None), place });
        }
        let op = match self.peek() {
            TokenKind::Punct(Punct::Bang) => UnaryOp::Not,
            TokenKind::Punct(Punct::Minus) => UnaryOp::Negate,
            TokenKind::Punct(Punct::Tilde) => UnaryOp::Complement,
            TokenKind::Punct(Punct::BangBang) => return self.double_negation(),
            _ => return self.primary(),
        };
        self.bump();
        let operand = self.nested(Self::unary_expression)?;
        let place = place.to(operand.place);
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), place })
    }

    /// `!!x` is two negations where an operand is expected.
    fn double_negation(&mut self) -> Parsed<Expr> {
        let place = self.bump().place;
        let operand = self.nested(Self::unary_expression)?;
        let place = place.to(operand.place);
        let not = |operand| Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(operand)), place };
        Ok(not(not(operand)))
    }

    fn temporal_prefix(&mut self) -> Option<TemporalOp> {
        let op = match self.peek() {
            TokenKind::Punct(Punct::LBracket) if self.adjacent(Punct::RBracket) => TemporalOp::Always,
            TokenKind::Punct(Punct::Less) if self.adjacent(Punct::Greater) => TemporalOp::Eventually,
            TokenKind::Name(word) => match &**word {
                "always" => TemporalOp::Always,
                "eventually" => TemporalOp::Eventually,
                "X" | "next" => TemporalOp::Next,
                _ => return None,
            },
            _ => return None,
        };
        if matches!(self.bump().kind, TokenKind::Punct(_)) {
            self.bump();
        }
        Some(op)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let place = self.place();
        match self.peek() {
            &TokenKind::Number(n) => {
                self.bump();
                Ok(Expr { kind: ExprKind::Number(n), place })
            }
            TokenKind::Punct(Punct::LParen) => self.parenthesised(),
            TokenKind::Name(word) => {
                let word = word.clone();
                match self.keyword_expression(&word)? {
                    Some(kind) => Ok(Expr { kind, place: place.to(self.last.place) }),
                    None if self.at_remote() => self.remote(),
                    None => {
                        let variable = self.variable()?;
                        self.after_variable(variable)
                    }
                }
            }
            _ => self.unexpected("an expression"),
        }
    }

    fn parenthesised(&mut self) -> Parsed<Expr> {
        let open = self.bump().place;
        let inner = self.expression()?;
        if !self.temporal && self.accept(Punct::Arrow) {
            let then = self.expression()?;
            self.expect(Punct::Colon)?;
            let otherwise = self.expression()?;
            let place = open.to(self.expect(Punct::RParen)?);
            let kind = ExprKind::Conditional(Box::new(inner), Box::new(then), Box::new(otherwise));
            return Ok(Expr { kind, place });
        }
        let close = self.expect(Punct::RParen)?;
        Ok(Expr { kind: inner.kind, place: open.to(close) })
    }

    fn keyword_expression(&mut self, word: &str) -> Parsed<Option<ExprKind>> {
        let kind = match word {
            "true" | "skip" => ExprKind::Number(1),
            "false" => ExprKind::Number(0),
            "timeout" => ExprKind::Timeout,
            "np_" => ExprKind::NonProgress,
            "run" => return self.run().map(Some),
            "len" => return self.with_channel(ExprKind::Len).map(Some),
            "full" => return self.channel_test(ChannelTest::Full).map(Some),
            "empty" => return self.channel_test(ChannelTest::Empty).map(Some),
            "nfull" => return self.channel_test(ChannelTest::NotFull).map(Some),
            "nempty" => return self.channel_test(ChannelTest::NotEmpty).map(Some),
            "enabled" => return self.of_process(ExprKind::Enabled).map(Some),
            "pc_value" => return self.of_process(ExprKind::PcValue).map(Some),
            "get_priority" => return self.of_process(ExprKind::GetPriority).map(Some),
            "c_expr" => return self.embedded_c_expression().map(Some),
            _ => return Ok(None),
        };
        self.bump();
        Ok(Some(kind))
    }

    fn embedded_c_expression(&mut self) -> Parsed<ExprKind> {
        let place = self.bump().place;
        let diagnostic = Diagnostic::error(place, "embedded C (c_expr) is not supported");
        self.report(diagnostic.hint(super::statement::EMBEDDED_C_HINT));
        match self.peek() {
            TokenKind::CCode(text) => {
                let text = text.clone();
                self.bump();
                Ok(ExprKind::EmbeddedC(text))
            }
            _ => self.unexpected("'{'"),
        }
    }

    fn channel_test(&mut self, test: ChannelTest) -> Parsed<ExprKind> {
        self.with_channel(|channel| ExprKind::ChannelTest(test, channel))
    }

    /// `word(channel)`.
    fn with_channel(&mut self, make: impl FnOnce(VarRef) -> ExprKind) -> Parsed<ExprKind> {
        self.bump();
        self.expect(Punct::LParen)?;
        let channel = self.variable()?;
        self.expect(Punct::RParen)?;
        Ok(make(channel))
    }

    /// `word(pid)`.
    fn of_process(&mut self, make: impl FnOnce(Box<Expr>) -> ExprKind) -> Parsed<ExprKind> {
        self.bump();
        self.expect(Punct::LParen)?;
        let process = self.expression()?;
        self.expect(Punct::RParen)?;
        Ok(make(Box::new(process)))
    }

    fn run(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let proctype = self.name("the name of a proctype")?;
        self.expect(Punct::LParen)?;
        let mut arguments = Vec::new();
        while !self.at(Punct::RParen) {
            arguments.push(self.expression()?);
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RParen)?;
        let priority = self.priority()?.map(Box::new);
        Ok(ExprKind::Run { proctype, arguments, priority })
    }

    /// `P@label`, `P[i]@label`, `P:v` or `P[i]:v`.
    fn at_remote(&self) -> bool {
        let TokenKind::Name(word) = self.peek() else { return false };
        if is_punct(self.token(1), Punct::At) {
            return true;
        }
        self.proctypes.contains(word)
            && (is_punct(self.token(1), Punct::Colon) || is_punct(self.token(1), Punct::LBracket))
    }

    fn remote(&mut self) -> Parsed<Expr> {
        let proctype = self.name("the name of a proctype")?;
        let place = proctype.place;
        let pid = if self.accept(Punct::LBracket) {
            let pid = self.expression()?;
            self.expect(Punct::RBracket)?;
            Some(Box::new(pid))
        } else {
            None
        };
        let kind = if self.accept(Punct::At) {
            ExprKind::RemoteLabel { proctype, pid, label: self.name("a label")? }
        } else if self.accept(Punct::Colon) {
            ExprKind::RemoteVariable { proctype, pid, variable: self.variable()? }
        } else {
            return self.unexpected("'@' or ':'");
        };
        Ok(Expr { kind, place: place.to(self.last.place) })
    }

    /// Whether a variable begins here, and not a word of the language or a remote reference.
    pub(super) fn at_variable(&self) -> bool {
        matches!(self.peek(), TokenKind::Name(word) if !super::hints::is_reserved(word)) && !self.at_remote()
    }

    pub(super) fn variable(&mut self) -> Parsed<VarRef> {
        let name = self.name("a variable")?;
        let mut index = None;
        if self.continuation() == Some(Punct::LBracket) && !(self.temporal && self.adjacent(Punct::RBracket)) {
            self.bump();
            index = Some(Box::new(self.expression()?));
            self.expect(Punct::RBracket)?;
        }
        let mut field = None;
        if self.continuation() == Some(Punct::Dot) {
            self.bump();
            field = Some(Box::new(self.nested(Self::variable)?));
        }
        Ok(VarRef { name, index, field })
    }

    /// A variable, or a poll of the channel that it names.
    fn after_variable(&mut self, variable: VarRef) -> Parsed<Expr> {
        let place = variable.place();
        let polls = matches!(self.continuation(), Some(Punct::Query | Punct::QueryQuery))
            && is_punct(self.token(1), Punct::LBracket);
        if !polls {
            return Ok(Expr { kind: ExprKind::Variable(variable), place });
        }
        let random = self.bump().kind == TokenKind::Punct(Punct::QueryQuery);
        self.bump();
        let arguments = self.receive_arguments()?.into();
        let end = self.expect(Punct::RBracket)?;
        Ok(Expr { kind: ExprKind::Poll { channel: variable, arguments, random }, place: place.to(end) })
    }

    /// What stands for an expression that could not be parsed.
    pub(super) fn error_expression(&self) -> Expr {
        Expr { kind: ExprKind::Error, place: self.place() }
    }
}

fn temporal_word(word: &str) -> Option<(Infix, u8)> {
    let (op, precedence) = match word {
        "implies" => (TemporalOp::Implies, 1),
        "equivalent" => (TemporalOp::Equivalent, 1),
        "U" | "until" | "stronguntil" => (TemporalOp::Until, 5),
        "W" | "weakuntil" => (TemporalOp::WeakUntil, 5),
        "V" | "R" | "release" => (TemporalOp::Release, 5),
        _ => return None,
    };
    Some((Infix::Temporal(op), precedence))
}

fn binary(punct: Punct) -> Option<(BinaryOp, u8)> {
    Some(match punct {
        Punct::OrOr => (BinaryOp::Or, 2),
        Punct::AndAnd => (BinaryOp::And, 3),
        Punct::Pipe => (BinaryOp::BitOr, 7),
        Punct::Caret => (BinaryOp::BitXor, 8),
        Punct::Amp => (BinaryOp::BitAnd, 9),
        Punct::EqEq => (BinaryOp::Equal, 10),
        Punct::NotEq => (BinaryOp::NotEqual, 10),
        Punct::Greater => (BinaryOp::Greater, 11),
        Punct::Less => (BinaryOp::Less, 11),
        Punct::GreaterEq => (BinaryOp::GreaterEqual, 11),
        Punct::LessEq => (BinaryOp::LessEqual, 11),
        Punct::ShiftLeft => (BinaryOp::ShiftLeft, 12),
        Punct::ShiftRight => (BinaryOp::ShiftRight, 12),
        Punct::Plus => (BinaryOp::Add, 13),
        Punct::Minus => (BinaryOp::Subtract, 13),
        Punct::Star => (BinaryOp::Multiply, 14),
        Punct::Slash => (BinaryOp::Divide, 14),
        Punct::Percent => (BinaryOp::Remainder, 14),
        _ => return None,
    })
}
