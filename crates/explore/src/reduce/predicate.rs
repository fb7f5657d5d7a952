//! Expressions over a packed state. Nothing in them can be at fault.

use super::footprint::{Ground, Who};
use super::steps::chain;
use super::uses::{Uses, members};
use spinor_exec::{Bits, Coding, Place};
use spinor_model::access::uses_of_action;
use spinor_model::expr::{BinaryOp, UnaryOp};
use spinor_model::model::{Edge, Location};
use spinor_model::{Access, Base, Expr, eval};

/// An expression over numbers whose places are known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Predicate {
    Constant(i32),
    Stored(Bits, Coding),
    Unary(UnaryOp, Box<Predicate>),
    Binary(BinaryOp, Box<[Predicate; 2]>),
    /// The number of messages.
    Length(Bits),
    /// Whether some process stands at one of its locations.
    Stands(Vec<(Bits, Box<[bool]>)>),
}

/// A number in the state that is an object of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    /// Its bit among the uses.
    pub(super) bit: u32,
    pub(super) place: Bits,
    coding: Coding,
}

/// Numbers with more values are not looked at value by value.
const MOST_VALUES: u64 = 256;

impl Number {
    /// All values that it can have, if they are few.
    pub(super) fn values(&self) -> Option<impl Iterator<Item = i32> + use<>> {
        let coding = self.coding;
        (coding.highest < MOST_VALUES).then(|| (0..=coding.highest).map(move |number| coding.value(number)))
    }

    /// Which of them a value is.
    pub(super) fn place_of(&self, value: i32) -> Option<usize> {
        self.coding.number(value).map(|number| number as usize)
    }
}

impl Predicate {
    pub(super) fn holds(&self, state: &[u64]) -> bool {
        self.eval(state) != 0
    }

    pub(super) fn eval(&self, state: &[u64]) -> i32 {
        self.eval_by(&|bits, coding| coding.value(bits.get(state)), state)
    }

    /// Whether it holds, given the value of the only number in it.
    pub(super) fn holds_for(&self, value: i32) -> bool {
        self.eval_for(value) != 0
    }

    /// Its value, given the value of the only number in it.
    pub(super) fn eval_for(&self, value: i32) -> i32 {
        self.eval_by(&|_, _| value, &[])
    }

    fn eval_by(&self, stored: &impl Fn(Bits, Coding) -> i32, state: &[u64]) -> i32 {
        match self {
            Predicate::Constant(value) => *value,
            Predicate::Stored(bits, coding) => stored(*bits, *coding),
            Predicate::Length(bits) => bits.get(state) as i32,
            Predicate::Unary(op, operand) => eval::unary(*op, operand.eval_by(stored, state)),
            // A division by zero is not compiled.
            Predicate::Binary(op, sides) => {
                let [left, right] = &**sides;
                eval::binary(*op, left.eval_by(stored, state), right.eval_by(stored, state)).unwrap_or(1)
            }
            Predicate::Stands(places) => i32::from(places.iter().any(|(bits, at)| at[bits.get(state) as usize])),
        }
    }

