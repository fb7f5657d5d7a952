//! Who moves in a step: the process that begins it, and each that goes on within it, because it takes a message that is
//! handed over, or atomicity with it.

use spinor_exec::{Expansion, Interpreter, Move, Shapes, Successors};
use spinor_model::Model;
use std::sync::Arc;

/// The processes of some moves, as bits.
pub(super) fn movers(moves: &[Move]) -> u64 {
    moves.iter().fold(0, |all, step| all | bit(step.pid))
}

/// A process as a bit; none for those beyond the number that fairness can watch.
pub(super) fn bit(pid: u8) -> u64 {
    1_u64.checked_shl(pid.into()).unwrap_or(0)
}

/// Tells the moves inside of steps, which engines do not: by the reference interpreter.
pub(super) struct Movers<'m> {
    shapes: Arc<Shapes<'m>>,
    interpreter: Interpreter<'m>,
    reference: Vec<u8>,
    expansion: Expansion,
}

impl<'m> Movers<'m> {
    /// Nothing if no step is made by more than one process.
    pub(super) fn new(shapes: Arc<Shapes<'m>>) -> Option<Movers<'m>> {
        let interpreter = Interpreter::new(shapes.model());
        let (reference, expansion) = (Vec::new(), Expansion::default());
        hands_over(shapes.model()).then_some(Movers { shapes, interpreter, reference, expansion })
    }

    /// The processes that move in each of the steps of a state, those of all processes or those at a timeout. Engines
    /// and the interpreter list them in the same order.
    pub(super) fn of(&mut self, words: &[u64], steps: &Successors, out: &mut [u64]) {
        if steps.list.iter().all(|next| next.distance <= 1) {
            return;
        }
        let Movers { shapes, interpreter, reference, expansion } = self;
        shapes.unpack(words, reference);
        interpreter.expand(reference, expansion);
        assert_eq!(expansion.successors.len(), steps.list.len(), "the interpreter knows the same steps");
        let inside = expansion.successors.iter().map(|it| movers(expansion.path(&it.moves)));
        out.iter_mut().zip(inside).for_each(|(own, all)| *own |= all);
    }
}

/// Whether a process may move in a step that another begins: only over a channel that keeps no message.
fn hands_over(model: &Model) -> bool {
    model.channel_types.iter().any(|it| it.capacity == 0)
}
