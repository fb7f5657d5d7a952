//! Representatives of orbits.
//!
//! Any element of the orbit of a state may stand for it: an element that is the same for the whole orbit only reduces
//! more. Indexes are ordered by *keys* that go with them: blocks are sorted, then all is turned until keys are least. Only
//! where keys are equal, and it matters, is more asked for: keys refined by those of the others (colour refinement), and then
//! vectors. Equal keys of different contents cost a little reduction, and no soundness.

use super::Strategy;
use super::action::{Action, NONE};
use super::cells::{self, Choice, Picked};
use super::frame::{Frame, given_bits};
use super::links::Related;
use super::orbit::Keyed;
use super::orders::{elements, is_sorted, sort, swaps};
use super::own::{Base, copy};
use super::turns::{Ordered, Turns, follow};
use std::sync::OnceLock;

/// More permutations than this are not tried one by one.
pub(super) const PATIENCE: usize = 5_000;

/// Rounds of colour refinement.
const ROUNDS: usize = 2;

/// The automorphisms of the states of a shape.
#[derive(Debug)]
pub(super) struct Automorphisms {
    pub(super) action: Action,
    /// The words with what processes were given, its bits there, and what these are.
    given: Vec<(usize, u64, u64)>,
    /// The choices that processes make of names.
    pub(super) choices: Vec<Choice>,
    pub(super) picks: Vec<Picked>,
    /// Labels that may be permuted at will.
    pub(super) blocks: Vec<Vec<u8>>,
    /// Other permutations; those of different groups move different labels.
    pub(super) turns: Vec<Turns>,
    /// Whether these move labels of blocks.
    turns_blocks: bool,
    /// The permutation that moves nothing.
    identity: Vec<u8>,
    /// All, if they are few and asked for.
    elements: OnceLock<Vec<Vec<u8>>>,
    /// Permutations that generate all, if they are asked for.
    generators: OnceLock<Vec<Vec<u8>>>,
}

/// Memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// What belongs to each label alone.
    pieces: Vec<u64>,
    keys: Vec<u64>,
    next: Vec<u64>,
    /// The permutation that leads to the representative, and a part of it.
    image: Vec<u8>,
    step: Vec<u8>,
    /// The inverse of that.
    back: Vec<u8>,
    words: Vec<u64>,
    best: Vec<u64>,
}

/// A state whose successors are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Parent {
    base: Base,
    related: Related,
}

impl Parent {
    /// Whether it is this state.
    pub(super) fn is(&self, state: &[u64]) -> bool {
        self.base.words == state
    }
}

impl Automorphisms {
    /// The automorphisms that permutations of labels are.
    pub(super) fn new(frame: &Frame<'_, '_>, label: &[u8], blocks: Vec<Vec<u8>>, turns: Vec<Turns>) -> Automorphisms {
        let labels = label.iter().filter(|&&it| it != NONE).count();
        let words = frame.shape.words();
        let action = Action::new(frame, &cells::groups(frame, label, labels), label, words);
        let bits = given_bits(frame.sets, frame.shapes, frame.shape).into_iter();
        let given = bits.map(|(word, mask)| (word, mask, frame.given[word] & mask)).collect();
        let (choices, picks) = cells::choices(frame, label, labels);
        let turns_blocks = blocks.iter().flatten().any(|&label| turns.iter().any(|turns| turns.moves(label)));
        let (identity, elements, generators) = ((0..labels as u8).collect(), OnceLock::new(), OnceLock::new());
        Automorphisms { action, given, choices, picks, blocks, turns, turns_blocks, identity, elements, generators }
    }

    /// How many automorphisms there are; at most [`u64::MAX`].
    pub(super) fn order(&self) -> u64 {
        let block = |block: &Vec<u8>| (1..=block.len() as u64).fold(1, u64::saturating_mul);
        self.blocks.iter().map(block).chain(self.turns.iter().map(|it| it.order)).fold(1, u64::saturating_mul)
    }

