//! All that a check has to say, before it is given a form.

use crate::properties::Checked;
use crate::text::group;
use spinor_explore::{Guarantee, Report, StopReason, StoreKind, Verdict, Violation, ViolationKind};
use spinor_model::{Model, Role};

/// Something that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What it is: `safety`, `ltl`, `never claim`, `trace`.
    pub kind: &'static str,
}

impl Property {
    /// Assertions, end states, faults and traces.
    #[must_use]
    pub fn safety() -> Property {
        Property { name: "safety".into(), kind: "safety" }
    }

    /// Kind and name, as people say them.
    #[must_use]
    pub fn title(&self) -> String {
        title(self.kind, &self.name)
    }
}

/// Kind and name, as people say them.
pub(crate) fn title(kind: &str, name: &str) -> String {
    if kind == name { name.into() } else { format!("{kind} {name}") }
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
    /// Whether the reduction leaves out no statement.
    pub statements: bool,
    /// Everything that was asked for: each must have an answer.
    pub asked: Vec<Property>,
    /// Whether safety was searched: what `report` is about.
    pub safety: bool,
    /// The other properties.
    pub properties: Vec<Checked>,
    /// What was not checked, and should have been.
    pub unchecked: Vec<Property>,
    /// A defect of the tool that was noticed: no answer can be trusted.
    pub defect: Option<String>,
    /// Seconds until the search began.
    pub compile_seconds: f64,
    /// Trail files, in the order of the violations: native and SPIN's.
    pub trails: Vec<(Option<String>, Option<String>)>,
    /// Options that say how the model is read, as words.
    pub reading: Vec<String>,
    /// The options that were used.
    pub options: serde_json::Value,
}

