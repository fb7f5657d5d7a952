//! The Hanoi Omega-Automata format, version 1 (Babiak et al., CAV 2015).

use super::{Names, Notation, marks};
use crate::automaton::Automaton;
use crate::formula::Atom;
use std::fmt::Write as _;

const HOA: Notation = Notation { and: "&", or: " | ", not: "!", always: "t", never: "f", parentheses: false };

impl Automaton {
    /// The automaton in the Hanoi Omega-Automata format.
    #[must_use]
    pub fn hoa(&self, title: &str, name: Names<'_>) -> String {
        let mut out = String::from("HOA: v1\n");
        let _ = writeln!(out, "name: {}", quoted(title));
        let _ =
            writeln!(out, "States: {}\nStart: {}\nAP: {}", self.states.len(), self.initial, self.propositions(name));
        let _ = writeln!(out, "{}", self.acceptance());
        let _ = writeln!(out, "properties: {}", self.properties());
        out.push_str("--BODY--\n");
        for (state, edges) in self.states.iter().enumerate() {
            let of_state = if self.is_state_based() { self.state_marks(state as u32) } else { 0 };
            let _ = writeln!(out, "State: {state}{}", braces(of_state));
            for edge in edges {
                let label = HOA.label(&edge.label, &|atom| atom.0.to_string());
                let _ = writeln!(out, "[{label}] {}{}", edge.target, braces(edge.marks & !of_state));
            }
        }
        out.push_str("--END--\n");
        out
    }

    fn propositions(&self, name: Names<'_>) -> String {
        let names: Vec<String> = (0..self.atoms).map(|atom| quoted(&name(Atom(atom as u8)))).collect();
        std::iter::once(self.atoms.to_string()).chain(names).collect::<Vec<_>>().join(" ")
    }

    fn acceptance(&self) -> String {
        let sets: Vec<String> = (0..self.marks).map(|mark| format!("Inf({mark})")).collect();
        match self.marks {
            0 => "acc-name: all\nAcceptance: 0 t".to_string(),
            1 => "acc-name: Buchi\nAcceptance: 1 Inf(0)".to_string(),
            count => format!("acc-name: generalized-Buchi {count}\nAcceptance: {count} {}", sets.join("&")),
        }
    }

    fn properties(&self) -> String {
        let acceptance = if self.is_state_based() { "state-acc" } else { "trans-acc" };
        let deterministic = if self.is_deterministic() { " deterministic" } else { "" };
        format!("trans-labels explicit-labels {acceptance}{deterministic}")
    }
}

fn braces(set: u64) -> String {
    if set == 0 {
        return String::new();
    }
    format!(" {{{}}}", marks(set).map(|mark| mark.to_string()).collect::<Vec<_>>().join(" "))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