    /// How many labels there are.
    pub(super) fn labels(&self) -> usize {
        self.action.labels
    }

    /// The process that takes the place of another.
    pub(super) fn pid(&self, pid: u8, image: &[u8]) -> u8 {
        self.action.pid(pid, image)
    }

    /// How many fields are looked at for a representative, as a rule.
    pub(super) fn cost(&self, strategy: Strategy) -> u64 {
        let turns: usize = self.turns.iter().map(|turns| turns.elements.len()).sum();
        let each = (self.action.fields() as u64).saturating_mul(match strategy {
            Strategy::Sorted => 2,
            Strategy::Segmented | Strategy::Auto => 4,
            Strategy::Full if self.order() <= PATIENCE as u64 => self.order(),
            Strategy::Full | Strategy::Climb => self.generators().len() as u64 + 1,
        });
        each.saturating_add(turns as u64)
    }

    /// What is done if nothing else is asked for.
    pub(super) fn rule(&self) -> Strategy {
        if self.action.is_plain() { Strategy::Sorted } else { Strategy::Segmented }
    }

    /// Whether they are those of a state of their shape: processes were given the same.
    #[inline]
    pub(super) fn are_of(&self, words: &[u64]) -> bool {
        self.given.iter().all(|&(word, mask, given)| words[word] & mask == given)
    }

    /// Makes ready for the successors of a state.
    pub(super) fn prepare(&self, words: &[u64], parent: &mut Parent) {
        parent.related = self.action.base(words, &mut parent.base);
    }

