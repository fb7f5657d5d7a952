//! The words and signs of formulas.

use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    Not,
    Next,
    Always,
    Eventually,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Infix {
    Implies,
    Equivalent,
    Or,
    And,
    Until,
    WeakUntil,
    Release,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Prefix(Prefix),
    Infix(Infix),
    /// A name or a number.
    Word,
    /// What only expressions have: `==`, `+`, `@`.
    Symbol,
    /// `{ ... }`
    Braces,
    /// `(` or `[`
    Open,
    /// `)` or `]`
    Close,
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

/// Longer ones first.
const SIGNS: &[(&str, Kind)] = &[
    ("<->", Kind::Infix(Infix::Equivalent)),
    ("->", Kind::Infix(Infix::Implies)),
    ("&&", Kind::Infix(Infix::And)),
    ("/\\", Kind::Infix(Infix::And)),
    ("||", Kind::Infix(Infix::Or)),
    ("\\/", Kind::Infix(Infix::Or)),
    ("[]", Kind::Prefix(Prefix::Always)),
    ("<>", Kind::Prefix(Prefix::Eventually)),
    ("==", Kind::Symbol),
    ("!=", Kind::Symbol),
    ("<=", Kind::Symbol),
    (">=", Kind::Symbol),
    ("<<", Kind::Symbol),
    (">>", Kind::Symbol),
    ("!", Kind::Prefix(Prefix::Not)),
    ("(", Kind::Open),
    ("[", Kind::Open),
    (")", Kind::Close),
    ("]", Kind::Close),
];

const WORDS: &[(&str, Kind)] = &[
    ("X", Kind::Prefix(Prefix::Next)),
    ("next", Kind::Prefix(Prefix::Next)),
    ("always", Kind::Prefix(Prefix::Always)),
    ("eventually", Kind::Prefix(Prefix::Eventually)),
    ("implies", Kind::Infix(Infix::Implies)),
    ("equivalent", Kind::Infix(Infix::Equivalent)),
    ("U", Kind::Infix(Infix::Until)),
    ("until", Kind::Infix(Infix::Until)),
    ("stronguntil", Kind::Infix(Infix::Until)),
    ("W", Kind::Infix(Infix::WeakUntil)),
    ("weakuntil", Kind::Infix(Infix::WeakUntil)),
    ("V", Kind::Infix(Infix::Release)),
    ("R", Kind::Infix(Infix::Release)),
    ("release", Kind::Infix(Infix::Release)),
];

/// The tokens of a text, with one for its end.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        if next.is_whitespace() {
            at += next.len_utf8();
            continue;
        }
        let (kind, length) = token(&text[at..], next);
        tokens.push(Token { kind, span: at..at + length });
        at += length;
    }
    tokens.push(Token { kind: Kind::End, span: text.len()..text.len() });
    tokens
}

fn token(rest: &str, next: char) -> (Kind, usize) {
    if next.is_alphanumeric() || next == '_' {
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let known = WORDS.iter().find(|(word, _)| *word == &rest[..length]);
        return (known.map_or(Kind::Word, |(_, kind)| *kind), length);
    }
    if next == '{' {
        return (Kind::Braces, rest.find('}').map_or(rest.len(), |end| end + 1));
    }
    let known = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign));
    known.map_or((Kind::Symbol, next.len_utf8()), |(sign, kind)| (*kind, sign.len()))
}
