//! Directives: conditionals, `#include` and the small ones.

use super::define::macro_name;
use super::{OpenFile, Preprocessor};
use crate::diagnostic::Diagnostic;
use crate::lexer::{PpKind, PpToken};
use crate::source::{FileId, Place, Span};
use crate::token::Punct;
use std::sync::Arc;

const MAX_INCLUDE_DEPTH: usize = 200;

/// What reading an included file costs, even if it has no tokens: files that include each other
/// twice multiply as macros do.
const INCLUDE_COST: usize = 100;

/// An `#if` that waits for its `#endif`.
pub(super) struct Conditional {
    opened: Span,
    keyword: Arc<str>,
    /// Whether one of its groups has been chosen.
    taken: bool,
    /// Whether the group being read is the chosen one.
    active: bool,
    /// Whether the whole conditional stands in text that is used.
    enclosing_active: bool,
    else_at: Option<Span>,
}

impl Conditional {
    pub(super) fn unterminated(&self) -> Diagnostic {
        let message = format!("#{} without #endif", self.keyword);
        Diagnostic::error(Place::plain(self.opened), message)
    }
}

impl OpenFile {
    fn is_active(&self) -> bool {
        self.conditionals.last().is_none_or(|conditional| conditional.active)
    }
}

impl Preprocessor<'_> {
    /// Whether the text is in a group that a conditional leaves out.
    pub(super) fn is_left_out(&self) -> bool {
        self.files.last().is_some_and(|file| !file.is_active())
    }

    /// Reads the directive that begins with `hash`, to the end of its line.
    pub(super) fn directive(&mut self, hash: &PpToken) {
        let Some(keyword) = self.next_in_line() else { return };
        let span = hash.place.at.to(keyword.place.at);
        match keyword.name().map(|name| &**name) {
            Some("include") if !self.is_left_out() => self.include(span),
            name => {
                let line = self.rest_of_line();
                match name {
                    Some(name) if is_conditional(name) => self.conditional(name, span, line),
                    _ if self.is_left_out() => {}
                    _ => self.action(&keyword, span, line),
                }
            }
        }
    }

    fn action(&mut self, keyword: &PpToken, span: Span, line: Vec<PpToken>) {
        match keyword.kind.text() {
            "define" => self.define(span, line),
            "undef" => self.undef(span, &line),
            "error" => self.error(Place::plain(span), message("#error", &line)),
            "warning" => {
                let message = message("#warning", &line);
                self.reports.push(Diagnostic::warning(Place::plain(span), message));
            }
            "pragma" => self.pragma(&line),
            "ident" | "sccs" => {}
            "line" => {
                let line = self.expand(line, span);
                self.line_marker(span, &line);
            }
            _ if matches!(keyword.kind, PpKind::Number(_)) => {
                let line: Vec<PpToken> = [keyword.clone()].into_iter().chain(line).collect();
                self.line_marker(span, &line);
            }
            text => self.error(Place::plain(span), format!("unknown directive '#{text}'")),
        }
    }

    /// `#line 12 "file"`, or `# 12 "file"`, from the number on.
    fn line_marker(&mut self, span: Span, line: &[PpToken]) {
        let number = line.first().and_then(|token| token.kind.text().parse().ok());
        let Some(number) = number else {
            return self.error(Place::plain(span), "#line without a number");
        };
        let name = match line.get(1).map(|token| &token.kind) {
            Some(PpKind::String(text)) => Some(text.trim_matches('"').to_owned()),
            Some(_) | None => None,
        };
        self.sources.mark(span, number, name);
    }

    fn pragma(&mut self, line: &[PpToken]) {
        let once = line.first().and_then(PpToken::name).is_some_and(|name| &**name == "once");
        if let Some(file) = self.files.last().filter(|_| once) {
            self.once.insert(file.name.clone());
        }
    }

    pub(super) fn warn_of_extra(&mut self, directive: &str, extra: Option<&PpToken>) {
        if let Some(token) = extra {
            let message = format!("extra text after {directive}");
            self.reports.push(Diagnostic::warning(token.place, message));
        }
    }

    fn next_in_line(&mut self) -> Option<PpToken> {
        self.files.last_mut()?.lexer.next_in_line()
    }

    fn rest_of_line(&mut self) -> Vec<PpToken> {
        std::iter::from_fn(|| self.next_in_line()).collect()
    }
}

