//! From text to preprocessing tokens: the words `cpp` works on.
//!
//! The lexer knows nothing of macros. It removes line continuations and comments, remembers where
//! lines ended, and reads embedded C as one word. What is not a word of PROMELA becomes a token
//! too ([`PpKind::Other`], [`PpKind::Unclosed`]): whether it is an error is known only once the
//! preprocessor has decided that the text is used at all.

mod cursor;
mod embedded_c;
mod pptoken;

pub(crate) use pptoken::{PpKind, PpToken};

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Place, Span};
use crate::token::Punct;
use cursor::Cursor;
use embedded_c::Awaiting;
use std::sync::Arc;

/// Reads one file.
pub(crate) struct Lexer {
    cursor: Cursor,
    at_start: bool,
    awaiting: Awaiting,
    /// Whether embedded C was begun but not closed in the line of this directive. It is not looked
    /// for again in that line, or many beginnings would take quadratic time.
    unbalanced_line: bool,
    /// Whether embedded C is read as one token. Not in groups that a conditional leaves out, where
    /// the braces need not match.
    pub(crate) reads_embedded_c: bool,
    /// What is wrong with the text whether it is used or not.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Comments that begin with `@`, until somebody asks for them.
    pub(crate) notes: Vec<Span>,
}

/// What stands between two tokens.
#[derive(Clone, Copy, Default)]
struct Gap {
    space: bool,
    newline: bool,
    line_start: bool,
}

/// How far a token may look ahead.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    /// To the end of the line: inside a directive.
    Line,
    /// To the end of the file.
    File,
}

