//! The transitions of a shape, and what a stubborn set that has one of them must have as well.
//!
//! A transition is an edge of a process of the shape. In the terms of Valmari: for one that may be executable
//! these are all that do not accord with it; for one that is not, all that can make some condition true
//! that is false now. The location of its process is such a condition.

use super::accord::{Candidate, can_enable, never_together};
use super::predicate::Predicate;
use super::signature::{Asked, Signature};
use super::table::{EdgeUses, Table};
use super::uses::{DESTROY, Uses, contains, insert, members, none};
use std::collections::HashMap;
use std::ops::Range;

/// With more transitions than these a shape has no stubborn sets: the relation is quadratic.
const MOST: usize = 2_048;

/// A set of transitions.
pub(super) type Set = Uses;

/// The transitions of a shape.
#[derive(Debug)]
pub(super) struct Transitions {
    list: Vec<Transition>,
    /// The transitions at each location of each process.
    at: Vec<Vec<Range<usize>>>,
    /// Those that a process can still do from each of its locations.
    reachable: Vec<Vec<Set>>,
    /// Those that lead to each location of each process.
    arrivals: Vec<Vec<Set>>,
    pool: Vec<u64>,
    /// What of a state decides about all of these, if that is not too much.
    signature: Option<Signature>,
    pub(super) words: usize,
}

/// A transition.
#[derive(Debug)]
struct Transition {
    slot: usize,
    location: usize,
    /// For the end of a process: the ends of the next younger one.
    younger: Option<(Set, SetId)>,
    rules: Rules,
    /// The transitions that can lead to it, itself included.
    ways: SetId,
    /// Sharper rules for each value of an index, which is known where the process stands here.
    narrowed: Option<(Predicate, Vec<Rules>)>,
}

/// What a stubborn set with a transition must have as well.
#[derive(Debug)]
struct Rules {
    /// What can be false of it, with the transitions that can make it true.
    needs: Vec<Need>,
    /// What does not accord with it.
    discords: Set,
    /// The transitions that can lead to one of these.
    ways: SetId,
}

#[derive(Debug)]
struct Need {
    test: Predicate,
    is_own: bool,
    set: Set,
    ways: SetId,
}

/// A set that is kept with its like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SetId(u32);

/// Sets of transitions, each once.
#[derive(Debug, Default)]
struct Pool {
    /// One after the other.
    bits: Vec<u64>,
    known: HashMap<Set, SetId>,
}

impl Pool {
    fn keep(&mut self, set: Set) -> SetId {
        let next = SetId(self.known.len() as u32);
        let Pool { bits, known } = self;
        *known.entry(set).or_insert_with_key(|set| {
            bits.extend_from_slice(set);
            next
        })
    }
}

impl Transitions {
    pub(super) fn new(table: &Table) -> Option<Transitions> {
        let list: Vec<(usize, usize, &EdgeUses)> = places(table).collect();
        if list.len() > MOST {
            return None;
        }
        let words = list.len().div_ceil(64).max(1);
        let mut at: Vec<Vec<Range<usize>>> = Vec::new();
        let mut next = 0;
        for slot in &table.slots {
            let ranges = slot.points.iter().map(|point| {
                next += point.edges.len();
                next - point.edges.len()..next
            });
            at.push(ranges.collect());
        }
        let reachable = (0..table.slots.len()).map(|slot| reachable(table, slot, &at[slot], words));
        let reachable: Vec<Vec<Set>> = reachable.collect();
        let arrivals = (0..table.slots.len()).map(|slot| arrivals(table, &list, slot, words)).collect();
        let mut places = Places { table, list, words, arrivals, pool: Pool::default() };
        let list: Vec<Transition> = (0..places.list.len()).map(|index| places.transition(index)).collect();
        let Places { arrivals, pool: Pool { bits: pool, .. }, .. } = places;
        let locations: Vec<usize> = table.slots.iter().map(|slot| slot.points.len()).collect();
        let signature = Signature::new(list.iter().flat_map(Transition::asked), &locations);
        Some(Transitions { list, reachable, arrivals, at, pool, signature, words })
    }

    /// The transitions at the present location of a process.
    pub(super) fn present(&self, table: &Table, state: &[u64], slot: usize) -> Range<usize> {
        self.at[slot][table.location(state, slot)].clone()
    }

