//! `inline` definitions and their calls, expanded as text.

use super::{MAX_EXPANSION, Parsed, Parser, is_punct, is_word};
use crate::ast::{Name, Stmt, StmtKind, VarRef};
use crate::diagnostic::Diagnostic;
use crate::source::Place;
use crate::token::{Punct, Token, TokenKind};
use std::sync::Arc;

/// A definition.
pub(super) struct Inline {
    name: Name,
    /// Counted from 1 in the order of the text.
    id: u32,
    parameters: Vec<Name>,
    /// From `{` to `}`.
    body: Vec<Token>,
}

/// A call that is being expanded.
pub(super) struct Call {
    pub(super) name: Arc<str>,
    pub(super) place: Place,
    /// Where `return e` puts its value.
    result: Option<VarRef>,
}

impl Parser {
    /// `inline name(a, b) { ... }`, the word being consumed.
    pub(super) fn inline_definition(&mut self) -> Parsed<()> {
        let name = self.name("the name of an inline")?;
        self.expect(Punct::LParen)?;
        let mut parameters = Vec::new();
        while !self.at(Punct::RParen) {
            parameters.push(self.name("a parameter of the inline")?);
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RParen)?;
        let mentions = (self.mentions_last, self.mentions_priority);
        let body = self.balanced(Punct::LBrace, Punct::RBrace)?;
        // What an inline mentions counts where it is called.
        (self.mentions_last, self.mentions_priority) = mentions;
        if let Some(earlier) = self.inlines.get(&name.text) {
            let first = earlier.name.place.spelling;
            let message = format!("inline '{}' is defined twice", name.text);
            self.report(Diagnostic::error(name.place, message).label(first, "first defined here"));
            return Ok(());
        }
        let id = self.inlines.len() as u32 + 1;
        self.inlines.insert(name.text.clone(), Arc::new(Inline { name, id, parameters, body }));
        Ok(())
    }

    /// Whether the next tokens call an inline.
    pub(super) fn at_inline_call(&self) -> bool {
        matches!(self.peek(), TokenKind::Name(name) if self.inlines.contains_key(name))
            && is_punct(self.token(1), Punct::LParen)
    }

    /// `name(a, b)`; with `result`, the call in `result = name(a, b)`.
    pub(super) fn inline_call(&mut self, result: Option<VarRef>) -> Parsed<Stmt> {
        let name = self.name("the name of an inline")?;
        let inline = self.inlines[&name.text].clone();
        let arguments = self.inline_arguments()?;
        let place = name.place.to(self.last.place);
        if arguments.len() != inline.parameters.len() {
            let message = format!(
                "inline '{}' takes {} but is given {}",
                name.text,
                crate::plural(inline.parameters.len(), "argument"),
                arguments.len()
            );
            let diagnostic = Diagnostic::error(place, message).label(inline.name.place.spelling, "defined here");
            return self.fail(diagnostic);
        }
        if self.calls.iter().any(|call| call.name == name.text) {
            let message = format!("inline '{}' calls itself", name.text);
            let diagnostic = Diagnostic::error(place, message).hint("an inline is expanded as text: use a proctype");
            return self.fail(diagnostic);
        }
        self.expand(&inline, &arguments, Call { name: name.text.clone(), place, result }, name, place)
    }

