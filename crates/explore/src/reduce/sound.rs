//! Which reductions are sound, for which property and why. What is not here is refused.

use super::obstacle::obstacle;
use super::{Method, Preserve};
use crate::plan::{Order, Proviso, StoreKind};
use spinor_exec::Simplify;
use spinor_model::access::{ChannelVariable, Object};
use spinor_model::{Model, Scalar, Type};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// What the user asked to be preserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// Deadlocks only.
    Deadlock,
    /// Also assertions and faults.
    Assertions,
    /// Also which statements are executed.
    Statements,
    /// Also which values the global variables and channels have together.
    Invariants,
    /// Also formulas of linear time without "next" over global variables and channels.
    Ltl,
}

impl Property {
    /// All of them, each keeping what those before it keep.
    pub const ALL: [Property; 5] =
        [Property::Deadlock, Property::Assertions, Property::Statements, Property::Invariants, Property::Ltl];

    /// What sets of processes must preserve for it.
    fn preserve(self, model: &Model) -> Preserve {
        match self {
            Property::Deadlock => Preserve::Deadlock,
            Property::Assertions => Preserve::Assertions,
            Property::Statements => Preserve::Statements,
            Property::Invariants => Preserve::Invariants(shared(model)),
            Property::Ltl => Preserve::Ltl(shared(model)),
        }
    }
}

fn holds_channels(ty: &Type) -> bool {
    match ty {
        Type::Scalar(scalar) => *scalar == Scalar::Chan,
        Type::Struct(fields) => fields.fields.iter().any(|field| holds_channels(&field.ty)),
    }
}

/// The global variables and channels.
fn shared(model: &Model) -> BTreeSet<Object> {
    let all = 0..model.globals.len() as u32;
    let channels = all.clone().filter(|&it| holds_channels(&model.globals[it as usize].ty));
    let contents = channels.map(|it| Object::Channel(ChannelVariable::Global(it)));
    all.map(Object::Global).chain(contents).collect()
}

/// What is kept of the actions that sleep at a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sleep {
    /// They are kept with the state, and explored when it is met with fewer asleep.
    Stored,
    /// Nothing: the conflict sets of paper 000, algorithm 3.
    Conflict,
    /// Nothing, and an action that leads back to the stack does not go to sleep: paper 002, algorithm 2.
    OffStack,
}

/// How deterministic steps are followed before a state is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phases {
    /// In rounds through the processes, as long as something new is met.
    Fixpoint,
    /// In one round, as the first algorithm of paper 003 has it.
    Once,
    /// In one round, and then only processes that are not deterministic are expanded: its second algorithm.
    Undetermined,
}

/// A reduction by the names of its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Who proposes persistent sets.
    pub selector: Option<Method>,
    /// What is known from the text alone.
    pub simplify: Simplify,
    /// Whether actions sleep.
    pub sleep: Option<Sleep>,
    /// Whether there are two phases.
    pub phases: Option<Phases>,
    /// Whether states stand for their orbits.
    pub symmetry: bool,
    /// Whether sets are looked for only as long as enough is left out.
    pub is_thrifty: bool,
}

impl Parts {
    /// Whether nothing is done at all.
    #[must_use]
    pub fn is_none(&self) -> bool {
        Parts { is_thrifty: false, ..*self } == Parts::default()
    }

    /// Whether the search must know which steps depend on each other.
    #[must_use]
    pub fn asks_for_dependence(&self) -> bool {
        self.selector.is_some() || self.sleep.is_some() || self.phases.is_some()
    }

    /// Why nothing follows if no violation is found: the algorithm can lose states.
    #[must_use]
    pub fn incomplete_because(&self) -> Option<&'static str> {
        match (self.sleep, self.phases) {
            (Some(Sleep::Conflict), _) => {
                Some("conflict sets that are not kept with states (paper 000, algorithm 3) can lose states")
            }
            (Some(Sleep::OffStack), _) => {
                Some("sleep sets that are not kept with states (paper 002, algorithm 2) can lose states")
            }
            (_, Some(Phases::Undetermined)) => {
                Some("expanding only processes that are not deterministic (paper 003, dfs3) can lose states")
            }
            _ => None,
        }
    }
}

const SLEEPS: [(&str, Sleep); 3] =
    [("sleep", Sleep::Stored), ("conflict", Sleep::Conflict), ("conflict-002", Sleep::OffStack)];

