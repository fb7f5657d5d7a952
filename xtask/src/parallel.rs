//! A loop spread over threads, its results taken in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Calls `work` for each index below `count` on `jobs` threads, and `done` with
/// each result, in the order of the indices, on the calling thread.
pub(crate) fn for_each<R: Send>(count: usize, jobs: usize, work: impl Fn(usize) -> R + Sync, mut done: impl FnMut(R)) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let (next, work, sender) = (&next, &work, sender.clone());
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || sender.send((index, work(index))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut turn = 0;
        for (index, result) in receiver {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&turn) {
                done(result);
                turn += 1;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::for_each;

    #[test]
    fn results_come_in_order() {
        let mut seen = Vec::new();
        for_each(50, 4, |index| index * 2, |result| seen.push(result));
        assert_eq!(seen, (0..50).map(|index| index * 2).collect::<Vec<_>>());
    }
}
