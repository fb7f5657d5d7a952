//! What of a process others may look at: remote references, claims and formulas.

use crate::expr::Expr;
use crate::model::{LocationId, Model, Proctype, ProctypeId, Role};
use std::collections::{BTreeSet, HashSet};

/// Words of a formula that look at every process.
const GLANCES: [&str; 6] = ["_last", "enabled", "get_priority", "np_", "pc_value", "timeout"];

/// What others may look at. Formulas are kept as text: every name in them counts, whatever it means.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    variables: HashSet<(ProctypeId, u32)>,
    locations: HashSet<(ProctypeId, LocationId)>,
    words: BTreeSet<String>,
    /// Somebody asks where any process is, whether it can move, or which one has moved.
    pub(crate) everything: bool,
}

impl Observed {
    pub(crate) fn new(model: &Model) -> Observed {
        let mut observed = Observed::default();
        for ltl in &model.ltl {
            let text = spinor_syntax::print::expression(&ltl.formula);
            let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            observed.words.extend(words.map(str::to_owned));
        }
        observed.everything = GLANCES.iter().any(|&word| observed.words.contains(word));
        observed.everything |= model.uses.priority || model.last_offset.is_some();
        for proctype in &model.proctypes {
            expressions(proctype, &mut |expr| observed.look(model, proctype, expr));
        }
        // A trace asks at each send and receive which channel a variable holds.
        let events = model.trace.iter().flat_map(|trace| trace.events.values());
        observed
            .words
            .extend(events.map(|event| event.channel.name.split(['[', '.']).next().unwrap_or_default().to_owned()));
        observed
    }

    fn look(&mut self, model: &Model, by: &Proctype, expr: &Expr) {
        match expr {
            Expr::Remote { proctype, access, .. } => {
                self.variables.insert((*proctype, access.variable));
            }
            Expr::AtLabel { label, .. } => {
                let label = &model.labels[label.0 as usize];
                self.locations.extend(label.location.map(|location| (label.proctype, location)));
            }
            Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) | Expr::NonProgress | Expr::Last => {
                self.everything = true;
            }
            // Where a process can always move there is no timeout, neither before its step nor instead of
            // it. Only a claim is asked in every state.
            Expr::Timeout => self.everything |= by.role == Role::Never,
            Expr::Constant(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) => {}
            Expr::Run(_) | Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Pid => {}
            Expr::ProcessCount | Expr::OwnPriority => {}
        }
    }

    /// Whether somebody may look at a local variable.
    pub(crate) fn variable(&self, model: &Model, proctype: ProctypeId, variable: u32) -> bool {
        let name = &model.proctype(proctype).locals[variable as usize].name;
        self.variables.contains(&(proctype, variable)) || self.name(name)
    }

    /// Whether a formula has a name in it.
    pub(crate) fn name(&self, name: &str) -> bool {
        self.words.contains(name)
    }

    /// Whether somebody may see that a process is at a location.
    pub(crate) fn location(&self, model: &Model, proctype: ProctypeId, location: LocationId) -> bool {
        let it = model.proctype(proctype).location(location);
        self.everything
            || it.is_progress
            || it.is_accept
            || self.locations.contains(&(proctype, location))
            || it.labels.iter().any(|label| self.name(label))
    }
}

/// Calls `visit` for all expressions of a proctype and all within them.
fn expressions<'m>(proctype: &'m Proctype, visit: &mut dyn FnMut(&'m Expr)) {
    proctype.provided.iter().for_each(|condition| condition.visit(visit));
    proctype.exclusive.iter().for_each(|promise| promise.channel.visit(visit));
    for initial in &proctype.locals_init {
        if let Some((_, value)) = initial.value() {
            value.visit(visit);
        }
    }
    proctype.statements.iter().for_each(|statement| statement.action.visit(visit));
}
