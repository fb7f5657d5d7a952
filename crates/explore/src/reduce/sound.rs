//! Which reductions are sound, for which property and why. What is not here is refused.

use super::{Method, Preserve};
use crate::plan::{Order, Proviso};
use spinor_exec::Simplify;
use spinor_model::Model;
use std::fmt;
use std::str::FromStr;

/// What the user asked to be preserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// Deadlocks only.
    Deadlock,
    /// Also assertions, faults and which statements are executed.
    Assertions,
}

/// A reduction by the names of its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Who proposes persistent sets.
    pub selector: Option<Method>,
    /// What is known from the text alone.
    pub simplify: Simplify,
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
            match name {
                "merge" => parts.simplify.merge = true,
                "dead" => parts.simplify.dead = true,
                _ => {
                    let method = name.parse::<Method>().map_err(|_| unknown(name))?;
                    if let Some(other) = parts.selector.replace(method) {
                        let both = format!("`{other}` and `{method}` both choose sets of processes");
                        return Err(format!("{both}: one of them is enough"));
                    }
                }
            }
        }
        Ok(Wanted::Parts(parts))
    }
}

fn unknown(name: &str) -> String {
    let names = Method::ALL.map(|method| method.to_string()).join(", ");
    match name {
        "auto" | "none" => format!("`{name}` stands alone"),
        _ => format!(
            "there is no reduction `{name}`: there are auto, none, merge, dead, {names}; names are joined by `+`"
        ),
    }
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let selector = self.selector.map(|method| method.to_string());
        let merge = self.simplify.merge.then(|| "merge".to_string());
        let dead = self.simplify.dead.then(|| "dead".to_string());
        let names: Vec<String> = [selector, merge, dead].into_iter().flatten().collect();
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
    /// The theorem.
    pub because: &'static str,
}

/// One row: for a property, the weakest proviso that is enough.
struct Row {
    property: Property,
    proviso: Proviso,
    because: &'static str,
}

const ROWS: [Row; 2] = [
    Row {
        property: Property::Deadlock,
        proviso: Proviso::None,
        because: "persistent sets keep deadlocks (Godefroid 1996, theorem 4.3)",
    },
    Row {
        property: Property::Assertions,
        proviso: Proviso::Weak,
        because: "with the weak proviso every postponed step is taken later (Holzmann, Godefroid and Pirottin 1992)",
    },
];

/// What is done for what was asked, or why it is refused.
///
/// # Errors
/// If the combination is not known to be sound.
pub fn resolve(
    wanted: Wanted,
    property: Property,
    proviso: Option<Proviso>,
    (model, order, threads): (&Model, Order, usize),
) -> Result<Sound, String> {
    let parts = match wanted {
        Wanted::Auto => strongest(model, order, threads),
        Wanted::Parts(parts) => {
            if parts.selector.is_some() {
                refuse(model, order, threads)?;
            }
            parts
        }
    };
    let row = ROWS.iter().find(|row| row.property == property).unwrap_or(&ROWS[1]);
    let proviso = match proviso {
        Some(given) if strength(given) < strength(row.proviso) => {
            return Err("this proviso is too weak for assertions: steps could be postponed for ever around a cycle; \
                        use --preserve deadlock, or a stronger one"
                .into());
        }
        given => given.unwrap_or(row.proviso),
    };
    let preserve = match property {
        Property::Deadlock => Preserve::Deadlock,
        Property::Assertions => Preserve::Assertions,
    };
    Ok(Sound { parts, preserve, proviso, because: row.because })
}

fn strength(proviso: Proviso) -> u8 {
    match proviso {
        Proviso::None => 0,
        Proviso::Weak => 1,
        Proviso::Strong => 2,
    }
}

fn strongest(model: &Model, order: Order, threads: usize) -> Parts {
    let simplify = Simplify { merge: true, dead: true };
    Parts { selector: refuse(model, order, threads).is_ok().then_some(Method::Stubborn), simplify }
}

/// Why no set of processes is ever enough.
fn refuse(model: &Model, order: Order, threads: usize) -> Result<(), String> {
    let uses = &model.uses;
    let why = if uses.priority {
        "priorities make every step depend on every other"
    } else if model.last_offset.is_some() {
        "`_last` makes every step visible"
    } else if uses.reads_hidden {
        "hidden variables that are read are not part of the state"
    } else if order == Order::DepthFirst && threads > 1 {
        "the proviso of depth-first search is about one stack: use --threads 1 or --search bfs"
    } else {
        return Ok(());
    };
    Err(format!("partial order reduction is not sound here: {why}"))
}
