//! Choices of a number: `select`.
//!
//! To choose one of some numbers is not to spell any of them out: a set is spelled out. With few numbers, `select` becomes
//! a selection of assignments; otherwise a loop, which is one choice if nobody can come in between.

use super::quiet::stored;
use crate::eval;
use crate::expr::{Access, Base, BinaryOp, Expr};
use crate::model::{Action, Edge, Location, LocationId, Proctype, StatementId};

/// `i = low; do :: break :: i < high -> i++ od` inside of an atomic sequence: at its end `i` is any of these numbers, and
/// the process never rests before.
#[derive(Clone, Debug, PartialEq)]
pub struct Pick {
    /// What the number is stored in.
    pub target: Access,
    /// The smallest number.
    pub low: i32,
    /// The greatest number.
    pub high: i32,
    /// The statements: the first assignment, the test, the step and the end.
    pub parts: [StatementId; 4],
    /// The locations in between.
    pub inside: [LocationId; 2],
}

impl Pick {
    /// Whether a process that is at rest can come there.
    #[must_use]
    pub fn is_quiet(&self, quiet: &[bool]) -> bool {
        self.inside.iter().any(|it| quiet[usize::from(it.0)])
    }
}

/// The loops of a proctype that choose a number.
pub(super) fn picks(proctype: &Proctype) -> Vec<Pick> {
    if proctype.provided.is_some() {
        // It may have to wait in between.
        return Vec::new();
    }
    let mut all: Vec<Pick> = Vec::new();
    for edge in proctype.locations.iter().flat_map(|it| &it.edges) {
        let pick = pick(proctype, edge).filter(|it| !all.contains(it));
        all.extend(pick);
    }
    all.retain(|it| is_entered_only_there(proctype, it));
    all
}

fn pick(proctype: &Proctype, first: &Edge) -> Option<Pick> {
    let (target, low) = stored(proctype, first.statement)?;
    let head = first.target.filter(|_| is_atomic(first))?;
    let (one, other) = two(proctype.location(head))?;
    let (leave, test) = if is_jump(proctype, one) { (one, other) } else { (other, one) };
    let high = bound(proctype, test.statement, target)?;
    let body = test.target.filter(|_| is_atomic(test) && is_atomic(leave) && is_jump(proctype, leave))?;
    let [step] = &proctype.location(body).edges[..] else { return None };
    let is_step = is_atomic(step) && step.target == Some(head) && is_increment(proctype, step.statement, target);
    let is_away = leave.target.is_some_and(|to| to != head && to != body) && head != body;
    let is_plain = target.indexes.is_empty() && target.base != Base::Hidden && low <= high;
    let parts = [first.statement, test.statement, step.statement, leave.statement];
    let inside = [head, body];
    (is_step && is_away && is_plain).then(|| Pick { target: target.clone(), low, high, parts, inside })
}

fn is_atomic(edge: &Edge) -> bool {
    edge.atomic && edge.escape.is_none()
}

fn two(location: &Location) -> Option<(&Edge, &Edge)> {
    match &location.edges[..] {
        [one, other] => Some((one, other)),
        _ => None,
    }
}

/// Nothing but the loop leads to what is inside of it.
fn is_entered_only_there(proctype: &Proctype, pick: &Pick) -> bool {
    let [head, body] = pick.inside;
    let [first, test, step, _] = pick.parts;
    let edges = || proctype.locations.iter().flat_map(|it| &it.edges);
    let mut into_head = edges().filter(|it| it.target == Some(head));
    let mut into_body = edges().filter(|it| it.target == Some(body));
    let is_start = proctype.start == head || proctype.start == body;
    !is_start
        && into_head.all(|it| is_atomic(it) && (it.statement == first || it.statement == step))
        && into_body.all(|it| it.statement == test)
}

fn is_jump(proctype: &Proctype, edge: &Edge) -> bool {
    proctype.statement(edge.statement).action == Action::Goto
}

/// The number that a variable must be less than.
fn bound(proctype: &Proctype, test: StatementId, target: &Access) -> Option<i32> {
    let less =
        |limit: &Expr| Expr::Binary(BinaryOp::Less, Box::new(Expr::Load(target.clone())), Box::new(limit.clone()));
    let conditions = |action: &Action| match action {
        Action::Condition(condition) => Some(condition.clone()),
        Action::Assign(..) | Action::Else | Action::Send(_) | Action::Receive(_) | Action::Input(_) => None,
        Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) | Action::SetPriority(..) => None,
        Action::DStep(_) | Action::Goto | Action::End => None,
    };
    let condition = conditions(&proctype.statement(test).action)?;
    let limit = right(&condition)?;
    (condition == less(limit)).then(|| constant(limit)).flatten()
}

fn is_increment(proctype: &Proctype, step: StatementId, target: &Access) -> bool {
    let value = Expr::Binary(BinaryOp::Add, Box::new(Expr::Load(target.clone())), Box::new(Expr::Constant(1)));
    proctype.statement(step).action == Action::Assign(target.clone(), value)
}

/// The right operand.
fn right(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Binary(_, _, right) => Some(right),
        Expr::Constant(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Conditional(_) | Expr::Run(_) => None,
        Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Enabled(_) | Expr::PcValue(_) => None,
        Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::Timeout => None,
        Expr::NonProgress | Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority => None,
    }
}

/// The number that an expression spells out: `3 - 1`.
pub(super) fn constant(expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Constant(number) => Some(*number),
        Expr::Unary(op, operand) => Some(eval::unary(*op, constant(operand)?)),
        Expr::Binary(op, left, right) => eval::binary(*op, constant(left)?, constant(right)?),
        Expr::Load(_) | Expr::Conditional(_) | Expr::Run(_) | Expr::Len(_) | Expr::ChannelTest(..) => None,
        Expr::Poll(_) | Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } => None,
        Expr::Remote { .. } | Expr::Timeout | Expr::NonProgress | Expr::Pid | Expr::ProcessCount => None,
        Expr::Last | Expr::OwnPriority => None,
    }
}
