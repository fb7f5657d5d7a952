//! The values that variables and messages can have, found without a search.

use expect_test::{Expect, expect};
use spinor_model::expr::{Base, Expr};
use spinor_model::model::Action;
use spinor_model::ranges::{Interval, Ranges};
use spinor_model::{Model, ProctypeId};
use spinor_syntax::diagnostic::has_errors;
use spinor_syntax::source::NoIncludes;

fn compile(text: &str) -> Model {
    let (model, diagnostics) = spinor_model::compile("m.pml", text, &[], &NoIncludes);
    assert!(!has_errors(&diagnostics), "{diagnostics:#?}");
    model
}

/// Name and values of each leaf that is named, `*` being a channel's field.
fn values(text: &str, names: &[&str]) -> String {
    let model = compile(text);
    let ranges = Ranges::new(&model);
    let table = spinor_model::ranges::text(&model, &ranges);
    let words = |line: &str| line.split_whitespace().map(str::to_string).collect::<Vec<_>>();
    let mut found = Vec::new();
    for name in names {
        let line = table.lines().map(words).find(|words| words.first().is_some_and(|word| word == name));
        let line = line.unwrap_or_else(|| panic!("no {name} in\n{table}"));
        let at = line.iter().position(|word| word == "bits").expect("a number of bits");
        found.push(format!("{name}: {}", line[at + 1..].join(" ")));
    }
    found.join("; ")
}

fn check(text: &str, names: &[&str], expected: &str) {
    assert_eq!(values(text, names), expected, "{text}");
}

fn check_table(text: &str, expected: Expect) {
    let model = compile(text);
    expected.assert_eq(&spinor_model::ranges::text(&model, &Ranges::new(&model)));
}

#[test]
fn guards_bound_local_counters() {
    check("active proctype P() { int i; do :: i < 100 -> i++ :: i == 100 -> break od }", &["i"], "i: 0 .. 100");
    check("active proctype P() { int i; do :: i == 50 -> break :: else -> i++ od }", &["i"], "i: 0 .. 50");
    check(
        "active proctype P() { int i; do :: i < 40 -> i = i + 2 :: else -> i = 0 od }",
        &["i"],
        "i: 21 values in 0 .. 40",
    );
    check("active proctype P() { short i = 70; do :: i != 0 -> i-- :: else -> break od }", &["i"], "i: 0 .. 70");
    check("active proctype P() { int i; do :: !(i >= 9 || i == 5) -> i++ od }", &["i"], "i: 0 .. 5");
    check("active proctype P() { byte i; for (i : 1 .. 200) { skip } }", &["i"], "i: 0 .. 201");
    check("active proctype P() { byte i; select (i : 3 .. 7) }", &["i"], "i: 0, 3 .. 7 never read");
}

#[test]
fn a_global_variable_of_one_process_is_followed_too() {
    check("int x; active proctype P() { do :: x < 60 -> x++ :: else -> x = 0 od }", &["x"], "x: 0 .. 60");
    check("int x[2]; active proctype P() { do :: x[1] < 60 -> x[1]++ od }", &["x[]"], "x[]: 0 .. 60");
    // Two processes can both pass the guard before either counts.
    check("byte x; active [2] proctype P() { do :: x < 3 -> x++ od }", &["x"], "x: 0 .. 255");
}

#[test]
fn guards_hold_as_long_as_nobody_else_moves() {
    let with =
        |body: &str| format!("byte x, y; chan c = [0] of {{byte}}; active [2] proctype P() {{ do :: {body} od }}");
    check(&with("d_step { x < 3 -> x++ }"), &["x"], "x: 0 .. 3");
    check(&with("atomic { x < 3 -> x++ }"), &["x"], "x: 0 .. 3");
    check(&with("atomic { if :: x == 3 -> x = 0 :: else -> x++ fi }"), &["x"], "x: 0 .. 3");
    // What comes after the guard can wait, or hand control over.
    check(&with("atomic { x < 3 -> y == 0 -> x++ }"), &["x"], "x: 0 .. 255");
    check(&with("atomic { x < 3 -> c!1; x++ }"), &["x"], "x: 0 .. 255");
}

#[test]
fn guards_bound_elements_of_arrays() {
    let text = "byte a[4]; active [2] proctype P() { byte i; do :: d_step { a[i] < 5 -> a[i]++ } :: i < 3 -> i++ od }";
    check(text, &["a[]", "i"], "a[]: 0 .. 5; i: 0 .. 3");
    // An index out of bounds is a fault: who comes further had a good one.
    check("byte a[4]; active proctype P() { byte i; do :: a[i] = 1; i++ od }", &["i"], "i: 0 .. 4");
}

