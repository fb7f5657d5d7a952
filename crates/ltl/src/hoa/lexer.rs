//! The words and signs of the Hanoi Omega-Automata format.

use crate::parse::ParseError;
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `States:`, without the colon.
    Header(String),
    /// A word, or `--BODY--` and the like.
    Word(String),
    Number(usize),
    Text(String),
    /// `@name`
    Alias(String),
    Sign(char),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

/// The tokens of a text, with one for its end.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = if next.is_whitespace() {
            (None, next.len_utf8())
        } else if rest.starts_with("/*") {
            (None, rest.find("*/").map(|end| end + 2).ok_or_else(|| open_end(at, 2, "comment"))?)
        } else if next == '"' {
            let (inside, length) = quoted(rest).ok_or_else(|| open_end(at, 1, "text"))?;
            (Some(Kind::Text(inside)), length)
        } else {
            let (kind, length) = word(rest, next);
            (Some(kind), length)
        };
        if let Some(kind) = kind {
            tokens.push(Token { kind, span: at..at + length });
        }
        at += length;
    }
    tokens.push(Token { kind: Kind::End, span: text.len()..text.len() });
    Ok(tokens)
}

fn open_end(at: usize, length: usize, what: &str) -> ParseError {
    ParseError { span: at..at + length, message: format!("this {what} has no end"), hint: None }
}

/// A text in quotes, and its length with them.
fn quoted(rest: &str) -> Option<(String, usize)> {
    let mut inside = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, next)) = chars.next() {
        match next {
            '"' => return Some((inside, at + 1)),
            '\\' => inside.push(chars.next()?.1),
            _ => inside.push(next),
        }
    }
    None
}

fn word(rest: &str, next: char) -> (Kind, usize) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let length = |rest: &str| rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    if next.is_ascii_digit() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        return (Kind::Number(rest[..digits].parse().unwrap_or(usize::MAX)), digits);
    }
    if next == '@' {
        let length = 1 + length(&rest[1..]);
        return (Kind::Alias(rest[1..length].to_string()), length);
    }
    if next.is_ascii_alphabetic() || next == '_' || rest.starts_with("--") {
        let length = length(rest);
        let word = rest[..length].to_string();
        return if rest[length..].starts_with(':') {
            (Kind::Header(word), length + 1)
        } else {
            (Kind::Word(word), length)
        };
    }
    (Kind::Sign(next), next.len_utf8())
}
