//! What users are told about mistakes: message, place and hint.

use expect_test::{Expect, expect};
use spinor_syntax::source::NoIncludes;
use std::fmt::Write as _;

/// Compiles a model and compares its diagnostics, one per line.
fn check(text: &str, expected: Expect) {
    let (model, diagnostics) = spinor_model::compile("m.pml", text, &[], &NoIncludes);
    let mut out = String::new();
    for diagnostic in &diagnostics {
        let at = model.sources.line_column(diagnostic.place.at);
        let _ = write!(out, "{:?} {at}: {}", diagnostic.severity, diagnostic.message);
        if diagnostic.place.in_macro() {
            let _ = write!(out, " [written at {}]", model.sources.line_column(diagnostic.place.spelling));
        }
        for label in &diagnostic.labels {
            let _ = write!(out, " [{}: {}]", model.sources.line_column(label.span), label.text);
        }
        if let Some(hint) = &diagnostic.hint {
            let _ = write!(out, " ({hint})");
        }
        out.push('\n');
    }
    expected.assert_eq(&out);
}

#[test]
fn a_loop_of_another_language() {
    check(
        "byte x;\nactive proctype P() {\n  while (x < 3) { x++ }\n}",
        expect![[r#"
            Error 3:9: expected ';', found '(' (PROMELA writes loops as do :: condition -> ... :: else -> break od)
            Warning 1:6: 'x' is never read
        "#]],
    );
}

#[test]
fn several_errors_at_once() {
    check(
        "byte cuont;\nactive proctype P() {\n  count = 1;\n  goto nowhere;\n  cuont = q;\n  break\n}",
        expect![[r#"
            Error 3:3: 'count' is not declared (did you mean 'cuont'?)
            Error 5:11: 'q' is not declared
            Error 6:3: 'break' outside of a loop
            Error 4:8: there is no label 'nowhere' in this proctype
            Warning 1:6: 'cuont' is never read
        "#]],
    );
}

#[test]
fn wrong_numbers_of_arguments() {
    check(
        "chan c = [1] of {byte, bit};\nproctype Q(byte a) { c!a }\nactive proctype P() { run Q(); run Q(1, 2); run R() }",
        expect![[r#"
            Error 3:49: there is no proctype 'R' (did you mean 'P'?)
            Error 3:27: proctype 'Q' takes 1 argument but is given 0 [2:10: declared here]
            Error 3:36: proctype 'Q' takes 1 argument but is given 2 [2:10: declared here]
            Warning 2:22: messages of channel 'c' have 2 fields but here are 1 [1:6: declared here] (executing this is a fault)
        "#]],
    );
}

#[test]
fn an_assignment_for_a_comparison() {
    check(
        "byte x;\nactive proctype P() {\n  if\n  :: (x = 1) -> skip\n  fi\n}",
        expect![[r#"
            Error 4:9: expected ')', found '=' ('=' assigns; '==' compares)
            Warning 1:6: 'x' is never read
        "#]],
    );
}

#[test]
fn a_hyphen_in_a_name() {
    check(
        "byte my;\nactive proctype P() { my-var = 1 }",
        expect![[r#"
            Error 2:30: expected ';', found '=' (a name cannot contain '-', and only a variable can be assigned to)
            Warning 1:6: 'my' is never read
        "#]],
    );
}

#[test]
fn an_error_inside_a_macro_names_both_places() {
    check(
        "#define SET(v) v = undeclared\nbyte x;\nactive proctype P() { SET(x); assert(x == 0) }",
        expect![[r#"
            Error 3:23: 'undeclared' is not declared [written at 1:20]
        "#]],
    );
}

#[test]
fn an_error_inside_an_inline_names_the_call() {
    check(
        "inline f(a) { a = nothing }\nbyte x;\nactive proctype P() { f(x); assert(x == 0) }",
        expect![[r#"
            Error 1:19: 'nothing' is not declared [3:23: in this call of inline 'f']
        "#]],
    );
}

#[test]
fn embedded_c_is_refused_with_advice() {
    check(
        "c_decl { int x; }\nactive proctype P() { c_code { x = 1; }; c_expr { x == 1 } }",
        expect![[r#"
            Error 1:1: embedded C (c_decl) is not supported (the state of C code cannot be seen by the checker: write it in PROMELA, for example as an inline in a d_step)
            Error 2:23: embedded C (c_code) is not supported (the state of C code cannot be seen by the checker: write it in PROMELA, for example as an inline in a d_step)
            Error 2:42: embedded C (c_expr) is not supported (the state of C code cannot be seen by the checker: write it in PROMELA, for example as an inline in a d_step)
        "#]],
    );
}

#[test]
fn warnings_for_what_users_trip_over() {
    check(
        "byte x; bit b;\nactive proctype P() {\n  x = 300;\n  do :: skip od;\n  L: x = x + b\n}",
        expect![[r#"
            Warning 3:7: 300 does not fit: a byte keeps 44
            Warning 4:3: this loop does nothing: it leads back to where it begins
        "#]],
    );
}

#[test]
fn types_and_fields() {
    check(
        "typedef T { byte f; byte g[2] }\nT t; byte x[3];\nactive proctype P() { t = 1; t.h = 2; x = 1; x[3] = 1; t.f.g = 1; t.g[x[0]] = t.f }",
        expect![[r#"
            Error 3:23: 't' is a structure, not a number (name one of its fields)
            Error 3:32: type 'T' has no field 'h' (did you mean 'f'?)
            Error 3:39: 'x' is an array: an index is missing
            Warning 3:48: index 3 is outside of 'x[3]' (executing this is a fault)
            Error 3:60: 'f' is not a structure
        "#]],
    );
}

#[test]
fn what_a_trace_cannot_have() {
    check(
        "chan q[2] = [1] of {byte}; byte x;\nactive proctype P() { q[0]!x; q[1]?x }\ntrace {\n  byte y;\n  skip;\n  q[0]!x;\n  q[x]!1;\n  q[0]!!1;\n  q[1]?x;\n  q[1]?<1>;\n  atomic { q[0]!1 };\n  do\n  :: q[0]!1\n  :: break\n  od\n}",
        expect![[r#"
            Error 4:3: a trace has plain sends and receives only, with if, do, goto and break
            Error 5:3: a trace has plain sends and receives only, with if, do, goto and break
            Error 6:8: a trace compares messages with constants only; _ stands for any value
            Error 7:3: a trace watches global channels only, and elements of arrays by constant indexes
            Error 8:3: a trace has plain sends and receives only, with if, do, goto and break
            Error 9:3: a trace compares messages with constants only; _ stands for any value
            Error 10:3: a trace has plain sends and receives only, with if, do, goto and break
            Error 11:3: a trace has plain sends and receives only, with if, do, goto and break
            Error 14:6: a step of a trace begins with a send or a receive
        "#]],
    );
}

#[test]
fn nothing_to_run() {
    check(
        "proctype P() { skip }",
        expect![[r#"
            Error 1:10: nothing runs: there is no init and no active proctype (write init { run P() } or active proctype P() { ... })
        "#]],
    );
}

#[test]
fn jumps_into_a_d_step_and_what_it_cannot_hold() {
    check(
        "byte x;\nproctype Q() { skip }\nactive proctype P() {\n  d_step { x = 1; L: x = 2 };\n  if :: x == 2 -> goto L :: else fi;\n  d_step { x = 3; run Q() }\n}",
        expect![[r#"
            Error 6:19: 'run' cannot be used in a d_step: use atomic
            Error 5:19: this jumps into a d_step
        "#]],
    );
}

#[test]
fn unclosed_brackets() {
    check(
        "active proctype P() {\n  if\n  :: true -> skip\n}",
        expect![[r#"
            Error 4:1: expected '::' or 'fi', found '}' [2:3: this one is closed by 'fi']
        "#]],
    );
}

/// Texts that fuzzing found to break an earlier front end.
#[test]
fn broken_models_do_not_panic() {
    let texts = [
        "byte d, x;\nactive proctype P() {\n\tif\n\t:: d == 0 -> x = 2\n\tfi;\nshort x;",
        "typedef m {\n};\ninit {\n\tchan a[N] = [7] of { m };\n\tm foo, goo;\n\tfor (goo in a[3]) {\n\t\tfor (foo in a[3]) {\n\t\t}\n\t}\n\tpri = 0; break",
    ];
    for text in texts {
        let (model, diagnostics) = spinor_model::compile("m.pml", text, &[], &NoIncludes);
        assert!(spinor_syntax::diagnostic::has_errors(&diagnostics));
        assert!(!spinor_model::print::text(&model).is_empty());
    }
}
