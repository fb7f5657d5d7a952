//! The constant expressions of `#if` and `#elif`.

use super::Preprocessor;
use super::define::macro_name;
use crate::diagnostic::Diagnostic;
use crate::lexer::{PpKind, PpToken};
use crate::source::{Place, Span};
use crate::token::Punct;
use std::sync::Arc;

/// How deep operators and parentheses may be nested: each level is a recursion.
const MAX_DEPTH: usize = 200;

impl Preprocessor<'_> {
    /// Whether the condition holds. One that is not an expression does not.
    pub(super) fn condition(&mut self, directive: Span, line: Vec<PpToken>) -> bool {
        let value =
            self.isolated(line, directive, Self::condition_tokens).and_then(|tokens| evaluate(directive, &tokens));
        match value {
            Ok(holds) => holds,
            Err(diagnostic) => {
                self.reports.push(diagnostic);
                false
            }
        }
    }

    /// The tokens after expansion. The name after `defined` is not expanded, which is why the
    /// line cannot be expanded first and read after that.
    fn condition_tokens(&mut self) -> Result<Vec<PpToken>, Diagnostic> {
        let mut tokens = Vec::new();
        loop {
            let mut token = self.next_expanded();
            if token.kind == PpKind::End {
                return Ok(tokens);
            }
            if token.name().is_some_and(|name| &**name == "defined") {
                let value = if self.defined_operand(&token)? { "1" } else { "0" };
                token.kind = PpKind::Number(Arc::from(value));
            }
            if let Some(name) = token.name() {
                self.asked_for(name, token.place)?;
            }
            tokens.push(token);
        }
    }

    /// Reads `X` or `(X)` after `defined`.
    fn defined_operand(&mut self, defined: &PpToken) -> Result<bool, Diagnostic> {
        let first = Some(self.next_raw()).filter(|token| token.kind != PpKind::End);
        let Some(open) = first.as_ref().filter(|token| token.is(Punct::LParen)) else {
            let (name, place) = macro_name(defined.place.at, first.as_ref())?;
            return self.asked_for(&name, Place::plain(place));
        };
        let operand = Some(self.next_raw()).filter(|token| token.kind != PpKind::End);
        let (name, place) = macro_name(open.place.at, operand.as_ref())?;
        if !self.next_raw().is(Punct::RParen) {
            return Err(Diagnostic::error(open.place, "')' is missing after 'defined('"));
        }
        self.asked_for(&name, Place::plain(place))
    }
}

/// A 64-bit integer, signed unless a `u` made it unsigned.
#[derive(Clone, Copy)]
struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    fn signed(bits: i64) -> Value {
        Value { bits, unsigned: false }
    }

    fn truth(value: bool) -> Value {
        Value::signed(i64::from(value))
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }

    fn wide(self) -> i128 {
        if self.unsigned { i128::from(self.bits as u64) } else { i128::from(self.bits) }
    }
}

fn evaluate(directive: Span, tokens: &[PpToken]) -> Result<bool, Diagnostic> {
    let Some(last) = tokens.last() else {
        return Err(Diagnostic::error(Place::plain(directive), "a condition is missing here"));
    };
    let mut reader = Reader { tokens, next: 0, last: last.place, depth: 0, unused: 0 };
    let value = reader.comma()?;
    match reader.peek() {
        None => Ok(value.is_true()),
        Some(token) => {
            let message = format!("an operator is missing before '{}'", token.kind.text());
            Err(Diagnostic::error(token.place, message))
        }
    }
}

/// Reads and evaluates at once.
struct Reader<'a> {
    tokens: &'a [PpToken],
    next: usize,
    /// The place of the last token, for what is missing at the end.
    last: Place,
    depth: usize,
    /// How many operands around are of no use, as `b` in `0 && b`: a division by zero is no error
    /// there.
    unused: usize,
}

