//! Names and what they stand for.

use crate::expr::Base;
use crate::model::ChannelTypeId;
use crate::types::Variable;
use spinor_syntax::{Diagnostic, Place};
use std::collections::HashMap;
use std::sync::Arc;

/// A declared variable by its place in [`Scopes::symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SymbolId(usize);

/// A declared variable, with what the model does with it.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub(super) variable: Arc<Variable>,
    pub(super) base: Base,
    /// Its number among the variables of its part of the vector.
    pub(super) index: u32,
    pub(super) place: Place,
    pub(super) parameter: bool,
    /// The kind of channel it begins with.
    pub(super) channel: Option<ChannelTypeId>,
    pub(super) read: bool,
    pub(super) written: bool,
}

/// The scopes that are open, and all symbols that ever were.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    pub(super) symbols: Vec<Symbol>,
    /// The outermost scope is the global one, the second that of the proctype.
    open: Vec<HashMap<Arc<str>, SymbolId>>,
    /// The path of blocks to the present one: decides which label a `goto` means.
    pub(super) path: Vec<u32>,
    blocks: u32,
}

impl Scopes {
    pub(super) fn new() -> Scopes {
        Scopes { open: vec![HashMap::new()], ..Scopes::default() }
    }

    pub(super) fn enter(&mut self) {
        self.open.push(HashMap::new());
        self.blocks += 1;
        self.path.push(self.blocks);
    }

    pub(super) fn leave(&mut self) {
        self.open.pop();
        self.path.pop();
    }

    /// Declares a variable in the innermost scope. A name of the global scope cannot be declared
    /// again at the top of a proctype, only inside a block: as in SPIN.
    pub(super) fn declare(&mut self, symbol: Symbol) -> Result<SymbolId, Diagnostic> {
        let name = symbol.variable.name.clone();
        let visible = if self.open.len() == 2 { &self.open[..] } else { &self.open[self.open.len() - 1..] };
        if let Some(earlier) = visible.iter().rev().find_map(|scope| scope.get(&name)) {
            let first = self.symbols[earlier.0].place.spelling;
            let message = format!("'{name}' is declared twice");
            return Err(Diagnostic::error(symbol.place, message).label(first, "first declared here"));
        }
        let id = SymbolId(self.symbols.len());
        self.symbols.push(symbol);
        self.open.last_mut().expect("the global scope").insert(name, id);
        Ok(id)
    }

    pub(super) fn lookup(&self, name: &str) -> Option<SymbolId> {
        self.open.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    pub(super) fn get(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0]
    }

    pub(super) fn get_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.symbols[id.0]
    }

    /// All names in sight.
    pub(super) fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.open.iter().flat_map(HashMap::keys)
    }
}

/// The candidate nearest to `name` by edit distance, if it is near enough to be meant.
pub(super) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = name.len().div_ceil(3).min(3);
    candidates
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= limit && candidate != name)
        .min()
        .map(|(_, candidate)| candidate)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
