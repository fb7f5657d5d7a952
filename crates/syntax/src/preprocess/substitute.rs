//! From the body of a macro and the arguments of a call to the expansion: parameters, `#`, `##`.

use super::Preprocessor;
use super::define::{Item, Macro, Operand};
use super::expand::{Argument, Arguments};
use crate::diagnostic::Diagnostic;
use crate::lexer::{Lexer, PpKind, PpToken};
use crate::source::{Place, Span};
use crate::token::Punct;
use std::borrow::Cow;
use std::sync::Arc;

/// How many bytes of text that `#` and `##` make cost as much as one token: `x##x` of `x##x` of ...
/// doubles the text as quickly as other macros double the tokens.
const BYTES_PER_TOKEN: usize = 2;

/// The expansion so far.
#[derive(Default)]
struct Expansion {
    tokens: Vec<PpToken>,
    /// Whether the next operand is glued to what is on the left.
    pasting: bool,
    /// Whether there is nothing on the left to be glued to: C's placemarker.
    left_empty: bool,
    /// From the first operand of a row of `##` to the last.
    row: Option<Span>,
}

impl Preprocessor<'_> {
    /// The expansion of one call, not yet scanned for more macros. `at` is the outermost call.
    pub(super) fn substitute(&mut self, definition: &Macro, mut arguments: Arguments, at: Span) -> Vec<PpToken> {
        let mut expansion = Expansion::default();
        for operand in &definition.body {
            if self.is_exhausted() {
                break;
            }
            if is_optional_rest(definition, &expansion, operand) {
                expansion.pasting = false;
                if arguments.variadic_omitted {
                    expansion.tokens.pop();
                }
            }
            let verbatim = operand.pasted || expansion.pasting;
            let tokens = self.operand(operand, &mut arguments, verbatim, at);
            self.charge(tokens.len() + 1, at);
            self.append(&mut expansion, operand, &tokens, at);
        }
        expansion.tokens
    }

    /// The tokens an operand stands for: the argument verbatim beside `##`, else expanded.
    fn operand<'b>(
        &mut self,
        operand: &Operand,
        arguments: &'b mut Arguments,
        verbatim: bool,
        at: Span,
    ) -> Cow<'b, [PpToken]> {
        let single = |kind| Cow::Owned(vec![PpToken::new(kind, operand.span)]);
        let argument = match &operand.item {
            Item::Token(kind) => return single(kind.clone()),
            Item::Parameter(index) | Item::Stringify(index) => arguments.list.get_mut(*index),
        };
        let Some(Argument { raw, expanded }) = argument else { return Cow::default() };
        match operand.item {
            Item::Stringify(_) => single(self.stringify(raw, at)),
            _ if verbatim => Cow::Borrowed(raw),
            _ => Cow::Borrowed(expanded.get_or_insert_with(|| self.expand(raw.clone(), at))),
        }
    }

    fn append(&mut self, expansion: &mut Expansion, operand: &Operand, tokens: &[PpToken], at: Span) {
        let row = match expansion.row {
            Some(row) if expansion.pasting => row.to(operand.span),
            _ => operand.span,
        };
        let mut placed = tokens.iter().enumerate().map(|(index, token)| PpToken {
            place: Place { at, ..token.place },
            space: if index == 0 { operand.space } else { token.space },
            ..token.clone()
        });
        if expansion.pasting
            && !expansion.left_empty
            && let Some(left) = expansion.tokens.pop()
        {
            match placed.next() {
                Some(right) => expansion.tokens.extend(self.paste(left, right, row)),
                None => expansion.tokens.push(left),
            }
        }
        expansion.tokens.extend(placed);
        expansion.left_empty = tokens.is_empty() && (expansion.left_empty || !expansion.pasting);
        expansion.row = Some(row);
        expansion.pasting = operand.pasted;
    }

    /// The one token that both make; both, where they make none.
    fn paste(&mut self, left: PpToken, right: PpToken, row: Span) -> Vec<PpToken> {
        let (a, b) = (left.kind.text(), right.kind.text());
        let place = Place { at: left.place.at, spelling: row };
        self.charge((a.len() + b.len()) / BYTES_PER_TOKEN, place.at);
        if let Some(kind) = Lexer::single(&format!("{a}{b}")) {
            return vec![PpToken { kind, place, painted: false, ..left }];
        }
        let message = format!("'##' makes no word of '{a}' and '{b}'");
        self.reports.push(Diagnostic::error(place, message));
        vec![left, right]
    }

    /// The argument as a string.
    fn stringify(&mut self, argument: &[PpToken], at: Span) -> PpKind {
        let size: usize = argument.iter().map(|token| token.kind.text().len()).sum();
        self.charge(size / BYTES_PER_TOKEN, at);
        if self.is_exhausted() {
            return PpKind::String(Arc::from("\"\""));
        }
        let mut text = String::from("\"");
        for (index, token) in argument.iter().enumerate() {
            if index > 0 && token.space {
                text.push(' ');
            }
            push_escaped(&mut text, &token.kind);
        }
        // A backslash left alone would escape the quote.
        let backslashes = text.len() - text.trim_end_matches('\\').len();
        if backslashes % 2 == 1 {
            text.pop();
        }
        text.push('"');
        PpKind::String(Arc::from(text))
    }
}

/// The `__VA_ARGS__` of `, ## __VA_ARGS__`, GNU's way to leave out the comma when it is empty.
fn is_optional_rest(definition: &Macro, expansion: &Expansion, operand: &Operand) -> bool {
    let rest = match &definition.parameters {
        Some(parameters) if parameters.variadic => parameters.names.len() - 1,
        _ => return false,
    };
    expansion.pasting
        && operand.item == Item::Parameter(rest)
        && expansion.tokens.last().is_some_and(|left| left.is(Punct::Comma))
}

/// A token in a string: inside strings and character constants, quotes and backslashes are
/// escaped.
fn push_escaped(text: &mut String, kind: &PpKind) {
    let quoted = matches!(kind, PpKind::String(_) | PpKind::Char(_) | PpKind::Unclosed(_));
    for character in kind.text().chars() {
        if quoted && matches!(character, '"' | '\\') {
            text.push('\\');
        }
        text.push(character);
    }
}
