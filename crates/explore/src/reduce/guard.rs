//! Conditions that must hold before a step can be executed, as far as they can be evaluated in a packed state.

use super::footprint::{Ground, Who};
use super::predicate::{Number, Predicate};
use super::table::conflicts;
use super::uses::{COUNT, DESTROY, Uses, buffer, contains, insert, insert_byte, meeting, none};
use spinor_model::access::uses_of_action;
use spinor_model::expr::{BinaryOp, UnaryOp};
use spinor_model::model::{Action, Edge, Location, Proctype};
use spinor_model::{Access, Expr};

/// A condition without which an edge cannot be executed.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) test: Predicate,
    /// What it reads.
    pub(super) reads: Uses,
    /// The uses that may make it true.
    pub(super) changes: Uses,
    /// It depends on variables of the process itself.
    pub(super) is_own: bool,
    /// The channel that it is about.
    pub(super) channel: Option<usize>,
    /// The only number that it is about, if others can change it.
    pub(super) number: Option<Number>,
}

impl Condition {
    /// Whether another condition holds wherever it does.
    pub(super) fn implies(&self, other: &Condition) -> bool {
        match (self.number, other.number) {
            (Some(one), Some(two)) if one.bit == two.bit && one.place == two.place => {
                let mut values = one.values();
                let keeps = |value: i32| !self.test.holds_for(value) || other.test.holds_for(value);
                values.as_mut().is_some_and(|values| values.all(keeps))
            }
            _ => !self.is_own && !other.is_own && self.test == other.test,
        }
    }
}

/// When a step can be executed.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    pub(super) conditions: Vec<Condition>,
    /// Nothing else decides about it.
    pub(super) is_complete: bool,
}

/// The expression that decides whether an action can be executed, if it is one: a condition, also as the
/// beginning of a `d_step`.
pub(super) fn guard_of<'m>(proctype: &'m Proctype, action: &'m Action) -> Option<&'m Expr> {
    match action {
        Action::Condition(guard) => Some(guard),
        Action::DStep(d_step) => {
            let [(first, _)] = d_step.nodes.first()?.edges[..] else { return None };
            let mut targets = d_step.nodes.iter().flat_map(|node| &node.edges).map(|edge| edge.1);
            let is_passed_once = !targets.any(|target| target == Some(0));
            proctype.statement(first).action.condition().filter(|_| is_passed_once)
        }
        Action::Else | Action::Assign(..) | Action::Send(_) | Action::Receive(_) | Action::Input(_) => None,
        Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) | Action::SetPriority(..) => None,
        Action::Goto | Action::End => None,
    }
}

/// Indexes with more values are not looked at value by value.
const MOST_INDEXES: u32 = 16;

/// An index of an array in what an edge does first whose value only the process itself can change, and how many
/// values it has.
pub(super) fn index<'m>(
    ground: &Ground<'m>,
    who: Who,
    location: &'m Location,
    edge: &'m Edge,
) -> Option<(&'m Expr, u32)> {
    let proctype = ground.model.proctype(who.proctype);
    let action = |edge: &Edge| &proctype.statement(edge.statement).action;
    let looks_around = action(edge).is_else();
    let edges = location.edges.iter().filter(|it| looks_around || *it == edge);
    let mut found = None;
    for edge in edges {
        uses_of_action(proctype, action(edge), &mut |it| {
            let channel = || it.channel().map(|(_, access)| access);
            let Some(access) = it.read().or_else(|| it.written()).or_else(channel) else { return };
            let mut dynamic = access.indexes.iter().filter(|index| is_of_process(ground, who, &index.value));
            found = found.or_else(|| dynamic.next().map(|index| (&index.value, index.length)));
        });
    }
    found.filter(|(_, length)| *length <= MOST_INDEXES)
}

/// Whether an expression is made of variables of a process, and has no value that is always the same.
fn is_of_process(ground: &Ground<'_>, who: Who, index: &Expr) -> bool {
    let mut others = false;
    index.visit(&mut |part| {
        others |= match part {
            Expr::Load(access) => !access.is_local() || !access.indexes.is_empty(),
            Expr::Constant(_) | Expr::Pid | Expr::Unary(..) | Expr::Binary(..) => false,
            Expr::Conditional(_) | Expr::Run(_) | Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) => true,
            Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } => true,
            Expr::Remote { .. } | Expr::Timeout | Expr::NonProgress | Expr::ProcessCount => true,
            Expr::Last | Expr::OwnPriority => true,
        };
    });
    let Some(slot) = who.slot.filter(|_| !others) else { return false };
    ground.shapes.constant(ground.shape, slot, index).is_none() && Predicate::compile(ground, who, index).is_some()
}

