//! Limits, and who may end a search.

use crate::observe::{Observer, Progress};
use crate::plan::Plan;
use crate::report::StopReason;
use spinor_exec::Limit;
use spinor_store::Store;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Bytes of successors that one state may have when no limit on memory is given. Vectors of
/// successors are addressed by 32 bits.
const EXPANSION_BYTES: usize = 4 << 30;

/// What a thread uses besides the store. It is written often, so that it has cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Size(AtomicUsize);

/// What all threads of a search look at.
pub(crate) struct Control<'a> {
    pub(crate) plan: &'a Plan,
    begun: Instant,
    stopped: Mutex<Option<StopReason>>,
    /// The search must end now.
    halted: AtomicBool,
    /// There is no room for more states.
    full: AtomicBool,
    /// Nothing more is wanted: what was looked for is found.
    done: AtomicBool,
    /// What each thread uses besides the store.
    sizes: Vec<Size>,
    peak: AtomicUsize,
    /// The length of the shortest violation that is known.
    best: AtomicUsize,
}

impl<'a> Control<'a> {
    pub(crate) fn new(plan: &'a Plan, begun: Instant) -> Control<'a> {
        Control {
            plan,
            begun,
            stopped: Mutex::new(None),
            halted: AtomicBool::new(false),
            full: AtomicBool::new(false),
            done: AtomicBool::new(false),
            sizes: (0..plan.threads).map(|_| Size::default()).collect(),
            peak: AtomicUsize::new(0),
            best: AtomicUsize::new(usize::MAX),
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// How far one expansion may go.
    pub(crate) fn limit<T: Store>(&self, store: &T) -> Limit {
        let bytes = match self.plan.max_memory {
            Some(limit) => limit.saturating_sub(store.memory()).clamp(1 << 20, EXPANSION_BYTES),
            None => EXPANSION_BYTES,
        };
        Limit { bytes, until: self.plan.max_time.and_then(|time| self.begun.checked_add(time)) }
    }

    /// The search ends here.
    pub(crate) fn halt(&self, reason: StopReason) {
        self.set(|stopped| {
            // What a violation is worth does not depend on what happens later.
            if *stopped != Some(StopReason::Violation) {
                *stopped = Some(reason);
            }
        });
        self.halted.store(true, Relaxed);
    }

    /// Something was not followed, but the search goes on.
    pub(crate) fn cut(&self, reason: StopReason) {
        self.set(|stopped| {
            stopped.get_or_insert(reason);
        });
    }

    /// A violation was found. Breadth-first search goes on until nothing shorter can come.
    pub(crate) fn violated(&self) {
        self.set(|stopped| *stopped = Some(StopReason::Violation));
    }

    /// Whether a violation of this length is shorter than all that are known. Then it is known.
    pub(crate) fn improves(&self, length: usize) -> bool {
        length < self.best.fetch_min(length, Relaxed)
    }

    /// Whether no violation is known. Then one is.
    pub(crate) fn is_first(&self) -> bool {
        self.improves(0)
    }

    /// Whether a violation is known that is not longer, and one is enough.
    pub(crate) fn is_beaten(&self, length: usize) -> bool {
        !self.plan.keep_going && self.best.load(Relaxed) <= length
    }

    fn set(&self, change: impl FnOnce(&mut Option<StopReason>)) {
        change(&mut self.stopped.lock().expect("no panic under the lock"));
    }

    pub(crate) fn stopped(&self) -> Option<StopReason> {
        *self.stopped.lock().expect("no panic under the lock")
    }

    /// The length of the shortest violation that is known.
    pub(crate) fn best(&self) -> usize {
        self.best.load(Relaxed)
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Relaxed)
    }

    pub(crate) fn is_halted(&self) -> bool {
        self.halted.load(Relaxed)
    }

    pub(crate) fn set_full(&self, full: bool) {
        self.full.store(full, Relaxed);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    pub(crate) fn set_done(&self) {
        self.done.store(true, Relaxed);
    }

    /// Whether all threads must lay down their work.
    pub(crate) fn must_rest(&self) -> bool {
        self.is_halted() || self.is_full() || self.is_done()
    }

    /// Notes what a thread uses besides the store.
    pub(crate) fn set_size(&self, thread: usize, bytes: usize) {
        self.sizes[thread].0.store(bytes, Relaxed);
    }

    /// Bytes in use, with the store.
    pub(crate) fn memory<T: Store>(&self, store: &T) -> usize {
        let memory = store.memory() + self.sizes.iter().map(|size| size.0.load(Relaxed)).sum::<usize>();
        // What all threads look at is written only if need be.
        if memory > self.peak() {
            self.peak.fetch_max(memory, Relaxed);
        }
        memory
    }

    pub(crate) fn peak(&self) -> usize {
        self.peak.load(Relaxed)
    }

    /// Looks at the limits and tells the observer where the search is; one thread does. What else
    /// there is to tell is in `progress`.
    pub(crate) fn watch<T: Store>(&self, store: &T, progress: Progress, observer: &mut dyn Observer) {
        let memory = self.memory(store);
        let progress = Progress { stored: store.len(), memory, fill: store.fill(), ..progress };
        if !observer.observe(&progress) {
            self.halt(StopReason::Interrupted);
        } else if self.plan.max_time.is_some_and(|limit| self.elapsed() > limit) {
            self.halt(StopReason::Time);
        } else if self.plan.max_memory.is_some_and(|limit| memory > limit) {
            self.set_full(true);
        }
    }
}