impl Lexer {
    /// A lexer for the whole text of a file.
    pub(crate) fn new(file: FileId, text: Arc<str>) -> Lexer {
        Lexer {
            cursor: Cursor::new(file, text),
            at_start: true,
            awaiting: Awaiting::Nothing,
            unbalanced_line: false,
            reads_embedded_c: true,
            diagnostics: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The kind of token that the text is, if it is exactly one.
    pub(crate) fn single(text: &str) -> Option<PpKind> {
        let mut lexer = Lexer::new(FileId(0), Arc::from(text));
        let kind = lexer.kind();
        (lexer.cursor.peek().is_none() && kind != PpKind::End).then_some(kind)
    }

    /// The next token; [`PpKind::End`] again and again at the end of the file.
    pub(crate) fn next(&mut self) -> PpToken {
        let mut gap = self.skip_gap(Reach::File);
        if std::mem::take(&mut self.at_start) {
            gap.newline = true;
            gap.line_start = true;
        }
        self.token(gap, Reach::File)
    }

    /// The next token of the line, if there is one.
    pub(crate) fn next_in_line(&mut self) -> Option<PpToken> {
        let gap = self.skip_gap(Reach::Line);
        if self.cursor.at_line_end() {
            self.awaiting = Awaiting::Nothing;
            self.unbalanced_line = false;
            return None;
        }
        Some(self.token(gap, Reach::Line))
    }

    /// The name of a file in `<...>` or `"..."`, with these, if that is what comes next in the
    /// line. Nothing in it is an escape or a comment.
    pub(crate) fn header_name(&mut self) -> Option<(Arc<str>, Span)> {
        self.skip_gap(Reach::Line);
        let start = self.cursor.start();
        let close = match self.cursor.peek()? {
            b'<' => b'>',
            b'"' => b'"',
            _ => return None,
        };
        self.cursor.bump();
        while !self.cursor.at_line_end() {
            if self.cursor.bump() == Some(close) {
                return Some((self.cursor.text_since(start), self.cursor.span_since(start)));
            }
        }
        self.cursor.rewind(start);
        None
    }

    /// The end of the file.
    pub(crate) fn end(&self) -> Span {
        self.cursor.end()
    }

    fn token(&mut self, mut gap: Gap, reach: Reach) -> PpToken {
        let embedded = self.embedded_c(&mut gap, reach);
        let (start, kind) = embedded.unwrap_or_else(|| {
            let start = self.cursor.start();
            (start, self.kind())
        });
        self.awaiting = match &kind {
            PpKind::Name(name) if self.reads_embedded_c && !self.unbalanced_line => Awaiting::after(name),
            _ => Awaiting::Nothing,
        };
        PpToken {
            kind,
            place: Place::plain(self.cursor.span_since(start)),
            space: gap.space,
            newline: gap.newline,
            line_start: gap.line_start,
            painted: false,
        }
    }

    /// The token at the position, which is not in a gap.
    fn kind(&mut self) -> PpKind {
        let start = self.cursor.start();
        match self.cursor.peek() {
            None => {
                self.cursor.rewind(start);
                PpKind::End
            }
            Some(byte) if is_name_start(byte) => PpKind::Name(self.word(start)),
            Some(byte) if byte.is_ascii_digit() => PpKind::Number(self.word(start)),
            Some(quote @ (b'"' | b'\'')) => self.quoted(start, quote),
            Some(b'$') => self.dollar_string(start),
            Some(b'#') => {
                self.cursor.bump();
                if self.cursor.eat("#") { PpKind::HashHash } else { PpKind::Hash }
            }
            // SPIN reads a longer arrow, too.
            Some(b'-') if self.cursor.eat("-->") => PpKind::Punct(Punct::Arrow),
            Some(_) => match Punct::ALL.iter().find(|punct| self.cursor.eat(punct.text())) {
                Some(&punct) => PpKind::Punct(punct),
                None => self.other(start),
            },
        }
    }

    fn word(&mut self, start: usize) -> Arc<str> {
        while self.cursor.peek().is_some_and(is_name_part) {
            self.cursor.bump();
        }
        self.cursor.text_since(start)
    }

    fn quoted(&mut self, start: usize, quote: u8) -> PpKind {
        let closed = self.skip_quoted(quote);
        let text = self.cursor.text_since(start);
        match (closed, quote) {
            (false, _) => PpKind::Unclosed(Arc::from(text.trim_end_matches('\r'))),
            (true, b'"') => PpKind::String(text),
            (true, _) => PpKind::Char(text),
        }
    }

    /// SPIN's old way to write a formula: `$ ... $`, in one line.
    fn dollar_string(&mut self, start: usize) -> PpKind {
        self.cursor.bump();
        while !self.cursor.at_line_end() {
            if self.cursor.bump() == Some(b'$') {
                return PpKind::String(self.cursor.text_since(start));
            }
        }
        self.cursor.rewind(start);
        self.other(start)
    }

    fn other(&mut self, start: usize) -> PpKind {
        self.cursor.bump();
        while self.cursor.peek().is_some_and(is_unknown) {
            self.cursor.bump();
        }
        PpKind::Other(self.cursor.text_since(start))
    }

    /// Moves past a string or character constant, or to the end of the line that cuts it off.
    fn skip_quoted(&mut self, quote: u8) -> bool {
        self.cursor.bump();
        while !self.cursor.at_line_end() {
            match self.cursor.bump() {
                Some(b'\\') if !self.cursor.at_line_end() => {
                    self.cursor.bump();
                }
                Some(byte) if byte == quote => return true,
                _ => {}
            }
        }
        false
    }
}

/// Gaps: blanks, line ends and comments.
impl Lexer {
    fn skip_gap(&mut self, reach: Reach) -> Gap {
        let mut gap = Gap::default();
        while self.skip_blank(&mut gap, reach) {
            gap.space = true;
        }
        gap
    }

    fn skip_blank(&mut self, gap: &mut Gap, reach: Reach) -> bool {
        match self.cursor.peek() {
            Some(b'\n') if reach == Reach::File => {
                self.cursor.bump();
                gap.newline = true;
                gap.line_start = true;
                true
            }
            Some(b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c') => {
                self.cursor.bump();
                true
            }
            Some(b'/') => self.skip_comment(gap),
            Some(b'*') => self.skip_stray_end(),
            _ => false,
        }
    }

    /// What a comment inside of a comment leaves behind. SPIN reads over it.
    fn skip_stray_end(&mut self) -> bool {
        let start = self.cursor.start();
        let is_stray = self.cursor.eat("*/");
        if is_stray {
            let place = Place::plain(self.cursor.span_since(start));
            self.diagnostics.push(Diagnostic::warning(place, "this '*/' ends no comment"));
        }
        is_stray
    }

    fn skip_comment(&mut self, gap: &mut Gap) -> bool {
        let start = self.cursor.start();
        if self.cursor.eat("//") {
            let is_note = self.cursor.peek() == Some(b'@');
            while !self.cursor.at_line_end() {
                self.cursor.bump();
            }
            self.notes.extend(is_note.then(|| self.cursor.span_since(start)));
            return true;
        }
        if !self.cursor.eat("/*") {
            return false;
        }
        let opening = self.cursor.span_since(start);
        let is_note = self.cursor.peek() == Some(b'@');
        while !self.cursor.eat("*/") {
            match self.cursor.bump() {
                Some(b'\n') => gap.newline = true,
                Some(_) => {}
                None => {
                    self.error(opening, "this comment is not closed");
                    break;
                }
            }
        }
        self.notes.extend(is_note.then(|| self.cursor.span_since(start)));
        true
    }
}

impl Lexer {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(Place::plain(span), message));
    }
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_name_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether no token begins with the byte. `$` may begin a string.
fn is_unknown(byte: u8) -> bool {
    !(is_name_part(byte)
        || matches!(byte, b'"' | b'\'' | b'$' | b'#')
        || matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\x0b' | b'\x0c')
        || Punct::ALL.iter().any(|punct| punct.text().as_bytes().first() == Some(&byte)))
}
