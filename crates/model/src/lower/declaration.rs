//! Types, variables and their initial values.

use super::scope::Symbol;
use super::{Lowerer, NamedType};
use crate::expr::{Access, Base, Expr};
use crate::model::{ChannelType, ChannelTypeId, Initial, MtypeSet};
use crate::types::{Scalar, Struct, Type, Variable};
use spinor_syntax::ast::{self, Initialiser, TypeKind, Visibility};
use spinor_syntax::{Diagnostic, Place};
use std::sync::Arc;

/// Arrays and channels with more elements than this are refused.
const MAX_ARRAY: i32 = 1 << 20;
/// Variables and channels of more bytes than this are refused: states of that size cannot be kept.
const MAX_BYTES: u64 = 1 << 24;

/// Where initial values and new variables go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Global,
    Parameter,
    /// At the top of a body: the value is there when the process begins.
    Local,
    /// After the first statement or in a block: the value is assigned by a step.
    LateLocal,
}

impl<'a> Lowerer<'a> {
    pub(super) fn typedef(&mut self, typedef: &'a ast::Typedef) {
        let mut fields = Vec::new();
        let mut size = 0;
        let mut is_fitting = true;
        for declaration in &typedef.fields {
            if declaration.visibility == Visibility::Hidden {
                self.error(declaration.ty.place, "only global variables can be hidden");
            }
            for declarator in &declaration.variables {
                if let Some(size) = declarator.size.as_ref().filter(|size| self.constant_value(size).is_none()) {
                    self.error(size.place, "the size of an array in a type must be a constant");
                }
                let mut variable = self.variable(&declaration.ty, declarator);
                variable.offset = size;
                let total = self.total(size, variable.size(), declarator.name.place);
                is_fitting &= total == size + variable.size();
                size = total;
                fields.push(variable);
            }
        }
        if !is_fitting {
            // Types that are made of this one would be larger and larger, and are not to be gone through.
            (fields, size) = (Vec::new(), 0);
        }
        let name = typedef.name.text.clone();
        let layout = Arc::new(Struct { name: name.clone(), fields, size });
        let known = self.types.insert(name.clone(), NamedType::Struct { layout, fields: &typedef.fields });
        if known.is_some() {
            self.error(typedef.name.place, format!("type '{name}' is defined twice"));
        }
    }

    pub(super) fn subrange(&mut self, range: &ast::Subrange) {
        let low = self.constant(&range.low, "the bound of a range");
        let high = self.constant(&range.high, "the bound of a range");
        if let (Some(low), Some(high)) = (low, high) {
            if low > high {
                self.error(range.low.place.to(range.high.place), "this range is empty");
            }
            self.types.insert(range.name.text.clone(), NamedType::Range { low, high: high.max(low) });
        }
    }

    pub(super) fn mtype(&mut self, declaration: &ast::MtypeDecl) {
        let set = declaration.set.as_ref().map(|name| name.text.clone());
        let index = match self.model.mtypes.iter().position(|known| known.name == set) {
            Some(index) => index,
            None => {
                self.model.mtypes.push(MtypeSet { name: set.clone(), members: Vec::new() });
                self.model.mtypes.len() - 1
            }
        };
        // SPIN builds the list from the back: of the names in one declaration the last has the
        // lowest value.
        for name in declaration.names.iter().rev() {
            if self.constants.contains_key(&name.text) {
                self.error(name.place, format!("'{}' is an mtype name already", name.text));
                continue;
            }
            let members = &mut self.model.mtypes[index].members;
            members.push(name.text.clone());
            let value = members.len() as i32;
            self.constants.insert(name.text.clone(), (value, set.clone()));
            if value == 256 {
                self.error(name.place, "an mtype has at most 255 names");
            }
        }
    }

