//! Conditions that decide whether a statement is executable.
//!
//! Most are conjunctions that compare variables with constants. All such variables that lie in one
//! word are compared at once.

use super::expression::is_simple;
use super::{Generator, Result};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use spinor_exec::{Bits, Place};
use spinor_model::expr::{BinaryOp, UnaryOp};
use spinor_model::{Access, Expr};

/// What some bits of a word must be.
struct Wanted {
    word: u32,
    mask: u64,
    bits: u64,
}

impl Generator<'_, '_> {
    /// Goes elsewhere unless a condition holds.
    pub(super) fn guard(&mut self, condition: &Expr, elsewhere: Block) -> Result {
        let mut parts = Vec::new();
        flatten(condition, &mut parts);
        // What is simple cannot be at fault, so its order does not matter.
        for run in parts.chunk_by(|a, b| is_simple(a) && is_simple(b)) {
            let mut wanted: Vec<Wanted> = Vec::new();
            let mut rest = Vec::new();
            for part in run {
                match self.comparison_with_constant(part) {
                    Some((field, number)) if want(&mut wanted, field, number) => {}
                    _ => rest.push(*part),
                }
            }
            for Wanted { word, mask, bits } in wanted {
                let word = self.builder.use_var(self.words[word as usize]);
                let (found, bits) = (self.mask(word, mask), self.long(bits));
                let same = self.builder.ins().icmp(IntCC::Equal, found, bits);
                self.branch_unless(same, elsewhere);
            }
            let mut all: Option<Value> = None;
            for part in rest {
                let holds = self.condition(part)?;
                all = Some(all.map_or(holds, |before| self.builder.ins().band(before, holds)));
            }
            if let Some(all) = all {
                self.branch_unless(all, elsewhere);
            }
        }
        Ok(())
    }

    /// The field and the number it must hold, if an expression says no more than that.
    fn comparison_with_constant(&self, expr: &Expr) -> Option<(Bits, u64)> {
        let (access, value) = equality(expr)?;
        let (_, place) = self.leaf(access).ok().filter(|_| access.indexes.is_empty())?;
        let Place::Stored { coding, series } = place else { return None };
        let (_, element) = self.site.shapes.ranges().element(access.base, self.proctype, access.offset);
        Some((series.element(element as u32), coding.number(value)?))
    }
}

/// Adds a field, unless something else was wanted of it before.
fn want(wanted: &mut Vec<Wanted>, field: Bits, number: u64) -> bool {
    let (mask, bits) = (field.mask(), number << field.shift);
    match wanted.iter_mut().find(|it| it.word == field.word) {
        Some(it) if it.mask & mask == 0 => {
            it.mask |= mask;
            it.bits |= bits;
            true
        }
        Some(_) => false,
        None => {
            wanted.push(Wanted { word: field.word, mask, bits });
            true
        }
    }
}

/// The variable and the number that it must be, if an expression says no more than that.
fn equality(expr: &Expr) -> Option<(&Access, i32)> {
    if let Some((BinaryOp::Equal, left, right)) = expr.binary() {
        let sides = left.variable().zip(right.constant());
        return sides.or_else(|| right.variable().zip(left.constant()));
    }
    let (op, operand) = expr.unary()?;
    (op == UnaryOp::Not).then_some(operand)?.variable().map(|access| (access, 0))
}

/// The parts of a conjunction.
fn flatten<'e>(expr: &'e Expr, parts: &mut Vec<&'e Expr>) {
    match expr.binary() {
        Some((BinaryOp::And, left, right)) => {
            flatten(left, parts);
            flatten(right, parts);
        }
        Some(_) | None => parts.push(expr),
    }
}
