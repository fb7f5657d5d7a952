//! The values that a step can leave in numbers that others see.

use super::footprint::{Ground, Who};
use spinor_model::Access;
use spinor_model::access::{Use, uses_of_action};
use spinor_model::model::Action;
use std::collections::BTreeMap;

/// For each number that a step may write, by its bit: all values that it may write. None if they are not known.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects(BTreeMap<u32, Option<Vec<i32>>>);

impl Effects {
    /// What a statement of a process writes.
    pub(super) fn of(ground: &Ground<'_>, who: Who, action: &Action) -> Effects {
        let mut effects = Effects::default();
        effects.add(ground, who, action);
        effects
    }

    fn add(&mut self, ground: &Ground<'_>, who: Who, action: &Action) {
        let proctype = ground.model.proctype(who.proctype);
        match action {
            Action::Assign(target, value) => {
                let constant = who.slot.and_then(|slot| ground.shapes.constant(ground.shape, slot, value));
                self.write(ground, who, target, constant.and_then(|it| target.ty.convert(it).ok()));
            }
            Action::DStep(d_step) => {
                for (statement, _) in d_step.nodes.iter().flat_map(|node| &node.edges) {
                    self.add(ground, who, &proctype.statement(*statement).action);
                }
            }
            _ => uses_of_action(proctype, action, &mut |it| {
                if let Use::Write(access) = it {
                    self.write(ground, who, access, None);
                }
            }),
        }
    }

    fn write(&mut self, ground: &Ground<'_>, who: Who, access: &Access, value: Option<i32>) {
        let (owner, element) = ((who.proctype, who.slot), ground.element(who, access));
        match ground.objects.of_number(ground.ranges, owner, access, element) {
            Some(bit) => self.put(bit, value.map(|value| vec![value])),
            None => {
                let bits = ground.objects.of_access(ground.ranges, owner, access, element);
                bits.into_iter().for_each(|bit| self.put(bit, None));
            }
        }
    }

    fn put(&mut self, bit: u32, values: Option<Vec<i32>>) {
        let known = self.0.entry(bit).or_insert_with(|| Some(Vec::new()));
        *known = known.take().zip(values).map(|(mut known, values)| {
            known.extend(values);
            known.sort_unstable();
            known.dedup();
            known
        });
    }

    /// All that either writes.
    pub(super) fn join(&mut self, other: &Effects) {
        other.0.iter().for_each(|(bit, values)| self.put(*bit, values.clone()));
    }

    /// The values that may be written to a number, if they are known.
    pub(super) fn values(&self, bit: u32) -> Option<&[i32]> {
        self.0.get(&bit)?.as_deref()
    }
}
