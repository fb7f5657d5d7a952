//! Spinor as a child process: run a check or a replay, read its JSON.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::{self, Finished};
use crate::facts::{Facts, Findings, Kind};

/// The program under test.
pub(crate) struct Spinor {
    program: String,
}

/// What a check says.
pub(crate) struct Report {
    /// Why the search ended early, where it did.
    pub(crate) undecided: Option<String>,
    /// Counts and kinds of error.
    pub(crate) facts: Facts,
    /// The violations in the order of their discovery.
    pub(crate) violations: Vec<Violation>,
}

/// One violation.
pub(crate) struct Violation {
    /// Its kind.
    pub(crate) kind: Kind,
    /// Its message.
    pub(crate) message: String,
    /// The trail in SPIN's format.
    pub(crate) spin_trail: Option<PathBuf>,
}

/// What a run took, seen from outside.
pub(crate) struct Cost {
    /// Seconds from the command to its end.
    pub(crate) seconds: f64,
    /// The most memory that was resident at once, where known.
    pub(crate) peak_bytes: Option<u64>,
}

/// Why a check gives no report.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Spinor does not accept the model.
    Refused(String),
    /// Spinor crashed, hung, or wrote something that cannot be read.
    Broken(String),
}

impl Failure {
    /// The message, whatever the kind.
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Refused(message) | Self::Broken(message) => message,
        }
    }
}

impl Spinor {
    /// Takes the program of the variable `SPINOR`, or builds it.
    pub(crate) fn locate(root: &Path) -> Result<Self, String> {
        if let Ok(program) = std::env::var("SPINOR") {
            return Ok(Self { program });
        }
        if !command::show(&cargo(), &["build", "--release", "--quiet"], root) {
            return Err("spinor does not build".to_owned());
        }
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
        let program = target.join("release/spinor").to_string_lossy().into_owned();
        Ok(Self { program })
    }

    /// Its path.
    pub(crate) fn program(&self) -> &str {
        &self.program
    }

    /// The reference search over the whole unreduced state space.
    pub(crate) fn verify(&self, model: &Path, seconds: u64, memory: &str) -> Result<Report, Failure> {
        self.check(model, &["--keep-going", "--no-trail", "--max-memory", memory], seconds)
    }

    /// A search with these options over the whole state space: its report and what it took.
    pub(crate) fn measure(&self, model: &Path, extra: &[&str], seconds: u64) -> Result<(Value, Cost), Failure> {
        self.measured(model, &[&["--no-claim", "--keep-going"], extra].concat(), seconds)
    }

    /// The search for a violation of one property: its report and what it took.
    pub(crate) fn measure_claim(
        &self,
        model: &Path,
        property: &str,
        extra: &[&str],
        seconds: u64,
    ) -> Result<(Value, Cost), Failure> {
        self.measured(model, &[&["--property", property], extra].concat(), seconds)
    }

    fn measured(&self, model: &Path, extra: &[&str], seconds: u64) -> Result<(Value, Cost), Failure> {
        let path = model.to_string_lossy();
        let mut args = vec!["check", "--reduce", "none", "--no-trail", "--no-warnings", "--json"];
        args.extend(extra);
        args.push(&path);
        let folder = model.parent().unwrap_or(Path::new("."));
        let measured = command::measure(&self.program, &args, folder, seconds).map_err(Failure::Broken)?;
        let cost = Cost { seconds: measured.seconds, peak_bytes: measured.peak_bytes };
        Ok((read_json(&measured.finished)?, cost))
    }

    /// Safety over the state space as `auto` reduces it.
    pub(crate) fn reduced(&self, model: &Path, seconds: u64) -> Result<Value, Failure> {
        let limit = format!("{seconds}s");
        let path = model.to_string_lossy();
        let args = ["check", "--reduce", "auto", "--no-claim", "--keep-going", "--no-trail", "--no-warnings", "--json"];
        let args: Vec<&str> = args.into_iter().chain(["--max-time", &limit, &path]).collect();
        self.json(&args, model, 4 * seconds)
    }

    /// Safety over a reduced state space with some numbers defined, stopped after some time.
    pub(crate) fn stopped(
        &self,
        model: &Path,
        reduce: &str,
        defines: &[String],
        seconds: f64,
    ) -> Result<Value, Failure> {
        let limit = format!("{}ms", (seconds * 1e3) as u64);
        let path = model.to_string_lossy();
        let args = ["check", "--no-claim", "--keep-going", "--no-trail", "--no-warnings", "--json", "--reduce", reduce];
        let mut args: Vec<&str> = args.into_iter().chain(["--max-time", &limit, &path]).collect();
        args.extend(defines.iter().map(String::as_str));
        self.json(&args, model, seconds as u64 + 10)
    }

