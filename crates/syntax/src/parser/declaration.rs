//! Declarations of variables.

use super::{Parsed, Parser, is_punct};
use crate::ast::{ChannelInit, Declarator, Initialiser, TypeKind, TypeName, VariableDecl, Visibility};
use crate::diagnostic::Diagnostic;
use crate::token::{Punct, TokenKind};

impl Parser {
    /// Whether a declaration of variables begins here.
    pub(super) fn at_declaration(&self) -> bool {
        let TokenKind::Name(word) = self.peek() else { return false };
        match &**word {
            "hidden" | "show" | "local" => true,
            "bit" | "bool" | "byte" | "pid" | "short" | "int" | "unsigned" | "mtype" | "chan" => true,
            "value" => matches!(self.token(1).kind, TokenKind::Number(_)) || self.at_value_expression(),
            name => self.types.contains(name) && matches!(self.token(1).kind, TokenKind::Name(_)),
        }
    }

    /// `value (N + 1) x`: a name follows the closing parenthesis.
    fn at_value_expression(&self) -> bool {
        if !is_punct(self.token(1), Punct::LParen) {
            return false;
        }
        let mut depth = 0_u32;
        for ahead in 1.. {
            match &self.token(ahead).kind {
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                TokenKind::End => return false,
                _ => {}
            }
            if depth == 0 {
                let next = self.token(ahead + 1);
                return matches!(next.kind, TokenKind::Name(_)) && !next.newline_before;
            }
        }
        false
    }

    pub(super) fn variable_declaration(&mut self) -> Parsed<VariableDecl> {
        let visibility = self.visibility();
        let ty = self.type_name()?;
        let mut variables = vec![self.declarator()?];
        while self.accept(Punct::Comma) {
            variables.push(self.declarator()?);
        }
        Ok(VariableDecl { visibility, ty, variables })
    }

    fn visibility(&mut self) -> Visibility {
        if self.accept_word("hidden") {
            Visibility::Hidden
        } else if self.accept_word("local") {
            Visibility::Local
        } else {
            self.accept_word("show");
            Visibility::Plain
        }
    }

    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        let place = self.place();
        let TokenKind::Name(word) = self.peek() else { return self.unexpected("a type") };
        let word = word.clone();
        let kind = match &*word {
            "bit" | "bool" => TypeKind::Bit,
            "byte" => TypeKind::Byte,
            "pid" => TypeKind::Pid,
            "short" => TypeKind::Short,
            "int" => TypeKind::Int,
            "unsigned" => TypeKind::Unsigned,
            "chan" => TypeKind::Chan,
            "mtype" => {
                self.bump();
                let set = if self.accept(Punct::Colon) { Some(self.name("the name of an mtype")?) } else { None };
                return Ok(TypeName { kind: TypeKind::Mtype(set), place: place.to(self.last.place) });
            }
            "value" if !self.types.contains(&word) => {
                self.bump();
                let size = self.unary_expression()?;
                return Ok(TypeName { kind: TypeKind::Value(Box::new(size)), place: place.to(self.last.place) });
            }
            _ if self.types.contains(&word) => TypeKind::Named(self.name("a type")?),
            _ => {
                let message = format!("'{word}' is not a type");
                let hint = "types are bit, bool, byte, pid, short, int, unsigned, mtype, chan and typedefs";
                return self.fail(Diagnostic::error(place, message).hint(hint));
            }
        };
        if !matches!(kind, TypeKind::Named(_)) {
            self.bump();
        }
        Ok(TypeName { kind, place })
    }

    fn declarator(&mut self) -> Parsed<Declarator> {
        let name = self.name("the name of a variable")?;
        let width = if self.accept(Punct::Colon) { Some(self.unary_expression()?) } else { None };
        let size = if self.continuation() == Some(Punct::LBracket) {
            self.bump();
            let size = self.expression()?;
            self.expect(Punct::RBracket)?;
            Some(size)
        } else {
            None
        };
        let initialiser = if self.accept(Punct::Assign) { Some(self.initialiser()?) } else { None };
        Ok(Declarator { name, width, size, initialiser })
    }

    fn initialiser(&mut self) -> Parsed<Initialiser> {
        if self.at(Punct::LBracket) {
            return Ok(Initialiser::Channel(self.channel_initialiser()?));
        }
        if !self.accept(Punct::LBrace) {
            return Ok(Initialiser::Value(self.expression()?));
        }
        let mut values = vec![self.expression()?];
        while self.accept(Punct::Comma) {
            values.push(self.expression()?);
        }
        self.expect(Punct::RBrace)?;
        Ok(Initialiser::List(values))
    }

    fn channel_initialiser(&mut self) -> Parsed<ChannelInit> {
        let start = self.expect(Punct::LBracket)?;
        let capacity = self.expression()?;
        self.expect(Punct::RBracket)?;
        if !self.accept_word("of") {
            return self.unexpected("'of'");
        }
        self.expect(Punct::LBrace)?;
        let mut fields = vec![self.type_name()?];
        while self.accept(Punct::Comma) {
            fields.push(self.type_name()?);
        }
        let end = self.expect(Punct::RBrace)?;
        Ok(ChannelInit { place: start.to(end), capacity, fields })
    }

    /// Declarations separated by `;` up to `close`, which is not consumed.
    pub(super) fn declaration_list(&mut self, close: Punct) -> Parsed<Vec<VariableDecl>> {
        let mut declarations = Vec::new();
        loop {
            while self.accept(Punct::Semi) {}
            if self.at(close) {
                return Ok(declarations);
            }
            if !self.at_declaration() {
                return self.unexpected("a declaration");
            }
            declarations.push(self.variable_declaration()?);
            if !(self.at(close) || self.at(Punct::Semi) || self.at_line_end()) {
                let hint = "declarations of different types are separated by ';'";
                let diagnostic = super::hints::unexpected(self.token(0), &self.last, "';'").hint(hint);
                return self.fail(diagnostic);
            }
        }
    }
}
