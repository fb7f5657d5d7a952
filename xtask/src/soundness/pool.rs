//! Systems that are hard on reductions, kept from earlier campaigns. An error that random systems show once in a
//! million shows in many of the mutants of these.

use super::graph::Graph;
use super::reduced::{Facts, Reduced, Watched};
use super::stutter;
use super::system::System;
use spinor_explore::Proviso;
use spinor_explore::reduce::{Method, Preserve, Tables};
use spinor_model::access::Object;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

/// The pool: a system in each line.
static POOL: &str = include_str!("../../../tests/pool/systems.jsonl");

/// All systems of the pool.
pub(crate) fn pool() -> &'static [System] {
    static SYSTEMS: OnceLock<Vec<System>> = OnceLock::new();
    SYSTEMS.get_or_init(|| {
        let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"));
        POOL.lines().map(parse).collect()
    })
}

/// What a system is hard on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hardness {
    /// A published algorithm loses something.
    Published,
    /// Without a proviso something is lost.
    Unproviso,
    /// With the weak proviso a run is lost, up to stuttering.
    Weak,
}

impl fmt::Display for Hardness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hardness::Published => "a published algorithm loses something",
            Hardness::Unproviso => "something is lost without a proviso",
            Hardness::Weak => "a run is lost with the weak proviso",
        })
    }
}

/// What a system is hard on, if it is.
pub(crate) fn hardness(
    graph: &Graph<'_>,
    (watched, objects): (&Watched, &BTreeSet<Object>),
    full: &Facts,
    lost: u64,
) -> Option<Hardness> {
    let search = |preserve: Preserve, proviso| {
        let tables = Tables::new(graph.shapes.clone(), preserve);
        Reduced::search(graph, &tables, &mut *Method::Stubborn.selector(), proviso)
    };
    if lost > 0 {
        return Some(Hardness::Published);
    }
    let runs = |reduced: &Reduced| stutter::Runs::new(graph, reduced, watched);
    let weak = search(Preserve::Ltl(objects.clone()), Proviso::Weak);
    if stutter::compare(&[runs(&Reduced::full(graph)), runs(&weak)]).is_err() {
        return Some(Hardness::Weak);
    }
    let found = search(Preserve::Statements, Proviso::None).facts(graph, watched);
    (found.statements != full.statements || found.locals != full.locals).then_some(Hardness::Unproviso)
}
