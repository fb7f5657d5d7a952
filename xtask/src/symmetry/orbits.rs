//! How many states the representatives of a search stand for, by the lengths of their orbits.
//!
//! Where all states of an orbit can be reached that is the number of all states, and it is known without visiting them. So
//! the ratio is known for models that are too large to be searched without symmetry; where they are not, both are compared.

use super::table::{compile, search, search_with};
use super::witness::{Note, Witness};
use spinor_exec::{Packed, Shapes};
use spinor_explore::reduce::sound::Parts;
use spinor_explore::symmetry::{Quotient, Strategy, Symmetries};
use spinor_model::symmetry::Scalarsets;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The models, how many processes they have, what these count modulo, and whether all states can be visited, too.
const MODELS: [(&str, u32, u32, bool); 18] = [
    ("mutex", 5, 4, true),
    ("mutex", 6, 2, true),
    ("mutex", 6, 4, false),
    ("clients", 4, 1, true),
    ("clients", 4, 4, true),
    ("clients", 5, 1, true),
    ("clients", 5, 2, true),
    ("clients", 5, 4, false),
    ("clients", 6, 1, true),
    ("clients", 6, 5, false),
    ("coherence", 5, 1, true),
    ("coherence", 6, 1, true),
    ("leader", 4, 4, true),
    ("leader", 5, 1, true),
    ("leader", 5, 4, true),
    ("leader", 6, 1, true),
    ("leader", 6, 3, true),
    ("leader", 6, 8, false),
];

/// The lengths of orbits, added up.
#[derive(Clone)]
struct Lengths<'m> {
    quotient: Arc<Mutex<Quotient<'m, Packed<'m>>>>,
    sum: Arc<Mutex<Option<u64>>>,
}

impl Note for Lengths<'_> {
    fn note(&self, state: &[u64]) {
        let length = self.quotient.lock().unwrap_or_else(PoisonError::into_inner).orbit(state);
        let mut sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        *sum = sum.zip(length).map(|(sum, length)| sum + length);
    }
}

/// Prints the table; false if any number differs from that of a search of all states.
pub(super) fn print(root: &Path) -> Result<bool, String> {
    println!("| model | N | D | with symmetry | orbits added up | all states | ratio | of all permutations |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut is_right = true;
    for (name, n, d, is_small) in MODELS {
        let model = compile(root, name, &[("N", n), ("D", d)])?;
        let sum = Arc::new(Mutex::new(Some(0)));
        let found = search_with(&model, Parts { symmetry: true, ..Parts::default() }, None, |engine, shapes| {
            let quotient = Arc::new(Mutex::new(quotient(shapes)));
            Witness { engine, seen: Lengths { quotient, sum: sum.clone() } }
        })?;
        let Some(sum) = *sum.lock().unwrap_or_else(PoisonError::into_inner) else {
            return Err(format!("{name}: there are too many permutations"));
        };
        let all = match is_small {
            true => Some(search(&model, Parts::default(), None)?.statistics.stored),
            false => None,
        };
        is_right &= found.is_complete && all.is_none_or(|all| all == sum);
        let (stored, order) = (found.statistics.stored, found.order);
        let ratio = all.unwrap_or(sum) as f64 / stored as f64;
        println!(
            "| {name} | {n} | {d} | {stored} | {sum} | {} | {ratio:.1} | {:.2} of {order} |",
            all.map_or("-".into(), |all| all.to_string()),
            ratio / order as f64,
        );
    }
    Ok(is_right)
}

fn quotient<'m>(shapes: &Arc<Shapes<'m>>) -> Quotient<'m, Packed<'m>> {
    let sets = Scalarsets::new(shapes.model(), shapes.ranges(), &[]);
    let symmetries = Symmetries::new(shapes.clone(), sets, Strategy::Auto);
    Quotient::new(Packed::with(shapes.clone()), Some(Arc::new(symmetries)))
}
