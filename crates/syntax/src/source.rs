//! Where text comes from: files, spans and line numbers.

use std::fmt;
use std::path::{Path, PathBuf};

/// A source file known to a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A range of bytes of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers `self` and `other`; `self` if they are in different files.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A place in the source as a person sees it: where the text stands, and, for text that came out
/// of a macro, where the macro was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Where the text was called for: outside every macro. SPIN's line numbers are those of `at`.
    pub at: Span,
    /// Where the text is written. Differs from `at` inside the body of a macro.
    pub spelling: Span,
}

impl Place {
    /// A place outside of any macro.
    #[must_use]
    pub fn plain(at: Span) -> Place {
        Place { at, spelling: at }
    }

    /// Whether the text came out of a macro.
    #[must_use]
    pub fn in_macro(self) -> bool {
        self.at != self.spelling
    }

    /// From the start of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Place) -> Place {
        Place { at: self.at.to(other.at), spelling: self.spelling.to(other.spelling) }
    }
}

/// One source file.
#[derive(Debug)]
pub struct SourceFile {
    /// The name as the user gave it.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Byte offset of the start of each line.
    lines: Vec<u32>,
    /// Where lines are counted anew, in the order of the text.
    markers: Vec<Marker>,
}

/// `#line 10 "file"`: another tool made the text, and says where it comes from.
#[derive(Debug)]
struct Marker {
    /// The first line that is counted anew, from 0.
    from: u32,
    /// Its number.
    line: u32,
    /// The file, if that is another.
    name: Option<String>,
}

/// All files of a model.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    notes: Vec<Span>,
}

impl SourceMap {
    /// Adds a file and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let starts = text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        self.files.push(SourceFile { name: name.into(), text, lines, markers: Vec::new() });
        FileId(self.files.len() as u32 - 1)
    }

    /// The line behind a span has this number, in a file of this name.
    pub(crate) fn mark(&mut self, span: Span, line: u32, name: Option<String>) {
        let from = self.physical_line(span) + 1;
        let file = &mut self.files[span.file.0 as usize];
        // A name holds until there is another.
        let name = name.or_else(|| file.markers.last().and_then(|marker| marker.name.clone()));
        file.markers.push(Marker { from, line, name });
    }

    /// The line of the start of a span, counted from 0.
    fn physical_line(&self, span: Span) -> u32 {
        let file = self.file(span.file);
        file.lines.partition_point(|&start| start <= span.start) as u32 - 1
    }

    fn marker(&self, span: Span) -> Option<&Marker> {
        let line = self.physical_line(span);
        self.file(span.file).markers.iter().rev().find(|marker| marker.from <= line)
    }

    /// Keeps comments for tools.
    pub(crate) fn note(&mut self, notes: Vec<Span>) {
        self.notes.extend(notes);
    }

    /// Comments for tools, which begin with `@`: for all others they are comments like any other.
    #[must_use]
    pub fn notes(&self) -> &[Span] {
        &self.notes
    }

    /// A file by its id.
    #[must_use]
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files, the model itself first.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    /// The text of a span.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Line and column of the start of a span in its file, both counted from 1.
    #[must_use]
    pub fn line_column(&self, span: Span) -> LineColumn {
        let line = self.physical_line(span);
        LineColumn { line: line + 1, column: span.start - self.file(span.file).lines[line as usize] + 1 }
    }

    /// The line of the start of a span, counted from 1, or as the text says that it is to be counted.
    #[must_use]
    pub fn line(&self, span: Span) -> u32 {
        let line = self.physical_line(span);
        self.marker(span).map_or(line + 1, |marker| marker.line.saturating_add(line - marker.from))
    }

    /// The file's name, or the one that the text gives.
    #[must_use]
    pub fn name(&self, span: Span) -> &str {
        let name = self.marker(span).and_then(|marker| marker.name.as_deref());
        name.unwrap_or(&self.file(span.file).name)
    }
}

/// A line and a column, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// The line.
    pub line: u32,
    /// The column in bytes.
    pub column: u32,
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// How `#include` finds files. The crate itself does no input or output.
pub trait Loader {
    /// The text of `path` as included from the file `from`, and then the name to show for it.
    ///
    /// # Errors
    /// A sentence for the user when there is no such file.
    fn load(&self, path: &str, from: &str) -> Result<(String, String), String>;
}

/// A loader that finds nothing: for models in memory.
#[derive(Debug)]
pub struct NoIncludes;

impl Loader for NoIncludes {
    fn load(&self, path: &str, _from: &str) -> Result<(String, String), String> {
        Err(format!("cannot include '{path}': this model has no directory"))
    }
}

/// Joins an included path to the directory of the including file.
#[must_use]
pub fn sibling(path: &str, from: &str) -> PathBuf {
    Path::new(from).parent().unwrap_or(Path::new("")).join(path)
}
