//! One program through both checkers.

use std::fmt;

use crate::facts::Facts;
use crate::scratch::Scratch;
use crate::spin::{self, Limits, Unusable};
use crate::spinor::{Failure, Spinor};

/// Seconds that each checker has for a program.
const SECONDS: u64 = 5;

/// What the two checkers say of a program.
pub(crate) enum Verdict {
    /// The same; or only SPIN was asked.
    Same(Facts),
    /// The program is of no use for a comparison: a kind of reason, and its text.
    Skipped(&'static str, String),
    /// Not the same.
    Different(Difference),
}

/// How the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Spinor refuses the program.
    Refused,
    /// Spinor crashes or hangs.
    Broken,
    /// Other counts.
    Counts,
    /// Other kinds of error.
    Errors,
}

/// A difference and what to say about it.
pub(crate) struct Difference {
    /// How the two differ.
    pub(crate) class: Class,
    /// What SPIN says.
    spin: String,
    /// What Spinor says.
    spinor: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SPIN:   {}\nSpinor: {}", self.spin, self.spinor)
    }
}

/// The two checkers.
pub(crate) struct Pair {
    /// Spinor, unless only SPIN is to be asked.
    pub(crate) spinor: Option<Spinor>,
}

impl Pair {
    /// Asks both about a program.
    pub(crate) fn judge(&self, text: &str) -> Result<Verdict, String> {
        let scratch = Scratch::new("fuzz")?;
        let model = scratch.write("model.pml", text)?;
        let limits = Limits { seconds: SECONDS, depth: 100_000, table: 18 };
        let report = match spin::verify(&model, scratch.path(), limits) {
            Ok(report) => report,
            Err(reason) => return Ok(Verdict::Skipped(category(&reason), reason.to_string())),
        };
        if let Some(complaint) = report.complaint {
            return Ok(Verdict::Skipped("SPIN: other error", complaint));
        }
        let Some(spinor) = &self.spinor else { return Ok(Verdict::Same(report.facts)) };
        let answer = spinor.verify(&model, SECONDS, "1G");
        Ok(match answer {
            Ok(answer) => match answer.undecided {
                Some(reason) => Verdict::Skipped("Spinor: limit", reason),
                None => compare(report.facts, answer.facts),
            },
            Err(failure) => {
                let class = match failure {
                    Failure::Refused(_) => Class::Refused,
                    Failure::Broken(_) => Class::Broken,
                };
                different(class, &report.facts, failure.message().to_owned())
            }
        })
    }
}

fn compare(spin: Facts, spinor: Facts) -> Verdict {
    if !spin.counts_agree(&spinor) {
        different(Class::Counts, &spin, spinor.to_string())
    } else if !spin.findings_agree(&spinor) {
        different(Class::Errors, &spin, spinor.to_string())
    } else {
        Verdict::Same(spin)
    }
}

fn different(class: Class, spin: &Facts, spinor: String) -> Verdict {
    Verdict::Different(Difference { class, spin: spin.to_string(), spinor })
}

fn category(reason: &Unusable) -> &'static str {
    match reason {
        Unusable::Refused(_) => "SPIN: refused",
        Unusable::NoCompile(_) => "SPIN: does not compile",
        Unusable::Time => "SPIN: time limit",
        Unusable::Depth => "SPIN: depth limit",
        Unusable::Incomplete(_) => "SPIN: gave up",
        Unusable::Crashed => "SPIN: crashed",
        Unusable::Tool(_) => "SPIN: not started",
    }
}
