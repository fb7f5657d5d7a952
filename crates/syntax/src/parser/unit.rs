//! The top level of a model.

use super::{Failed, Parsed, Parser, is_punct};
use crate::ast::{Body, Expr, Init, Ltl, MtypeDecl, Name, Never, Proctype, Program, Subrange, Trace, Typedef, Unit};
use crate::diagnostic::Diagnostic;
use crate::token::{Punct, TokenKind};

impl Parser {
    pub(super) fn program(&mut self) -> Program {
        let mut program = Program::default();
        while !matches!(self.peek(), TokenKind::End) {
            if self.accept(Punct::Semi) || self.accept(Punct::Arrow) {
                continue;
            }
            match self.unit() {
                Ok(Some(unit)) => program.units.push(unit),
                Ok(None) => {}
                Err(Failed) => self.skip_unit(),
            }
        }
        program.mentions_last = self.mentions_last;
        program.mentions_priority = self.mentions_priority;
        program
    }

    fn unit(&mut self) -> Parsed<Option<Unit>> {
        let TokenKind::Name(word) = self.peek() else {
            return self.unexpected("a declaration, a proctype or init");
        };
        let word = word.clone();
        let unit = match &*word {
            "active" | "proctype" | "D_proctype" => Unit::Proctype(Box::new(self.proctype()?)),
            "init" => Unit::Init(self.init()?),
            "never" => Unit::Never(self.never()?),
            "trace" | "notrace" => Unit::Trace(self.trace()?),
            "ltl" => Unit::Ltl(self.ltl()?),
            "typedef" => Unit::Typedef(self.typedef()?),
            "inline" => {
                self.bump();
                self.inline_definition()?;
                return Ok(None);
            }
            "c_code" | "c_decl" | "c_state" | "c_track" | "c_expr" => {
                self.embedded_c_unit(&word);
                return Ok(None);
            }
            "mtype" if self.at_mtype_declaration() => Unit::Mtype(self.mtype_declaration()?),
            "subrange" if self.at_subrange() => Unit::Subrange(self.subrange()?),
            _ if self.at_declaration() => Unit::Variables(self.variable_declaration()?),
            _ => return self.stray_unit(),
        };
        Ok(Some(unit))
    }

    fn stray_unit<T>(&mut self) -> Parsed<T> {
        let next_is_name = matches!(self.token(1).kind, TokenKind::Name(_));
        if next_is_name && !super::hints::is_reserved(&self.word()) {
            let message = format!("'{}' is not a type", self.word());
            let diagnostic = Diagnostic::error(self.place(), message)
                .hint("types are bit, bool, byte, pid, short, int, unsigned, mtype, chan and typedefs");
            return self.fail(diagnostic);
        }
        self.unexpected("a declaration, a proctype or init")
    }

    fn word(&self) -> String {
        match self.peek() {
            TokenKind::Name(word) => word.to_string(),
            _ => String::new(),
        }
    }

    /// Goes on at the next word that can begin a unit, outside of braces.
    fn skip_unit(&mut self) {
        let mut depth = 0_u32;
        self.parentheses = 0;
        self.in_sequence = false;
        self.temporal = false;
        loop {
            match self.bump().kind {
                TokenKind::End => return,
                TokenKind::Punct(Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RBrace) => depth = depth.saturating_sub(1),
                _ => {}
            }
            let starts = ["active", "proctype", "D_proctype", "init", "never", "ltl", "typedef", "inline", "mtype"];
            if depth == 0 && starts.iter().any(|word| self.at_word(word)) {
                self.parentheses = 0;
                return;
            }
        }
    }

    fn proctype(&mut self) -> Parsed<Proctype> {
        let active = self.active()?;
        let deterministic = self.at_word("D_proctype");
        if !deterministic && !self.at_word("proctype") {
            return self.unexpected("'proctype'");
        }
        self.bump();
        let name = self.name("the name of a proctype")?;
        self.expect(Punct::LParen)?;
        let parameters = self.declaration_list(Punct::RParen)?;
        self.expect(Punct::RParen)?;
        let priority = self.priority()?;
        let provided = if self.accept_word("provided") {
            self.expect(Punct::LParen)?;
            let condition = self.expression()?;
            self.expect(Punct::RParen)?;
            Some(condition)
        } else {
            None
        };
        let body = self.body()?;
        Ok(Proctype { name, active, deterministic, parameters, priority, provided, body })
    }

    fn active(&mut self) -> Parsed<Option<Expr>> {
        let place = self.place();
        if !self.accept_word("active") {
            return Ok(None);
        }
        if !self.accept(Punct::LBracket) {
            return Ok(Some(Expr { kind: crate::ast::ExprKind::Number(1), place }));
        }
        let count = self.expression()?;
        self.expect(Punct::RBracket)?;
        Ok(Some(count))
    }

