//! All successors of a state, in SPIN's order, through atomic sequences and rendezvous.
//!
//! Inside an atomic sequence nothing is remembered: each path to its end is a successor of its
//! own. The paths are walked with a stack of frames, one for each step inside.

use super::step::{Handshake, Outcome, name_assertions};
use super::{Context, Interpreter};
use crate::fault::Fault;
use crate::semantics::{Cut, Expansion, Finding, FindingKind, Move, Successor};
use crate::state::State;
use spinor_model::ProctypeId;
use spinor_model::model::{Action, Edge, Proctype};

/// Steps of an atomic sequence after which it is watched for running in circles.
const ATOMIC_PATIENCE: usize = 1_000;

/// Steps of an expansion between two looks at its limits.
const LIMIT_CHECK: u64 = 1 << 12;

/// Memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    base: State,
    frames: Vec<Frame>,
    /// States of the path that is walked, each twice as deep as the one before.
    anchors: Vec<Anchor>,
    pending: Vec<Pending>,
    free: Vec<State>,
    path: Vec<Move>,
    found: Vec<FindingKind>,
}

/// A state inside of a step, at which one process is being tried.
#[derive(Debug)]
struct Frame {
    state: State,
    pid: usize,
    /// Why the process goes on here.
    control: Control,
    /// The edges that were tried.
    tried: usize,
    /// One of them was executed, or was at fault.
    moved: bool,
    /// One of them was executed.
    went_on: bool,
    /// The escape that the last executed edge belongs to.
    escape: Option<u32>,
    /// How many moves lead here.
    depth: usize,
}

/// A state inside of an atomic sequence that may come back.
#[derive(Debug)]
struct Anchor {
    depth: usize,
    pid: usize,
    bytes: Vec<u8>,
}

/// Why a process goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    /// Others must wait: it is inside an atomic sequence.
    Held,
    /// Others need no state here.
    Passing,
}

/// A rendezvous that was taken and still is to be followed, once those in front of it are done.
#[derive(Debug)]
struct Pending {
    state: State,
    moves: [Move; 2],
    receiver: usize,
    /// Whether the receiver goes on.
    goes_on: Option<Control>,
    depth: usize,
    /// The number of frames when it was made.
    level: usize,
    found: Vec<FindingKind>,
}

pub(super) fn expand(interpreter: &mut Interpreter<'_>, vector: &[u8], out: &mut Expansion) {
    out.clear();
    let mut scratch = std::mem::take(&mut interpreter.scratch);
    scratch.base.load(&interpreter.layout, vector);
    let mut expander =
        Expander { interpreter, scratch, out, timeout: false, single: false, goes_on: false, kept: false, steps: 0 };
    expander.all_processes();
    interpreter.scratch = expander.scratch;
}

/// What one process can do while `timeout` is false.
pub(super) fn expand_process(interpreter: &mut Interpreter<'_>, vector: &[u8], pid: usize, out: &mut Expansion) {
    out.clear();
    let mut scratch = std::mem::take(&mut interpreter.scratch);
    scratch.base.load(&interpreter.layout, vector);
    let mut expander =
        Expander { interpreter, scratch, out, timeout: false, single: false, goes_on: false, kept: false, steps: 0 };
    expander.process(pid);
    interpreter.scratch = expander.scratch;
}

/// Single steps instead of whole ones. `holder` is the process that is inside an atomic sequence;
/// if it cannot go on, it loses that right.
pub(super) fn single_steps(interpreter: &mut Interpreter<'_>, vector: &[u8], holder: Option<u8>, out: &mut Expansion) {
    out.clear();
    let mut scratch = std::mem::take(&mut interpreter.scratch);
    scratch.base.load(&interpreter.layout, vector);
    let mut expander =
        Expander { interpreter, scratch, out, timeout: false, single: true, goes_on: false, kept: false, steps: 0 };
    if let Some(pid) = holder {
        expander.goes_on = true;
        expander.process(usize::from(pid));
        expander.goes_on = false;
    }
    if expander.kept {
        expander.out.held = true;
    } else {
        // What was found of the holder is found again.
        expander.out.clear();
        expander.all_processes();
    }
    interpreter.scratch = expander.scratch;
}

struct Expander<'a, 'm> {
    interpreter: &'a Interpreter<'m>,
    scratch: Scratch,
    out: &'a mut Expansion,
    timeout: bool,
    /// Every step is a successor, also inside of atomic sequences.
    single: bool,
    /// The step was begun before.
    goes_on: bool,
    /// The process that was tried last goes on, or is at fault itself. One whose offer only made
    /// others be at fault does neither.
    kept: bool,
    /// Edges tried and rendezvous followed.
    steps: u64,
}

