//! The whole way from a formula to a small automaton.

use crate::acceptance::{self, Style};
use crate::automaton::Automaton;
use crate::degeneralise::{Acceptance, degeneralise};
use crate::explicit::Explicit;
use crate::formula::{Formula, MAX_ATOMS, MAX_DEPTH};
use crate::letters::Letters;
use crate::limits::{Limits, TooLarge};
use crate::positive::{Id, Pool};
use crate::prune::prune;
use crate::redundant::without_redundant_parts;
use crate::tableau::{self, Branching};
use crate::{simulation, weak};

/// An automaton with generalised acceptance on edges for a formula.
///
/// # Errors
/// When the formula or what is made of it goes beyond the limits.
pub fn translate(formula: &Formula, limits: Limits) -> Result<Automaton, TooLarge> {
    if formula.depth() > MAX_DEPTH {
        return Err(TooLarge::Depth);
    }
    let atoms = formula.atoms();
    if atoms > MAX_ATOMS {
        return Err(TooLarge::Atoms);
    }
    let mut pool = Pool::new();
    let positive = pool.import(formula);
    let positive = without_redundant_parts(&mut pool, positive, atoms);
    let negative = pool.not(positive);
    let mut tableau = |id: Id, branching| tableau::translate(&mut pool, id, atoms, branching, limits);
    let early = tableau(positive, Branching::Early)?;
    // What follows only helps: it may fail.
    let late = tableau(positive, Branching::Late).ok();
    let complement = tableau(negative, Branching::Early).ok();
    let all: Vec<&Automaton> = std::iter::once(&early).chain(&late).chain(&complement).collect();
    let mut letters = Letters::of(&all)?;
    let mut best = reduce(&Explicit::new(&letters, &early));
    if let Some(late) = late {
        best = better(best, reduce(&Explicit::new(&letters, &late)));
    }
    if let Some(complement) = complement
        && let Some(weak) = weak::minimal(&best, &prune(&Explicit::new(&letters, &complement)))
    {
        best = better(reduce(&weak), best);
    }
    Ok(best.automaton(&mut letters, atoms))
}

/// The smaller one; the first if they are alike.
fn better(a: Explicit, b: Explicit) -> Explicit {
    if b.cost() < a.cost() { b } else { a }
}

/// Makes an automaton smaller until nothing helps.
pub(crate) fn reduce(automaton: &Explicit) -> Explicit {
    let bare = reduce_in(automaton, Style::Bare);
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
    /// When its labels tell too many letters apart.
    pub fn reduced(&self) -> Result<Automaton, TooLarge> {
        let mut letters = Letters::of(&[self])?;
        Ok(reduce(&Explicit::new(&letters, self)).automaton(&mut letters, self.atoms))
    }

    /// A Büchi automaton for the same language: it has one mark.
    ///
    /// # Errors
    /// When its labels tell too many letters apart.
    pub fn to_buchi(&self, acceptance: Acceptance) -> Result<Automaton, TooLarge> {
        let mut letters = Letters::of(&[self])?;
        let generalised = Explicit::new(&letters, self);
        let styles: &[Style] =
            if acceptance == Acceptance::State { &[Style::StateBased] } else { &[Style::Bare, Style::Full] };
        let forwards: Vec<usize> = (0..self.marks).collect();
        let backwards: Vec<usize> = (0..self.marks).rev().collect();
        let mut candidates = Vec::new();
        for order in [forwards, backwards] {
            let one_mark = degeneralise(&generalised, acceptance, order);
            candidates.extend(styles.iter().map(|&style| with_one_mark(reduce_in(&one_mark, style))));
        }
        let best = candidates.into_iter().min_by_key(Explicit::cost);
        Ok(best.map_or_else(|| Automaton::empty(self.atoms), |best| best.automaton(&mut letters, self.atoms)))
    }
}

/// Where all runs accept there are no marks: a Büchi automaton has one all the same.
fn with_one_mark(mut automaton: Explicit) -> Explicit {
    if automaton.marks == 0 {
        automaton.marks = 1;
        automaton.states.iter_mut().flatten().for_each(|step| step.marks = 1);
    }
    automaton
}
