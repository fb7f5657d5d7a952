//! Everything against its naive twin, on random formulas and words.
//!
//! `SPINOR_LTL_FORMULAS=100000` makes the comparison longer, `SPINOR_LTL_SEED=7` makes it another one.

mod cross;
mod generate;
mod passes;
mod properties;
