//! A recursive-descent parser: tokens to tree, with recovery after an error.
//!
//! Three habits of SPIN's lexer decide what is a statement, and are kept here: the end of a line
//! separates statements after certain tokens, a closing brace needs no separator after it, and an
//! `inline` is expanded as text where it is called.

mod declaration;
mod expression;
mod hints;
mod inline;
mod statement;
mod unit;

use crate::ast::{Name, Program};
use crate::diagnostic::Diagnostic;
use crate::source::Place;
use crate::token::{Punct, Token, TokenKind};
use inline::Inline;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Parses the tokens of a whole model.
#[must_use]
pub fn parse(tokens: Vec<Token>) -> (Program, Vec<Diagnostic>) {
    let mut parser = Parser::new(tokens);
    let program = parser.program();
    (program, parser.diagnostics)
}

/// Parses one LTL formula.
#[must_use]
pub fn parse_formula(tokens: Vec<Token>) -> (crate::ast::Expr, Vec<Diagnostic>) {
    let mut parser = Parser::new(tokens);
    parser.temporal = true;
    let formula = parser.expression().unwrap_or_else(|Failed| parser.error_expression());
    if !matches!(parser.peek(), TokenKind::End) {
        let _ = parser.unexpected::<()>("the end of the formula");
    }
    (formula, parser.diagnostics)
}

/// The diagnostic was given; the caller recovers.
#[derive(Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Nesting beyond this is refused: the parser is recursive.
const MAX_NESTING: u32 = 200;

/// Models that expand to more tokens than this are refused: nested inlines can grow without bound.
const MAX_EXPANSION: usize = 4_000_000;

struct Parser {
    /// The tokens to come, the next one last: an inline's body is pushed on top.
    input: Vec<Token>,
    /// Tokens below this belong to the caller of the inline that is being parsed.
    floor: usize,
    end: Token,
    /// The token consumed last.
    last: Token,
    diagnostics: Vec<Diagnostic>,
    /// Inside a body or typedef, where the end of a line can separate.
    in_sequence: bool,
    /// Open parentheses: a line does not end a statement inside of them.
    parentheses: u32,
    /// Inside an LTL formula, where `->`, `[]`, `U` and the rest are operators.
    temporal: bool,
    nesting: u32,
    /// How many expressions are open, one inside of the other.
    expressions: u32,
    /// The operators of the outermost.
    operators: u32,
    proctypes: HashSet<Arc<str>>,
    types: HashSet<Arc<str>>,
    inlines: HashMap<Arc<str>, Arc<Inline>>,
    /// The inlines being expanded, outermost first.
    calls: Vec<inline::Call>,
    expanded: usize,
    mentions_last: bool,
    mentions_priority: bool,
}

impl Parser {
    fn new(mut tokens: Vec<Token>) -> Parser {
        let end = tokens.pop().unwrap_or(Token {
            kind: TokenKind::End,
            place: Place::plain(crate::Span { file: crate::FileId(0), start: 0, end: 0 }),
            newline_before: true,
        });
        let named_after = |words: &[&str]| -> HashSet<Arc<str>> {
            tokens
                .windows(2)
                .filter_map(|pair| match (&pair[0].kind, &pair[1].kind) {
                    (TokenKind::Name(word), TokenKind::Name(name)) if words.contains(&&**word) => Some(name.clone()),
                    _ => None,
                })
                .collect()
        };
        let proctypes = named_after(&["proctype", "D_proctype"]);
        let types = named_after(&["typedef", "subrange"]);
        tokens.reverse();
        Parser {
            input: tokens,
            floor: 0,
            last: Token { kind: TokenKind::Punct(Punct::Semi), place: end.place, newline_before: true },
            end,
            diagnostics: Vec::new(),
            in_sequence: false,
            parentheses: 0,
            temporal: false,
            nesting: 0,
            expressions: 0,
            operators: 0,
            proctypes,
            types,
            inlines: HashMap::new(),
            calls: Vec::new(),
            expanded: 0,
            mentions_last: false,
            mentions_priority: false,
        }
    }