/// Conditionals.
impl Preprocessor<'_> {
    fn conditional(&mut self, keyword: &str, span: Span, line: Vec<PpToken>) {
        match keyword {
            "elif" => self.elif(span, line),
            "else" => self.else_group(span, &line),
            "endif" => self.endif(span, &line),
            _ => self.if_group(keyword, span, line),
        }
        if let Some(file) = self.files.last_mut() {
            file.lexer.reads_embedded_c = file.is_active();
        }
    }

    fn if_group(&mut self, keyword: &str, span: Span, line: Vec<PpToken>) {
        let enclosing_active = !self.is_left_out();
        let active = enclosing_active
            && match keyword {
                "ifdef" => self.names_macro(keyword, span, &line) == Some(true),
                "ifndef" => self.names_macro(keyword, span, &line) == Some(false),
                _ => self.condition(span, line),
            };
        let Some(file) = self.files.last_mut() else { return };
        file.conditionals.push(Conditional {
            opened: span,
            keyword: Arc::from(keyword),
            taken: active,
            active,
            enclosing_active,
            else_at: None,
        });
    }

    fn elif(&mut self, span: Span, line: Vec<PpToken>) {
        let Some(mut conditional) = self.pop_conditional("#elif", span) else { return };
        self.refuse_after_else(&conditional, "#elif", span);
        let open = conditional.enclosing_active && !conditional.taken;
        conditional.active = open && conditional.else_at.is_none() && self.condition(span, line);
        conditional.taken |= conditional.active;
        self.push_conditional(conditional);
    }

    fn else_group(&mut self, span: Span, line: &[PpToken]) {
        let Some(mut conditional) = self.pop_conditional("#else", span) else { return };
        if conditional.enclosing_active {
            self.warn_of_extra("#else", line.first());
        }
        self.refuse_after_else(&conditional, "#else", span);
        conditional.active = conditional.enclosing_active && !conditional.taken;
        conditional.taken = true;
        conditional.else_at.get_or_insert(span);
        self.push_conditional(conditional);
    }

    fn endif(&mut self, span: Span, line: &[PpToken]) {
        let conditional = self.pop_conditional("#endif", span);
        if conditional.is_some_and(|conditional| conditional.enclosing_active) {
            self.warn_of_extra("#endif", line.first());
        }
    }

    fn pop_conditional(&mut self, directive: &str, span: Span) -> Option<Conditional> {
        let conditional = self.files.last_mut()?.conditionals.pop();
        if conditional.is_none() {
            self.error(Place::plain(span), format!("{directive} without #if"));
        }
        conditional
    }

    fn push_conditional(&mut self, conditional: Conditional) {
        if let Some(file) = self.files.last_mut() {
            file.conditionals.push(conditional);
        }
    }

    fn refuse_after_else(&mut self, conditional: &Conditional, directive: &str, span: Span) {
        if let Some(else_at) = conditional.else_at.filter(|_| conditional.enclosing_active) {
            let message = format!("{directive} after #else");
            let diagnostic = Diagnostic::error(Place::plain(span), message)
                .label(else_at, "the #else")
                .label(conditional.opened, "the conditional");
            self.reports.push(diagnostic);
        }
    }

    /// Whether the name after `#ifdef` or `#ifndef` is defined.
    fn names_macro(&mut self, keyword: &str, span: Span, line: &[PpToken]) -> Option<bool> {
        match macro_name(span, line.first()) {
            Ok((name, place)) => {
                self.warn_of_extra(&format!("#{keyword}"), line.get(1));
                let known = self.asked_for(&name, Place::plain(place));
                known.map_err(|diagnostic| self.reports.push(diagnostic)).ok()
            }
            Err(diagnostic) => {
                self.reports.push(diagnostic);
                None
            }
        }
    }
}

