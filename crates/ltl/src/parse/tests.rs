//! What is read, and what is said of what cannot be read.

use super::parse;
use expect_test::{Expect, expect};

/// The formula with all its parentheses, or the errors.
fn read(text: &str) -> String {
    match parse(text) {
        Ok(parsed) => parsed.formula.text(&|atom| format!("<{}>", parsed.atoms[atom.0 as usize])),
        Err(errors) => {
            let line = |error: &super::ParseError| {
                let hint = error.hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"));
                format!("{}..{}: {}{hint}", error.span.start, error.span.end, error.message)
            };
            errors.iter().map(line).collect::<Vec<_>>().join("\n")
        }
    }
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&read(text));
}

#[test]
fn operators_bind_as_in_ltl_blocks() {
    check("p -> q && r U s || t", expect!["(<p> -> ((<q> && (<r> U <s>)) || <t>))"]);
    check("a -> b -> c", expect!["((<a> -> <b>) -> <c>)"]);
    check("[] <> !p U X q", expect!["([] <> !<p> U X <q>)"]);
    check("a /\\ b \\/ c <-> d", expect!["(((<a> && <b>) || <c>) <-> <d>)"]);
    check("a V b", expect!["(<a> V <b>)"]);
    check("a R b W c", expect!["((<a> V <b>) W <c>)"]);
}

#[test]
fn words_are_operators() {
    check("always (p implies eventually q)", expect!["[] (<p> -> <> <q>)"]);
    check("p stronguntil q equivalent next r", expect!["((<p> U <q>) <-> X <r>)"]);
    check("p until q weakuntil r release s", expect!["(((<p> U <q>) W <r>) V <s>)"]);
}

#[test]
fn expressions_are_atoms() {
    check("[] (x > 3)", expect!["[] <x > 3>"]);
    check("[] ((x > 3) -> <> (P@label))", expect!["[] (<x > 3> -> <> <P@label>)"]);
    check("<> (len(q) == 2 && !empty(c))", expect!["<> (<len(q) == 2> && !<empty(c)>)"]);
    check("x + 1 == y U (a[i] < 3)", expect!["(<x + 1 == y> U <a[i] < 3>)"]);
    check("[] {x == (b -> 1 : 2)}", expect!["[] <x == (b -> 1 : 2)>"]);
    check("(x + 1) > y || (x)", expect!["(<(x + 1) > y> || <x>)"]);
    check("x == !y && p", expect!["(<x == !y> && <p>)"]);
    check("[]P[1]@here -> <>P[2]:x", expect!["([] <P[1]@here> -> <> <P[2]:x>)"]);
    check("true U false || 1 && 0", expect!["((true U false) || (true && false))"]);
    check("[] q?[msg]", expect!["[] <q?[msg]>"]);
}

#[test]
fn equal_texts_are_one_atom() {
    let parsed = parse("(x > 3) U !{x > 3} && y").expect("a formula");
    assert_eq!(parsed.atoms, ["x > 3", "y"]);
}

#[test]
fn errors_have_places_and_hints() {
    check("", expect!["0..0: the formula ends where an operand should be"]);
    check("[] (p -> )", expect!["9..10: an operand is missing before ')'"]);
    check("p q", expect!["2..3: an operator is missing before this (for example &&, ||, -> or U)"]);
    check("(p U q", expect!["0..1: this parenthesis is not closed (add a ')')"]);
    check("p U q)", expect!["5..6: there is nothing that this ')' closes"]);
    check(
        "[] x > 3",
        expect![
            "5..6: '>' binds less than the operator before it (put the expression in parentheses, as in [] (x > 3))"
        ],
    );
    check("{x", expect!["0..1: this brace is not closed (add a '}')"]);
    check("{} U p", expect!["0..2: there is no expression in these braces"]);
    check(
        "len(p U q) == 1",
        expect![
            "6..7: an operator of time inside of an expression (braces keep a text as one expression: {a[X] == 1})"
        ],
    );
    check(
        "[ ] p",
        expect![[r#"
        0..1: a formula cannot start with '[' (always is written '[]')
        2..3: an operand is missing before ']'
        4..5: an operator is missing before this (for example &&, ||, -> or U)"#]],
    );
    check("(p U q] && r", expect!["6..7: this ']' stands where a ')' should be"]);
    check("x == ", expect!["0..4: this expression is not complete"]);
}

#[test]
fn all_errors_come_at_once() {
    check(
        "(p U ) && ([] -> q) r",
        expect![[r#"
        5..6: an operand is missing before ')'
        14..16: an operand is missing before '->'
        20..21: an operator is missing before this (for example &&, ||, -> or U)"#]],
    );
}

#[test]
fn deep_and_long_texts_are_refused() {
    let deep = format!("{}p{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(read(&deep).contains("longer than"));
    let deep = format!("{}p{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(read(&deep).contains("nests deeper"));
    assert!(read(&"!".repeat(60_000)).contains("nests deeper"));
    assert!(read(&format!("p{}", " U p".repeat(10_000))).contains("nests deeper"));
    assert!(parse(&format!("p{}", " && p".repeat(10_000))).is_ok());
    let many = (0..70).map(|number| format!("p{number}")).collect::<Vec<_>>().join(" && ");
    assert!(read(&many).contains("this is one more"));
}

#[test]
fn no_text_makes_the_parser_panic() {
    use rand::{Rng as _, SeedableRng as _};
    let mut rng = rand::rngs::SmallRng::seed_from_u64(1);
    let parts =
        ["[]", "<>", "(", ")", "{", "}", "[", "]", "p", "U", "X", "->", "!", "==", "é", " ", "1", "&&", "|", "@"];
    for _ in 0..20_000 {
        let length = rng.random_range(0..12);
        let text: String = (0..length).map(|_| parts[rng.random_range(0..parts.len())]).collect();
        let _ = read(&text);
    }
}
