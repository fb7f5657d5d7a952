//! From the tree to the model: names resolved, types checked, bodies turned into automata.

mod automaton;
mod declaration;
mod element;
mod expression;
mod flow;
mod formula;
mod labels;
mod loops;
mod promise;
mod reference;
mod scope;
mod statement;
mod trace;
mod unit;
mod warnings;

use crate::model::{Model, ProctypeId};
use crate::types::Struct;
use scope::Scopes;
use spinor_syntax::ast;
use spinor_syntax::{Diagnostic, Place, SourceMap};
use std::collections::HashMap;
use std::sync::Arc;

/// Lowers a parsed program. The model is complete if no diagnostic is an error.
pub(crate) fn lower(name: String, sources: SourceMap, program: &ast::Program) -> (Model, Vec<Diagnostic>) {
    let mut lowerer = Lowerer::new(name, sources, program);
    for unit in &program.units {
        lowerer.unit(unit);
    }
    lowerer.promises();
    lowerer.finish()
}

/// What a type name stands for.
#[derive(Clone)]
enum NamedType<'a> {
    Struct { layout: Arc<Struct>, fields: &'a [ast::VariableDecl] },
    Range { low: i32, high: i32 },
}

/// A `run` whose arguments are counted once all proctypes are known.
struct RunCheck {
    proctype: ProctypeId,
    arguments: usize,
    place: Place,
}

/// A send or receive whose fields are counted once it is known that the channel is never assigned.
struct MessageCheck {
    symbol: scope::SymbolId,
    is_send: bool,
    fields: usize,
    place: Place,
}

struct Lowerer<'a> {
    model: Model,
    diagnostics: Vec<Diagnostic>,
    scopes: Scopes,
    types: HashMap<Arc<str>, NamedType<'a>>,
    /// Value and set of each `mtype` constant.
    constants: HashMap<Arc<str>, (i32, Option<Arc<str>>)>,
    proctypes: HashMap<Arc<str>, ProctypeId>,
    runs: Vec<RunCheck>,
    messages: Vec<MessageCheck>,
    /// The proctype whose body is being lowered.
    body: Option<statement::BodyState>,
    /// The graphs of the bodies that are done, in the order of the proctypes.
    lowered: Vec<unit::Lowered>,
    /// Initial values of global variables with the rank of their type.
    globals_init: Vec<(u8, crate::model::Initial)>,
    /// SPIN's count of statements in the whole model.
    next_statement: u32,
    /// The inline calls around the present statement.
    calls: Vec<(Arc<str>, Place)>,
    /// Where the labels of remote references are named.
    label_places: Vec<Place>,
    /// Variables that remote references read.
    remote_reads: Vec<(ProctypeId, u32)>,
    uses_last: bool,
    /// Where `_nr_pr` is read first.
    count_place: Option<Place>,
    /// Inside the arguments of a print, where reading a hidden variable is harmless.
    printing: bool,
}

impl<'a> Lowerer<'a> {
    fn new(name: String, sources: SourceMap, program: &ast::Program) -> Lowerer<'a> {
        let mut proctypes = HashMap::new();
        let bodies = program.units.iter().filter(|unit| {
            matches!(unit, ast::Unit::Proctype(_) | ast::Unit::Init(_) | ast::Unit::Never(_) | ast::Unit::Trace(_))
        });
        for (index, unit) in bodies.enumerate() {
            if let ast::Unit::Proctype(proctype) = unit {
                proctypes.entry(proctype.name.text.clone()).or_insert(ProctypeId(index as u16));
            }
        }
        Lowerer {
            model: Model {
                name,
                sources,
                globals: Vec::new(),
                hidden: Vec::new(),
                globals_size: 0,
                hidden_size: 0,
                last_offset: None,
                passed_offset: None,
                trace: None,
                globals_init: Vec::new(),
                proctypes: Vec::new(),
                active: Vec::new(),
                channel_types: Vec::new(),
                mtypes: Vec::new(),
                ltl: Vec::new(),
                labels: Vec::new(),
                uses: crate::model::Uses { priority: program.mentions_priority, ..Default::default() },
                promises: Vec::new(),
            },
            diagnostics: Vec::new(),
            scopes: Scopes::new(),
            types: HashMap::new(),
            constants: HashMap::new(),
            proctypes,
            runs: Vec::new(),
            messages: Vec::new(),
            body: None,
            lowered: Vec::new(),
            globals_init: Vec::new(),
            next_statement: 0,
            calls: Vec::new(),
            label_places: Vec::new(),
            remote_reads: Vec::new(),
            uses_last: program.mentions_last,
            count_place: None,
            printing: false,
        }
    }

    fn report(&mut self, mut diagnostic: Diagnostic) {
        for (name, place) in self.calls.iter().rev() {
            diagnostic = diagnostic.label(place.at, format!("in this call of inline '{name}'"));
        }
        // The same text expanded twice is one mistake.
        if !self.diagnostics.iter().any(|known| known.place == diagnostic.place && known.message == diagnostic.message)
        {
            self.diagnostics.push(diagnostic);
        }
    }

    fn error(&mut self, place: Place, message: impl Into<String>) {
        self.report(Diagnostic::error(place, message));
    }
}
