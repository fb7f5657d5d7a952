//! Automata as they are printed: locations, edges, and what each statement reads and writes.

use expect_test::{Expect, expect};
use spinor_syntax::diagnostic::has_errors;
use spinor_syntax::source::NoIncludes;

fn check(text: &str, expected: Expect) {
    let (model, diagnostics) = spinor_model::compile("m.pml", text, &[], &NoIncludes);
    assert!(!has_errors(&diagnostics), "{diagnostics:#?}");
    expected.assert_eq(&spinor_model::print::text(&model));
}

#[test]
fn a_loop_with_channels() {
    check(
        "chan c = [1] of {byte}; byte total;\nactive proctype P() {\n  byte x;\n  end: do :: c?x -> total = total + x :: c!total od\n}",
        expect![[r#"
            proctype P
              location 4 start end: [end]
                -> 2    c?x  reads {c *c} writes {x *c}  line 4 id 0
                -> 4    c!total  reads {c total *c} writes {*c}  line 4 id 2
              location 2
                -> 4    total = (total+x)  reads {total x} writes {total}  line 4 id 1

        "#]],
    );
}

#[test]
fn a_jump_out_of_an_atomic_sequence_is_a_step() {
    check(
        "byte x;\nactive proctype P() {\n  atomic { x < 4 -> x++; if :: x > 2 -> goto done :: else fi; x++ };\n  done: skip\n}",
        expect![[r#"
            proctype P
              location 9 start
                -> 2    ((x<4))  atomic  reads {x} writes {}  line 3 id 0
              location 2
                -> 6    x = (x+1)  atomic  reads {x} writes {x}  line 3 id 1
              location 6
                -> 4    ((x>2))  atomic  reads {x} writes {}  line 3 id 2
                -> 7    else  atomic  reads {enabledness} writes {}  line 3 id 4
              location 4
                -> 10   goto done  reads {} writes {}  line 3 id 3
              location 7
                -> 8    .(goto)  atomic  reads {} writes {}  line 3 id 6
              location 10 done:
                -> 11   (1)  reads {} writes {}  line 4 id 9
              location 8
                -> 10   x = (x+1)  reads {x} writes {x}  line 3 id 7
              location 11 [end]
                -> -    -end-  reads {processes} writes {processes}  line 5 id 10

        "#]],
    );
}

#[test]
fn escapes_come_first() {
    check(
        "bool stop; byte x;\nactive proctype P() {\n  { x = 1; x = 2 } unless { stop -> x = 9 }\n}",
        expect![[r#"
            proctype P
              location 1 start
                -> 4    (stop)  escape(3)  reads {stop} writes {}  line 3 id 2
                -> 2    x = 1  reads {} writes {x}  line 3 id 0
              location 4
                -> 7    x = 9  reads {} writes {x}  line 3 id 3
              location 2
                -> 4    (stop)  escape(3)  reads {stop} writes {}  line 3 id 2
                -> 7    x = 2  reads {} writes {x}  line 3 id 1
              location 7 [end]
                -> -    -end-  reads {processes} writes {processes}  line 4 id 6

        "#]],
    );
}

#[test]
fn processes_and_remote_references() {
    check(
        "proctype Q(byte a) { byte y; y = a; here: skip }\ninit {\n  pid p;\n  p = run Q(3);\n  Q[p]@here && Q[p]:y == 3;\n  _nr_pr == 1\n}",
        expect![[r#"
            proctype Q
              location 1 start
                -> 2    y = a  reads {a} writes {y}  line 1 id 0
              location 2 here:
                -> 3    (1)  reads {} writes {}  line 1 id 1
              location 3 [end]
                -> -    -end-  reads {processes} writes {processes}  line 1 id 2

            proctype :init:
              location 1 start
                -> 2    p = run Q(3)  reads {processes} writes {p processes}  line 4 id 3
              location 2
                -> 3    ((Q[p]@here&&(Q[p]:y==3)))  reads {p Q:y processes Q@here} writes {}  line 5 id 4
              location 3
                -> 4    ((_nr_pr==1))  reads {processes} writes {}  line 6 id 5
              location 4 [end]
                -> -    -end-  reads {processes} writes {processes}  line 7 id 6

        "#]],
    );
}
