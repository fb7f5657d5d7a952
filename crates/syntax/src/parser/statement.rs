//! Statements and sequences.

use super::{Failed, Parsed, Parser, is_punct};
use crate::ast::{BinaryOp, Branch, Expr, ExprKind, ReceiveArg, Stmt, StmtKind, VarRef};
use crate::diagnostic::Diagnostic;
use crate::source::Place;
use crate::token::{Punct, TokenKind};
use std::sync::Arc;

pub(super) const EMBEDDED_C_HINT: &str =
    "the state of C code cannot be seen by the checker: write it in PROMELA, for example as an inline in a d_step";

/// `select` over at most this many values is read as an `if` with one option each, as SPIN does.
const SELECT_OPTIONS: i32 = 32;

impl Parser {
    /// Statements up to something that closes a sequence, which is not consumed.
    pub(super) fn sequence(&mut self) -> Vec<Stmt> {
        let mut steps = Vec::new();
        loop {
            while self.accept(Punct::Semi) || self.accept(Punct::Arrow) {}
            if self.at_sequence_end() {
                return steps;
            }
            let before = (self.input.len(), self.floor);
            match self.step() {
                Ok(step) if self.at_separator() => steps.push(step),
                Ok(_) => {
                    self.missing_separator();
                    steps.push(self.skip_statement());
                }
                Err(Failed) => steps.push(self.skip_statement()),
            }
            if before == (self.input.len(), self.floor) {
                self.bump();
            }
        }
    }

    fn at_sequence_end(&self) -> bool {
        match self.peek() {
            TokenKind::End | TokenKind::Punct(Punct::RBrace | Punct::ColonColon) => true,
            TokenKind::Name(word) => matches!(&**word, "fi" | "od"),
            _ => false,
        }
    }

    fn at_separator(&self) -> bool {
        self.at(Punct::Semi)
            || self.at(Punct::Arrow)
            || self.at_sequence_end()
            || self.at_line_end()
            || is_punct(&self.last, Punct::RBrace)
            || super::is_word(&self.last, "else")
    }

    fn missing_separator(&mut self) {
        let mut diagnostic = super::hints::unexpected(self.token(0), &self.last, "';'");
        if self.at(Punct::Assign) {
            diagnostic = diagnostic.hint("a name cannot contain '-', and only a variable can be assigned to");
        }
        self.report(diagnostic);
    }

    /// Goes on at the next separator of this sequence, or at the next line outside of brackets.
    fn skip_statement(&mut self) -> Stmt {
        let place = self.place();
        let mut depth = 0_u32;
        let mut first = true;
        loop {
            let closes = self.at_sequence_end();
            let new_line = self.token(0).newline_before && !first;
            if depth == 0 && (closes || new_line || self.at(Punct::Semi) || self.at(Punct::Arrow)) {
                break;
            }
            first = false;
            let word = match self.peek() {
                TokenKind::End => break,
                TokenKind::Name(word) => word.clone(),
                _ => Arc::from(""),
            };
            let opens = self.at(Punct::LBrace) || matches!(&*word, "if" | "do");
            if opens {
                depth += 1;
            } else if closes && !self.at(Punct::ColonColon) {
                depth -= 1;
            }
            self.bump();
        }
        self.parentheses = 0;
        Stmt { kind: StmtKind::Error, place }
    }

    fn step(&mut self) -> Parsed<Stmt> {
        let place = self.place();
        if self.at_declaration() {
            let declaration = self.variable_declaration()?;
            return Ok(Stmt { kind: StmtKind::Variables(declaration), place: place.to(self.last.place) });
        }
        if self.at_word("xr") || self.at_word("xs") {
            return self.exclusive();
        }
        let statement = self.nested(Self::statement)?;
        if !self.accept_word("unless") {
            return Ok(statement);
        }
        let escape = self.nested(Self::statement)?;
        let place = place.to(escape.place);
        Ok(Stmt { kind: StmtKind::Unless(Box::new(statement), Box::new(escape)), place })
    }

    fn exclusive(&mut self) -> Parsed<Stmt> {
        let send = self.at_word("xs");
        let place = self.bump().place;
        let mut channels = vec![self.variable()?];
        while self.accept(Punct::Comma) {
            channels.push(self.variable()?);
        }
        Ok(Stmt { kind: StmtKind::Exclusive { send, channels }, place: place.to(self.last.place) })
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let place = self.place();
        self.operators = 0;
        if self.at_label() {
            return self.labelled();
        }
        if self.at_inline_call() {
            return self.inline_call(None);
        }
        let kind = match self.peek() {
            TokenKind::Punct(Punct::LBrace) => StmtKind::Block(self.block()?),
            TokenKind::Name(word) => {
                let word = word.clone();
                match self.keyword_statement(&word, place)? {
                    Some(kind) => kind,
                    None => self.simple_statement()?,
                }
            }
            _ => StmtKind::Expr(self.expression()?),
        };
        Ok(Stmt { kind, place: place.to(self.last.place) })
    }

