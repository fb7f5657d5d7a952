//! What a step is: states, moves, and the interpreter that is the reference for every other engine.

mod fault;
mod interpreter;
mod layout;
mod render;
mod replay;
mod semantics;
mod state;

pub use fault::Fault;
pub use interpreter::{ATOMIC_LIMIT, Interpreter};
pub use layout::Layout;
pub use render::{Rendered, locals, message_text, printed, process_line, scalar_text, variables};
pub use replay::{Replay, ReplayError, ReplayStep};
pub use semantics::{Cut, Expansion, Finding, FindingKind, Limit, Move, Semantics, Successor};
pub use state::State;
