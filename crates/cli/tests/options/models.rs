//! Small models, and what is wrong with each.

/// A model whose answers are known.
pub(crate) struct Case {
    pub(crate) text: &'static str,
    /// Formulas, claims and labels in it: `p`, `never_0`, `acceptance`; `hidden`.
    has: &'static [&'static str],
    /// What is violated: `assertion`, `deadlock`, `fault`, `trace`, `p`, `acceptance`, `progress`, and the last three
    /// with `fair` before them.
    wrong: &'static [&'static str],
}

impl Case {
    pub(crate) fn has(&self, kind: &str) -> bool {
        self.has.contains(&kind)
    }

    /// Whether it cannot be decided: it reads what is hidden.
    pub(crate) fn is_open(&self) -> bool {
        self.has("hidden")
    }

    pub(crate) fn is_wrong(&self, kind: &str) -> bool {
        self.wrong.contains(&kind)
    }
}

const fn case(text: &'static str, has: &'static [&'static str], wrong: &'static [&'static str]) -> Case {
    Case { text, has, wrong }
}

/// No progress in a loop, fair or not.
const LOOPS: &[&str] = &["progress", "fair progress"];

pub(crate) static MODELS: [Case; 50] = [
    case("byte x; active proctype P() { x = 1; x = 2 }", &[], &[]),
    case("byte x; active proctype P() { x = 1; assert(x == 2) }", &[], &["assertion"]),
    case("byte x; active proctype P() { x = 1; x == 0 }", &[], &["deadlock"]),
    case(
        "byte x; byte a[2]; active proctype P() { do :: x < 3 -> a[x] = 1; x++ :: else -> break od }",
        &[],
        &["fault"],
    ),
    case("byte x; active proctype P() { x = 1; x = 2 } ltl p { [] (x < 2) }", &["p"], &["p", "fair p"]),
    case("byte x; active proctype P() { x = 1; x = 2 } ltl p { <> (x == 2) }", &["p"], &[]),
    case("byte x; active proctype P() { do :: x = 1 - x od } ltl p { [] <> (x == 1) }", &["p"], LOOPS),
    case(
        "byte x; active proctype P() { do :: x = 1 :: x = 2 od } ltl p { <> (x == 2) }",
        &["p"],
        &["p", "fair p", "progress", "fair progress"],
    ),
    case(
        "byte x, y; active proctype P() { do :: x = 1 - x od } active proctype Q() { y = 1 } ltl p { <> (y == 1) }",
        &["p"],
        &["p", "progress", "fair progress"],
    ),
    case(
        "byte x, y; active proctype P() { do :: x = 1 - x od } active proctype Q() { do :: y = 1 - y; progress: y = 1 - y od }",
        &[],
        &["progress"],
    ),
    case(
        "byte x; active proctype P() { do :: x < 2 -> accept: x++ :: x == 2 -> x = 0 od }",
        &["acceptance"],
        &["acceptance", "fair acceptance", "progress", "fair progress"],
    ),
    case("byte x; active proctype P() { accept: x = 1; x = 2 }", &["acceptance"], &[]),
    case(
        "byte x; chan c = [1] of { byte }; active proctype P() { do :: c!x; x = (x + 1) % 3 od } \
         active proctype Q() { byte y; do :: c?y; assert(y < 3) od }",
        &[],
        LOOPS,
    ),
    case(
        "byte x; chan c = [0] of { byte }; active proctype P() { c!1; c!2 } active proctype Q() { c?x; c?x; assert(x == 1) }",
        &[],
        &["assertion"],
    ),
    case(
        "byte x; chan c = [1] of { byte }; active proctype P() { c!1; c!2 } active proctype Q() { c?x; c?x } \
         trace { c!1; c!1 }",
        &[],
        &["trace"],
    ),
    case("byte x; active [3] proctype P() { atomic { x < 2 -> x++ }; atomic { x--; assert(x < 2) } }", &[], &[]),
    case("byte x; active [3] proctype P() { x++; assert(x < 3) }", &[], &["assertion"]),
    case(
        "byte x; proctype P(byte n) { x = n } init { run P(1); run P(2); (_nr_pr == 1); assert(x != 0) } \
         ltl p { <> [] (x == 1) }",
        &["p"],
        &["p", "fair p"],
    ),
    case(
        "byte x; active proctype P() { do :: x < 5 -> x++ :: x == 5 -> goto done od; done: skip } \
         active proctype Q() { end: x == 3 -> assert(x >= 3) }",
        &[],
        &[],
    ),
    case(
        "byte x; active proctype P() provided (x < 2) { x = 1; x = 2; x = 3 } active proctype Q() { x == 2; x = 1 }",
        &[],
        &[],
    ),
    case(
        "byte x; active proctype P() { { x = 1; x == 9 } unless { x == 1 -> x = 2 } } ltl p { <> (x == 2) }",
        &["p"],
        &[],
    ),
    case(
        "mtype = { go, stop }; byte x; chan c = [2] of { mtype, byte }; active proctype P() { c!go(1); c!!stop(0) } \
         active proctype Q() { end: do :: c?go(x) :: c?stop(_) -> break od }",
        &[],
        &[],
    ),
    case(
        "byte x; chan left = [0] of { byte }; chan right = [0] of { byte }; active proctype P() { left!1; right?x } \
         active proctype Q() { right!1; left?x }",
        &[],
        &["deadlock"],
    ),
    case("byte x; active proctype P() { d_step { x = 1; x = 2 }; assert(x == 2) } ltl p { [] (x != 1) }", &["p"], &[]),
    case(
        "byte x; active proctype P() { byte y; do :: y < 3 -> y++ :: y == 3 -> break od; x = y } \
         active proctype Q() { x == 3; assert(false) }",
        &[],
        &["assertion"],
    ),
    case("byte x; init { skip }", &[], &[]),
    case(
        "hidden byte h; byte x; active proctype P() { if :: h = 1 :: h = 2 fi; if :: h == 1 -> x = 1 :: h == 2 -> x = 2 fi; \
         assert(x < 3) }",
        &["hidden"],
        &[],
    ),
    case(
        "byte x; active proctype P() { do :: atomic { x < 3; x++; x++ } :: x >= 3 -> break od; assert(x == 4) }",
        &[],
        &[],
    ),
    case(
        "byte x; active [2] proctype P() { byte i; for (i : 1 .. 2) { x++ }; assert(x <= 4) } ltl p { <> (x == 4) }",
        &["p"],
        &[],
    ),
    case("byte x; active proctype P() { select (x : 1 .. 3); assert(x != 2) }", &[], &["assertion"]),
    case(
        "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od } never { do :: x == 3 -> break :: else od }",
        &["never_0"],
        &["never_0", "fair never_0", "progress", "fair progress"],
    ),
    case(
        "byte x; active proctype P() { do :: x = 1 - x od } never { T: if :: x == 1 -> goto accept :: else -> goto T fi; \
         accept: if :: x < 2 -> goto accept fi }",
        &["never_0"],
        &["never_0", "fair never_0", "progress", "fair progress"],
    ),
    case(
        "byte x; active proctype P() { x = 1; timeout -> x = 2 } active proctype Q() { x == 2; x = 3 } ltl p { <> (x == 3) }",
        &["p"],
        &[],
    ),
    case(
        "byte x; active proctype P() { run Q(); run Q() } proctype Q() { x++; assert(x < 3) } ltl p { [] (x < 2) }",
        &["p"],
        &["p", "fair p"],
    ),
    case(
        "byte x; active proctype P() { byte y; y = 1; here: x = 1; y = 2 } active proctype Q() { x == 1; x = 2 } \
         ltl p { [] (P@here -> x == 0) }",
        &["p"],
        &[],
    ),
    case(
        "byte x; chan c = [2] of { byte }; active proctype P() { xs c; c!1; c!2 } active proctype Q() { xr c; c?x; c?x; \
         assert(x == 2) } ltl p { <> (x == 2) }",
        &["p"],
        &[],
    ),
    case(
        "byte x; chan c = [3] of { byte }; active proctype P() { c!!3; c!!1; c!!2 } active proctype Q() { len(c) == 3; \
         c?x; assert(x == 1); c??3; c?x; assert(x == 2) }",
        &[],
        &[],
    ),
    case(
        "byte x; chan c = [1] of { byte }; active proctype P() { if :: c?[1] -> x = 1 :: empty(c) -> c!1; c?[1] -> x = 2 fi; \
         assert(x != 2) }",
        &[],
        &["assertion"],
    ),
    case(
        "typedef T { byte a[2]; bit b }; T t; byte x; active proctype P() { t.a[x] = 3; t.b = 1; assert(t.a[0] == 3 && t.b == 1) }",
        &[],
        &[],
    ),
    case(
        "byte x; chan c[2] = [0] of { byte }; active proctype P() { if :: c[0]!1 :: c[1]!2 fi } \
         active proctype Q() { if :: c[0]?x :: c[1]?x fi; assert(x == 1) }",
        &[],
        &["assertion"],
    ),
    case(
        "byte x; active proctype P() { atomic { x = 1; do :: x == 1 -> x = 2 :: x == 2 -> x = 1 od } }",
        &[],
        &["fault"],
    ),
    case("byte x; active proctype P() { d_step { do :: x = 1 - x od } }", &[], &["fault"]),
    case("byte x; active proctype P() { x = 1; x = 5 / (x - 1) }", &[], &["fault"]),
    case(
        "byte x; chan c = [1] of { byte }; active proctype P() { c!1; c?x; c!2; c?x } notrace { c!1; c!2 }",
        &[],
        &["trace"],
    ),
    case("byte x; chan c = [1] of { byte }; active proctype P() { c!1; c?x } notrace { c!1; c!2 }", &[], &[]),
    case("byte x; active proctype P() priority 2 { x = 1; x = 2 } active proctype Q() { assert(x == 2) }", &[], &[]),
    case(
        "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> break od; do :: skip od } ltl p { <> [] (x == 3) }",
        &["p"],
        LOOPS,
    ),
    case(
        "byte x; inline up(v) { v++; assert(v < 4) } active proctype P() { up(x); up(x); up(x); end: false }",
        &[],
        &[],
    ),
    case(
        "byte x; active proctype P() { byte me = _pid; x = me + 1 } active proctype Q() { byte me = _pid; x = me + 1 } \
         ltl p { <> [] (x == 1 || x == 2) }",
        &["p"],
        &[],
    ),
    case(
        "byte x; chan c = [1] of { byte, chan }; chan d = [0] of { byte }; active proctype P() { c!1, d; d?x; assert(x == 1) } \
         active proctype Q() { chan e; byte y; c?y, e; e!(y + 1) }",
        &[],
        &["assertion"],
    ),
];