    /// Replaces a state by the representative of its orbit; which permutation leads there, if it is not the identity.
    pub(super) fn represent<'s>(
        &self,
        strategy: Strategy,
        words: &mut [u64],
        parent: Option<&Parent>,
        scratch: &'s mut Scratch,
    ) -> Option<&'s [u8]> {
        let action = &self.action;
        let moves = match strategy {
            Strategy::Auto | Strategy::Sorted | Strategy::Segmented => {
                let related = keys(action, words, parent, scratch);
                if action.is_plain() {
                    self.sorted(action, words, scratch)
                } else {
                    self.segmented(action, words, scratch, (related, strategy == Strategy::Sorted))
                }
            }
            Strategy::Full if self.order() <= PATIENCE as u64 => self.least(action, words, scratch),
            Strategy::Full | Strategy::Climb => self.climb(action, words, scratch),
        };
        moves.then_some(&scratch.image)
    }

    /// Keys are all that there is to look at: labels with equal keys are the same.
    fn sorted(&self, action: &Action, words: &mut [u64], scratch: &mut Scratch) -> bool {
        if self.turns.is_empty() && self.blocks.iter().all(|block| is_sorted(block, &scratch.keys)) {
            return false;
        }
        let found = self.order_by_keys(scratch);
        if found.moves {
            let Scratch { pieces, image, step, back, .. } = scratch;
            back.resize(step.len(), 0);
            (0..).zip(&*step).for_each(|(from, &to)| back[usize::from(to)] = from);
            action.apply_plain(words, pieces, (step, back));
            std::mem::swap(image, step);
        }
        found.moves
    }

    fn segmented(
        &self,
        action: &Action,
        words: &mut [u64],
        scratch: &mut Scratch,
        (mut related, only_sorted): (Related, bool),
    ) -> bool {
        self.reset(scratch);
        let mut ties = self.order_and_turn(action, words, scratch, &mut related) && !only_sorted;
        ties = ties && !self.are_ties_idle(action, words, scratch, related);
        for _ in 0..ROUNDS {
            if ties {
                action.refine(words, &scratch.keys, &mut scratch.next);
                std::mem::swap(&mut scratch.keys, &mut scratch.next);
                ties = self.order_and_turn(action, words, scratch, &mut related);
            }
        }
        if ties && !self.are_ties_idle(action, words, scratch, related) {
            self.break_ties(action, words, scratch);
        }
        true
    }

    fn reset(&self, scratch: &mut Scratch) {
        copy(&self.identity, &mut scratch.image);
    }

    /// Puts a state into the order of its keys.
    pub(super) fn keyed(&self, action: &Action, words: &mut [u64], scratch: &mut Scratch) -> Keyed {
        self.reset(scratch);
        let mut related = keys(action, words, None, scratch);
        let ties = self.order_and_turn(action, words, scratch, &mut related);
        let are_idle = !ties || self.are_ties_idle(action, words, scratch, related);
        action.take(words, &mut scratch.pieces);
        action.keys((words, &scratch.pieces), &mut scratch.keys);
        Keyed { keys: scratch.keys.clone(), are_idle }
    }

    /// Finds the permutation that puts keys in order.
    fn order_by_keys(&self, scratch: &mut Scratch) -> Ordered {
        let Scratch { keys, next, step, .. } = scratch;
        let mut found = Ordered::default();
        copy(&self.identity, step);
        for block in &self.blocks {
            sort(block, keys, step, &mut found);
        }
        let is_mixed = self.turns_blocks && found.moves;
        if is_mixed {
            permute(keys, step, next);
        }
        for turns in &self.turns {
            turns.order_by(if is_mixed { next } else { keys }, step, &mut found);
        }
        found
    }

    /// Puts keys, and all that goes with them, in order; whether other permutations do the same.
    fn order_and_turn(&self, action: &Action, words: &mut [u64], scratch: &mut Scratch, related: &mut Related) -> bool {
        let found = self.order_by_keys(scratch);
        if !found.moves {
            return found.ties;
        }
        let Scratch { pieces, keys, next, image, step, words: to, .. } = scratch;
        action.apply((words, pieces), step, to);
        words.copy_from_slice(to);
        follow(image, step);
        if found.ties {
            *related = related.moved(step);
            permute(keys, step, next);
            std::mem::swap(keys, next);
            action.take(words, pieces);
        }
        found.ties
    }

    /// Whether no permutation of labels with equal keys changes the vector; keys are in order. If such labels are
    /// related to nobody, all that is known of them is in their keys.
    fn are_ties_idle(&self, action: &Action, words: &[u64], scratch: &mut Scratch, related: Related) -> bool {
        if related.is_empty() {
            return true;
        }
        let Scratch { pieces, keys, step, words: to, .. } = scratch;
        for pair in self.blocks.iter().flat_map(|block| block.windows(2)) {
            let (one, other) = (usize::from(pair[0]), usize::from(pair[1]));
            let is_related = pair.iter().any(|&label| related.contains(label));
            if keys[one] != keys[other] || !is_related {
                continue;
            }
            copy(&self.identity, step);
            step.swap(one, other);
            action.apply((words, pieces), step, to);
            if to != words {
                return false;
            }
        }
        self.turns.iter().flat_map(|turns| turns.stable(keys)).all(|element| {
            action.apply((words, pieces), element, to);
            to == words
        })
    }

    /// Of the vectors that differ in the order of labels with equal keys the least is taken.
    fn break_ties(&self, action: &Action, words: &mut [u64], scratch: &mut Scratch) {
        let keys = &scratch.keys;
        let key = |label: u8| keys[usize::from(label)];
        let chunks = self.blocks.iter().flat_map(|block| block.chunk_by(|&one, &other| key(one) == key(other)));
        let runs: Vec<Vec<u8>> = chunks.filter(|run| run.len() > 1).map(<[u8]>::to_vec).collect();
        let stable = |turns: &Turns| turns.stable(keys).cloned().collect();
        let turns: Vec<Vec<Vec<u8>>> = self.turns.iter().map(stable).collect();
        let orders = runs.iter().map(|run| (1..=run.len()).fold(1, usize::saturating_mul));
        let count = orders.chain(turns.iter().map(|turns| turns.len() + 1)).fold(1, usize::saturating_mul);
        if count <= PATIENCE && self.turns.iter().all(|turns| turns.is_closed) {
            Self::least_of(&elements(&runs, &turns, self.action.labels), action, words, scratch);
        } else {
            let mut generators = swaps(&runs, self.action.labels);
            generators.extend(turns.into_iter().flatten());
            Self::climb_by(&generators, action, words, scratch);
        }
    }

    /// The least vector of the whole orbit.
    fn least(&self, action: &Action, words: &mut [u64], scratch: &mut Scratch) -> bool {
        self.reset(scratch);
        action.take(words, &mut scratch.pieces);
        let turns = || self.turns.iter().map(|turns| turns.elements.clone()).collect::<Vec<_>>();
        let elements = self.elements.get_or_init(|| elements(&self.blocks, &turns(), self.action.labels));
        Self::least_of(elements, action, words, scratch);
        true
    }

    fn least_of(elements: &[Vec<u8>], action: &Action, words: &mut [u64], scratch: &mut Scratch) {
        let Scratch { pieces, image, words: to, best, .. } = scratch;
        best.clear();
        best.extend_from_slice(words);
        let mut chosen = None;
        for element in elements {
            action.apply((words, pieces), element, to);
            if *to < *best {
                std::mem::swap(best, to);
                chosen = Some(element);
            }
        }
        if let Some(element) = chosen {
            words.copy_from_slice(best);
            follow(image, element);
        }
    }

    /// Permutations that generate all.
    fn generators(&self) -> &[Vec<u8>] {
        self.generators.get_or_init(|| {
            let mut generators = swaps(&self.blocks, self.action.labels);
            generators.extend(self.turns.iter().flat_map(|turns| &turns.elements).cloned());
            generators
        })
    }

    /// The images of a state under these.
    pub(super) fn images(&self, state: &[u64]) -> Vec<Vec<u64>> {
        let action = &self.action;
        let mut pieces = Vec::new();
        action.take(state, &mut pieces);
        let image = |generator: &Vec<u8>| {
            let mut to = Vec::new();
            action.apply((state, &pieces), generator, &mut to);
            to
        };
        self.generators().iter().map(image).collect()
    }

    /// Goes on to a lesser vector by single steps, as long as there is one: hill climbing.
    fn climb(&self, action: &Action, words: &mut [u64], scratch: &mut Scratch) -> bool {
        self.reset(scratch);
        action.take(words, &mut scratch.pieces);
        Self::climb_by(self.generators(), action, words, scratch);
        true
    }

    fn climb_by(generators: &[Vec<u8>], action: &Action, words: &mut [u64], scratch: &mut Scratch) {
        let Scratch { pieces, image, words: to, .. } = scratch;
        loop {
            let lesser = generators.iter().find(|generator| {
                action.apply((words, pieces), generator, to);
                to.as_slice() < &*words
            });
            let Some(generator) = lesser else { return };
            words.copy_from_slice(to);
            action.take(words, pieces);
            follow(image, generator);
        }
    }
}

/// The keys of a state, and labels that are related; most of them are those of the state before.
#[inline]
fn keys(action: &Action, words: &[u64], parent: Option<&Parent>, scratch: &mut Scratch) -> Related {
    let Scratch { pieces, keys, .. } = scratch;
    if let Some(parent) = parent.filter(|parent| parent.base.words.len() == words.len()) {
        return action.follow(&parent.base, words, (pieces, keys)).unwrap_or(parent.related);
    }
    action.take(words, pieces);
    action.keys((words, pieces), keys)
}

/// Keys that have gone where their labels go.
fn permute(keys: &[u64], step: &[u8], next: &mut Vec<u64>) {
    next.clear();
    next.extend_from_slice(keys);
    step.iter().zip(keys).for_each(|(&to, &key)| next[usize::from(to)] = key);
}
