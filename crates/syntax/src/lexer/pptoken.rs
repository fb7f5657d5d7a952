//! The preprocessing token.

use crate::source::{Place, Span};
use crate::token::Punct;
use std::sync::Arc;

/// A preprocessing token.
#[derive(Clone, Debug)]
pub(crate) struct PpToken {
    pub(crate) kind: PpKind,
    pub(crate) place: Place,
    /// Whether a blank, a comment or a line end stands before it.
    pub(crate) space: bool,
    /// Whether a line ended before it, be it inside a comment.
    pub(crate) newline: bool,
    /// Whether it is the first of its line: there a `#` begins a directive. A line end inside a
    /// comment does not count, for a comment is as one blank.
    pub(crate) line_start: bool,
    /// "Painted blue": the name of a macro, read inside that macro's own expansion. It never
    /// expands any more.
    pub(crate) painted: bool,
}

/// What a preprocessing token is. The text is the one written, without line continuations.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PpKind {
    Name(Arc<str>),
    /// A digit and all letters and digits after it. C's pp-number also takes in `.`, which would
    /// hide the macro in `1..N`.
    Number(Arc<str>),
    /// With its quotes, `"` or `$`.
    String(Arc<str>),
    /// With its quotes.
    Char(Arc<str>),
    /// A string or character constant that the end of the line cuts off.
    Unclosed(Arc<str>),
    /// Embedded C with its braces.
    CCode(Arc<str>),
    /// A run of characters that begin no token.
    Other(Arc<str>),
    Punct(Punct),
    Hash,
    HashHash,
    End,
}

impl PpKind {
    /// How it is written.
    pub(crate) fn text(&self) -> &str {
        match self {
            PpKind::Name(text)
            | PpKind::Number(text)
            | PpKind::String(text)
            | PpKind::Char(text)
            | PpKind::Unclosed(text)
            | PpKind::CCode(text)
            | PpKind::Other(text) => text,
            PpKind::Punct(punct) => punct.text(),
            PpKind::Hash => "#",
            PpKind::HashHash => "##",
            PpKind::End => "",
        }
    }
}

impl PpToken {
    /// A token that stands in a file, next to the one before it.
    pub(crate) fn new(kind: PpKind, span: Span) -> PpToken {
        let place = Place::plain(span);
        PpToken { kind, place, space: false, newline: false, line_start: false, painted: false }
    }

    /// Whether it is this operator or bracket.
    pub(crate) fn is(&self, punct: Punct) -> bool {
        self.kind == PpKind::Punct(punct)
    }

    /// The name, if it is one.
    pub(crate) fn name(&self) -> Option<&Arc<str>> {
        match &self.kind {
            PpKind::Name(name) => Some(name),
            _ => None,
        }
    }
}
