//! Depth-first search: Algorithm 1 of Holzmann, Godefroid and Pirottin (1992), with a stack of its
//! own.
//!
//! The successors of a state are looked up together when it is expanded; those that were visited
//! stay so. Whether one of the others was visited meanwhile is asked when its turn comes. So the
//! order of visits, the counts and the depth are those of a search that generates one successor at
//! a time.

mod abroad;

use crate::control::Control;
use crate::expand::{Choice, Expand};
use crate::findings::{Counts, Tally, wrong_at};
use crate::path::Walk;
use crate::phases::Chain;
use crate::plan::Proviso;
use crate::reduce::sound::Sleep;
use crate::reduce::{Action, Processes};
use crate::report::{StopReason, Violation};
use crate::sleep::Sleeping;
use crate::stack::{Frame, Pending, Stack, Task, Turn};
use crate::thrift::Sample;
use crate::vectors::{State, Vector};
use crate::verdicts::Candidate;
pub(crate) use abroad::Foreign;
use spinor_exec::{Cut, Expanded, Next, Successors};
use spinor_store::{Batch, Fresh, Handle, Item, Source, Store, words_of};

/// Visits between two looks at the clock.
const TICK: u64 = 1 << 7;

/// One thread of a depth-first search.
pub(crate) struct Walker<S> {
    pub(crate) engine: S,
    pub(crate) counts: Counts,
    pub(crate) tally: Tally,
    pub(crate) violations: Vec<Violation>,
    pub(crate) stack: Stack,
    /// The first state of the model.
    first: State,
    pub(crate) out: Successors,
    pub(crate) choice: Choice,
    items: Vec<Item>,
    pub(crate) fresh: Vec<Fresh>,
    pub(crate) known: Vec<bool>,
    ticks: u64,
    /// Sleep sets, if there are any.
    sleeping: Option<Box<Sleeping>>,
    /// What the first phase met, in a two-phase search.
    pub(crate) chain: Option<Box<Chain>>,
    /// Successors wait for their turn even if they were visited.
    keeps_known: bool,
    /// Somebody asks which states are on the path.
    tracks_path: bool,
    /// There are other threads, with stacks of their own.
    is_shared: bool,
    /// Successors that were stored when the state was expanded.
    pub(crate) claims: Vec<bool>,
    sample: Option<Sample>,
    /// What it has to do with other processes, if there are any.
    pub(crate) foreign: Option<Box<Foreign>>,
}

/// A state that the search arrives at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) it: Pending,
    pub(crate) handle: Option<Handle>,
    pub(crate) depth: usize,
    /// How far words and choices of first phases were in use before.
    pub(crate) words: usize,
    pub(crate) route: usize,
    /// Its fingerprint, once it is on the path.
    pub(crate) print: Option<u64>,
}

impl<S: Expand> Walker<S> {
    pub(crate) fn new(engine: S, first: State, is_shared: bool) -> Walker<S> {
        let parts = engine.parts();
        Walker {
            sleeping: parts.sleep.map(|rule| Box::new(Sleeping::new(rule))),
            chain: parts.phases.map(|rule| Box::new(Chain::new(rule))),
            keeps_known: false,
            tracks_path: parts.selector.is_some() && !is_shared || parts.sleep == Some(Sleep::OffStack),
            is_shared,
            claims: Vec::new(),
            sample: engine.sample(),
            foreign: None,
            engine,
            counts: Counts::default(),
            tally: Tally::default(),
            violations: Vec::new(),
            stack: Stack::default(),
            first,
            out: Successors::default(),
            choice: Choice::default(),
            items: Vec::new(),
            fresh: Vec::new(),
            known: Vec::new(),
            ticks: 0,
        }
    }

    pub(crate) fn begin(&mut self, task: Task) {
        self.stack.begin(task);
    }

    pub(crate) fn is_done(&self) -> bool {
        self.stack.frames.is_empty()
    }

    pub(crate) fn share(&mut self) -> Option<Task> {
        self.stack.share()
    }

    /// States on the path.
    pub(crate) fn waiting(&self) -> usize {
        self.stack.frames.len()
    }

    /// The depth of the last of these.
    pub(crate) fn depth(&self) -> usize {
        self.stack.frames.last().map_or(0, |frame| frame.depth)
    }

    pub(crate) fn memory(&self) -> usize {
        let sleeping = self.sleeping.as_ref().map_or(0, |sleeping| sleeping.memory());
        let foreign = self.foreign.as_ref().map_or(0, |foreign| foreign.memory());
        self.stack.memory() + self.out.words.capacity() * 8 + sleeping + foreign
    }

