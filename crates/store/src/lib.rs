//! Where states live. A state is a string of bytes; nothing here knows of PROMELA.

mod arena;
mod exact;
mod hash;

pub use exact::{Exact, Inserted, StateId};
