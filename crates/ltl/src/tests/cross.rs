//! Formulas and their automata agree on words.

use super::generate;
use crate::{Acceptance, Limits, translate};

const ATOMS: u8 = 3;
const WORDS: usize = 10;

#[test]
fn automata_accept_what_satisfies_the_formula() {
    let (mut rng, seed) = generate::generator();
    for index in 0..generate::formulas(1000) {
        let formula = generate::formula(&mut rng, ATOMS, index as u32 % 9);
        let text = formula.text(&|atom| format!("p{}", atom.0));
        let build = |formula| translate(formula, Limits::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let (automaton, complement) = (build(&formula), build(&formula.not()));
        let buchi = |acceptance| automaton.to_buchi(acceptance);
        let (edges, states) = (buchi(Acceptance::Transition), buchi(Acceptance::State));
        assert_eq!((edges.marks, states.marks), (1, 1), "{text}");
        assert!(states.is_state_based(), "{text}");
        for _ in 0..WORDS {
            let word = generate::word(&mut rng, ATOMS);
            let context = format!("seed {seed}, formula {index}: {text} on {word:?}");
            let truth = word.satisfies(&formula);
            assert_eq!(word.is_accepted_by(&automaton), truth, "{context}");
            assert_eq!(word.is_accepted_by(&complement), !truth, "the complement, {context}");
            assert_eq!(word.is_accepted_by(&edges), truth, "acceptance on edges, {context}");
            assert_eq!(word.is_accepted_by(&states), truth, "acceptance of states, {context}");
        }
    }
}
