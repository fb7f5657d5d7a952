//! What one thread of a breadth-first search does: blocks of states, in batches.

use crate::control::Control;
use crate::findings::{Counts, Tally, Wrong, wrong_at};
use crate::report::StopReason;
use crate::trace::{Goal, NONE, Origin, Tag, Trace};
use crate::vectors::{State, Stored, Vector, Vectors};
use spinor_exec::{Cut, Expanded, Move, Next, Semantics, Successors};
use spinor_store::{Batch, Handle, Item, Seen, Source, Store, words_of};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Successors that are looked up together: enough to hide the latency of memory, few enough to
/// stay in the cache.
const BATCH: usize = 512;

/// Stored states of one level that wait to be expanded.
#[derive(Debug, Default)]
pub(crate) struct Frontier {
    pub(crate) states: Stored,
    /// None if they are not wanted.
    pub(crate) tags: Vec<Tag>,
}

impl Frontier {
    /// The same memory without states.
    pub(crate) fn cleared(mut self) -> Frontier {
        self.states.clear();
        self.tags.clear();
        self
    }
}

/// States that were reached by several moves, and are stored when their level is opened.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    vectors: Vectors,
    /// None if they are not wanted.
    origins: Vec<Origin>,
}

impl Waiting {
    fn push(&mut self, vector: Vector<'_>, origin: Option<Origin>) {
        self.vectors.push(vector);
        self.origins.extend(origin);
    }

    fn memory(&self) -> usize {
        self.vectors.memory() + self.origins.capacity() * size_of::<Origin>()
    }
}

#[derive(Debug)]
pub(crate) enum Work {
    /// Store what waited for this level.
    Admit(Vec<Waiting>),
    /// Expand the states of this level.
    Expand(Vec<Frontier>),
}

/// What all threads do together, in blocks that each takes when it is done with another.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) level: usize,
    pub(crate) work: Work,
    blocks: Vec<(usize, Range<usize>)>,
    next: AtomicUsize,
    pub(crate) states: usize,
    memory: usize,
}

impl Job {
    pub(crate) fn new(level: usize, work: Work, threads: usize) -> Job {
        let (lengths, memory): (Vec<usize>, usize) = match &work {
            Work::Admit(pieces) => {
                (pieces.iter().map(|it| it.vectors.len()).collect(), pieces.iter().map(Waiting::memory).sum())
            }
            Work::Expand(pieces) => (
                pieces.iter().map(|it| it.states.len()).collect(),
                pieces.iter().map(|it| it.states.memory() + it.tags.capacity() * size_of::<Tag>()).sum(),
            ),
        };
        let states: usize = lengths.iter().sum();
        let size = (states / (threads * 8)).clamp(16, 256);
        let blocks = lengths
            .iter()
            .enumerate()
            .flat_map(|(piece, &length)| {
                (0..length).step_by(size).map(move |begin| (piece, begin..length.min(begin + size)))
            })
            .collect();
        Job { level, work, blocks, next: AtomicUsize::new(0), states, memory }
    }

    fn take(&self) -> Option<&(usize, Range<usize>)> {
        self.blocks.get(self.next.fetch_add(1, Relaxed))
    }

    /// Whether every block was taken. Blocks that were taken are always finished.
    pub(crate) fn is_done(&self) -> bool {
        self.next.load(Relaxed) >= self.blocks.len()
    }
}

/// What threads share.
pub(crate) struct Context<'a, T> {
    pub(crate) control: &'a Control<'a>,
    pub(crate) store: &'a T,
    pub(crate) goal: Option<&'a Goal>,
}

/// A violation whose path is not known yet.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) wrong: Wrong,
    pub(crate) state: State,
    pub(crate) level: usize,
    pub(crate) tag: Tag,
    /// The moves to the state, once they are known.
    pub(crate) path: Option<Vec<Move>>,
}

impl Candidate {
    pub(crate) fn length(&self) -> usize {
        self.level + self.wrong.tail.len()
    }
}

/// One thread of a breadth-first search.
pub(crate) struct Worker<S> {
    pub(crate) engine: S,
    pub(crate) sink: Sink,
    pub(crate) tally: Tally,
    pub(crate) candidates: Vec<Candidate>,
    buffers: Buffers,
    index: usize,
}

