//! Each step on the way to a small automaton keeps its meaning.

use super::generate;
use crate::acceptance::{self, Style};
use crate::degeneralise::{Acceptance, degeneralise};
use crate::explicit::Explicit;
use crate::letters::Letters;
use crate::positive::Pool;
use crate::prune::prune;
use crate::simulation;
use crate::tableau::{self, Branching};
use crate::{Limits, Word, weak};

const ATOMS: u8 = 2;

#[test]
fn rewriting_keeps_the_meaning() {
    let (mut rng, seed) = generate::generator();
    for index in 0..generate::formulas(2000) {
        let formula = generate::formula(&mut rng, ATOMS, index as u32 % 12);
        let mut pool = Pool::new();
        let positive = pool.import(&formula);
        let rewritten = pool.export(positive);
        for _ in 0..5 {
            let word = generate::word(&mut rng, ATOMS);
            let name = |atom: crate::Atom| format!("p{}", atom.0);
            let texts = (formula.text(&name), rewritten.text(&name));
            assert_eq!(word.satisfies(&formula), word.satisfies(&rewritten), "seed {seed}: {texts:?} on {word:?}");
        }
    }
}

/// Rules that random formulas seldom meet: formulas of their shape, with random parts.
#[test]
fn rare_rules_keep_the_meaning() {
    const SHAPES: &[&str] = &[
        "(a V b) || (!a U (!b && <> c))",
        "[] b || <> (!b && <> c)",
        "[] b || (b U (!b && <> c && <> d))",
        "[] a || (a U b)",
        "(a V b) && (c V b)",
        "<> [] (a || [] b)",
        "[] <> (a && <> b)",
        "<> (a && [] <> b) || <> [] c",
        "a U (b && [] <> c)",
        "a U (b || <> c)",
        "X (a || [] <> b)",
        "(a U c) && (b U c)",
        "a U (b U c) && (a && b) U (a U c)",
        "<> [] a || [] <> b || <> c",
    ];
    let (mut rng, seed) = generate::generator();
    for index in 0..generate::formulas(4000) {
        let shape = crate::parse(SHAPES[index as usize % SHAPES.len()]).expect("a formula").formula;
        let parts: Vec<_> = (0..4).map(|_| generate::formula(&mut rng, ATOMS, index as u32 % 3)).collect();
        let formula = generate::substitute(&shape, &parts);
        let mut pool = Pool::new();
        let positive = pool.import(&formula);
        let rewritten = pool.export(positive);
        for _ in 0..5 {
            let word = generate::word(&mut rng, ATOMS);
            let text = formula.text(&|atom| format!("p{}", atom.0));
            assert_eq!(word.satisfies(&formula), word.satisfies(&rewritten), "seed {seed}: {text} on {word:?}");
        }
    }
}

#[test]
fn each_step_keeps_the_language() {
    let (mut rng, seed) = generate::generator();
    for index in 0..generate::formulas(400) {
        let formula = generate::formula(&mut rng, ATOMS, index as u32 % 8);
        let mut pool = Pool::new();
        let (yes, limits) = (pool.import(&formula), Limits::default());
        let no = pool.not(yes);
        let mut tableau = |id, branching| tableau::translate(&mut pool, id, 2, branching, limits).expect("small");
        let (early, late) = (tableau(yes, Branching::Early), tableau(yes, Branching::Late));
        let complement = tableau(no, Branching::Early);
        let mut letters = Letters::of(&[&early, &late, &complement]);
        let [early, late, complement] = [early, late, complement].map(|it| Explicit::new(&letters, &it));
        let words: Vec<Word> = (0..6).map(|_| generate::word(&mut rng, ATOMS)).collect();
        let mut check = |step: &str, automaton: &Explicit| {
            let automaton = automaton.automaton(&mut letters, 2).expect("small labels");
            for word in &words {
                let text = formula.text(&|atom| format!("p{}", atom.0));
                let context = format!("{step}, seed {seed}: {text} on {word:?}");
                assert_eq!(word.is_accepted_by(&automaton), word.satisfies(&formula), "{context}");
            }
        };
        check("early branching", &early);
        check("late branching", &late);
        for (name, automaton) in [("early", early), ("late", late)] {
            let pruned = prune(&automaton);
            check(&format!("{name}, pruned"), &pruned);
            check(&format!("{name}, forward simulation"), &simulation::forward(&pruned));
            check(&format!("{name}, backward simulation"), &simulation::backward(&pruned, false));
            for style in [Style::Bare, Style::Full] {
                let simple = acceptance::simplify(&pruned, style);
                check(&format!("{name}, {style:?} marks"), &simple);
                check(&format!("{name}, {style:?} marks, forward"), &simulation::forward(&simple));
                check(&format!("{name}, {style:?} marks, backward"), &simulation::backward(&simple, false));
                for acceptance in [Acceptance::State, Acceptance::Transition] {
                    let order = (0..simple.marks).rev().collect();
                    let levels = degeneralise(&simple, acceptance, order);
                    check(&format!("{name}, {style:?} marks, levels, {acceptance:?}"), &levels);
                    if acceptance == Acceptance::State {
                        let levels = acceptance::simplify(&levels, Style::StateBased);
                        check(&format!("{name}, state-based marks"), &levels);
                        check(&format!("{name}, state-based, backward"), &simulation::backward(&levels, true));
                    }
                }
            }
            if let Some(weak) = weak::minimal(&pruned, &complement) {
                check(&format!("{name}, weak"), &weak);
            }
        }
    }
}
