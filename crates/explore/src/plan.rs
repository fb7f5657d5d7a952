//! What to do, with every default decided.

use std::time::Duration;

/// In which order states are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Depth-first: little memory besides the states, long counterexamples.
    DepthFirst,
    /// Breadth-first: shortest counterexamples.
    BreadthFirst,
}

/// A search that is fully decided.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The order.
    pub order: Order,
    /// Go on after an error.
    pub keep_going: bool,
    /// How many violations are kept with their trails when going on; all are counted.
    pub max_violations: usize,
    /// How many moves the trails that are kept have in all: beyond, violations are counted only.
    pub max_moves: usize,
    /// Steps beyond which the search does not follow.
    pub max_depth: Option<usize>,
    /// Bytes beyond which the search stops.
    pub max_memory: Option<usize>,
    /// Time after which the search stops.
    pub max_time: Option<Duration>,
    /// Report states in which processes wait for ever.
    pub end_states: bool,
    /// Report assertions that do not hold.
    pub assertions: bool,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            order: Order::BreadthFirst,
            keep_going: false,
            max_violations: 100,
            max_moves: 200_000,
            max_depth: None,
            max_memory: None,
            max_time: None,
            end_states: true,
            assertions: true,
        }
    }
}
