//! Graphviz.

use super::{Names, PROMELA, marks};
use crate::automaton::Automaton;
use std::fmt::Write as _;

impl Automaton {
    /// The automaton for Graphviz. With acceptance of states those with all marks have two circles,
    /// otherwise the marks stand in braces on the edges.
    #[must_use]
    pub fn dot(&self, title: &str, name: Names<'_>) -> String {
        let mut out = String::from("digraph automaton {\n  rankdir=LR;\n");
        let _ = writeln!(out, "  label=\"{}\";\n  start [shape=point];\n  start -> {};", escape(title), self.initial);
        for (state, edges) in self.states.iter().enumerate() {
            let is_accepting = self.is_state_based() && !edges.is_empty() && edges[0].marks == self.all_marks();
            let shape = if is_accepting { "doublecircle" } else { "circle" };
            let _ = writeln!(out, "  {state} [shape={shape}];");
            for edge in edges {
                let mut label = PROMELA.label(&edge.label, name);
                if !self.is_state_based() && edge.marks != 0 {
                    let numbers: Vec<String> = marks(edge.marks).map(|mark| mark.to_string()).collect();
                    let _ = write!(label, " {{{}}}", numbers.join(","));
                }
                let _ = writeln!(out, "  {state} -> {} [label=\"{}\"];", edge.target, escape(&label));
            }
        }
        out.push_str("}\n");
        out
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}
