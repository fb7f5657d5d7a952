//! A position in a text whose line continuations are taken out.

use crate::source::{FileId, Span};
use std::sync::Arc;

pub(super) struct Cursor {
    file: FileId,
    text: Arc<str>,
    position: usize,
}

impl Cursor {
    /// At the start of the text, past a byte order mark.
    pub(super) fn new(file: FileId, text: Arc<str>) -> Cursor {
        let position = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Cursor { file, text, position }
    }

    /// Where a token that is read now starts.
    pub(super) fn start(&self) -> usize {
        self.past_splices(self.position)
    }

    /// Goes back to where a token started.
    pub(super) fn rewind(&mut self, start: usize) {
        self.position = start;
    }

    /// The end of the file.
    pub(super) fn end(&self) -> Span {
        let end = self.text.len() as u32;
        Span { file: self.file, start: end, end }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.byte(self.start())
    }

    pub(super) fn bump(&mut self) -> Option<u8> {
        let at = self.start();
        let byte = self.byte(at)?;
        self.position = at + 1;
        Some(byte)
    }

    /// Moves past `text` if that is what comes next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let mut at = self.position;
        for expected in text.bytes() {
            at = self.past_splices(at);
            if self.byte(at) != Some(expected) {
                return false;
            }
            at += 1;
        }
        self.position = at;
        true
    }

    pub(super) fn at_line_end(&self) -> bool {
        matches!(self.peek(), None | Some(b'\n'))
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Where the text goes on after the line continuations at `at`.
    fn past_splices(&self, mut at: usize) -> usize {
        while self.byte(at) == Some(b'\\') {
            // As in GNU cpp, blanks after the backslash do not matter.
            let rest = self.text.as_bytes().get(at + 1..).unwrap_or_default();
            let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
            if rest.get(blanks) != Some(&b'\n') {
                break;
            }
            at += blanks + 2;
        }
        at
    }

    pub(super) fn text_since(&self, start: usize) -> Arc<str> {
        let text = self.text.get(start..self.position).unwrap_or_default();
        if text.contains('\\') { Arc::from(self.spliced(start)) } else { Arc::from(text) }
    }

    fn spliced(&self, start: usize) -> String {
        let mut text = String::new();
        let mut at = start;
        while at < self.position {
            let part = self.text.get(at..self.position).unwrap_or_default();
            let plain = part.bytes().skip(1).position(|byte| byte == b'\\');
            let end = plain.map_or(self.position, |length| at + 1 + length);
            text.push_str(self.text.get(at..end).unwrap_or_default());
            at = self.past_splices(end);
        }
        text
    }

    pub(super) fn span_since(&self, start: usize) -> Span {
        Span { file: self.file, start: start as u32, end: self.position as u32 }
    }
}
