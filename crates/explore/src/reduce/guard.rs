//! Conditions that must hold before a step can be executed, as far as they can be evaluated in a packed state.

use super::footprint::{Ground, Who};
use super::table::conflicts;
use super::uses::{COUNT, DESTROY, Uses, buffer, contains, insert, insert_byte, none};
use spinor_exec::{Bits, Coding, Place};
use spinor_model::expr::{BinaryOp, UnaryOp};
use spinor_model::model::Action;
use spinor_model::{Access, Base, Expr, eval};

/// An expression over numbers whose places are known. Nothing in it can be at fault.
#[derive(Clone, Debug)]
enum Test {
    Constant(i32),
    Stored(Bits, Coding),
    Unary(UnaryOp, Box<Test>),
    Binary(BinaryOp, Box<[Test; 2]>),
    /// The number of messages, and how it is compared with a number.
    Length(Bits),
}

impl Test {
    fn eval(&self, state: &[u64]) -> i32 {
        match self {
            Test::Constant(value) => *value,
            Test::Stored(bits, coding) => coding.value(bits.get(state)),
            Test::Length(bits) => bits.get(state) as i32,
            Test::Unary(op, operand) => eval::unary(*op, operand.eval(state)),
            // A division by zero is not compiled.
            Test::Binary(op, sides) => eval::binary(*op, sides[0].eval(state), sides[1].eval(state)).unwrap_or(1),
        }
    }
}

/// A condition without which an edge cannot be executed.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    test: Test,
    /// The uses that may make it true.
    pub(super) changes: Uses,
    /// It depends on variables of the process itself.
    pub(super) is_own: bool,
    /// The channel that it is about.
    pub(super) channel: Option<usize>,
}

impl Condition {
    pub(super) fn holds(&self, state: &[u64]) -> bool {
        self.test.eval(state) != 0
    }
}

/// The conditions of an action of a process, those that are found.
pub(super) fn conditions(ground: &Ground<'_>, who: Who, action: &Action) -> Vec<Condition> {
    match action {
        Action::Condition(guard) => {
            let mut found = Vec::new();
            conjuncts(ground, who, guard, &mut found);
            found
        }
        Action::Send(send) => channel(ground, who, &send.channel, true).into_iter().collect(),
        Action::Receive(receive) => channel(ground, who, &receive.channel, false).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The parts of a conjunction, up to the first that cannot be evaluated: it could be at fault, and then
/// those behind it do not matter.
fn conjuncts(ground: &Ground<'_>, who: Who, guard: &Expr, out: &mut Vec<Condition>) -> bool {
    if let Expr::Binary(BinaryOp::And, left, right) = guard {
        return conjuncts(ground, who, left, out) && conjuncts(ground, who, right, out);
    }
    let Some(test) = compile(ground, who, guard) else { return false };
    let mut reads = ground.empty();
    ground.value(who, guard, &mut reads);
    let mut changes = conflicts(ground, &reads.uses).on_any_level();
    if contains(&reads.uses, COUNT) {
        insert(&mut changes, DESTROY);
    }
    let mut is_own = false;
    guard.visit(&mut |part| is_own |= matches!(part, Expr::Load(access) if access.base == Base::Local));
    out.push(Condition { test, changes, is_own, channel: None });
    true
}

/// A send needs room, a receive needs a message.
fn channel(ground: &Ground<'_>, who: Who, access: &Access, is_send: bool) -> Option<Condition> {
    let channel = ground.only_channel(who, access).filter(|channel| !ground.is_rendezvous(*channel))?;
    let place = &ground.shape.channels[channel];
    let bound = if is_send { ground.model.channel_types[place.kind].capacity as i32 } else { 0 };
    let sides = Box::new([Test::Length(place.length), Test::Constant(bound)]);
    let mut changes = none(ground.objects.words);
    let change = if is_send { buffer::RECEIVE } else { buffer::SEND };
    insert_byte(&mut changes, ground.objects.channels[channel], change | buffer::CHANGE);
    Some(Condition { test: Test::Binary(BinaryOp::NotEqual, sides), changes, is_own: false, channel: Some(channel) })
}

fn compile(ground: &Ground<'_>, who: Who, expr: &Expr) -> Option<Test> {
    Some(match expr {
        Expr::Constant(value) => Test::Constant(*value),
        Expr::Load(access) => stored(ground, who, access)?,
        Expr::Pid => Test::Constant(who.slot? as i32),
        Expr::ProcessCount => Test::Constant(ground.shape.processes.len() as i32),
        Expr::Unary(op, operand) => Test::Unary(*op, Box::new(compile(ground, who, operand)?)),
        Expr::Binary(op, left, right) if !matches!(op, BinaryOp::Divide | BinaryOp::Remainder) => {
            Test::Binary(*op, Box::new([compile(ground, who, left)?, compile(ground, who, right)?]))
        }
        Expr::Len(access) => {
            let channel = ground.only_channel(who, access)?;
            Test::Length(ground.shape.channels[channel].length)
        }
        _ => return None,
    })
}

fn stored(ground: &Ground<'_>, who: Who, access: &Access) -> Option<Test> {
    let (leaf, first) = ground.ranges.element(access.base, who.proctype, access.offset);
    let element = match who.slot {
        Some(slot) => ground.shapes.constant_element(ground.shape, slot, access)?,
        None => access.indexes.is_empty().then_some(first)?,
    };
    let place = match access.base {
        Base::Global => &ground.shape.globals[leaf],
        Base::Local => &ground.shape.processes[who.slot?].leaves[leaf],
        Base::Hidden => return None,
    };
    Some(match place {
        Place::Known(values) => Test::Constant(values[element]),
        Place::Stored { coding, series } => Test::Stored(series.element(element as u32), *coding),
    })
}
