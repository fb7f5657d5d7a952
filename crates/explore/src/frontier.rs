//! Where the states go that a breadth-first search reaches.

use crate::findings::Counts;
use crate::trace::{NONE, Origin, Tag, Trace};
use crate::vectors::{Form, States, Vector};
use crate::worker::Context;
use spinor_store::{Batch, Fresh, Handle, Store};
use std::collections::BTreeMap;

/// Stored states of one level that wait to be expanded.
#[derive(Debug, Default)]
pub(crate) struct Frontier {
    pub(crate) states: States,
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

    pub(crate) fn memory(&self) -> usize {
        self.states.memory() + self.tags.capacity() * size_of::<Tag>()
    }
}

/// How many levels have memory of states that waited before them.
const SPARES: usize = 2;

/// States that were reached by several moves, and are stored when their level is opened.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    pub(crate) states: States,
    /// None if they are not wanted.
    pub(crate) origins: Vec<Origin>,
}

impl Waiting {
    fn push(&mut self, vector: Vector<'_>, origin: Option<Origin>) {
        self.states.push_vector(vector);
        self.origins.extend(origin);
    }

    pub(crate) fn memory(&self) -> usize {
        self.states.memory() + self.origins.capacity() * size_of::<Origin>()
    }
}

/// Where one thread puts states.
pub(crate) struct Sink {
    pub(crate) next: Frontier,
    /// Memory of a frontier that was expanded, to be used again.
    pub(crate) spare: Frontier,
    pub(crate) far: BTreeMap<usize, Waiting>,
    /// Memory of states that waited, to be used again.
    spare_far: Vec<Waiting>,
    pub(crate) trace: Trace,
    pub(crate) counts: Counts,
    /// The goal, found: its level, and what it carries.
    pub(crate) found: Option<(usize, Tag)>,
}

impl Sink {
    pub(crate) fn new(trace: Trace) -> Sink {
        Sink {
            next: Frontier::default(),
            spare: Frontier::default(),
            far: BTreeMap::new(),
            spare_far: Vec::new(),
            trace,
            counts: Counts::default(),
            found: None,
        }
    }

    /// Takes a batch of states that belong to a level, those of them that are fresh: they join the
    /// frontier.
    #[inline]
    pub(crate) fn take<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        level: usize,
        batch: &Batch<'_>,
        fresh: &[Fresh],
        mut origin: impl FnMut(&Fresh) -> Option<Origin>,
    ) {
        self.counts.matched += (batch.items.len() - fresh.len()) as u64;
        let mut form: Option<Form> = None;
        for it in fresh {
            let item = &batch.items[it.place as usize];
            let vector = Vector::of(batch, item);
            let origin = origin(it);
            let Some(handle) = it.handle else {
                cx.control.set_full(true);
                self.wait(level, vector, origin);
                continue;
            };
            self.counts.stored += 1;
            self.counts.bytes += u64::from(item.bytes);
            // Most have the form of the one before.
            let form = match form {
                Some(form) if (form.bytes == item.bytes) & (form.key == item.key) => form,
                _ => {
                    let memo = cx.store.memo(item.bytes, item.key);
                    let new = *form.insert(Form { bytes: item.bytes, key: item.key, memo });
                    self.next.states.open(new);
                    new
                }
            };
            self.next.states.push_like(form, handle, vector.words);
            if let Some(origin) = origin {
                self.trace_back(cx, level, vector, handle, origin);
            }
        }
    }

    fn trace_back<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        level: usize,
        it: Vector<'_>,
        handle: Handle,
        origin: Origin,
    ) {
        let number = self.trace.note(origin);
        let mut middle = origin.tag.middle;
        if let Some(goal) = cx.goal {
            if middle == NONE && level >= goal.middle {
                middle = self.middle(cx, level, handle, it);
            }
            if goal.level.is_none_or(|wanted| wanted == level) && it.words == goal.target.words {
                self.found.get_or_insert((level, Tag { number, middle }));
                cx.control.set_done();
            }
        }
        self.next.tags.push(Tag { number, middle });
    }

    /// Notes a stored state as the middle of paths; its number.
    pub(crate) fn middle<T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        level: usize,
        handle: Handle,
        it: Vector<'_>,
    ) -> u32 {
        self.trace.levels.push(level as u32);
        self.trace.middles.push(cx.store.memo(it.bytes, it.key), handle, it);
        self.trace.number(self.trace.middles.len() - 1)
    }

    /// Keeps a state for a later level.
    pub(crate) fn wait(&mut self, level: usize, it: Vector<'_>, origin: Option<Origin>) {
        let Sink { far, spare_far, .. } = self;
        far.entry(level).or_insert_with(|| spare_far.pop().unwrap_or_default()).push(it, origin);
    }

    /// Keeps the memory of states that waited for those that will.
    pub(crate) fn reuse(&mut self, mut waiting: Waiting) {
        if self.spare_far.len() < SPARES {
            waiting.states.clear();
            waiting.origins.clear();
            self.spare_far.push(waiting);
        }
    }

    pub(crate) fn memory(&self) -> usize {
        self.next.memory()
            + self.spare.memory()
            + self.far.values().chain(&self.spare_far).map(Waiting::memory).sum::<usize>()
            + self.trace.memory()
    }
}