    /// Declares variables. For a [`Owner::LateLocal`] the caller assigns the initial values.
    pub(super) fn variables(&mut self, declaration: &'a ast::VariableDecl, owner: Owner) {
        let hidden = declaration.visibility == Visibility::Hidden;
        if hidden && owner != Owner::Global {
            self.error(declaration.ty.place, "only global variables can be hidden");
        }
        for declarator in &declaration.variables {
            let variable = self.variable(&declaration.ty, declarator);
            self.declare(declaration, declarator, variable, owner);
        }
    }

    fn declare(
        &mut self,
        declaration: &'a ast::VariableDecl,
        declarator: &'a ast::Declarator,
        mut variable: Variable,
        owner: Owner,
    ) {
        let base = match (owner, declaration.visibility) {
            (Owner::Global, Visibility::Hidden) => Base::Hidden,
            (Owner::Global, _) => Base::Global,
            _ => Base::Local,
        };
        if base == Base::Hidden && variable.ty == Type::Scalar(Scalar::Chan) {
            self.error(declarator.name.place, "channels cannot be hidden");
        }
        if owner == Owner::Parameter {
            self.check_parameter(declarator, &variable);
        }
        let size = variable.size();
        variable.offset = self.allocate(base, size, declarator.name.place);
        let channel = match &declarator.initialiser {
            Some(Initialiser::Channel(init)) if variable.ty == Type::Scalar(Scalar::Chan) => self.channel_type(init),
            _ => None,
        };
        let variable = Arc::new(variable);
        let index = match (base, &mut self.body) {
            (Base::Local, Some(body)) => {
                body.locals.push((*variable).clone());
                body.locals.len() - 1
            }
            (Base::Hidden, _) => {
                self.model.hidden.push((*variable).clone());
                self.model.hidden.len() - 1
            }
            (Base::Global | Base::Local, _) => {
                self.model.globals.push((*variable).clone());
                self.model.globals.len() - 1
            }
        } as u32;
        if owner == Owner::Parameter {
            self.parameters(&variable, index);
        } else {
            self.initials(declarator, &variable, index, base, owner);
        }
        let symbol = Symbol {
            variable,
            base,
            index,
            place: declarator.name.place,
            parameter: owner == Owner::Parameter,
            channel,
            read: false,
            written: false,
        };
        if self.constants.contains_key(&declarator.name.text) {
            let message = format!("'{}' is an mtype name already", declarator.name.text);
            self.error(declarator.name.place, message);
        }
        if let Err(diagnostic) = self.scopes.declare(symbol) {
            self.report(diagnostic);
        }
    }

    fn check_parameter(&mut self, declarator: &ast::Declarator, variable: &Variable) {
        if declarator.initialiser.is_some() {
            self.error(declarator.name.place, "a parameter cannot have an initial value");
        }
        let mut arrays = variable.length.is_some();
        if let Some(layout) = variable.ty.structure() {
            arrays |= layout.fields.iter().any(|field| field.length.is_some());
        }
        if arrays {
            let diagnostic = Diagnostic::error(declarator.name.place, "an array cannot be a parameter");
            self.report(diagnostic.hint("pass its elements, or make it global"));
        }
    }

    fn allocate(&mut self, base: Base, size: u32, place: Place) -> u32 {
        let offset = *self.allocated(base);
        let total = self.total(offset, size, place);
        *self.allocated(base) = total;
        offset
    }

    fn allocated(&mut self, base: Base) -> &mut u32 {
        match (base, &mut self.body) {
            (Base::Local, Some(body)) => &mut body.locals_size,
            (Base::Hidden, _) => &mut self.model.hidden_size,
            (Base::Global | Base::Local, _) => &mut self.model.globals_size,
        }
    }

    /// The sum of two sizes, which stays the same after an error if it is too much.
    fn total(&mut self, size: u32, more: u32, place: Place) -> u32 {
        if u64::from(size) + u64::from(more) <= MAX_BYTES {
            return size + more;
        }
        self.error(place, format!("variables take more than {} MiB in every state", MAX_BYTES >> 20));
        size
    }