impl Expander<'_, '_> {
    /// All processes, and once more with `timeout` if none can move.
    fn all_processes(&mut self) {
        self.processes();
        if !self.out.moved && self.out.cut.is_none() && self.interpreter.model.uses.timeout {
            self.timeout = true;
            self.processes();
        }
    }

    fn processes(&mut self) {
        for pid in (0..self.scratch.base.process_count()).rev() {
            if self.out.cut.is_none() {
                self.process(pid);
            }
        }
    }

    fn process(&mut self, pid: usize) {
        let mut state = self.new_state();
        state.copy_from(&self.scratch.base);
        if !self.goes_on {
            self.interpreter.forget_passed(&mut state);
        }
        self.scratch.anchors.clear();
        self.push(state, pid, Control::Held, 0);
        self.walk();
    }

    fn new_state(&mut self) -> State {
        self.scratch.free.pop().unwrap_or_default()
    }

    fn push(&mut self, state: State, pid: usize, control: Control, depth: usize) {
        let frame = Frame { state, pid, control, tried: 0, moved: false, went_on: false, escape: None, depth };
        self.scratch.frames.push(frame);
    }

    /// Follows all paths from the frame on top until none is left.
    fn walk(&mut self) {
        if !self.may_run() {
            return self.pop_blocked();
        }
        while !self.scratch.frames.is_empty() {
            self.steps += 1;
            if self.steps.is_multiple_of(LIMIT_CHECK) {
                self.check_limit();
            }
            if self.follow_pending() {
                continue;
            }
            if !self.try_next_edge() {
                self.pop_blocked();
            }
        }
    }

    /// Gives up if a limit is reached.
    fn check_limit(&mut self) {
        let Scratch { base, frames, path, .. } = &self.scratch;
        let frame = size_of::<Frame>() + frames.last().map_or(base, |frame| &frame.state).bytes().len();
        let bytes = frames.len() * frame + path.len() * size_of::<Move>();
        if let Some(cut) = self.out.over_limit(self.steps, bytes) {
            self.give_up(cut);
        }
    }

    /// What is left is not followed. Something can be done in the state, but not all of it is known.
    fn give_up(&mut self, cut: Cut) {
        (self.out.cut, self.out.moved) = (Some(cut), true);
        self.scratch.pending.clear();
        self.scratch.frames.truncate(1);
        if let Some(last) = self.scratch.frames.last_mut() {
            (last.tried, last.moved) = (usize::MAX, true);
        }
    }

    /// Whether priorities and `provided` let the process on top move.
    fn may_run(&mut self) -> bool {
        let frame = self.scratch.frames.last().expect("a frame");
        let cx = Context { timeout: self.timeout && frame.depth == 0, ..Context::of(frame.pid) };
        match self.interpreter.may_run(&frame.state, cx) {
            Ok(may) => may,
            Err(fault) => {
                let depth = frame.depth;
                self.scratch.path.truncate(depth);
                self.report(FindingKind::Fault(fault));
                self.out.moved = true;
                false
            }
        }
    }

    /// Leaves the frame on top. If an atomic sequence cannot go on there, the state is a successor.
    ///
    /// So is one that was to be passed and where all that can be done is at fault: a fault ends its
    /// path, and others must still have their turn.
    fn pop_blocked(&mut self) {
        let frame = self.scratch.frames.pop().expect("a frame");
        let moved = if frame.control == Control::Held { frame.moved } else { frame.went_on };
        if frame.depth == 0 {
            self.kept = moved;
        } else if !moved {
            self.scratch.path.truncate(frame.depth);
            self.emit(&frame.state, None);
        }
        self.scratch.free.push(frame.state);
    }

    /// Goes on with a rendezvous that was taken at this level.
    fn follow_pending(&mut self) -> bool {
        let level = self.scratch.frames.len();
        if self.scratch.pending.last().is_none_or(|pending| pending.level != level) {
            return false;
        }
        let pending = self.scratch.pending.pop().expect("seen above");
        self.scratch.path.truncate(pending.depth);
        self.scratch.path.extend(pending.moves);
        pending.found.into_iter().for_each(|kind| self.report(kind));
        match pending.goes_on {
            Some(control) => self.enter(pending.state, pending.receiver, control),
            None => {
                self.emit(&pending.state, None);
                self.scratch.free.push(pending.state);
            }
        }
        true
    }

