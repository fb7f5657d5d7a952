//! Parts of a formula that follow from the others. Their shape does not show it, so satisfiability
//! decides: a part is redundant if the others and its negation have no model.

use crate::explicit::Explicit;
use crate::letters::Letters;
use crate::limits::Limits;
use crate::positive::{FALSE, Id, Pool, Positive, TRUE};
use crate::prune::prune;
use crate::tableau::{self, Branching};

/// Conjunctions and disjunctions with more parts are left as they are.
const MAX_PARTS: usize = 8;

/// Questions that need more are not answered.
const LIMITS: Limits = Limits { states: 50, cubes: 500 };

/// The formula without redundant parts of its outermost conjunction or disjunction; true or false
/// if it is valid or has no model.
pub(crate) fn without_redundant_parts(pool: &mut Pool, formula: Id, atoms: usize) -> Id {
    let negation = pool.not(formula);
    if has_no_model(pool, formula, atoms) {
        return FALSE;
    }
    if has_no_model(pool, negation, atoms) {
        return TRUE;
    }
    match pool.node(formula) {
        Positive::And(_) => shortened(pool, formula, atoms),
        Positive::Or(_) => {
            let negation = shortened(pool, negation, atoms);
            pool.not(negation)
        }
        _ => formula,
    }
}

fn shortened(pool: &mut Pool, conjunction: Id, atoms: usize) -> Id {
    let Positive::And(mut parts) = pool.node(conjunction).clone() else { return conjunction };
    let mut index = 0;
    while index < parts.len() && parts.len() <= MAX_PARTS {
        let mut others = parts.clone();
        let part = others.remove(index);
        others.push(pool.not(part));
        let counterexamples = pool.and(others);
        if has_no_model(pool, counterexamples, atoms) {
            parts.remove(index);
        } else {
            index += 1;
        }
    }
    pool.and(parts)
}

/// Whether it is known that no word satisfies a formula.
fn has_no_model(pool: &mut Pool, formula: Id, atoms: usize) -> bool {
    let Ok(automaton) = tableau::translate(pool, formula, atoms, Branching::Early, LIMITS) else { return false };
    prune(&Explicit::new(&Letters::of(&[&automaton]), &automaton)).edges() == 0
}
