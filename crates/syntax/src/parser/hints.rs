//! What the words are, and what a user may have meant.

use crate::diagnostic::Diagnostic;
use crate::token::{Punct, Token, TokenKind};

/// The reserved words of PROMELA. `in`, `value`, `subrange` and the operators of LTL are words
/// only in their place.
const RESERVED: &[&str] = &[
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "D_proctype",
    "do",
    "chan",
    "else",
    "empty",
    "enabled",
    "eval",
    "false",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "return",
    "run",
    "d_step",
    "select",
    "set_priority",
    "short",
    "skip",
    "timeout",
    "trace",
    "true",
    "show",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
];

/// Whether the end of a line after this word separates statements: names and constants do, and
/// the words that end a statement.
pub(super) fn ends_statement(word: &str) -> bool {
    !is_reserved(word) || matches!(word, "od" | "fi" | "else" | "break" | "skip" | "true" | "false")
}

/// Whether a name is a word of the language everywhere.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// A complaint about the token that stands where `wanted` should.
pub(super) fn unexpected(token: &Token, last: &Token, wanted: &str) -> Diagnostic {
    let message = format!("expected {wanted}, found {}", describe(&token.kind));
    let diagnostic = Diagnostic::error(token.place, message);
    match hint(token, last) {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    }
}

/// How to name a token to the user.
pub(super) fn describe(kind: &TokenKind) -> String {
    match kind {
        TokenKind::Name(text) => format!("'{text}'"),
        TokenKind::Number(n) => format!("'{n}'"),
        TokenKind::String(_) => "a string".into(),
        TokenKind::CCode(_) => "embedded C".into(),
        TokenKind::Punct(p) => format!("'{}'", p.text()),
        TokenKind::End => "the end of the model".into(),
    }
}

fn hint(token: &Token, last: &Token) -> Option<&'static str> {
    if let TokenKind::Name(word) = &last.kind
        && let Some(hint) = foreign_word(word)
    {
        return Some(hint);
    }
    match &token.kind {
        TokenKind::Punct(Punct::Assign) => Some("'=' assigns; '==' compares"),
        TokenKind::Name(word) if &**word == "else" => Some("'else' is the guard of an option: ':: else -> ...'"),
        TokenKind::Name(word) => foreign_word(word),
        _ => None,
    }
}

/// Words of other languages, with what PROMELA writes instead.
fn foreign_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "while" | "loop" | "repeat" | "until" => "PROMELA writes loops as do :: condition -> ... :: else -> break od",
        "switch" | "case" => "PROMELA writes choices as if :: condition -> ... :: else -> ... fi",
        "elseif" | "elsif" | "elif" | "then" | "endif" => {
            "PROMELA writes choices as if :: condition -> ... :: else -> ... fi"
        }
        "function" | "void" | "proc" | "process" | "procedure" => {
            "PROMELA has processes (proctype P() { ... }) and inlines (inline f(x) { ... })"
        }
        "char" | "uint8" | "u8" => "PROMELA's types are bit, bool, byte, pid, short, int, unsigned, mtype and chan",
        "boolean" => "the type is called bool",
        "channel" => "the type is called chan",
        "enum" => "PROMELA writes enumerations as mtype = { a, b, c }",
        "struct" => "PROMELA writes structures as typedef Name { ... }",
        "and" => "the operator is written &&",
        "or" => "the operator is written ||",
        "not" => "the operator is written !",
        "mod" => "the operator is written %",
        "send" => "a message is sent by channel ! value",
        "receive" | "recv" => "a message is received by channel ? variable",
        _ => return None,
    })
}