    /// Tries the next edge of the frame on top; `false` if there is none.
    fn try_next_edge(&mut self) -> bool {
        let frame = self.scratch.frames.last_mut().expect("a frame");
        let location = self.interpreter.location(&frame.state, frame.pid);
        let Some(edge) = location.edges.get(frame.tried) else { return false };
        if frame.escape.is_some() && frame.escape != edge.escape {
            return false;
        }
        frame.tried += 1;
        let (pid, depth, moved) = (frame.pid, frame.depth, frame.moved);
        self.scratch.path.truncate(depth);
        let proctype = self.interpreter.model.proctype(self.interpreter.proctype(&frame.state, pid));
        let timeout = self.timeout && depth == 0;
        let (until, patience) = (self.out.limit.until, self.out.patience);
        let cx = Context { moved, timeout, until, patience, ..Context::of(pid) };
        let mut next = self.new_state();
        let mut found = std::mem::take(&mut self.scratch.found);
        let statement = proctype.statement(edge.statement);
        let frame = self.scratch.frames.last().expect("a frame");
        let outcome = self.interpreter.attempt(proctype, statement, &frame.state, &mut next, cx, &mut found);
        name_assertions(&mut found, statement);
        match outcome {
            Ok(Outcome::Blocked) => self.scratch.free.push(next),
            Ok(Outcome::Done) => self.done(proctype, edge, next, &mut found),
            Ok(Outcome::Offer(handshake)) => self.offer(edge, next, &handshake),
            Ok(Outcome::Cut(cut)) => {
                self.scratch.free.push(next);
                self.give_up(cut);
            }
            Err(fault) => self.fault(edge, next, fault),
        }
        found.clear();
        self.scratch.found = found;
        true
    }

    fn mark_moved(&mut self, edge: &Edge) {
        let frame = self.scratch.frames.last_mut().expect("a frame");
        frame.moved = true;
        frame.went_on = true;
        frame.escape = edge.escape;
        self.out.moved = true;
    }

    /// A statement was executed.
    fn done(&mut self, proctype: &Proctype, edge: &Edge, mut next: State, found: &mut Vec<FindingKind>) {
        let frame = self.scratch.frames.last().expect("a frame");
        let (pid, again) = (frame.pid, frame.moved);
        let step = self.interpreter.make_move(&frame.state, pid, edge);
        self.scratch.path.push(step);
        let action = &proctype.statement(edge.statement).action;
        if again && proctype.deterministic && !action.is_else() {
            self.report(FindingKind::Fault(Fault::Nondeterminism));
        }
        self.mark_moved(edge);
        found.drain(..).for_each(|kind| self.report(kind));
        if let (Some(target), true) = (edge.target, pid < next.process_count()) {
            next.set_location(&self.interpreter.layout, pid, target);
        }
        self.interpreter.set_last(&mut next, pid);
        match self.goes_on(step.proctype, edge) {
            Some(control) => self.enter(next, pid, control),
            None => {
                self.emit(&next, None);
                self.scratch.free.push(next);
            }
        }
    }

    /// Whether a process goes on after an edge.
    fn goes_on(&self, proctype: ProctypeId, edge: &Edge) -> Option<Control> {
        if edge.atomic {
            return Some(Control::Held);
        }
        let merge = self.interpreter.merge.as_ref().filter(|_| !self.single)?;
        merge.passes(proctype, edge.target?).then_some(Control::Passing)
    }

    /// Goes on inside an atomic sequence, or where a location is passed.
    fn enter(&mut self, mut state: State, pid: usize, control: Control) {
        self.interpreter.note_passed(&mut state);
        if self.single {
            self.emit(&state, Some(pid as u8));
            self.scratch.free.push(state);
            return;
        }
        let depth = self.scratch.path.len();
        self.out.deepest = self.out.deepest.max(depth);
        if self.is_endless(&state, pid, depth) {
            self.report(FindingKind::Fault(Fault::EndlessAtomic));
            // The paths that are left may be without number: this step ends here.
            self.scratch.pending.clear();
            self.scratch.frames.clear();
            return;
        }
        self.leave_exhausted();
        self.push(state, pid, control, depth);
        if !self.may_run() {
            self.pop_blocked();
        }
    }

    /// The frame on top is done with if nothing else can be tried there: so a long sequence takes no more memory than
    /// a short one.
    fn leave_exhausted(&mut self) {
        let level = self.scratch.frames.len();
        let has_pending = self.scratch.pending.last().is_some_and(|pending| pending.level == level);
        let is_done = |frame: &Frame| frame.depth >= ATOMIC_PATIENCE && frame.went_on && self.is_exhausted(frame);
        if !has_pending && self.scratch.frames.last().is_some_and(is_done) {
            let frame = self.scratch.frames.pop().expect("seen above");
            self.scratch.free.push(frame.state);
        }
    }

