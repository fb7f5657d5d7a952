//! Formulas of temporal logic over expressions of the model.

use crate::expr::{BinaryOp, Expr, UnaryOp};
pub use spinor_syntax::ast::TemporalOp;

/// A formula whose atoms are expressions of the model, by their place in [`crate::model::LtlBlock::atoms`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Temporal {
    /// A constant.
    Constant(bool),
    /// An expression is not zero.
    Atom(usize),
    /// `!f`.
    Not(Box<Temporal>),
    /// `f && g`.
    And(Box<[Temporal; 2]>),
    /// `f || g`.
    Or(Box<[Temporal; 2]>),
    /// An operator with one operand: `[]`, `<>`, `X`.
    Unary(TemporalOp, Box<Temporal>),
    /// An operator with two operands: `U`, `W`, `V`, `->`, `<->`.
    Binary(TemporalOp, Box<[Temporal; 2]>),
}

impl Temporal {
    /// What an expression says of one moment. Parts that cannot be at fault become atoms of their own, so
    /// that a formula knows which of them are the same; `&&` and `||` around others must not evaluate both
    /// sides.
    pub(crate) fn of_moment(expr: Expr, atoms: &mut Vec<Expr>) -> Temporal {
        if let Some(value) = expr.constant() {
            return Temporal::Constant(value != 0);
        }
        if let Some((UnaryOp::Not, operand)) = expr.unary() {
            return Temporal::Not(Box::new(Temporal::of_moment(operand.clone(), atoms)));
        }
        if let Some((op @ (BinaryOp::And | BinaryOp::Or), left, right)) = expr.binary()
            && !left.can_fail()
            && !right.can_fail()
        {
            let parts = Box::new([left, right].map(|part| Temporal::of_moment(part.clone(), atoms)));
            return if op == BinaryOp::And { Temporal::And(parts) } else { Temporal::Or(parts) };
        }
        let known = atoms.iter().position(|atom| *atom == expr);
        Temporal::Atom(known.unwrap_or_else(|| {
            atoms.push(expr);
            atoms.len() - 1
        }))
    }
}
