//! Formulas as text, in SPIN's notation.
//!
//! Operators bind as in the `ltl` blocks of SPIN: `->` and `<->` least, then `||`, `&&`, then `U`,
//! `W` and `V`, then what stands before its operand; all to the left.
//! An atom is a name, or an expression of the model: what stands between two operators, in
//! parentheses or in braces. Its text is kept, the caller gives it a meaning.

mod lexer;
#[cfg(test)]
mod tests;

use crate::formula::{Formula, MAX_ATOMS, MAX_DEPTH, Node};
use lexer::{Infix, Kind, Prefix, Token, tokens};
use std::ops::Range;

/// Longer texts are refused.
const MAX_LENGTH: usize = 1 << 16;

/// Parentheses and operators in front of each other: the parser is recursive.
const MAX_NESTING: u32 = 200;

/// Errors beyond this are left out.
const MAX_ERRORS: usize = 20;

/// A formula and the texts of its atoms, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The formula.
    pub formula: Formula,
    /// The text of each atom.
    pub atoms: Vec<String>,
}

/// One thing that is wrong with the text of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The bytes it is about.
    pub span: Range<usize>,
    /// A plain sentence, lower case, no full stop.
    pub message: String,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
}

/// Reads a formula.
///
/// # Errors
/// All that is wrong with it, in the order of the text.
pub fn parse(text: &str) -> Result<Parsed, Vec<ParseError>> {
    let mut parser = Parser {
        text,
        tokens: tokens(text.get(..MAX_LENGTH).unwrap_or(text)),
        at: 0,
        nesting: 0,
        atoms: Vec::new(),
        errors: Vec::new(),
    };
    let formula = parser.whole();
    if parser.errors.is_empty() { Ok(Parsed { formula, atoms: parser.atoms }) } else { Err(parser.errors) }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    nesting: u32,
    atoms: Vec<String>,
    errors: Vec<ParseError>,
}

