//! `#define` and `#undef`: what a macro is.

use super::Preprocessor;
use crate::diagnostic::Diagnostic;
use crate::lexer::{PpKind, PpToken};
use crate::source::{FileId, Place, Span};
use crate::token::Punct;
use std::cell::Cell;
use std::iter::Peekable;
use std::rc::Rc;
use std::sync::Arc;
use std::vec::IntoIter;

/// C asks for 127. Parameters are found by linear search.
const MAX_PARAMETERS: usize = 1000;

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) name: Arc<str>,
    pub(super) span: Span,
    /// For a macro that looks like a function.
    pub(super) parameters: Option<Parameters>,
    pub(super) body: Vec<Operand>,
    /// Whether its expansion is being read: then it does not expand again.
    pub(super) disabled: Cell<bool>,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Parameters {
    pub(super) names: Vec<Arc<str>>,
    /// Whether the last one takes all arguments that are left.
    pub(super) variadic: bool,
}

/// A part of a macro's body.
#[derive(Debug)]
pub(super) struct Operand {
    pub(super) item: Item,
    pub(super) span: Span,
    pub(super) space: bool,
    /// Whether `##` follows.
    pub(super) pasted: bool,
}

#[derive(Debug, PartialEq)]
pub(super) enum Item {
    Token(PpKind),
    Parameter(usize),
    /// `#` and a parameter.
    Stringify(usize),
}

impl Macro {
    /// A macro that nobody defines.
    pub(super) fn built_in(name: &str, value: &str) -> Macro {
        let span = Span { file: FileId(0), start: 0, end: 0 };
        let item = Item::Token(PpKind::Number(Arc::from(value)));
        let body = vec![Operand { item, span, space: false, pasted: false }];
        Macro { name: Arc::from(name), span, parameters: None, body, disabled: Cell::new(false) }
    }

    /// Whether two definitions say the same, so that the second is no redefinition.
    fn is_same(&self, other: &Macro) -> bool {
        let key = |operand: &Operand| (operand.space, operand.pasted);
        self.parameters == other.parameters
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).all(|(a, b)| a.item == b.item && key(a) == key(b))
    }
}

type Line = Peekable<IntoIter<PpToken>>;

impl Preprocessor<'_> {
    /// `#define`, from the name on.
    pub(super) fn define(&mut self, directive: Span, line: Vec<PpToken>) {
        match definition(directive, line) {
            Ok(definition) => self.add_macro(definition),
            Err(diagnostic) => self.reports.push(diagnostic),
        }
    }

    /// `#undef`, from the name on.
    pub(super) fn undef(&mut self, directive: Span, line: &[PpToken]) {
        match macro_name(directive, line.first()) {
            Ok((name, _)) => {
                self.macros.remove(&name);
                self.warn_of_extra("#undef", line.get(1));
            }
            Err(diagnostic) => self.reports.push(diagnostic),
        }
    }

    fn add_macro(&mut self, definition: Macro) {
        if let Some(old) = self.macros.get(&definition.name)
            && !old.is_same(&definition)
        {
            let place = Place::plain(definition.span);
            let message = format!("macro '{}' is defined again, and differently", definition.name);
            self.reports.push(Diagnostic::warning(place, message).label(old.span, "the definition before"));
        }
        self.macros.insert(definition.name.clone(), Rc::new(definition));
    }
}

/// The name that a directive is about.
pub(super) fn macro_name(directive: Span, token: Option<&PpToken>) -> Result<(Arc<str>, Span), Diagnostic> {
    let Some(token) = token else {
        return Err(Diagnostic::error(Place::plain(directive), "a macro name is missing here"));
    };
    match token.name() {
        Some(name) if &**name == "defined" => {
            Err(Diagnostic::error(token.place, "'defined' cannot be the name of a macro"))
        }
        Some(name) => Ok((name.clone(), token.place.at)),
        None => Err(Diagnostic::error(token.place, format!("'{}' cannot be the name of a macro", token.kind.text()))
            .hint("a name has letters, digits and '_', and does not begin with a digit")),
    }
}

