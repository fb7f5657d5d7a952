//! Arithmetic as C does it on 32 bits, with wrap-around where C is undefined.

use crate::expr::{BinaryOp, UnaryOp};

/// The value of `op a`.
#[must_use]
#[inline]
pub fn unary(op: UnaryOp, a: i32) -> i32 {
    match op {
        UnaryOp::Not => i32::from(a == 0),
        UnaryOp::Negate => a.wrapping_neg(),
        UnaryOp::Complement => !a,
    }
}

/// The value of `a op b`; nothing for a division by zero.
#[must_use]
#[inline]
pub fn binary(op: BinaryOp, a: i32, b: i32) -> Option<i32> {
    Some(match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Subtract => a.wrapping_sub(b),
        BinaryOp::Multiply => a.wrapping_mul(b),
        BinaryOp::Divide if b == 0 => return None,
        BinaryOp::Remainder if b == 0 => return None,
        BinaryOp::Divide => a.wrapping_div(b),
        BinaryOp::Remainder => a.wrapping_rem(b),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::BitOr => a | b,
        BinaryOp::ShiftLeft => a.wrapping_shl(b as u32),
        BinaryOp::ShiftRight => a.wrapping_shr(b as u32),
        BinaryOp::Less => i32::from(a < b),
        BinaryOp::LessEqual => i32::from(a <= b),
        BinaryOp::Greater => i32::from(a > b),
        BinaryOp::GreaterEqual => i32::from(a >= b),
        BinaryOp::Equal => i32::from(a == b),
        BinaryOp::NotEqual => i32::from(a != b),
        BinaryOp::And => i32::from(a != 0 && b != 0),
        BinaryOp::Or => i32::from(a != 0 || b != 0),
    })
}