    fn parameters(&mut self, variable: &Variable, index: u32) {
        let mut accesses = Vec::new();
        variable.for_each_scalar(&mut |name, offset, ty| {
            accesses.push(direct(Base::Local, offset, ty, index, name));
        });
        if let Some(body) = &mut self.body {
            body.parameters.extend(accesses);
        }
    }

    /// The initial values of a variable, its structure's fields included.
    fn initials(
        &mut self,
        declarator: &'a ast::Declarator,
        variable: &Arc<Variable>,
        index: u32,
        base: Base,
        owner: Owner,
    ) {
        let mut initials = Vec::new();
        let late = owner == Owner::LateLocal;
        if late && matches!(declarator.initialiser, Some(Initialiser::Channel(_))) {
            let message = format!("channel '{}' must be created at the start of the proctype", variable.name);
            self.report(Diagnostic::error(declarator.name.place, message).hint("move the declaration up"));
        }
        // SPIN gives a late variable its value by a step alone; before that it is 0. But the elements of an array begin
        // with the value in a list.
        let is_list = matches!(declarator.initialiser, Some(Initialiser::List(_)));
        let initialiser = if late && !is_list { None } else { declarator.initialiser.as_ref() };
        let target = Target { base, variable: index, name: variable.name.clone() };
        self.initial_of(initialiser, variable, 0, &target, &mut initials);
        match (base, &mut self.body) {
            (Base::Local, Some(body)) => body.locals_init.extend(initials),
            (Base::Global | Base::Hidden | Base::Local, _) => {
                let rank = type_rank(&variable.ty);
                self.globals_init.extend(initials.into_iter().map(|initial| (rank, initial)));
            }
        }
    }

    fn initial_of(
        &mut self,
        initialiser: Option<&'a Initialiser>,
        variable: &Variable,
        base_offset: u32,
        target: &Target,
        out: &mut Vec<Initial>,
    ) {
        if let Some(Initialiser::List(values)) = initialiser
            && variable.length.is_none()
        {
            self.error(values[0].place, format!("'{}' is not an array", variable.name));
        }
        for element in 0..variable.length.unwrap_or(1) {
            let offset = base_offset + variable.offset + element * variable.ty.size();
            match &variable.ty {
                Type::Scalar(ty) => {
                    let access = direct(target.base, offset, ty, target.variable, &target.name);
                    out.extend(self.initial_value(initialiser, element, access));
                }
                Type::Struct(layout) => self.initial_fields(layout, offset, target, out),
            }
        }
    }

    fn initial_fields(&mut self, layout: &Arc<Struct>, offset: u32, target: &Target, out: &mut Vec<Initial>) {
        let Some(NamedType::Struct { fields, .. }) = self.types.get(&layout.name).cloned() else { return };
        let declarators = fields.iter().flat_map(|declaration| &declaration.variables);
        for (field, declarator) in layout.fields.iter().zip(declarators) {
            self.initial_of(declarator.initialiser.as_ref(), field, offset, target, out);
        }
    }

    fn initial_value(&mut self, initialiser: Option<&'a Initialiser>, element: u32, access: Access) -> Option<Initial> {
        match initialiser {
            Some(Initialiser::Channel(init)) => {
                if access.ty != Scalar::Chan {
                    self.error(init.place, format!("'{}' is not a channel", access.name));
                }
                Some(Initial::Channel(access, self.channel_type(init)?))
            }
            Some(Initialiser::Value(value)) => self.checked_initial(value, access),
            Some(Initialiser::List(values)) => {
                // As in C, the last value is for the elements that are left.
                let value = values.get(element as usize).or(values.last())?;
                self.checked_initial(value, access)
            }
            None => {
                // A vector of zeros holds the smallest value of each range, and 0 elsewhere.
                let default = access.ty.default_value();
                let is_other = access.ty.declared_range().is_some_and(|(low, _)| low != default);
                is_other.then_some(Initial::Value(access, Expr::Constant(default)))
            }
        }
    }

