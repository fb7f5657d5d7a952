//! C inside of PROMELA: `c_code`, `c_expr`, `c_decl`.

use super::{Gap, Lexer, PpKind, Reach};
use crate::source::Span;

/// What embedded C may still follow the word just read.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Awaiting {
    #[default]
    Nothing,
    /// `{ ... }`, after `c_decl`.
    Body,
    /// `[ ... ] { ... }`, after `c_code` and `c_expr`.
    PreconditionOrBody,
}

impl Awaiting {
    pub(super) fn after(name: &str) -> Awaiting {
        match name {
            "c_code" | "c_expr" => Awaiting::PreconditionOrBody,
            "c_decl" => Awaiting::Body,
            _ => Awaiting::Nothing,
        }
    }
}

impl Lexer {
    /// Embedded C, if it is awaited and there. A precondition is left out.
    pub(super) fn embedded_c(&mut self, gap: &mut Gap, reach: Reach) -> Option<(usize, PpKind)> {
        let precondition = self.awaiting == Awaiting::PreconditionOrBody;
        if precondition && self.cursor.peek() == Some(b'[') && self.skip_c(b'[', b']', reach) {
            let after = self.skip_gap(reach);
            gap.newline |= after.newline;
            gap.line_start |= after.line_start;
        }
        if self.awaiting == Awaiting::Nothing || self.cursor.peek() != Some(b'{') {
            return None;
        }
        let start = self.cursor.start();
        let closed = self.skip_c(b'{', b'}', reach);
        closed.then(|| (start, PpKind::CCode(self.cursor.text_since(start))))
    }

    /// Moves past C text in brackets. Where the brackets do not match inside a directive, they are
    /// taken for ordinary tokens: the rest may come from another macro.
    fn skip_c(&mut self, open: u8, close: u8, reach: Reach) -> bool {
        let start = self.cursor.start();
        if self.skip_balanced(open, close, reach) {
            return true;
        }
        if reach == Reach::Line {
            self.cursor.rewind(start);
            self.unbalanced_line = true;
            return false;
        }
        let opening = Span { end: start as u32 + 1, ..self.cursor.span_since(start) };
        let open = char::from(open);
        self.error(opening, format!("this '{open}' of embedded C is not closed"));
        true
    }

    fn skip_balanced(&mut self, open: u8, close: u8, reach: Reach) -> bool {
        let mut depth = 0_usize;
        while let Some(byte) = self.cursor.peek() {
            match byte {
                b'\n' if reach == Reach::Line => return false,
                b'"' | b'\'' => {
                    self.skip_quoted(byte);
                }
                b'/' if self.skip_comment(&mut Gap::default()) => {}
                _ => {
                    self.cursor.bump();
                }
            }
            if byte == open {
                depth += 1;
            } else if byte == close {
                depth -= 1;
                if depth == 0 {
                    return true;
                }
            }
        }
        false
    }
}
