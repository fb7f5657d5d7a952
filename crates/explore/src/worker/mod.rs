//! What one thread of a breadth-first search does: blocks of states, in batches.

mod abroad;
mod job;
mod pile;

use self::job::Block;
pub(crate) use self::job::Job;
use self::pile::{Pile, divide, divide_all};

use crate::control::Control;
use crate::expand::{Choice, Expand};
use crate::findings::Counts;
use crate::frontier::{Frontier, Sink, Waiting};
use crate::peers::Abroad;
use crate::plan::Proviso;
use crate::queued::Queued;
use crate::report::StopReason;
use crate::thrift::Sample;
use crate::trace::{Goal, NONE, Origin, Tag, Trace};
use crate::vectors::{Remembered, State, Vector, append};
use crate::verdicts::{Site, Verdicts};
use spinor_exec::{Expanded, Next, Successors};
use spinor_store::{Batch, Fresh, Handle, Item, Source, Store, words_of};
use std::ops::Range;
use std::slice::ChunksExact;

/// Successors that are looked up together: enough to hide the latency of memory, few enough to
/// stay in the cache.
const BATCH: usize = 512;

/// A thread says how far it is after so many states.
const REPORT: usize = 256;

/// What threads share.
pub(crate) struct Context<'a, T> {
    pub(crate) control: &'a Control<'a>,
    pub(crate) store: &'a T,
    pub(crate) goal: Option<&'a Goal>,
}

/// One thread of a breadth-first search. Threads lie side by side, and write all the time: each into cache lines of its
/// own, which a core fetches in pairs.
#[repr(align(128))]
pub(crate) struct Worker<S> {
    pub(crate) engine: S,
    pub(crate) sink: Sink,
    pub(crate) verdicts: Verdicts,
    buffers: Buffers,
    /// In a reduced search, what it stored for the next level.
    queued: Queued,
    /// Whether what waits in the queue is asked for.
    asks_proviso: bool,
    sample: Option<Sample>,
    /// What goes to other processes, if there are any.
    pub(crate) abroad: Option<Abroad>,
    /// States that others sent.
    pub(crate) received: u64,
    index: usize,
}

/// Memory that is used again.
#[derive(Default)]
struct Buffers {
    out: Successors,
    choice: Choice,
    /// For successors, up to the last that is left for later, whether they are.
    later: Vec<bool>,
    /// For sources, up to the last that leaves any, whether the proviso is asked if that will do.
    asks: Vec<bool>,
    source_words: Vec<u64>,
    /// The states that were expanded; their successors are those in `out`.
    sources: Vec<Source>,
    /// What the states of a block carry, and which is that of the first source.
    tags: Vec<Tag>,
    first_tag: usize,
    /// Whether some successor does not belong to the next level.
    is_mixed: bool,
    near: Pile,
    far: Pile,
    fresh: Vec<Fresh>,
    known: Vec<bool>,
    /// Whose the successors are, if there are several processes; which are those of others, and their hashes.
    owners: Vec<u32>,
    there: Vec<u32>,
    hashes: Vec<u64>,
}

/// Where successors come from; they are asked for in order.
struct Origins<'a> {
    sources: &'a [Source],
    tags: &'a [Tag],
    /// The source of the last one, and the first of its successors.
    source: usize,
    begin: u32,
}

impl<'a> Origins<'a> {
    fn new(sources: &'a [Source], tags: &'a [Tag]) -> Origins<'a> {
        Origins { sources, tags, source: 0, begin: 0 }
    }

    fn of(&mut self, place: u32) -> Origin {
        while self.sources[self.source].end <= place {
            self.begin = self.sources[self.source].end;
            self.source += 1;
        }
        Origin { tag: self.tags[self.source], successor: place - self.begin }
    }
}

/// A step that jumps across the middle of paths, perhaps to the goal itself, is split where it begins.
fn cross<T: Store>(
    cx: &Context<'_, T>,
    sink: &mut Sink,
    (source, source_words): (&Source, &[u64]),
    levels: Range<usize>,
    origin: &mut Origin,
) {
    if let Some(goal) = cx.goal
        && origin.tag.middle == NONE
        && levels.start > 0
        && levels.end >= goal.middle
    {
        let words = &source_words[source.at as usize..][..words_of(source.bytes)];
        let it = Vector { words, bytes: source.bytes, key: source.bytes };
        origin.tag.middle = sink.middle(cx, levels.start, source.handle.unwrap_or(Handle(0)), it);
    }
}

