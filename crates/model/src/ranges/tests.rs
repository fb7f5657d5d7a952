//! What is known of expressions beside their values, all of them computed.

use super::env::Env;
use super::eval::Scope;
use super::{Interval, Ranges, Values};
use crate::eval;
use crate::expr::{Access, BinaryOp, Expr, UnaryOp};
use crate::model::{Action, Model, ProctypeId};
use spinor_syntax::source::NoIncludes;

const P: ProctypeId = ProctypeId(0);
const BINARY: [BinaryOp; 18] = [
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::Multiply,
    BinaryOp::Divide,
    BinaryOp::Remainder,
    BinaryOp::BitAnd,
    BinaryOp::BitXor,
    BinaryOp::BitOr,
    BinaryOp::ShiftLeft,
    BinaryOp::ShiftRight,
    BinaryOp::Less,
    BinaryOp::LessEqual,
    BinaryOp::Greater,
    BinaryOp::GreaterEqual,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::And,
    BinaryOp::Or,
];
const UNARY: [UnaryOp; 3] = [UnaryOp::Not, UnaryOp::Negate, UnaryOp::Complement];

/// Each operator on each pair of intervals of small numbers, and of numbers near the ends and multiples of words.
#[test]
fn operators_of_values_are_those_of_numbers() {
    let ends = [i32::MIN, i32::MIN + 1, -33, -2, -1, 0, 1, 2, 31, 32, 40, i32::MAX - 1, i32::MAX];
    let mut sets = vec![Values::empty()];
    for (index, &low) in ends.iter().enumerate() {
        sets.extend(ends[index..].iter().map(|&high| Values::from(Interval { low, high })));
        sets.extend(ends[index..].iter().map(|&high| [low, high].into_iter().collect()));
    }
    let some = |set: &Values| ends.into_iter().filter(|&value| set.contains(value)).collect::<Vec<i32>>();
    for a in &sets {
        for op in UNARY {
            let all = Values::unary(op, a);
            assert!(some(a).iter().all(|&a| all.contains(eval::unary(op, a))), "{op:?} {a:?}");
        }
        for b in &sets {
            for op in BINARY {
                let all = Values::binary(op, a, b);
                let is_in = |(a, b): (i32, i32)| eval::binary(op, a, b).is_none_or(|value| all.contains(value));
                let pairs = some(a).into_iter().flat_map(|a| some(b).into_iter().map(move |b| (a, b)));
                assert!(pairs.into_iter().all(is_in), "{a:?} {op:?} {b:?}");
                assert!(all.is_empty() || !a.is_empty() && !b.is_empty(), "{a:?} {op:?} {b:?}");
            }
        }
    }
}

/// What the variables of [`TEXT`] hold.
#[derive(Clone, Copy, Debug)]
struct State {
    x: i32,
    y: i32,
    a: [i32; 2],
}

const TEXT: &str = "int x, y; byte a[2]; active proctype P() { do :: x = y :: y = x :: a[x] = a[0] + a[1] + 1 od }";

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn expression(&mut self, variables: &[Access], depth: usize) -> Expr {
        let inner = |random: &mut Random| random.expression(variables, depth - 1);
        match if depth == 0 { self.below(2) } else { self.below(8) } {
            0 => Expr::Constant(self.of(&[-2, -1, 0, 0, 1, 1, 2, 3, 31, 255, i32::MIN, i32::MAX])),
            1 => {
                let mut access = variables[self.below(variables.len())].clone();
                if let Some(index) = access.indexes.first_mut() {
                    index.value = if depth == 0 { Expr::Constant(0) } else { inner(self) };
                }
                Expr::Load(access)
            }
            2 => Expr::Unary(self.of(&UNARY), Box::new(inner(self))),
            3 => Expr::Conditional(Box::new([inner(self), inner(self), inner(self)])),
            4 => {
                let op = self.of(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Divide, BinaryOp::Remainder]);
                Expr::Binary(op, Box::new(inner(self)), Box::new(inner(self)))
            }
            _ => Expr::Binary(self.of(&BINARY), Box::new(inner(self)), Box::new(inner(self))),
        }
    }

    /// A few values, or an interval, of which some values are looked at.
    fn set(&mut self) -> (Values, Vec<i32>) {
        let few = [-2, -1, 0, 1, 2, 3, 31, 255, i32::MIN, i32::MAX];
        if self.below(3) > 0 {
            let values: Vec<i32> = (0..=self.below(3)).map(|_| self.of(&few)).collect();
            return (values.iter().copied().collect(), values);
        }
        let (low, high) = (self.of(&[-40, -1, 0, 1, i32::MIN]), self.of(&[40, 255, i32::MAX]));
        let inside = few.into_iter().filter(|it| (low..=high).contains(it)).chain([low, high]).collect();
        (Interval { low, high }.into(), inside)
    }
}

