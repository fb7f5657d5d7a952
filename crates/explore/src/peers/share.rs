//! What the processes of a search found out, put together.

use super::parcel::{read_bytes, write_bytes};
use super::{Exchange, code, gather, reason};
use crate::findings::{Counts, Tally, Wrong};
use crate::report::{Peer, StopReason, Unreached, ViolationKind};
use crate::vectors::State;
use crate::verdicts::Candidate;
use serde::{Deserialize, Serialize};
use spinor_exec::{Atlas, Move};
use spinor_model::{ProctypeId, StatementId};

/// What is known at the end of a search: by one process, or by all together.
#[derive(Debug)]
pub(crate) struct Share {
    pub(crate) counts: Counts,
    pub(crate) tally: Tally,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) unreached: Vec<Unreached>,
    pub(crate) stopped: Option<StopReason>,
    pub(crate) notes: Vec<String>,
    /// What each process had.
    pub(crate) peers: Vec<Peer>,
    /// How many states a store may have taken for others.
    pub(crate) omissions: f64,
}

/// The same, to be sent or kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Letter {
    stored: u64,
    matched: u64,
    depth: usize,
    bytes: u64,
    tally: Vec<(ViolationKind, u64)>,
    candidates: Vec<Sighting>,
    unreached: Vec<(u16, u32)>,
    stopped: u64,
    notes: Vec<String>,
    peer: Peer,
    omissions: f64,
}

/// A candidate; its state as a description.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Sighting {
    kind: ViolationKind,
    message: String,
    tail: Vec<(u8, u16, u32)>,
    state: Vec<u8>,
    level: usize,
}

fn moves(tail: &[Move]) -> Vec<(u8, u16, u32)> {
    tail.iter().map(|it| (it.pid, it.proctype.0, it.statement.0)).collect()
}

impl Letter {
    pub(crate) fn new(share: &Share, atlas: &dyn Atlas) -> Letter {
        let Counts { stored, matched, depth, bytes } = share.counts;
        let sighting = |it: &Candidate| Sighting {
            kind: it.wrong.kind,
            message: it.wrong.message.to_string(),
            tail: moves(&it.wrong.tail),
            state: atlas.describe(&it.state.words),
            level: it.level,
        };
        Letter {
            stored,
            matched,
            depth,
            bytes,
            tally: share.tally.0.clone(),
            candidates: share.candidates.iter().map(sighting).collect(),
            unreached: share.unreached.iter().map(|it| (it.proctype.0, it.statement.0)).collect(),
            stopped: code(share.stopped),
            notes: share.notes.clone(),
            peer: share.peers[0],
            omissions: share.omissions,
        }
    }

    pub(crate) fn candidates(&self, atlas: &dyn Atlas) -> impl Iterator<Item = Candidate> {
        self.candidates.iter().map(|it| {
            let (words, bytes, key) = atlas.state_of(&it.state);
            let step = |&(pid, proctype, statement): &(u8, u16, u32)| Move {
                pid,
                proctype: ProctypeId(proctype),
                statement: StatementId(statement),
            };
            let tail = it.tail.iter().map(step).collect();
            let wrong = Wrong { kind: it.kind, message: it.message.clone().into(), tail };
            Candidate::unknown(wrong, State { words, bytes, key }, it.level)
        })
    }
}

/// What all processes found together; the same in each. None: somebody is lost.
pub(crate) fn share(exchange: &dyn Exchange, own: &Share, atlas: &dyn Atlas, keep_going: bool) -> Option<Share> {
    let text = serde_json::to_vec(&Letter::new(own, atlas)).expect("a letter can be written");
    let mut words = Vec::new();
    write_bytes(&mut words, &text);
    let letters: Vec<Letter> = gather(exchange, &words)?
        .iter()
        .map(|words| serde_json::from_slice(&read_bytes(words)).expect("all processes are of one version"))
        .collect();
    let mut all = merge(&letters, atlas);
    all.candidates.sort_by_key(Candidate::length);
    if !keep_going {
        // Several processes may have found one at the same level; one ends the search.
        all.candidates.truncate(1);
        all.tally = Tally::default();
        all.candidates.iter().for_each(|it| all.tally.add(it.wrong.kind, 1));
    }
    Some(all)
}

/// What several know together.
pub(crate) fn merge(letters: &[Letter], atlas: &dyn Atlas) -> Share {
    let unreached = |&(proctype, statement): &(u16, u32)| Unreached {
        proctype: ProctypeId(proctype),
        statement: StatementId(statement),
    };
    let mut all = Share {
        counts: Counts::default(),
        tally: Tally::default(),
        candidates: Vec::new(),
        unreached: letters.first().map_or_else(Vec::new, |it| it.unreached.iter().map(unreached).collect()),
        stopped: None,
        notes: Vec::new(),
        peers: letters.iter().map(|it| it.peer).collect(),
        omissions: letters.iter().map(|it| it.omissions).sum(),
    };
    for letter in letters {
        let Letter { stored, matched, depth, bytes, .. } = *letter;
        all.counts.merge(&Counts { stored, matched, depth, bytes });
        letter.tally.iter().for_each(|&(kind, count)| all.tally.add(kind, count));
        all.candidates.extend(letter.candidates(atlas));
        all.unreached.retain(|it| letter.unreached.contains(&(it.proctype.0, it.statement.0)));
        // What ends the search as a whole weighs more than what was cut.
        all.stopped = match (all.stopped, reason(letter.stopped)) {
            (Some(StopReason::Violation), _) | (_, Some(StopReason::Violation)) => Some(StopReason::Violation),
            (Some(StopReason::Depth | StopReason::EndlessAtomic | StopReason::Fault) | None, Some(other)) => {
                Some(other)
            }
            (known, _) => known,
        };
        let new = letter.notes.iter().filter(|note| !all.notes.contains(note)).cloned();
        all.notes.extend(new.collect::<Vec<_>>());
    }
    all
}