    /// Whether no edge that is left can be executed, or be at fault, as far as is easily seen.
    fn is_exhausted(&self, frame: &Frame) -> bool {
        let interpreter = self.interpreter;
        let proctype = interpreter.model.proctype(interpreter.proctype(&frame.state, frame.pid));
        let edges = &interpreter.location(&frame.state, frame.pid).edges;
        let cx = Context { moved: true, ..Context::of(frame.pid) };
        let left = edges.get(frame.tried..).unwrap_or_default().iter();
        let is_tried = |edge: &&Edge| frame.escape.is_none() || frame.escape == edge.escape;
        left.take_while(is_tried).all(|edge| {
            let statement = proctype.statement(edge.statement);
            match &statement.action {
                _ if statement.runs => false,
                Action::Else => true,
                action @ (Action::Condition(_) | Action::Receive(_) | Action::Send(_) | Action::End) => {
                    interpreter.is_executable(action, &frame.state, cx) == Ok(false)
                }
                Action::Assign(..) | Action::Input(_) | Action::Assert(_) | Action::Print(..) => false,
                Action::PrintMtype(..) | Action::SetPriority(..) | Action::DStep(_) | Action::Goto => false,
            }
        })
    }

    /// Brent's method on the path: a state that comes back means that the sequence never ends. One that is long may end.
    fn is_endless(&mut self, state: &State, pid: usize, depth: usize) -> bool {
        let anchors = &mut self.scratch.anchors;
        // Those that are as deep belong to another path.
        anchors.truncate(anchors.partition_point(|anchor| anchor.depth < depth));
        if depth < ATOMIC_PATIENCE {
            return false;
        }
        if anchors.last().is_some_and(|anchor| anchor.pid == pid && anchor.bytes == state.bytes()) {
            return true;
        }
        if anchors.last().is_none_or(|anchor| depth >= 2 * anchor.depth) {
            anchors.push(Anchor { depth, pid, bytes: state.bytes().to_vec() });
        }
        false
    }

    /// A rendezvous is offered: all who can take it are found, in SPIN's order.
    fn offer(&mut self, edge: &Edge, mut next: State, handshake: &Handshake) {
        let frame = self.scratch.frames.last().expect("a frame");
        let (sender, depth) = (frame.pid, frame.depth);
        if let Some(target) = edge.target {
            next.set_location(&self.interpreter.layout, sender, target);
        }
        self.interpreter.set_last(&mut next, sender);
        self.out.deepest = self.out.deepest.max(depth + 1);
        let first = self.interpreter.make_move(&next, sender, edge);
        let before = self.scratch.pending.len();
        for receiver in (0..next.process_count()).rev().filter(|&pid| pid != sender) {
            self.receivers(&next, first, receiver, handshake);
        }
        self.scratch.free.push(next);
        if let Some(cut) = self.out.cut {
            return self.give_up(cut);
        }
        if self.scratch.pending.len() > before {
            self.scratch.pending[before..].reverse();
            self.mark_moved(edge);
        }
    }

    /// The edges of one process that take the message.
    fn receivers(&mut self, state: &State, first: Move, receiver: usize, handshake: &Handshake) {
        let interpreter = self.interpreter;
        let (until, patience) = (self.out.limit.until, self.out.patience);
        let cx = Context { handshake: Some(handshake), until, patience, ..Context::of(receiver) };
        match interpreter.may_run(state, cx) {
            Ok(true) => {}
            Ok(false) => return,
            Err(fault) => return self.report_after(&[first], fault),
        }
        let proctype = interpreter.model.proctype(interpreter.proctype(state, receiver));
        let mut escape = None;
        for edge in &interpreter.location(state, receiver).edges {
            if escape.is_some() && escape != edge.escape {
                break;
            }
            let statement = proctype.statement(edge.statement);
            let second = interpreter.make_move(state, receiver, edge);
            let mut next = self.new_state();
            let mut found = Vec::new();
            match interpreter.attempt(proctype, statement, state, &mut next, cx, &mut found) {
                Ok(Outcome::Done) => {
                    name_assertions(&mut found, statement);
                    escape = edge.escape;
                    if let Some(target) = edge.target {
                        next.set_location(&interpreter.layout, receiver, target);
                    }
                    interpreter.set_last(&mut next, receiver);
                    let level = self.scratch.frames.len();
                    let depth = self.scratch.frames.last().expect("a frame").depth;
                    let goes_on = self.goes_on(second.proctype, edge);
                    let moves = [first, second];
                    self.scratch.pending.push(Pending { state: next, moves, receiver, goes_on, depth, level, found });
                }
                Ok(Outcome::Blocked | Outcome::Offer(_)) => self.scratch.free.push(next),
                Ok(Outcome::Cut(cut)) => {
                    self.scratch.free.push(next);
                    return self.out.cut = Some(cut);
                }
                Err(fault) => {
                    self.scratch.free.push(next);
                    self.report_after(&[first, second], fault);
                }
            }
        }
    }