    fn at_label(&self) -> bool {
        matches!(self.peek(), TokenKind::Name(word) if !self.proctypes.contains(word) && !super::hints::is_reserved(word))
            && is_punct(self.token(1), Punct::Colon)
    }

    fn labelled(&mut self) -> Parsed<Stmt> {
        let name = self.name("a label")?;
        self.expect(Punct::Colon)?;
        if self.at_declaration() {
            let diagnostic = Diagnostic::error(name.place, "a label cannot stand before a declaration");
            return self.fail(diagnostic);
        }
        let place = name.place;
        let bare = self.at(Punct::Semi) || self.at(Punct::Arrow) || self.at_sequence_end();
        let statement = if bare { skip(place) } else { self.nested(Self::statement)? };
        let place = place.to(self.last.place);
        Ok(Stmt { kind: StmtKind::Labelled(name, Box::new(statement)), place })
    }

    fn keyword_statement(&mut self, word: &str, place: Place) -> Parsed<Option<StmtKind>> {
        let kind = match word {
            "if" => StmtKind::If(self.branches("fi")?),
            "do" => StmtKind::Do(self.branches("od")?),
            "for" => self.for_statement()?,
            "select" if is_punct(self.token(1), Punct::LParen) => self.select(place)?,
            "goto" => {
                self.bump();
                StmtKind::Goto(self.name("a label")?)
            }
            "atomic" | "d_step" => {
                self.bump();
                let body = self.block()?;
                if word == "atomic" { StmtKind::Atomic(body) } else { StmtKind::DStep(body) }
            }
            "break" | "else" => {
                self.bump();
                if word == "break" { StmtKind::Break } else { StmtKind::Else }
            }
            "assert" => {
                self.bump();
                StmtKind::Assert(self.expression()?)
            }
            "printf" => self.printf()?,
            "printm" => {
                self.bump();
                self.expect(Punct::LParen)?;
                let value = self.expression()?;
                self.expect(Punct::RParen)?;
                StmtKind::PrintMtype(value)
            }
            "set_priority" => self.set_priority()?,
            "return" => {
                self.bump();
                self.return_statement(place)?
            }
            "c_code" | "c_decl" => self.embedded_c(place),
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn embedded_c(&mut self, place: Place) -> StmtKind {
        self.bump();
        self.report(Diagnostic::error(place, "embedded C (c_code) is not supported").hint(EMBEDDED_C_HINT));
        match self.peek() {
            TokenKind::CCode(text) => {
                let text = text.clone();
                self.bump();
                StmtKind::EmbeddedC(text)
            }
            _ => StmtKind::Error,
        }
    }

    /// `{ ... }`.
    pub(super) fn block(&mut self) -> Parsed<Vec<Stmt>> {
        let open = self.expect(Punct::LBrace)?;
        let outer = std::mem::take(&mut self.parentheses);
        let steps = self.sequence();
        self.parentheses = outer;
        if matches!(self.peek(), TokenKind::End) {
            return self.fail(Diagnostic::error(open, "this '{' is never closed"));
        }
        self.expect(Punct::RBrace)?;
        if steps.is_empty() {
            let diagnostic = Diagnostic::error(open, "a sequence must have at least one statement").hint("write skip");
            return self.fail(diagnostic);
        }
        Ok(steps)
    }

    fn branches(&mut self, close: &str) -> Parsed<Vec<Branch>> {
        let open = self.bump();
        let mut branches = Vec::new();
        while self.at(Punct::ColonColon) {
            let place = self.bump().place;
            let steps = self.sequence();
            if steps.is_empty() {
                let diagnostic = Diagnostic::error(place, "an option must have at least one statement");
                self.report(diagnostic.hint("write skip"));
            }
            branches.push(Branch { place, steps });
        }
        if !self.at_word(close) {
            let wanted = if branches.is_empty() { "'::'".to_string() } else { format!("'::' or '{close}'") };
            let mut diagnostic = super::hints::unexpected(self.token(0), &self.last, &wanted);
            if branches.is_empty() && close == "fi" && is_punct(&self.last, Punct::RParen) {
                diagnostic = diagnostic.hint("PROMELA writes choices as if :: condition -> ... :: else -> ... fi");
            }
            diagnostic = diagnostic.label(open.place.at, format!("this one is closed by '{close}'"));
            return self.fail(diagnostic);
        }
        self.bump();
        Ok(branches)
    }

    fn for_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.expect(Punct::LParen)?;
        let variable = self.variable()?;
        if self.accept_word("in") {
            let collection = self.variable()?;
            self.expect(Punct::RParen)?;
            let body = self.for_body()?;
            return Ok(StmtKind::ForIn { variable, collection, body });
        }
        if !self.at(Punct::Colon) {
            let hint = "PROMELA writes for (i : 1 .. 10) { ... } and for (i in array) { ... }";
            let diagnostic = super::hints::unexpected(self.token(0), &self.last, "':' or 'in'").hint(hint);
            return self.fail(diagnostic);
        }
        let (low, high) = self.range()?;
        let body = self.for_body()?;
        Ok(StmtKind::ForRange { variable, low, high, body })
    }

    /// `: low .. high )`.
    fn range(&mut self) -> Parsed<(Expr, Expr)> {
        self.expect(Punct::Colon)?;
        let low = self.expression()?;
        self.expect(Punct::DotDot)?;
        let high = self.expression()?;
        self.expect(Punct::RParen)?;
        Ok((low, high))
    }

    fn for_body(&mut self) -> Parsed<Vec<Stmt>> {
        self.accept(Punct::Semi);
        self.block()
    }

    fn select(&mut self, place: Place) -> Parsed<StmtKind> {
        self.bump();
        self.expect(Punct::LParen)?;
        let is_plain = self.is_plain_select();
        let variable = self.variable()?;
        let (low, high) = self.range()?;
        let constants = self.select_constants(&variable, &low, &high).filter(|_| is_plain);
        Ok(match constants {
            Some((a, b)) if a > b => {
                return self.fail(Diagnostic::error(place, format!("the range {a} .. {b} is empty")));
            }
            Some((a, b)) if b - a <= SELECT_OPTIONS => StmtKind::If(select_options(&variable, a, b, place)),
            Some((a, b)) => select_loop(variable, a, b, place),
            None => StmtKind::Select { variable, low, high },
        })
    }

    /// Whether `name : 1 .. 10 )` follows, in one line.
    fn is_plain_select(&self) -> bool {
        let is_number = |ahead: usize| matches!(self.token(ahead).kind, TokenKind::Number(_));
        let is_line = (0..6).all(|ahead| !self.token(ahead).newline_before);
        is_line && is_number(2) && is_number(4) && is_punct(self.token(5), Punct::RParen)
    }

    /// The bounds, where SPIN's lexer expands the statement by itself: plain names and numbers,
    /// and outside of an inline.
    fn select_constants(&self, variable: &VarRef, low: &Expr, high: &Expr) -> Option<(i32, i32)> {
        let plain = variable.index.is_none()
            && variable.field.is_none()
            && variable.name.text.bytes().all(|b| b.is_ascii_alphanumeric());
        match (&low.kind, &high.kind) {
            (&ExprKind::Number(a), &ExprKind::Number(b)) if plain && self.calls.is_empty() && 0 <= a && 0 <= b => {
                Some((a, b))
            }
            _ => None,
        }
    }

    fn printf(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.expect(Punct::LParen)?;
        let TokenKind::String(format) = self.peek() else { return self.unexpected("a string") };
        let format = format.clone();
        self.bump();
        let mut arguments = Vec::new();
        while self.accept(Punct::Comma) {
            arguments.push(self.expression()?);
        }
        self.expect(Punct::RParen)?;
        Ok(StmtKind::Print { format, arguments })
    }

    fn set_priority(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.expect(Punct::LParen)?;
        let process = self.expression()?;
        self.expect(Punct::Comma)?;
        let priority = self.expression()?;
        self.expect(Punct::RParen)?;
        Ok(StmtKind::SetPriority(process, priority))
    }

    /// A statement that begins with a name: an assignment, a send or receive, or an expression.
    fn simple_statement(&mut self) -> Parsed<StmtKind> {
        if !self.at_variable() {
            return Ok(StmtKind::Expr(self.expression()?));
        }
        let variable = self.variable()?;
        match self.continuation() {
            Some(Punct::Assign) => {
                self.bump();
                if self.at_inline_call() {
                    let call = self.inline_call(Some(variable))?;
                    return Ok(call.kind);
                }
                Ok(StmtKind::Assign(variable, self.expression()?))
            }
            Some(Punct::Incr) => {
                self.bump();
                Ok(step_by_one(variable, BinaryOp::Add))
            }
            Some(Punct::Decr) => {
                self.bump();
                Ok(step_by_one(variable, BinaryOp::Subtract))
            }
            Some(sorted @ (Punct::Bang | Punct::BangBang)) => {
                self.bump();
                let arguments = self.send_arguments()?;
                Ok(StmtKind::Send { channel: variable, arguments, sorted: sorted == Punct::BangBang })
            }
            Some(Punct::Query | Punct::QueryQuery) if !is_punct(self.token(1), Punct::LBracket) => {
                self.receive(variable)
            }
            _ => Ok(StmtKind::Expr(self.expression_from(variable)?)),
        }
    }

    fn send_arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = vec![self.expression()?];
        if self.continuation() == Some(Punct::LParen) {
            self.bump();
            while !self.at(Punct::RParen) {
                arguments.push(self.expression()?);
                if !self.accept(Punct::Comma) {
                    break;
                }
            }
            self.expect(Punct::RParen)?;
            return Ok(arguments);
        }
        while self.accept(Punct::Comma) {
            arguments.push(self.expression()?);
        }
        Ok(arguments)
    }