    pub(crate) fn compares_all(&self) -> bool {
        self.first.key == self.first.bytes
    }

    pub(crate) fn first(&self) -> &State {
        &self.first
    }

    /// States were moved: handles mean nothing any more.
    pub(crate) fn forget_handles(&mut self) {
        self.stack.frames.iter_mut().for_each(|frame| frame.handle = None);
    }

    /// Goes on until the stack is empty or the search must rest. `tick` is called now and then.
    pub(crate) fn walk<T: Store>(
        &mut self,
        control: &Control<'_>,
        store: &T,
        session: &mut T::Session,
        tick: &mut dyn FnMut(&mut Walker<S>),
    ) {
        self.out.limit = control.limit(store);
        self.keeps_known = T::FORGETS || self.sleeping.is_some();
        while !control.must_rest()
            && let Some(frame) = self.stack.frames.last_mut()
        {
            if frame.next == frame.end {
                let frame = *frame;
                self.leave(store, frame);
                continue;
            }
            let it = self.stack.pending[frame.next];
            frame.next += 1;
            let frame = *frame;
            self.step(control, store, session, frame, it);
            self.ticks += 1;
            if self.ticks.is_multiple_of(TICK) {
                self.out.limit = control.limit(store);
                tick(self);
            }
        }
    }

    /// All that was to follow the state on top was visited.
    fn leave<T: Store>(&mut self, store: &T, frame: Frame) {
        if T::FORGETS
            && let Some(handle) = frame.handle
        {
            store.leave(handle, self.counts.stored - frame.begun);
        }
        self.stack.pop();
        if let Some(sleeping) = &mut self.sleeping {
            sleeping.pop();
        }
    }

    /// The turn of a successor has come.
    fn step<T: Store>(
        &mut self,
        control: &Control<'_>,
        store: &T,
        session: &mut T::Session,
        frame: Frame,
        it: Pending,
    ) {
        let depth = frame.depth + it.distance as usize;
        let action = self.take_turn(frame);
        if T::FORGETS {
            let kind = self.engine.kind(&self.stack.words[frame.at..], action);
            store.announce(session, kind, depth);
        }
        if it.is_claimed {
            let (words, route) = (self.stack.words.len(), self.stack.routes.len());
            let arrival = Arrival { it, handle: None, depth, words, route, print: None };
            return self.visit(control, store, session, arrival);
        }
        let words = &self.stack.words;
        let source = Source { at: 0, bytes: frame.bytes, end: 1, handle: frame.handle };
        let batch = Batch {
            words: &words[it.at..],
            items: &[Item { at: 0, bytes: it.bytes, key: it.key, note: 0 }],
            source_words: &words[frame.at..],
            sources: &[source],
        };
        if control.plan.max_depth.is_some_and(|limit| depth > limit) {
            self.known.clear();
            store.lookup(session, &batch, &mut self.known);
            match self.known[0] {
                true => self.counts.matched += 1,
                false => control.cut(StopReason::Depth),
            }
            return;
        }
        self.fresh.clear();
        store.insert(session, &batch, &mut self.fresh);
        let (words, route) = (words.len(), self.stack.routes.len());
        let arrival = Arrival { it, handle: None, depth, words, route, print: None };
        match self.fresh.first().map(|fresh| fresh.handle) {
            Some(handle @ Some(_)) => {
                self.fall_asleep(frame, action);
                self.visit(control, store, session, Arrival { handle, ..arrival });
            }
            None => {
                self.counts.matched += 1;
                if self.is_to_wake(frame, action, it) {
                    self.visit_again(control, store, arrival);
                }
            }
            Some(None) => {
                // Its turn comes again.
                control.set_full(true);
                if let Some(frame) = self.stack.frames.last_mut() {
                    frame.next -= 1;
                }
            }
        }
    }

    /// What was explored before the successor whose turn it is goes to sleep. Returns its action.
    fn take_turn(&mut self, frame: Frame) -> Action {
        let turns = &self.stack.turns;
        let Some(turn) = turns.get(frame.next - 1) else { return Action::DEPENDENT };
        if let Some(sleeping) = &mut self.sleeping {
            sleeping.take_turn(&turns[frame.begin..frame.end], frame.next - 1 - frame.begin);
        }
        turn.action
    }

