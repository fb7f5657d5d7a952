//! What a thread of a breadth-first search found wrong.

use crate::findings::{Tally, Wrong, wrong_at};
use crate::report::ViolationKind;
use crate::trace::Tag;
use crate::vectors::{State, Vector};
use crate::walker::halt_if_cut;
use crate::worker::Context;
use spinor_exec::{Expanded, Move, PackedFinding, Semantics};
use spinor_store::Store;
use std::collections::HashSet;

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
    /// One whose path nobody knows.
    pub(crate) fn unknown(wrong: Wrong, state: State, level: usize) -> Candidate {
        Candidate { wrong, state, level, tag: Tag::NONE, path: None }
    }

    pub(crate) fn length(&self) -> usize {
        self.level + self.wrong.tail.len()
    }
}

/// Which of these kinds were not there before.
pub(crate) fn first_of_kinds(kinds: impl Iterator<Item = ViolationKind>) -> Vec<bool> {
    let mut known = HashSet::new();
    kinds.map(|kind| known.insert(kind)).collect()
}

/// Leaves so many, the first of each kind among them.
pub(crate) fn keep_some(candidates: &mut Vec<Candidate>, most: usize) {
    let firsts = first_of_kinds(candidates.iter().map(|it| it.wrong.kind));
    let mut others = most.saturating_sub(firsts.iter().filter(|first| **first).count());
    let mut firsts = firsts.into_iter();
    candidates.retain(|_| {
        let is_first = firsts.next() == Some(true);
        let is_kept = is_first || others > 0;
        others -= usize::from(is_kept && !is_first);
        is_kept
    });
}

/// A state that was expanded.
pub(crate) struct Site<'a> {
    pub(crate) vector: Vector<'a>,
    pub(crate) level: usize,
    pub(crate) tag: Tag,
}

/// Violations, counted and kept.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    pub(crate) tally: Tally,
    pub(crate) candidates: Vec<Candidate>,
}

impl Verdicts {
    /// Notes what is wrong at a state that was just expanded.
    #[cold]
    pub(crate) fn judge<S: Semantics, T: Store>(
        &mut self,
        cx: &Context<'_, T>,
        engine: &mut S,
        site: &Site<'_>,
        expanded: Expanded,
        findings: &mut Vec<PackedFinding>,
    ) {
        halt_if_cut(cx.control, expanded.ended.cut());
        if cx.goal.is_some() {
            return findings.clear();
        }
        for wrong in wrong_at(engine, cx.control, site.vector.words, expanded, findings) {
            if self.is_kept(cx, &wrong, site.level) {
                let (state, level, tag) = (site.vector.to_state(), site.level, site.tag);
                self.candidates.push(Candidate { wrong, state, level, tag, path: None });
            }
        }
    }

    /// Counts a violation; whether its path will be wanted.
    fn is_kept<T: Store>(&mut self, cx: &Context<'_, T>, wrong: &Wrong, level: usize) -> bool {
        let plan = cx.control.plan;
        if plan.keep_going {
            self.tally.add(wrong.kind, 1);
            let moves = || self.candidates.iter().map(|it| it.wrong.tail.len()).sum::<usize>();
            let is_new = || self.candidates.iter().all(|known| known.wrong.kind != wrong.kind);
            return self.candidates.len() < plan.max_violations && moves() <= plan.max_moves || is_new();
        }
        let is_best = cx.control.improves(level + wrong.tail.len());
        if is_best {
            self.candidates.clear();
            cx.control.violated();
        }
        is_best
    }
}
