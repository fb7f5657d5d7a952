//! Searches with native code, and with the interpreter where there is none.

use crate::call::{Defer, Hot, Job, Known, Worker, expanded, is_plain};
use crate::code::{Code, Draft, Effort, Numbering};
use crate::context::Watch;
use crate::workshop::{Answer, Workshop};
use spinor_exec::{
    Atlas, Cut, Ended, Expanded, Fault, Move, Packed, Packing, Semantics, Shape, Shapes, Simplify, Successors,
};
use spinor_model::{LocationId, Model, ProctypeId, StatementId};
use std::slice::ChunksExact;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// States of a shape that the interpreter expands before code is made for it: for so few it would not pay.
const PATIENCE: u32 = 40;

/// The same, if code takes a core from a search that has code for other shapes: as long as it takes to make it. Mostly
/// such a shape is one of many that few states have, at the end of a search.
const RESERVE: u32 = 1_000;

/// States that are expanded before somebody asks again for code that is being made.
const NAP: u32 = 20;

/// Steps that the interpreter goes in one expansion before it is left to native code, for which no more is waited.
const LONG: u64 = 1 << 20;

/// How often a thread gives way to who makes code: that may take long.
const COURTESY: u32 = 20;

/// States that are expanded before somebody asks whether code that was made in haste should be made better, or was.
const ROUND: u32 = 5_000;

/// Nanoseconds that it takes to make code better, an instruction.
const COST: u64 = 3_000;

/// Nanoseconds that better code saves a state: at least, and for each word of a successor.
const GAIN: (u64, u64) = (24, 12);

/// An engine that compiles the model as the search goes on.
pub struct Native<'m> {
    interpreter: Packed<'m>,
    shared: Arc<Shared<'m>>,
    /// What this engine knows of each shape.
    known: Vec<Known>,
    worker: Worker,
    /// States that were left to the interpreter, though there is code for their shape.
    deferred: u64,
    /// Rounds of states that were expanded, and states before the next.
    rounds: u64,
    left: u32,
    /// Parts of states without code that were expanded: as many as there are processes count as one state.
    parts: usize,
}

/// What all engines of a search share.
struct Shared<'m> {
    shapes: Arc<Shapes<'m>>,
    numbering: Numbering,
    workshop: Workshop,
    /// States of a shape before code is made for it, and whether the search goes on meanwhile.
    patience: u32,
    in_background: bool,
    /// Whether there may be native code at all.
    is_supported: bool,
}

/// A state whose code was called once: its shape, what that said, and where words and successors ended before.
struct Begun {
    id: usize,
    status: u64,
    before: (usize, usize),
}

