//! The whole way from a formula to a small automaton.

use crate::acceptance::{self, Style};
use crate::automaton::Automaton;
use crate::bdd::Made;
use crate::degeneralise::{Acceptance, degeneralise};
use crate::explicit::Explicit;
use crate::formula::{Formula, MAX_ATOMS, MAX_DEPTH, MAX_SIZE};
use crate::letters::Letters;
use crate::limits::{Limits, TooLarge};
use crate::positive::{Id, Pool};
use crate::prune::prune;
use crate::redundant::without_redundant_parts;
use crate::tableau::{self, Branching};
use crate::{simulation, weak};

/// How large the automaton of the negation may be, which is needed to check a guess only.
const FOR_COMPARISON: Limits = Limits { states: 500, cubes: 5000 };

/// Automata with more edges are made smaller in one way only.
const MANY_EDGES: usize = 2000;

/// An automaton with generalised acceptance on edges for a formula.
///
/// # Errors
/// When the formula or what is made of it goes beyond the limits.
pub fn translate(formula: &Formula, limits: Limits) -> Result<Automaton, TooLarge> {
    if formula.depth() > MAX_DEPTH {
        return Err(TooLarge::Depth);
    }
    if formula.size() > MAX_SIZE {
        return Err(TooLarge::Size);
    }
    let atoms = formula.atoms();
    if atoms > MAX_ATOMS {
        return Err(TooLarge::Atoms);
    }
    let mut pool = Pool::new();
    let positive = pool.import(formula);
    let positive = without_redundant_parts(&mut pool, positive, atoms);
    let negative = pool.not(positive);
    let mut tableau = |id: Id, branching, limits| tableau::translate(&mut pool, id, atoms, branching, limits);
    let early = tableau(positive, Branching::Early, limits)?;
    if early.edges() > MANY_EDGES {
        return early.reduced();
    }
    // What follows only helps: it may fail.
    let late = tableau(positive, Branching::Late, Limits { states: 2 * early.states.len(), ..limits }).ok();
    let complement = tableau(negative, Branching::Early, FOR_COMPARISON).ok();
    smallest(&early, late.as_ref(), complement.as_ref()).or_else(|_| early.reduced())
}

/// The smallest automaton that is found from two for a formula and one for its negation.
fn smallest(early: &Automaton, late: Option<&Automaton>, complement: Option<&Automaton>) -> Made<Automaton> {
    let all: Vec<&Automaton> = std::iter::once(early).chain(late).chain(complement).collect();
    let mut letters = Letters::of(&all);
    let mut best = reduce(&Explicit::new(&letters, early));
    if let Some(late) = late {
        best = better(best, reduce(&Explicit::new(&letters, late)));
    }
    if let Some(complement) = complement.filter(|_| letters.is_exact())
        && let Some(weak) = weak::minimal(&best, &prune(&Explicit::new(&letters, complement)))
    {
        best = better(reduce(&weak), best);
    }
    best.automaton(&mut letters, early.atoms)
}

/// The smaller one; the first if they are alike.
fn better(a: Explicit, b: Explicit) -> Explicit {
    if b.cost() < a.cost() { b } else { a }
}

/// Makes an automaton smaller until nothing helps.
pub(crate) fn reduce(automaton: &Explicit) -> Explicit {
    let bare = reduce_in(automaton, Style::Bare);
    if bare.edges() > MANY_EDGES {
        return bare;
    }
    better(reduce_in(automaton, Style::Full), bare)
}

fn reduce_in(automaton: &Explicit, style: Style) -> Explicit {
    let mut smallest = acceptance::simplify(&prune(automaton), style);
    loop {
        let next = simulation::forward(&smallest);
        let next = acceptance::simplify(&prune(&next), style);
        let next = simulation::backward(&next, style == Style::StateBased);
        let next = acceptance::simplify(&prune(&next), style);
        if next.cost() >= smallest.cost() {
            return smallest;
        }
        smallest = next;
    }
}

impl Automaton {
    /// A small automaton for the same language.
    ///
    /// # Errors
    /// When labels become too large.
    pub fn reduced(&self) -> Result<Automaton, TooLarge> {
        self.rewritten(reduce)
    }

    /// A Büchi automaton for the same language: it has one mark.
    ///
    /// # Errors
    /// When labels become too large.
    pub fn to_buchi(&self, acceptance: Acceptance) -> Result<Automaton, TooLarge> {
        self.rewritten(|generalised| with_one_mark(buchi(generalised, acceptance)))
    }

    /// The automaton after something was done to it: with letters that do not overlap, or, if labels become too
    /// large so, with its own labels as letters.
    fn rewritten(&self, rewrite: impl Fn(&Explicit) -> Explicit) -> Made<Automaton> {
        let with = |mut letters: Letters| rewrite(&Explicit::new(&letters, self)).automaton(&mut letters, self.atoms);
        with(Letters::of(&[self])).or_else(|_| with(Letters::labels_of(&[self])))
    }
}

fn buchi(generalised: &Explicit, acceptance: Acceptance) -> Explicit {
    let with_order = |order: Vec<usize>| {
        let one_mark = degeneralise(generalised, acceptance, order);
        match acceptance {
            Acceptance::State => reduce_in(&one_mark, Style::StateBased),
            Acceptance::Transition => reduce(&one_mark),
        }
    };
    let best = with_order((0..generalised.marks).collect());
    if generalised.marks > 1 && generalised.edges() <= MANY_EDGES {
        return better(best, with_order((0..generalised.marks).rev().collect()));
    }
    best
}

/// Where all runs accept there are no marks: a Büchi automaton has one all the same.
fn with_one_mark(mut automaton: Explicit) -> Explicit {
    if automaton.marks == 0 {
        automaton.marks = 1;
        automaton.states.iter_mut().flatten().for_each(|step| step.marks = 1);
    }
    automaton
}
