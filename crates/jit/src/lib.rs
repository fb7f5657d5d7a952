//! Native code for PROMELA models.
//!
//! The same steps as the reference interpreter takes, compiled by Cranelift while the search runs.
//! Code is made for a [shape](spinor_exec::Shape) once the search has met it often enough; until
//! then, and whenever something unusual comes up, a state is expanded by the interpreter. So
//! native code knows only what succeeds: a failed assertion, a fault of the model, or a construct
//! that is not worth compiling makes it give up, and the interpreter says what is the matter.

mod call;
mod code;
mod context;
mod engine;
mod generate;
pub mod twin;
mod workshop;

pub use engine::Native;
