//! What is said of automata, and automata as text and back.

use super::generate;
use crate::{Acceptance, Automaton, Formula, Limits, Strength, Stutter, Word, parse, read_hoa, translate};

const ATOMS: u8 = 2;

fn automaton(text: &str) -> Automaton {
    translate(&parse(text).expect("a formula").formula, Limits::default()).expect("a small automaton")
}

fn name(atom: crate::Atom) -> String {
    format!("p{}", atom.0)
}

#[test]
fn hoa_is_read_back() {
    let (mut rng, seed) = generate::generator();
    for index in 0..generate::formulas(300) {
        let formula = generate::formula(&mut rng, ATOMS, index as u32 % 9);
        let generalised = translate(&formula, Limits::default()).expect("a small automaton");
        for automaton in [generalised.to_buchi(Acceptance::State).expect("a small automaton"), generalised] {
            let text = automaton.hoa("a \"title\"", &name);
            let back = read_hoa(&text).unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{text}"));
            assert_eq!(back.automaton, automaton, "seed {seed}: {text}");
            assert_eq!(back.name.as_deref(), Some("a \"title\""));
        }
    }
}

#[test]
fn strengths() {
    for (text, strength) in [
        ("<> p", Strength::Terminal),
        ("p U q", Strength::Terminal),
        ("X X p", Strength::Terminal),
        ("[] p", Strength::Weak),
        ("<> [] p", Strength::Weak),
        ("p W q", Strength::Weak),
        ("[] <> p", Strength::General),
        ("[] (p -> <> q)", Strength::General),
    ] {
        assert_eq!(automaton(text).strength(), strength, "{text}");
        assert_eq!(
            automaton(text).to_buchi(Acceptance::State).map(|it| it.strength()),
            Ok(strength),
            "{text}, states accept"
        );
    }
}

/// Each letter of a word repeated some times.
fn stretched(word: &Word, times: [usize; 3]) -> Word {
    let mut count = 0;
    let mut stretch = |letters: &[u64]| {
        let repeat = |&letter: &u64| {
            count += 1;
            vec![letter; times[count % 3]]
        };
        letters.iter().flat_map(repeat).collect()
    };
    Word { prefix: stretch(&word.prefix), cycle: stretch(&word.cycle) }
}

/// All short words over one atom.
fn short_words() -> impl Iterator<Item = Word> {
    let lengths = (0..4_u32).flat_map(|prefix| (1..4_u32).map(move |cycle| (prefix, cycle)));
    lengths.flat_map(|(prefix, cycle)| {
        let letters = |bits: u32, count: u32| (0..count).map(move |at| u64::from(bits >> at & 1)).collect();
        (0..1_u32 << (prefix + cycle))
            .map(move |bits| Word { prefix: letters(bits, prefix), cycle: letters(bits >> prefix, cycle) })
    })
}

fn changes_when_stretched(formula: &Formula) -> bool {
    let stretches = [[1, 1, 2], [1, 2, 1], [2, 1, 1], [2, 2, 2], [1, 3, 2], [3, 1, 1]];
    short_words().any(|word| {
        stretches.iter().any(|&times| word.satisfies(formula) != stretched(&word, times).satisfies(formula))
    })
}

#[test]
fn stutter_invariance_is_decided() {
    let (mut rng, seed) = generate::generator();
    let (mut invariant, mut sensitive) = (0, 0);
    for index in 0..generate::formulas(600) {
        let formula = generate::formula(&mut rng, 1, index as u32 % 6);
        let text = formula.text(&name);
        let expected = if changes_when_stretched(&formula) { Stutter::Sensitive } else { Stutter::Invariant };
        let found = formula.stutter(Limits::default()).expect("a small automaton");
        assert_eq!(found, expected, "seed {seed}: {text}");
        let automaton = translate(&formula, Limits::default()).expect("a small automaton");
        if automaton.stutter() != Stutter::Unknown {
            assert_eq!(automaton.stutter(), expected, "seed {seed}, without the formula: {text}");
        }
        match found {
            Stutter::Invariant => invariant += u32::from(formula.has_next()),
            _ => sensitive += 1,
        }
    }
    assert!(invariant > 0 && sensitive > 0, "{invariant} invariant with X, {sensitive} sensitive");
}

#[test]
fn stutter_invariance_of_formulas() {
    let check = |text: &str| parse(text).expect("a formula").formula.stutter(Limits::default()).expect("small");
    assert_eq!(check("X p"), Stutter::Sensitive);
    assert_eq!(check("[] <> (p && X !p)"), Stutter::Invariant);
    assert_eq!(check("<> (p && X (!p && X p))"), Stutter::Sensitive);
    assert_eq!(check("<> (p && X (!p && <> p))"), Stutter::Invariant);
}
