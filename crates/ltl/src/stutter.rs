//! Whether a language cares how often a letter is repeated (Michaud, Duret-Lutz, SPIN 2015).
//!
//! It does if a word of the language and a word of the complement are the same but for repetition.
//! Then both can be stretched to one word. So the two automata are run on the same word, and each may
//! stay where it is while a letter is repeated.

use crate::automaton::{Automaton, MAX_MARKS, mask};
use crate::degeneralise::{Acceptance, degeneralise};
use crate::explicit::{Explicit, Step, tidy};
use crate::formula::Formula;
use crate::letters::{LetterSet, Letters};
use crate::limits::{Limits, TooLarge};
use crate::product::has_accepting_component;
use crate::translate::translate;
use rustc_hash::FxHashMap;

/// The product of states, states of the complement and letters that is worth the work.
const MAX_PRODUCT: usize = 200_000;

/// What repetition of letters does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stutter {
    /// Nothing: partial order reduction is allowed.
    Invariant,
    /// It changes whether a word is accepted.
    Sensitive,
    /// Not known: too much work, or no complement at hand.
    Unknown,
}

impl Stutter {
    /// Its name.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Stutter::Invariant => "invariant",
            Stutter::Sensitive => "sensitive",
            Stutter::Unknown => "unknown",
        }
    }
}

impl Formula {
    /// Whether repetition of letters matters to the formula. Without `X` it never does; with it, the
    /// automata decide.
    ///
    /// # Errors
    /// When the formula is too large for an automaton.
    pub fn stutter(&self, limits: Limits) -> Result<Stutter, TooLarge> {
        if !self.has_next() {
            return Ok(Stutter::Invariant);
        }
        Ok(translate(self, limits)?.stutter_against(&translate(&self.not(), limits)?))
    }
}

impl Automaton {
    /// Whether repetition of letters matters, for an automaton with a known complement.
    #[must_use]
    pub fn stutter_against(&self, complement: &Automaton) -> Stutter {
        let letters = Letters::of(&[self, complement]);
        decide(&letters, &Explicit::new(&letters, self), &Explicit::new(&letters, complement))
    }

    /// The same for any automaton: decided if its runs can [linger](Self::lingers), or if it is deterministic,
    /// because then it is easy to complement.
    #[must_use]
    pub fn stutter(&self) -> Stutter {
        if self.lingers() {
            return Stutter::Invariant;
        }
        if !self.is_deterministic() {
            return Stutter::Unknown;
        }
        let letters = Letters::of(&[self]);
        let explicit = Explicit::new(&letters, self);
        decide(&letters, &explicit, &complement(&explicit))
    }
}

impl Automaton {
    /// Whether each run can follow when a letter is repeated, and when a repetition is left out: then repetition
    /// does not matter, whatever else makes a run accept that depends on letters alone.
    ///
    /// Where a letter leads, one can stay with the same letter. And what it leads to in two steps it leads to in one,
    /// with the marks of the first; those of the second, if the first has not got them, are on all edges that come
    /// next. This is enough, and not necessary: claims that are written by hand, or by SPIN, are often of this kind.
    #[must_use]
    pub fn lingers(&self) -> bool {
        let letters = Letters::of(&[self]);
        let Explicit { states, .. } = Explicit::new(&letters, self);
        let common = |state: usize| states[state].iter().fold(u64::MAX, |all, step| all & step.marks);
        let leads = |from: usize, letter: usize| states[from].iter().filter(move |it| it.letters.contains(letter));
        let can_skip = |from: usize, letter: usize, one: &Step, two: &Step| {
            let owes = |marks: u64| two.marks & !marks & !common(two.target) == 0;
            let mut ways = leads(from, letter).filter(|it| it.target == two.target);
            ways.any(|way| one.marks & !way.marks == 0 && owes(way.marks))
        };
        let is_calm = |from: usize, letter: usize| {
            leads(from, letter).all(|one| {
                leads(one.target, letter).any(|two| two.target == one.target)
                    && leads(one.target, letter).all(|two| can_skip(from, letter, one, two))
            })
        };
        letters.is_exact() && (0..states.len()).all(|from| (0..letters.len()).all(|letter| is_calm(from, letter)))
    }
}

fn decide(letters: &Letters, a: &Explicit, b: &Explicit) -> Stutter {
    if !letters.is_exact() || a.marks.max(b.marks) >= MAX_MARKS {
        return Stutter::Unknown;
    }
    if a.states.len() * b.states.len() * (letters.len() + 1) > MAX_PRODUCT {
        return Stutter::Unknown;
    }
    if meet_when_stretched(a, b) { Stutter::Sensitive } else { Stutter::Invariant }
}

/// Both states and the letter read last.
type Node = (usize, usize, Option<usize>);

/// Where an automaton can go with a letter, with its marks. Staying has none; moving has one more, so
/// that no run stays for ever.
fn moves(automaton: &Explicit, state: usize, letter: usize, last: Option<usize>) -> Vec<(usize, u64)> {
    let moved = 1 << automaton.marks;
    let steps = automaton.states[state].iter().filter(|step| step.letters.contains(letter));
    let mut moves: Vec<_> = steps.map(|step| (step.target, step.marks | moved)).collect();
    if last == Some(letter) {
        moves.push((state, 0));
    }
    moves
}

fn meet_when_stretched(a: &Explicit, b: &Explicit) -> bool {
    let first: Node = (a.initial, b.initial, None);
    let mut numbers: FxHashMap<Node, usize> = [(first, 0)].into_iter().collect();
    let mut open = vec![first];
    let mut edges = Vec::new();
    while edges.len() < open.len() {
        let (p, q, last) = open[edges.len()];
        let mut steps = Vec::new();
        for letter in 0..a.letters {
            let right = moves(b, q, letter, last);
            for (p, left_marks) in moves(a, p, letter, last) {
                for &(q, right_marks) in &right {
                    let node = (p, q, Some(letter));
                    let number = *numbers.entry(node).or_insert_with(|| {
                        open.push(node);
                        open.len() - 1
                    });
                    steps.push((number, (left_marks, right_marks)));
                }
            }
        }
        edges.push(steps);
    }
    let all = |it: &Explicit| mask(it.marks + 1);
    has_accepting_component(&edges, (all(a), all(b)))
}

/// The complement of a deterministic automaton: a run of it guesses when the last mark was seen.
fn complement(automaton: &Explicit) -> Explicit {
    let order = (0..automaton.marks).collect();
    let one_mark = degeneralise(automaton, Acceptance::Transition, order);
    let (count, accepts_all) = (one_mark.states.len(), automaton.marks == 0);
    // The states, the states after the guess, and what the automaton has no run for.
    let sink = 2 * count;
    let mut states = Vec::new();
    for after_guess in [false, true] {
        for steps in &one_mark.states {
            let mut rest = LetterSet::full(automaton.letters);
            let mut copies = Vec::new();
            for step in steps {
                rest.remove(&step.letters);
                if !after_guess {
                    copies.push(Step { marks: 0, ..step.clone() });
                }
                if step.marks == 0 && !accepts_all {
                    copies.push(Step { target: count + step.target, marks: 1, letters: step.letters.clone() });
                }
            }
            copies.push(Step { target: sink, marks: 1, letters: rest });
            states.push(tidy(copies));
        }
    }
    states.push(vec![Step { target: sink, marks: 1, letters: LetterSet::full(automaton.letters) }]);
    Explicit { marks: 1, states, ..one_mark }
}
