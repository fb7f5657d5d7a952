//! All that a check has to say, before it is given a form.

use crate::text::group;
use spinor_explore::{Guarantee, Report, StopReason, StoreKind, Verdict};
use spinor_model::Model;

/// Something the model asks for that was not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What it is: `ltl`, `never claim`, `trace`.
    pub kind: &'static str,
}

/// How a search was reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The names of its parts.
    pub parts: String,
    /// What it preserves.
    pub preserve: &'static str,
    /// When it may leave steps for later, if it does.
    pub proviso: Option<&'static str>,
    /// Why that is sound.
    pub because: String,
}

/// What came of a check.
#[derive(Debug)]
pub struct Outcome<'m> {
    /// The model.
    pub model: &'m Model,
    /// The search.
    pub report: Report,
    /// The engine that computed the steps.
    pub engine: &'static str,
    /// How many threads searched.
    pub threads: usize,
    /// How the search was reduced, if it was.
    pub reduction: Option<Reduction>,
    /// Whether assertions were checked.
    pub assertions: bool,
    /// Whether end states were checked.
    pub end_states: bool,
    /// Whether faults were checked.
    pub faults: bool,
    /// Whether a statement that was not executed never is.
    pub statements: bool,
    /// What was not checked, and should have been.
    pub unchecked: Vec<Property>,
    /// A defect of the tool that was noticed: no answer can be trusted.
    pub defect: Option<String>,
    /// Seconds until the search began.
    pub compile_seconds: f64,
    /// Trail files, in the order of the violations: native and SPIN's.
    pub trails: Vec<(Option<String>, Option<String>)>,
    /// The options that were used.
    pub options: serde_json::Value,
}

impl Outcome<'_> {
    /// The answer.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let open = !self.unchecked.is_empty() || self.reads_hidden() || self.defect.is_some();
        match self.report.verdict() {
            Verdict::Holds if open => Verdict::Undecided,
            Verdict::Violated if self.defect.is_some() => Verdict::Undecided,
            verdict => verdict,
        }
    }

    /// How far it can be trusted.
    #[must_use]
    pub fn guarantee(&self) -> Guarantee {
        if self.reads_hidden() { Guarantee::Partial } else { self.report.guarantee() }
    }

    fn reads_hidden(&self) -> bool {
        self.model.uses.reads_hidden
    }

    /// Why it is the answer, in a sentence.
    #[must_use]
    pub fn reason(&self) -> String {
        if let Some(defect) = &self.defect {
            return format!("internal error: {defect}");
        }
        match self.verdict() {
            Verdict::Violated => {
                let more = match self.report.errors {
                    0 | 1 => String::new(),
                    n => format!(" ({n} errors in all)"),
                };
                match self.report.violations.first() {
                    Some(first) => format!("{}{more}", first.message),
                    // Whoever interrupts the search for the way to it gets none.
                    None => format!("a violation was found, but no way to it{more}"),
                }
            }
            Verdict::Holds => self.what_holds(),
            Verdict::Undecided => self.undecided_because(),
        }
    }

    /// What was checked, and holds.
    fn what_holds(&self) -> String {
        let all = [
            (self.assertions, "no assertion fails", "assertions"),
            (self.end_states, "no process waits for ever", "end states"),
            (self.faults, "no fault occurs", "faults"),
        ];
        let holds: Vec<&str> = all.iter().filter(|it| it.0).map(|it| it.1).collect();
        let open: Vec<&str> = all.iter().filter(|it| !it.0).map(|it| it.2).collect();
        match open.is_empty() {
            true => list(&holds),
            false => format!("{}; {} were not checked", list(&holds), list(&open)),
        }
    }

    /// What a lossy store may have omitted.
    fn omitted(&self) -> String {
        let report = &self.report;
        let name = match report.store {
            StoreKind::Bitstate => "bitstate search",
            _ => "hash compaction",
        };
        let states = match report.union_estimate() {
            Some(union) => format!("about {} states were visited in {} searches", group(union), report.runs.len()),
            None => format!("{} states were visited", group(report.statistics.stored)),
        };
        let omissions = about(report.expected_omissions());
        format!("{states}, no violation; {name} may have omitted states: expected omissions {omissions}")
    }

    fn undecided_because(&self) -> String {
        let mut reasons = Vec::new();
        if let Some(stopped) = self.report.stopped {
            reasons.push(stop_text(stopped).to_string());
        }
        if self.reads_hidden() {
            reasons.push("hidden variables are read, so states that differ were taken for the same".into());
        }
        if self.report.store.is_lossy() {
            reasons.push(self.omitted());
        }
        if let Some(incomplete) = self.report.incomplete {
            let states = group(self.report.statistics.stored);
            reasons.push(format!("{states} states were visited, no violation; {incomplete}"));
        }
        for property in &self.unchecked {
            reasons.push(format!("{} {} was not checked", property.kind, property.name));
        }
        let is_partial = self.report.stopped.is_some() || self.report.incomplete.is_some();
        let covered =
            if is_partial || self.report.store.is_lossy() { "" } else { "; apart from that nothing is violated" };
        format!("{}{covered}", reasons.join("; "))
    }
}

/// Some things as people list them.
fn list(parts: &[&str]) -> String {
    match parts {
        [] => String::new(),
        [one] => (*one).into(),
        [one, other] => format!("{one} and {other}"),
        [others @ .., last] => format!("{}, and {last}", others.join(", ")),
    }
}

/// A number of states that is only expected: exact numbers would promise too much.
#[must_use]
pub fn about(number: f64) -> String {
    if number == 0.0 || (0.1..100_000.0).contains(&number) { format!("{number:.1}") } else { format!("{number:.0e}") }
}

/// Why a search ended early.
#[must_use]
pub fn stop_text(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Violation => "the search stopped at a violation",
        StopReason::Memory => "the memory limit was reached",
        StopReason::Time => "the time limit was reached",
        StopReason::Depth => "paths longer than the depth limit were not followed",
        StopReason::EndlessAtomic => "an atomic sequence that never ends was not followed in all its paths",
        StopReason::Interrupted => "the search was interrupted",
        StopReason::StoreFull => "the store holds as many states as it can number",
        StopReason::CacheFull => "cache smaller than the stack: all states that it holds are on the path of the search",
    }
}

/// The name of a verdict.
#[must_use]
pub fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated => "violated",
        Verdict::Undecided => "undecided",
    }
}