    /// What sleeps at a successor: all that slept and is independent of the action that leads there.
    fn fall_asleep(&mut self, frame: Frame, action: Action) {
        if let Some(sleeping) = &mut self.sleeping {
            let mut arriving = std::mem::take(&mut sleeping.arriving);
            arriving.clear();
            self.engine.independent(&self.stack.words[frame.at..], action, sleeping.on_top(), &mut arriving);
            sleeping.arriving = arriving;
        }
    }

    /// Whether something is to be explored from a state after all, now that it is met again.
    fn is_to_wake(&mut self, frame: Frame, action: Action, it: Pending) -> bool {
        let Walker { sleeping: Some(sleeping), stack, .. } = self else { return false };
        if sleeping.rule == Sleep::OffStack && stack.is_on_path(&it) {
            stack.turns[frame.next - 1].is_back = true;
        }
        if !sleeping.is_kept(stack.vector(&it).words) {
            return false;
        }
        self.fall_asleep(frame, action);
        let Walker { sleeping: Some(sleeping), stack, .. } = self else { return false };
        sleeping.wakes(stack.vector(&it).words)
    }

    /// Expands a state once more, for what slept.
    fn visit_again<T: Store>(&mut self, control: &Control<'_>, store: &T, arrival: Arrival) {
        let it = self.stack.vector(&arrival.it);
        let handle = if T::FORGETS { store.hold(it.words, it.bytes) } else { None };
        self.expand(control, arrival);
        self.know_nothing();
        let print = self.enter_path(arrival);
        self.push(Arrival { handle, print, ..arrival }, None);
    }

    fn visit<T: Store>(&mut self, control: &Control<'_>, store: &T, session: &mut T::Session, arrival: Arrival) {
        self.count(arrival.it.bytes, arrival.depth);
        self.keep_sleepers(store, session, arrival);
        if self.chain.is_some() {
            return self.go_ahead(control, store, session, arrival);
        }
        let expanded = self.expand(control, arrival);
        self.counts.deepen(arrival.depth + expanded.deepest as usize);
        if self.out.has_news(expanded) {
            let state = self.stack.vector(&arrival.it).to_state();
            self.judge(control, (&state, arrival.depth), expanded, |stack| stack.choices(stack.frames.len()));
        }
        if self.keeps_known && self.choice.sets.is_empty() {
            self.know_nothing();
        } else {
            self.look_up(store, session, arrival);
        }
        // A step back to the state itself is one to the stack.
        let print = self.enter_path(arrival);
        let set = match self.is_shared {
            true => self.choose_by_claims(control, store, session, arrival),
            false => self.choose(control.plan.proviso),
        };
        if let Some(set) = set {
            self.weigh(store, session, set);
        }
        self.push(Arrival { print, ..arrival }, set);
    }

    /// From here on the state is one of the path.
    fn enter_path(&mut self, Arrival { it, .. }: Arrival) -> Option<u64> {
        let Stack { words, states, .. } = &mut self.stack;
        self.tracks_path.then(|| states.enter(&words[it.at..it.at + words_of(it.bytes)], it.key))
    }

    /// A state was stored.
    pub(crate) fn count(&mut self, bytes: u32, depth: usize) {
        self.counts.stored += 1;
        self.counts.bytes += u64::from(bytes);
        self.counts.deepen(depth);
    }

    /// Keeps what sleeps at a new state, and forgets it of one that is not stored any more.
    fn keep_sleepers<T: Store>(&mut self, store: &T, session: &mut T::Session, arrival: Arrival) {
        let Walker { sleeping: Some(sleeping), stack, .. } = self else { return };
        if T::FORGETS
            && let Some(words) = store.forgotten(session)
        {
            sleeping.forget(&words);
        }
        if sleeping.keep(stack.vector(&arrival.it).words)
            && let Some(handle) = arrival.handle
        {
            store.follow(handle);
        }
    }

    /// All that follows a state.
    pub(crate) fn expand(&mut self, control: &Control<'_>, arrival: Arrival) -> Expanded {
        self.out.clear();
        let vector = self.stack.vector(&arrival.it);
        let expanded = self.engine.expand_for(vector.words, &mut self.out, &mut self.choice);
        halt_if_cut(control, expanded.ended.cut());
        if let Some(foreign) = &mut self.foreign {
            foreign.find_owners(self.engine.atlas(), &self.out);
        }
        expanded
    }

