//! What a state is: premises 3 to 6.

use super::{Candidate, Verified};
use crate::symmetry::act::Act;
use crate::symmetry::frame::Part;
use crate::symmetry::names::value;
use spinor_exec::{Coding, Place};
use spinor_model::ranges::Values;
use spinor_model::symmetry::Node;

impl Candidate<'_, '_, '_> {
    /// Premise 3: what is stored can be renamed where it lies. Elements of arrays go to elements, and all that a variable or a
    /// field can hold, by its coding and by the ranges that are relied on, is mapped to itself.
    pub(super) fn respects_storage(&self) -> Verified {
        for part in self.frame.parts() {
            for (leaf, it) in part.leaves.iter().enumerate() {
                let Place::Stored { coding, .. } = &part.places[leaf] else { continue };
                self.has_room(&part, leaf)?;
                if self.frame.shapes.is_unread(part.base, part.proctype, leaf) {
                    continue;
                }
                self.has_few_names(&part, leaf)?;
                let act = self.act(self.frame.node(&part, leaf));
                self.can_hold(&act, *coding, &|| format!("`{}`", it.name))?;
                if let Some(number) = act.leaves(|number| it.values.contains(number)) {
                    return Err(format!("`{}` never holds all of them: {number}", it.name));
                }
            }
        }
        Ok(())
    }

    /// In an array by name all that change places have an element, or none of them has.
    fn has_room(&self, part: &Part<'_>, leaf: usize) -> Verified {
        for (dimension, &length) in part.leaves[leaf].lengths.iter().enumerate() {
            let act = self.index_act(part, leaf, dimension);
            let has = |number: i32| (0..length as i32).contains(&number);
            if let Some(number) = act.leaves(has) {
                let missing = if has(number) { act.of(number) } else { number };
                return Err(format!("`{}` has no element {missing}", part.leaves[leaf].name));
            }
        }
        Ok(())
    }

    /// Fields are found again by at most two names (a limit of `cells`, not of the theorem).
    fn has_few_names(&self, part: &Part<'_>, leaf: usize) -> Verified {
        let is_named = |&dimension: &usize| {
            let sort = self.frame.sort_of(Node::Index(part.base, part.proctype, leaf, dimension));
            sort.is_some_and(|(sort, _)| self.frame.names.names(sort).next().is_some())
        };
        let named = (0..part.leaves[leaf].lengths.len()).filter(is_named).count();
        if named + usize::from(part.pid.is_some_and(|pid| self.frame.names.of_pid(pid).is_some())) > 2 {
            return Err(format!("`{}` is an array by more than two names", part.leaves[leaf].name));
        }
        Ok(())
    }

    fn can_hold(&self, act: &Act, coding: Coding, what: &dyn Fn() -> String) -> Verified {
        match act.leaves(|number| coding.number(number).is_some()) {
            Some(number) => {
                let is_held = coding.number(number).is_some();
                Err(format!("{} never holds {}", what(), if is_held { act.of(number) } else { number }))
            }
            None => Ok(()),
        }
    }

    /// Premise 4: channels go to channels of the same kind, whose messages have the same names in the same fields.
    pub(super) fn respects_channels(&self) -> Verified {
        let (frame, act) = (self.frame, self.channels());
        for (number, channel) in (1..).zip(&frame.shape.channels) {
            let to = act.of(number);
            let Some(site) = frame.site(to) else { return Err(format!("there is no channel {to}")) };
            if frame.names.like[to as usize - 1] != frame.names.like[number as usize - 1] {
                return Err("their channels are of other kinds".into());
            }
            for field in 0..frame.shapes.ranges().sites[channel.site].fields.len() {
                let here = self.act(frame.field(channel.site, field));
                if here != self.act(frame.field(site, field)) {
                    return Err("their channels have other names in their messages".into());
                }
                let all = self.sent(frame.names.like[number as usize - 1], field);
                if here.leaves(|number| all.iter().any(|values| values.contains(number))).is_some() {
                    return Err(format!("messages of channel {number} never hold all of them"));
                }
            }
            for field in channel.lanes.iter().flat_map(|lane| &lane.fields) {
                let act = self.act(frame.field(channel.site, field.field));
                self.can_hold(&act, field.coding, &|| format!("messages of channel {number}"))?;
            }
        }
        Ok(())
    }

    /// What a field can hold, in all channels of a kind.
    fn sent(&self, like: usize, field: usize) -> Vec<&Values> {
        let channels = self.frame.shape.channels.iter().zip(&self.frame.names.like).filter(|it| *it.1 == like);
        channels.map(|(it, _)| &self.frame.shapes.ranges().sites[it.site].fields[field].values).collect()
    }

    /// Premise 5: who takes the place of a process was given what that was given, renamed.
    pub(super) fn respects_given(&self) -> Verified {
        for (pid, &to) in self.pids.iter().enumerate() {
            let (part, other) = (self.frame.part_of(pid), self.frame.part_of(to));
            for (leaf, it) in part.leaves.iter().enumerate().filter(|(leaf, _)| self.frame.is_given(&part, *leaf)) {
                let node = self.frame.node(&part, leaf);
                if !self.is_renamed(&part, &other, leaf) {
                    return Err(match self.frame.sets.sorts.why_data(node) {
                        Some(why) => format!("`{}` tells them apart: {}", it.name, why.text(self.frame.shapes.model())),
                        None => format!("`{}` tells them apart", it.name),
                    });
                }
            }
        }
        Ok(())
    }

    /// Premise 6: variables that are part of the shape hold what the image of the state holds there. What nobody names may be
    /// what it likes.
    pub(super) fn respects_known(&self) -> Verified {
        for part in self.frame.parts() {
            let other = part.pid.map(|pid| self.frame.part_of(self.pids[pid]));
            for (leaf, it) in part.leaves.iter().enumerate() {
                let is_used = self.used.borrow().contains(&(part.pid.is_some(), part.proctype.0, leaf));
                match &part.places[leaf] {
                    Place::Known(_) if is_used => {
                        self.has_room(&part, leaf)?;
                        if !self.is_renamed(&part, other.as_ref().unwrap_or(&part), leaf) {
                            return Err(format!("`{}` joins them otherwise", it.name));
                        }
                    }
                    Place::Known(_) | Place::Stored { .. } => {}
                }
            }
        }
        Ok(())
    }

    /// Whether a leaf of a part, renamed, is that of another.
    fn is_renamed(&self, part: &Part<'_>, other: &Part<'_>, leaf: usize) -> bool {
        let act = self.act(self.frame.node(part, leaf));
        let held = |part: &Part<'_>, element: usize| value(&part.places[leaf], element, self.frame.given);
        (0..part.leaves[leaf].offsets.len()).all(|element| {
            let to = self.element_after(part, leaf, element);
            to.is_some_and(|to| held(other, to) == act.of(held(part, element)))
        })
    }

    /// The element that an element goes to.
    fn element_after(&self, part: &Part<'_>, leaf: usize, element: usize) -> Option<usize> {
        let mut inner = part.leaves[leaf].offsets.len();
        let mut at = 0;
        for (dimension, &length) in part.leaves[leaf].lengths.iter().enumerate() {
            inner /= length as usize;
            let number = (element / inner) as u32 % length;
            let to = u32::try_from(self.index_act(part, leaf, dimension).of(number as i32)).ok()?;
            at = at * length as usize + (to < length).then_some(to as usize)?;
        }
        Some(at)
    }
}
