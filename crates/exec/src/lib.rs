//! What a step is: states, moves, and the interpreter that is the reference for every other engine.

mod fault;
mod interpreter;
mod layout;
mod packed;
mod propositions;
mod render;
mod replay;
mod semantics;
mod state;

pub use fault::Fault;
pub use interpreter::Interpreter;
pub use layout::Layout;
pub use packed::{
    Bits, Cells, ChannelPlace, Coding, Lane, LaneField, Packed, Packing, Place, ProcessPlace, Series, Shape, Shapes,
    Simplify,
};
pub use propositions::{Letter, MAX_PROPOSITIONS, Propositions, is_observable};
pub use render::{Rendered, locals, message_text, printed, process_line, scalar_text, variables};
pub use replay::{Replay, ReplayError, ReplayStep};
pub use semantics::{
    Atlas, Cut, Ended, Expanded, Expansion, Finding, FindingKind, Limit, Move, Next, PackedFinding, Semantics,
    Successor, Successors, expand_each,
};
pub use state::State;