    fn checked_initial(&mut self, value: &ast::Expr, access: Access) -> Option<Initial> {
        let lowered = self.expression(value);
        if lowered.has_run() {
            self.error(value.place, "'run' cannot be used in an initial value");
            return None;
        }
        self.warn_truncation(&access.ty, &lowered, value.place);
        Some(Initial::Value(access, lowered))
    }

    pub(super) fn variable(&mut self, ty: &ast::TypeName, declarator: &ast::Declarator) -> Variable {
        let mut resolved = self.resolve_type(ty, declarator.width.as_ref());
        let length = declarator.size.as_ref().map(|size| self.array_length(size));
        if length.is_some()
            && let Some(scalar) = resolved.scalar()
        {
            resolved = Type::Scalar(scalar.widened());
        }
        let length = length.map(|length| self.fitting(length, resolved.size(), declarator.name.place));
        Variable { name: declarator.name.text.clone(), ty: resolved, length, offset: 0 }
    }

    /// The number of elements, or 1 after an error if they take too much.
    fn fitting(&mut self, count: u32, size: u32, place: Place) -> u32 {
        if u64::from(count) * u64::from(size) <= MAX_BYTES {
            return count;
        }
        self.error(place, format!("this takes more than {} MiB in every state", MAX_BYTES >> 20));
        1
    }

    fn array_length(&mut self, size: &ast::Expr) -> u32 {
        match self.bound_of_variable(size).or_else(|| self.constant(size, "the size of an array")) {
            Some(n) if (1..=MAX_ARRAY).contains(&n) => n as u32,
            Some(n) => {
                self.error(size.place, format!("an array cannot have {n} elements"));
                1
            }
            None => 1,
        }
    }

    /// The value with which a variable begins, where it is the size of an array. As in SPIN, 0 is 8.
    fn bound_of_variable(&mut self, size: &ast::Expr) -> Option<i32> {
        let ast::ExprKind::Variable(reference) = &size.kind else { return None };
        let is_plain = reference.index.is_none() && reference.field.is_none();
        let is_known = self.constants.contains_key(&reference.name.text);
        let symbol = self.scopes.lookup(&reference.name.text).filter(|_| is_plain && !is_known)?;
        self.scopes.get_mut(symbol).read = true;
        let name = &reference.name.text;
        let value = self.initial_constant(size).filter(|value| *value != 0);
        let message = match value {
            Some(value) => format!("the size is the first value of '{name}', {value}, for ever"),
            None => format!("the size is 8, as in SPIN, for '{name}' begins with 0"),
        };
        self.report(Diagnostic::warning(size.place, message).hint("use a macro"));
        value.or(Some(8))
    }

    fn resolve_type(&mut self, ty: &ast::TypeName, width: Option<&ast::Expr>) -> Type {
        if let (Some(width), false) = (width, matches!(ty.kind, TypeKind::Unsigned)) {
            self.error(width.place, "only an unsigned has a width");
        }
        Type::Scalar(match &ty.kind {
            TypeKind::Bit => Scalar::Bit,
            TypeKind::Byte => Scalar::Byte,
            TypeKind::Pid => Scalar::Pid,
            TypeKind::Short => Scalar::Short,
            TypeKind::Int => Scalar::Int,
            TypeKind::Chan => Scalar::Chan,
            TypeKind::Mtype(set) => Scalar::Mtype(self.mtype_set(set.as_ref())),
            TypeKind::Unsigned => self.unsigned(ty.place, width),
            TypeKind::Value(size) => match self.constant(size, "the size of a value range") {
                Some(n) if n >= 1 => Scalar::Range { low: 0, high: n - 1 },
                Some(n) => {
                    self.error(size.place, format!("there are no values below {n}"));
                    Scalar::Int
                }
                None => Scalar::Int,
            },
            TypeKind::Named(name) => match self.types.get(&name.text) {
                Some(NamedType::Struct { layout, .. }) => return Type::Struct(layout.clone()),
                Some(&NamedType::Range { low, high }) => Scalar::Range { low, high },
                None => {
                    self.error(name.place, format!("type '{}' is used before it is defined", name.text));
                    Scalar::Int
                }
            },
        })
    }

