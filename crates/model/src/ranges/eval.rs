//! The values of expressions, and what a condition says about variables.
//!
//! An operand that is at fault and one that has no value are two things: `&&`, `||` and conditional
//! expressions do not evaluate all of their operands, and what is not evaluated is no fault.

use super::env::Env;
use super::{ChannelSet, Interval, Ranges, Values};
use crate::expr::{Access, Base, BinaryOp, Expr, UnaryOp};
use crate::model::{Model, ProctypeId};
use crate::types::Scalar;

/// Expressions that read more variables are not followed for each value of one of them.
const MOST_LOADS: usize = 16;

/// Who evaluates, and what is known of all variables at any time.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a, 'm> {
    pub(super) model: &'m Model,
    pub(super) ranges: &'a Ranges,
    pub(super) proctype: ProctypeId,
    /// One value of a variable is being followed: those of others are not, since there would be too many ways.
    follows: bool,
}

/// What evaluating an expression can come to.
pub(super) struct Outcome<'m> {
    /// The values, and what is known of variables then. Nothing if it never comes to an end: it is not
    /// evaluated, or always at fault.
    pub(super) end: Option<(Values, Env<'m>)>,
    /// Whether it may be at fault.
    pub(super) fails: bool,
}

/// What is known of variables after a condition was evaluated; nothing for what it cannot come to.
pub(super) struct Split<'m> {
    pub(super) yes: Option<Env<'m>>,
    pub(super) no: Option<Env<'m>>,
    /// Whether it may be at fault.
    pub(super) fails: bool,
}

impl<'m> Outcome<'m> {
    fn ends(values: Values, env: Env<'m>) -> Outcome<'m> {
        Outcome { end: (!values.is_empty()).then_some((values, env)), fails: false }
    }

    pub(super) fn values(self) -> Values {
        self.end.map_or_else(Values::empty, |(values, _)| values)
    }

    fn or(self, other: Outcome<'m>) -> Outcome<'m> {
        let fails = self.fails || other.fails;
        let end = match (self.end, other.end) {
            (Some((values, mut env)), Some((more, other))) => {
                env.join(&other, None);
                Some((values.join(&more), env))
            }
            (one, other) => one.or(other),
        };
        Outcome { end, fails }
    }

    fn if_any_fails(self, fails: bool) -> Outcome<'m> {
        Outcome { fails: self.fails || fails, ..self }
    }

    /// The same with other values.
    fn map(self, change: impl FnOnce(&Values) -> Values) -> Outcome<'m> {
        let end = self.end.map(|(values, env)| (change(&values), env)).filter(|(values, _)| !values.is_empty());
        Outcome { end, ..self }
    }

    /// What follows it is evaluated, too.
    fn then(self, next: impl FnOnce(Values, Env<'m>) -> Outcome<'m>) -> Outcome<'m> {
        match self.end {
            Some((values, env)) => next(values, env).if_any_fails(self.fails),
            None => self,
        }
    }
}

impl<'a, 'm> Scope<'a, 'm> {
    pub(super) fn new(model: &'m Model, ranges: &'a Ranges, proctype: ProctypeId) -> Scope<'a, 'm> {
        Scope { model, ranges, proctype, follows: false }
    }

    /// The values of an expression.
    pub(super) fn eval(&self, env: &Env<'m>, expr: &'m Expr) -> Values {
        self.evaluate(env.clone(), expr).values()
    }

