//! The transitions of a shape, and what a stubborn set that has one of them must have as well.
//!
//! A transition is an edge of a process of the shape. In the terms of Valmari: for one that may be executable
//! these are all that do not accord with it; for one that is not, all that can make some condition true
//! that is false now. The location of its process is such a condition.

use super::guard::Condition;
use super::table::{EdgeUses, Table};
use super::uses::{COUNT, CREATE, DESTROY, Level, Uses, contains, insert, intersect, none};
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
    pub(super) words: usize,
}

/// A transition.
#[derive(Debug)]
struct Transition {
    slot: usize,
    location: usize,
    /// What can be false of it, with the transitions that can make it true.
    needs: Vec<(Condition, Set)>,
    /// For the end of a process: the ends of the next younger one.
    younger: Option<Set>,
    /// What does not accord with it.
    discords: Set,
}

impl Transitions {
    pub(super) fn new(table: &Table) -> Option<Transitions> {
        let places: Vec<(usize, usize, &EdgeUses)> = places(table).collect();
        if places.len() > MOST {
            return None;
        }
        let words = places.len().div_ceil(64).max(1);
        let list = places.iter().map(|&place| transition(table, &places, place, words)).collect();
        let mut at: Vec<Vec<Range<usize>>> = Vec::new();
        let mut next = 0;
        for slot in &table.slots {
            let ranges = slot.points.iter().map(|point| {
                next += point.edges.len();
                next - point.edges.len()..next
            });
            at.push(ranges.collect());
        }
        let reachable = table.slots.iter().enumerate().map(|(slot, _)| reachable(table, slot, &at[slot], words));
        let arrivals = (0..table.slots.len()).map(|slot| arrivals(table, &places, slot, words));
        Some(Transitions { list, reachable: reachable.collect(), arrivals: arrivals.collect(), at, words })
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
        for (condition, set) in &transition.needs {
            if (is_present || !condition.is_own) && !condition.holds(state) {
                out.push(set);
            }
        }
        if slot + 1 < table.slots.len() {
            out.extend(&transition.younger);
        }
        if out.is_empty() {
            out.push(&transition.discords);
            return true;
        }
        false
    }

    pub(super) fn slot(&self, it: usize) -> usize {
        self.list[it].slot
    }
}

fn places(table: &Table) -> impl Iterator<Item = (usize, usize, &EdgeUses)> {
    table.slots.iter().enumerate().flat_map(|(slot, of_slot)| {
        let points = of_slot.points.iter().enumerate();
        points.flat_map(move |(location, point)| point.edges.iter().map(move |edge| (slot, location, edge)))
    })
}

fn transition(
    table: &Table,
    places: &[(usize, usize, &EdgeUses)],
    (slot, location, edge): (usize, usize, &EdgeUses),
    words: usize,
) -> Transition {
    let all_that = |is_in: &dyn Fn(usize, usize, &EdgeUses) -> bool| {
        let mut set = none(words);
        let members = places.iter().enumerate().filter(|(_, it)| is_in(it.0, it.1, it.2));
        members.for_each(|(index, _)| insert(&mut set, index as u32));
        set
    };
    let need = |condition: &Condition| {
        let own = condition.is_own;
        let set = all_that(&|other, _, it| own && other == slot || intersect(&it.reach, &condition.changes));
        (condition.clone(), set)
    };
    let younger = edge.is_end.then(|| all_that(&|other, _, it| other == slot + 1 && contains(&it.uses, DESTROY)));
    let conflicts = accord_conflicts(table, edge);
    let discords = all_that(&|other, at, it| match other == slot {
        true => at == location,
        false => intersect(&conflicts, &it.reach) || intersect(&it.between, &edge.uses) || ends(slot, edge, other, it),
    });
    Transition { slot, location, needs: edge.conditions.iter().map(need).collect(), younger, discords }
}

/// What conflicts with an edge that is executable: then the level of the channel that it needs is known.
fn accord_conflicts(table: &Table, edge: &EdgeUses) -> Uses {
    let mut all = edge.conflicts.fixed.clone();
    for channel in &edge.conflicts.channels {
        let is_needed = edge.conditions.iter().any(|condition| condition.channel == Some(channel.channel));
        let levels: &[Level] = if is_needed { &[Level::Between] } else { &Level::ALL };
        levels.iter().for_each(|&level| channel.add(level, &mut all));
    }
    debug_assert_eq!(all.len(), table.words);
    all
}

/// Whether the end of a younger process matters to an edge. Who is older cannot end before.
fn ends(slot: usize, edge: &EdgeUses, other: usize, it: &EdgeUses) -> bool {
    let counts = contains(&edge.uses, CREATE) || contains(&edge.uses, COUNT);
    let feels = counts || contains(&edge.uses, DESTROY) && !edge.is_end;
    feels && other > slot && contains(&it.uses, DESTROY)
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