    fn receive(&mut self, channel: VarRef) -> Parsed<StmtKind> {
        let random = self.bump().kind == TokenKind::Punct(Punct::QueryQuery);
        let keep = self.accept(Punct::Less);
        let arguments = self.receive_arguments()?;
        if keep {
            self.expect(Punct::Greater)?;
        }
        Ok(StmtKind::Receive { channel, arguments, random, keep })
    }

    /// `a, b`, `a(b, c)` or `(a, b)`.
    pub(super) fn receive_arguments(&mut self) -> Parsed<Vec<ReceiveArg>> {
        if self.accept(Punct::LParen) {
            let arguments = self.receive_arguments()?;
            self.expect(Punct::RParen)?;
            return Ok(arguments);
        }
        let mut arguments = vec![self.receive_argument()?];
        if self.continuation() == Some(Punct::LParen) {
            self.bump();
            arguments.extend(self.receive_arguments()?);
            self.expect(Punct::RParen)?;
        } else if self.accept(Punct::Comma) {
            arguments.extend(self.receive_arguments()?);
        }
        Ok(arguments)
    }

    fn receive_argument(&mut self) -> Parsed<ReceiveArg> {
        let place = self.place();
        if self.accept_word("eval") {
            self.expect(Punct::LParen)?;
            let value = self.expression()?;
            self.expect(Punct::RParen)?;
            return Ok(ReceiveArg::Eval(value));
        }
        let negative = self.accept(Punct::Minus);
        match self.peek() {
            &TokenKind::Number(n) => {
                self.bump();
                Ok(ReceiveArg::Constant(if negative { n.wrapping_neg() } else { n }, place))
            }
            TokenKind::Name(word) if matches!(&**word, "true" | "skip" | "false") => {
                let value = i32::from(&**word != "false");
                self.bump();
                Ok(ReceiveArg::Constant(value, place))
            }
            TokenKind::Name(_) if !negative => Ok(ReceiveArg::Variable(self.variable()?)),
            _ => self.unexpected("a variable, a constant or eval(...)"),
        }
    }
}