    /// What evaluating an expression comes to.
    pub(super) fn evaluate(&self, env: Env<'m>, expr: &'m Expr) -> Outcome<'m> {
        match self.repeated(&env, expr) {
            Some((access, few)) => {
                // Two uses of a variable have the same value: each value is followed alone.
                let scope = Scope { follows: true, ..*self };
                let follow = |&value: &i32| {
                    let mut env = env.clone();
                    scope.assume(&mut env, access, Values::single(value));
                    scope.parts(env, expr)
                };
                let none = Outcome { end: None, fails: false };
                few.iter().map(follow).fold(none, Outcome::or)
            }
            None => self.parts(env, expr),
        }
    }

    fn parts(&self, env: Env<'m>, expr: &'m Expr) -> Outcome<'m> {
        let bounds = &self.ranges.bounds;
        let known = |values: Values, env: Env<'m>| Outcome::ends(values, env);
        match expr {
            Expr::Constant(value) => known(Values::single(*value), env),
            Expr::Load(access) => self.address(env, access).then(|_, env| {
                let values = self.load(&env, access);
                known(values, env)
            }),
            Expr::Unary(op, operand) => self.parts(env, operand).map(|values| Values::unary(*op, values)),
            Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
                let Split { yes, no, fails } = self.split(env, expr);
                let side = |env: Option<Env<'m>>, value: i32| Outcome {
                    end: env.map(|env| (Values::single(value), env)),
                    fails,
                };
                side(yes, 1).or(side(no, 0))
            }
            Expr::Binary(op, left, right) => {
                let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
                self.parts(env, left).then(|a, env| {
                    self.parts(env, right).then(|b, env| {
                        let fails = divides && b.contains(0);
                        known(Values::binary(*op, &a, &b), env).if_any_fails(fails)
                    })
                })
            }
            Expr::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let Split { yes, no, fails } = self.split(env, condition);
                let side = |env: Option<Env<'m>>, value: &'m Expr| match env {
                    Some(env) => self.parts(env, value).if_any_fails(fails),
                    None => Outcome { end: None, fails },
                };
                side(yes, then).or(side(no, otherwise))
            }
            // There may be too many processes.
            Expr::Run(run) => {
                let start = Outcome { end: Some((Values::single(0), env)), fails: true };
                let evaluated = run.arguments.iter().fold(start, |all, it| all.then(|_, env| self.parts(env, it)));
                evaluated.map(|_| bounds.pids[usize::from(run.proctype.0)].into())
            }
            Expr::Len(channel) => self.channel(env, channel, None).map(|_| self.lengths(channel).into()),
            Expr::ChannelTest(_, channel) => self.channel(env, channel, None).map(|_| Interval::BOOL.into()),
            Expr::Poll(receive) => {
                let fails = !self.is_safe_receive(&env, receive, true);
                known(Interval::BOOL.into(), env).if_any_fails(fails)
            }
            // A process that asks of itself is at fault, and so may be the statements that are asked about.
            Expr::Enabled(pid) => self.parts(env, pid).map(|_| Interval::BOOL.into()).if_any_fails(true),
            Expr::AtLabel { pid, .. } => self.pid(env, pid.as_deref()).map(|_| Interval::BOOL.into()),
            Expr::Timeout | Expr::NonProgress => known(Interval::BOOL.into(), env),
            Expr::PcValue(pid) => self.parts(env, pid).map(|_| Interval::new(0, bounds.most_location).into()),
            Expr::Remote { proctype, pid, access } => {
                // 0 if there is no such process. One that is named by its number may be of another type.
                let values = self.ranges.leaf(*proctype, access).values.join(&Values::single(0));
                let process = self.pid(env, pid.as_deref()).if_any_fails(pid.is_some());
                // Without a process, no index is looked at.
                process.then(|_, env| {
                    let address = self.address(env.clone(), access);
                    known(values, env).if_any_fails(address.fails)
                })
            }
            Expr::Pid => known(bounds.pids[usize::from(self.proctype.0)].into(), env),
            Expr::ProcessCount => known(Interval::new(0, bounds.most_processes).into(), env),
            Expr::GetPriority(pid) => self.parts(env, pid).map(|_| Interval::new(0, 255).into()),
            Expr::Last | Expr::OwnPriority => known(Interval::new(0, 255).into(), env),
        }
    }

    /// The pid of a process, if one is given.
    fn pid(&self, env: Env<'m>, pid: Option<&'m Expr>) -> Outcome<'m> {
        match pid {
            Some(pid) => self.parts(env, pid),
            None => Outcome::ends(Values::single(0), env),
        }
    }

    /// The indexes of an access are evaluated: they are not out of bounds, for that is a fault.
    pub(super) fn address(&self, env: Env<'m>, access: &'m Access) -> Outcome<'m> {
        let mut all = Outcome::ends(Values::single(0), env);
        for index in &access.indexes {
            all = all.then(|_, env| {
                let bounds = Interval::new(0, index.length as i32 - 1);
                self.parts(env, &index.value).then(|values, env| {
                    let inside = values.within(bounds);
                    let fails = inside != values;
                    let end = self.constrained(env, &index.value, inside).map(|env| (Values::single(0), env));
                    Outcome { end, fails }
                })
            });
        }
        all
    }

    /// The channel that a variable holds is looked for.
    fn channel(&self, env: Env<'m>, access: &'m Access, fields: Option<usize>) -> Outcome<'m> {
        let fails = !self.has_channel(&env, access, fields);
        self.address(env, access).if_any_fails(fails)
    }

    pub(super) fn load(&self, env: &Env<'m>, access: &Access) -> Values {
        if let Some(slot) = self.slot(access) {
            return env.slots[slot].clone();
        }
        let all = &self.ranges.leaf(self.proctype, access).values;
        env.fact(access).map_or_else(|| all.clone(), |fact| fact.meet(all))
    }

    pub(super) fn slot(&self, access: &Access) -> Option<usize> {
        if !access.indexes.is_empty() {
            return None;
        }
        self.ranges.slots[usize::from(self.proctype.0)].find(access.base, access.offset)
    }

    /// A variable with few values, each of which is worth a look, since the expression uses it twice.
    fn repeated(&self, env: &Env<'m>, expr: &'m Expr) -> Option<(&'m Access, Vec<i32>)> {
        if self.follows || !expr.is_compound() {
            return None;
        }
        let mut seen = Vec::new();
        loads(expr, &mut seen);
        if seen.len() > MOST_LOADS {
            return None;
        }
        let twice = |&(index, access): &(usize, &&'m Access)| seen[..index].contains(access);
        let (_, access) = seen.iter().enumerate().find(twice)?;
        match self.load(env, access) {
            Values::Few(few) if few.len() > 1 && self.is_followed(access) => Some((*access, few)),
            Values::Few(_) | Values::Many(_) => None,
        }
    }

    /// How many messages a channel can hold. One that is offered is in its channel for those who are asked to take it.
    fn lengths(&self, channel: &Access) -> Interval {
        let set = self.ranges.channels(self.proctype, channel);
        let capacity = |site: usize| self.model.channel_types[usize::from(self.ranges.sites[site].kind.0)].capacity;
        let most = (0..self.ranges.sites.len()).filter(|&site| set.contains(site)).map(capacity).max();
        Interval::new(0, most.unwrap_or(0).max(1) as i32)
    }

    /// The channels that a value stored in a `chan` means.
    pub(super) fn channels_of(&self, expr: &Expr) -> ChannelSet {
        match expr {
            Expr::Constant(0) => ChannelSet::none(),
            Expr::Load(access) => self.ranges.channels(self.proctype, access),
            Expr::Conditional(parts) => {
                let mut set = self.channels_of(&parts[1]);
                set.join(&self.channels_of(&parts[2]));
                set
            }
            Expr::Remote { proctype, access, .. } => {
                let mut set = self.ranges.channels(*proctype, access);
                set.none = true;
                set
            }
            Expr::Constant(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Run(_) => ChannelSet::unknown(),
            Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Enabled(_) => ChannelSet::unknown(),
            Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Timeout => ChannelSet::unknown(),
            Expr::NonProgress | Expr::Pid | Expr::ProcessCount | Expr::Last => ChannelSet::unknown(),
            Expr::OwnPriority => ChannelSet::unknown(),
        }
    }

    /// What is known if a condition has a truth value; nothing if it cannot have it.
    pub(super) fn refine(&self, env: &Env<'m>, expr: &'m Expr, truth: bool) -> Option<Env<'m>> {
        let Split { yes, no, .. } = self.split(env.clone(), expr);
        if truth { yes } else { no }
    }

    /// What is known on either way after a condition. Each part is looked at once.
    pub(super) fn split(&self, env: Env<'m>, expr: &'m Expr) -> Split<'m> {
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => {
                let Split { yes, no, fails } = self.split(env, operand);
                Split { yes: no, no: yes, fails }
            }
            Expr::Binary(BinaryOp::And, left, right) => {
                let first = self.split(env, left);
                let second = self.split_rest(first.yes, right);
                let fails = first.fails || second.fails;
                Split { yes: second.yes, no: either(first.no, second.no), fails }
            }
            Expr::Binary(BinaryOp::Or, left, right) => {
                let first = self.split(env, left);
                let second = self.split_rest(first.no, right);
                let fails = first.fails || second.fails;
                Split { yes: either(first.yes, second.yes), no: second.no, fails }
            }
            Expr::Binary(op, left, right) => match opposite(*op) {
                Some(opposite) => self.compare(env, expr, [*op, opposite], left, right),
                None => self.split_value(env, expr),
            },
            Expr::Constant(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Conditional(_) | Expr::Run(_) => {
                self.split_value(env, expr)
            }
            Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Enabled(_) | Expr::PcValue(_) => {
                self.split_value(env, expr)
            }
            Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::Timeout => {
                self.split_value(env, expr)
            }
            Expr::NonProgress | Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority => {
                self.split_value(env, expr)
            }
        }
    }

    /// The second operand of `&&` or `||`, if it comes to that.
    fn split_rest(&self, env: Option<Env<'m>>, expr: &'m Expr) -> Split<'m> {
        env.map_or(Split { yes: None, no: None, fails: false }, |env| self.split(env, expr))
    }

    fn split_value(&self, env: Env<'m>, expr: &'m Expr) -> Split<'m> {
        let Outcome { end, fails } = self.evaluate(env, expr);
        let Some((values, env)) = end else { return Split { yes: None, no: None, fails } };
        let no = self.constrained(env.clone(), expr, values.meet(&Values::single(0)));
        let yes = self.constrained(env, expr, values.without(0));
        Split { yes, no, fails }
    }

    fn compare(&self, env: Env<'m>, expr: &'m Expr, ops: [BinaryOp; 2], left: &'m Expr, right: &'m Expr) -> Split<'m> {
        // Two uses of a variable say more together than each side alone.
        let whole = self.repeated(&env, expr).map(|_| self.evaluate(env.clone(), expr).values());
        let first = self.evaluate(env, left);
        let fails = first.fails;
        let never = |fails: bool| Split { yes: None, no: None, fails };
        let Some((a, env)) = first.end else { return never(fails) };
        let second = self.evaluate(env, right);
        let fails = fails || second.fails;
        let Some((b, env)) = second.end else { return never(fails) };
        let side = |op: BinaryOp, truth: i32| {
            if whole.as_ref().is_some_and(|values| !values.contains(truth)) {
                return None;
            }
            let (a, b) = remaining(op, &a, &b);
            self.constrained(env.clone(), left, a).and_then(|env| self.constrained(env, right, b))
        };
        Split { yes: side(ops[0], 1), no: side(ops[1], 0), fails }
    }

    /// What is known if an expression has one of the given values.
    pub(super) fn matched(&self, env: Env<'m>, expr: &'m Expr, values: &Values) -> Option<Env<'m>> {
        let (found, env) = self.evaluate(env, expr).end?;
        self.constrained(env, expr, found.meet(values))
    }

    /// The environment in which an expression has some of its values only.
    fn constrained(&self, mut env: Env<'m>, expr: &'m Expr, values: Values) -> Option<Env<'m>> {
        let (mut expr, mut values) = (expr, values);
        if values.is_empty() {
            return None;
        }
        // Adding a constant can be undone, with wrap-around, too.
        while let Some((inner, by)) = sum(expr) {
            values = Values::binary(BinaryOp::Subtract, &values, &Values::single(by));
            expr = inner;
        }
        if let Some(access) = expr.variable()
            && self.is_followed(access)
        {
            let values = values.meet(&self.load(&env, access));
            if values.is_empty() {
                return None;
            }
            self.assume(&mut env, access, values);
        }
        Some(env)
    }

    fn assume(&self, env: &mut Env<'m>, access: &'m Access, values: Values) {
        match self.slot(access) {
            Some(slot) => env.slots[slot] = values,
            None => env.set_fact(access, values),
        }
    }

    /// Whether something can be known of a variable: it is clear which stores change it.
    pub(super) fn is_followed(&self, access: &Access) -> bool {
        access.ty != Scalar::Chan && access.indexes.iter().all(|index| is_plain(&index.value))
    }

    /// Whether no other process changes what an access means, or the variable itself.
    pub(super) fn is_own(&self, access: &Access) -> bool {
        let mut own = self.owns(access);
        access.visit(&mut |expr| {
            if let Some(inner) = expr.variable() {
                own &= self.owns(inner);
            }
        });
        own
    }

    fn owns(&self, access: &Access) -> bool {
        let leaf = || self.ranges.element(access.base, self.proctype, access.offset).0;
        match access.base {
            Base::Local => true,
            Base::Global => self.ranges.owners[0][leaf()] == Some(self.proctype),
            Base::Hidden => self.ranges.owners[1][leaf()] == Some(self.proctype),
        }
    }
}