/// `#include`.
impl Preprocessor<'_> {
    fn include(&mut self, span: Span) {
        let path = self.included_path(span);
        // The line must be read before the file is opened on top of it.
        let extra = self.rest_of_line();
        let Some((path, at)) = path else {
            let diagnostic =
                Diagnostic::error(Place::plain(span), "#include without a file name").hint("write #include \"file\"");
            self.reports.push(diagnostic);
            return;
        };
        self.warn_of_extra("#include", extra.first());
        if self.includes_closed {
            return;
        }
        let from = self.files.last().map_or("", |file| file.name.as_str());
        match self.loader.load(&path, from) {
            Ok((text, name)) => self.open_included(text, name, at),
            Err(message) => self.error(Place::plain(at), message),
        }
    }

    fn open_included(&mut self, text: String, name: String, at: Span) {
        if self.once.contains(&name) {
            return;
        }
        if let Some(message) = self.include_limit(&text, &name) {
            self.includes_closed = true;
            self.error(Place::plain(at), message);
            return;
        }
        let id: FileId = self.sources.add(name, text);
        self.open(id);
    }

    /// Why there must be no more files, if so. Included text counts as tokens of four bytes.
    fn include_limit(&mut self, text: &str, name: &str) -> Option<String> {
        self.included = self.included.saturating_add(INCLUDE_COST + text.len() / 4);
        if self.included > super::TOKEN_BUDGET {
            return Some("there is too much included text".to_owned());
        }
        (self.files.len() >= MAX_INCLUDE_DEPTH).then(|| {
            let cycle = self.include_cycle(name);
            format!("#include is nested more than {MAX_INCLUDE_DEPTH} deep: {cycle}")
        })
    }

    /// The chain of files from the last time that `name` was included; the innermost few if it is
    /// no cycle.
    fn include_cycle(&self, name: &str) -> String {
        const SHOWN: usize = 5;
        let before = self.files.iter().rposition(|file| file.name == name);
        let start = before.unwrap_or(self.files.len().saturating_sub(SHOWN));
        let chain = self.files.iter().skip(start).map(|file| file.name.as_str());
        let chain: Vec<String> = chain.chain([name]).map(|name| format!("'{name}'")).collect();
        chain.join(" includes ")
    }

    /// The path as written, or as a macro gives it.
    fn included_path(&mut self, span: Span) -> Option<(String, Span)> {
        let header = self.files.last_mut()?.lexer.header_name();
        if let Some((name, at)) = header {
            let path = name.get(1..name.len() - 1)?.to_owned();
            return Some((path, at)).filter(|(path, _)| !path.is_empty());
        }
        let line = self.rest_of_line();
        let at = line.iter().map(|token| token.place.at).reduce(Span::to)?;
        let tokens = self.expand(line, span);
        let path = match tokens.first()?.kind {
            PpKind::String(ref text) => text.trim_matches('"').to_owned(),
            PpKind::Punct(Punct::Less) => {
                let text = spelling(&tokens);
                text.strip_prefix('<')?.strip_suffix('>')?.to_owned()
            }
            _ => return None,
        };
        Some((path, at)).filter(|(path, _)| !path.is_empty())
    }
}

fn is_conditional(keyword: &str) -> bool {
    matches!(keyword, "if" | "ifdef" | "ifndef" | "elif" | "else" | "endif")
}

/// What `#error` and `#warning` say.
fn message(directive: &str, line: &[PpToken]) -> String {
    if line.is_empty() { directive.to_owned() } else { spelling(line) }
}

/// The text of tokens, with one blank where there is any.
fn spelling(tokens: &[PpToken]) -> String {
    let mut text = String::new();
    for token in tokens {
        if token.space && !text.is_empty() {
            text.push(' ');
        }
        text.push_str(token.kind.text());
    }
    text
}
