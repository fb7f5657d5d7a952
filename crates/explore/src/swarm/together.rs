//! A swarm of several processes: each makes a share of the searches, alone. Nothing is exchanged but the news that
//! nobody needs to search any more, and the results.

use super::{Search, ends_all, merge, several};
use crate::observe::{Observer, Progress};
use crate::peers::{Exchange, Received, code, gather, message, read_bytes, reason, tell, write_bytes};
use crate::plan::Plan;
use crate::report::{Peer, Report, Run, Statistics, StopReason, Unreached, Violation, ViolationKind};
use serde::{Deserialize, Serialize};
use spinor_exec::Move;
use spinor_model::{ProctypeId, StatementId};
use spinor_store::Guarantee;
use std::time::{Duration, Instant};

/// Makes the share of this process; what all found, the same in each.
pub(super) fn divide(
    plan: &Plan,
    peers: &dyn Exchange,
    observer: &mut dyn Observer,
    search: &mut Search<'_>,
) -> Report {
    let alone = Plan { peers: None, checkpoints: None, ..plan.clone() };
    let numbers = (0..u64::from(plan.swarm)).skip(peers.index()).step_by(peers.count());
    let mut bell = Bell { peers, observer, rung: None, early: Vec::new() };
    let mut own = several(&alone, numbers, &mut bell, search);
    let Bell { rung, early, .. } = bell;
    if let Some(report) = &mut own {
        if rung.is_some() {
            // The last search was broken off.
            report.runs.pop();
            report.stopped = report.stopped.filter(|it| *it != StopReason::Interrupted);
        } else if report.errors > 0 || ends_all(report.stopped, None) {
            tell(peers, &[message::HALT, code(report.stopped)]);
        }
    }
    let begun = Instant::now();
    let is_lost = rung == Some(StopReason::Lost);
    let letters = if is_lost { None } else { letters(peers, own.as_ref(), early) };
    let Some(letters) = letters else {
        let report = own.unwrap_or_else(|| Report::nothing(plan.store));
        return Report { stopped: Some(StopReason::Lost), ..report };
    };
    let mut report = join(plan, letters);
    if let Some(peer) = report.peers.get_mut(peers.index()) {
        peer.idle_s = begun.elapsed().as_secs_f64();
    }
    report
}

/// Somebody who watches, and listens to the other processes meanwhile.
struct Bell<'a> {
    peers: &'a dyn Exchange,
    observer: &'a mut dyn Observer,
    /// Why nobody needs to search any more.
    rung: Option<StopReason>,
    /// Letters of those who have done their share already.
    early: Vec<(usize, Vec<u64>)>,
}

impl Bell<'_> {
    fn listen(&mut self) {
        match self.peers.receive(Duration::ZERO) {
            Received::Lost => self.rung = Some(StopReason::Lost),
            Received::Words { words, .. } if words[0] == message::HALT => {
                self.rung = Some(reason(words[1]).unwrap_or(StopReason::Violation));
            }
            Received::Words { from, words } if words[0] == message::SUMMARY => {
                self.early.push((from, words[1..].to_vec()));
            }
            Received::Words { .. } | Received::Nothing | Received::Over => {}
        }
    }
}

impl Observer for Bell<'_> {
    fn observe(&mut self, progress: &Progress) -> bool {
        if self.rung.is_none() {
            self.listen();
        }
        self.rung.is_none() && self.observer.observe(progress)
    }

    fn note(&mut self, text: &str) {
        self.observer.note(text);
    }
}

/// What a process tells the others.
#[derive(Debug, Serialize, Deserialize)]
struct Letter {
    runs: Vec<(u64, Figures, f64)>,
    statistics: Figures,
    errors: u64,
    kinds: Vec<(ViolationKind, u64)>,
    violations: Vec<(ViolationKind, String, Vec<Step>)>,
    unreached: Vec<(u16, u32)>,
    stopped: u64,
    trust: Trust,
    notes: Vec<String>,
}

/// A move: process, type and statement.
type Step = (u8, u16, u32);

/// How far a store can be trusted: coverage and hash factor of bits, if it has only these, and omissions.
type Trust = (Option<(f64, f64)>, f64);

/// Statistics of a search.
#[derive(Debug, Serialize, Deserialize)]
struct Figures {
    stored: u64,
    matched: u64,
    depth: usize,
    vectors_bytes: u64,
    states_bytes: usize,
    total_bytes: usize,
    fill: f64,
    seconds: f64,
}

/// What each process found; nothing of one that had no search to make. None: somebody is lost.
fn letters(peers: &dyn Exchange, own: Option<&Report>, early: Vec<(usize, Vec<u64>)>) -> Option<Vec<Option<Letter>>> {
    let text = serde_json::to_vec(&own.map(Letter::new)).expect("a letter can be written");
    let mut words = Vec::new();
    write_bytes(&mut words, &text);
    let read = |words: &Vec<u64>| serde_json::from_slice(&read_bytes(words)).expect("all processes are of one version");
    let mut all = gather(peers, &words)?;
    early.into_iter().for_each(|(from, words)| all[from] = words);
    Some(all.iter().map(read).collect())
}