fn either<'m>(first: Option<Env<'m>>, second: Option<Env<'m>>) -> Option<Env<'m>> {
    match (first, second) {
        (Some(mut first), Some(second)) => {
            first.join(&second, None);
            Some(first)
        }
        (first, second) => first.or(second),
    }
}

/// The operand and the constant of a sum.
fn sum(expr: &Expr) -> Option<(&Expr, i32)> {
    let (op, left, right) = expr.binary()?;
    match (op, left.constant(), right.constant()) {
        (BinaryOp::Add, _, Some(by)) => Some((left, by)),
        (BinaryOp::Add, Some(by), None) => Some((right, by)),
        (BinaryOp::Subtract, _, Some(by)) => Some((left, by.wrapping_neg())),
        _ => None,
    }
}

/// The comparison that holds if another does not.
fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Less => Some(BinaryOp::GreaterEqual),
        BinaryOp::LessEqual => Some(BinaryOp::Greater),
        BinaryOp::Greater => Some(BinaryOp::LessEqual),
        BinaryOp::GreaterEqual => Some(BinaryOp::Less),
        BinaryOp::Equal => Some(BinaryOp::NotEqual),
        BinaryOp::NotEqual => Some(BinaryOp::Equal),
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => None,
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => None,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::And | BinaryOp::Or => None,
    }
}

