//! The numbers at which growing values stop to see whether they are enough.

use crate::expr::{Expr, Pattern};
use crate::model::{Action, Initial, Model};
use std::collections::BTreeSet;

/// All constants of the text and their neighbours, and the bounds of the types.
pub(super) fn thresholds(model: &Model) -> Vec<i32> {
    let mut found = BTreeSet::from([0, 1, 255, i32::from(i16::MIN), i32::from(i16::MAX)]);
    let mut add = |value: i32| found.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
    let bodies = model.proctypes.iter();
    let initials = model.globals_init.iter().chain(bodies.clone().flat_map(|proctype| &proctype.locals_init));
    initials.filter_map(Initial::value).for_each(|(_, value)| constants(value, &mut add));
    for statement in bodies.flat_map(|proctype| &proctype.statements) {
        action(&statement.action, &mut add);
    }
    model.channel_types.iter().for_each(|kind| add(kind.capacity as i32));
    found.into_iter().collect()
}

fn action(action: &Action, add: &mut dyn FnMut(i32)) {
    match action {
        Action::Condition(value) | Action::Assert(value) => constants(value, add),
        Action::Assign(target, value) => {
            target.indexes.iter().for_each(|index| add(index.length as i32));
            constants(value, add);
        }
        Action::Send(send) => send.arguments.iter().for_each(|argument| constants(argument, add)),
        Action::Receive(receive) => {
            receive.patterns.iter().filter_map(Pattern::wanted).for_each(|value| constants(value, add));
        }
        // They leave nothing behind in a variable that a constant of theirs says something of.
        Action::Else | Action::Input(_) | Action::Print(..) | Action::PrintMtype(..) | Action::SetPriority(..) => {}
        Action::DStep(_) | Action::Goto | Action::End => {}
    }
}

fn constants(expr: &Expr, add: &mut dyn FnMut(i32)) {
    expr.visit(&mut |part| {
        part.constant().into_iter().for_each(&mut *add);
        let indexes = part.variable().into_iter().flat_map(|access| &access.indexes);
        indexes.for_each(|index| add(index.length as i32));
    });
}