    fn mtype_set(&mut self, set: Option<&ast::Name>) -> Option<Arc<str>> {
        let set = set?;
        if !self.model.mtypes.iter().any(|known| known.name.as_ref() == Some(&set.text)) {
            let message = format!("mtype '{}' has no names here", set.text);
            self.report(Diagnostic::warning(set.place, message));
        }
        Some(set.text.clone())
    }

    fn unsigned(&mut self, place: Place, width: Option<&ast::Expr>) -> Scalar {
        let Some(width) = width else {
            let diagnostic = Diagnostic::warning(place, "an unsigned without a width has 16 bits");
            self.report(diagnostic.hint("write unsigned x : 16"));
            return Scalar::Unsigned(16);
        };
        match self.constant(width, "a width") {
            Some(n) if (1..=31).contains(&n) => Scalar::Unsigned(n as u8),
            Some(n) => {
                self.error(width.place, format!("an unsigned has 1 to 31 bits, not {n}"));
                Scalar::Int
            }
            None => Scalar::Int,
        }
    }

    pub(super) fn channel_type(&mut self, init: &ast::ChannelInit) -> Option<ChannelTypeId> {
        let capacity = self.constant(&init.capacity, "the capacity of a channel")?;
        if !(0..=MAX_ARRAY).contains(&capacity) {
            self.error(init.capacity.place, format!("a channel cannot hold {capacity} messages"));
            return None;
        }
        let mut fields = Vec::new();
        for field in &init.fields {
            match self.resolve_field(field) {
                Type::Scalar(scalar) => fields.push(scalar),
                Type::Struct(layout) => layout
                    .fields
                    .iter()
                    .for_each(|field| field.for_each_scalar(&mut |_, _, scalar| fields.push(scalar.in_message()))),
            }
        }
        if let [only] = &mut fields[..] {
            *only = only.widened();
        }
        let size = fields.iter().map(Scalar::size).sum();
        let kind = ChannelType { capacity: self.fitting(capacity as u32, size, init.place), fields };
        let index = self.model.channel_types.iter().position(|known| *known == kind).unwrap_or_else(|| {
            self.model.channel_types.push(kind);
            self.model.channel_types.len() - 1
        });
        Some(ChannelTypeId(index as u16))
    }

    fn resolve_field(&mut self, field: &ast::TypeName) -> Type {
        if matches!(field.kind, TypeKind::Unsigned) {
            let diagnostic = Diagnostic::error(field.place, "unsigned cannot be the type of a message field");
            self.report(diagnostic.hint("use byte, short or int, or value n"));
            return Type::Scalar(Scalar::Int);
        }
        self.resolve_type(field, None)
    }
}

/// The variable that initial values are for.
struct Target {
    base: Base,
    variable: u32,
    name: Arc<str>,
}

/// An access without indexes.
pub(super) fn direct(base: Base, offset: u32, ty: &Scalar, variable: u32, name: &str) -> Access {
    Access { base, offset, indexes: Vec::new(), ty: ty.clone(), variable, name: name.into() }
}

/// SPIN initialises global variables by type in this order, and by the text within a type; local ones by the text.
pub(super) fn type_rank(ty: &Type) -> u8 {
    match ty {
        Type::Scalar(Scalar::Unsigned(_)) => 0,
        Type::Scalar(Scalar::Bit | Scalar::WideBit) => 1,
        Type::Scalar(Scalar::Byte | Scalar::Pid) => 2,
        Type::Scalar(Scalar::Chan) => 3,
        Type::Scalar(Scalar::Mtype(_)) => 4,
        Type::Scalar(Scalar::Short) => 5,
        Type::Scalar(Scalar::Int | Scalar::Range { .. }) => 6,
        Type::Struct(_) => 7,
    }
}