    /// Who was asked to take an offer is at fault.
    fn report_after(&mut self, moves: &[Move], fault: Fault) {
        let depth = self.scratch.frames.last().expect("a frame").depth;
        self.scratch.path.truncate(depth);
        self.scratch.path.extend(moves);
        self.report_executed(FindingKind::Fault(fault), depth);
        self.scratch.path.truncate(depth);
        self.out.moved = true;
    }

    /// A statement is at fault: the path ends with it.
    fn fault(&mut self, edge: &Edge, next: State, fault: Fault) {
        self.scratch.free.push(next);
        let frame = self.scratch.frames.last().expect("a frame");
        let step = self.interpreter.make_move(&frame.state, frame.pid, edge);
        self.scratch.path.push(step);
        self.report(FindingKind::Fault(fault));
        // The rest of the location is still tried, but the state is no dead end.
        self.out.moved = true;
        self.scratch.frames.last_mut().expect("a frame").moved = true;
    }

    fn report(&mut self, kind: FindingKind) {
        self.report_executed(kind, self.scratch.path.len());
    }

    fn report_executed(&mut self, kind: FindingKind, executed: usize) {
        let start = self.out.moves.len();
        self.out.moves.extend_from_slice(&self.scratch.path);
        let moves = start..self.out.moves.len();
        self.out.findings.push(Finding { kind, moves, executed, after: self.out.successors.len() });
    }

    fn emit(&mut self, state: &State, holder: Option<u8>) {
        let vector = self.out.vectors.len()..self.out.vectors.len() + state.bytes().len();
        self.out.vectors.extend_from_slice(state.bytes());
        let moves = self.out.moves.len()..self.out.moves.len() + self.scratch.path.len();
        self.out.moves.extend_from_slice(&self.scratch.path);
        // All frames above the first belong to the step that its last edge began.
        let edge = self.scratch.frames.first().map_or(0, |first| first.tried.saturating_sub(1)) as u32;
        self.out.successors.push(Successor { vector, moves, holder, edge });
    }
}

impl Interpreter<'_> {
    fn make_move(&self, state: &State, pid: usize, edge: &Edge) -> Move {
        Move { pid: pid as u8, proctype: self.proctype(state, pid), statement: edge.statement }
    }

    /// Whether priorities and `provided` let a process move.
    fn may_run(&self, state: &State, cx: Context<'_>) -> Result<bool, Fault> {
        let uses = &self.model.uses;
        if uses.provided && !self.is_provided(state, cx)? {
            return Ok(false);
        }
        if !uses.priority {
            return Ok(true);
        }
        let own = state.priority(&self.layout, cx.pid);
        for other in (0..state.process_count()).filter(|&other| other != cx.pid) {
            if state.priority(&self.layout, other) > own {
                let cx = Context { pid: other, ..cx };
                if self.is_provided(state, cx)? && self.can_move(state, other, cx)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    pub(super) fn is_provided(&self, state: &State, cx: Context<'_>) -> Result<bool, Fault> {
        let proctype = self.model.proctype(self.proctype(state, cx.pid));
        let Some(condition) = &proctype.provided else { return Ok(true) };
        match self.eval(condition, state, cx) {
            Ok(value) => Ok(value != 0),
            Err(fault) => Err(Fault::Provided { process: proctype.name.clone(), fault: Box::new(fault) }),
        }
    }

    /// Whether some statement of a process is executable, as `enabled()` sees it: a rendezvous
    /// send counts without anybody to take it, and `provided` does not count.
    pub(super) fn can_move(&self, state: &State, pid: usize, cx: Context<'_>) -> Result<bool, Fault> {
        let cx = Context { pid, moved: false, ..cx };
        let proctype = self.model.proctype(self.proctype(state, pid));
        for edge in &self.location(state, pid).edges {
            let statement = proctype.statement(edge.statement);
            let executable = match statement.action.d_step() {
                Some(d_step) => self.d_step_is_executable(proctype, d_step, state, cx)?,
                None if statement.runs => {
                    let mut next = State::default();
                    matches!(self.attempt(proctype, statement, state, &mut next, cx, &mut Vec::new())?, Outcome::Done)
                }
                None => self.is_executable(&statement.action, state, cx)?,
            };
            if executable {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
