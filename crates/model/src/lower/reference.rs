//! References to variables.

use super::Lowerer;
use super::scope::{SymbolId, nearest};
use crate::expr::{Access, Base, Index};
use crate::types::{Scalar, Type, Variable};
use spinor_syntax::Diagnostic;
use spinor_syntax::ast::{self, VarRef};
use std::sync::Arc;

/// What a reference is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Write,
    /// As a channel to operate on: the variable is read, its channel is what matters.
    Channel,
}

/// A reference with all its parts: a number, or a structure that stands for its fields.
pub(super) struct Reference {
    /// One access per number.
    pub(super) scalars: Vec<Access>,
    pub(super) is_struct: bool,
}

impl Lowerer<'_> {
    /// A reference to one number. `None` after a diagnostic.
    pub(super) fn scalar(&mut self, reference: &VarRef, usage: Use) -> Option<Access> {
        let resolved = self.reference(reference, usage)?;
        if resolved.is_struct {
            let message = format!("'{}' is a structure, not a number", reference.name.text);
            self.report(Diagnostic::error(reference.place(), message).hint("name one of its fields"));
            return None;
        }
        resolved.scalars.into_iter().next()
    }

    /// A reference to a channel.
    pub(super) fn channel(&mut self, reference: &VarRef) -> Option<Access> {
        let access = self.scalar(reference, Use::Channel)?;
        let is_usable = match access.ty {
            Scalar::Chan | Scalar::Byte | Scalar::Pid | Scalar::Int | Scalar::Short => true,
            Scalar::Bit | Scalar::WideBit | Scalar::Unsigned(_) | Scalar::Mtype(_) | Scalar::Range { .. } => false,
        };
        if !is_usable {
            self.error(reference.place(), format!("'{}' is not a channel", reference.name.text));
            return None;
        }
        Some(access)
    }

    pub(super) fn reference(&mut self, reference: &VarRef, usage: Use) -> Option<Reference> {
        let id = self.lookup(&reference.name)?;
        self.mark(id, usage);
        let symbol = self.scopes.get(id);
        let (variable, base, index) = (symbol.variable.clone(), symbol.base, symbol.index);
        let mut access = super::declaration::direct(base, 0, &Scalar::Int, index, &variable.name);
        self.follow(reference, &variable, &mut access)
    }

    pub(super) fn lookup(&mut self, name: &ast::Name) -> Option<SymbolId> {
        if let Some(id) = self.scopes.lookup(&name.text) {
            return Some(id);
        }
        let mut diagnostic = Diagnostic::error(name.place, format!("'{}' is not declared", name.text));
        if self.proctypes.contains_key(&name.text) {
            diagnostic = diagnostic.hint("it is a proctype: start it with run");
        } else {
            let known = self.scopes.names().chain(self.constants.keys()).map(|known| &**known);
            if let Some(near) = nearest(&name.text, known) {
                diagnostic = diagnostic.hint(format!("did you mean '{near}'?"));
            }
        }
        self.report(diagnostic);
        None
    }

    fn mark(&mut self, id: SymbolId, usage: Use) {
        let printing = self.printing;
        let symbol = self.scopes.get_mut(id);
        match usage {
            Use::Write => symbol.written = true,
            Use::Read | Use::Channel => symbol.read = true,
        }
        if symbol.base == Base::Hidden && usage != Use::Write && !printing {
            self.model.uses.reads_hidden = true;
        }
    }

    /// Follows indexes and fields from `variable`; `access` holds what was gathered so far.
    pub(super) fn follow(&mut self, reference: &VarRef, variable: &Variable, access: &mut Access) -> Option<Reference> {
        access.offset += variable.offset;
        self.index(reference, variable, access)?;
        match (&variable.ty, &reference.field) {
            (Type::Scalar(ty), None) => {
                access.ty = ty.clone();
                Some(Reference { scalars: vec![access.clone()], is_struct: false })
            }
            (Type::Scalar(_), Some(field)) => {
                self.error(field.name.place, format!("'{}' is not a structure", reference.name.text));
                None
            }
            (Type::Struct(layout), None) => {
                let mut scalars = Vec::new();
                for field in &layout.fields {
                    field.for_each_scalar(&mut |name, offset, ty| {
                        let mut part = access.clone();
                        part.offset += offset;
                        part.ty = ty.clone();
                        part.name = format!("{}.{name}", access.name).into();
                        scalars.push(part);
                    });
                }
                Some(Reference { scalars, is_struct: true })
            }
            (Type::Struct(layout), Some(field)) => {
                let Some(inner) = layout.fields.iter().find(|inner| inner.name == field.name.text) else {
                    let message = format!("type '{}' has no field '{}'", layout.name, field.name.text);
                    let mut diagnostic = Diagnostic::error(field.name.place, message);
                    let names = layout.fields.iter().map(|inner| &*inner.name);
                    if let Some(near) = nearest(&field.name.text, names) {
                        diagnostic = diagnostic.hint(format!("did you mean '{near}'?"));
                    }
                    self.report(diagnostic);
                    return None;
                };
                access.name = format!("{}.{}", access.name, inner.name).into();
                self.follow(field, &inner.clone(), access)
            }
        }
    }

    fn index(&mut self, reference: &VarRef, variable: &Variable, access: &mut Access) -> Option<()> {
        match (variable.length, &reference.index) {
            (None, None) => Some(()),
            (None, Some(index)) => {
                // SPIN takes `x[0]` for a plain variable.
                if self.constant_value(index) == Some(0) {
                    return Some(());
                }
                self.error(index.place, format!("'{}' is not an array", variable.name));
                None
            }
            (Some(_), None) => {
                let message = format!("'{}' is an array: an index is missing", variable.name);
                self.error(reference.name.place, message);
                None
            }
            (Some(length), Some(index)) => {
                let stride = variable.ty.size();
                let value = self.expression(index);
                if let Some(n) = value.constant() {
                    if (0..i64::from(length)).contains(&i64::from(n)) {
                        access.offset += n as u32 * stride;
                        access.name = format!("{}[{n}]", access.name).into();
                        return Some(());
                    }
                    let message = format!("index {n} is outside of '{}[{length}]'", variable.name);
                    let diagnostic = Diagnostic::warning(index.place, message);
                    self.report(diagnostic.hint("executing this is a fault"));
                }
                access.indexes.push(Index { value, length, stride });
                access.name = format!("{}[]", access.name).into();
                Some(())
            }
        }
    }

    /// A predefined name, which is no variable.
    pub(super) fn is_predefined(name: &Arc<str>) -> bool {
        matches!(&**name, "_" | "_pid" | "_nr_pr" | "_last" | "_priority" | "STDIN")
    }
}
