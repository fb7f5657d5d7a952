//! Properties beside safety: a line for each.

use crate::outcome::{Outcome, title, verdict_name};
use crate::text::group;
use serde_json::{Value, json};
use spinor_explore::{Statistics, Verdict, Violation};
use std::fmt::Write as _;

/// How the search for a claim was reduced.
#[derive(Clone, Debug, Default)]
pub struct ClaimReduced {
    /// Who proposed sets of processes; nobody if all steps were taken.
    pub selector: Option<String>,
    /// When the others could wait.
    pub proviso: Option<&'static str>,
    /// The theorem, or why nothing was left out.
    pub because: String,
    /// How many permutations there are, if states stood for their orbits.
    pub symmetry: Option<u64>,
    /// Why they did not, where they do for safety or that was asked for.
    pub asymmetry: Option<String>,
}

impl ClaimReduced {
    /// What was done, for people.
    fn text(&self) -> String {
        let steps = match (&self.selector, self.symmetry) {
            (Some(selector), _) => format!("reduced by {selector}, strong proviso"),
            (None, Some(_)) => format!("steps not reduced: {}", self.because),
            (None, None) => format!("not reduced: {}", self.because),
        };
        match (self.symmetry, &self.asymmetry) {
            (Some(order), _) => format!("{steps}, with symmetry ({} permutations)", group(order)),
            (None, Some(why)) => format!("{steps}, without symmetry: {why}"),
            (None, None) => steps,
        }
    }
}

/// A claim or formula, and what came of it.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Its name.
    pub name: String,
    /// What it is: `ltl`, `never claim`, `progress`, `acceptance`.
    pub kind: &'static str,
    /// The answer.
    pub verdict: Verdict,
    /// Why it is the answer, in a sentence.
    pub reason: String,
    /// An execution that violates it.
    pub violation: Option<Violation>,
    /// What its search counted: pairs of states of system and claim.
    pub statistics: Statistics,
    /// Which search looked for cycles.
    pub search: &'static str,
    /// How it was reduced.
    pub reduction: ClaimReduced,
    /// How many threads searched.
    pub threads: usize,
    /// How strong acceptance is, if it is known.
    pub strength: Option<&'static str>,
    /// Whether executions had to be weakly fair.
    pub fair: bool,
    /// Whether the search was interrupted.
    pub interrupted: bool,
    /// Whether it went to its end.
    pub is_complete: bool,
}

impl Checked {
    /// Kind and name, as people say them.
    #[must_use]
    pub fn title(&self) -> String {
        title(self.kind, &self.name)
    }
}

/// The table of all properties, if there is more to say than that of safety.
#[must_use]
pub fn table(outcome: &Outcome<'_>) -> String {
    if outcome.properties.is_empty() {
        return String::new();
    }
    let safety = outcome.safety.then(|| ("safety".to_string(), outcome.safety_verdict(), outcome.safety_reason()));
    let others = outcome.properties.iter().map(|it| (it.title(), it.verdict, it.reason.clone()));
    let rows: Vec<_> = safety.into_iter().chain(others).collect();
    let width = rows.iter().map(|row| row.0.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for (title, verdict, reason) in rows {
        let _ = writeln!(out, "  {title:<width$}  {:<9}  {reason}", verdict_name(verdict));
    }
    out
}

/// What the searches for cycles counted, a line each.
pub(crate) fn statistics(outcome: &Outcome<'_>) -> String {
    let mut out = String::new();
    for it in outcome.properties.iter().filter(|it| it.statistics.stored > 0) {
        let Statistics { stored, time, .. } = it.statistics;
        let fair = if it.fair { ", weak fairness" } else { "" };
        let threads = match it.threads {
            1 if outcome.threads > 1 => "one thread (several: --search ndfs, --store exact or collapse)".to_string(),
            1 => "one thread".to_string(),
            threads => format!("{threads} threads"),
        };
        let strength = it.strength.map_or_else(String::new, |strength| format!(", {strength} automaton"));
        let _ = writeln!(
            out,
            "{}: {} states with those of the claim, {} transitions, depth {}; {} search{strength}{fair}, {threads}, {}; \
             {:.2} s",
            it.title(),
            group(stored),
            group(it.statistics.transitions()),
            group(it.statistics.depth as u64),
            it.search,
            it.reduction.text(),
            time.as_secs_f64(),
        );
    }
    out
}

/// The properties, safety first, as values.
pub(crate) fn values(outcome: &Outcome<'_>) -> Vec<Value> {
    let safety = outcome.safety.then(|| {
        json!({
            "name": "safety",
            "kind": "safety",
            "verdict": verdict_name(outcome.safety_verdict()),
            "reason": outcome.safety_reason(),
        })
    });
    let one = |it: &Checked| {
        json!({
            "name": it.name,
            "kind": it.kind,
            "verdict": verdict_name(it.verdict),
            "reason": it.reason,
            "search": it.search,
            "threads": it.threads,
            "strength": it.strength,
            "fair": it.fair,
            "reduced": it.reduction.selector.is_some(),
            "reduction": {
                "selector": it.reduction.selector,
                "proviso": it.reduction.proviso,
                "because": it.reduction.because,
                "symmetry": it.reduction.symmetry,
                "without_symmetry": it.reduction.asymmetry,
            },
            "violation": it.violation.as_ref().map(|violation| violation.kind.name()),
            "states": {
                "stored": it.statistics.stored,
                "matched": it.statistics.matched,
                "transitions": it.statistics.transitions(),
                "depth": it.statistics.depth,
            },
            "memory": { "states_bytes": it.statistics.states_bytes, "total_bytes": it.statistics.total_bytes },
            "time": { "search_s": it.statistics.time.as_secs_f64() },
        })
    };
    safety.into_iter().chain(outcome.properties.iter().map(one)).collect()
}
