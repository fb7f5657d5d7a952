//! Several searches with a lossy store, each with hash functions of its own: what one omits another
//! may visit (Holzmann, Joshi and Groce: Swarm verification techniques, 2011).

mod together;

use crate::observe::Observer;
use crate::plan::Plan;
use crate::report::{Report, Run, StopReason};
use std::time::{Duration, Instant};

/// A search with a plan.
type Search<'a> = dyn FnMut(&Plan, &mut dyn Observer) -> Report + 'a;

/// Makes one search after the other, up to the first that finds a violation or hits a limit; several processes divide
/// them. The report is that of the last if it found something, else that of the one that got furthest.
pub(crate) fn swarm(
    plan: &Plan,
    observer: &mut dyn Observer,
    mut search: impl FnMut(&Plan, &mut dyn Observer) -> Report,
) -> Report {
    if plan.swarm <= 1 || !plan.store.is_lossy() {
        return search(plan, observer);
    }
    let begun = Instant::now();
    let mut report = match &plan.peers {
        Some(peers) => together::divide(plan, &**peers, observer, &mut search),
        None => several(plan, 0..u64::from(plan.swarm), observer, &mut search).expect("there was a search"),
    };
    report.statistics.time = begun.elapsed();
    report
}

/// Makes the searches with these numbers; nothing if there are none.
fn several(
    plan: &Plan,
    numbers: impl Iterator<Item = u64>,
    observer: &mut dyn Observer,
    search: &mut Search<'_>,
) -> Option<Report> {
    let begun = Instant::now();
    let mut runs = Vec::new();
    let mut best: Option<Report> = None;
    for number in numbers {
        let seed = plan.seed.wrapping_add(number);
        let max_time = plan.max_time.map(|time| time.saturating_sub(begun.elapsed()));
        let report = search(&Plan { seed, max_time, ..plan.clone() }, observer);
        let expected_omissions = report.trust.expected_omissions();
        runs.push(Run { seed, statistics: report.statistics, expected_omissions });
        let is_last = report.errors > 0 || ends_all(report.stopped, max_time);
        best = Some(match best {
            Some(best) => merge(best, report),
            None => report,
        });
        if is_last {
            break;
        }
    }
    best.map(|report| Report { runs, ..report })
}

/// Whether the others would come to the same end.
fn ends_all(stopped: Option<StopReason>, max_time: Option<Duration>) -> bool {
    matches!(stopped, Some(StopReason::Interrupted | StopReason::Time)) || max_time.is_some_and(|time| time.is_zero())
}

fn merge(mut one: Report, mut other: Report) -> Report {
    one.unreached.retain(|it| other.unreached.contains(it));
    other.unreached.clone_from(&one.unreached);
    let stopped = other.stopped.or(one.stopped);
    let mut report = if other.errors > 0 || other.statistics.stored > one.statistics.stored { other } else { one };
    report.stopped = stopped;
    report
}
