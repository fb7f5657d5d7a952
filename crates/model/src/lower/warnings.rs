//! What SPIN's users trip over.

use super::Lowerer;
use super::automaton::Automaton;
use super::flow::{Flow, Jump, Kind};
use crate::expr::Expr;
use crate::types::Scalar;
use spinor_syntax::{Diagnostic, Place};

impl Lowerer<'_> {
    /// A constant that its variable cannot hold.
    pub(super) fn warn_truncation(&mut self, ty: &Scalar, value: &Expr, place: Place) {
        let Some(value) = value.constant() else { return };
        let (low, high) = ty.bounds();
        if (low..=high).contains(&value) {
            return;
        }
        let name = ty.name();
        let diagnostic = match ty.convert(value) {
            Ok(kept) => Diagnostic::warning(place, format!("{value} does not fit: a {name} keeps {kept}")),
            Err(_) => {
                let diagnostic = Diagnostic::warning(place, format!("{value} is outside of the range {name}"));
                diagnostic.hint("executing this is a fault")
            }
        };
        self.report(diagnostic);
    }

    /// Variables that are never read.
    pub(super) fn warn_unused(&mut self) {
        let remote: Vec<_> = std::mem::take(&mut self.remote_reads);
        let read_remotely = |name: &str| {
            remote.iter().any(|&(proctype, index)| {
                let owner = self.model.proctypes.get(usize::from(proctype.0));
                owner.is_some_and(|owner| *owner.locals[index as usize].name == *name)
            })
        };
        let formulas: Vec<String> =
            self.model.ltl.iter().map(|ltl| spinor_syntax::print::expression(&ltl.formula)).collect();
        let in_formula = |name: &str| formulas.iter().any(|formula| mentions(formula, name));
        let unused: Vec<Diagnostic> = self
            .scopes
            .symbols
            .iter()
            .filter(|symbol| !symbol.read && !symbol.parameter)
            .filter(|symbol| !read_remotely(&symbol.variable.name) && !in_formula(&symbol.variable.name))
            .map(|symbol| Diagnostic::warning(symbol.place, format!("'{}' is never read", symbol.variable.name)))
            .collect();
        unused.into_iter().for_each(|diagnostic| self.report(diagnostic));
    }

    /// Labels that nothing leads to, and loops that do nothing.
    pub(super) fn warn_flow(&self, flow: &Flow, built: &Automaton) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        for label in &flow.labels {
            let reachable = flow.elements[label.element].d_step.is_some() || reaches(flow, built, label.element);
            if !reachable {
                warnings.push(Diagnostic::warning(label.place, format!("label '{}' cannot be reached", label.name)));
            }
        }
        for (index, location) in built.locations.iter().enumerate() {
            let idle = location.edges.iter().filter(|edge| {
                edge.target.is_some_and(|target| usize::from(target.0) == index)
                    && flow.elements.iter().any(|element| {
                        element.kind == Kind::Step(edge.statement) && element.idle == super::flow::Idle::Skip
                    })
            });
            if idle.count() > 0 {
                let message = "this loop does nothing: it leads back to where it begins";
                warnings.push(Diagnostic::warning(location.place, message));
            }
        }
        warnings
    }
}

/// Whether an element is a location, or is passed on the way to one.
fn reaches(flow: &Flow, built: &Automaton, element: usize) -> bool {
    if built.location_of.contains_key(&element) {
        return true;
    }
    let jumped_to = flow.elements.iter().any(|other| match &other.kind {
        Kind::Goto(_, jump @ Jump::Label { .. }) => flow.destination(jump).is_ok_and(|to| to == element),
        _ => false,
    });
    // Jumps and joins that are labelled, and blocks at the head of a selection, are no locations.
    jumped_to || flow.elements.iter().any(|other| other.next == Some(element)) || heads_sequence(flow, element)
}

fn heads_sequence(flow: &Flow, element: usize) -> bool {
    flow.sequences.iter().any(|sequence| sequence.first == Some(element))
}

fn mentions(formula: &str, name: &str) -> bool {
    formula.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name)
}