type Evaluated = Result<Value, Diagnostic>;

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a PpToken> {
        self.tokens.get(self.next)
    }

    fn take(&mut self) -> Option<&'a PpToken> {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.peek().is_some_and(|token| token.is(punct));
        self.next += usize::from(found);
        found
    }

    fn comma(&mut self) -> Evaluated {
        let mut value = self.ternary()?;
        while self.eat(Punct::Comma) {
            value = self.ternary()?;
        }
        Ok(value)
    }

    fn ternary(&mut self) -> Evaluated {
        let place = self.peek().map_or(self.last, |token| token.place);
        self.nested(place, |reader| {
            let condition = reader.binary(0)?;
            if !reader.eat(Punct::Query) {
                return Ok(condition);
            }
            let yes = reader.operand(condition.is_true(), Self::comma)?;
            if !reader.eat(Punct::Colon) {
                return Err(Diagnostic::error(reader.here(), "':' is missing after '?'"));
            }
            let no = reader.operand(!condition.is_true(), Self::ternary)?;
            let chosen = if condition.is_true() { yes } else { no };
            Ok(Value { unsigned: yes.unsigned || no.unsigned, ..chosen })
        })
    }

    /// Precedence climbing: operators that bind at least as strongly as `least`.
    fn binary(&mut self, least: u8) -> Evaluated {
        let mut left = self.unary()?;
        while let Some((operator, token)) = self.operator(least) {
            self.next += 1;
            let used = match operator {
                Punct::AndAnd => left.is_true(),
                Punct::OrOr => !left.is_true(),
                _ => true,
            };
            let strength = precedence(operator).map_or(u8::MAX, |strength| strength + 1);
            let right = self.operand(used, |reader| reader.binary(strength))?;
            left = match apply(operator, left, right) {
                Some(value) => value,
                None if self.unused > 0 => Value::signed(0),
                None => return Err(Diagnostic::error(token.place, "division by zero")),
            };
        }
        Ok(left)
    }

    fn operator(&self, least: u8) -> Option<(Punct, &'a PpToken)> {
        let token = self.peek()?;
        match token.kind {
            PpKind::Punct(punct) if precedence(punct)? >= least => Some((punct, token)),
            _ => None,
        }
    }

    fn unary(&mut self) -> Evaluated {
        let Some(token) = self.take() else {
            let message = format!("an operand is missing after '{}'", self.last_text());
            return Err(Diagnostic::error(self.last, message));
        };
        let operator = match &token.kind {
            PpKind::Name(_) => return Ok(Value::signed(0)),
            PpKind::Number(text) => return number(text).ok_or_else(|| bad_number(token)),
            PpKind::Char(text) => return character(text).ok_or_else(|| bad_number(token)),
            PpKind::Punct(Punct::LParen) => return self.parenthesis(token),
            PpKind::Punct(operator) => *operator,
            _ => return Err(no_operand(token)),
        };
        let value = self.nested(token.place, |reader| match operator {
            // Two tokens of C.
            Punct::BangBang | Punct::Bang | Punct::Tilde | Punct::Minus | Punct::Plus => reader.unary(),
            _ => Err(no_operand(token)),
        })?;
        Ok(match operator {
            Punct::Bang => Value::truth(!value.is_true()),
            Punct::BangBang => Value::truth(value.is_true()),
            Punct::Tilde => Value { bits: !value.bits, ..value },
            Punct::Minus => Value { bits: value.bits.wrapping_neg(), ..value },
            _ => value,
        })
    }

    fn parenthesis(&mut self, open: &PpToken) -> Evaluated {
        let value = self.comma()?;
        if self.eat(Punct::RParen) {
            return Ok(value);
        }
        match self.peek() {
            None => Err(Diagnostic::error(open.place, "this '(' is not closed")),
            Some(token) => {
                let message = format!("an operator is missing before '{}'", token.kind.text());
                Err(Diagnostic::error(token.place, message))
            }
        }
    }

    fn operand(&mut self, used: bool, read: impl FnOnce(&mut Self) -> Evaluated) -> Evaluated {
        let unused = usize::from(!used);
        self.unused += unused;
        let value = read(self);
        self.unused -= unused;
        value
    }

    fn nested(&mut self, place: Place, read: impl FnOnce(&mut Self) -> Evaluated) -> Evaluated {
        if self.depth >= MAX_DEPTH {
            return Err(Diagnostic::error(place, "this condition is nested too deep"));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn here(&self) -> Place {
        self.peek().map_or(self.last, |token| token.place)
    }

    fn last_text(&self) -> &'a str {
        self.tokens.last().map_or("", |token| token.kind.text())
    }
}

/// How strongly a binary operator binds, as in C.
fn precedence(operator: Punct) -> Option<u8> {
    Some(match operator {
        Punct::OrOr => 0,
        Punct::AndAnd => 1,
        Punct::Pipe => 2,
        Punct::Caret => 3,
        Punct::Amp => 4,
        Punct::EqEq | Punct::NotEq => 5,
        Punct::Less | Punct::Greater | Punct::LessEq | Punct::GreaterEq => 6,
        Punct::ShiftLeft | Punct::ShiftRight => 7,
        Punct::Plus | Punct::Minus => 8,
        Punct::Star | Punct::Slash | Punct::Percent => 9,
        _ => return None,
    })
}