/// What both sides can be if a comparison holds.
fn remaining(op: BinaryOp, a: &Values, b: &Values) -> (Values, Values) {
    match op {
        BinaryOp::Less => (below(a, b, 1), above(b, a, 1)),
        BinaryOp::LessEqual => (below(a, b, 0), above(b, a, 0)),
        BinaryOp::Greater => (above(a, b, 1), below(b, a, 1)),
        BinaryOp::GreaterEqual => (above(a, b, 0), below(b, a, 0)),
        BinaryOp::Equal => (a.meet(b), b.meet(a)),
        BinaryOp::NotEqual => (other_than(a, b), other_than(b, a)),
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => {
            (a.clone(), b.clone())
        }
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => (a.clone(), b.clone()),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::And | BinaryOp::Or => (a.clone(), b.clone()),
    }
}

fn below(a: &Values, b: &Values, by: i32) -> Values {
    match b.range().high.checked_sub(by) {
        Some(high) => a.within(Interval { low: i32::MIN, high }),
        None => Values::empty(),
    }
}

fn above(a: &Values, b: &Values, by: i32) -> Values {
    match b.range().low.checked_add(by) {
        Some(low) => a.within(Interval { low, high: i32::MAX }),
        None => Values::empty(),
    }
}

fn other_than(a: &Values, b: &Values) -> Values {
    b.range().constant().map_or_else(|| a.clone(), |only| a.without(only))
}

