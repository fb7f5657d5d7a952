//! Formulas and their automata agree on words.

use super::generate;
use crate::{Acceptance, Limits, Word, parse, translate};

/// Few atoms meet each other often, more of them make more formulas.
const ATOMS: [u8; 4] = [1, 2, 3, 2];
const WORDS: usize = 10;

#[test]
fn automata_accept_what_satisfies_the_formula() {
    let (mut rng, seed) = generate::generator();
    for index in 0..generate::formulas(1000) {
        let atoms = ATOMS[index as usize % ATOMS.len()];
        let formula = generate::formula(&mut rng, atoms, index as u32 % 9);
        let text = formula.text(&|atom| format!("p{}", atom.0));
        let build = |formula| translate(formula, Limits::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let (automaton, complement) = (build(&formula), build(&formula.not()));
        let buchi = |acceptance| automaton.to_buchi(acceptance).expect("a small automaton");
        let (edges, states) = (buchi(Acceptance::Transition), buchi(Acceptance::State));
        assert_eq!((edges.marks, states.marks), (1, 1), "{text}");
        assert!(states.is_state_based(), "{text}");
        for _ in 0..WORDS {
            let word = generate::word(&mut rng, atoms);
            let context = format!("seed {seed}, formula {index}: {text} on {word:?}");
            let truth = word.satisfies(&formula);
            assert_eq!(word.is_accepted_by(&automaton), truth, "{context}");
            assert_eq!(word.is_accepted_by(&complement), !truth, "the complement, {context}");
            assert_eq!(word.is_accepted_by(&edges), truth, "acceptance on edges, {context}");
            assert_eq!(word.is_accepted_by(&states), truth, "acceptance of states, {context}");
        }
    }
}

/// The formulas of the literature are larger than random ones that can be checked often.
#[test]
fn formulas_of_the_literature_are_translated_right() {
    let (mut rng, seed) = generate::generator();
    let lines = include_str!("../../patterns/literature.tsv").lines().filter(|line| !line.starts_with('#'));
    for text in lines.filter_map(|line| line.split('\t').nth(1)) {
        let parsed = parse(text).expect("a formula");
        let (atoms, formula) = (parsed.atoms.len() as u8, parsed.formula);
        let automaton = translate(&formula, Limits::default()).expect("a small automaton");
        let complement = translate(&formula.not(), Limits::default()).expect("a small automaton");
        let states = automaton.to_buchi(Acceptance::State).expect("a small automaton");
        for _ in 0..60 {
            let word = generate::word(&mut rng, atoms);
            let truth = word.satisfies(&formula);
            let context = format!("seed {seed}: {text} on {word:?}");
            assert_eq!(word.is_accepted_by(&automaton), truth, "{context}");
            assert_eq!(word.is_accepted_by(&states), truth, "acceptance of states, {context}");
            assert_eq!(word.is_accepted_by(&complement), !truth, "the complement, {context}");
        }
    }
}

/// What shapes alone do not show: `[] (p && X <> q)` implies `<> q` and promises it in each step.
#[test]
fn promises_are_not_absorbed() {
    for (text, letter) in [
        ("[] ((p && X <> !p) || (!p && X [] p))", 1),
        ("p V X X X <> q", 0),
        ("p V (p U !X X X [] q)", 2),
        ("[] X X X <> p", 0),
    ] {
        let formula = parse(text).expect("a formula").formula;
        let automaton = translate(&formula, Limits::default()).expect("a small automaton");
        let word = Word { prefix: Vec::new(), cycle: vec![letter] };
        assert!(!word.satisfies(&formula) && !word.is_accepted_by(&automaton), "{text}: {automaton:?}");
    }
}

/// Functions that are too large used to be taken for false.
#[test]
fn large_formulas_are_translated_right_or_not_at_all() {
    let (mut rng, seed) = generate::generator();
    let atom = |index: usize| format!("p{index}");
    let pairs = |join: &str| {
        let pair = |index: usize| format!("({} {join} {})", atom(2 * index), atom(2 * index + 1));
        (0..17).map(pair).collect::<Vec<String>>()
    };
    let order = |index: usize| format!("(!{} U {})", atom(index + 1), atom(index));
    let ladder = (0..36).rev().fold("p36".to_string(), |rest, index| format!("{} && <> ({rest})", atom(index)));
    for text in [
        format!("[] <> ({})", pairs("||").join(" && ")),
        format!("<> ({})", pairs("&&").join(" || ")),
        (0..30).map(atom).collect::<Vec<String>>().join(" U "),
        (0..33).map(order).collect::<Vec<String>>().join(" && "),
        format!("<> ({ladder})"),
    ] {
        let parsed = parse(&text).expect("a formula");
        for formula in [parsed.formula.clone(), parsed.formula.not()] {
            let Ok(automaton) = translate(&formula, Limits::default()) else { continue };
            let states = automaton.to_buchi(Acceptance::State);
            for _ in 0..40 {
                let mut word = generate::word(&mut rng, 40);
                word.cycle.iter_mut().for_each(|letter| *letter |= 1 << (letter.count_ones() % 37));
                let truth = word.satisfies(&formula);
                assert_eq!(word.is_accepted_by(&automaton), truth, "seed {seed}: {text} on {word:?}");
                let accepted = states.as_ref().map(|states| word.is_accepted_by(states));
                assert!(accepted.is_err() || accepted == Ok(truth), "states, seed {seed}: {text} on {word:?}");
            }
        }
    }
}
