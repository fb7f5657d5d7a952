//! Processes that search together, on one machine or on many.
//!
//! [`hosts`] connects them, each with each, and sees that they are of one kind; [`wire`] gives what a search sends to
//! timely dataflow, which brings it where it belongs and knows when a round is over.

mod hosts;
mod line;
mod wire;
mod words;

pub use hosts::{Hello, Neighbour, connect};
pub use wire::{Wire, join};