impl<S: Expand> Worker<S> {
    pub(crate) fn new(engine: S, index: usize, trace: Trace) -> Worker<S> {
        let sink = Sink::new(trace);
        let buffers = Buffers::default();
        let (asks_proviso, sample) = (engine.asks_proviso(), engine.sample());
        let (verdicts, queued) = (Verdicts::default(), Queued::default());
        let (abroad, received) = (None, 0);
        Worker { engine, sink, verdicts, buffers, queued, asks_proviso, sample, abroad, received, index }
    }

    /// Lets a state wait for its level: how a search begins.
    fn begin(&mut self, first: &State) {
        let origin = self.sink.trace.is_wanted().then_some(Origin { tag: Tag::NONE, successor: 0 });
        self.sink.wait(0, first.vector(), origin);
    }

    /// Takes blocks of a job until there are no more; `after` is called from time to time, and at the end.
    pub(crate) fn work<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        session: &mut T::Session,
        job: &Job,
        after: &mut dyn FnMut(&Worker<S>),
    ) {
        self.buffers.out.limit = cx.control.limit(cx.store);
        let mut done = 0;
        while !cx.control.must_rest()
            && let Some(block) = job.take(self.index)
        {
            match block {
                Block::Expand(piece, range) => {
                    done += range.len();
                    self.receive(cx, session, job.level);
                    self.expand(cx, session, job.level - 1, piece, range);
                }
                Block::Admit(piece, range) => {
                    done += range.len();
                    self.finish(cx, session, job);
                    self.admit(cx, session, job.level, piece, range);
                }
            }
            if done >= REPORT {
                done = 0;
                self.report(cx, job, after);
            }
        }
        self.finish(cx, session, job);
        self.report(cx, job, after);
    }

    /// Stores the successors that still wait to be stored together with others.
    fn finish<T: Store>(&mut self, cx: &Context<'_, T>, session: &mut T::Session, job: &Job) {
        if !self.buffers.sources.is_empty() {
            self.flush(cx, session, job.level - 1);
        }
    }

    /// Says how far it is.
    fn report<T: Store>(&self, cx: &Context<'_, T>, job: &Job, after: &mut dyn FnMut(&Worker<S>)) {
        let level = if self.index == 0 { job.memory } else { 0 };
        cx.control.set_size(self.index, self.memory() + level);
        after(self);
    }

    fn memory(&self) -> usize {
        let Buffers { out, source_words, .. } = &self.buffers;
        let abroad = self.abroad.as_ref().map_or(0, Abroad::memory);
        (out.words.capacity() + source_words.capacity()) * 8 + self.sink.memory() + self.queued.memory() + abroad
    }

    fn expand<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        session: &mut T::Session,
        level: usize,
        piece: &Frontier,
        range: Range<usize>,
    ) {
        self.sink.counts.deepen(level);
        self.buffers.tags.drain(..self.buffers.first_tag);
        self.buffers.tags.extend_from_slice(piece.tags.get(range.clone()).unwrap_or_default());
        self.buffers.first_tag = 0;
        // Those whose vectors are all that is asked for go together.
        let is_simple = !T::USES_SOURCES && cx.goal.is_none() && self.engine.is_whole();
        for row in piece.states.rows(range) {
            if let Some(mut vectors) = row.vectors().filter(|_| is_simple) {
                while vectors.len() > 0 {
                    self.expand_row(cx, level, row.form.bytes, &mut vectors);
                    self.flush_batch(cx, session, level);
                }
            } else {
                for state in row.states() {
                    self.expand_one(cx, session, level, state);
                    self.flush_batch(cx, session, level);
                }
            }
        }
        if self.abroad.is_some() {
            // What others sent is stored by means of the same buffers.
            self.flush(cx, session, level);
        }
    }

    /// Expands one state; its successors wait to be stored.
    #[inline(always)]
    fn expand_one<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        session: &mut T::Session,
        level: usize,
        state: Remembered<'_>,
    ) {
        let Buffers { out, choice, source_words, sources, .. } = &mut self.buffers;
        let at = source_words.len();
        // The vector is copied only for who needs it beside its successors.
        let (words, bytes) = match (state.vector, state.handle) {
            (Some(vector), _) => {
                if T::USES_SOURCES || cx.goal.is_some() {
                    append(source_words, vector.words);
                }
                (vector.words, vector.bytes)
            }
            (None, Some(handle)) => {
                let bytes = cx.store.load(session, handle, source_words);
                (&source_words[at..], bytes)
            }
            (None, None) => unreachable!("a state is remembered in some way"),
        };
        let expanded = self.engine.expand_for(words, out, choice);
        sources.push(Source { at: at as u32, bytes, end: out.list.len() as u32, handle: state.handle });
        if out.has_news(expanded) {
            let it = Vector { words, bytes, key: bytes }.to_state();
            self.judge(cx, level, it.vector(), expanded);
        }
        self.deepen(level, expanded);
        if self.engine.is_reduced() {
            self.buffers.postpone();
        }
    }

    /// Expands states until there are enough successors, or something is to be said of one.
    fn expand_row<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        level: usize,
        bytes: u32,
        states: &mut ChunksExact<'_, u64>,
    ) {
        let Buffers { out, sources, .. } = &mut self.buffers;
        let mut those = states.clone();
        let expanded = self.engine.expand_row(states, BATCH, out);
        let done = out.ends.len();
        sources.extend(out.ends.drain(..).map(|end| Source { at: 0, bytes, end, handle: None }));
        if out.has_news(expanded) {
            let words = those.nth(done - 1).expect("there is one for each end");
            self.judge(cx, level, Vector { words, bytes, key: bytes }, expanded);
        }
        self.deepen(level, expanded);
    }

    /// Takes note of what is to be said of the state that was expanded last.
    #[cold]
    fn judge<T: Store>(&mut self, cx: &Context<'_, T>, level: usize, vector: Vector<'_>, expanded: Expanded) {
        let Buffers { out, sources, tags, first_tag, .. } = &mut self.buffers;
        let tag = tags.get(*first_tag + sources.len() - 1).copied().unwrap_or(Tag::NONE);
        self.verdicts.judge(cx, &mut self.engine, &Site { vector, level, tag }, expanded, &mut out.findings);
    }

    /// Takes note of how far steps went.
    #[inline(always)]
    fn deepen(&mut self, level: usize, expanded: Expanded) {
        if expanded.furthest > 1 || expanded.deepest > 0 {
            self.buffers.is_mixed |= expanded.furthest > 1;
            let inside = expanded.furthest.saturating_sub(1).max(expanded.deepest);
            self.sink.counts.deepen(level + inside as usize);
        }
    }

    /// Stores the successors that were gathered, if they are enough.
    #[inline(always)]
    fn flush_batch<T: Store>(&mut self, cx: &Context<'_, T>, session: &mut T::Session, level: usize) {
        if self.buffers.out.list.len() >= BATCH {
            self.flush(cx, session, level);
        }
    }

    /// Stores the successors that were gathered.
    fn flush<T: Store>(&mut self, cx: &Context<'_, T>, session: &mut T::Session, level: usize) {
        let is_limit = cx.control.plan.max_depth == Some(level);
        let is_plain = self.buffers.later.is_empty() && !self.sink.trace.is_wanted();
        if self.abroad.is_some() && is_plain {
            self.deal(cx, level);
        } else {
            self.find_owners();
            self.buffers.sort_out(is_limit, self.abroad.as_ref().map(Abroad::index));
            self.send(cx, level, |later, _| !later);
        }
        self.store(cx, session, level);
        if self.buffers.asks.contains(&true) {
            self.widen(cx, session, level);
        }
        if self.buffers.later.contains(&true) {
            self.weigh(cx, session);
        }
        self.buffers.clear();
    }

    /// Looks at what is left for later, and what that was good for.
    fn weigh<T: Store>(&mut self, cx: &Context<'_, T>, session: &mut T::Session) {
        let Worker { sample: Some(sample), buffers: Buffers { out, later, .. }, sink, .. } = self else { return };
        let Counts { stored, matched, .. } = sink.counts;
        for (next, _) in out.list.iter().zip(later).filter(|(_, later)| **later) {
            sample.offer(Vector { words: out.vector(next), bytes: next.bytes, key: next.key }, stored);
        }
        if let Some(gain) = sample.gain((cx.store, session), (stored, stored + matched)) {
            self.engine.learn(gain);
        }
    }

    fn store<T: Store>(&mut self, cx: &Context<'_, T>, session: &mut T::Session, level: usize) {
        self.store_near(cx, session, level + 1);
        if !self.buffers.far.items.is_empty() {
            self.keep_far(cx, session, level);
        }
    }

    /// Stores also what was left for later where the proviso wants it (Bošnački and Holzmann 2005): who leaves
    /// something for later must have a successor that is expanded after it, so that what is postponed is not
    /// postponed for ever. Such are those that were just stored, those that wait for a later level, and those
    /// of the next level; of these a thread knows its own only.
    fn widen<T: Store>(&mut self, cx: &Context<'_, T>, session: &mut T::Session, level: usize) {
        let Buffers { out, source_words, sources, near, far, fresh, known, later, asks, owners, .. } =
            &mut self.buffers;
        asks.resize(sources.len(), false);
        later.resize(out.list.len(), false);
        // What waits for a later level is not stored yet, unless it was reached by another way.
        known.clear();
        let batch = Batch { words: &out.words, items: &far.items, source_words, sources: &far.sources };
        cx.store.lookup(session, &batch, known);
        let far_new = far.places.iter().zip(&*known).filter(|(_, known)| !**known).map(|(&place, _)| place);
        let mut new = vec![0_u32; sources.len()];
        let mut chosen = vec![0_u32; sources.len()];
        let number = |place: u32| sources.partition_point(|source| source.end <= place);
        let mut is_fresh = vec![false; near.items.len()];
        fresh.iter().for_each(|it| is_fresh[it.place as usize] = true);
        let states = &self.sink.next.states;
        let batch = Batch { words: &out.words, items: &near.items, source_words, sources: &near.sources };
        for ((item, &place), is_fresh) in near.items.iter().zip(&near.places).zip(is_fresh) {
            let mut waits = || self.queued.contains(states, (cx.store, &mut *session), Vector::of(&batch, item));
            if is_fresh || asks[number(place)] && waits() {
                new[number(place)] += 1;
            }
        }
        far_new.for_each(|place| new[number(place)] += 1);
        near.places.iter().chain(&far.places).for_each(|&place| chosen[number(place)] += 1);
        let here = self.abroad.as_ref().map(Abroad::index);
        for (place, owner) in (0..).zip(owners.iter().map(|&it| it as usize)).filter(|(_, owner)| Some(*owner) != here)
        {
            // Those of other processes are not asked. The number of the process decides: along steps that are
            // taken for enough, the pair of this number and the time of expansion goes one way only, so that
            // there is no cycle of them. For safety some step must go down, for liveness none may.
            let counts = match cx.control.plan.proviso {
                Proviso::None => false,
                Proviso::Weak => Some(owner) < here,
                Proviso::Strong => Some(owner) > here,
            };
            if !later[place as usize] {
                chosen[number(place)] += 1;
                new[number(place)] += u32::from(counts);
            }
        }
        let is_enough = |source: usize| match cx.control.plan.proviso {
            Proviso::None => true,
            Proviso::Weak => new[source] > 0,
            Proviso::Strong => new[source] == chosen[source],
        };
        let must_widen: Vec<bool> = (0..sources.len()).map(|source| asks[source] && !is_enough(source)).collect();
        let is_limit = cx.control.plan.max_depth == Some(level);
        let is_near = |next: &Next| next.distance == 1 && !is_limit;
        near.clear();
        far.clear();
        let is_due = |place: u32| later[place as usize] && must_widen[number(place)];
        let is_here = |place: u32| owners.get(place as usize).map(|&it| it as usize) == here;
        divide(&out.list, sources, [near, far], |place, next| {
            (is_due(place) && is_here(place)).then(|| usize::from(!is_near(next)))
        });
        self.engine.regret((0..out.list.len() as u32).filter(|&place| is_due(place)).count() as u32);
        self.send(cx, level, |later, source| later && must_widen[source]);
        self.store(cx, session, level);
    }

    /// Stores the successors that belong to the next level.
    fn store_near<T: Store>(&mut self, cx: &Context<'_, T>, session: &mut T::Session, next: usize) {
        let Buffers { out, source_words, sources, tags, first_tag, near, fresh, .. } = &mut self.buffers;
        let Pile { items, places, sources: near_sources } = near;
        let near_sources = if near_sources.is_empty() { &*sources } else { near_sources };
        fresh.clear();
        if items.is_empty() {
            return;
        }
        let batch = Batch { words: &out.words, items, source_words, sources: near_sources };
        cx.store.insert(session, &batch, fresh);
        let mut origins = self.sink.trace.is_wanted().then(|| Origins::new(sources, &tags[*first_tag..]));
        let origin = |it: &Fresh| {
            let place = || places.get(it.place as usize).copied().unwrap_or(it.place);
            origins.as_mut().map(|origins| origins.of(place()))
        };
        let first = self.sink.next.states.len();
        self.sink.take(cx, next, &batch, fresh, origin);
        if self.asks_proviso && self.engine.is_looking() {
            let stored = fresh.iter().filter(|it| it.handle.is_some());
            for (number, it) in (first..).zip(stored) {
                self.queued.push(number, Vector::of(&batch, &items[it.place as usize]));
            }
        }
    }

    /// Keeps the successors that belong to later levels. Whether they are new is asked when their
    /// level is opened: states may be reached with fewer moves until then.
    fn keep_far<T: Store>(&mut self, cx: &Context<'_, T>, session: &mut T::Session, level: usize) {
        let limit = cx.control.plan.max_depth.unwrap_or(usize::MAX);
        if level == limit {
            // All states that can be reached with fewer moves are stored.
            return self.look_beyond(cx, session);
        }
        let Buffers { out, source_words, sources, tags, first_tag, far, .. } = &self.buffers;
        let batch = Batch { words: &out.words, items: &far.items, source_words, sources };
        let mut origins = self.sink.trace.is_wanted().then(|| Origins::new(sources, &tags[*first_tag..]));
        for (item, &place) in far.items.iter().zip(&far.places) {
            // Those beyond the limit wait together: they may yet be reached in time.
            let to = (level + item.note as usize).min(limit.saturating_add(1));
            let mut origin = origins.as_mut().map(|it| it.of(place));
            if let (Some(origin), Some(origins)) = (&mut origin, &origins) {
                cross(cx, &mut self.sink, (&sources[origins.source], source_words), level..to, origin);
            }
            self.sink.wait(to, Vector::of(&batch, item), origin);
        }
    }

    /// Nothing is stored beyond the limit of depth; whether all of it is known.
    fn look_beyond<T: Store>(&mut self, cx: &Context<'_, T>, session: &mut T::Session) {
        let Buffers { out, source_words, far, known, .. } = &mut self.buffers;
        let batch = Batch { words: &out.words, items: &far.items, source_words, sources: &far.sources };
        known.clear();
        cx.store.lookup(session, &batch, known);
        let matched = known.iter().filter(|&&known| known).count();
        self.sink.counts.matched += matched as u64;
        if matched < known.len() {
            cx.control.cut(StopReason::Depth);
        }
    }

    /// Stores what waited for a level that is opened.
    fn admit<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        session: &mut T::Session,
        level: usize,
        piece: &Waiting,
        range: Range<usize>,
    ) {
        let origins = piece.origins.get(range.clone()).unwrap_or_default();
        let is_beyond = cx.control.plan.max_depth.is_some_and(|limit| level > limit);
        let Buffers { out, near, far, .. } = &mut self.buffers;
        let pile = if is_beyond { &mut *far } else { &mut *near };
        for vector in piece.states.iter(range).filter_map(|state| state.vector) {
            pile.items.push(Item { at: out.words.len() as u32, bytes: vector.bytes, key: vector.key, note: 0 });
            out.words.extend_from_slice(vector.words);
        }
        if is_beyond {
            self.look_beyond(cx, session);
        } else {
            self.store_gathered(cx, session, level, origins);
        }
        self.buffers.clear();
    }
}