    /// The first set of processes that the proviso allows, counting only what is awake: what sleeps is not
    /// explored, so that it leads off the stack is worth nothing. A state that was not visited is not on the
    /// stack; of those of other processes nothing is known.
    fn choose(&mut self, proviso: Proviso) -> Option<Processes> {
        let Walker { choice, out, known, stack, sleeping, foreign, .. } = self;
        let is_back = |index: usize| {
            let next = &out.list[index];
            let is_abroad = foreign.as_ref().and_then(|it| it.is_back(index, proviso));
            is_abroad.unwrap_or_else(|| known[index] && stack.states.contains(out.vector(next), next.key))
        };
        let is_awake = |index: &usize| sleeping.as_ref().is_none_or(|it| it.is_awake(choice.action(*index)));
        let is_allowed = |(number, set): (usize, &Processes)| {
            let mut awake = (0..out.list.len()).filter(|&index| choice.is_in(set, index)).filter(is_awake);
            match proviso {
                _ if choice.is_free(number) => true,
                Proviso::None => true,
                Proviso::Weak => awake.any(|index| !is_back(index)),
                Proviso::Strong => awake.clone().next().is_some() && !awake.any(is_back),
            }
        };
        let tried = choice.sets.iter().enumerate().position(is_allowed);
        let chosen = tried.map(|tried| choice.sets[tried]);
        if !choice.sets.is_empty() && tried != Some(0) {
            self.engine.regret(choice.saved);
            self.count_tried(tried, chosen);
        }
        chosen
    }

    /// Looks at what a set leaves out, and what that was good for.
    fn weigh<T: Store>(&mut self, store: &T, session: &mut T::Session, set: Processes) {
        let Walker { sample: Some(sample), counts: Counts { stored, matched, .. }, out, choice, foreign, .. } = self
        else {
            return;
        };
        // Whether those of other processes were met is not known here.
        let is_here = |index: usize| foreign.as_ref().is_none_or(|it| it.is_here(index));
        let is_left = |index: usize| !choice.is_in(&set, index) && is_here(index);
        for (_, next) in out.list.iter().enumerate().filter(|(index, _)| is_left(*index)) {
            sample.offer(Vector { words: out.vector(next), bytes: next.bytes, key: next.key }, *stored);
        }
        if let Some(gain) = sample.gain((store, session), (*stored, *stored + *matched)) {
            self.engine.learn(gain);
        }
    }

    /// What leads back to the stack from sets that the proviso did not allow was explored. Paper 000, with
    /// both of its reductions, lets it sleep before the next process is tried.
    fn count_tried(&mut self, tried: Option<usize>, chosen: Option<Processes>) {
        let Walker { choice, out, sleeping, counts, .. } = self;
        let mut sets = Processes::default();
        choice.sets[..tried.unwrap_or(choice.sets.len())].iter().for_each(|set| sets.join(set));
        let is_conflict = sleeping.as_ref().is_some_and(|it| it.rule == Sleep::Conflict);
        if chosen.is_none() && !is_conflict {
            // All are explored anyway.
            return;
        }
        let is_left = |index: &usize| {
            let is_chosen = chosen.is_some_and(|chosen| choice.is_in(&chosen, *index));
            let is_awake = sleeping.as_ref().is_none_or(|it| it.is_awake(choice.action(*index)));
            choice.is_in(&sets, *index) && !is_chosen && is_awake
        };
        let left: Vec<Action> = (0..out.list.len()).filter(is_left).map(|index| choice.action(index)).collect();
        counts.matched += left.len() as u64;
        if let Some(sleeping) = sleeping.as_mut().filter(|_| is_conflict) {
            sleeping.arriving.extend(left);
        }
    }

    /// Successors are looked up when their turn comes.
    pub(crate) fn know_nothing(&mut self) {
        self.known.clear();
        self.known.resize(self.out.list.len(), false);
    }

    /// Which of the successors were visited.
    pub(crate) fn look_up<T: Store>(&mut self, store: &T, session: &mut T::Session, arrival: Arrival) {
        self.items.clear();
        let item = |next: &Next| Item { at: next.at, bytes: next.bytes, key: next.key, note: 0 };
        let is_here = |index: usize| self.foreign.as_ref().is_none_or(|it| it.is_here(index));
        let here = self.out.list.iter().enumerate().filter(|(index, _)| is_here(*index));
        self.items.extend(here.map(|(_, next)| item(next)));
        let Arrival { it, handle, .. } = arrival;
        let batch = Batch {
            words: &self.out.words,
            items: &self.items,
            source_words: self.stack.vector(&it).words,
            sources: &[Source { at: 0, bytes: it.bytes, end: self.items.len() as u32, handle }],
        };
        self.known.clear();
        store.lookup(session, &batch, &mut self.known);
        if let Some(foreign) = &self.foreign {
            foreign.spread(&mut self.known);
        }
    }