    /// Adds all transitions that can still happen.
    pub(super) fn add_reachable(&self, table: &Table, state: &[u64], out: &mut [u64]) {
        for (slot, reachable) in self.reachable.iter().enumerate() {
            super::uses::join(out, &reachable[table.location(state, slot)]);
        }
    }

    /// The sets of which a stubborn set with this transition must contain one, as far as it is reachable.
    /// `true` if the transition may be executable.
    pub(super) fn alternatives<'t>(&'t self, table: &Table, state: &[u64], it: usize, out: &mut Vec<&'t Set>) -> bool {
        out.clear();
        let transition = &self.list[it];
        let slot = transition.slot;
        let is_present = transition.location == table.location(state, slot);
        if !is_present {
            out.push(&self.arrivals[slot][transition.location]);
        }
        let rules = if is_present { transition.rules_in(state) } else { &transition.rules };
        for need in &rules.needs {
            if (is_present || !need.is_own) && !need.test.holds(state) {
                out.push(&need.set);
            }
        }
        if slot + 1 < table.slots.len() {
            out.extend(transition.younger.as_ref().map(|younger| &younger.0));
        }
        if out.is_empty() {
            out.push(&rules.discords);
            return true;
        }
        false
    }

    /// What of a state decides about all of these.
    pub(super) fn signature(&self) -> Option<&Signature> {
        self.signature.as_ref()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// For a transition of the location where its process stands: appends the sets of which one must be in a
    /// stubborn set, as far as its transitions are those of such locations. `true` if it may be executable.
    pub(super) fn ways(&self, table: &Table, state: &[u64], it: usize, out: &mut Vec<SetId>) -> bool {
        let first = out.len();
        let transition = &self.list[it];
        let rules = transition.rules_in(state);
        out.extend(rules.needs.iter().filter(|need| !need.test.holds(state)).map(|need| need.ways));
        if transition.slot + 1 < table.slots.len() {
            out.extend(transition.younger.as_ref().map(|younger| younger.1));
        }
        let is_ready = out.len() == first;
        if is_ready {
            out.push(rules.ways);
        }
        is_ready
    }

    /// The same for a transition of another location: of these, one is enough.
    pub(super) fn ways_to_absent(&self, state: &[u64], it: usize, out: &mut Vec<SetId>) {
        let Transition { rules, ways, .. } = &self.list[it];
        out.push(*ways);
        let can_fail = rules.needs.iter().filter(|need| !need.is_own);
        out.extend(can_fail.filter(|need| !need.test.holds(state)).map(|need| need.ways));
    }

    /// What does not accord with a transition of the location where its process stands.
    pub(super) fn discords(&self, state: &[u64], it: usize) -> &Set {
        &self.list[it].rules_in(state).discords
    }

    /// The members of a set.
    pub(super) fn set(&self, SetId(id): SetId) -> &[u64] {
        &self.pool[id as usize * self.words..][..self.words]
    }
}

fn places(table: &Table) -> impl Iterator<Item = (usize, usize, &EdgeUses)> {
    table.slots.iter().enumerate().flat_map(|(slot, of_slot)| {
        let points = of_slot.points.iter().enumerate();
        points.flat_map(move |(location, point)| point.edges.iter().map(move |edge| (slot, location, edge)))
    })
}

impl Transition {
    /// All that is ever asked of a state because of it.
    fn asked(&self) -> impl Iterator<Item = Asked> {
        let here = Some((self.slot, self.location));
        let narrowed = self.narrowed.iter().flat_map(|(_, rules)| rules);
        // Sharper rules count only where the process stands here.
        let sharper = narrowed.flat_map(|rules| &rules.needs).map(move |need| (need.test.clone(), here));
        let own = move |need: &Need| (need.test.clone(), need.is_own.then_some(here).flatten());
        let index = self.narrowed.iter().flat_map(move |(index, rules)| {
            (0..rules.len() as i32).map(move |value| (index.clone().equals(value), here))
        });
        self.rules.needs.iter().map(own).chain(sharper).chain(index)
    }

    /// The rules in a state where the process stands at the transition.
    fn rules_in(&self, state: &[u64]) -> &Rules {
        let narrowed = self.narrowed.as_ref();
        let known = narrowed.and_then(|(index, rules)| rules.get(usize::try_from(index.eval(state)).ok()?));
        known.unwrap_or(&self.rules)
    }
}

/// The transitions of a shape while the relation between them is made.
struct Places<'t> {
    table: &'t Table,
    list: Vec<(usize, usize, &'t EdgeUses)>,
    words: usize,
    arrivals: Vec<Vec<Set>>,
    pool: Pool,
}

