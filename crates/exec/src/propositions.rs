//! What claims and formulas ask of a state.

use crate::fault::Fault;
use crate::interpreter::Interpreter;
use crate::packed::{Bits, Place, Shape, Shapes};
use crate::state::State;
use spinor_model::ProctypeId;
use spinor_model::expr::{Access, Base, Expr};
use spinor_model::ranges::Ranges;
use std::sync::Arc;

/// How many propositions there can be: their truth is one word.
pub const MAX_PROPOSITIONS: usize = 64;

/// What is true in a state, a bit for each proposition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Letter {
    /// Those that hold.
    pub truth: u64,
    /// Those that are at fault.
    pub faulty: u64,
}

/// Expressions that are evaluated together in packed states.
#[derive(Debug)]
pub struct Propositions<'m> {
    shapes: Arc<Shapes<'m>>,
    interpreter: Interpreter<'m>,
    expressions: Vec<Expr>,
    reference: Vec<u8>,
    state: State,
}

impl<'m> Propositions<'m> {
    /// Expressions that are [observable](is_observable).
    ///
    /// # Panics
    /// If there are more than [`MAX_PROPOSITIONS`].
    #[must_use]
    pub fn new(shapes: Arc<Shapes<'m>>, expressions: Vec<Expr>) -> Propositions<'m> {
        assert!(expressions.len() <= MAX_PROPOSITIONS, "their truth is one word");
        let interpreter = Interpreter::new(shapes.model());
        Propositions { shapes, interpreter, expressions, reference: Vec::new(), state: State::default() }
    }

    /// The propositions that hold in a packed state.
    pub fn letter(&mut self, packed: &[u64]) -> Letter {
        self.shapes.unpack(packed, &mut self.reference);
        self.state.load(self.interpreter.layout(), &self.reference);
        self.present()
    }

    /// The bits of packed states of a shape that the propositions depend on, and with `labels`
    /// [`Self::is_at_accept`]: words with masks. States that agree there have the same letter.
    #[must_use]
    pub fn observed(&self, shape: &Shape, labels: bool) -> Vec<(usize, u64)> {
        let mut masks = vec![0; shape.words()];
        let mut add = |bits: Bits| masks[bits.word as usize] |= bits.mask();
        if labels {
            locations(shape).chain(shape.passed).for_each(&mut add);
        }
        let ranges = self.shapes.ranges();
        for expression in &self.expressions {
            expression.visit(&mut |expr| observe(ranges, shape, expr, &mut add));
        }
        masks.into_iter().enumerate().filter(|(_, mask)| *mask != 0).collect()
    }

    /// The shapes of the states.
    #[must_use]
    pub fn shapes(&self) -> &Arc<Shapes<'m>> {
        &self.shapes
    }

    /// The same for a reference vector.
    pub fn letter_of(&mut self, reference: &[u8]) -> Letter {
        self.state.load(self.interpreter.layout(), reference);
        self.present()
    }

    fn present(&self) -> Letter {
        let mut letter = Letter::default();
        for (index, expression) in self.expressions.iter().enumerate() {
            match self.interpreter.value(expression, &self.state) {
                Ok(value) => letter.truth |= u64::from(value != 0) << index,
                Err(_) => letter.faulty |= 1 << index,
            }
        }
        letter
    }

    /// What is wrong with the first of some propositions in the state that was asked for last.
    #[must_use]
    pub fn fault(&self, propositions: u64) -> Option<Fault> {
        let asked = self.expressions.iter().enumerate().filter(|(index, _)| propositions >> index & 1 == 1);
        asked.map(|(_, expression)| self.interpreter.value(expression, &self.state)).find_map(Result::err)
    }

    /// Whether some process, or the trace, was at an `accept` label in the state that was asked for last, or passed
    /// one inside of the step that led to it.
    #[must_use]
    pub fn is_at_accept(&self) -> bool {
        self.interpreter.accepts(&self.state)
    }

    /// The same, but no step led to it: the state was repeated.
    #[must_use]
    pub fn rests_at_accept(&self) -> bool {
        self.interpreter.stands_at_accept(&self.state)
    }
}

/// Where it is kept who stands where.
fn locations(shape: &Shape) -> impl Iterator<Item = Bits> {
    shape.processes.iter().map(|process| process.location).chain(shape.trace)
}

/// Adds the bits that an expression looks at, those of its parts aside.
fn observe(ranges: &Ranges, shape: &Shape, expression: &Expr, add: &mut impl FnMut(Bits)) {
    let global = |access: &Access| &shape.globals[ranges.element(Base::Global, ProctypeId(0), access.offset).0];
    let bits = |place: &Place| match place {
        Place::Known(_) => Vec::new(),
        Place::Stored { series, .. } => series.parts.clone(),
    };
    match expression {
        Expr::Constant(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) | Expr::ProcessCount => {}
        Expr::Load(access) if access.base == Base::Global => bits(global(access)).into_iter().for_each(add),
        Expr::Len(access) | Expr::ChannelTest(_, access) if access.base == Base::Global => {
            bits(global(access)).into_iter().for_each(&mut *add);
            shape.channels.iter().for_each(|channel| add(channel.length));
        }
        Expr::AtLabel { .. } | Expr::PcValue(_) | Expr::NonProgress => {
            locations(shape).for_each(add);
        }
        Expr::Remote { proctype, access, .. } => {
            let leaf = ranges.element(Base::Local, *proctype, access.offset).0;
            let processes = shape.processes.iter().filter(|process| process.proctype == *proctype);
            processes.flat_map(|process| bits(&process.leaves[leaf])).for_each(add);
        }
        // Anything: messages, what others could do, priorities, what is hidden.
        Expr::Load(_) | Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Run(_) | Expr::Enabled(_) => {
            everything(shape).for_each(add);
        }
        Expr::GetPriority(_) | Expr::Timeout | Expr::Pid | Expr::Last | Expr::OwnPriority => {
            everything(shape).for_each(add);
        }
    }
}

/// All that a vector holds.
fn everything(shape: &Shape) -> impl Iterator<Item = Bits> {
    (0..shape.words()).map(|word| Bits { word: word as u32, shift: 0, width: 64 })
}

/// Whether a state alone tells the value of an expression, to somebody who is no process; if not, why.
///
/// # Errors
/// What it asks for that nobody but a process, or no state, can tell.
pub fn is_observable(expression: &Expr) -> Result<(), &'static str> {
    let mut found = Ok(());
    let mut note = |reason| found = found.and(Err(reason));
    let mut local = false;
    expression.visit(&mut |expr| match expr {
        Expr::Timeout => note("timeout"),
        Expr::Pid => note("_pid"),
        Expr::OwnPriority => note("_priority"),
        Expr::Run(_) => note("run"),
        Expr::Load(access) | Expr::Len(access) | Expr::ChannelTest(_, access) => local |= access.base == Base::Local,
        Expr::Poll(receive) => local |= receive.channel.base == Base::Local,
        Expr::Constant(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) | Expr::Enabled(_) => {}
        Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } => {}
        Expr::NonProgress | Expr::ProcessCount | Expr::Last => {}
    });
    if local { found.and(Err("a local variable")) } else { found }
}
