//! Macro expansion.
//!
//! The way of GNU cpp: an expansion is a *context* on a stack, read before anything below it. A
//! macro is disabled while its context is on the stack; its name, read meanwhile, is painted and
//! never expands again. Where the standard leaves open whether a call may begin in an expansion
//! and end behind it (C11 6.10.3.4, `f(2)(9)`), this gives the same answer as GNU cpp.

use super::Preprocessor;
use super::define::{Macro, Parameters};
use crate::diagnostic::Diagnostic;
use crate::lexer::{PpKind, PpToken};
use crate::source::{Place, Span};
use crate::token::Punct;
use std::rc::Rc;
use std::sync::Arc;
use std::vec::IntoIter;

/// How deep calls may stand in arguments of calls: each level is a recursion.
const MAX_NESTING: usize = 200;

/// Tokens that wait to be read.
pub(super) struct Context {
    tokens: IntoIter<PpToken>,
    role: Role,
}

enum Role {
    /// The expansion of a macro.
    Expansion(Rc<Macro>),
    /// A token that was read too early.
    Unread,
    /// A text on its own, an argument or the line of an `#if`: nothing below is read.
    Isolated,
}

/// One argument of a call.
pub(super) struct Argument {
    pub(super) raw: Vec<PpToken>,
    /// Made on demand: an argument of `#` or `##` is not expanded.
    pub(super) expanded: Option<Vec<PpToken>>,
}

/// The arguments of a call; none for a macro without parameters.
#[derive(Default)]
pub(super) struct Arguments {
    pub(super) list: Vec<Argument>,
    /// Whether there are none at all for `...`: then `, ## __VA_ARGS__` leaves out the comma.
    pub(super) variadic_omitted: bool,
}

impl Preprocessor<'_> {
    /// The next token after macro expansion.
    pub(super) fn next_expanded(&mut self) -> PpToken {
        loop {
            let mut token = self.next_raw();
            token.newline |= std::mem::take(&mut self.carried_newline);
            let Some(definition) = self.expandable(&token) else {
                return self.builtin(token);
            };
            if let Some(name) = self.enter(definition, token) {
                return name;
            }
        }
    }

    /// The next token before macro expansion.
    pub(super) fn next_raw(&mut self) -> PpToken {
        while let Some(context) = self.contexts.last_mut() {
            if let Some(token) = context.tokens.next() {
                return self.paint(token);
            }
            if matches!(context.role, Role::Isolated) {
                return self.end();
            }
            self.leave();
        }
        if self.is_exhausted() { self.end() } else { self.next_in_files() }
    }

    /// The tokens expanded on their own, as arguments are.
    pub(super) fn expand(&mut self, tokens: Vec<PpToken>, at: Span) -> Vec<PpToken> {
        if self.nesting >= MAX_NESTING {
            self.error(Place::plain(at), "macro calls are nested too deep");
            return tokens;
        }
        self.nesting += 1;
        let expanded = self.isolated(tokens, at, |this| {
            let next = || Some(this.next_expanded()).filter(|token| token.kind != PpKind::End);
            std::iter::from_fn(next).collect()
        });
        self.nesting -= 1;
        expanded
    }

    /// Runs `read` where nothing but `tokens` can be read.
    pub(super) fn isolated<T>(&mut self, tokens: Vec<PpToken>, at: Span, read: impl FnOnce(&mut Self) -> T) -> T {
        let height = self.contexts.len();
        self.charge(tokens.len(), at);
        self.push(tokens, Role::Isolated);
        let result = read(self);
        while self.contexts.len() > height {
            self.leave();
        }
        result
    }

    fn push(&mut self, tokens: Vec<PpToken>, role: Role) {
        let tokens = if self.is_exhausted() { Vec::new() } else { tokens };
        self.contexts.push(Context { tokens: tokens.into_iter(), role });
    }

    fn leave(&mut self) {
        if let Some(Context { role: Role::Expansion(definition), .. }) = self.contexts.pop() {
            definition.disabled.set(false);
        }
    }

    fn paint(&self, mut token: PpToken) -> PpToken {
        let definition = token.name().and_then(|name| self.macros.get(name));
        token.painted |= definition.is_some_and(|definition| definition.disabled.get());
        token
    }

    fn expandable(&self, token: &PpToken) -> Option<Rc<Macro>> {
        let name = token.name().filter(|_| !token.painted)?;
        self.macros.get(name).cloned()
    }

    /// Puts the expansion of a macro in place of its name and arguments; gives the name back if
    /// this is no call.
    fn enter(&mut self, definition: Rc<Macro>, name: PpToken) -> Option<PpToken> {
        let (arguments, at) = match &definition.parameters {
            None => (Arguments::default(), name.place.at),
            Some(parameters) => match self.call(&definition, parameters, &name) {
                Some(call) => call,
                None => return Some(name),
            },
        };
        let mut tokens = self.substitute(&definition, arguments, at);
        match tokens.first_mut() {
            Some(first) => {
                first.newline = name.newline;
                first.space = name.space;
            }
            None => self.carried_newline = name.newline,
        }
        definition.disabled.set(true);
        self.push(tokens, Role::Expansion(definition));
        None
    }

    /// The arguments, if they follow and are right, and the span of the whole call.
    fn call(&mut self, definition: &Macro, parameters: &Parameters, name: &PpToken) -> Option<(Arguments, Span)> {
        let next = self.next_raw();
        if !next.is(Punct::LParen) {
            self.unread(next);
            return None;
        }
        let Some((list, close)) = self.arguments(parameters, name.place.at) else {
            if !self.is_exhausted() {
                let message = format!("the call of macro '{}' is not closed", definition.name);
                let hint = "')' is missing at the end of its arguments";
                self.reports.push(Diagnostic::error(name.place, message).hint(hint));
            }
            return None;
        };
        let at = name.place.at.to(close.at);
        match fit(list, parameters) {
            Ok(arguments) => Some((arguments, at)),
            Err(found) => {
                let place = Place { at, spelling: name.place.spelling.to(close.spelling) };
                self.reports.push(wrong_number(definition, parameters, found, place));
                None
            }
        }
    }

    fn unread(&mut self, token: PpToken) {
        if token.kind != PpKind::End {
            self.push(vec![token], Role::Unread);
        }
    }

    /// The arguments and the place of the closing parenthesis. Line ends in them are blanks.
    fn arguments(&mut self, parameters: &Parameters, at: Span) -> Option<(Vec<Vec<PpToken>>, Place)> {
        let mut list = Vec::new();
        let mut argument = Vec::new();
        let mut depth = 0_usize;
        loop {
            let mut token = self.next_raw();
            token.newline = false;
            match token.kind {
                PpKind::End => return None,
                PpKind::Punct(Punct::LParen) => depth += 1,
                PpKind::Punct(Punct::RParen) if depth == 0 => {
                    list.push(argument);
                    return Some((list, token.place));
                }
                PpKind::Punct(Punct::RParen) => depth -= 1,
                PpKind::Punct(Punct::Comma) if depth == 0 && !parameters.is_rest(list.len()) => {
                    list.push(std::mem::take(&mut argument));
                    continue;
                }
                _ => {}
            }
            self.charge(1, at);
            argument.push(token);
        }
    }

    /// `__LINE__` and `__FILE__`.
    fn builtin(&self, mut token: PpToken) -> PpToken {
        match token.name().map(|name| &**name) {
            Some("__LINE__") => {
                let line = self.sources.line(token.place.at).to_string();
                token.kind = PpKind::Number(Arc::from(line));
            }
            Some("__FILE__") => {
                let name = self.sources.name(token.place.at);
                token.kind = PpKind::String(Arc::from(format!("{name:?}")));
            }
            _ => {}
        }
        token
    }

    /// Whether `defined` is true of a name.
    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.macros.contains_key(name) || matches!(name, "__LINE__" | "__FILE__")
    }

    /// Whether a name is defined, for a condition. What a C compiler says of itself depends on the machine that SPIN runs on:
    /// to take it for undefined could leave a part of the model out without a word.
    pub(super) fn asked_for(&self, name: &str, place: Place) -> Result<bool, Diagnostic> {
        if !self.is_defined(name) && OF_COMPILERS.iter().any(|begin| name.starts_with(begin)) {
            let message = format!("'{name}' is what a C compiler says of itself, and there is none here");
            return Err(Diagnostic::error(place, message).hint(format!("say what it is with -D {name}=VALUE")));
        }
        Ok(self.is_defined(name))
    }
}

