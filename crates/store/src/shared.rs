//! A directory of segments that threads share. They hold it while they look up a batch. Who lets segments grow has it
//! alone, and all who come meanwhile help: a segment at a time, taken out of the directory, so that nobody else sees it.

use std::sync::atomic::{
    AtomicBool, AtomicUsize,
    Ordering::{AcqRel, Acquire, Release},
};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crossbeam_utils::sync::{ShardedLock, ShardedLockReadGuard, ShardedLockWriteGuard};

use crate::extendible::{Extendible, Grow, Growth};

/// How often a thread looks whether others are done before it offers its core to them.
const PATIENCE: u32 = 2000;

/// What is found by way of a directory.
pub(crate) trait Table {
    type Segment: Grow;

    fn directory(&mut self) -> &mut Extendible<Self::Segment>;

    /// Segments are not where they were.
    fn point(&mut self);
}

#[derive(Debug)]
pub(crate) struct Shared<T: Table> {
    table: ShardedLock<T>,
    /// Whether somebody lets segments grow, or is about to: nobody begins a batch then.
    is_growing: AtomicBool,
    work: Work<T::Segment>,
}

/// Segments that are not in their directory while they grow.
#[derive(Debug)]
struct Work<S> {
    /// How many nobody has taken yet, and how many have not grown yet.
    untaken: AtomicUsize,
    left: AtomicUsize,
    /// Those that nobody has taken yet.
    full: Mutex<Vec<Numbered<S>>>,
    grown: Mutex<Vec<Grown<S>>>,
}

/// A segment and its number.
pub(crate) type Numbered<S> = (u32, S);

/// A segment and its number, and its second half if it was split.
pub(crate) type Grown<S> = (u32, S, Option<S>);

/// What a mutex guards, whatever became of who had it last.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for others until something is so; `help` is what can be done meanwhile, false if it is nothing.
fn wait_until(is_so: impl Fn() -> bool, help: impl Fn() -> bool) {
    let mut looks = 0;
    while !is_so() {
        if help() {
            looks = 0;
        } else if looks < PATIENCE {
            looks += 1;
            std::hint::spin_loop();
        } else {
            // Who has a segment needs a core, perhaps this one.
            thread::yield_now();
        }
    }
}

impl<T: Table> Shared<T> {
    pub(crate) fn new(mut table: T) -> Shared<T> {
        table.point();
        Shared { table: ShardedLock::new(table), is_growing: AtomicBool::new(false), work: Work::default() }
    }

    pub(crate) fn into_inner(self) -> T {
        self.table.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The table, for as long as the guard lives. `enlarge` is as in [`Shared::grow`].
    #[inline]
    pub(crate) fn read(&self, enlarge: impl Enlarge<T::Segment>) -> ShardedLockReadGuard<'_, T> {
        if self.is_growing.load(Acquire) {
            wait_until(|| !self.is_growing.load(Acquire), || self.work.help(&enlarge));
        }
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a segment grow, and with it all others that are almost as full, which they are as a rule. `enlarge` makes one
    /// larger if it can, or splits it and returns the second half. False if it could not.
    pub(crate) fn grow(&self, growth: Growth, enlarge: impl Enlarge<T::Segment>) -> bool {
        wait_until(|| !self.is_growing.swap(true, AcqRel), || self.work.help(&enlarge));
        let _growing = Growing(&self.is_growing);
        let mut table = self.write();
        let directory = table.directory();
        if !directory.is_past(growth) {
            let (full, others) = directory.take_full(growth);
            directory.put_back(self.work.perform(full, others, enlarge));
            table.point();
        }
        table.directory().is_past(growth)
    }

    /// The table for this thread alone. The others end their batches, which takes less time than to sleep.
    fn write(&self) -> ShardedLockWriteGuard<'_, T> {
        let mut looks = (0..PATIENCE).inspect(|_| std::hint::spin_loop());
        let table = looks.find_map(|_| self.table.try_write().ok());
        table.unwrap_or_else(|| self.table.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<S: Grow> Work<S> {
    /// Lets segments grow, together with those who help; what they and the others are then.
    fn perform(&self, full: Vec<Numbered<S>>, others: Vec<Numbered<S>>, enlarge: impl Enlarge<S>) -> Vec<Grown<S>> {
        let count = full.len() + others.len();
        *lock(&self.grown) = others.into_iter().map(|(number, segment)| (number, segment, None)).collect();
        self.left.store(full.len(), Release);
        self.untaken.store(full.len(), Release);
        *lock(&self.full) = full;
        wait_until(|| self.left.load(Acquire) == 0, || self.help(&enlarge));
        let grown = std::mem::take(&mut *lock(&self.grown));
        assert_eq!(grown.len(), count, "a thread that helped has panicked");
        grown
    }

    /// Lets one segment grow; false if there is none.
    fn help(&self, enlarge: &impl Enlarge<S>) -> bool {
        if self.untaken.load(Acquire) == 0 {
            return false;
        }
        let Some((number, mut segment)) = lock(&self.full).pop() else { return false };
        self.untaken.fetch_sub(1, AcqRel);
        let _taken = Taken(&self.left);
        let high = enlarge(&mut segment);
        segment.load().give_up();
        lock(&self.grown).push((number, segment, high));
        true
    }
}

/// Somebody lets segments grow. Nobody waits for one who panicked.
struct Growing<'a>(&'a AtomicBool);

impl Drop for Growing<'_> {
    fn drop(&mut self) {
        self.0.store(false, Release);
    }
}

/// A segment that somebody has taken, until it is given back. Nobody waits for one that is lost.
struct Taken<'a>(&'a AtomicUsize);

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, AcqRel);
    }
}

