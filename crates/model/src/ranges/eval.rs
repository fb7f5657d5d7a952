//! The values of expressions, and what a condition says about variables.

use super::env::Env;
use super::{ChannelSet, Interval, Ranges, Values};
use crate::expr::{Access, Base, BinaryOp, ChannelTest, Expr, UnaryOp};
use crate::model::{Model, ProctypeId};
use crate::types::Scalar;

/// Who evaluates, and what is known of all variables at any time.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a, 'm> {
    pub(super) model: &'m Model,
    pub(super) ranges: &'a Ranges,
    pub(super) proctype: ProctypeId,
}

impl<'m> Scope<'_, 'm> {
    /// The values of an expression.
    pub(super) fn eval(&self, env: &Env<'m>, expr: &'m Expr) -> Values {
        match self.repeated(env, expr) {
            Some((access, Values::Few(few))) => {
                // Two uses of a variable have the same value: each value is followed alone.
                let mut all = Values::empty();
                for value in few {
                    let mut env = env.clone();
                    self.assume(&mut env, access, Values::single(value));
                    all = all.join(&self.eval_parts(&env, expr));
                }
                all
            }
            _ => self.eval_parts(env, expr),
        }
    }

    fn eval_parts(&self, env: &Env<'m>, expr: &'m Expr) -> Values {
        let bounds = &self.ranges.bounds;
        match expr {
            Expr::Constant(value) => Values::single(*value),
            Expr::Load(access) => self.load(env, access),
            Expr::Unary(op, operand) => Values::unary(*op, &self.eval_parts(env, operand)),
            Expr::Binary(op, left, right) => {
                Values::binary(*op, &self.eval_parts(env, left), &self.eval_parts(env, right))
            }
            Expr::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let side = |truth: bool, value: &'m Expr| {
                    self.refine(env, condition, truth).map_or_else(Values::empty, |env| self.eval_parts(&env, value))
                };
                side(true, then).join(&side(false, otherwise))
            }
            Expr::Run(run) => bounds.pids[usize::from(run.proctype.0)].into(),
            Expr::Len(channel) => self.lengths(channel).into(),
            Expr::ChannelTest(test, channel) => self.test(*test, channel),
            Expr::Poll(_) | Expr::Enabled(_) | Expr::AtLabel { .. } | Expr::Timeout | Expr::NonProgress => {
                Interval::BOOL.into()
            }
            Expr::PcValue(_) => Interval::new(0, bounds.most_location).into(),
            Expr::Remote { proctype, access, .. } => {
                // 0 if there is no such process.
                self.ranges.leaf(*proctype, access).values.join(&Values::single(0))
            }
            Expr::Pid => bounds.pids[usize::from(self.proctype.0)].into(),
            Expr::ProcessCount => Interval::new(0, bounds.most_processes).into(),
            Expr::Last | Expr::GetPriority(_) | Expr::OwnPriority => Interval::new(0, 255).into(),
        }
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
    fn repeated(&self, env: &Env<'m>, expr: &'m Expr) -> Option<(&'m Access, Values)> {
        if !matches!(expr, Expr::Binary(..) | Expr::Conditional(_)) {
            return None;
        }
        let mut seen = Vec::new();
        loads(expr, &mut seen);
        let twice = |&(index, access): &(usize, &&'m Access)| seen[..index].contains(access);
        let (_, access) = seen.iter().enumerate().find(twice)?;
        let values = self.load(env, access);
        (self.is_followed(access) && matches!(&values, Values::Few(few) if few.len() > 1)).then_some((*access, values))
    }

    /// How many messages a channel can hold.
    fn lengths(&self, channel: &Access) -> Interval {
        let set = self.ranges.channels(self.proctype, channel);
        let capacity = |site: usize| self.model.channel_types[usize::from(self.ranges.sites[site].kind.0)].capacity;
        let most = (0..self.ranges.sites.len()).filter(|&site| set.contains(site)).map(capacity).max();
        Interval::new(0, most.unwrap_or(0) as i32)
    }

    fn test(&self, test: ChannelTest, channel: &Access) -> Values {
        match (test, self.lengths(channel).high) {
            (ChannelTest::Empty | ChannelTest::NotFull, 0) => Values::single(1),
            (ChannelTest::NotEmpty | ChannelTest::Full, 0) => Values::single(0),
            _ => Interval::BOOL.into(),
        }
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
            _ => ChannelSet::unknown(),
        }
    }

    /// What is known if a condition has a truth value; nothing if it cannot have it.
    pub(super) fn refine(&self, env: &Env<'m>, expr: &'m Expr, truth: bool) -> Option<Env<'m>> {
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => self.refine(env, operand, !truth),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                if (*op == BinaryOp::And) == truth {
                    return self.refine(&self.refine(env, left, truth)?, right, truth);
                }
                let first = self.refine(env, left, truth);
                let second = self.refine(env, left, !truth).and_then(|env| self.refine(&env, right, truth));
                either(first, second)
            }
            Expr::Binary(op, left, right) => match comparison(*op, truth) {
                Some(op) => self.compare(env, op, left, right),
                None => self.refine_value(env, expr, truth),
            },
            _ => self.refine_value(env, expr, truth),
        }
    }

    fn refine_value(&self, env: &Env<'m>, expr: &'m Expr, truth: bool) -> Option<Env<'m>> {
        let env = self.evaluated(env.clone(), expr)?;
        let values = self.eval(&env, expr);
        let left = if truth { values.without(0) } else { values.meet(&Values::single(0)) };
        self.constrained(env, expr, left)
    }

    fn compare(&self, env: &Env<'m>, op: BinaryOp, left: &'m Expr, right: &'m Expr) -> Option<Env<'m>> {
        let env = self.evaluated(self.evaluated(env.clone(), left)?, right)?;
        let (a, b) = (self.eval(&env, left), self.eval(&env, right));
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let (a, b) = match op {
            BinaryOp::Less => (below(&a, &b, 1), above(&b, &a, 1)),
            BinaryOp::LessEqual => (below(&a, &b, 0), above(&b, &a, 0)),
            BinaryOp::Greater => (above(&a, &b, 1), below(&b, &a, 1)),
            BinaryOp::GreaterEqual => (above(&a, &b, 0), below(&b, &a, 0)),
            BinaryOp::Equal => (a.meet(&b), b.meet(&a)),
            _ => (other_than(&a, &b), other_than(&b, &a)),
        };
        self.constrained(env, left, a).and_then(|env| self.constrained(env, right, b))
    }

    /// What is known once an expression was evaluated: the indexes on the way were not out of
    /// bounds, for that is a fault.
    pub(super) fn evaluated(&self, env: Env<'m>, expr: &'m Expr) -> Option<Env<'m>> {
        match expr {
            Expr::Load(access) => self.indexed(env, access),
            Expr::Unary(_, operand) => self.evaluated(env, operand),
            // The second operand may not be needed.
            Expr::Binary(BinaryOp::And | BinaryOp::Or, left, _) => self.evaluated(env, left),
            Expr::Binary(_, left, right) => self.evaluated(self.evaluated(env, left)?, right),
            Expr::Conditional(parts) => self.evaluated(env, &parts[0]),
            _ => Some(env),
        }
    }

    /// The same for the indexes of an access.
    pub(super) fn indexed(&self, env: Env<'m>, access: &'m Access) -> Option<Env<'m>> {
        access.indexes.iter().try_fold(env, |env, index| {
            let env = self.evaluated(env, &index.value)?;
            let inside = self.eval(&env, &index.value).within(Interval::new(0, index.length as i32 - 1));
            self.constrained(env, &index.value, inside)
        })
    }

    /// What is known if an expression has one of the given values.
    pub(super) fn matched(&self, env: Env<'m>, expr: &'m Expr, values: &Values) -> Option<Env<'m>> {
        let both = self.eval(&env, expr).meet(values);
        self.constrained(env, expr, both)
    }

    /// The environment in which an expression has some of its values only.
    fn constrained(&self, mut env: Env<'m>, expr: &'m Expr, values: Values) -> Option<Env<'m>> {
        if values.is_empty() {
            return None;
        }
        match expr {
            Expr::Load(access) if self.is_followed(access) => self.assume(&mut env, access, values),
            Expr::Binary(BinaryOp::Add, left, right) => match (&**left, &**right) {
                (inner, &Expr::Constant(by)) | (&Expr::Constant(by), inner) => {
                    return self.shifted(env, inner, values, by);
                }
                _ => {}
            },
            Expr::Binary(BinaryOp::Subtract, left, right) => {
                if let Expr::Constant(by) = **right
                    && let Some(by) = by.checked_neg()
                {
                    return self.shifted(env, left, values, by);
                }
            }
            _ => {}
        }
        Some(env)
    }

    /// `inner + by` has some of its values only. If the sum can wrap around, nothing is said.
    fn shifted(&self, env: Env<'m>, inner: &'m Expr, values: Values, by: i32) -> Option<Env<'m>> {
        let now = self.eval(&env, inner);
        let range = now.range();
        let (low, high) = (range.low.checked_add(by), range.high.checked_add(by));
        if low.is_none() || high.is_none() {
            return Some(env);
        }
        let moved = Values::binary(BinaryOp::Subtract, &values, &Values::single(by));
        self.constrained(env, inner, now.meet(&moved))
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
            if let Expr::Load(inner) = expr {
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

/// The comparison that holds if `op` has a truth value.
fn comparison(op: BinaryOp, truth: bool) -> Option<BinaryOp> {
    let opposite = match op {
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        _ => return None,
    };
    Some(if truth { op } else { opposite })
}

fn below(a: &Values, b: &Values, by: i32) -> Values {
    a.within(Interval { low: i32::MIN, high: b.range().high.saturating_sub(by) })
}

fn above(a: &Values, b: &Values, by: i32) -> Values {
    a.within(Interval { low: b.range().low.saturating_add(by), high: i32::MAX })
}

fn other_than(a: &Values, b: &Values) -> Values {
    b.range().constant().map_or_else(|| a.clone(), |only| a.without(only))
}

/// An index whose value changes by stores alone.
fn is_plain(expr: &Expr) -> bool {
    let mut plain = true;
    expr.visit(&mut |part| {
        plain &= matches!(
            part,
            Expr::Constant(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) | Expr::Pid
        );
    });
    plain
}

/// The variables that an expression reads itself, not by way of an index.
fn loads<'m>(expr: &'m Expr, out: &mut Vec<&'m Access>) {
    match expr {
        Expr::Load(access) => out.push(access),
        Expr::Unary(_, operand) => loads(operand, out),
        Expr::Binary(_, left, right) => {
            loads(left, out);
            loads(right, out);
        }
        Expr::Conditional(parts) => parts.iter().for_each(|part| loads(part, out)),
        _ => {}
    }
}