    /// All properties over the whole unreduced state space, or progress alone.
    pub(crate) fn claims(&self, model: &Path, progress: bool, seconds: u64) -> Result<Value, Failure> {
        let limit = format!("{seconds}s");
        let path = model.to_string_lossy();
        let mut args = vec!["check", "--reduce", "none", "--keep-going", "--no-trail", "--no-warnings", "--json"];
        args.extend(["--max-time", &limit]);
        args.extend(if progress { &["--property", "progress"][..] } else { &[] });
        args.push(&path);
        self.json(&args, model, 4 * seconds)
    }

    /// The search for the first error, its trail written into `folder`.
    pub(crate) fn first_error(&self, model: &Path, folder: &Path, seconds: u64) -> Result<Report, Failure> {
        self.check(model, &["--trail-dir", &folder.to_string_lossy()], seconds)
    }

    /// Replays a trail of either format; returns the kind of error at its end.
    pub(crate) fn replay(&self, model: &Path, trail: &Path, seconds: u64) -> Result<Kind, Failure> {
        let args = ["replay", &model.to_string_lossy(), &trail.to_string_lossy(), "--json"];
        let value = self.json(&args, model, seconds)?;
        let kind = value["kind"].as_str().unwrap_or_default();
        if kind.is_empty() {
            let outcome = value["outcome"].as_str().unwrap_or("no outcome");
            return Err(Failure::Broken(format!("replay: {outcome}")));
        }
        Ok(Kind::of_spinor(kind))
    }

    fn check(&self, model: &Path, extra: &[&str], seconds: u64) -> Result<Report, Failure> {
        let limit = format!("{seconds}s");
        let path = model.to_string_lossy();
        let mut args = vec!["check", "--search", "dfs", "--reduce", "none", "--property", "safety"];
        args.extend(["--json", "--max-time", &limit]);
        args.extend(extra);
        args.push(&path);
        let value = self.json(&args, model, seconds)?;
        read_report(&value).ok_or_else(|| Failure::Broken("the report lacks a field".to_owned()))
    }

    fn json(&self, args: &[&str], model: &Path, seconds: u64) -> Result<Value, Failure> {
        let folder = model.parent().unwrap_or(Path::new("."));
        // Spinor keeps the limit itself; the slack is for one that hangs.
        let finished = command::run(&self.program, args, folder, seconds + 10).map_err(Failure::Broken)?;
        read_json(&finished)
    }
}

/// The path of Cargo, as Cargo itself hands it down.
pub(crate) fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

fn read_json(finished: &Finished) -> Result<Value, Failure> {
    match finished.code {
        Some(0 | 1 | 3) => {}
        Some(2) => return Err(Failure::Refused(summary(&finished.stderr))),
        _ if finished.timed_out => return Err(Failure::Broken("hangs".to_owned())),
        _ => return Err(Failure::Broken(summary(&finished.stderr))),
    }
    serde_json::from_str(&finished.stdout).map_err(|error| Failure::Broken(format!("the output is not JSON: {error}")))
}

fn summary(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(8).collect();
    if lines.is_empty() { "no message".to_owned() } else { lines.join("\n") }
}

fn read_report(value: &Value) -> Option<Report> {
    let states = &value["states"];
    let violations: Vec<Violation> = value["violations"].as_array()?.iter().map(read_violation).collect();
    // A hidden variable that is read leaves it undecided, but the search is complete.
    let undecided = !value["complete"].as_bool()? && value["verdict"].as_str()? == "undecided";
    Some(Report {
        undecided: undecided.then(|| value["reason"].as_str().unwrap_or("?").to_owned()),
        facts: Facts {
            stored: states["stored"].as_u64()?,
            transitions: states["transitions"].as_u64()?,
            depth: states["depth"].as_u64(),
            findings: Findings::Kinds(value["kinds"].as_object()?.keys().map(|kind| Kind::of_spinor(kind)).collect()),
        },
        violations,
    })
}

fn read_violation(value: &Value) -> Violation {
    Violation {
        kind: Kind::of_spinor(value["kind"].as_str().unwrap_or_default()),
        message: value["message"].as_str().unwrap_or_default().to_owned(),
        spin_trail: value["spin_trail"].as_str().map(PathBuf::from),
    }
}

#[cfg(test)]
mod tests {
    use super::read_report;
    use crate::facts::Kind;

    #[test]
    fn a_report_is_read() {
        let value = serde_json::json!({
            "schema": 1, "verdict": "violated", "complete": false,
            "violations": [{ "kind": "assertion", "message": "x == 1", "spin_trail": "m.trail" }],
            "kinds": { "assertion": 1 },
            "states": { "stored": 5, "matched": 2, "transitions": 7, "depth": 4 }
        });
        let report = read_report(&value).expect("all fields are there");
        assert!(report.undecided.is_none());
        assert_eq!(report.violations[0].kind, Kind::Assertion);
        assert_eq!(report.facts.to_string(), "stored 5 transitions 7 depth 4 errors assert");
    }
}
