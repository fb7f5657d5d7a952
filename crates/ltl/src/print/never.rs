//! SPIN's never claims, with labels as `spin -f` writes them.

use super::{Names, PROMELA};
use crate::automaton::{Automaton, Edge, StateId};
use crate::degeneralise::Acceptance;
use crate::formula::Atom;
use crate::limits::TooLarge;
use std::fmt::Write as _;

impl Automaton {
    /// The automaton as a never claim. States accept there: an automaton in which edges do is brought
    /// into this form first.
    ///
    /// # Errors
    /// When its labels become too large for that.
    pub fn never_claim(&self, title: &str, name: Names<'_>) -> Result<String, TooLarge> {
        if self.marks != 1 || !self.is_state_based() {
            return self.to_buchi(Acceptance::State)?.never_claim(title, name);
        }
        // A comment ends where the title says so, if nobody takes care.
        let title = title.replace("*/", "* /").replace('\n', " ");
        let mut out = format!("never {{    /* {title} */\n");
        let rest = (0..self.states.len() as StateId).filter(|&state| state != self.initial && !self.is_sink(state));
        for state in std::iter::once(self.initial).chain(rest) {
            self.write_state(state, name, &mut out);
        }
        // A claim that ends is matched, whatever follows.
        if (0..self.states.len() as StateId).any(|state| self.is_sink(state)) {
            out.push_str("accept_all:\n\tskip\n");
        }
        out.push_str("}\n");
        Ok(out)
    }

    /// Whether each run from here accepts, because it stays here.
    fn is_sink(&self, state: StateId) -> bool {
        let loops = |edge: &Edge| edge.target == state && edge.marks == 1 && edge.label.is_true();
        state != self.initial && matches!(self.states[state as usize].as_slice(), [edge] if loops(edge))
    }

    fn label_of(&self, state: StateId) -> String {
        if self.is_sink(state) {
            return "accept_all".to_string();
        }
        let start = if self.state_marks(state) == 1 { "accept" } else { "T0" };
        if state == self.initial { format!("{start}_init") } else { format!("{start}_S{state}") }
    }

    fn write_state(&self, state: StateId, name: Names<'_>, out: &mut String) {
        let own = self.label_of(state);
        let _ = writeln!(out, "{own}:\n\tdo");
        let in_parentheses = |atom: Atom| format!("({})", name(atom));
        for edge in &self.states[state as usize] {
            let label = PROMELA.label(&edge.label, &in_parentheses);
            let _ = writeln!(out, "\t:: ({label}) -> goto {}", self.label_of(edge.target));
        }
        if self.states[state as usize].is_empty() {
            let _ = writeln!(out, "\t:: (false) -> goto {own}");
        }
        out.push_str("\tod;\n");
    }
}