impl Places<'_> {
    fn transition(&mut self, index: usize) -> Transition {
        let (slot, location, edge) = self.list[index];
        let narrowed = edge.narrowed.as_ref().map(|narrowed| {
            let rules = narrowed.edges.iter().map(|edge| self.rules(slot, location, edge));
            (narrowed.index.clone(), rules.collect())
        });
        let rules = self.rules(slot, location, edge);
        let younger = edge.is_end.then(|| {
            let set = self.all_that(|other, _, it| other == slot + 1 && contains(&it.uses, DESTROY));
            let ways = self.ways(&set, &none(self.words));
            (set, ways)
        });
        let mut alone = none(self.words);
        insert(&mut alone, index as u32);
        let ways = self.ways(&alone, &none(self.words));
        Transition { slot, location, younger, rules, ways, narrowed }
    }

    fn rules(&mut self, slot: usize, location: usize, edge: &EdgeUses) -> Rules {
        let is_here = |other: usize, at: usize| other == slot && at == location;
        let mut needs = Vec::new();
        for condition in &edge.guard.conditions {
            // As long as it is false, nothing can be executed that needs it as well.
            let needs_it = self.all_that(|_, _, it| it.guard.conditions.iter().any(|other| other.implies(condition)));
            // Before its variables change, the process must move.
            let moves = |other, at| condition.is_own && is_here(other, at);
            let mut set = self.all_that(|other, at, it| moves(other, at) || can_enable(it, condition));
            set.iter_mut().zip(&needs_it).for_each(|(set, needs_it)| *set &= !needs_it);
            let ways = self.ways(&set, &needs_it);
            needs.push(Need { test: condition.test.clone(), is_own: condition.is_own, set, ways });
        }
        let candidate = Candidate::new(self.table, slot, edge);
        let discords = self.all_that(|other, at, it| match other == slot {
            true => at == location,
            false => !candidate.accords(other, it),
        });
        // As long as it can be executed, nothing can that needs the contrary.
        let excluded = self.all_that(|other, _, it| other != slot && never_together(edge, it));
        let ways = self.ways(&discords, &excluded);
        Rules { needs, discords, ways }
    }

    fn all_that(&self, is_in: impl Fn(usize, usize, &EdgeUses) -> bool) -> Set {
        let mut set = none(self.words);
        let members = self.list.iter().enumerate().filter(|(_, it)| is_in(it.0, it.1, it.2));
        members.for_each(|(index, _)| insert(&mut set, index as u32));
        set
    }

    /// The transitions that are in a set, or after which one of it may follow in the same process without one that
    /// is excluded.
    fn ways(&mut self, set: &Set, excluded: &Set) -> SetId {
        let mut ways = set.clone();
        let mut waiting: Vec<usize> = members(set).collect();
        while let Some(it) = waiting.pop() {
            let (slot, location, _) = self.list[it];
            for (word, before) in self.arrivals[slot][location].iter().enumerate() {
                let new = before & !ways[word] & !excluded[word];
                ways[word] |= new;
                waiting.extend(members(&[new]).map(|bit| word * 64 + bit));
            }
        }
        self.pool.keep(ways)
    }
}

fn arrivals(table: &Table, places: &[(usize, usize, &EdgeUses)], slot: usize, words: usize) -> Vec<Set> {
    let mut sets = vec![none(words); table.slots[slot].points.len()];
    for (index, (_, _, edge)) in places.iter().enumerate().filter(|(_, it)| it.0 == slot) {
        edge.landings.iter().for_each(|target| insert(&mut sets[usize::from(target.0)], index as u32));
    }
    sets
}

fn reachable(table: &Table, slot: usize, at: &[Range<usize>], words: usize) -> Vec<Set> {
    let points = &table.slots[slot].points;
    let mut sets = vec![none(words); points.len()];
    loop {
        let mut grown = false;
        for place in (0..points.len()).rev() {
            let mut set = std::mem::take(&mut sets[place]);
            for index in at[place].clone() {
                grown |= !contains(&set, index as u32);
                insert(&mut set, index as u32);
            }
            for target in points[place].edges.iter().flat_map(|edge| &edge.landings) {
                if usize::from(target.0) != place {
                    grown |= super::uses::join(&mut set, &sets[usize::from(target.0)]);
                }
            }
            sets[place] = set;
        }
        if !grown {
            return sets;
        }
    }
}