/// Nothing if it divides by zero. As in GNU cpp, results wrap and shifts by a negative count go
/// the other way.
fn apply(operator: Punct, left: Value, right: Value) -> Option<Value> {
    let (a, b) = (left.bits, right.bits);
    let unsigned = left.unsigned || right.unsigned;
    let (wide_a, wide_b) = (Value { unsigned, ..left }.wide(), Value { unsigned, ..right }.wide());
    let bits = match operator {
        Punct::OrOr => return Some(Value::truth(a != 0 || b != 0)),
        Punct::AndAnd => return Some(Value::truth(a != 0 && b != 0)),
        Punct::EqEq => return Some(Value::truth(a == b)),
        Punct::NotEq => return Some(Value::truth(a != b)),
        Punct::Less => return Some(Value::truth(wide_a < wide_b)),
        Punct::LessEq => return Some(Value::truth(wide_a <= wide_b)),
        Punct::Greater => return Some(Value::truth(wide_a > wide_b)),
        Punct::GreaterEq => return Some(Value::truth(wide_a >= wide_b)),
        Punct::ShiftLeft => return Some(shift(left, right.wide())),
        Punct::ShiftRight => return Some(shift(left, -right.wide())),
        Punct::Pipe => a | b,
        Punct::Caret => a ^ b,
        Punct::Amp => a & b,
        Punct::Plus => a.wrapping_add(b),
        Punct::Minus => a.wrapping_sub(b),
        Punct::Star => a.wrapping_mul(b),
        _ if b == 0 => return None,
        Punct::Slash => (wide_a / wide_b) as i64,
        _ => (wide_a % wide_b) as i64,
    };
    Some(Value { bits, unsigned })
}

/// To the left, or to the right if `count` is negative.
fn shift(left: Value, count: i128) -> Value {
    let bits = match (count, left.unsigned) {
        (64.., _) => 0,
        (0..=63, _) => left.bits << count,
        (-63..=-1, true) => ((left.bits as u64) >> -count) as i64,
        (_, true) => 0,
        (_, false) => left.bits >> (-count).min(63),
    };
    Value { bits, ..left }
}

/// An integer of C: decimal, hexadecimal, octal or binary, with its suffix.
fn number(text: &str) -> Option<Value> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = text.get(digits.len()..)?.to_ascii_lowercase();
    if !matches!(suffix.as_str(), "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") {
        return None;
    }
    let lower = digits.to_ascii_lowercase();
    let bits = if let Some(hexadecimal) = lower.strip_prefix("0x") {
        u64::from_str_radix(hexadecimal, 16)
    } else if let Some(binary) = lower.strip_prefix("0b") {
        u64::from_str_radix(binary, 2)
    } else if lower.starts_with('0') {
        u64::from_str_radix(&lower, 8)
    } else {
        lower.parse()
    };
    let bits = bits.ok()?;
    Some(Value { bits: bits as i64, unsigned: suffix.contains('u') || i64::try_from(bits).is_err() })
}

/// A character constant of C, with its quotes.
fn character(text: &str) -> Option<Value> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let code = match inner.as_bytes() {
        &[byte] if byte != b'\\' => i64::from(byte),
        &[b'\\', escape] if !escape.is_ascii_digit() => i64::from(match escape {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'f' => b'\x0c',
            b'a' => b'\x07',
            b'b' => b'\x08',
            b'v' => b'\x0b',
            b'\\' | b'\'' | b'"' | b'?' => escape,
            _ => return None,
        }),
        [b'\\', b'x', ..] => i64::from(u8::from_str_radix(inner.get(2..)?, 16).ok()? as i8),
        [b'\\', ..] => i64::from(u8::from_str_radix(inner.get(1..)?, 8).ok()? as i8),
        _ => return None,
    };
    Some(Value::signed(code))
}

fn bad_number(token: &PpToken) -> Diagnostic {
    let message = format!("'{}' is not an integer constant of C", token.kind.text());
    Diagnostic::error(token.place, message)
}

fn no_operand(token: &PpToken) -> Diagnostic {
    let message = format!("an operand is missing before '{}'", token.kind.text());
    Diagnostic::error(token.place, message)
}