/// Where states go.
pub(crate) struct Sink {
    pub(crate) next: Frontier,
    /// Memory of a frontier that was expanded, to be used again.
    pub(crate) spare: Frontier,
    pub(crate) far: BTreeMap<usize, Waiting>,
    pub(crate) trace: Trace,
    pub(crate) counts: Counts,
    /// The goal, found: its level, and what it carries.
    pub(crate) found: Option<(usize, Tag)>,
}

/// Memory that is used again.
#[derive(Default)]
struct Buffers {
    out: Successors,
    source_words: Vec<u64>,
    sources: Vec<Source>,
    tags: Vec<Tag>,
    near: Pile,
    far: Pile,
    seen: Vec<Seen>,
    known: Vec<bool>,
}

/// Successors to be looked up together.
#[derive(Default)]
struct Pile {
    items: Vec<Item>,
    /// For each: which successor of its source it is, and how many moves away.
    steps: Vec<(u32, u32)>,
}

impl Pile {
    fn push(&mut self, next: &Next, source: u32, successor: u32) {
        self.items.push(Item { at: next.at, bytes: next.bytes, key: next.key, source });
        self.steps.push((successor, next.distance));
    }

    fn clear(&mut self) {
        self.items.clear();
        self.steps.clear();
    }
}

fn vector<'a>(words: &'a [u64], item: &Item) -> Vector<'a> {
    let at = item.at as usize;
    Vector { words: &words[at..at + words_of(item.bytes)], bytes: item.bytes, key: item.key }
}

impl Sink {
    /// A state that is new joins the frontier.
    fn enter<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        level: usize,
        it: Vector<'_>,
        handle: Handle,
        origin: Option<Origin>,
    ) {
        self.counts.stored += 1;
        self.counts.bytes += u64::from(it.bytes);
        keep::<T>(&mut self.next.states, handle, it);
        let Some(origin) = origin else { return };
        let number = self.trace.note(origin);
        let mut middle = origin.tag.middle;
        if let Some(goal) = cx.goal {
            if middle == NONE && level >= goal.middle {
                middle = self.middle::<T>(level, handle, it);
            }
            if goal.level.is_none_or(|wanted| wanted == level) && it.words == goal.target.words {
                self.found.get_or_insert((level, Tag { number, middle }));
                cx.control.set_done();
            }
        }
        self.next.tags.push(Tag { number, middle });
    }

    fn middle<T: Store>(&mut self, level: usize, handle: Handle, it: Vector<'_>) -> u32 {
        self.trace.levels.push(level as u32);
        keep::<T>(&mut self.trace.middles, handle, it);
        self.trace.number(self.trace.middles.len() - 1)
    }

    /// Keeps a state for a later level.
    fn wait(&mut self, level: usize, it: Vector<'_>, origin: Option<Origin>) {
        self.far.entry(level).or_default().push(it, origin);
    }
}

fn keep<T: Store>(states: &mut Stored, handle: Handle, it: Vector<'_>) {
    if T::RECOVERS {
        states.handles.push(handle);
    } else {
        states.vectors.push(it);
    }
}

impl<S: Semantics> Worker<S> {
    pub(crate) fn new(engine: S, index: usize, trace: Trace) -> Worker<S> {
        let sink = Sink {
            next: Frontier::default(),
            spare: Frontier::default(),
            far: BTreeMap::new(),
            trace,
            counts: Counts::default(),
            found: None,
        };
        let buffers = Buffers::default();
        Worker { engine, sink, tally: Tally::default(), candidates: Vec::new(), buffers, index }
    }

    /// Lets a state wait for its level: how a search begins.
    pub(crate) fn begin(&mut self, first: &State) {
        let origin = self.sink.trace.is_wanted().then_some(Origin { tag: Tag::NONE, successor: 0 });
        self.sink.wait(0, first.vector(), origin);
    }

