//! One search, and what it counted.

use crate::command;
use crate::spinor::Spinor;
use serde_json::Value;
use std::path::Path;

/// Every search: the whole state space, all violations, one line of JSON.
pub(super) const PLAIN: [&str; 7] =
    ["check", "--reduce", "none", "--no-claim", "--keep-going", "--no-trail", "--no-warnings"];

/// Seconds that a search may take.
pub(super) const LIMIT: u64 = 900;

/// What must be the same for one process and for several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) stored: u64,
    pub(super) transitions: u64,
    errors: u64,
    verdict: String,
}

impl Counts {
    pub(super) fn of(report: &Value) -> Option<Counts> {
        let states = &report["states"];
        Some(Counts {
            stored: states["stored"].as_u64()?,
            transitions: states["transitions"].as_u64()?,
            errors: report["errors"].as_u64()?,
            verdict: report["verdict"].as_str()?.to_owned(),
        })
    }
}

/// A search with these options, and its report.
pub(super) fn search(spinor: &Spinor, model: &Path, options: &[&str]) -> Result<Value, String> {
    let path = model.to_string_lossy();
    let args = [&PLAIN[..], &["--json"], options, &[&path]].concat();
    let finished = command::run(spinor.program(), &args, Path::new("."), LIMIT)?;
    serde_json::from_str(&finished.stdout).map_err(|_| format!("{options:?}: no report: {}", finished.text().trim()))
}

/// A number of a report, or of a part of it.
pub(super) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}
