//! PROMELA models as process automata: plain data that can be printed, analysed and executed.

pub mod access;
pub mod eval;
pub mod expr;
mod liveness;
mod lower;
mod merge;
pub mod model;
mod observed;
mod passing;
pub mod print;
pub mod ranges;
pub mod symmetry;
pub mod temporal;
pub mod types;
mod variants;

pub use expr::{Access, Base, Expr};
pub use liveness::Liveness;
pub use merge::Merge;
pub use model::{
    Action, ChannelTypeId, Edge, Event, LabelRef, Location, LocationId, Model, Proctype, ProctypeId, Role, Statement,
    StatementId, Trace,
};
pub use temporal::Temporal;
pub use types::{Scalar, Type, Variable};

use spinor_syntax::{Define, Diagnostic, Loader, SourceMap};

/// Compiles the text of a model.
///
/// The model comes back even with errors, so that diagnostics can be shown against its sources;
/// it must not be executed if any diagnostic is an error.
#[must_use]
pub fn compile(name: &str, text: &str, defines: &[Define], loader: &dyn Loader) -> (Model, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let main = sources.add(name, text);
    let (tokens, mut diagnostics) = spinor_syntax::preprocess(&mut sources, main, defines, loader);
    let (program, more) = spinor_syntax::parse(tokens);
    diagnostics.extend(more);
    let (model, more) = lower::lower(name.to_string(), sources, &program);
    diagnostics.extend(more);
    (model, diagnostics)
}