/// An index whose value changes by stores alone.
pub(super) fn is_plain(expr: &Expr) -> bool {
    let mut plain = true;
    expr.visit(&mut |part| {
        plain &= match part {
            Expr::Constant(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) => true,
            Expr::Pid => true,
            Expr::Run(_) | Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Enabled(_) => false,
            Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } => false,
            Expr::Timeout | Expr::NonProgress | Expr::ProcessCount | Expr::Last | Expr::OwnPriority => false,
        };
    });
    plain
}

/// The variables that an expression reads itself, not by way of an index; some more than are worth following.
fn loads<'m>(expr: &'m Expr, out: &mut Vec<&'m Access>) {
    if out.len() > MOST_LOADS {
        return;
    }
    match expr {
        Expr::Load(access) => out.push(access),
        Expr::Unary(_, operand) => loads(operand, out),
        Expr::Binary(_, left, right) => {
            loads(left, out);
            loads(right, out);
        }
        Expr::Conditional(parts) => parts.iter().for_each(|part| loads(part, out)),
        Expr::Constant(_) | Expr::Run(_) | Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) => {}
        Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } => {}
        Expr::Remote { .. } | Expr::Timeout | Expr::NonProgress | Expr::Pid | Expr::ProcessCount => {}
        Expr::Last | Expr::OwnPriority => {}
    }
}
