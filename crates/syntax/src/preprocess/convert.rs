//! From preprocessing tokens to tokens of PROMELA, as SPIN's lexer reads them.

use super::Reports;
use crate::diagnostic::Diagnostic;
use crate::lexer::{PpKind, PpToken};
use crate::source::{Place, Span};
use crate::token::{Token, TokenKind};
use std::collections::HashSet;
use std::sync::Arc;

/// Collects the tokens of the model.
#[derive(Default)]
pub(super) struct Converter {
    tokens: Vec<Token>,
    /// Whether a line ended before a token that was left out.
    carried_newline: bool,
    /// Where something was wrong: the body of a macro is not blamed again at each call.
    blamed: HashSet<Span>,
}

impl Converter {
    pub(super) fn into_tokens(self) -> Vec<Token> {
        self.tokens
    }

    pub(super) fn push(&mut self, token: PpToken, reports: &mut Reports) {
        let place = token.place;
        let newline = token.newline || std::mem::take(&mut self.carried_newline);
        let (kind, diagnostic) = match token.kind {
            PpKind::Name(name) => (Some(TokenKind::Name(name)), None),
            PpKind::Number(text) => return self.push_number(&text, place, newline, reports),
            PpKind::String(text) => (Some(TokenKind::String(inner(&text))), None),
            PpKind::Char(text) => character(&text, place),
            PpKind::Unclosed(text) => unclosed(&text, place),
            PpKind::CCode(text) => (Some(TokenKind::CCode(c_body(&text))), None),
            PpKind::Punct(punct) => (Some(TokenKind::Punct(punct)), None),
            PpKind::Other(text) => (None, Some(unknown(&text, place))),
            PpKind::Hash | PpKind::HashHash => (None, Some(stray_hash(place))),
            PpKind::End => (Some(TokenKind::End), None),
        };
        self.report(diagnostic, reports);
        match kind {
            Some(kind) => self.tokens.push(Token { kind, place, newline_before: newline }),
            None => self.carried_newline = newline,
        }
    }

    /// A number, and the name if letters follow at once: as SPIN does, two tokens.
    fn push_number(&mut self, text: &str, place: Place, newline: bool, reports: &mut Reports) {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, name) = text.split_at(digits);
        let (value, diagnostic) = match hexadecimal(text) {
            Some(digits) => hexadecimal_value(text, digits, place),
            None => decimal_value(number, place),
        };
        self.report(diagnostic, reports);
        let kind = TokenKind::Number(value);
        self.tokens.push(Token { kind, place, newline_before: newline });
        if !name.is_empty() && hexadecimal(text).is_none() {
            let kind = TokenKind::Name(Arc::from(name));
            self.tokens.push(Token { kind, place, newline_before: false });
        }
    }

    fn report(&mut self, diagnostic: Option<Diagnostic>, reports: &mut Reports) {
        if let Some(diagnostic) = diagnostic
            && self.blamed.insert(diagnostic.place.spelling)
        {
            reports.push(diagnostic);
        }
    }
}

/// As `strtol` and a cast to `int`.
fn decimal_value(digits: &str, place: Place) -> (i32, Option<Diagnostic>) {
    let wide = digits.parse::<i64>().unwrap_or(i64::MAX);
    let value = wide as i32;
    let diagnostic = (i64::from(value) != wide).then(|| {
        let message = format!("number '{}' is too large: SPIN reads it as {value}", short(digits));
        Diagnostic::warning(place, message)
    });
    (value, diagnostic)
}

/// The digits of `0x1F`.
fn hexadecimal(text: &str) -> Option<&str> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(digits)
}

fn hexadecimal_value(text: &str, digits: &str, place: Place) -> (i32, Option<Diagnostic>) {
    let value = i32::from_str_radix(digits, 16);
    let message = format!("'{}' is not a number of PROMELA", short(text));
    let hint = match value {
        Ok(value) => format!("PROMELA has decimal numbers only: write {value}"),
        Err(_) => "PROMELA has decimal numbers only".to_owned(),
    };
    (value.unwrap_or(0), Some(Diagnostic::error(place, message).hint(hint)))
}

fn character(text: &str, place: Place) -> (Option<TokenKind>, Option<Diagnostic>) {
    let bytes = text.get(1..text.len().saturating_sub(1)).unwrap_or_default().as_bytes();
    let (code, diagnostic) = match *bytes {
        [byte] if byte != b'\\' => (byte, None),
        [b'\\', escape] if escape.is_ascii() => escaped(escape, place),
        _ => {
            let message = format!("{} is not a character constant", short(text));
            let hint = "one ASCII character stands between the quotes; strings have \"...\"";
            (0, Some(Diagnostic::error(place, message).hint(hint)))
        }
    };
    (Some(TokenKind::Number(i32::from(code))), diagnostic)
}

fn escaped(escape: u8, place: Place) -> (u8, Option<Diagnostic>) {
    let code = match escape {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'f' => b'\x0c',
        b'0' => 0,
        other => other,
    };
    let name = char::from(escape);
    let message = match escape {
        b'0' => "'\\0' is read as 0, as in C; SPIN reads it as 48, the digit".to_owned(),
        _ if escape == code && escape.is_ascii_alphanumeric() => {
            format!("'\\{name}' is no escape: as in SPIN it is read as '{name}'")
        }
        _ => return (code, None),
    };
    (code, Some(Diagnostic::warning(place, message)))
}

fn unclosed(text: &str, place: Place) -> (Option<TokenKind>, Option<Diagnostic>) {
    if let Some(inner) = text.strip_prefix('"') {
        let diagnostic = Diagnostic::error(place, "this string is not closed in its line");
        return (Some(TokenKind::String(Arc::from(inner))), Some(diagnostic));
    }
    let diagnostic = Diagnostic::error(place, "this character constant is not closed in its line");
    (Some(TokenKind::Number(0)), Some(diagnostic))
}

fn unknown(text: &str, place: Place) -> Diagnostic {
    let shown = short(text).escape_debug().to_string();
    let mut characters = text.chars();
    let message = match (characters.next(), characters.next()) {
        (Some(character), None) if character.is_ascii() => format!("unknown character '{shown}'"),
        (Some(character), None) => {
            format!("unknown character '{shown}' (U+{:04X})", u32::from(character))
        }
        _ => format!("unknown characters '{shown}'"),
    };
    Diagnostic::error(place, message)
}

fn stray_hash(place: Place) -> Diagnostic {
    Diagnostic::error(place, "unknown character '#'").hint("a directive begins at the start of a line")
}

/// The text between the quotes.
fn inner(text: &str) -> Arc<str> {
    Arc::from(text.get(1..text.len().saturating_sub(1)).unwrap_or_default())
}

/// The text between the braces, of which the last is missing at the end of a file.
fn c_body(text: &str) -> Arc<str> {
    let text = text.strip_prefix('{').unwrap_or(text);
    Arc::from(text.strip_suffix('}').unwrap_or(text))
}

/// The text, cut where it is too long for a message.
fn short(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
