//! Automata as text: one file for each notation.

mod dot;
mod hoa;
mod never;

use crate::formula::Atom;
use crate::label::Label;

/// How atoms are written.
pub type Names<'a> = &'a dyn Fn(Atom) -> String;

/// The signs of a notation for labels.
struct Notation {
    and: &'static str,
    or: &'static str,
    not: &'static str,
    always: &'static str,
    never: &'static str,
    /// Cubes with several literals are in parentheses when there are several of them.
    parentheses: bool,
}

impl Notation {
    fn label(&self, label: &Label, name: Names<'_>) -> String {
        if label.cubes().is_empty() {
            return self.never.to_string();
        }
        let literal = |(atom, positive): (Atom, bool)| {
            let sign = if positive { "" } else { self.not };
            format!("{sign}{}", name(atom))
        };
        let several = label.cubes().len() > 1;
        let cube = |cube: &crate::label::Cube| {
            let literals: Vec<String> = cube.literals().map(literal).collect();
            let text = if literals.is_empty() { self.always.to_string() } else { literals.join(self.and) };
            if several && self.parentheses && literals.len() > 1 { format!("({text})") } else { text }
        };
        label.cubes().iter().map(cube).collect::<Vec<_>>().join(self.or)
    }
}

/// The notation of PROMELA, which people read best.
const PROMELA: Notation =
    Notation { and: " && ", or: " || ", not: "!", always: "true", never: "false", parentheses: true };

/// The marks of an edge or a state.
fn marks(marks: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |mark| marks >> mark & 1 == 1)
}