impl Parser<'_> {
    fn whole(&mut self) -> Formula {
        if self.text.len() > MAX_LENGTH {
            self.error(0..self.text.len(), format!("the formula is longer than {MAX_LENGTH} bytes"), None);
            return Node::True.into();
        }
        let mut formula = self.formula(0);
        while self.kind() != Kind::End && self.errors.len() < MAX_ERRORS {
            self.unexpected();
            if self.kind() != Kind::End {
                formula = self.formula(0);
            }
        }
        if formula.depth() > MAX_DEPTH {
            self.error(0..self.text.len(), format!("the formula nests deeper than {MAX_DEPTH}"), None);
        }
        formula
    }

    fn kind(&self) -> Kind {
        self.tokens[self.at].kind
    }

    fn span(&self) -> Range<usize> {
        self.tokens[self.at].span.clone()
    }

    /// The next token; the end stays.
    fn bump(&mut self) -> Range<usize> {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        span
    }

    fn error(&mut self, span: Range<usize>, message: impl Into<String>, hint: Option<&str>) {
        let known = self.errors.iter().any(|error| error.span == span);
        if !known && self.errors.len() < MAX_ERRORS {
            self.errors.push(ParseError { span, message: message.into(), hint: hint.map(str::to_string) });
        }
    }

    /// Complains about a token where an operator should be, and skips what cannot start an operand.
    fn unexpected(&mut self) {
        let span = self.span();
        match self.kind() {
            Kind::Close => {
                let sign = &self.text[span.clone()];
                self.error(span, format!("there is nothing that this '{sign}' closes"), None);
                self.bump();
                // An operator may follow: what stood before is lost, what comes is still read.
                if let Kind::Infix(_) = self.kind() {
                    self.bump();
                }
            }
            _ => self.error(span, "an operator is missing before this", Some("for example &&, ||, -> or U")),
        }
    }

    fn formula(&mut self, least: u8) -> Formula {
        let mut left = self.operand(false);
        while let Kind::Infix(operator) = self.kind() {
            let precedence = precedence(operator);
            if precedence <= least {
                break;
            }
            self.bump();
            let right = self.formula(precedence);
            left = infix(operator, left, right);
            if left.depth() > MAX_DEPTH {
                // Said at the end. What is read goes on from a small formula, so that it can be dropped.
                self.error(0..self.text.len(), format!("the formula nests deeper than {MAX_DEPTH}"), None);
                left = Node::True.into();
            }
        }
        left
    }

    /// Runs a part of the parser one level deeper, if that is not too deep.
    fn nested(&mut self, part: impl FnOnce(&mut Self) -> Formula) -> Formula {
        if self.nesting >= MAX_NESTING {
            let span = self.span();
            self.error(span, format!("the formula nests deeper than {MAX_NESTING} here"), None);
            self.at = self.tokens.len() - 1;
            return Node::True.into();
        }
        self.nesting += 1;
        let result = part(self);
        self.nesting -= 1;
        result
    }

    /// `bound`: an operator stands right before, and takes no more than one name.
    fn operand(&mut self, bound: bool) -> Formula {
        match self.kind() {
            Kind::Prefix(operator) => {
                self.bump();
                let operand = self.nested(|parser| parser.operand(true));
                prefix(operator, operand)
            }
            Kind::Braces => self.braces(),
            Kind::Open if !self.continues_after_group() => self.group(),
            Kind::Word | Kind::Symbol | Kind::Open => self.expression(bound),
            Kind::Infix(_) | Kind::Close | Kind::End => self.missing_operand(),
        }
    }

    fn missing_operand(&mut self) -> Formula {
        let span = self.span();
        let message = if self.kind() == Kind::End {
            "the formula ends where an operand should be".to_string()
        } else {
            format!("an operand is missing before '{}'", &self.text[span.clone()])
        };
        self.error(span, message, None);
        Node::True.into()
    }

    fn braces(&mut self) -> Formula {
        let span = self.bump();
        let text = &self.text[span.clone()];
        let Some(inside) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) else {
            self.error(span.start..span.start + 1, "this brace is not closed", Some("add a '}'"));
            return Node::True.into();
        };
        self.atom(inside, span.clone())
    }

    fn group(&mut self) -> Formula {
        let open = self.bump();
        if &self.text[open.clone()] == "[" {
            self.error(open.clone(), "a formula cannot start with '['", Some("always is written '[]'"));
        }
        let formula = self.nested(|parser| parser.formula(0));
        while !matches!(self.kind(), Kind::Close | Kind::End) && self.errors.len() < MAX_ERRORS {
            self.unexpected();
            self.formula(0);
        }
        if self.kind() == Kind::Close {
            let close = self.bump();
            if &self.text[close.clone()] == "]" && &self.text[open] == "(" {
                self.error(close, "this ']' stands where a ')' should be", None);
            }
        } else {
            self.error(open, "this parenthesis is not closed", Some("add a ')'"));
        }
        formula
    }

    /// Where the parenthesis that opens at a token closes.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0;
        for (index, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close if depth == 1 => return index,
                Kind::Close => depth -= 1,
                _ => {}
            }
        }
        self.tokens.len() - 1
    }

    /// Whether a parenthesis is only the start of an expression, as in `(x + 1) > y`.
    fn continues_after_group(&self) -> bool {
        let after = (self.closing(self.at) + 1).min(self.tokens.len() - 1);
        self.tokens[after].kind == Kind::Symbol
    }

    /// An expression of the model: all up to the next operator of formulas.
    fn expression(&mut self, bound: bool) -> Formula {
        let start = self.span().start;
        let mut end = start;
        let mut complete = false;
        loop {
            match self.kind() {
                Kind::Word if !complete => complete = true,
                Kind::Symbol => {
                    self.check_symbol(bound);
                    complete = false;
                }
                Kind::Open if !complete || self.is_attached(end) => {
                    self.skip_group();
                    complete = true;
                }
                Kind::Prefix(Prefix::Not) if !complete => {}
                _ => break,
            }
            end = self.bump().end;
        }
        if !complete {
            self.error(start..end, "this expression is not complete", None);
        }
        self.atom(&self.text[start..end], start..end)
    }

    /// Arguments and indices follow at once: `len(q)`, `a[1]`.
    fn is_attached(&self, end: usize) -> bool {
        let span = self.span();
        &self.text[span.clone()] == "[" || span.start == end
    }

    /// After `!` and the like a comparison would be read in a way that nobody means.
    fn check_symbol(&mut self, bound: bool) {
        let span = self.span();
        let binds_tighter = matches!(&self.text[span.clone()], "." | "@" | ":" | "?" | "~" | "-");
        if bound && !binds_tighter {
            let message = format!("'{}' binds less than the operator before it", &self.text[span.clone()]);
            self.error(span, message, Some("put the expression in parentheses, as in [] (x > 3)"));
        }
    }

    /// Goes to the end of a parenthesis inside of an expression.
    fn skip_group(&mut self) {
        let close = self.closing(self.at);
        let is_temporal = |kind: Kind| {
            let infix = matches!(kind, Kind::Infix(Infix::Until | Infix::WeakUntil | Infix::Release));
            infix || matches!(kind, Kind::Prefix(prefix) if prefix != Prefix::Not)
        };
        if let Some(inner) = self.tokens[self.at..close].iter().find(|token| is_temporal(token.kind)) {
            let hint = "braces keep a text as one expression: {a[X] == 1}";
            self.error(inner.span.clone(), "an operator of time inside of an expression", Some(hint));
        }
        if self.tokens[close].kind == Kind::End {
            let open = self.span();
            self.error(open, "this parenthesis is not closed", Some("add a ')'"));
        }
        self.at = close;
    }

    fn atom(&mut self, text: &str, span: Range<usize>) -> Formula {
        match text.trim() {
            "true" | "1" => return Node::True.into(),
            "false" | "0" => return Node::False.into(),
            "" => self.error(span.clone(), "there is no expression in these braces", None),
            _ => {}
        }
        let text = text.trim();
        let known = self.atoms.iter().position(|atom| atom == text);
        let number = known.unwrap_or(self.atoms.len());
        if number >= MAX_ATOMS {
            self.error(span, format!("a formula can have {MAX_ATOMS} different atoms, this is one more"), None);
            return Node::True.into();
        }
        if known.is_none() {
            self.atoms.push(text.to_string());
        }
        Formula::atom(number as u8)
    }
}

