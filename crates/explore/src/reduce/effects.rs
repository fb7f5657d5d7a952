//! What a step can do to numbers that others see.

use super::footprint::{Ground, Who};
use super::predicate::{Number, Predicate};
use spinor_model::access::uses_of_action;
use spinor_model::model::Action;
use spinor_model::{Access, Expr, Scalar};
use std::collections::BTreeMap;
use std::sync::Arc;

/// For each number that a step may write, by its bit: what it does to it.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects(BTreeMap<u32, Effect>);

/// What happens to a number, if anything does.
#[derive(Clone, Debug)]
enum Effect {
    /// It gets one of these values.
    Values(Vec<i32>),
    /// It gets a value that depends on the one before, perhaps several times.
    Update(Update),
    Unknown,
}

/// An assignment to a number of a value that depends on nothing else: `n = n + 1`.
#[derive(Clone, Debug)]
pub(super) struct Update {
    number: Number,
    value: Predicate,
    ty: Scalar,
    /// What follows each value that the number can have, if they are few: each pair of updates asks for all of it.
    after: Arc<[Option<i32>]>,
}

impl Update {
    pub(super) fn of(ground: &Ground<'_>, who: Who, target: &Access, value: &Expr) -> Option<Update> {
        let bit = number(ground, who, target)?;
        let compiled = Predicate::compile(ground, who, value)?;
        let mut reads = ground.empty();
        ground.value(who, value, &mut reads);
        let number = compiled.only_number(&reads.uses, ground.objects.first_variable())?;
        (number.bit == bit).then(|| Update::new(number, compiled, target.ty.clone()))
    }

    fn new(number: Number, value: Predicate, ty: Scalar) -> Update {
        let mut update = Update { number, value, ty, after: Arc::default() };
        update.after = number.values().into_iter().flatten().map(|value| update.compute(value)).collect();
        update
    }

    fn compute(&self, value: i32) -> Option<i32> {
        self.ty.convert(self.value.eval_for(value)).ok()
    }

    /// What follows a value; nothing if that is out of range.
    fn apply(&self, value: i32) -> Option<i32> {
        let known = self.number.place_of(value).and_then(|place| self.after.get(place));
        known.copied().unwrap_or_else(|| self.compute(value))
    }

    /// Whether something is true for all values that the number can have, which must be few.
    fn always(&self, holds: impl Fn(i32) -> bool) -> bool {
        self.number.values().is_some_and(|mut values| values.all(holds))
    }
}

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
                let constant = constant.and_then(|it| target.ty.convert(it).ok());
                let effect = match (constant, Update::of(ground, who, target, value)) {
                    (Some(constant), _) => Effect::Values(vec![constant]),
                    (None, Some(update)) => Effect::Update(update),
                    (None, None) => Effect::Unknown,
                };
                self.write(ground, who, target, effect);
            }
            Action::DStep(d_step) => {
                for (statement, _) in d_step.nodes.iter().flat_map(|node| &node.edges) {
                    self.add(ground, who, &proctype.statement(*statement).action);
                }
            }
            Action::Send(_)
            | Action::Receive(_)
            | Action::Input(_)
            | Action::Condition(_)
            | Action::Assert(_)
            | Action::Else
            | Action::Print(..)
            | Action::PrintMtype(..)
            | Action::SetPriority(..)
            | Action::Goto
            | Action::End => uses_of_action(proctype, action, &mut |it| {
                if let Some(access) = it.written() {
                    self.write(ground, who, access, Effect::Unknown);
                }
            }),
        }
    }

    fn write(&mut self, ground: &Ground<'_>, who: Who, access: &Access, effect: Effect) {
        match number(ground, who, access) {
            Some(bit) => self.put(bit, effect),
            None => {
                let (owner, element) = ((who.proctype, who.slot), ground.element(who, access));
                let bits = ground.objects.of_access(ground.ranges, owner, access, element);
                bits.into_iter().for_each(|bit| self.put(bit, Effect::Unknown));
            }
        }
    }

    fn put(&mut self, bit: u32, effect: Effect) {
        let both = match (self.0.remove(&bit), effect) {
            (None, effect) => effect,
            (Some(Effect::Values(mut known)), Effect::Values(more)) => {
                known.extend(more);
                known.sort_unstable();
                known.dedup();
                Effect::Values(known)
            }
            _ => Effect::Unknown,
        };
        self.0.insert(bit, both);
    }

    /// All that either writes.
    pub(super) fn join(&mut self, other: &Effects) {
        other.0.iter().for_each(|(bit, effect)| self.put(*bit, effect.clone()));
    }

    /// Whether a number has the same value after both, in either order.
    pub(super) fn commute(&self, other: &Effects, bit: u32) -> bool {
        match (self.0.get(&bit), other.0.get(&bit)) {
            (Some(Effect::Values(one)), Some(Effect::Values(other))) => one.len() == 1 && one == other,
            (Some(Effect::Update(one)), Some(Effect::Update(other))) => one.always(|value| {
                let after = |first: &Update, second: &Update| second.apply(first.apply(value)?);
                after(one, other).is_some_and(|it| Some(it) == after(other, one))
            }),
            (Some(Effect::Values(values)), Some(Effect::Update(update)))
            | (Some(Effect::Update(update)), Some(Effect::Values(values))) => {
                values.iter().all(|&value| update.apply(value) == Some(value))
            }
            _ => false,
        }
    }

    /// Whether what is true of a number stays true.
    pub(super) fn keeps(&self, number: &Number, holds: impl Fn(i32) -> bool) -> bool {
        match self.0.get(&number.bit) {
            Some(Effect::Values(values)) => values.iter().all(|&value| holds(value)),
            Some(Effect::Update(update)) => {
                update.always(|value| !holds(value) || update.apply(value).is_some_and(&holds))
            }
            Some(Effect::Unknown) | None => false,
        }
    }
}

/// The bit of the number that an access means, if it is one of its own.
fn number(ground: &Ground<'_>, who: Who, access: &Access) -> Option<u32> {
    let (owner, element) = ((who.proctype, who.slot), ground.element(who, access));
    ground.objects.of_number(ground.ranges, owner, access, element)
}
