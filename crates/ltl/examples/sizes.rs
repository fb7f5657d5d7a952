//! The table of sizes in `docs/liveness.md`: `cargo run --release -p spinor-ltl --example sizes`.

#![allow(clippy::print_stdout, reason = "a command that prints a table")]

use spinor_ltl::{Acceptance, Automaton, Formula, Limits, TooLarge, parse, translate};
use std::time::Instant;

/// Formulas of the literature with the sizes that others report.
const LITERATURE: &str = include_str!("../patterns/literature.tsv");

/// The number of states with generalised acceptance on edges, and with acceptance of states.
struct Sizes {
    generalised: usize,
    buchi: usize,
    deterministic: bool,
}

fn sizes(formula: &Formula) -> Sizes {
    let automaton = translate(formula, Limits::default()).expect("small formulas");
    let buchi: Automaton = automaton.to_buchi(Acceptance::State).expect("small formulas");
    Sizes { generalised: automaton.states.len(), buchi: buchi.states.len(), deterministic: buchi.is_deterministic() }
}

/// The sum of all sizes that can be compared: ours and theirs.
#[derive(Default)]
struct Sum {
    ours: usize,
    theirs: usize,
    smaller: usize,
    larger: usize,
}

impl Sum {
    fn add(&mut self, ours: usize, theirs: &str) {
        let Ok(theirs) = theirs.parse::<usize>() else { return };
        self.ours += ours;
        self.theirs += theirs;
        self.smaller += usize::from(ours < theirs);
        self.larger += usize::from(ours > theirs);
    }

    fn print(&self, name: &str) {
        let Sum { ours, theirs, smaller, larger } = self;
        println!("{name}: {ours} states, Spot {theirs}; smaller {smaller} times, larger {larger} times");
    }
}

/// Formulas with about twenty operators of time.
fn large() -> Vec<(&'static str, String)> {
    let all = |count: usize, part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<Vec<_>>().join(" && ");
    let nested = |count: usize| (0..count).fold("p".to_string(), |inner, atom| format!("(p{atom} U {inner})"));
    let responses = all(10, &|i| format!("[] (p{i} -> <> q{i})"));
    let fair = all(9, &|i| format!("[] <> p{i}"));
    vec![
        ("`[] <> p1 && ... && [] <> p10`", all(10, &|i| format!("[] <> p{i}"))),
        ("`([] <> p1 \\|\\| <> [] p2) && ...`, five of them", {
            all(5, &|i| format!("([] <> p{i} || <> [] p{})", i + 1))
        }),
        ("`!([] (p1 -> <> q1) && ...)`, ten of them", format!("!({responses})")),
        ("`p1 U (p2 U ... (p10 U p))`", nested(10)),
        ("`<> (p && X X ... X q)`, twenty `X`", format!("<> (p && {} q)", "X ".repeat(20))),
        ("`!([] <> p1 && ... && [] <> p9 -> [] (q -> <> r))`", format!("!(({fair}) -> [] (q -> <> r))")),
        ("`[] (p1 -> <> q1) && ...`, ten of them", responses),
    ]
}

/// States with generalised acceptance and with acceptance of states, and the least time of three runs.
fn measure(formula: &Formula) -> (Result<(usize, usize), TooLarge>, u128) {
    let run = || {
        let start = Instant::now();
        let automaton = translate(formula, Limits::default());
        let sizes = automaton.and_then(|it| Ok((it.states.len(), it.to_buchi(Acceptance::State)?.states.len())));
        (sizes, start.elapsed().as_millis())
    };
    [run(), run(), run()].into_iter().min_by_key(|(_, time)| *time).expect("three runs")
}

fn print_times() {
    println!("| formula | states, generalised | states, state-based | time |");
    println!("|---|---|---|---|");
    for (name, text) in large() {
        match measure(&parse(&text).expect("a formula").formula) {
            (Ok((generalised, buchi)), time) => println!("| {name} | {generalised} | {buchi} | {time} ms |"),
            (Err(error), time) => println!("| {name} | refused: {error} | | {time} ms |"),
        }
    }
}

fn main() {
    print_times();
    println!();
    println!(
        "| | formula | generalised | (Spot) | state-based | (Spot) | negation, generalised | (Spot) | state-based | (Spot) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let (mut generalised, mut buchi, mut deterministic, mut count) = (Sum::default(), Sum::default(), 0, 0);
    let start = Instant::now();
    for line in LITERATURE.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let formula = parse(fields[1]).expect("a formula").formula;
        let (yes, no) = (sizes(&formula), sizes(&formula.not()));
        println!(
            "| {} | `{}` | {} | {} | {} | {} | {} | {} | {} | {} |",
            fields[0],
            fields[1].replace('|', "\\|"),
            yes.generalised,
            fields[2],
            yes.buchi,
            fields[3],
            no.generalised,
            fields[4],
            no.buchi,
            fields[5]
        );
        for (sizes, theirs) in [(yes, &fields[2..4]), (no, &fields[4..6])] {
            generalised.add(sizes.generalised, theirs[0]);
            buchi.add(sizes.buchi, theirs[1]);
            deterministic += usize::from(sizes.deterministic);
            count += 1;
        }
    }
    println!();
    generalised.print("generalised acceptance on edges");
    buchi.print("acceptance of states");
    println!("{deterministic} of {count} are deterministic with acceptance of states");
    println!("time: {:.2} s", start.elapsed().as_secs_f64());
}