/// The value as it is defined; nothing if it is at fault.
fn value(expr: &Expr, state: State) -> Option<i32> {
    Some(match expr {
        Expr::Constant(value) => *value,
        Expr::Load(access) => match (&*access.name, access.indexes.first()) {
            ("x", _) => state.x,
            ("y", _) => state.y,
            (_, index) => {
                let index = value(&index?.value, state)?;
                *state.a.get(usize::try_from(index).ok()?)?
            }
        },
        Expr::Unary(op, operand) => eval::unary(*op, value(operand, state)?),
        Expr::Binary(BinaryOp::And, left, right) => i32::from(value(left, state)? != 0 && value(right, state)? != 0),
        Expr::Binary(BinaryOp::Or, left, right) => i32::from(value(left, state)? != 0 || value(right, state)? != 0),
        Expr::Binary(op, left, right) => eval::binary(*op, value(left, state)?, value(right, state)?)?,
        Expr::Conditional(parts) => match value(&parts[0], state)? {
            0 => value(&parts[2], state)?,
            _ => value(&parts[1], state)?,
        },
        other => panic!("{other:?} is not made here"),
    })
}

fn compile(text: &str) -> Model {
    crate::compile("m.pml", text, &[], &NoIncludes).0
}

/// The variables as they are written in the text.
fn variables(model: &Model) -> Vec<Access> {
    let stored = |action: &Action| if let Action::Assign(target, _) = action { Some(target.clone()) } else { None };
    model.proctypes[0].statements.iter().filter_map(|it| stored(&it.action)).collect()
}

/// What is known of states, with the states.
struct Known<'m> {
    env: Env<'m>,
    states: Vec<State>,
}

fn known<'m>(scope: &Scope<'_, 'm>, variables: &'m [Access], random: &mut Random) -> Known<'m> {
    let places = &scope.ranges.slots[0].places;
    let mut env = Env { slots: vec![Values::from(Interval { low: 0, high: 255 }); places.len()], facts: Vec::new() };
    let ((x, xs), (y, ys)) = (random.set(), random.set());
    env.slots[scope.slot(&variables[0]).expect("x is followed")] = x;
    env.slots[scope.slot(&variables[1]).expect("y is followed")] = y;
    let states = xs.iter().flat_map(|&x| ys.iter().map(move |&y| State { x, y, a: [7, 0] }));
    Known { env, states: states.collect() }
}

/// Whether a state is allowed by what is known.
fn allows(scope: &Scope<'_, '_>, env: &Env<'_>, state: State, variables: &[Access]) -> bool {
    let slot = |access: &Access, value: i32| env.slots[scope.slot(access).expect("followed")].contains(value);
    let fact = |(access, values): &(&Access, Values)| {
        value(&Expr::Load((*access).clone()), state).is_some_and(|it| values.contains(it))
    };
    slot(&variables[0], state.x) && slot(&variables[1], state.y) && env.facts.iter().all(fact)
}

/// Random expressions in random states: all values are foreseen, each fault, and what is known behind a condition.
#[test]
fn expressions_come_to_what_is_foreseen() {
    let model = compile(TEXT);
    let ranges = Ranges::new(&model);
    let variables = variables(&model);
    let rounds = std::env::var("SPINOR_RANGES_EXPRESSIONS").ok().and_then(|it| it.parse().ok()).unwrap_or(20_000);
    for seed in 1..=rounds {
        let mut random = Random(u64::wrapping_mul(seed, 0x9e37_79b9_7f4a_7c15));
        let depth = 1 + random.below(4);
        let expr = &random.expression(&variables, depth);
        let scope = Scope::new(&model, &ranges, P);
        let Known { env, states } = known(&scope, &variables, &mut random);
        let (outcome, split) = (scope.evaluate(env.clone(), expr), scope.split(env.clone(), expr));
        for state in states {
            let about = || format!("seed {seed}: {expr:?} in {state:?} of {env:?}");
            let Some(value) = value(expr, state) else {
                assert!(outcome.fails && split.fails, "{}", about());
                continue;
            };
            let (values, after) = outcome.end.as_ref().unwrap_or_else(|| panic!("{}", about()));
            assert!(values.contains(value) && allows(&scope, after, state, &variables), "{}", about());
            let side = if value == 0 { &split.no } else { &split.yes };
            assert!(side.as_ref().is_some_and(|env| allows(&scope, env, state, &variables)), "{}", about());
        }
    }
}
