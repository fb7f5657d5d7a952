//! The rows of the table of truth about claims: the same verdicts, and for acceptance the same states.

use crate::corpus::{ClaimRow, Corpus, claim_rows};
use crate::spinor::Spinor;
use serde_json::Value;
use std::path::Path;

/// Compares all rows; false if any differs.
pub(crate) fn run(root: &Path, only: Option<&str>, seconds: u64) -> Result<bool, String> {
    let corpus = Corpus::load(root, only)?;
    let rows = claim_rows(root);
    let spinor = Spinor::locate(root)?;
    let (mut same, mut smaller, mut different) = (0, 0, 0);
    for model in &corpus.models {
        for row in rows.get(&model.name).into_iter().flatten() {
            let answer = spinor.claims(&model.path, row.mode != "la", seconds);
            let judged = answer.map_err(|failure| failure.message().to_owned()).and_then(|it| judge(row, &it));
            let text = match &judged {
                Ok(Likeness::Same) => "ok".to_owned(),
                Ok(Likeness::OtherAutomaton(stored)) => format!("ok, {stored} states with another automaton"),
                Err(message) => format!("DIFFERENT: {message}"),
            };
            println!("{:<42} {:<3} {:>10} {:<15} {text}", model.name, row.mode, row.stored, row.kinds);
            match judged {
                Ok(Likeness::Same) => same += 1,
                Ok(Likeness::OtherAutomaton(_)) => smaller += 1,
                Err(_) => different += 1,
            }
        }
    }
    println!("{same} ok, {smaller} ok with another automaton, {different} DIFFERENT");
    Ok(different == 0)
}

enum Likeness {
    Same,
    /// The verdict is the same, but SPIN translates the formula otherwise: so many states.
    OtherAutomaton(u64),
}

/// SPIN checks the first claim, with the assertions that it passes; without one the labels of proctypes.
fn judge(row: &ClaimRow, report: &Value) -> Result<Likeness, String> {
    let all = report["properties"].as_array().ok_or("no properties")?;
    let safety = all.iter().find(|it| it["kind"] == "safety");
    let claim = all.iter().find(|it| it["kind"] != "safety");
    let is_violated = |it: Option<&Value>| it.is_some_and(|it| it["verdict"] == "violated");
    if let Some(open) = claim.into_iter().chain(safety).find(|it| it["verdict"] == "undecided") {
        return Err(format!("undecided: {}", open["reason"]));
    }
    let asserts = report["kinds"].get("assertion").is_some();
    let found = match claim {
        Some(_) => is_violated(claim) || asserts && row.kinds.contains("assert"),
        None => is_violated(safety),
    };
    if found != (row.kinds != "none") {
        return Err(format!("violated: {found}"));
    }
    let stored = match claim {
        Some(claim) => claim["states"]["stored"].as_u64(),
        None => report["states"]["stored"].as_u64(),
    };
    match stored {
        _ if row.mode != "la" => Ok(Likeness::Same),
        Some(stored) if stored == row.stored => Ok(Likeness::Same),
        Some(stored) if claim.is_some_and(|it| it["kind"] == "ltl") => Ok(Likeness::OtherAutomaton(stored)),
        _ => Err(format!("{stored:?} states")),
    }
}