    /// Takes blocks of a job until there are no more.
    pub(crate) fn work<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        session: &mut T::Session,
        job: &Job,
        after_block: &mut dyn FnMut(&Worker<S>),
    ) {
        self.buffers.out.limit = cx.control.limit(cx.store);
        while !cx.control.must_rest()
            && let Some((piece, range)) = job.take()
        {
            match &job.work {
                Work::Admit(pieces) => self.admit(cx, session, job.level, &pieces[*piece], range.clone()),
                Work::Expand(pieces) => self.expand(cx, session, job.level, &pieces[*piece], range.clone()),
            }
            let level = if self.index == 0 { job.memory } else { 0 };
            cx.control.set_size(self.index, self.memory() + level);
            after_block(self);
        }
    }

    fn memory(&self) -> usize {
        let Buffers { out, source_words, .. } = &self.buffers;
        let next = &self.sink.next;
        (out.words.capacity() + source_words.capacity()) * 8
            + next.states.memory()
            + self.sink.spare.states.memory()
            + next.tags.capacity() * size_of::<Tag>()
            + self.sink.far.values().map(Waiting::memory).sum::<usize>()
            + self.sink.trace.memory()
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
        for index in range {
            let at = self.load(cx, session, piece, index);
            let source = self.buffers.sources.len() - 1;
            let first = self.buffers.out.list.len();
            let expanded = self.engine.expand(&self.buffers.source_words[at..], &mut self.buffers.out);
            if let Some(cut) = expanded.cut {
                cx.control.halt(if cut == Cut::Bytes { StopReason::Memory } else { StopReason::Time });
            }
            if cx.goal.is_some() {
                self.buffers.out.findings.clear();
            } else if !expanded.moved || !self.buffers.out.findings.is_empty() {
                self.judge(cx, level, expanded);
            }
            let furthest = self.buffers.sort_out(first, source as u32, cx.control.plan.max_depth, level);
            let inside = (furthest as usize).saturating_sub(1).max(expanded.deepest as usize);
            self.sink.counts.deepen(level + inside);
            if self.buffers.out.list.len() >= BATCH {
                self.flush(cx, session, level);
            }
        }
        self.flush(cx, session, level);
    }

    /// Puts a state of the frontier in its place as a source; where its words begin.
    fn load<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        session: &mut T::Session,
        piece: &Frontier,
        index: usize,
    ) -> usize {
        let buffers = &mut self.buffers;
        let at = buffers.source_words.len();
        let (bytes, handle) = if T::RECOVERS {
            let handle = piece.states.handles[index];
            (cx.store.load(session, handle, &mut buffers.source_words), handle)
        } else {
            let it = piece.states.vectors.get(index);
            buffers.source_words.extend_from_slice(it.words);
            (it.bytes, Handle(0))
        };
        buffers.sources.push(Source { at: at as u32, bytes, handle });
        buffers.tags.push(piece.tags.get(index).copied().unwrap_or(Tag::NONE));
        at
    }

    /// Notes what is wrong at the state that was just expanded.
    fn judge<T: Store>(&mut self, cx: &Context<'_, T>, level: usize, expanded: Expanded) {
        let buffers = &mut self.buffers;
        let (Some(source), Some(&tag)) = (buffers.sources.last(), buffers.tags.last()) else { return };
        let words = &buffers.source_words[source.at as usize..];
        let plan = cx.control.plan;
        for wrong in wrong_at(&mut self.engine, cx.control, words, expanded, &mut buffers.out.findings) {
            if plan.keep_going {
                self.tally.add(wrong.kind, 1);
                let moves: usize = self.candidates.iter().map(|it| it.wrong.tail.len()).sum();
                if self.candidates.len() >= plan.max_violations || moves > plan.max_moves {
                    continue;
                }
            } else if !cx.control.improves(level + wrong.tail.len()) {
                continue;
            } else {
                self.candidates.clear();
                cx.control.violated();
            }
            let state = State { words: words.to_vec(), bytes: source.bytes, key: source.bytes };
            self.candidates.push(Candidate { wrong, state, level, tag, path: None });
        }
    }

    /// Stores the successors that were gathered.
    fn flush<T: Store>(&mut self, cx: &Context<'_, T>, session: &mut T::Session, level: usize) {
        self.store_near(cx, session, level + 1);
        if !self.buffers.far.items.is_empty() {
            self.keep_far(cx, session, level);
        }
        self.buffers.clear();
    }

    /// Stores the successors that belong to the next level.
    fn store_near<T: Store>(&mut self, cx: &Context<'_, T>, session: &mut T::Session, next: usize) {
        let Buffers { out, source_words, sources, tags, near, seen, .. } = &mut self.buffers;
        let wanted = self.sink.trace.is_wanted();
        seen.clear();
        cx.store.insert(session, &Batch { words: &out.words, items: &near.items, source_words, sources }, seen);
        for ((item, &(successor, _)), seen) in near.items.iter().zip(&near.steps).zip(&*seen) {
            let origin = || wanted.then(|| Origin { tag: tags[item.source as usize], successor });
            match *seen {
                Seen::New(handle) => self.sink.enter(cx, next, vector(&out.words, item), handle, origin()),
                Seen::Old => self.sink.counts.matched += 1,
                Seen::Full => {
                    cx.control.set_full(true);
                    self.sink.wait(next, vector(&out.words, item), origin());
                }
            }
        }
    }

    /// Keeps the successors that belong to later levels, unless they are stored already: then a
    /// shorter way to them is known.
    fn keep_far<T: Store>(&mut self, cx: &Context<'_, T>, session: &mut T::Session, level: usize) {
        let Buffers { out, source_words, sources, tags, far, known, .. } = &mut self.buffers;
        let wanted = self.sink.trace.is_wanted();
        let limit = cx.control.plan.max_depth.unwrap_or(usize::MAX);
        known.clear();
        cx.store.lookup(session, &Batch { words: &out.words, items: &far.items, source_words, sources }, known);
        for ((item, &(successor, distance)), &known) in far.items.iter().zip(&far.steps).zip(&*known) {
            if known {
                self.sink.counts.matched += 1;
                continue;
            }
            if level == limit {
                // All states that can be reached with fewer moves are stored.
                cx.control.cut(StopReason::Depth);
                continue;
            }
            // Those beyond the limit wait together: they may yet be reached in time.
            let to = (level + distance as usize).min(limit.saturating_add(1));
            let mut origin = wanted.then(|| Origin { tag: tags[item.source as usize], successor });
            if let (Some(goal), Some(origin)) = (cx.goal, &mut origin)
                && origin.tag.middle == NONE
                && level > 0
                && to >= goal.middle
            {
                // The step jumps across the middle, perhaps to the goal itself.
                let source = &sources[item.source as usize];
                let words = &source_words[source.at as usize..][..words_of(source.bytes)];
                let it = Vector { words, bytes: source.bytes, key: source.bytes };
                origin.tag.middle = self.sink.middle::<T>(level, source.handle, it);
            }
            self.sink.wait(to, vector(&out.words, item), origin);
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
        let Buffers { out, near, seen, known, .. } = &mut self.buffers;
        for index in range.clone() {
            let it = piece.vectors.get(index);
            near.items.push(Item { at: out.words.len() as u32, bytes: it.bytes, key: it.key, source: NONE });
            out.words.extend_from_slice(it.words);
        }
        let batch = Batch { words: &out.words, items: &near.items, source_words: &[], sources: &[] };
        if cx.control.plan.max_depth.is_some_and(|limit| level > limit) {
            known.clear();
            cx.store.lookup(session, &batch, known);
            let matched = known.iter().filter(|&&known| known).count();
            self.sink.counts.matched += matched as u64;
            if matched < known.len() {
                cx.control.cut(StopReason::Depth);
            }
        } else {
            seen.clear();
            cx.store.insert(session, &batch, seen);
            for ((index, item), seen) in range.zip(&near.items).zip(&*seen) {
                let origin = piece.origins.get(index).copied();
                match *seen {
                    Seen::New(handle) => self.sink.enter(cx, level, vector(&out.words, item), handle, origin),
                    Seen::Old => self.sink.counts.matched += 1,
                    Seen::Full => {
                        cx.control.set_full(true);
                        self.sink.wait(level, vector(&out.words, item), origin);
                    }
                }
            }
        }
        self.buffers.clear();
    }
}

impl Buffers {
    /// Divides the successors of a source, the first of which is given, by whether they belong to
    /// the next level. The greatest of their distances.
    fn sort_out(&mut self, first: usize, source: u32, max_depth: Option<usize>, level: usize) -> u32 {
        let mut furthest = 0;
        let near_is_far = max_depth == Some(level);
        for (successor, next) in self.out.list[first..].iter().enumerate() {
            furthest = furthest.max(next.distance);
            let pile = if next.distance == 1 && !near_is_far { &mut self.near } else { &mut self.far };
            pile.push(next, source, successor as u32);
        }
        furthest
    }

    fn clear(&mut self) {
        self.out.clear();
        self.source_words.clear();
        self.sources.clear();
        self.tags.clear();
        self.near.clear();
        self.far.clear();
    }
}
