//! What a run of either checker says about a model, made comparable.

use std::collections::BTreeSet;
use std::fmt;

/// The kinds of error that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A failed assertion.
    Assertion,
    /// An invalid end state.
    EndState,
    /// Anything else: a fault of the model, a refusal.
    Other,
}

impl Kind {
    /// The kind that Spinor's name of a violation stands for.
    pub(crate) fn of_spinor(name: &str) -> Self {
        match name {
            "assertion" => Self::Assertion,
            "invalid-end-state" => Self::EndState,
            _ => Self::Other,
        }
    }

    /// The kind of a message of SPIN's verifier.
    pub(crate) fn of_spin(message: &str) -> Self {
        if message.starts_with("assertion violated") {
            Self::Assertion
        } else if message.starts_with("invalid end state") {
            Self::EndState
        } else {
            Self::Other
        }
    }

    /// The kind by its name in the tables of truth.
    fn of_table(name: &str) -> Self {
        match name {
            "assert" => Self::Assertion,
            "endstate" => Self::EndState,
            _ => Self::Other,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Assertion => "assert",
            Self::EndState => "endstate",
            Self::Other => "other",
        })
    }
}

/// What is known about the errors of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Findings {
    /// Nothing is known.
    Unknown,
    /// Whether there are errors.
    Any(bool),
    /// The kinds of all errors.
    Kinds(BTreeSet<Kind>),
}

impl Findings {
    /// Reads the column `kinds` of a table: names joined by `+`, or `none`.
    pub(crate) fn of_table(column: &str) -> Self {
        match column {
            "" => Self::Unknown,
            "none" => Self::Kinds(BTreeSet::new()),
            names => Self::Kinds(names.split('+').map(Kind::of_table).collect()),
        }
    }

    /// Whether errors are known to exist.
    pub(crate) fn is_error(&self) -> bool {
        match self {
            Self::Unknown => false,
            Self::Any(any) => *any,
            Self::Kinds(kinds) => !kinds.is_empty(),
        }
    }

    fn agree(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => true,
            (Self::Kinds(left), Self::Kinds(right)) => left == right,
            _ => self.is_error() == other.is_error(),
        }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("?"),
            Self::Any(true) => f.write_str("some"),
            Self::Any(false) => f.write_str("none"),
            Self::Kinds(kinds) if kinds.is_empty() => f.write_str("none"),
            Self::Kinds(kinds) => {
                let names: Vec<String> = kinds.iter().map(Kind::to_string).collect();
                f.write_str(&names.join("+"))
            }
        }
    }
}

/// The comparable result of a complete search.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// Stored states.
    pub(crate) stored: u64,
    /// Transitions, which SPIN counts as stored plus matched states.
    pub(crate) transitions: u64,
    /// The greatest depth of the search, where known.
    pub(crate) depth: Option<u64>,
    /// The errors found.
    pub(crate) findings: Findings,
}

impl Facts {
    /// Whether stored states, transitions and, where both are known, depths agree.
    pub(crate) fn counts_agree(&self, other: &Self) -> bool {
        let depths_agree = match (self.depth, other.depth) {
            (Some(left), Some(right)) => left == right,
            _ => true,
        };
        self.stored == other.stored && self.transitions == other.transitions && depths_agree
    }

    /// Whether the kinds of error agree, as far as they are known.
    pub(crate) fn findings_agree(&self, other: &Self) -> bool {
        self.findings.agree(&other.findings)
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let depth = self.depth.map_or("?".to_owned(), |depth| depth.to_string());
        write!(f, "stored {} transitions {} depth {depth} errors {}", self.stored, self.transitions, self.findings)
    }
}

#[cfg(test)]
mod tests {
    use super::{Facts, Findings};

    fn facts(depth: Option<u64>, findings: Findings) -> Facts {
        Facts { stored: 3, transitions: 4, depth, findings }
    }

    #[test]
    fn unknown_columns_are_not_compared() {
        let left = facts(None, Findings::of_table(""));
        let right = facts(Some(7), Findings::of_table("assert"));
        assert!(left.counts_agree(&right) && left.findings_agree(&right));
        let other = facts(Some(8), Findings::Any(false));
        assert!(!right.counts_agree(&other) && !right.findings_agree(&other));
    }

    #[test]
    fn kinds_are_a_set() {
        let left = facts(None, Findings::of_table("assert+endstate"));
        let right = facts(None, Findings::of_table("endstate+assert"));
        assert!(left.findings_agree(&right));
        assert_eq!(right.findings.to_string(), "assert+endstate");
    }
}
