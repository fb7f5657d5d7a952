//! Obligations: languages that are Boolean combinations of safety and co-safety have a smallest
//! deterministic weak automaton, which is often smaller than what simulation finds, and always
//! better to search with (Dax, Eisinger, Klaedtke, ATVA 2007; Löding, IPL 2001).

use crate::explicit::{Explicit, Step, tidy};
use crate::letters::LetterSet;
use crate::product::are_disjoint;
use crate::prune::{accepting, prune};
use crate::scc::{self, Components};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The product of states and letters that is worth the work.
const MAX_ENTRIES: usize = 30_000;

/// A complete deterministic automaton: the target of each state and letter.
struct Table {
    letters: usize,
    targets: Vec<usize>,
    accepts: Vec<bool>,
}

/// The smallest deterministic weak automaton of the language, if it has one and it is not out of
/// reach. `complement` accepts all other words.
pub(crate) fn minimal(automaton: &Explicit, complement: &Explicit) -> Option<Explicit> {
    let (mut table, subsets) = determinise(automaton)?;
    let components = table.components();
    table.accepts = accepting_subsets(automaton, &table, &subsets, &components);
    table.colour(&components);
    let table = table.minimise();
    let language = table.explicit(|accepts| accepts);
    let rest = table.explicit(|accepts| !accepts);
    let is_exact = are_disjoint(&language, complement) && are_disjoint(&rest, automaton);
    is_exact.then(|| prune(&language))
}

/// Sets of states, and where each letter leads from each.
fn determinise(automaton: &Explicit) -> Option<(Table, Vec<Vec<usize>>)> {
    let first = vec![automaton.initial];
    let mut numbers: FxHashMap<Vec<usize>, usize> = [(first.clone(), 0)].into_iter().collect();
    let mut subsets = vec![first];
    let mut targets = Vec::new();
    let mut next = 0;
    while next < subsets.len() {
        if subsets.len() * automaton.letters > MAX_ENTRIES {
            return None;
        }
        for letter in 0..automaton.letters {
            let target = successors(automaton, &subsets[next], letter);
            let number = *numbers.entry(target.clone()).or_insert(subsets.len());
            if number == subsets.len() {
                subsets.push(target);
            }
            targets.push(number);
        }
        next += 1;
    }
    let accepts = vec![false; subsets.len()];
    Some((Table { letters: automaton.letters, targets, accepts }, subsets))
}

fn successors(automaton: &Explicit, subset: &[usize], letter: usize) -> Vec<usize> {
    let steps = subset.iter().flat_map(|&state| &automaton.states[state]);
    let mut targets: Vec<usize> = steps.filter(|step| step.letters.contains(letter)).map(|step| step.target).collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}

/// Sets in a component with an accepted cycle. In an obligation all cycles of a component are then
/// accepted; whether that is so is checked at the end.
fn accepting_subsets(
    automaton: &Explicit,
    table: &Table,
    subsets: &[Vec<usize>],
    components: &Components,
) -> Vec<bool> {
    let mut numbers: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for (set, members) in subsets.iter().enumerate() {
        for &state in members {
            let next = numbers.len();
            numbers.insert((set, state), next);
        }
    }
    let mut product = Explicit { initial: 0, states: vec![Vec::new(); numbers.len()], ..*automaton };
    for (&(set, state), &number) in &numbers {
        for letter in 0..table.letters {
            let target = table.target(set, letter);
            if components.of[target] == components.of[set] {
                let steps = automaton.states[state].iter().filter(|step| step.letters.contains(letter));
                let moved = steps.map(|step| Step { target: numbers[&(target, step.target)], ..step.clone() });
                product.states[number].extend(moved);
            }
        }
    }
    let parts = product.components();
    let accepts = accepting(&product, &parts);
    let mut good = vec![false; components.count];
    numbers.iter().for_each(|((set, _), &number)| good[components.of[*set]] |= accepts[parts.of[number]]);
    components.of.iter().map(|&component| good[component]).collect()
}

impl Table {
    fn len(&self) -> usize {
        self.accepts.len()
    }

    fn target(&self, state: usize, letter: usize) -> usize {
        self.targets[state * self.letters + letter]
    }

    fn row(&self, state: usize) -> &[usize] {
        &self.targets[state * self.letters..(state + 1) * self.letters]
    }

    fn components(&self) -> Components {
        scc::components(self.len(), |state| self.row(state).iter().copied())
    }

    /// Gives states on no cycle the acceptance that lets the most of them be joined: components
    /// have colours that fall along edges and are even where they accept (Löding 2001).
    fn colour(&mut self, components: &Components) {
        let top = 2 * components.count;
        let mut colours = vec![top; components.count];
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by_key(|&state| components.of[state]);
        for group in order.chunk_by(|&p, &q| components.of[p] == components.of[q]) {
            let own = components.of[group[0]];
            let targets = || group.iter().flat_map(|&state| self.row(state)).map(|&target| components.of[target]);
            let lowest = targets().filter(|&it| it != own).map(|it| colours[it]).min().unwrap_or(top);
            let has_cycle = targets().any(|it| it == own);
            let is_even = lowest.is_multiple_of(2);
            colours[own] = if has_cycle && is_even != self.accepts[group[0]] { lowest - 1 } else { lowest };
        }
        self.accepts = components.of.iter().map(|&it| colours[it].is_multiple_of(2)).collect();
    }

    /// Joins states with the same future, as for words that end (Moore 1956).
    fn minimise(&self) -> Table {
        let mut class: Vec<usize> = self.accepts.iter().map(|&accepts| usize::from(accepts)).collect();
        let mut count = 0;
        loop {
            let mut numbers: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
            let signature = |state: usize| {
                let row = self.row(state).iter().map(|&target| class[target]);
                std::iter::once(class[state]).chain(row).collect::<Vec<usize>>()
            };
            let mut refined = Vec::with_capacity(self.len());
            for state in 0..self.len() {
                let next = numbers.len();
                refined.push(*numbers.entry(signature(state)).or_insert(next));
            }
            class = refined;
            if numbers.len() == count {
                return self.joined(&class, count);
            }
            count = numbers.len();
        }
    }

    /// The first state is the first to be given a class, so it stays the first.
    fn joined(&self, class: &[usize], count: usize) -> Table {
        let member = |it: usize| class.iter().position(|&other| other == it).unwrap_or(0);
        let members: Vec<usize> = (0..count).map(member).collect();
        let rows = members.iter().flat_map(|&state| self.row(state)).map(|&target| class[target]);
        let accepts = members.iter().map(|&state| self.accepts[state]).collect();
        Table { letters: self.letters, targets: rows.collect(), accepts }
    }

    fn explicit(&self, accepts: impl Fn(bool) -> bool) -> Explicit {
        let steps = |state: usize| {
            let marks = u64::from(accepts(self.accepts[state]));
            let step = |letter: usize| {
                let mut letters = LetterSet::empty(self.letters);
                letters.insert(letter);
                Step { target: self.target(state, letter), marks, letters }
            };
            tidy((0..self.letters).map(step).collect())
        };
        Explicit { letters: self.letters, marks: 1, initial: 0, states: (0..self.len()).map(steps).collect() }
    }
}