    fn expand(
        &mut self,
        inline: &Inline,
        arguments: &[Vec<Token>],
        call: Call,
        name: Name,
        place: Place,
    ) -> Parsed<Stmt> {
        let outer_floor = self.floor;
        self.floor = self.input.len();
        for token in inline.body.iter().rev() {
            match parameter_of(inline, token) {
                Some(index) => self.input.extend(given(&arguments[index], token)),
                None => self.input.push(token.clone()),
            }
        }
        self.expanded += self.input.len() - self.floor;
        if self.expanded > MAX_EXPANSION {
            self.input.truncate(self.floor);
            self.floor = outer_floor;
            let diagnostic = Diagnostic::error(place, "the inlines of this model expand to too much text");
            return self.fail(diagnostic);
        }
        self.calls.push(call);
        let outer_last = std::mem::replace(&mut self.last.kind, TokenKind::Punct(Punct::Semi));
        let body = self.nested(|parser| parser.block());
        self.calls.pop();
        self.input.truncate(self.floor);
        self.floor = outer_floor;
        // The caller sees a call that ended in `)`, or in `}` as SPIN's lexer does.
        self.last.kind = match outer_last {
            TokenKind::Punct(Punct::RParen) => TokenKind::Punct(Punct::RBrace),
            other => other,
        };
        Ok(Stmt { kind: StmtKind::Inline { name, id: inline.id, body: body? }, place })
    }

    /// `return e` inside an inline.
    pub(super) fn return_statement(&mut self, place: Place) -> Parsed<StmtKind> {
        let value = self.expression()?;
        match self.calls.last().map(|call| call.result.clone()) {
            Some(Some(result)) => Ok(StmtKind::Assign(result, value)),
            Some(None) => {
                let diagnostic = Diagnostic::error(place, "nothing takes the value of this 'return'")
                    .hint("call the inline as: variable = name(...)");
                self.fail(diagnostic)
            }
            None => self.fail(Diagnostic::error(place, "'return' outside of an inline")),
        }
    }

    fn inline_arguments(&mut self) -> Parsed<Vec<Vec<Token>>> {
        let tokens = self.balanced(Punct::LParen, Punct::RParen)?;
        let inner = &tokens[1..tokens.len() - 1];
        if inner.is_empty() {
            return Ok(Vec::new());
        }
        let mut depth = 0_i32;
        let mut arguments = vec![Vec::new()];
        for token in inner {
            if let TokenKind::Punct(punct) = token.kind {
                depth += nesting_change(punct);
                if punct == Punct::Comma && depth == 0 {
                    arguments.push(Vec::new());
                    continue;
                }
            }
            let mut token = token.clone();
            token.newline_before = false;
            arguments.last_mut().expect("never empty").push(token);
        }
        Ok(arguments)
    }

    /// The tokens from `open` to the `close` that matches it.
    pub(super) fn balanced(&mut self, open: Punct, close: Punct) -> Parsed<Vec<Token>> {
        let start = self.place();
        if !self.at(open) {
            return self.unexpected(&format!("'{}'", open.text()));
        }
        let mut depth = 0_u32;
        let mut tokens = Vec::new();
        loop {
            if matches!(self.peek(), TokenKind::End) {
                let message = format!("this '{}' is never closed", open.text());
                return self.fail(Diagnostic::error(start, message));
            }
            let token = self.bump();
            if is_punct(&token, open) {
                depth += 1;
            } else if is_punct(&token, close) {
                depth -= 1;
            }
            tokens.push(token);
            if depth == 0 {
                return Ok(tokens);
            }
        }
    }
}

fn nesting_change(punct: Punct) -> i32 {
    match punct {
        Punct::LParen | Punct::LBracket | Punct::LBrace => 1,
        Punct::RParen | Punct::RBracket | Punct::RBrace => -1,
        _ => 0,
    }
}

/// An argument in the place of a parameter, last token first. It stands where the parameter does, at the beginning of a
/// line if that does.
fn given(argument: &[Token], parameter: &Token) -> impl Iterator<Item = Token> {
    let (at, newline_before) = (parameter.place.at, parameter.newline_before);
    let standing = move |(index, token): (usize, &Token)| Token {
        place: Place { at, ..token.place },
        newline_before: newline_before && index == 0,
        ..token.clone()
    };
    argument.iter().enumerate().map(standing).collect::<Vec<_>>().into_iter().rev()
}

fn parameter_of(inline: &Inline, token: &Token) -> Option<usize> {
    inline.parameters.iter().position(|parameter| is_word(token, &parameter.text))
}
