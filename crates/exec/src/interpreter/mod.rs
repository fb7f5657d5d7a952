//! The reference interpreter: exactly SPIN's steps and states.

mod create;
mod eval;
mod expand;
mod step;
mod trace;

use crate::fault::Fault;
use crate::layout::Layout;
use crate::semantics::{Cut, Expansion};
use crate::state::State;
use spinor_model::model::{Location, Model};
use spinor_model::{Expr, Merge, ProctypeId, Scalar};
use std::sync::Arc;
use std::time::Instant;
pub(crate) use step::Handshake;

/// The pid of who is no process.
const NOBODY: usize = usize::MAX;

/// Executes a model.
#[derive(Debug)]
pub struct Interpreter<'m> {
    pub(crate) model: &'m Model,
    pub(crate) layout: Layout,
    /// Where `_last` is in the vector.
    last_offset: Option<usize>,
    /// Where it is kept that a step has passed `accept` labels.
    passed_offset: Option<usize>,
    scratch: expand::Scratch,
    /// The next character of `STDIN`; searches have none.
    input: Option<i32>,
    /// The locations that whole steps pass.
    merge: Option<Arc<Merge>>,
}

/// In whose name an expression is evaluated, and what holds at the moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'h> {
    pub(crate) pid: usize,
    /// An earlier statement of the process was executable in this state.
    pub(crate) moved: bool,
    /// Nothing in the system can move.
    pub(crate) timeout: bool,
    /// A message waits to be taken.
    pub(crate) handshake: Option<&'h Handshake>,
    /// How many processes ask whether the next can move, this one being the last.
    pub(crate) asking: usize,
    /// When a `d_step` is given up, by time and by its steps.
    pub(crate) until: Option<Instant>,
    pub(crate) patience: Option<u64>,
}

impl<'h> Context<'h> {
    pub(crate) fn of(pid: usize) -> Context<'h> {
        Context { pid, moved: false, timeout: false, handshake: None, asking: 0, until: None, patience: None }
    }

    /// Whether a `d_step` of so many steps is to be given up.
    fn is_over(self, steps: u64) -> Option<Cut> {
        if self.patience.is_some_and(|patience| steps > patience) {
            return Some(Cut::Steps);
        }
        self.until.filter(|&until| Instant::now() >= until).map(|_| Cut::Time)
    }

    /// The same moment, in nobody's name.
    pub(crate) fn phase(self) -> Context<'h> {
        Context { moved: false, ..self }
    }
}

impl<'m> Interpreter<'m> {
    /// An interpreter for a model without errors.
    #[must_use]
    pub fn new(model: &'m Model) -> Interpreter<'m> {
        let layout = Layout::new(model);
        let last_offset = model.last_offset.map(|offset| layout.hidden + offset as usize);
        let passed_offset = model.passed_offset.map(|offset| layout.hidden + offset as usize);
        let scratch = expand::Scratch::default();
        Interpreter { model, layout, last_offset, passed_offset, scratch, input: None, merge: None }
    }

    /// The same, whose whole steps go on through locations that may be passed. Single steps do not.
    #[must_use]
    pub fn merging(model: &'m Model, merge: Option<Arc<Merge>>) -> Interpreter<'m> {
        Interpreter { merge, ..Interpreter::new(model) }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Gives the next character of `STDIN`, -1 being its end.
    pub fn set_input(&mut self, character: i32) {
        self.input = Some(character);
    }

    /// How states lie in vectors.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// A vector as a state.
    #[must_use]
    pub fn state(&self, vector: &[u8]) -> State {
        let mut state = State::default();
        state.load(&self.layout, vector);
        state
    }

    /// All single steps that can follow, for simulation and replay. `holder` is the process that is
    /// inside an atomic sequence.
    pub fn steps(&mut self, vector: &[u8], holder: Option<u8>, out: &mut Expansion) {
        expand::single_steps(self, vector, holder, out);
    }

    /// Where a process stands.
    #[must_use]
    pub fn location(&self, state: &State, pid: usize) -> &'m Location {
        let proctype = state.proctype(&self.layout, pid);
        self.model.proctype(proctype).location(state.location(&self.layout, pid))
    }

    /// What a process is an instance of.
    #[must_use]
    pub fn proctype(&self, state: &State, pid: usize) -> ProctypeId {
        state.proctype(&self.layout, pid)
    }

    fn set_last(&self, state: &mut State, pid: usize) {
        if let Some(at) = self.last_offset {
            state.set(at, &Scalar::Byte, pid as i32);
        }
    }

    /// A step begins: it has passed no label.
    fn forget_passed(&self, state: &mut State) {
        if let Some(at) = self.passed_offset {
            state.set(at, &Scalar::Byte, 0);
        }
    }

    /// A step comes to a state inside of it: the `accept` labels there are passed.
    fn note_passed(&self, state: &mut State) {
        if let Some(at) = self.passed_offset
            && self.stands_at_accept(state)
        {
            state.set(at, &Scalar::Byte, 1);
        }
    }

    /// Whether some process, or the trace, is at an `accept` label, or passed one inside of the step to the state.
    pub(crate) fn accepts(&self, state: &State) -> bool {
        let has_passed = self.passed_offset.is_some_and(|at| state.get(at, &Scalar::Byte) != 0);
        has_passed || self.stands_at_accept(state)
    }

    /// Whether some process, or the trace, is at an `accept` label.
    pub(crate) fn stands_at_accept(&self, state: &State) -> bool {
        self.locations(state).any(|location| location.is_accept)
    }
}

impl Interpreter<'_> {
    /// What makes a vector a state: neither hidden variables, nor what the step to it has passed.
    #[must_use]
    pub fn essence(&self, vector: &[u8]) -> Vec<u8> {
        let mut state = vector[self.layout.hidden..].to_vec();
        if let Some(at) = self.passed_offset {
            state[at - self.layout.hidden] = 0;
        }
        state
    }

    /// The first state.
    ///
    /// # Errors
    /// If an initial value is at fault.
    pub fn initial(&mut self) -> Result<Vec<u8>, Fault> {
        let mut state = State::empty(&self.layout);
        self.initialise(&self.model.globals_init, &mut state, Context::of(0))?;
        for active in &self.model.active {
            // Parameters of an active proctype are 0.
            self.create(active.proctype, active.priority, &[], &mut state)?;
        }
        self.start_trace(&mut state);
        Ok(state.bytes().to_vec())
    }

    /// All that can follow a state.
    pub fn expand(&mut self, vector: &[u8], out: &mut Expansion) {
        expand::expand(self, vector, out);
    }

    /// What one process can do in a state while `timeout` is false.
    pub fn expand_process(&mut self, vector: &[u8], pid: usize, out: &mut Expansion) {
        expand::expand_process(self, vector, pid, out);
    }

    /// The value of an expression that belongs to nobody, as those of claims and formulas.
    ///
    /// # Errors
    /// If it is at fault.
    pub fn value(&self, expr: &Expr, state: &State) -> Result<i32, Fault> {
        self.eval(expr, state, Context::of(NOBODY))
    }

    /// Whether a process may not move because what it is provided with does not hold.
    #[must_use]
    pub fn is_held_back(&self, state: &State, pid: usize) -> bool {
        self.is_provided(state, Context::of(pid)) == Ok(false)
    }

    /// Whether a state without successors is one the model may end in.
    #[must_use]
    pub fn is_valid_end(&self, vector: &[u8]) -> bool {
        let state = self.state(vector);
        (0..state.process_count()).all(|pid| self.location(&state, pid).is_end) && self.may_stop(&state)
    }
}