    /// A state goes on the stack, with those successors that were not visited and do not sleep; of a set, if
    /// there is one. Those of other processes are sent to them.
    pub(crate) fn push(&mut self, arrival: Arrival, set: Option<Processes>) {
        let Walker { stack, out, known, choice, sleeping, counts, claims, foreign, engine, .. } = self;
        let Arrival { it, handle, depth, .. } = arrival;
        let begin = stack.pending.len();
        for (index, (next, &known)) in out.list.iter().zip(&*known).enumerate() {
            if set.is_some_and(|set| !choice.is_in(&set, index)) {
                continue;
            }
            if sleeping.as_ref().is_some_and(|sleeping| !sleeping.is_awake(choice.action(index))) {
                continue;
            }
            // The last state of a path counts for the depth only when it is new; those inside of it
            // always do.
            counts.deepen(depth + next.distance as usize - 1);
            if let Some(foreign) = foreign.as_mut().filter(|it| !it.is_here(index)) {
                let vector = Vector { words: out.vector(next), bytes: next.bytes, key: next.key };
                let is_sent = foreign.send(engine.atlas(), index, vector, depth + next.distance as usize);
                counts.matched += u64::from(!is_sent);
                continue;
            }
            if known && !self.keeps_known {
                counts.matched += 1;
                continue;
            }
            let at = stack.words.len();
            stack.words.extend_from_slice(out.vector(next));
            let Next { bytes, key, distance, .. } = *next;
            let is_claimed = claims.get(index).is_some_and(|claimed| *claimed);
            stack.pending.push(Pending { at, bytes, key, distance, index: index as u32, is_claimed });
            if self.keeps_known {
                stack.turns.push(Turn { action: choice.action(index), is_back: false });
            }
        }
        if let Some(sleeping) = sleeping {
            sleeping.push();
        }
        stack.frames.push(Frame {
            at: it.at,
            bytes: it.bytes,
            handle,
            depth,
            begin,
            next: begin,
            end: stack.pending.len(),
            words: arrival.words,
            print: arrival.print,
            begun: counts.stored,
            route: arrival.route,
        });
    }

    /// Notes what is wrong at a state that was just expanded. The choices that lead to it are asked for only if
    /// they are wanted: there may be as many as states, and as many states that are wrong.
    pub(crate) fn judge(
        &mut self,
        control: &Control<'_>,
        (state, depth): (&State, usize),
        expanded: Expanded,
        choices: impl Fn(&Stack) -> Vec<u32>,
    ) {
        let plan = control.plan;
        for wrong in wrong_at(&mut self.engine, control, &state.words, expanded, &mut self.out.findings) {
            if plan.keep_going {
                self.tally.add(wrong.kind, 1);
                let moves = || self.violations.iter().map(|known| known.moves.len()).sum::<usize>();
                let candidates = self.foreign.as_ref().map_or(&[][..], |it| &it.candidates);
                let kept = self.violations.len() + candidates.len();
                let kinds = self.violations.iter().map(|it| it.kind).chain(candidates.iter().map(|it| it.wrong.kind));
                let is_new = !kinds.into_iter().any(|kind| kind == wrong.kind);
                if !is_new && (kept >= plan.max_violations || moves() > plan.max_moves) {
                    continue;
                }
            } else if !control.is_first() {
                continue;
            } else {
                self.tally.add(wrong.kind, 1);
                control.violated();
                control.set_done();
            }
            if let Some(foreign) = &mut self.foreign {
                foreign.candidates.push(Candidate::unknown(wrong, state.clone(), depth));
                continue;
            }
            let mut moves = Walk::from(&self.first).along(&mut self.engine, &choices(&self.stack)).to_vec();
            moves.extend(wrong.tail);
            self.violations.push(Violation {
                kind: wrong.kind,
                message: wrong.message.into_owned(),
                moves,
                lasso: None,
            });
        }
    }
}

/// The search ends if the successors of a state are not complete.
pub(crate) fn halt_if_cut(control: &Control<'_>, cut: Option<Cut>) {
    if let Some(cut) = cut {
        control.halt(if cut == Cut::Bytes { StopReason::Memory } else { StopReason::Time });
    }
}
