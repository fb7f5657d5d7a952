//! What goes to other processes and comes from them, and what others wrote down.

use super::{BATCH, Buffers, Context, Origins, Worker, cross};
use crate::checkpoint::{Recorder, Resume};
use crate::expand::Expand;
use crate::peers::{Abroad, Arrival, Translation, drain};
use crate::report::StopReason;
use crate::trace::Origin;
use crate::vectors::{State, States, Vector, append};
use spinor_exec::Next;
use spinor_store::{Batch, Item, Source, Store};
use std::cmp::Ordering;
use std::io;
use std::path::Path;

impl Buffers {
    /// Divides successors by whose they are, and those of this process by whether they belong to the next level. Most do:
    /// they are taken in runs.
    fn part(&mut self, here: usize, is_limit: bool) {
        let Buffers { out, sources, near, far, owners, there, .. } = self;
        let list = &out.list;
        there.clear();
        let mut begin = 0;
        for (place, (next, &owner)) in list.iter().zip(&*owners).enumerate() {
            let is_here = owner as usize == here;
            if is_here & (next.distance == 1) & !is_limit {
                continue;
            }
            near.take_all(&list[begin..place]);
            begin = place + 1;
            if is_here {
                far.push(place as u32, next);
            } else {
                there.push(place as u32);
            }
        }
        near.take_all(&list[begin..]);
        let (mut fars, mut theres) = (0, 0);
        for source in &*sources {
            fars += far.places[fars..].iter().take_while(|&&place| place < source.end).count();
            theres += there[theres..].iter().take_while(|&&place| place < source.end).count();
            near.sources.push(Source { end: source.end - (fars + theres) as u32, ..*source });
            far.sources.push(Source { end: fars as u32, ..*source });
        }
    }
}

impl<S: Expand> Worker<S> {
    /// The same, if the state belongs to this process.
    pub(crate) fn begin_here(&mut self, first: &State) {
        let is_here = match &mut self.abroad {
            Some(abroad) => abroad.owner(self.engine.atlas(), first.vector()) == abroad.index(),
            None => true,
        };
        if is_here {
            self.begin(first);
        }
    }

    /// Divides successors, and sends those at once that belong to other processes: what [`Self::find_owners`],
    /// [`Buffers::sort_out`] and [`Self::send`] do, if nothing is left for later and nobody asks where successors come
    /// from.
    pub(super) fn deal<T: Store>(&mut self, cx: &Context<'_, T>, level: usize) {
        self.find_owners();
        let Worker { abroad: Some(abroad), engine, sink, buffers, .. } = self else { return };
        let limit = cx.control.plan.max_depth.unwrap_or(usize::MAX);
        buffers.part(abroad.index(), level == limit);
        let Buffers { out, owners, there, hashes, .. } = buffers;
        let vector = |next: &Next| Vector { words: out.vector(next), bytes: next.bytes, key: next.key };
        // These looks do not wait for each other.
        hashes.clear();
        hashes.extend(there.iter().map(|&place| abroad.anticipate(vector(&out.list[place as usize]))));
        let atlas = engine.atlas();
        for (&place, &hash) in there.iter().zip(&*hashes) {
            let next = &out.list[place as usize];
            let level = (level + next.distance as usize).min(limit.saturating_add(1));
            let arrival = Arrival { level, vector: vector(next), origin: None };
            let to = owners[place as usize] as usize;
            sink.counts.matched += u64::from(!abroad.push(atlas, (to, hash), &arrival));
        }
    }

    pub(super) fn find_owners(&mut self) {
        let Worker { abroad: Some(abroad), engine, buffers: Buffers { out, owners, .. }, .. } = self else { return };
        abroad.owners(engine.atlas(), out, owners);
    }