impl<S> Default for Work<S> {
    fn default() -> Work<S> {
        Work {
            untaken: AtomicUsize::new(0),
            left: AtomicUsize::new(0),
            full: Mutex::default(),
            grown: Mutex::default(),
        }
    }
}

/// Makes a segment larger if it can, or splits it and returns the second half.
pub(crate) trait Enlarge<S>: Fn(&mut S) -> Option<S> {}

impl<S, F: Fn(&mut S) -> Option<S>> Enlarge<S> for F {}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{Shared, Table};
    use crate::extendible::{Extendible, Grow, Growth, Load, Urgency};
    use std::collections::HashSet;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    use std::thread;
    use std::time::{Duration, Instant};

    struct Piece {
        size: u32,
        load: Load,
    }

    impl Grow for Piece {
        fn depth(&self) -> u32 {
            2
        }

        fn size(&self) -> u32 {
            self.size
        }

        fn load(&self) -> &Load {
            &self.load
        }
    }

    struct Pieces(Extendible<Piece>);

    impl Table for Pieces {
        type Segment = Piece;

        fn directory(&mut self) -> &mut Extendible<Piece> {
            &mut self.0
        }

        fn point(&mut self) {}
    }

    /// Four segments that are full, but the last.
    fn pieces() -> Shared<Pieces> {
        let piece = |full| Piece { size: 3, load: Load::of(3, full, 0.5) };
        Shared::new(Pieces(Extendible::new([4, 4, 3, 0].map(piece).into())))
    }

    const FIRST: Growth = Growth { segment: 0, size: 3, urgency: Urgency::Now };

    #[test]
    fn who_comes_meanwhile_helps() {
        let pieces = pieces();
        let (who, is_over) = (Mutex::new(HashSet::new()), AtomicBool::new(false));
        let enlarge = |piece: &mut Piece| {
            who.lock().expect("no panic").insert(thread::current().id());
            let begun = Instant::now();
            while who.lock().expect("no panic").len() < 2 && begun.elapsed() < Duration::from_secs(20) {
                thread::yield_now();
            }
            piece.size += 1;
            None
        };
        let is_grown = thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(SeqCst) {
                    drop(pieces.read(enlarge));
                }
            });
            let is_grown = pieces.grow(FIRST, enlarge);
            is_over.store(true, SeqCst);
            is_grown
        });
        assert!(is_grown);
        assert_eq!(who.into_inner().expect("no panic").len(), 2);
        let sizes: Vec<u32> = pieces.into_inner().0.segments.iter().map(Grow::size).collect();
        assert_eq!(sizes, [4, 4, 4, 3]);
    }

    #[test]
    fn nobody_waits_for_who_panicked() {
        let pieces = pieces();
        let grown = catch_unwind(AssertUnwindSafe(|| pieces.grow(FIRST, |_| panic!("as asked"))));
        assert!(grown.is_err());
        drop(pieces.read(|_| None));
    }
}