    /// The test of an expression of a process, if it can be evaluated without a fault.
    pub(super) fn compile(ground: &Ground<'_>, who: Who, expr: &Expr) -> Option<Predicate> {
        Some(match expr {
            Expr::Constant(value) => Predicate::Constant(*value),
            Expr::Load(access) => stored(ground, who, access)?,
            Expr::Pid => Predicate::Constant(who.slot? as i32),
            Expr::ProcessCount => Predicate::Constant(ground.shape.processes.len() as i32),
            Expr::Unary(op, operand) => Predicate::Unary(*op, Box::new(Predicate::compile(ground, who, operand)?)),
            Expr::Binary(op, left, right) => {
                let sides = [Predicate::compile(ground, who, left)?, Predicate::compile(ground, who, right)?];
                let divides = *op == BinaryOp::Divide || *op == BinaryOp::Remainder;
                let is_safe = !divides || matches!(sides[1], Predicate::Constant(divisor) if divisor > 0);
                is_safe.then(|| Predicate::Binary(*op, Box::new(sides)))?
            }
            Expr::Len(access) => {
                let channel = ground.only_channel(who, access)?;
                Predicate::Length(ground.shape.channels[channel].length)
            }
            Expr::Conditional(_) | Expr::Run(_) | Expr::ChannelTest(..) | Expr::Poll(_) => return None,
            Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } => return None,
            Expr::Remote { .. } | Expr::Timeout | Expr::NonProgress | Expr::Last | Expr::OwnPriority => return None,
        })
    }

    /// Whether it has a value.
    pub(super) fn equals(self, value: i32) -> Predicate {
        Predicate::Binary(BinaryOp::Equal, Box::new([self, Predicate::Constant(value)]))
    }

    /// Whether a channel is not full, for a send, or not empty.
    pub(super) fn has_room(ground: &Ground<'_>, channel: usize, is_send: bool) -> Predicate {
        let place = &ground.shape.channels[channel];
        let bound = if is_send { ground.model.channel_types[place.kind].capacity as i32 } else { 0 };
        Predicate::Binary(BinaryOp::NotEqual, Box::new([Predicate::Length(place.length), Predicate::Constant(bound)]))
    }

    /// Whether another process stands where it sends to a channel, or receives from it.
    pub(super) fn partner(ground: &Ground<'_>, who: Who, channel: usize, is_send: bool) -> Predicate {
        let others = ground.shape.processes.iter().enumerate().filter(|(slot, _)| who.slot != Some(*slot));
        let stands = |(slot, process): (usize, &spinor_exec::ProcessPlace)| {
            let other = Who { proctype: process.proctype, slot: Some(slot) };
            (process.location, meeting_places(ground, other, channel, is_send))
        };
        Predicate::Stands(others.map(stands).collect())
    }

    /// Whether the locations of processes decide about it.
    pub(super) fn is_of_locations(&self) -> bool {
        matches!(self, Predicate::Constant(_) | Predicate::Stands(_))
    }

    /// The only field of the state that it is about, if all that this can hold has a meaning.
    pub(super) fn only_field(&self) -> Option<Bits> {
        let mut fields = Vec::new();
        self.fields(&mut fields)?;
        fields.dedup();
        if let [only] = fields[..] { Some(only) } else { None }
    }

    /// The fields in it; none if there are locations.
    fn fields(&self, out: &mut Vec<Bits>) -> Option<()> {
        match self {
            Predicate::Constant(_) => Some(()),
            Predicate::Stored(bits, _) | Predicate::Length(bits) => {
                out.push(*bits);
                Some(())
            }
            Predicate::Unary(_, operand) => operand.fields(out),
            Predicate::Binary(_, sides) => sides.iter().try_for_each(|side| side.fields(out)),
            Predicate::Stands(_) => None,
        }
    }

    /// The only number in it, if it reads nothing else that others can change.
    pub(super) fn only_number(&self, reads: &Uses, first_variable: u32) -> Option<Number> {
        let mut numbers = Vec::new();
        self.numbers(&mut numbers)?;
        numbers.dedup_by_key(|it| it.0);
        let mut bits = members(reads);
        match (&numbers[..], bits.next(), bits.next()) {
            (&[(place, coding)], Some(bit), None) if bit as u32 >= first_variable => {
                Some(Number { bit: bit as u32, place, coding })
            }
            _ => None,
        }
    }

    /// The numbers in it; none if there is more than numbers.
    fn numbers(&self, out: &mut Vec<(Bits, Coding)>) -> Option<()> {
        match self {
            Predicate::Constant(_) => Some(()),
            Predicate::Stored(bits, coding) => {
                out.push((*bits, *coding));
                Some(())
            }
            Predicate::Unary(_, operand) => operand.numbers(out),
            Predicate::Binary(_, sides) => sides.iter().try_for_each(|side| side.numbers(out)),
            Predicate::Length(_) | Predicate::Stands(_) => None,
        }
    }
}

/// The locations at which a process sends to a channel, or receives from it.
fn meeting_places(ground: &Ground<'_>, who: Who, channel: usize, is_send: bool) -> Box<[bool]> {
    let proctype = ground.model.proctype(who.proctype);
    let meets = |action| {
        let mut found = false;
        uses_of_action(proctype, action, &mut |it| {
            if let Some((kind, access)) = it.channel() {
                let is_meant = if is_send { kind.sends() } else { kind.receives() && kind.changes() };
                found |= is_meant && ground.may_mean(who, access, channel);
            }
        });
        found
    };
    // A send may also come later in an atomic sequence; a receiver must stand ready.
    let statements = |edge: &Edge| if is_send { chain(proctype, edge) } else { vec![edge.statement] };
    let of_location = |location: &Location| {
        location.edges.iter().flat_map(statements).any(|it| meets(&proctype.statement(it).action))
    };
    proctype.locations.iter().map(of_location).collect()
}

fn stored(ground: &Ground<'_>, who: Who, access: &Access) -> Option<Predicate> {
    let (leaf, first) = ground.ranges.element(access.base, who.proctype, access.offset);
    let element = match who.slot {
        Some(_) => ground.element(who, access)?,
        None => access.indexes.is_empty().then_some(first)?,
    };
    let place = match access.base {
        Base::Global => &ground.shape.globals[leaf],
        Base::Local => &ground.shape.processes[who.slot?].leaves[leaf],
        Base::Hidden => return None,
    };
    Some(match place {
        Place::Known(values) => Predicate::Constant(values[element]),
        Place::Stored { coding, series } => Predicate::Stored(series.element(element as u32), *coding),
    })
}
