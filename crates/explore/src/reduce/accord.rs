//! Which transitions accord: wherever both can be executed, neither disables the other, and their order does
//! not matter (Valmari; Laarman, Pater, van de Pol and Hansen, "Guard-based partial-order reduction", 2016).
//!
//! Two transitions that touch nothing in common accord. Where they do touch the same numbers, the values that
//! guards ask for and steps leave behind are looked at.

use super::guard::Condition;
use super::table::{EdgeUses, Table};
use super::uses::{COUNT, CREATE, DESTROY, Level, READ, Uses, WRITE, contains, intersect, members};

/// An edge of a process whose conditions hold.
pub(super) struct Candidate<'t> {
    table: &'t Table,
    slot: usize,
    edge: &'t EdgeUses,
    conflicts: Uses,
}

impl<'t> Candidate<'t> {
    pub(super) fn new(table: &'t Table, slot: usize, edge: &'t EdgeUses) -> Candidate<'t> {
        Candidate { table, slot, edge, conflicts: conflicts(edge) }
    }

    /// Whether it accords with an edge of another process. If its guard is not complete, it may be waiting for
    /// anything that it touches: then it accords only with what touches nothing of that.
    pub(super) fn accords(&self, other: usize, it: &EdgeUses) -> bool {
        let Candidate { edge, .. } = self;
        if ends(self.slot, edge, other, it) {
            return false;
        }
        if !intersect(&self.conflicts, &it.reach) && !intersect(&it.between, &edge.uses) {
            return true;
        }
        edge.guard.is_complete && (never_together(edge, it) || self.overlap_is_harmless(it))
    }

    /// Whether all that both touch are numbers that stay as the guards want them, and end up the same in either
    /// order.
    fn overlap_is_harmless(&self, it: &EdgeUses) -> bool {
        let Candidate { table, edge, conflicts, .. } = self;
        if edge.creates() || it.creates() {
            return false;
        }
        let theirs = conflicts.iter().zip(&it.uses).map(|(conflicts, uses)| conflicts & uses);
        let ours = it.between.iter().zip(&edge.uses).map(|(conflicts, uses)| conflicts & uses);
        let common: Uses = theirs.zip(ours).map(|(theirs, ours)| theirs | ours).collect();
        let mut bits = members(&common).map(|bit| bit as u32);
        bits.all(|bit| bit >= table.first_variable && is_harmless(edge, it, bit & !1))
    }
}

/// What conflicts with an edge that is executable: then the level of the channel that it needs is known.
fn conflicts(edge: &EdgeUses) -> Uses {
    let mut all = edge.conflicts.fixed.clone();
    for channel in &edge.conflicts.channels {
        let is_needed = edge.guard.conditions.iter().any(|condition| condition.channel == Some(channel.channel));
        let levels: &[Level] = if is_needed { &[Level::Between] } else { &Level::ALL };
        levels.iter().for_each(|&level| channel.add(level, &mut all));
    }
    all
}

/// Whether the end of a younger process matters to an edge. Who is older cannot end before.
fn ends(slot: usize, edge: &EdgeUses, other: usize, it: &EdgeUses) -> bool {
    let counts = contains(&edge.uses, CREATE) || contains(&edge.uses, COUNT);
    let feels = counts || contains(&edge.uses, DESTROY) && !edge.is_end;
    feels && other > slot && contains(&it.uses, DESTROY)
}

/// Whether no value of some number satisfies both guards.
pub(super) fn never_together(one: &EdgeUses, other: &EdgeUses) -> bool {
    let exclude = |a: &Condition, b: &Condition| {
        let (Some(of_a), Some(of_b)) = (a.number, b.number) else { return false };
        let is_same = of_a.bit == of_b.bit && of_a.place == of_b.place;
        let mut values = of_a.values().filter(|_| is_same);
        values.as_mut().is_some_and(|values| !values.any(|value| a.test.holds_for(value) && b.test.holds_for(value)))
    };
    one.guard.conditions.iter().any(|a| other.guard.conditions.iter().any(|b| exclude(a, b)))
}

fn is_harmless(one: &EdgeUses, other: &EdgeUses, number: u32) -> bool {
    let writes = |edge: &EdgeUses| contains(&edge.uses, number + WRITE);
    let reads = |edge: &EdgeUses| contains(&edge.beyond, number + READ);
    let is_blind =
        |writer: &EdgeUses, reader: &EdgeUses| !writes(writer) || !reads(reader) && keeps(writer, reader, number);
    let is_same = !writes(one) || !writes(other) || one.effects.commute(&other.effects, number);
    is_same && is_blind(one, other) && is_blind(other, one)
}

/// Whether what a step leaves in a number satisfies all that the guard of another asks of it.
fn keeps(writer: &EdgeUses, reader: &EdgeUses, number: u32) -> bool {
    let mut about = reader.guard.conditions.iter().filter(|condition| contains(&condition.reads, number + READ));
    about.all(|condition| {
        let holds = |value| condition.test.holds_for(value);
        condition.number.is_some_and(|number| writer.effects.keeps(&number, holds))
    })
}

/// Whether a transition can make a condition true that is false.
pub(super) fn can_enable(it: &EdgeUses, condition: &Condition) -> bool {
    if !intersect(&it.reach, &condition.changes) {
        return false;
    }
    let fails = |value| !condition.test.holds_for(value);
    condition.number.filter(|_| !it.creates()).is_none_or(|number| !it.effects.keeps(&number, fails))
}