fn precedence(operator: Infix) -> u8 {
    match operator {
        Infix::Implies | Infix::Equivalent => 1,
        Infix::Or => 2,
        Infix::And => 3,
        Infix::Until | Infix::WeakUntil | Infix::Release => 4,
    }
}

fn prefix(operator: Prefix, f: Formula) -> Formula {
    Formula::from(match operator {
        Prefix::Not => Node::Not(f),
        Prefix::Next => Node::Next(f),
        Prefix::Always => Node::Always(f),
        Prefix::Eventually => Node::Eventually(f),
    })
}

fn infix(operator: Infix, f: Formula, g: Formula) -> Formula {
    Formula::from(match operator {
        Infix::Implies => Node::Implies(f, g),
        Infix::Equivalent => Node::Equivalent(f, g),
        Infix::Or => match f.node() {
            Node::Or(parts) => Node::Or(parts.iter().cloned().chain([g]).collect()),
            _ => Node::Or(vec![f, g]),
        },
        Infix::And => match f.node() {
            Node::And(parts) => Node::And(parts.iter().cloned().chain([g]).collect()),
            _ => Node::And(vec![f, g]),
        },
        Infix::Until => Node::Until(f, g),
        Infix::WeakUntil => Node::WeakUntil(f, g),
        Infix::Release => Node::Release(f, g),
    })
}
