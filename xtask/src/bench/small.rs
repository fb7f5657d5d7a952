//! From the command to the verdict on small models: SPIN, a C compiler and the verifier that they
//! make, against one command.

use std::time::Instant;

use serde_json::{Value, json};

use super::pan::{self, Variant};
use super::sample::Sample;
use super::select::Subject;
use super::statistics::{Figure, median, ratio};
use super::table::{Column, Outcome, Row, Table, Worst, figures};
use crate::facts::Facts;
use crate::scratch::Scratch;
use crate::spin;
use crate::spinor::Spinor;

/// Seconds for one command.
const SECONDS: u64 = 300;

/// SPIN's own default: a deeper stack takes longer to set up than these searches do.
const DEPTH: u64 = 10_000;

/// The depth for models that need more.
const GREATER_DEPTH: u64 = 3_000_000;

/// Seconds of each command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Round {
    /// How Spinor computed steps.
    pub(crate) engine: Option<String>,
    generate: f64,
    compile: f64,
    verify: f64,
    spinor: f64,
}

impl Round {
    fn spin(&self) -> f64 {
        self.generate + self.compile + self.verify
    }
}

/// Measures one model; wrong counts end it.
pub(crate) fn measure(subject: &Subject<'_>, spinor: &Spinor, extra: &[String], runs: usize) -> Row<Vec<Round>> {
    let mut rounds = Vec::new();
    let mut outcome = Outcome::Same;
    for _ in 0..runs {
        match round(subject, spinor, extra) {
            Ok(round) => rounds.push(round),
            Err(failure) => {
                outcome = failure;
                break;
            }
        }
    }
    Row { model: subject.model.name.clone(), states: subject.truth.stored, outcome, measured: rounds }
}

fn round(subject: &Subject<'_>, spinor: &Spinor, extra: &[String]) -> Result<Round, Outcome> {
    let mut round = spin_round(subject)?;
    let options: Vec<&str> = extra.iter().map(String::as_str).collect();
    let fail = |message: &str| Outcome::Failed(format!("spinor: {message}"));
    let measured = spinor.measure(&subject.model.path, &options, SECONDS);
    let (report, cost) = measured.map_err(|failure| fail(failure.message()))?;
    let sample = Sample::of_spinor(&report, &cost).ok_or_else(|| fail("the report lacks a field"))?;
    check("spinor", subject.truth, &sample)?;
    round.spinor = cost.seconds;
    round.engine = sample.engine;
    Ok(round)
}

fn spin_round(subject: &Subject<'_>) -> Result<Round, Outcome> {
    let fail = |error: spin::Unusable| Outcome::Failed(format!("spin: {error}"));
    let scratch = Scratch::new("bench").map_err(Outcome::Failed)?;
    let folder = scratch.path();
    let depth = if subject.truth.depth.is_some_and(|depth| depth + 1 < DEPTH) { DEPTH } else { GREATER_DEPTH };
    let (generated, generate) = clock(|| spin::generate(&subject.model.path, folder));
    generated.map_err(fail)?;
    let (compiled, compile) = clock(|| pan::compile(folder, Variant::Exact));
    compiled.map_err(fail)?;
    let (verified, verify) = clock(|| pan::search(folder, Variant::Exact, depth, SECONDS));
    check("spin", subject.truth, &verified.map_err(fail)?)?;
    Ok(Round { generate, compile, verify, ..Round::default() })
}

fn clock<T>(action: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let outcome = action();
    (outcome, start.elapsed().as_secs_f64())
}

fn check(side: &str, truth: &Facts, sample: &Sample) -> Result<(), Outcome> {
    if let Some(reason) = &sample.stopped {
        return Err(Outcome::Failed(format!("{side}: {reason}")));
    }
    if (sample.stored, sample.transitions) == (truth.stored, truth.transitions) {
        return Ok(());
    }
    let (stored, transitions) = (sample.stored, sample.transitions);
    Err(Outcome::Different(format!("{side}: {stored} states, {transitions} transitions instead of {truth}")))
}

fn all(row: &Row<Vec<Round>>, value: fn(&Round) -> f64) -> Vec<f64> {
    row.measured.iter().map(value).collect()
}

fn seconds(row: &Row<Vec<Round>>, value: fn(&Round) -> f64) -> Option<Figure> {
    median(&all(row, value)).map(Figure::from)
}

const VERDICT: &[Column<Vec<Round>>] = &[
    ("spin -a", 3, Worst::Greatest, |row| seconds(row, |it| it.generate)),
    ("gcc -O2", 3, Worst::Greatest, |row| seconds(row, |it| it.compile)),
    ("pan", 3, Worst::Greatest, |row| seconds(row, |it| it.verify)),
    ("SPIN s", 3, Worst::Greatest, |row| seconds(row, Round::spin)),
    ("Spinor s", 3, Worst::Greatest, |row| seconds(row, |it| it.spinor)),
    ("times faster", 1, Worst::Least, |row| ratio(&all(row, Round::spin), &all(row, |it| it.spinor))),
];

const LEGEND: &str = "Seconds from the command to the verdict, medians: `spin -a`, `gcc -O2` and `pan` against one \
    `spinor check`; in brackets the least and the greatest ratio of a round.";

/// The table of a group.
pub(crate) fn table(rows: &[Row<Vec<Round>>]) -> Table {
    Table::new("From the command to the verdict", LEGEND, VERDICT, rows)
}

/// A row of the machine-readable record.
pub(crate) fn record(row: &Row<Vec<Round>>) -> Value {
    let one = |it: &Round| json!({ "generate_s": it.generate, "compile_s": it.compile, "verify_s": it.verify, "spinor_s": it.spinor });
    json!({
        "model": row.model,
        "states": row.states,
        "result": row.outcome.word(),
        "figures": figures(VERDICT, row),
        "samples": row.measured.iter().map(one).collect::<Vec<_>>(),
    })
}
