//! What is read, and what is refused.

use super::read_hoa;
use crate::Word;

const HEAD: &str = "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"p\" \"q\"\n";

fn error(text: &str) -> String {
    read_hoa(text).expect_err("not read").message
}

#[test]
fn state_labels_aliases_and_state_acceptance_are_read() {
    let text = format!(
        "{HEAD}Alias: @pq 0&!1\nacc-name: Buchi\nAcceptance: 1 Inf(0)\ntool: \"x\" \"1\"\n--BODY--\n\
         State: 0 \"start\" [@pq | 1] 0 1\n--END--"
    );
    assert_eq!(
        error(&text),
        "edges without labels are not supported: write [0&!1] before this",
        "a label stands before the number"
    );
    let text = format!(
        "{HEAD}Alias: @pq 0&!1\nacc-name: Buchi\nAcceptance: 1 Inf(0)\ntool: \"x\" \"1\"\n--BODY--\n\
         State: [@pq] 0 \"start\" 0 1 /* two edges */\nState: 1 {{0}} [t] 1\n--END--"
    );
    let hoa = read_hoa(&text).expect("an automaton");
    assert_eq!(hoa.atoms, ["p", "q"]);
    assert_eq!((hoa.automaton.states.len(), hoa.automaton.edges(), hoa.automaton.marks), (2, 3, 1));
    assert!(hoa.automaton.is_state_based());
    assert!(Word { prefix: vec![1, 1], cycle: vec![0] }.is_accepted_by(&hoa.automaton));
    assert!(!Word { prefix: vec![], cycle: vec![0] }.is_accepted_by(&hoa.automaton));
}

#[test]
fn sets_that_acceptance_does_not_ask_for_are_left_out() {
    let text =
        format!("{HEAD}Acceptance: 3 (Inf(2))&Inf(0)\n--BODY--\nState: 0 [t] 0 {{0 1}} [0] 1 {{2}}\nState: 1\n--END--");
    let automaton = read_hoa(&text).expect("an automaton").automaton;
    assert_eq!(automaton.marks, 2);
    assert_eq!(automaton.states[0].iter().map(|edge| edge.marks).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn what_is_not_supported_is_said() {
    let body = "--BODY--\nState: 0 [t] 0\n--END--";
    assert!(error("HOA: v2").contains("version 1"));
    assert!(error(&format!("{HEAD}Acceptance: 1 Fin(0)\n{body}")).contains("only Büchi"));
    assert!(error(&format!("{HEAD}Acceptance: 2 Inf(0)|Inf(1)\n{body}")).contains("only Büchi"));
    assert!(error(&format!("{HEAD}Start: 1\nAcceptance: 0 t\n{body}")).contains("several initial states"));
    assert!(error(&format!("{HEAD}Acceptance: 0 t\n--BODY--\nState: 0 1 1 1 1\n--END--")).contains("without labels"));
    assert!(error(&format!("{HEAD}Acceptance: 0 t\n--BODY--\nState: 0 [t] 0&1\n--END--")).contains("alternating"));
    assert!(error(&format!("{HEAD}Acceptance: 0 t\n--BODY--\nState: 0 [t] 7\n--END--")).contains("no state 7"));
    assert!(error(&format!("{HEAD}Acceptance: 0 t\n--BODY--\nState: 0 [5] 0\n--END--")).contains("proposition 5"));
    assert!(error(&format!("{HEAD}{body}")).contains("Acceptance"));
    let deep = format!("{HEAD}Acceptance: 0 t\n--BODY--\nState: 0 [{}0] 0\n--END--", "(".repeat(5000));
    assert!(error(&deep).contains("nests deeper"));
}

#[test]
fn no_text_makes_the_reader_panic() {
    use rand::{Rng as _, SeedableRng as _};
    let mut rng = rand::rngs::SmallRng::seed_from_u64(1);
    let text = format!(
        "{HEAD}Acceptance: 2 Inf(0)&Inf(1)\n--BODY--\nState: 0 [t] 0 {{0 1}} [0&!1|@a] 1 {{1}}\nState: 1\n--END--"
    );
    for _ in 0..5000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..rng.random_range(1..5) {
            let at = rng.random_range(0..bytes.len());
            match rng.random_range(0..3) {
                0 => bytes[at] = rng.random_range(32..127),
                1 if bytes.len() > 8 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(8)),
            }
        }
        let _ = read_hoa(&String::from_utf8_lossy(&bytes));
    }
}