/// What all found together.
fn join(plan: &Plan, letters: Vec<Option<Letter>>) -> Report {
    let (mut runs, mut peers, mut all) = (Vec::new(), Vec::new(), None);
    for letter in letters {
        let Some(letter) = letter else {
            peers.push(Peer::default());
            continue;
        };
        let report = letter.report(plan);
        let stored = report.runs.iter().map(|it| it.statistics.stored).sum();
        peers.push(Peer { stored, bytes: report.statistics.total_bytes, ..Peer::default() });
        runs.extend_from_slice(&report.runs);
        all = Some(match all {
            None => report,
            Some(best) if is_better(&report, &best) => merge(best, report),
            Some(best) => merge(report, best),
        });
    }
    runs.sort_by_key(|it| it.seed.wrapping_sub(plan.seed));
    let all = all.unwrap_or_else(|| Report::nothing(plan.store));
    Report { runs, peers, ..all }
}

/// Whether a report shows more of a violation. Who was told to stop while it looked for the way to one has no way.
fn is_better(report: &Report, than: &Report) -> bool {
    report.errors > 0 && (than.violations.is_empty() || !report.violations.is_empty())
}

impl Figures {
    fn new(it: &Statistics) -> Figures {
        let Statistics { stored, matched, depth, vectors_bytes, states_bytes, total_bytes, fill, time, code: _ } = *it;
        let seconds = time.as_secs_f64();
        Figures { stored, matched, depth, vectors_bytes, states_bytes, total_bytes, fill, seconds }
    }

    fn statistics(&self) -> Statistics {
        let Figures { stored, matched, depth, vectors_bytes, states_bytes, total_bytes, fill, seconds } = *self;
        let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        Statistics {
            stored,
            matched,
            depth,
            vectors_bytes,
            states_bytes,
            total_bytes,
            fill,
            time,
            ..Statistics::default()
        }
    }
}

fn bits(trust: Guarantee) -> Option<(f64, f64)> {
    match trust {
        Guarantee::Bitstate { coverage, hash_factor, .. } => Some((coverage, hash_factor)),
        Guarantee::Exact | Guarantee::Probabilistic { .. } => None,
    }
}

fn guarantee((bits, expected_omissions): Trust) -> Guarantee {
    match bits {
        Some((coverage, hash_factor)) => Guarantee::Bitstate { coverage, hash_factor, expected_omissions },
        None => Guarantee::Probabilistic { expected_omissions },
    }
}

impl Letter {
    fn new(report: &Report) -> Letter {
        let run = |it: &Run| (it.seed, Figures::new(&it.statistics), it.expected_omissions);
        let moves = |it: &Violation| it.moves.iter().map(|it| (it.pid, it.proctype.0, it.statement.0)).collect();
        Letter {
            runs: report.runs.iter().map(run).collect(),
            statistics: Figures::new(&report.statistics),
            errors: report.errors,
            kinds: report.kinds.clone(),
            violations: report.violations.iter().map(|it| (it.kind, it.message.clone(), moves(it))).collect(),
            unreached: report.unreached.iter().map(|it| (it.proctype.0, it.statement.0)).collect(),
            stopped: code(report.stopped),
            trust: (bits(report.trust), report.trust.expected_omissions()),
            notes: report.notes.clone(),
        }
    }

    fn report(self, plan: &Plan) -> Report {
        let run = |(seed, figures, expected_omissions): &(u64, Figures, f64)| Run {
            seed: *seed,
            statistics: figures.statistics(),
            expected_omissions: *expected_omissions,
        };
        let step = |(pid, proctype, statement): Step| Move {
            pid,
            proctype: ProctypeId(proctype),
            statement: StatementId(statement),
        };
        let violation = |(kind, message, moves): (ViolationKind, String, Vec<Step>)| Violation {
            kind,
            message,
            moves: moves.into_iter().map(step).collect(),
            lasso: None,
        };
        let unreached = |(proctype, statement): (u16, u32)| Unreached {
            proctype: ProctypeId(proctype),
            statement: StatementId(statement),
        };
        Report {
            runs: self.runs.iter().map(run).collect(),
            statistics: self.statistics.statistics(),
            errors: self.errors,
            kinds: self.kinds,
            violations: self.violations.into_iter().map(violation).collect(),
            unreached: self.unreached.into_iter().map(unreached).collect(),
            stopped: reason(self.stopped),
            trust: guarantee(self.trust),
            notes: self.notes,
            ..Report::nothing(plan.store)
        }
    }
}