/// How names begin that C compilers define for themselves, each its own.
const OF_COMPILERS: [&str; 30] = [
    "__GNUC_",
    "__GCC_",
    "__GXX_",
    "__STDC_",
    "__SIZEOF_",
    "__SIZE_TYPE__",
    "__SIZE_MAX__",
    "__BYTE_ORDER__",
    "__ORDER_LITTLE_",
    "__ORDER_BIG_",
    "__VERSION__",
    "__OPTIMIZE__",
    "__OPTIMIZE_SIZE__",
    "__COUNTER__",
    "__INCLUDE_LEVEL__",
    "__has_",
    "__INT_MAX__",
    "__INT_WIDTH__",
    "__INT8_",
    "__INT16_",
    "__INT32_",
    "__INT64_",
    "__UINT8_",
    "__UINT16_",
    "__UINT32_",
    "__UINT64_",
    "__CHAR_UNSIGNED__",
    "__SHRT_MAX__",
    "__LONG_MAX__",
    "__PTRDIFF_",
];

impl Parameters {
    /// Whether the parameter takes the commas too.
    fn is_rest(&self, index: usize) -> bool {
        self.variadic && index + 1 == self.names.len()
    }
}

/// Gives each parameter its argument, or says how many arguments there are.
fn fit(mut list: Vec<Vec<PpToken>>, parameters: &Parameters) -> Result<Arguments, usize> {
    let expected = parameters.names.len();
    let only_empty = list.len() == 1 && list.iter().all(Vec::is_empty);
    if expected == 0 && only_empty {
        list.clear();
    }
    let found = list.len();
    let variadic_omitted = parameters.variadic && (found + 1 == expected || (expected == 1 && only_empty));
    if found != expected && !variadic_omitted {
        return Err(found);
    }
    list.resize(expected, Vec::new());
    let list = list.into_iter().map(|raw| Argument { raw, expanded: None }).collect();
    Ok(Arguments { list, variadic_omitted })
}

fn wrong_number(definition: &Macro, parameters: &Parameters, found: usize, place: Place) -> Diagnostic {
    let (least, count) = match parameters.names.len() {
        count if parameters.variadic => ("at least ", count - 1),
        count => ("", count),
    };
    let name = &definition.name;
    let message = match count {
        1 => format!("macro '{name}' takes {least}1 argument, but is given {found}"),
        _ => format!("macro '{name}' takes {least}{count} arguments, but is given {found}"),
    };
    Diagnostic::error(place, message).label(definition.span, "the macro")
}