const PHASES: [(&str, Phases); 3] =
    [("two-phase", Phases::Fixpoint), ("two-phase-1", Phases::Once), ("dfs3", Phases::Undetermined)];

fn named<T: Copy + PartialEq>(table: &[(&'static str, T)], value: T) -> Option<&'static str> {
    table.iter().find(|(_, it)| *it == value).map(|(name, _)| *name)
}

fn meant<T: Copy>(table: &[(&'static str, T)], name: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == name).map(|(_, it)| *it)
}

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The strongest that is sound.
    Auto,
    /// These parts.
    Parts(Parts),
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Wanted, String> {
        match text {
            "auto" => return Ok(Wanted::Auto),
            "none" => return Ok(Wanted::Parts(Parts::default())),
            _ => {}
        }
        let mut parts = Parts::default();
        for name in text.split('+') {
            if name == "merge" {
                parts.simplify.merge = true;
            } else if name == "dead" {
                parts.simplify.dead = true;
            } else if name == "symmetry" {
                parts.symmetry = true;
            } else if let Some(sleep) = meant(&SLEEPS, name) {
                once(parts.sleep.replace(sleep).is_some(), "lets actions sleep")?;
            } else if let Some(phases) = meant(&PHASES, name) {
                once(parts.phases.replace(phases).is_some(), "has two phases")?;
            } else {
                let method = name.parse::<Method>().map_err(|_| unknown(name))?;
                once(parts.selector.replace(method).is_some(), "chooses sets of processes")?;
            }
        }
        Ok(Wanted::Parts(parts))
    }
}

fn once(is_second: bool, what: &str) -> Result<(), String> {
    if is_second { Err(format!("more than one of these {what}: one of them is enough")) } else { Ok(()) }
}

fn unknown(name: &str) -> String {
    let selectors = Method::ALL.map(|method| method.to_string());
    let others = SLEEPS.iter().map(|it| it.0).chain(PHASES.iter().map(|it| it.0)).map(String::from);
    let names = selectors.into_iter().chain(others).collect::<Vec<_>>().join(", ");
    match name {
        "auto" | "none" => format!("`{name}` stands alone"),
        _ => format!(
            "there is no reduction `{name}`: there are auto, none, merge, dead, symmetry, {names}; names are joined by `+`"
        ),
    }
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let selector = self.selector.map(|method| method.to_string());
        let sleep = self.sleep.and_then(|it| named(&SLEEPS, it)).map(String::from);
        let phases = self.phases.and_then(|it| named(&PHASES, it)).map(String::from);
        let merge = self.simplify.merge.then(|| "merge".to_string());
        let dead = self.simplify.dead.then(|| "dead".to_string());
        let symmetry = self.symmetry.then(|| "symmetry".to_string());
        let names: Vec<String> = [selector, sleep, phases, merge, dead, symmetry].into_iter().flatten().collect();
        if names.is_empty() { f.write_str("none") } else { f.write_str(&names.join("+")) }
    }
}

/// A combination that is sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sound {
    /// The parts.
    pub parts: Parts,
    /// What the sets preserve.
    pub preserve: Preserve,
    /// When a set may stand for all successors.
    pub proviso: Proviso,
    /// Whether states may stand for their orbits, if there are symmetries.
    pub tries_symmetry: bool,
    /// The theorems.
    pub because: String,
}

impl Sound {
    /// What is kept of the whole state space.
    #[must_use]
    pub fn kept(&self) -> Property {
        match self.preserve {
            _ if self.parts.selector.is_none() => Property::Statements,
            Preserve::Deadlock => Property::Deadlock,
            Preserve::Assertions => Property::Assertions,
            Preserve::Statements => Property::Statements,
            Preserve::Invariants(_) => Property::Invariants,
            Preserve::Ltl(_) => Property::Ltl,
        }
    }
}

/// In what search a reduction is to be used.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The order of visits.
    pub order: Order,
    /// How many threads.
    pub threads: usize,
    /// Where states are kept.
    pub store: StoreKind,
}

/// One row: for a property, the weakest proviso that is enough.
struct Row {
    property: Property,
    proviso: Proviso,
    because: &'static str,
}

static ROWS: [Row; 5] = [
    Row {
        property: Property::Deadlock,
        proviso: Proviso::None,
        because: "persistent sets keep deadlocks (Godefroid 1996, chapter 4)",
    },
    Row {
        property: Property::Assertions,
        proviso: Proviso::Weak,
        because: "with the weak proviso every postponed step is taken later (Holzmann, Godefroid and Pirottin 1992); it \
                  is needed where a postponed process may yet show something wrong",
    },
    Row {
        property: Property::Statements,
        proviso: Proviso::Weak,
        because: "with the weak proviso every postponed step is taken later (Holzmann, Godefroid and Pirottin 1992)",
    },
    Row {
        property: Property::Invariants,
        proviso: Proviso::Weak,
        because: "with the weak proviso every postponed step is taken later (Holzmann, Godefroid and Pirottin 1992), and \
                  steps that change global variables or channels keep their order (rule V of Valmari 1991)",
    },
    Row {
        property: Property::Ltl,
        proviso: Proviso::Strong,
        because: "what goes first changes no global variable and no channel, and no cycle leaves anything for later \
                  (Peled 1994)",
    },
];

const ORDER_BECAUSE: &str = "steps that change global variables or channels keep their order (rule V of Valmari 1991)";

/// Why a proviso that is stronger than it must be is enough.
const STRONG_BECAUSE: &str = "with the strong proviso no cycle leaves a step for later, so every postponed step is taken \
     (Peled 1994)";

const SLEEP_BECAUSE: &str = "sleep sets that are kept with states, and explored when a state is met with fewer asleep, \
     lose no state (Godefroid 1996, chapter 5); with persistent sets the proviso counts only what is awake";

const PHASES_BECAUSE: &str = "a chain of deterministic steps is a chain of persistent sets, and where it ends all is \
     explored (Nalumasu and Gopalakrishnan 1996, dfs2)";

const MERGE_BECAUSE: &str = "a step that nobody else sees goes with the step before it, once around each cycle not \
     (Kurshan, Levin, Minea, Peled and Yenigün 1998)";

const DEAD_BECAUSE: &str =
    "states that differ in variables nobody reads any more are bisimilar (Bozga, Fernandez and Ghirvu 1999)";

/// Why states may stand for their orbits.
pub const SYMMETRY_BECAUSE: &str = "renaming processes is a bisimulation where the text treats their names alike (Ip and \
     Dill 1996; Emerson and Sistla 1996), and provisos look at representatives (Emerson, Jha and Peled 1997)";

/// What is done for what was asked, or why it is refused. What is not asked for is chosen: what the checks need
/// is preserved, by the weakest proviso that does.
///
/// # Errors
/// If the combination is not known to be sound, or an answer would have no meaning.
pub fn resolve(
    wanted: Wanted,
    property: Option<Property>,
    proviso: Option<Proviso>,
    (model, setting): (&Model, Setting),
) -> Result<Sound, String> {
    let parts = match wanted {
        Wanted::Auto => strongest(model, property),
        Wanted::Parts(parts) => {
            if parts.asks_for_dependence() {
                refuse(model)?;
                refuse_parts(parts, setting)?;
            }
            property.map_or(Ok(()), |property| refuse_for(parts, property))?;
            refuse_symmetry(parts)?;
            if parts.selector.is_none() && (property.is_some() || proviso.is_some()) {
                return Err(format!(
                    "--proviso and --preserve belong to reductions that choose sets of processes; `{parts}` loses \
                     nothing that could be preserved"
                ));
            }
            parts
        }
    };
    // The algorithm of paper 000 asks for its proviso everywhere, and so does who names one.
    let is_asked = parts.selector == Some(Method::Local) || proviso.is_some();
    let property = property.unwrap_or(if is_asked { Property::Statements } else { Property::Assertions });
    let row = ROWS.iter().find(|row| row.property == property).unwrap_or(&ROWS[1]);
    let proviso = match proviso {
        Some(given) if strength(given) < strength(row.proviso) => {
            return Err("this proviso is too weak: steps could be postponed for ever around a cycle; \
                        use --preserve deadlock, or a stronger one"
                .into());
        }
        given => given.unwrap_or(row.proviso),
    };
    if parts.symmetry && model.trace.is_some() {
        return Err("a trace speaks of channels one by one: states cannot stand for their orbits".into());
    }
    let is_symmetric = property < Property::Invariants && model.trace.is_none();
    let tries_symmetry = parts.symmetry || wanted == Wanted::Auto && is_symmetric;
    let because = because(parts, row, proviso);
    Ok(Sound { parts, preserve: property.preserve(model), proviso, tries_symmetry, because })
}

/// One theorem for each part, that of the proviso that is used.
fn because(parts: Parts, row: &Row, proviso: Proviso) -> String {
    let because = match proviso {
        used if used == row.proviso => row.because,
        Proviso::Strong => STRONG_BECAUSE,
        Proviso::None | Proviso::Weak => ROWS[2].because,
    };
    // Which order steps keep has nothing to do with when others may wait.
    let is_ordered = row.property == Property::Invariants && because != row.because;
    let reasons = [
        parts.incomplete_because(),
        parts.selector.map(|_| because),
        (parts.selector.is_some() && is_ordered).then_some(ORDER_BECAUSE),
        (parts.sleep == Some(Sleep::Stored)).then_some(SLEEP_BECAUSE),
        parts.phases.filter(|&it| it != Phases::Undetermined).map(|_| PHASES_BECAUSE),
        parts.simplify.merge.then_some(MERGE_BECAUSE),
        parts.simplify.dead.then_some(DEAD_BECAUSE),
    ];
    reasons.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn strength(proviso: Proviso) -> u8 {
    match proviso {
        Proviso::None => 0,
        Proviso::Weak => 1,
        Proviso::Strong => 2,
    }
}

fn strongest(model: &Model, property: Option<Property>) -> Parts {
    let all = Parts { simplify: Simplify { merge: true, dead: true }, ..Parts::default() };
    let is_kept = property.is_none_or(|property| refuse_for(all, property).is_ok());
    let simplify = if is_kept { all.simplify } else { Simplify::default() };
    let selector = refuse(model).is_ok().then_some(Method::Stubborn);
    Parts { selector, simplify, is_thrifty: true, ..Parts::default() }
}

/// Why parts cannot be used for a property.
fn refuse_for(parts: Parts, property: Property) -> Result<(), String> {
    if property < Property::Invariants {
        return Ok(());
    }
    if parts.simplify.merge || parts.simplify.dead {
        return Err("merge and dead leave out values of global variables that only one process knows of, or that \
                    nobody reads: they do not go with --preserve invariants or ltl"
            .into());
    }
    if parts.symmetry && property > Property::Invariants {
        return Err(
            "a formula may speak of names, and a state stands for others under other names: symmetry does not go \
                    with --preserve ltl"
                .into(),
        );
    }
    if parts.sleep.is_some() {
        return Err("sleep sets do not keep cycles, and nothing is known of joint values with sleep and a selector: \
                    they do not go with --preserve invariants or ltl"
            .into());
    }
    Ok(())
}

/// What sleeps at a state, and which chains were followed, is said of its processes by their pids.
fn refuse_symmetry(parts: Parts) -> Result<(), String> {
    if parts.symmetry && (parts.sleep.is_some() || parts.phases.is_some()) {
        return Err("nothing is known of symmetry together with sleep sets or two-phase search".into());
    }
    Ok(())
}

/// Why parts cannot be used in a search, or with each other. All of this is for safety.
fn refuse_parts(parts: Parts, setting: Setting) -> Result<(), String> {
    let what = match (parts.sleep, parts.phases) {
        (None, None) => return Ok(()),
        (Some(_), _) => "a sleep set belongs to a state and the path to it",
        (None, Some(Phases::Undetermined)) => "dfs3 is a depth-first search",
        (None, Some(_)) => "in depth-first order two phases belong to one stack",
    };
    let is_by_levels = setting.order == Order::BreadthFirst && parts.sleep.is_none();
    let is_step = is_by_levels && parts.phases != Some(Phases::Undetermined);
    if !is_step && (setting.order != Order::DepthFirst || setting.threads > 1) {
        return Err(format!("{what}: use --search dfs --threads 1"));
    }
    if parts.sleep.is_some() && setting.store.is_lossy() {
        return Err("sleep sets are kept with states, which must not be taken for others: use an exact store".into());
    }
    if parts.phases.is_some() && (parts.selector.is_some() || parts.sleep.is_some()) {
        return Err("two-phase search explores all successors where its first phase ends: nothing is known of it \
                    together with other reductions"
            .into());
    }
    Ok(())
}

/// Why no set of processes is ever enough.
fn refuse(model: &Model) -> Result<(), String> {
    let why = obstacle(model);
    why.map_or(Ok(()), |why| Err(format!("partial order reduction is not sound here: {why}")))
}
