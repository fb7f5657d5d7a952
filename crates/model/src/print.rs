//! Automata as text and as DOT.

use crate::access::Object;
use crate::model::{Edge, Location, LocationId, Model, Proctype};
use std::fmt::Write as _;

/// All automata as text, one line per edge.
#[must_use]
pub fn text(model: &Model) -> String {
    let mut out = String::new();
    for proctype in &model.proctypes {
        let _ = writeln!(out, "proctype {}", proctype.name);
        for (index, location) in proctype.locations.iter().enumerate() {
            let _ = writeln!(out, "  location {}{}", location.number, marks(proctype, index, location));
            for edge in &location.edges {
                let _ = writeln!(out, "    {}", edge_text(model, proctype, edge));
            }
        }
        out.push('\n');
    }
    out
}

fn marks(proctype: &Proctype, index: usize, location: &Location) -> String {
    let mut marks = String::new();
    if usize::from(proctype.start.0) == index {
        marks.push_str(" start");
    }
    for label in &location.labels {
        let _ = write!(marks, " {label}:");
    }
    for (mark, name) in [(location.is_end, "end"), (location.is_progress, "progress"), (location.is_accept, "accept")] {
        if mark {
            let _ = write!(marks, " [{name}]");
        }
    }
    marks
}

fn edge_text(model: &Model, proctype: &Proctype, edge: &Edge) -> String {
    let statement = proctype.statement(edge.statement);
    let target = number(proctype, edge.target);
    let line = model.sources.line(statement.place.at);
    let mut text = format!("-> {target:<4} {}", statement.text);
    if edge.atomic {
        text.push_str("  atomic");
    }
    if let Some(escape) = edge.escape {
        let _ = write!(text, "  escape({escape})");
    }
    let names = |objects: &std::collections::BTreeSet<Object>| {
        objects.iter().map(|object| object.name(model, proctype)).collect::<Vec<_>>().join(" ")
    };
    let (reads, writes) = (names(&statement.accesses.reads), names(&statement.accesses.writes));
    let _ = write!(text, "  reads {{{reads}}} writes {{{writes}}}  line {line} id {}", statement.number);
    text
}

fn number(proctype: &Proctype, target: Option<LocationId>) -> String {
    target.map_or_else(|| "-".to_string(), |target| proctype.location(target).number.to_string())
}

/// All automata as one DOT graph.
#[must_use]
pub fn dot(model: &Model) -> String {
    let mut out = String::from("digraph model {\n  node [shape=circle fontsize=10];\n  edge [fontsize=9];\n");
    for (index, proctype) in model.proctypes.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{index} {{\n    label={:?};", &*proctype.name);
        for (place, location) in proctype.locations.iter().enumerate() {
            let shape = if location.is_end { " shape=doublecircle" } else { "" };
            let bold = if usize::from(proctype.start.0) == place { " style=bold" } else { "" };
            let _ = writeln!(out, "    p{index}_{place} [label=\"{}\"{shape}{bold}];", location.number);
            for edge in &location.edges {
                let Some(target) = edge.target else { continue };
                let label = &*proctype.statement(edge.statement).text;
                let style = if edge.atomic { " penwidth=2" } else { "" };
                let _ = writeln!(out, "    p{index}_{place} -> p{index}_{} [label={label:?}{style}];", target.0);
            }
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}
