//! Reports and trails, one file for each format. Nothing here reads or writes files.

pub mod compare;
pub mod diagnostics;
pub mod explain;
pub mod json;
pub mod outcome;
pub mod properties;
mod shell;
pub mod spin_trail;
pub mod steps;
pub mod symmetry;
pub mod text;
pub mod trail;

pub use outcome::{Outcome, Property, Reduction};
pub use properties::{Checked, ClaimReduced};