fn definition(directive: Span, line: Vec<PpToken>) -> Result<Macro, Diagnostic> {
    let mut line = line.into_iter().peekable();
    let (name, span) = macro_name(directive, line.next().as_ref())?;
    // A blank before the parenthesis makes it part of the body.
    let parameters = match line.next_if(|token| token.is(Punct::LParen) && !token.space) {
        Some(open) => Some(parameters(&open, &mut line)?),
        None => None,
    };
    let body = body(parameters.as_ref(), line)?;
    Ok(Macro { name, span, parameters, body, disabled: Cell::new(false) })
}

/// The parameters, up to and with the closing parenthesis.
fn parameters(open: &PpToken, line: &mut Line) -> Result<Parameters, Diagnostic> {
    let mut parameters = Parameters::default();
    if line.next_if(|token| token.is(Punct::RParen)).is_some() {
        return Ok(parameters);
    }
    let mut last = open.place;
    loop {
        let name = line.next_if(|token| token.name().is_some());
        parameters.variadic = ellipsis(line);
        last = name.as_ref().or(line.peek()).map_or(last, |token| token.place);
        let name = match name.as_ref().and_then(PpToken::name) {
            Some(name) => name.clone(),
            None if parameters.variadic => Arc::from("__VA_ARGS__"),
            None => return Err(Diagnostic::error(last, "a parameter's name is missing here")),
        };
        if parameters.names.contains(&name) {
            return Err(Diagnostic::error(last, format!("there are two parameters '{name}'")));
        }
        if parameters.names.len() == MAX_PARAMETERS {
            return Err(Diagnostic::error(last, "this macro has too many parameters"));
        }
        parameters.names.push(name);
        match line.next() {
            Some(token) if token.is(Punct::RParen) => return Ok(parameters),
            Some(token) if token.is(Punct::Comma) && !parameters.variadic => {}
            token => {
                let place = token.map_or(last, |token| token.place);
                return Err(Diagnostic::error(place, "')' is missing after the parameters"));
            }
        }
    }
}

/// Moves past `...`, which PROMELA's tokens make two of.
fn ellipsis(line: &mut Line) -> bool {
    line.next_if(|token| token.is(Punct::DotDot)).is_some() && line.next_if(|token| token.is(Punct::Dot)).is_some()
}

fn body(parameters: Option<&Parameters>, mut line: Line) -> Result<Vec<Operand>, Diagnostic> {
    let mut body: Vec<Operand> = Vec::new();
    while let Some(token) = line.next() {
        if token.kind == PpKind::HashHash {
            match body.last_mut() {
                Some(left) if line.peek().is_some() => left.pasted = true,
                _ => {
                    let message = "'##' cannot be the first or last word of a macro";
                    return Err(Diagnostic::error(token.place, message));
                }
            }
            continue;
        }
        let space = token.space && !body.is_empty();
        let (item, span) = item(parameters, token, &mut line)?;
        body.push(Operand { item, span, space, pasted: false });
    }
    Ok(body)
}

fn item(parameters: Option<&Parameters>, token: PpToken, line: &mut Line) -> Result<(Item, Span), Diagnostic> {
    let index = |token: &PpToken| {
        let name = token.name()?;
        parameters?.names.iter().position(|parameter| parameter == name)
    };
    let span = token.place.at;
    if token.kind == PpKind::Hash && parameters.is_some() {
        let operand = line.next();
        return match operand.as_ref().and_then(index) {
            Some(index) => {
                let end = operand.map_or(span, |operand| operand.place.at);
                Ok((Item::Stringify(index), span.to(end)))
            }
            None => Err(Diagnostic::error(token.place, "a parameter must follow '#' in a macro")),
        };
    }
    Ok(match index(&token) {
        Some(index) => (Item::Parameter(index), span),
        None => (Item::Token(token.kind), span),
    })
}