impl<'m> Native<'m> {
    /// An engine for a model without errors.
    #[must_use]
    pub fn new(model: &'m Model, packing: Packing) -> Native<'m> {
        Native::simplified(model, packing, Simplify::default())
    }

    /// An engine for a model without errors that leaves out states.
    #[must_use]
    pub fn simplified(model: &'m Model, packing: Packing, simplify: Simplify) -> Native<'m> {
        Native::beside(Packed::simplified(model, packing, simplify), true)
    }

    /// An engine beside an interpreter, for a search that leaves a core of the machine to who makes code, or does not.
    #[must_use]
    pub fn beside(interpreter: Packed<'m>, leaves_core: bool) -> Native<'m> {
        Native::waiting(interpreter, PATIENCE, Some(leaves_core))
    }

    /// An engine beside an interpreter, always with native code for a shape after so many of its states were
    /// expanded.
    #[must_use]
    pub fn with_patience(interpreter: Packed<'m>, patience: u32) -> Native<'m> {
        Native::waiting(interpreter, patience, None)
    }

    /// Code is made in the background if it is known what a search leaves of the machine.
    fn waiting(interpreter: Packed<'m>, patience: u32, leaves_core: Option<bool>) -> Native<'m> {
        let shapes = interpreter.shapes().clone();
        let model = shapes.model();
        let numbering = Numbering::new(model);
        // Labels that steps pass are noted by the interpreter.
        let is_supported = Native::supports(model) && !shapes.has_labels();
        let in_background = leaves_core.is_some();
        let workshop = Workshop::new(leaves_core.unwrap_or(true));
        let shared = Arc::new(Shared { shapes, numbering, workshop, patience, in_background, is_supported });
        Native::on(interpreter, shared)
    }

    /// Whether there is native code for a model at all. Who may move under priorities and
    /// `provided` clauses, and hidden variables, are left to the interpreter.
    #[must_use]
    pub fn supports(model: &Model) -> bool {
        !model.uses.priority && !model.uses.provided && !model.uses.reads_hidden
    }

    fn on(interpreter: Packed<'m>, shared: Arc<Shared<'m>>) -> Native<'m> {
        let has_timeout = shared.shapes.model().uses.timeout;
        let watch = Watch::default();
        let worker = Worker { executed: vec![0; shared.numbering.count], inside: Vec::new(), watch, has_timeout };
        Native { interpreter, shared, known: Vec::new(), worker, deferred: 0, rounds: 0, left: ROUND, parts: 0 }
    }

    /// The interpreter on the same packed states.
    #[must_use]
    pub fn interpreter(&self) -> &Packed<'m> {
        &self.interpreter
    }

    /// When the first code was there, once it is.
    #[must_use]
    pub fn first_code(&self) -> Arc<OnceLock<Instant>> {
        self.shared.workshop.first_code()
    }

    /// How many states were left to the interpreter, though there is code for their shape.
    #[must_use]
    pub fn deferred(&self) -> u64 {
        self.deferred
    }

    /// Takes back what native code has written from these ends on: the interpreter does it instead.
    #[cold]
    fn give_up(&mut self, defer: &Defer, (words, list): (usize, usize), out: &mut Successors) {
        out.words.truncate(words);
        out.list.truncate(list);
        self.deferred += 1;
        if let Some(id) = defer.0 {
            self.warm_up(id);
        }
    }

    /// Whether one more part of states makes a whole state.
    fn is_state(&mut self, state: &[u64]) -> bool {
        self.parts += 1;
        let is_whole = self.shared.patience == 0 || self.parts >= self.interpreter.processes(state);
        if is_whole {
            self.parts = 0;
        }
        is_whole
    }

    /// What the interpreter says of a state of a shape without code. Nothing if that takes so long that code was made.
    fn interpret(
        &mut self,
        id: usize,
        out: &mut Successors,
        expand: impl Fn(&mut Packed<'m>, &mut Successors) -> Expanded,
    ) -> Option<Expanded> {
        self.meet(id);
        let (words, list, findings) = (out.words.len(), out.list.len(), out.findings.len());
        out.patience = matches!(self.known[id], Known::Cold(..)).then_some(LONG);
        let expanded = expand(&mut self.interpreter, out);
        out.patience = None;
        if expanded.ended != Ended::Cut(Cut::Steps) {
            return Some(expanded);
        }
        out.words.truncate(words);
        out.list.truncate(list);
        out.findings.truncate(findings);
        let shape = self.shared.shapes.get(id as u32);
        let draft = || Draft::new(&self.shared.shapes, &shape, &self.shared.numbering);
        match self.shared.workshop.make(id, draft) {
            Answer::Ready(code) => {
                self.known[id] = Known::Hot(Hot::new(shape, code));
                None
            }
            Answer::Wait | Answer::Never => {
                self.known[id] = Known::Never;
                Some(expand(&mut self.interpreter, out))
            }
        }
    }

    /// Nothing is known of the shapes up to one, if they are new.
    fn meet(&mut self, id: usize) {
        if self.known.len() <= id {
            let Shared { patience, is_supported, workshop, .. } = &*self.shared;
            let patience = if workshop.is_dear() { RESERVE.max(*patience) } else { *patience };
            let new = || if *is_supported { Known::Cold(patience, 0) } else { Known::Never };
            self.known.resize_with(id + 1, new);
        }
    }

    /// Whether there is native code for a shape by now, of which there was none yet.
    #[cold]
    fn warm_up(&mut self, id: usize) -> bool {
        self.meet(id);
        let asked = match &mut self.known[id] {
            Known::Hot(_) => return true,
            Known::Never => return false,
            Known::Cold(0, asked) => *asked,
            Known::Cold(left, _) => {
                let asks = *left % NAP == 0;
                *left -= 1;
                // Another thread may have asked for it.
                let Some(code) = asks.then(|| self.shared.workshop.ready(id)).flatten() else { return false };
                self.known[id] = Known::Hot(Hot::new(self.shared.shapes.get(id as u32), code));
                return true;
            }
        };
        let shape = self.shared.shapes.get(id as u32);
        let mut answer = self.shared.code(&shape, Effort::Haste);
        if matches!(answer, Answer::Wait) && asked < COURTESY {
            self.shared.workshop.give_way(id);
            answer = self.shared.code(&shape, Effort::Haste);
        }
        self.known[id] = match answer {
            Answer::Ready(code) => Known::Hot(Hot::new(shape, code)),
            Answer::Wait => Known::Cold(NAP, asked + 1),
            Answer::Never => Known::Never,
        };
        matches!(self.known[id], Known::Hot(_))
    }

    /// Expands states in a row, as long as they have the shape of the first, and its code is all that it takes. What
    /// was done of the next state, if anything was.
    #[inline]
    fn expand_alike(
        &mut self,
        states: &mut ChunksExact<'_, u64>,
        enough: usize,
        out: &mut Successors,
        all: &mut Expanded,
    ) -> Option<Begun> {
        let id_of = |state: &[u64]| Shape::id_of(state[0]) as usize;
        let id = id_of(states.clone().next()?);
        let Some(Known::Hot(hot)) = self.known.get(id) else { return None };
        let (first, mut statuses, mut begun) = (out.ends.len(), 0, None);
        // The last of a round is left to who looks for better code.
        for state in states.clone().take(self.left as usize - 1) {
            if out.list.len() >= enough || id_of(state) != id {
                break;
            }
            let before = (out.words.len(), out.list.len());
            let job = Job { known: &self.known, hot, state, timeout: false, until: hot.processes, asks_again: false };
            let status = self.worker.call(&job, 0, out);
            self.left -= 1;
            if !is_plain(status) || out.list.len() == before.1 {
                begun = Some(Begun { id, status, before });
                break;
            }
            statuses |= status as u32;
            out.ends.push(out.list.len() as u32);
            states.next();
        }
        if out.ends.len() > first {
            *all = all.then(expanded(u64::from(statuses), true));
        }
        begun
    }

    /// Expands a state to the end, or leaves it to the interpreter.
    fn conclude(&mut self, state: &[u64], Begun { id, status, before }: Begun, out: &mut Successors) -> Expanded {
        let Some(Known::Hot(hot)) = self.known.get(id) else { unreachable!("its code was called") };
        let (until, asks_again) = (hot.processes, self.worker.has_timeout);
        let job = Job { known: &self.known, hot, state, timeout: false, until, asks_again };
        match self.worker.go_through(&job, status, before.1, out) {
            Ok(expanded) => expanded,
            Err(defer) => {
                self.give_up(&defer, before, out);
                self.interpreter.expand(state, out)
            }
        }
    }

    /// Looks for better code, where it was made in haste.
    #[cold]
    fn improve(&mut self) {
        self.left = ROUND;
        self.rounds += 1;
        let expanded = self.rounds * u64::from(ROUND);
        let is_eager = self.shared.workshop.is_eager();
        for known in &mut self.known {
            if let Known::Hot(hot) = known
                && hot.code.effort < Effort::Speed
                && (is_eager || hot.code.would_pay(expanded))
                && let Answer::Ready(code) = self.shared.code(&hot.shape, Effort::Speed)
            {
                hot.code = code;
            }
        }
    }
}

impl Code {
    /// Whether it would pay to make it better, if that costs the search a core: a search that went so far is
    /// expected to go on for as long again.
    fn would_pay(&self, expanded: u64) -> bool {
        expanded * (GAIN.0 + GAIN.1 * self.size.words as u64) >= COST * self.instructions as u64
    }
}

fn is_valid_end(model: &Model, shape: &Shape, state: &[u64]) -> bool {
    shape.processes.iter().all(|process| {
        let location = LocationId(process.location.get(state) as u16);
        model.proctype(process.proctype).location(location).is_end
    })
}

impl Shared<'_> {
    /// The code of a shape, made with at least so much effort.
    fn code(&self, shape: &Arc<Shape>, effort: Effort) -> Answer {
        let draft = || Draft::new(&self.shapes, shape, &self.numbering);
        let id = shape.id as usize;
        if self.in_background { self.workshop.ask(id, effort, draft) } else { self.workshop.make(id, draft) }
    }
}

impl Semantics for Native<'_> {
    fn initial(&mut self, out: &mut Successors) -> Result<(), Fault> {
        self.interpreter.initial(out)
    }

    fn expand(&mut self, state: &[u64], out: &mut Successors) -> Expanded {
        let id = Shape::id_of(state[0]) as usize;
        self.left -= 1;
        if self.left == 0 {
            self.improve();
        }
        let Some(Known::Hot(hot)) = self.known.get(id) else {
            let known = if self.warm_up(id) { None } else { self.interpret(id, out, |it, out| it.expand(state, out)) };
            return known.unwrap_or_else(|| self.expand(state, out));
        };
        let before = (out.words.len(), out.list.len());
        let job = Job { known: &self.known, hot, state, timeout: false, until: hot.processes, asks_again: false };
        let status = self.worker.call(&job, 0, out);
        if is_plain(status) && out.list.len() > before.1 {
            return expanded(status, true);
        }
        self.conclude(state, Begun { id, status, before }, out)
    }

    fn expand_row(&mut self, states: &mut ChunksExact<'_, u64>, enough: usize, out: &mut Successors) -> Expanded {
        let mut all = Expanded::default();
        loop {
            let first = out.ends.len();
            let begun = self.expand_alike(states, enough, out, &mut all);
            if begun.is_none() && out.ends.len() > first {
                if out.list.len() >= enough {
                    return all;
                }
                // The next may have another shape.
                continue;
            }
            let Some(state) = states.next() else { return all };
            all = all.then(match begun {
                Some(begun) => self.conclude(state, begun, out),
                None => self.expand(state, out),
            });
            out.ends.push(out.list.len() as u32);
            if out.list.len() >= enough || out.has_news(all) {
                return all;
            }
        }
    }

    fn processes(&self, state: &[u64]) -> usize {
        self.interpreter.processes(state)
    }

    fn expand_process(&mut self, state: &[u64], pid: usize, out: &mut Successors) -> Expanded {
        let id = Shape::id_of(state[0]) as usize;
        let Some(Known::Hot(hot)) = self.known.get(id) else {
            let is_hot = self.is_state(state) && self.warm_up(id);
            let interpret = |it: &mut Packed<'_>, out: &mut Successors| it.expand_process(state, pid, out);
            let known = if is_hot { None } else { self.interpret(id, out, interpret) };
            return known.unwrap_or_else(|| self.expand_process(state, pid, out));
        };
        let (words, list) = (out.words.len(), out.list.len());
        let until = hot.processes - pid as u32;
        let job = Job { known: &self.known, hot, state, timeout: false, until, asks_again: false };
        let status = self.worker.call(&job, until - 1, out);
        if is_plain(status) {
            return expanded(status, out.list.len() > list);
        }
        match self.worker.go_through(&job, status, list, out) {
            Ok(expanded) => expanded,
            Err(defer) => {
                self.give_up(&defer, (words, list), out);
                self.interpreter.expand_process(state, pid, out)
            }
        }
    }

    /// Native code does not say which edge a successor begins with.
    fn expand_labelled(&mut self, state: &[u64], pid: usize, out: &mut Successors, edges: &mut Vec<u32>) -> Expanded {
        self.interpreter.expand_labelled(state, pid, out, edges)
    }

    fn is_valid_end(&mut self, state: &[u64]) -> bool {
        let id = Shape::id_of(state[0]);
        let model = self.shared.shapes.model();
        if model.trace.is_some() {
            return self.interpreter.is_valid_end(state);
        }
        match self.known.get(id as usize) {
            Some(Known::Hot(hot)) => is_valid_end(model, &hot.shape, state),
            _ => is_valid_end(model, &self.shared.shapes.get(id), state),
        }
    }

    fn moves(&mut self, state: &[u64], n: usize) -> Vec<Move> {
        self.interpreter.moves(state, n)
    }

    fn was_executed(&self, proctype: ProctypeId, statement: StatementId) -> bool {
        let number = self.shared.numbering.of(proctype, statement) as usize;
        self.worker.executed[number] != 0 || self.interpreter.was_executed(proctype, statement)
    }

    fn atlas(&self) -> &dyn Atlas {
        self.interpreter.atlas()
    }

    fn fork(&self) -> Self {
        Native::on(self.interpreter.fork(), self.shared.clone())
    }
}