    fn token(&self, ahead: usize) -> &Token {
        match self.input.len().checked_sub(1 + ahead) {
            Some(index) if index >= self.floor => &self.input[index],
            _ => &self.end,
        }
    }

    fn peek(&self) -> &TokenKind {
        &self.token(0).kind
    }

    fn place(&self) -> Place {
        self.token(0).place
    }

    fn bump(&mut self) -> Token {
        if self.input.len() > self.floor {
            self.last = self.input.pop().expect("above the floor");
            match self.last.kind {
                TokenKind::Punct(Punct::LParen) => self.parentheses += 1,
                TokenKind::Punct(Punct::RParen) => self.parentheses = self.parentheses.saturating_sub(1),
                TokenKind::Name(ref word) => {
                    self.mentions_last |= &**word == "_last";
                    self.mentions_priority |= &**word == "_priority";
                }
                _ => {}
            }
            self.last.clone()
        } else {
            self.end.clone()
        }
    }

    /// Whether a line ended here that SPIN's lexer would read as `;`.
    fn at_line_end(&self) -> bool {
        let next = self.token(0);
        if !(next.newline_before && self.in_sequence && self.parentheses == 0) {
            return false;
        }
        if is_punct(&self.last, Punct::RBrace) && is_word(next, "unless") {
            return false;
        }
        match &self.last.kind {
            TokenKind::Number(_) | TokenKind::CCode(_) => true,
            TokenKind::Name(word) => hints::ends_statement(word),
            TokenKind::Punct(p) => {
                matches!(p, Punct::RBrace | Punct::RParen | Punct::RBracket | Punct::Incr | Punct::Decr)
            }
            TokenKind::String(_) | TokenKind::End => false,
        }
    }

    /// The next token as an operator that continues an expression or statement, if it is one.
    fn continuation(&self) -> Option<Punct> {
        match self.peek() {
            TokenKind::Punct(p) if !self.at_line_end() => Some(*p),
            _ => None,
        }
    }

    fn at(&self, punct: Punct) -> bool {
        *self.peek() == TokenKind::Punct(punct)
    }

    fn at_word(&self, word: &str) -> bool {
        is_word(self.token(0), word)
    }

    fn accept(&mut self, punct: Punct) -> bool {
        let found = self.at(punct);
        if found {
            self.bump();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, punct: Punct) -> Parsed<Place> {
        if self.at(punct) {
            return Ok(self.bump().place);
        }
        self.unexpected(&format!("'{}'", punct.text()))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if let TokenKind::Name(text) = self.peek() {
            let text = text.clone();
            if hints::is_reserved(&text) {
                let diagnostic = Diagnostic::error(
                    self.place(),
                    format!("'{text}' is a word of PROMELA and cannot be used as {what}"),
                );
                return self.fail(diagnostic);
            }
            let place = self.bump().place;
            return Ok(Name { text, place });
        }
        self.unexpected(what)
    }

    fn report(&mut self, mut diagnostic: Diagnostic) {
        for call in self.calls.iter().rev() {
            let text = format!("in this call of inline '{}'", call.name);
            diagnostic = diagnostic.label(call.place.at, text);
        }
        self.diagnostics.push(diagnostic);
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        self.report(diagnostic);
        Err(Failed)
    }

    fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        let diagnostic = hints::unexpected(self.token(0), &self.last, wanted);
        self.fail(diagnostic)
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            let diagnostic = Diagnostic::error(self.place(), format!("nested more than {MAX_NESTING} levels deep"));
            return self.fail(diagnostic);
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }
}

fn is_word(token: &Token, word: &str) -> bool {
    matches!(&token.kind, TokenKind::Name(text) if &**text == word)
}

fn is_punct(token: &Token, punct: Punct) -> bool {
    token.kind == TokenKind::Punct(punct)
}