#[test]
fn arithmetic() {
    let step = |expr: &str| format!("byte x; active [2] proctype P() {{ do :: x = {expr} od }}");
    check(&step("(x + 1) % 6"), &["x"], "x: 0 .. 5");
    check(&step("1 - x"), &["x"], "x: 0 .. 1");
    check(&step("!x"), &["x"], "x: 0 .. 1");
    check(&step("(x + 7) & 100"), &["x"], "x: 0, 4");
    check(&step("(x << 1) | 1"), &["x"], "x: 9 values in 0 .. 255");
    check(&step("(x == 255 -> 4 : x - 1)"), &["x"], "x: 0 .. 4, 255");
    check(&step("(x - 1) | ((x == 255) * 255)"), &["x"], "x: 0, 255");
    check(&step("x / 2 + 50"), &["x"], "x: 8 values in 0 .. 99");
}

#[test]
fn values_that_wrap_around_have_the_bounds_of_the_type() {
    check("int x; active [2] proctype P() { do :: x++ od }", &["x"], "x: -2147483648 .. 2147483647");
    check("byte x; active proctype P() { x = 300 + _pid }", &["x"], "x: 0, 44 never read");
    check("int x = 5; byte y; active proctype P() { do :: x++ :: y = x od }", &["y"], "y: 0 .. 255 never read");
}

#[test]
fn messages_are_told_apart_by_where_their_channel_was_created() {
    check_table(
        "mtype = { ack, data }; chan a = [2] of {mtype, byte}; chan b = [2] of {mtype, byte};
         proctype P(chan out; byte n) { out!data,n }
         active proctype Q() { byte x, y; run P(b, 9); a!ack,3; a?ack(x); b?_,y; y = x }",
        expect![[r#"
            globals: 0 of 16 bits
              a                        chan          0 bits  1  constant  -> a
              b                        chan          0 bits  2  constant  -> b
            proctype P: 0 of 16 bits
              out                      chan          0 bits  2  constant  -> b
              n                        byte          0 bits  9  constant
            proctype Q: 3 of 16 bits
              x                        byte          1 bits  0, 3
              y                        byte          2 bits  0, 3, 9  never read
            channel a, capacity 2
              field 1                  mtype         0 bits  2
              field 2                  byte          0 bits  3
            channel b, capacity 2
              field 1                  mtype         0 bits  1
              field 2                  byte          0 bits  9
        "#]],
    );
}

#[test]
fn the_number_of_a_process_is_known_if_it_is_there_from_the_start() {
    let text = "byte x, y, z; active proctype A() { x = _pid } active [3] proctype B() { y = _pid; z = _nr_pr }";
    check(text, &["x", "y"], "x: 0 constant never read; y: 0 .. 3 never read");
    let text = "byte x; proctype A(byte n) { x = n } init { pid p; p = run A(1); run A(2); run A(_nr_pr) }";
    check(text, &["p", "n"], "p: 0 .. 3 never read; n: 0 .. 4");
}

#[test]
fn initial_values_are_executed_in_order() {
    check(
        "byte a = 3; byte b = a + 1; active proctype P() { byte c = b; c = c }",
        &["b", "c"],
        "b: 4 constant; c: 4 constant",
    );
    check(
        "typedef T { byte v[2] }; T t[2]; active proctype P() { t[1].v[0] = 7 }",
        &["t[].v[]"],
        "t[].v[]: 0, 7 never read",
    );
}

#[test]
fn expressions_and_elements() {
    let model =
        compile("byte x; byte a[3]; active [2] proctype P() { do :: x < 4 -> x = 2 * a[1] + 1 :: a[x] = 3 od }");
    let ranges = Ranges::new(&model);
    let id = ProctypeId(0);
    let assigned = model.proctypes[0].statements.iter().find_map(|statement| match &statement.action {
        Action::Assign(_, value @ Expr::Binary(..)) => Some(value),
        _ => None,
    });
    assert_eq!(ranges.of(&model, id, assigned.expect("an assignment")), Interval::new(1, 7));
    assert_eq!(ranges.element(Base::Global, id, 3), (1, 2));
    assert_eq!(ranges.globals[1].offsets, [1, 2, 3]);
}
