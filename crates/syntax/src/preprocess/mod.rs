//! The C preprocessor: what `cpp` does before SPIN reads a model.
//!
//! Tokens flow in one direction: files -> directives -> macro expansion -> tokens of PROMELA.
//! The reference is GNU cpp in C mode, as SPIN calls it (`gcc -std=gnu99 -E -x c`).

mod condition;
mod convert;
mod define;
mod directive;
mod expand;
mod substitute;
#[cfg(test)]
mod tests;

use crate::diagnostic::{Diagnostic, Severity};
use crate::lexer::{Lexer, PpKind, PpToken};
use crate::source::{FileId, Loader, Place, SourceMap, Span};
use crate::token::Token;
use convert::Converter;
use define::Macro;
use directive::Conditional;
use expand::Context;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// A definition from the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Define {
    /// `-DNAME=VALUE`. The name may have parameters: `F(x)`. For `-DNAME` the value is `1`, which
    /// is for the caller to say.
    Define {
        /// The name of the macro.
        name: String,
        /// What it stands for.
        value: String,
    },
    /// `-UNAME`.
    Undef(String),
}

/// The tokens of a whole model, the last of which is [`crate::token::TokenKind::End`], and
/// everything that is wrong or doubtful.
pub fn preprocess(
    sources: &mut SourceMap,
    main: FileId,
    defines: &[Define],
    loader: &dyn Loader,
) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut preprocessor = Preprocessor::new(sources, loader);
    preprocessor.open(main);
    preprocessor.open_command_line(defines);
    preprocessor.run()
}

/// The work that macros and `#include` may cause, in tokens. Without it, thirty lines of macros
/// that double each other would fill any memory.
const TOKEN_BUDGET: usize = 10_000_000;

/// What GNU cpp on Linux, which SPIN calls, defines by itself and models are known to ask for.
const BUILT_IN: [(&str, &str); 18] = [
    ("__STDC__", "1"),
    ("__STDC_HOSTED__", "1"),
    ("__linux__", "1"),
    ("__linux", "1"),
    ("linux", "1"),
    ("__gnu_linux__", "1"),
    ("__unix__", "1"),
    ("__unix", "1"),
    ("unix", "1"),
    ("__ELF__", "1"),
    ("__x86_64__", "1"),
    ("__x86_64", "1"),
    ("__amd64__", "1"),
    ("__amd64", "1"),
    ("__LP64__", "1"),
    ("_LP64", "1"),
    ("__CHAR_BIT__", "8"),
    ("__SIZEOF_INT__", "4"),
];

fn built_in() -> HashMap<Arc<str>, Rc<Macro>> {
    let macros = BUILT_IN.iter().map(|(name, value)| Macro::built_in(name, value));
    macros.map(|it| (it.name.clone(), Rc::new(it))).collect()
}

/// A file that is being read.
struct OpenFile {
    lexer: Lexer,
    name: String,
    conditionals: Vec<Conditional>,
}

struct Preprocessor<'a> {
    sources: &'a mut SourceMap,
    loader: &'a dyn Loader,
    /// The model itself at the bottom, the innermost `#include` on top.
    files: Vec<OpenFile>,
    /// The files that `#pragma once` asks not to read again.
    once: HashSet<String>,
    /// Whether `#include` has gone too deep or too far: then it does nothing any more.
    includes_closed: bool,
    /// How much text `#include` has brought in.
    included: usize,
    macros: HashMap<Arc<str>, Rc<Macro>>,
    /// Expansions that wait to be read, the innermost on top.
    contexts: Vec<Context>,
    /// How deep the expansion of arguments is nested.
    nesting: usize,
    /// Whether a line ended before a macro that expanded to nothing.
    carried_newline: bool,
    spent: usize,
    reports: Reports,
}

