//! Formulas: the operators of temporal logic, and propositions between them.

use super::Lowerer;
use crate::eval;
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::model::{LtlBlock, Uses};
use crate::temporal::Temporal;
use spinor_syntax::Diagnostic;
use spinor_syntax::ast::{self, ExprKind, TemporalOp};

impl Lowerer<'_> {
    /// Resolves the names in all formulas. They may speak of all that is declared, wherever they stand.
    pub(super) fn formulas(&mut self) {
        for mut block in std::mem::take(&mut self.model.ltl) {
            self.formula_of(&mut block);
            self.model.ltl.push(block);
        }
    }

    fn formula_of(&mut self, block: &mut LtlBlock) {
        let uses = self.model.uses;
        let formula = block.formula.clone();
        block.temporal = self.temporal(&formula, &mut block.atoms);
        for atom in &block.atoms {
            if atom.has_run() {
                self.error(block.place, "a formula cannot create processes");
            }
        }
        // As for claims: what a formula uses does not change what the processes do.
        let Uses { reads_hidden, priority, .. } = self.model.uses;
        self.model.uses = Uses { reads_hidden, priority, ..uses };
    }

    fn temporal(&mut self, expr: &ast::Expr, atoms: &mut Vec<Expr>) -> Temporal {
        if !has_time(expr) {
            let moment = self.proposition(expr);
            return Temporal::of_moment(moment, atoms);
        }
        match &expr.kind {
            ExprKind::Temporal(op, operand, None) => Temporal::Unary(*op, Box::new(self.temporal(operand, atoms))),
            ExprKind::Temporal(op, left, Some(right)) => {
                Temporal::Binary(*op, Box::new([left, right].map(|part| self.temporal(part, atoms))))
            }
            ExprKind::Unary(UnaryOp::Not, operand) => Temporal::Not(Box::new(self.temporal(operand, atoms))),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let parts = Box::new([left, right].map(|part| self.temporal(part, atoms)));
                if *op == BinaryOp::And { Temporal::And(parts) } else { Temporal::Or(parts) }
            }
            ExprKind::Unary(UnaryOp::Negate | UnaryOp::Complement, _)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(..) => self.time_inside(expr),
            ExprKind::Number(_) | ExprKind::Variable(_) | ExprKind::Run { .. } | ExprKind::Len(_) => {
                self.time_inside(expr)
            }
            ExprKind::ChannelTest(..) | ExprKind::Poll { .. } | ExprKind::Enabled(_) => self.time_inside(expr),
            ExprKind::PcValue(_) | ExprKind::GetPriority(_) | ExprKind::RemoteLabel { .. } => self.time_inside(expr),
            ExprKind::RemoteVariable { .. } | ExprKind::Timeout | ExprKind::NonProgress => self.time_inside(expr),
            ExprKind::EmbeddedC(_) | ExprKind::Error => self.time_inside(expr),
        }
    }

    fn time_inside(&mut self, expr: &ast::Expr) -> Temporal {
        let diagnostic = Diagnostic::error(expr.place, "an operator of temporal logic inside of an expression");
        self.report(diagnostic.hint("put the expression in parentheses, as in [] (x == 1)"));
        Temporal::Constant(true)
    }

    /// A formula without operators of time, as an expression.
    fn proposition(&mut self, expr: &ast::Expr) -> Expr {
        match &expr.kind {
            ExprKind::Temporal(TemporalOp::Implies, left, Some(right)) => {
                let (left, right) = (self.proposition(left), self.proposition(right));
                binary(BinaryOp::Or, not(left), right)
            }
            ExprKind::Temporal(_, left, Some(right)) => {
                let (left, right) = (self.proposition(left), self.proposition(right));
                binary(BinaryOp::Equal, not(left), not(right))
            }
            ExprKind::Unary(UnaryOp::Not, operand) => not(self.proposition(operand)),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let (left, right) = (self.proposition(left), self.proposition(right));
                binary(*op, left, right)
            }
            ExprKind::Temporal(_, _, None) => self.expression(expr),
            ExprKind::Unary(UnaryOp::Negate | UnaryOp::Complement, _)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(..) => self.expression(expr),
            ExprKind::Number(_) | ExprKind::Variable(_) | ExprKind::Run { .. } | ExprKind::Len(_) => {
                self.expression(expr)
            }
            ExprKind::ChannelTest(..) | ExprKind::Poll { .. } | ExprKind::Enabled(_) => self.expression(expr),
            ExprKind::PcValue(_) | ExprKind::GetPriority(_) | ExprKind::RemoteLabel { .. } => self.expression(expr),
            ExprKind::RemoteVariable { .. } | ExprKind::Timeout | ExprKind::NonProgress => self.expression(expr),
            ExprKind::EmbeddedC(_) | ExprKind::Error => self.expression(expr),
        }
    }
}

fn not(operand: Expr) -> Expr {
    match operand.constant() {
        Some(value) => Expr::Constant(eval::unary(UnaryOp::Not, value)),
        None => Expr::Unary(UnaryOp::Not, Box::new(operand)),
    }
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    match left.constant().zip(right.constant()) {
        Some((a, b)) => Expr::Constant(eval::binary(op, a, b).expect("no division among these operators")),
        None => Expr::Binary(op, Box::new(left), Box::new(right)),
    }
}

/// Whether a formula looks at more than one moment.
fn has_time(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Temporal(TemporalOp::Implies | TemporalOp::Equivalent, left, right) => {
            has_time(left) || right.as_deref().is_some_and(has_time)
        }
        ExprKind::Temporal(..) => true,
        ExprKind::Unary(_, operand) => has_time(operand),
        ExprKind::Binary(_, left, right) => has_time(left) || has_time(right),
        ExprKind::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().any(|part| has_time(part))
        }
        // What stands in others is no formula: there an operator of time is an error of its own.
        ExprKind::Number(_) | ExprKind::Variable(_) | ExprKind::Run { .. } | ExprKind::Len(_) => false,
        ExprKind::ChannelTest(..) | ExprKind::Poll { .. } | ExprKind::Enabled(_) | ExprKind::PcValue(_) => false,
        ExprKind::GetPriority(_) | ExprKind::RemoteLabel { .. } | ExprKind::RemoteVariable { .. } => false,
        ExprKind::Timeout | ExprKind::NonProgress | ExprKind::EmbeddedC(_) | ExprKind::Error => false,
    }
}