    pub(super) fn priority(&mut self) -> Parsed<Option<Expr>> {
        if !self.accept_word("priority") {
            return Ok(None);
        }
        Ok(Some(self.unary_expression()?))
    }

    fn init(&mut self) -> Parsed<Init> {
        let place = self.bump().place;
        let priority = self.priority()?;
        Ok(Init { place, priority, body: self.body()? })
    }

    fn never(&mut self) -> Parsed<Never> {
        let place = self.bump().place;
        let name = self.optional_name("the name of the claim")?;
        Ok(Never { place, name, body: self.body()? })
    }

    fn trace(&mut self) -> Parsed<Trace> {
        let negated = self.at_word("notrace");
        let place = self.bump().place;
        Ok(Trace { place, negated, body: self.body()? })
    }

    fn ltl(&mut self) -> Parsed<Ltl> {
        let place = self.bump().place;
        let name = self.optional_name("the name of the formula")?;
        self.expect(Punct::LBrace)?;
        self.temporal = true;
        let formula = self.expression();
        self.temporal = false;
        let formula = formula?;
        self.accept(Punct::Semi);
        self.expect(Punct::RBrace)?;
        Ok(Ltl { place, name, formula })
    }

    fn optional_name(&mut self, what: &str) -> Parsed<Option<Name>> {
        if self.at(Punct::LBrace) { Ok(None) } else { self.name(what).map(Some) }
    }

    fn typedef(&mut self) -> Parsed<Typedef> {
        self.bump();
        let name = self.name("the name of a type")?;
        self.expect(Punct::LBrace)?;
        self.in_sequence = true;
        let fields = self.declaration_list(Punct::RBrace);
        self.in_sequence = false;
        let fields = fields?;
        self.expect(Punct::RBrace)?;
        Ok(Typedef { name, fields })
    }

    /// `mtype = {` or `mtype : set = {`, as opposed to variables of that type. SPIN also takes
    /// the list without `=`.
    fn at_mtype_declaration(&self) -> bool {
        let after = if is_punct(self.token(1), Punct::Colon) { 3 } else { 1 };
        let assigned = is_punct(self.token(after), Punct::Assign);
        is_punct(self.token(after + usize::from(assigned)), Punct::LBrace)
    }

    fn mtype_declaration(&mut self) -> Parsed<MtypeDecl> {
        self.bump();
        let set = if self.accept(Punct::Colon) { Some(self.name("the name of the set")?) } else { None };
        self.accept(Punct::Assign);
        self.expect(Punct::LBrace)?;
        let mut names = Vec::new();
        while !self.at(Punct::RBrace) {
            if self.accept(Punct::Comma) {
                continue;
            }
            names.push(self.name("a name of the mtype")?);
        }
        self.expect(Punct::RBrace)?;
        Ok(MtypeDecl { set, names })
    }

    /// `subrange Name =`: the word is a name everywhere else.
    fn at_subrange(&self) -> bool {
        matches!(self.token(1).kind, TokenKind::Name(_)) && is_punct(self.token(2), Punct::Assign)
    }

    fn subrange(&mut self) -> Parsed<Subrange> {
        self.bump();
        let name = self.name("the name of a range")?;
        self.expect(Punct::Assign)?;
        let low = self.expression()?;
        self.expect(Punct::DotDot)?;
        let high = self.expression()?;
        Ok(Subrange { name, low, high })
    }

    fn embedded_c_unit(&mut self, word: &str) {
        let place = self.bump().place;
        let message = format!("embedded C ({word}) is not supported");
        self.report(Diagnostic::error(place, message).hint(super::statement::EMBEDDED_C_HINT));
        while matches!(self.peek(), TokenKind::CCode(_) | TokenKind::String(_)) {
            self.bump();
        }
    }

    pub(super) fn body(&mut self) -> Parsed<Body> {
        let open = self.expect(Punct::LBrace)?;
        self.in_sequence = true;
        let steps = self.sequence();
        let end = self.place();
        let closed = self.at(Punct::RBrace);
        if closed {
            self.bump();
        } else if matches!(self.peek(), TokenKind::End) {
            self.report(Diagnostic::error(open, "this '{' is never closed"));
        } else {
            let _ = self.unexpected::<()>("a statement or '}'");
            self.skip_unit();
        }
        self.in_sequence = false;
        // A stray bracket must not silence the line ends of what follows.
        self.parentheses = 0;
        if steps.is_empty() && closed {
            let diagnostic = Diagnostic::error(end, "a body must have at least one statement").hint("write skip");
            self.report(diagnostic);
        }
        Ok(Body { steps, end })
    }
}