impl<'a> Preprocessor<'a> {
    fn new(sources: &'a mut SourceMap, loader: &'a dyn Loader) -> Preprocessor<'a> {
        Preprocessor {
            sources,
            loader,
            files: Vec::new(),
            once: HashSet::new(),
            includes_closed: false,
            included: 0,
            macros: built_in(),
            contexts: Vec::new(),
            nesting: 0,
            carried_newline: false,
            spent: 0,
            reports: Reports::default(),
        }
    }

    fn run(mut self) -> (Vec<Token>, Vec<Diagnostic>) {
        let mut converter = Converter::default();
        loop {
            let token = self.next_expanded();
            let end = token.kind == PpKind::End;
            converter.push(token, &mut self.reports);
            if end {
                return (converter.into_tokens(), self.reports.list);
            }
        }
    }

    /// Reads a file from here on, until its end.
    fn open(&mut self, id: FileId) {
        let file = self.sources.file(id);
        let lexer = Lexer::new(id, Arc::from(file.text.as_str()));
        let name = file.name.clone();
        self.files.push(OpenFile { lexer, name, conditionals: Vec::new() });
    }

    /// Definitions from the command line are a file of directives like any other.
    fn open_command_line(&mut self, defines: &[Define]) {
        if defines.is_empty() {
            return;
        }
        let lines = defines.iter().map(|define| match define {
            Define::Define { name, value } => format!("#define {name} {value}"),
            Define::Undef(name) => format!("#undef {name}"),
        });
        let text: String = lines.map(|line| line.replace('\n', " ") + "\n").collect();
        let id = self.sources.add("<command line>", text);
        self.open(id);
    }

    /// The next token of the files that is not in a directive and not in a group left out.
    fn next_in_files(&mut self) -> PpToken {
        while let Some(file) = self.files.last_mut() {
            let token = file.lexer.next();
            if !file.lexer.notes.is_empty() {
                self.note();
            }
            match token.kind {
                PpKind::End => {
                    if let Some(end) = self.close(token) {
                        return end;
                    }
                }
                PpKind::Hash if token.line_start => self.directive(&token),
                _ if self.is_left_out() => {}
                _ => return token,
            }
        }
        self.end()
    }

    /// Keeps the comments for tools that stand before the last token, if it is not left out.
    fn note(&mut self) {
        let is_left_out = self.is_left_out();
        let Some(file) = self.files.last_mut() else { return };
        let notes = std::mem::take(&mut file.lexer.notes);
        if !is_left_out {
            self.sources.note(notes);
        }
    }

    /// The end of the model.
    fn end(&self) -> PpToken {
        let nowhere = Span { file: FileId(0), start: 0, end: 0 };
        let span = self.files.first().map_or(nowhere, |main| main.lexer.end());
        PpToken::new(PpKind::End, span)
    }

    /// Closes the innermost file; the end of the model itself is the end of all.
    fn close(&mut self, end: PpToken) -> Option<PpToken> {
        let file = self.files.last_mut()?;
        let conditionals = std::mem::take(&mut file.conditionals);
        for diagnostic in std::mem::take(&mut file.lexer.diagnostics) {
            self.reports.push(diagnostic);
        }
        for conditional in conditionals.iter().rev() {
            self.reports.push(conditional.unterminated());
        }
        if self.files.len() == 1 {
            return Some(end);
        }
        self.files.pop();
        None
    }

    /// Accounts for work.
    fn charge(&mut self, cost: usize, at: Span) {
        let had_budget = !self.is_exhausted();
        self.spent = self.spent.saturating_add(cost);
        if had_budget && self.is_exhausted() {
            let diagnostic = Diagnostic::error(Place::plain(at), "macro expansion is too large")
                .hint(format!("the limit is {TOKEN_BUDGET} tokens; the rest of the model is not read"));
            self.reports.push(diagnostic);
        }
    }

    fn is_exhausted(&self) -> bool {
        self.spent > TOKEN_BUDGET
    }

    fn error(&mut self, place: Place, message: impl Into<String>) {
        self.reports.push(Diagnostic::error(place, message));
    }
}

/// Diagnostics, but not without end: a macro may repeat an error a million times.
#[derive(Default)]
struct Reports {
    list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Reports {
    const LIMIT: usize = 1000;

    fn push(&mut self, diagnostic: Diagnostic) {
        // What is read twice, as an argument and again in the expansion, is wrong twice.
        if self.list.last() == Some(&diagnostic) {
            return;
        }
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= Self::LIMIT {
            self.list.push(diagnostic);
        }
    }
}