/// When an edge of a location can be executed by a process.
pub(super) fn guard(ground: &Ground<'_>, who: Who, location: &Location, edge: &Edge) -> Guard {
    let proctype = ground.model.proctype(who.proctype);
    let action = &proctype.statement(edge.statement).action;
    let mut guard = if action.is_else() {
        let earlier = location.edges.iter().take_while(|it| *it != edge);
        refusal(ground, who, earlier)
    } else {
        of_action(ground, who, action)
    };
    let has_escapes = location.edges.iter().any(|edge| edge.escape.is_some());
    guard.is_complete &= !has_escapes && !proctype.deterministic && proctype.provided.is_none();
    guard
}

fn of_action(ground: &Ground<'_>, who: Who, action: &Action) -> Guard {
    let proctype = ground.model.proctype(who.proctype);
    if let Some(guard) = guard_of(proctype, action) {
        let mut conditions = Vec::new();
        let is_complete = conjuncts(ground, who, guard, &mut conditions);
        return Guard { conditions, is_complete };
    }
    match action {
        Action::Send(send) => channel(ground, who, &send.channel, true),
        Action::Receive(receive) => {
            let takes_all = !receive.random && receive.patterns.iter().all(|it| it.wanted().is_none());
            let guard = channel(ground, who, &receive.channel, false);
            Guard { is_complete: guard.is_complete && takes_all, ..guard }
        }
        Action::Assign(..)
        | Action::Assert(_)
        | Action::Print(..)
        | Action::PrintMtype(..)
        | Action::Goto
        | Action::End => Guard { conditions: Vec::new(), is_complete: true },
        Action::Condition(_) | Action::Else | Action::Input(_) | Action::SetPriority(..) | Action::DStep(_) => {
            Guard::default()
        }
    }
}

/// The parts of a conjunction, up to the first that cannot be evaluated: it could be at fault, and then
/// those behind it do not matter.
fn conjuncts(ground: &Ground<'_>, who: Who, guard: &Expr, out: &mut Vec<Condition>) -> bool {
    if let Some((BinaryOp::And, left, right)) = guard.binary() {
        return conjuncts(ground, who, left, out) && conjuncts(ground, who, right, out);
    }
    let condition = condition(ground, who, guard);
    let is_known = condition.is_some();
    out.extend(condition);
    is_known
}

fn condition(ground: &Ground<'_>, who: Who, guard: &Expr) -> Option<Condition> {
    let test = Predicate::compile(ground, who, guard)?;
    let mut reads = ground.empty();
    ground.value(who, guard, &mut reads);
    let mut changes = conflicts(ground, &reads.uses).on_any_level();
    if contains(&reads.uses, COUNT) {
        insert(&mut changes, DESTROY);
    }
    let mut is_own = false;
    guard.visit(&mut |part| is_own |= part.variable().is_some_and(Access::is_local));
    let number = test.only_number(&reads.uses, ground.objects.first_variable()).filter(|_| !is_own);
    Some(Condition { test, reads: reads.uses, changes, is_own, channel: None, number })
}

/// `else`: nothing before it at the location can be executed.
fn refusal<'m>(ground: &Ground<'_>, who: Who, earlier: impl Iterator<Item = &'m Edge>) -> Guard {
    let proctype = ground.model.proctype(who.proctype);
    let mut guard = Guard { conditions: Vec::new(), is_complete: true };
    for edge in earlier {
        let action = &proctype.statement(edge.statement).action;
        let negated = guard_of(proctype, action).map(|it| Expr::Unary(UnaryOp::Not, Box::new(it.clone())));
        let condition = negated.and_then(|negated| condition(ground, who, &negated));
        guard.is_complete &= condition.is_some();
        guard.conditions.extend(condition);
    }
    guard
}

/// A send needs room, a receive needs a message; where there is no room for messages, each needs the other.
fn channel(ground: &Ground<'_>, who: Who, access: &Access, is_send: bool) -> Guard {
    let Some(channel) = ground.only_channel(who, access) else { return Guard::default() };
    let at = ground.objects.channels[channel];
    let (mut reads, mut changes) = (none(ground.objects.words), none(ground.objects.words));
    let is_meeting = ground.is_rendezvous(channel);
    let test = if is_meeting {
        insert_byte(&mut changes, at, meeting::ARRIVE);
        Predicate::partner(ground, who, channel, !is_send)
    } else {
        let change = if is_send { buffer::RECEIVE } else { buffer::SEND };
        insert_byte(&mut changes, at, change | buffer::CHANGE);
        insert_byte(&mut reads, at, buffer::LOOK);
        Predicate::has_room(ground, channel, is_send)
    };
    let condition = Condition { test, reads, changes, is_own: false, channel: Some(channel), number: None };
    Guard { conditions: vec![condition], is_complete: !is_meeting }
}