impl Outcome<'_> {
    /// The answer: violated if any property is, else undecided if any is.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let safety = self.safety.then(|| self.safety_verdict());
        let all = || safety.into_iter().chain(self.properties.iter().map(|it| it.verdict));
        if all().any(|verdict| verdict == Verdict::Violated) {
            Verdict::Violated
        } else if !self.unchecked.is_empty()
            || self.unanswered().is_some()
            || all().any(|verdict| verdict == Verdict::Undecided)
        {
            Verdict::Undecided
        } else {
            Verdict::Holds
        }
    }

    /// Something that was asked for and that nobody answered: a defect of the tool.
    fn unanswered(&self) -> Option<&Property> {
        let answers = |it: &Property| match it.kind {
            "safety" => usize::from(self.safety),
            kind => self.properties.iter().filter(|row| row.kind == kind && row.name == it.name).count(),
        };
        // Two claims may have one name.
        let is_answered = |it: &&Property| answers(it) >= self.asked.iter().filter(|other| other == it).count();
        self.asked.iter().find(|it| !is_answered(it))
    }

    /// Whether a statement that was not executed never is: the search missed nothing.
    #[must_use]
    pub fn is_coverage_exact(&self) -> bool {
        let report = &self.report;
        let is_whole = report.stopped.is_none() && report.incomplete.is_none() && !report.store.is_lossy();
        self.safety && self.statements && is_whole && !self.reads_hidden() && self.defect.is_none()
    }

    /// The answer as far as assertions, end states and faults go.
    #[must_use]
    pub fn safety_verdict(&self) -> Verdict {
        let open = self.reads_hidden() || self.defect.is_some();
        match self.report.verdict() {
            Verdict::Holds if open => Verdict::Undecided,
            Verdict::Violated if self.defect.is_some() => Verdict::Undecided,
            verdict => verdict,
        }
    }

    /// All violations: those of safety first.
    pub fn violations(&self) -> impl Iterator<Item = &Violation> {
        self.violations_with_claims().map(|(_, violation)| violation)
    }

    /// The same, those of other properties with what is violated.
    pub fn violations_with_claims(&self) -> impl Iterator<Item = (Option<String>, &Violation)> {
        let others = self.properties.iter().filter_map(|it| Some((Some(it.title()), it.violation.as_ref()?)));
        let safety = if self.defect.is_some() { &[] } else { &self.report.violations[..] };
        safety.iter().map(|it| (None, it)).chain(others)
    }

    /// How far it can be trusted.
    #[must_use]
    pub fn guarantee(&self) -> Guarantee {
        let is_cut = |it: &Checked| it.verdict == Verdict::Undecided || !it.is_complete;
        let is_open = self.unanswered().is_some() || self.properties.iter().any(is_cut);
        if is_open || self.reads_hidden() { Guarantee::Partial } else { self.report.guarantee() }
    }

    /// Whether every search that was asked for went to its end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.report.stopped.is_none() && self.unanswered().is_none() && self.properties.iter().all(|it| it.is_complete)
    }

    /// How many violations there are, one for each property that is violated besides those of safety.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.report.errors + self.properties.iter().filter(|it| it.violation.is_some()).count() as u64
    }

    /// Whether states were forgotten and visited again, and what is wrong there was counted again.
    #[must_use]
    pub fn counts_again(&self) -> bool {
        self.report.cache.as_ref().is_some_and(|cache| cache.statistics.evicted > 0)
    }

    /// How many violations there are of each kind.
    #[must_use]
    pub fn kinds(&self) -> Vec<(ViolationKind, u64)> {
        let mut kinds = self.report.kinds.clone();
        for violation in self.properties.iter().filter_map(|it| it.violation.as_ref()) {
            match kinds.iter_mut().find(|(kind, _)| *kind == violation.kind) {
                Some((_, count)) => *count += 1,
                None => kinds.push((violation.kind, 1)),
            }
        }
        kinds
    }

    fn reads_hidden(&self) -> bool {
        self.model.uses.reads_hidden
    }

    /// Why it is the answer, in a sentence.
    #[must_use]
    pub fn reason(&self) -> String {
        let verdict = self.verdict();
        let others = self.others_because(verdict);
        let safety = self.safety.then(|| self.safety_verdict());
        match verdict {
            Verdict::Violated if safety == Some(verdict) => self.safety_reason(),
            Verdict::Violated => others.into_iter().next().unwrap_or_default(),
            Verdict::Undecided => self.undecided_because(others),
            Verdict::Holds => {
                let safety = safety.map(|_| self.what_holds());
                safety.into_iter().chain(others).collect::<Vec<_>>().join("; ")
            }
        }
    }

    /// The reasons of the properties with a verdict, and what was not checked.
    fn others_because(&self, verdict: Verdict) -> Vec<String> {
        let others = self.properties.iter().filter(|it| it.verdict == verdict);
        let mut reasons: Vec<String> = others
            .map(|it| match verdict {
                Verdict::Holds => format!("{} holds", it.title()),
                Verdict::Violated => it.reason.clone(),
                Verdict::Undecided => format!("{}: {}", it.title(), it.reason),
            })
            .collect();
        if verdict == Verdict::Undecided {
            let open = self.unchecked.iter();
            reasons.extend(open.map(|it| format!("{} {} was not checked", it.kind, it.name)));
        }
        reasons
    }

    /// What is to say of assertions, end states and faults.
    #[must_use]
    pub fn safety_reason(&self) -> String {
        if let Some(defect) = &self.defect {
            return format!("internal error: {defect}");
        }
        match self.safety_verdict() {
            Verdict::Violated => {
                let more = match self.report.errors {
                    0 | 1 => String::new(),
                    n => {
                        format!(" ({n} errors in all{})", if self.counts_again() { ", some counted again" } else { "" })
                    }
                };
                match self.report.violations.first() {
                    Some(first) => format!("{}{more}", first.message),
                    // Whoever interrupts the search for the way to it gets none.
                    None => format!("a violation was found, but no way to it{more}"),
                }
            }
            Verdict::Holds => self.what_holds(),
            Verdict::Undecided => self.undecided_because(Vec::new()),
        }
    }

    /// What was checked, and holds.
    fn what_holds(&self) -> String {
        let all = [
            (self.assertions, "no assertion fails", "assertions"),
            (self.end_states, "no deadlock (invalid end state) is reached", "end states"),
            (self.faults, "no fault occurs", "faults"),
        ];
        let trace = self.model.trace.as_ref().map(|trace| match self.model.proctype(trace.proctype).role {
            Role::NoTrace => "the notrace is never matched",
            _ => "sends and receives follow the trace",
        });
        let holds: Vec<&str> = all.iter().filter(|it| it.0).map(|it| it.1).chain(trace).collect();
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
            StoreKind::HashCompact => "hash compaction",
            StoreKind::Exact | StoreKind::Tree | StoreKind::Collapse | StoreKind::Cache => return String::new(),
        };
        let states = group(report.statistics.stored);
        let states = match report.runs.len() {
            0 => format!("{states} states were visited"),
            searches => format!("{states} states or more were visited in {searches} searches"),
        };
        format!("{states}, no violation; {name} may have omitted states: {}", chance(report.omission_chance()))
    }

    /// Why it is undecided, with what is open apart from safety.
    fn undecided_because(&self, others: Vec<String>) -> String {
        if let Some(defect) = &self.defect {
            return format!("internal error: {defect}");
        }
        if let Some(open) = self.unanswered() {
            return format!("internal error: nobody answered {}", open.title());
        }
        let mut reasons = if self.safety { self.safety_open() } else { Vec::new() };
        reasons.extend(others);
        let is_partial = self.report.stopped.is_some() || self.report.incomplete.is_some();
        let is_all = self.safety && self.assertions && self.end_states && self.faults;
        let is_covered = is_all && !is_partial && !self.report.store.is_lossy();
        let covered = if is_covered { "; apart from that nothing is violated" } else { "" };
        format!("{}{covered}", reasons.join("; "))
    }

    /// Why it is not known whether safety holds.
    fn safety_open(&self) -> Vec<String> {
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
        reasons
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

/// How likely it is that a state was omitted.
pub(crate) fn chance(chance: f64) -> String {
    match chance {
        0.99.. => "it is all but certain that it did, and how many is not known".into(),
        0.001.. => format!("the chance that it did is at most {:.1} %", chance * 100.0),
        0.0 => "here nothing can have been taken for anything else".into(),
        _ => format!("the chance that it did is at most {chance:.0e}"),
    }
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
        StopReason::Fault => {
            "the model is at fault in an execution, which ends there: safety is violated, and how it would go on is not known"
        }
        StopReason::Interrupted => "the search was interrupted",
        StopReason::StoreFull => "the store holds as many states as it can number",
        StopReason::Lost => "another process of the search cannot be reached any more",
        StopReason::Processes => "there are more processes than fairness can watch",
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

#[cfg(test)]
mod tests {
    use super::{Outcome, Property};
    use spinor_explore::{Report, StoreKind, Verdict};
    use spinor_syntax::source::NoIncludes;

    #[test]
    fn what_nobody_answered_is_never_said_to_hold() {
        let (model, _) = spinor_model::compile("m", "active proctype P() { skip }", &[], &NoIncludes);
        let outcome = |asked: &[(&str, &'static str)], safety| Outcome {
            model: &model,
            report: Report::nothing(StoreKind::Exact),
            engine: "native",
            threads: 1,
            reduction: None,
            assertions: true,
            end_states: true,
            faults: true,
            statements: true,
            asked: asked.iter().map(|&(name, kind)| Property { name: name.into(), kind }).collect(),
            safety,
            properties: Vec::new(),
            unchecked: Vec::new(),
            defect: None,
            compile_seconds: 0.0,
            trails: Vec::new(),
            reading: Vec::new(),
            options: serde_json::Value::Null,
        };
        assert_eq!(outcome(&[("safety", "safety")], true).verdict(), Verdict::Holds);
        let asked = [("safety", "safety"), ("p", "ltl")];
        assert_eq!(outcome(&asked, true).verdict(), Verdict::Undecided);
        assert_eq!(outcome(&asked, true).reason(), "internal error: nobody answered ltl p");
        assert_eq!(outcome(&asked[..1], false).verdict(), Verdict::Undecided);
        assert!(!outcome(&asked, true).is_complete());
    }
}