impl Buffers {
    /// Divides the successors by whether they belong to the next level; none does if the depth is
    /// at its limit.
    fn sort_out(&mut self, is_limit: bool, here: Option<usize>) {
        let Buffers { out: Successors { list, .. }, sources, near, far, owners, .. } = self;
        let is_here = |place: u32| owners.get(place as usize).map(|&it| it as usize) == here;
        let is_now = |place: u32| self.later.get(place as usize).is_none_or(|later| !later) && is_here(place);
        let is_near = |next: &Next| next.distance == 1 && !is_limit;
        if !self.later.is_empty() || here.is_some() {
            divide(list, sources, [near, far], |place, next| is_now(place).then(|| usize::from(!is_near(next))));
        } else if self.is_mixed || is_limit {
            divide_all(list, sources, [near, far], |next| !is_near(next));
        } else {
            near.take_all(list);
        }
    }

    /// Leaves those successors of the last source for later that are not in the best set.
    fn postpone(&mut self) {
        let Buffers { out, choice, later, sources, asks, .. } = self;
        let Some(set) = choice.sets.first() else { return };
        let first = out.list.len() - choice.pids.len();
        later.resize(first, false);
        later.extend((0..choice.pids.len()).map(|index| !choice.is_in(set, index)));
        asks.resize(sources.len() - 1, false);
        asks.push(!choice.is_free(0));
    }

    fn clear(&mut self) {
        self.out.clear();
        self.is_mixed = false;
        self.later.clear();
        self.asks.clear();
        self.source_words.clear();
        self.first_tag = (self.first_tag + self.sources.len()).min(self.tags.len());
        self.sources.clear();
        self.near.clear();
        self.far.clear();
        self.owners.clear();
    }
}