fn skip(place: Place) -> Stmt {
    Stmt { kind: StmtKind::Expr(number(1, place)), place }
}

fn number(value: i32, place: Place) -> Expr {
    Expr { kind: ExprKind::Number(value), place }
}

fn step_by_one(variable: VarRef, op: BinaryOp) -> StmtKind {
    let place = variable.place();
    let value = Expr { kind: ExprKind::Variable(variable.clone()), place };
    let sum = ExprKind::Binary(op, Box::new(value), Box::new(number(1, place)));
    StmtKind::Assign(variable, Expr { kind: sum, place })
}

fn select_options(variable: &VarRef, low: i32, high: i32, place: Place) -> Vec<Branch> {
    (low..=high)
        .map(|value| {
            let kind = StmtKind::Assign(variable.clone(), number(value, place));
            Branch { place, steps: vec![Stmt { kind, place }] }
        })
        .collect()
}

/// `v = low; do :: v < high -> v++ :: break od`.
fn select_loop(variable: VarRef, low: i32, high: i32, place: Place) -> StmtKind {
    let stmt = |kind| Stmt { kind, place };
    let value = Expr { kind: ExprKind::Variable(variable.clone()), place };
    let test = ExprKind::Binary(BinaryOp::Less, Box::new(value), Box::new(number(high, place)));
    let more =
        vec![stmt(StmtKind::Expr(Expr { kind: test, place })), stmt(step_by_one(variable.clone(), BinaryOp::Add))];
    let stop = vec![stmt(StmtKind::Break)];
    let branches = vec![Branch { place, steps: more }, Branch { place, steps: stop }];
    StmtKind::SelectLoop(Box::new([stmt(StmtKind::Assign(variable, number(low, place))), stmt(StmtKind::Do(branches))]))
}
