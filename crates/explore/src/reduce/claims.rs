//! Which reductions are sound for claims about infinite executions, and why. What is not here is not done, and said.

use super::Method;
use super::obstacle::obstacle;
use super::sound::{Parts, Sleep, Wanted};
use spinor_ltl::Stutter;
use spinor_model::symmetry::Scalarsets;
use spinor_model::{Model, ProctypeId, Role};

/// What is known of a claim.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Whether it cares how often a state is repeated.
    pub stutter: Stutter,
    /// Whether its propositions are never at fault.
    pub is_sure: bool,
    /// Whether executions must be weakly fair.
    pub fair: bool,
    /// Whether steps can pass labels that count inside of them.
    pub passes_labels: bool,
}

/// How the search for a claim is reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimReduction {
    /// Who proposes sets of processes; nobody if all steps are taken.
    pub selector: Option<Method>,
    /// Whether sets are looked for only as long as enough is left out.
    pub is_thrifty: bool,
    /// The theorem, or why all steps are taken.
    pub because: String,
}

/// The theorem of a whole row.
const BECAUSE: &str = "persistent sets of invisible steps, chosen once for each state of the system, with a whole state \
     on each cycle, keep an execution that differs in repetition only (Peled 1996; the choice: Holzmann, Peled and \
     Yannakakis 1996, Siegel 2019)";

/// What is done for a claim.
#[must_use]
pub fn resolve_claim(wanted: Wanted, model: &Model, about: About) -> ClaimReduction {
    let none = |because: String| ClaimReduction { selector: None, is_thrifty: false, because };
    match refuse(wanted, model, about) {
        Some(reason) => none(reason),
        None => {
            let because = BECAUSE.to_string();
            let (selector, is_thrifty) = match wanted {
                Wanted::Auto => (Some(Method::Stubborn), true),
                Wanted::Parts(parts) => (parts.selector, parts.is_thrifty),
            };
            ClaimReduction { selector, is_thrifty, because }
        }
    }
}

/// Whether states may stand for their orbits in the search for a claim whose propositions are observers of the
/// symmetries: then all states of an orbit have the same letters, and the quotient accepts if the system does (Emerson and
/// Sistla 1996), with invisible steps left out, too (Emerson, Jha and Peled 1997).
///
/// # Errors
/// Why not.
pub fn may_use_symmetry(model: &Model, fair: bool) -> Result<(), &'static str> {
    let types = (0..model.proctypes.len() as u16).map(ProctypeId);
    let mut processes = types.filter(|&id| model.proctype(id).role == Role::Process);
    match () {
        () if fair => Err("fairness watches processes one by one"),
        () if model.trace.is_some() => Err("a trace speaks of channels one by one"),
        // A process that stands at its end takes another number of steps to be gone.
        () if processes.any(|id| Scalarsets::is_mortal(model, id)) => Err("processes end, the youngest first"),
        () => Ok(()),
    }
}

/// Why all steps are taken.
fn refuse(wanted: Wanted, model: &Model, about: About) -> Option<String> {
    if let Wanted::Parts(parts) = wanted
        && let Some(reason) = refuse_parts(parts)
    {
        return Some(reason.into());
    }
    if about.fair {
        return Some(
            "a step that goes first may be what others wait for, so it is not known what is left of fairness".into(),
        );
    }
    if about.passes_labels {
        return Some("labels are passed inside of steps, which must not change places with others".into());
    }
    let reason = match about.stutter {
        Stutter::Sensitive => "it matters to the claim how often a state is repeated",
        Stutter::Unknown => "it is not known whether it matters to the claim how often a state is repeated",
        Stutter::Invariant if !about.is_sure => "a proposition may be at fault, and it matters when it is asked for",
        Stutter::Invariant => return obstacle(model).map(String::from),
    };
    Some(reason.into())
}

/// Why parts are not for claims.
fn refuse_parts(parts: Parts) -> Option<&'static str> {
    match parts {
        Parts { sleep: Some(Sleep::Stored), .. } => Some("sleep sets keep states, not cycles"),
        Parts { sleep: Some(_), .. } => Some("conflict sets keep no cycles"),
        Parts { phases: Some(_), .. } => Some("two-phase search is one for states"),
        Parts { selector: None, simplify, .. } if simplify.merge || simplify.dead => {
            Some("statement merging and dead variables are for safety")
        }
        Parts { selector: None, .. } => Some("as asked for"),
        Parts { selector: Some(_), .. } => None,
    }
}