    /// Sends those successors to other processes that are theirs and wanted: by whether they are left for later,
    /// and by the number of their source.
    pub(super) fn send<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        level: usize,
        is_wanted: impl Fn(bool, usize) -> bool,
    ) {
        let Worker { abroad: Some(abroad), engine, sink, .. } = self else { return };
        let Buffers { out, sources, source_words, tags, first_tag, owners, later, .. } = &self.buffers;
        let beyond = cx.control.plan.max_depth.map_or(usize::MAX, |limit| limit.saturating_add(1));
        let mut origins = sink.trace.is_wanted().then(|| Origins::new(sources, &tags[*first_tag..]));
        let mut source = 0;
        for (place, next) in out.list.iter().enumerate() {
            while sources[source].end as usize <= place {
                source += 1;
            }
            let is_later = later.get(place).copied().unwrap_or(false);
            if owners[place] as usize == abroad.index() || !is_wanted(is_later, source) {
                continue;
            }
            let mut origin = origins.as_mut().map(|it| it.of(place as u32));
            let vector = Vector { words: out.vector(next), bytes: next.bytes, key: next.key };
            let to = (level + next.distance as usize).min(beyond);
            if let Some(origin) = &mut origin
                && next.distance > 1
            {
                cross(cx, sink, (&sources[source], source_words), level..to, origin);
            }
            let level = to;
            let to = (owners[place] as usize, abroad.anticipate(vector));
            if !abroad.push(engine.atlas(), to, &Arrival { level, vector, origin }) {
                sink.counts.matched += 1;
            }
        }
    }

    /// Takes what other processes sent in this round. What belongs to the next level is stored.
    pub(crate) fn receive<T: Store>(&mut self, cx: &Context<'_, T>, session: &mut T::Session, next: usize) {
        if let Some(peers) = &cx.control.plan.peers {
            drain(cx.control, &**peers, |from, words| self.accept(cx, session, next, (from, words)));
        }
    }

    /// Takes a message.
    pub(crate) fn accept<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        session: &mut T::Session,
        next: usize,
        (from, mut words): (usize, Vec<u64>),
    ) {
        if self.abroad.as_mut().is_some_and(|it| it.hear(cx.control, &words)) {
            return;
        }
        let Worker { abroad: Some(abroad), engine, sink, buffers: Buffers { near, .. }, .. } = self else { return };
        let is_beyond = cx.control.plan.max_depth.is_some_and(|limit| next > limit);
        let mut origins = Vec::new();
        let mut received = 0;
        abroad.read(engine.atlas(), from, &mut words, |at, Arrival { level, vector, origin }| {
            received += 1;
            if level != next || is_beyond {
                return sink.wait(level, vector, origin);
            }
            near.items.push(Item { at: at as u32, bytes: vector.bytes, key: vector.key, note: 0 });
            origins.extend(origin);
        });
        self.received += received;
        self.store_waiting(cx, session, next, (&words, &origins));
        self.buffers.near.clear();
    }

    /// Stores the states of the pile of the next level, which were gathered in place of successors.
    pub(super) fn store_gathered<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        session: &mut T::Session,
        level: usize,
        origins: &[Origin],
    ) {
        let words = std::mem::take(&mut self.buffers.out.words);
        self.store_waiting(cx, session, level, (&words, origins));
        self.buffers.out.words = words;
    }

    /// The same, with words from elsewhere.
    fn store_waiting<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        session: &mut T::Session,
        level: usize,
        (words, origins): (&[u64], &[Origin]),
    ) {
        let Buffers { near, fresh, .. } = &mut self.buffers;
        for (number, items) in near.items.chunks(BATCH).enumerate() {
            let origins = origins.get(number * BATCH..).unwrap_or_default();
            fresh.clear();
            let batch = Batch { words, items, source_words: &[], sources: &[] };
            cx.store.insert(session, &batch, fresh);
            self.sink.take(cx, level, &batch, fresh, |it| origins.get(it.place as usize).copied());
        }
    }

    /// Takes up what other processes wrote down, as far as it belongs to this one.
    pub(crate) fn load<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        session: &mut T::Session,
        (directory, resume): (&Path, &Resume),
        mut recorder: Option<&mut Recorder>,
    ) -> io::Result<()> {
        self.sink.far.clear();
        let mut loaded = Vec::new();
        for part in resume.parts() {
            let mut translation = Translation::default();
            let mut closed = States::default();
            part.read(directory, |words| {
                let Worker { engine, abroad, sink, .. } = self;
                translation.read(engine.atlas(), words, |_, Arrival { level, vector, .. }| {
                    let is_here = |it: &mut Abroad| it.owner(engine.atlas(), vector) == it.index();
                    if !abroad.as_mut().is_none_or(is_here) {
                        return;
                    }
                    match level.cmp(&resume.level) {
                        Ordering::Less => {
                            if let Some(recorder) = &mut recorder {
                                recorder.push(engine.atlas(), level, vector);
                            }
                            closed.push_vector(vector);
                        }
                        Ordering::Equal => loaded.push(vector.to_state()),
                        Ordering::Greater => sink.wait(level, vector, None),
                    }
                });
                if closed.len() >= BATCH {
                    self.close(cx, session, &closed);
                    closed.clear();
                }
            })?;
            self.close(cx, session, &closed);
        }
        for states in loaded.chunks(BATCH) {
            let Buffers { out, near, .. } = &mut self.buffers;
            for State { words, bytes, key } in states {
                near.items.push(Item { at: out.words.len() as u32, bytes: *bytes, key: *key, note: 0 });
                append(&mut out.words, words);
            }
            self.store_gathered(cx, session, resume.level, &[]);
            self.buffers.clear();
        }
        Ok(())
    }

    /// Stores states that were expanded.
    fn close<T: Store>(&mut self, cx: &Context<'_, T>, session: &mut T::Session, states: &States) {
        let Buffers { out, near, fresh, .. } = &mut self.buffers;
        for vector in states.iter(0..states.len()).filter_map(|it| it.vector) {
            near.items.push(Item { at: out.words.len() as u32, bytes: vector.bytes, key: vector.key, note: 0 });
            append(&mut out.words, vector.words);
        }
        fresh.clear();
        let batch = Batch { words: &out.words, items: &near.items, source_words: &[], sources: &[] };
        cx.store.insert(session, &batch, fresh);
        if fresh.iter().any(|it| it.handle.is_none()) {
            cx.control.halt(StopReason::Memory);
        }
        self.buffers.clear();
    }
}
