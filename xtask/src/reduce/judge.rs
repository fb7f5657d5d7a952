//! One program with and without each reduction.

use std::collections::BTreeSet;
use std::fmt::Debug;

use spinor_exec::{Packed, Packing, Simplify};
use spinor_model::Model;

use super::REDUCTIONS;
use super::space::Space;

/// How much was compared.
#[derive(Clone, Copy, Default)]
pub(crate) struct Judgement {
    /// States without any reduction.
    pub(crate) states: u64,
    /// States with each.
    pub(crate) reduced: [u64; REDUCTIONS.len()],
    /// Programs in which something is wrong.
    pub(crate) with_errors: u64,
    /// Trails that were replayed.
    pub(crate) replayed: u64,
}

impl Judgement {
    /// Takes another into account.
    pub(crate) fn add(&mut self, other: &Judgement) {
        self.states += other.states;
        self.reduced.iter_mut().zip(other.reduced).for_each(|(sum, more)| *sum += more);
        self.with_errors += other.with_errors;
        self.replayed += other.replayed;
    }
}

/// Compares all that both see. `None` if the model is of no use for that.
pub(crate) fn judge(model: &Model, packing: Packing, most: usize) -> Option<Result<Judgement, String>> {
    let full = Space::explore(Packed::new(model, packing), most)?;
    let mut judgement = Judgement { states: full.len() as u64, ..Judgement::default() };
    judgement.with_errors = u64::from(!full.findings().is_empty() || !full.dead_ends(full.engine()).is_empty());
    for (index, (name, simplify)) in REDUCTIONS.into_iter().enumerate() {
        let compared = one(model, packing, simplify, &full).map_err(|error| format!("{name}: {error}"));
        match compared {
            Err(error) => return Some(Err(error)),
            Ok((states, replayed)) => {
                judgement.reduced[index] = states;
                judgement.replayed += replayed;
            }
        }
    }
    Some(Ok(judgement))
}

/// One reduction against all states; says how many states and trails there are.
fn one(model: &Model, packing: Packing, simplify: Simplify, full: &Space<'_>) -> Result<(u64, u64), String> {
    let engine = Packed::simplified(model, packing, simplify);
    let Some(mut reduced) = Space::explore(engine, full.len()) else {
        return Err("more states, or not complete".into());
    };
    let by = reduced.engine();
    same("findings", &full.findings(), &reduced.findings())?;
    same("statements", &full.executed(), &reduced.executed())?;
    same("dead ends", &full.dead_ends(by), &reduced.dead_ends(by))?;
    let (all, kept) = (full.states(by), reduced.states(by));
    match by.shapes().merge() {
        None => same("states", &all, &kept)?,
        Some(merge) => {
            if !kept.is_subset(&all) {
                return Err("a state that is not reachable".into());
            }
            let stops = |space: &Space<'_>| -> BTreeSet<_> {
                space
                    .locations()
                    .into_iter()
                    .filter(|&(proctype, location)| !merge.passes(proctype, location))
                    .collect()
            };
            same("locations", &stops(full), &stops(&reduced))?;
        }
    }
    let replayed = reduced.replay()?;
    Ok((reduced.len() as u64, replayed))
}

fn same<T: Debug + Ord>(what: &str, full: &BTreeSet<T>, reduced: &BTreeSet<T>) -> Result<(), String> {
    if full == reduced {
        return Ok(());
    }
    let missed: Vec<&T> = full.difference(reduced).take(3).collect();
    let new: Vec<&T> = reduced.difference(full).take(3).collect();
    Err(format!("{what}: missed {missed:?}, new {new:?}"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use spinor_exec::Packing;
    use spinor_syntax::diagnostic::has_errors;

    use super::judge;
    use crate::agree::Disk;
    use crate::corpus::files_with_extension;
    use crate::fuzz;

    /// Whether a program could be compared.
    fn is_same(name: &str, text: &str) -> bool {
        let (model, diagnostics) = spinor_model::compile(name, text, &[], &Disk);
        if has_errors(&diagnostics) {
            return false;
        }
        let judged = judge(&model, Packing::Bits, 3_000);
        assert!(!matches!(judged, Some(Err(_))), "{name}: {}", judged.and_then(Result::err).unwrap_or_default());
        judged.is_some()
    }

    #[test]
    fn nothing_is_missed_in_random_programs() {
        let seed = 5;
        let count = (0..60).filter(|&index| is_same(&format!("seed {seed} {index}"), &fuzz::program(seed, index)));
        assert!(count.count() > 30);
    }

    /// What others see only as long as a process is not ready to receive.
    #[test]
    fn a_send_that_is_not_yet_possible() {
        let receiver = "chan c = [0] of { byte }; byte g; active proctype A() { byte x; g++; x = 1; x = 2; c ? x }";
        for sender in [
            "active proctype B() { g > 0; if :: c ! 1 :: else -> assert(false) fi }",
            "active proctype B() { atomic { g > 0; g = 5; c ! 1; g = 0 } } active proctype C() { assert(g != 5) }",
            "active proctype B() { g > 0; { assert(false) } unless { c ! 1 } }",
        ] {
            assert!(is_same(sender, &format!("{receiver} {sender}")));
        }
    }

    /// A fault ends its path, but others have their turn before it.
    #[test]
    fn a_fault_on_the_way() {
        let other = "active proctype B() { g == 1; assert(false) }";
        assert!(is_same("fault", &format!("byte g; active proctype A() {{ byte x; g = 1; x = 1 / x }} {other}")));
    }

    #[test]
    fn the_beginning_of_an_atomic_sequence() {
        let other = "active proctype B() { g == 1; assert(g == 2) }";
        let atomic = "byte g; active proctype A() { byte x; g = 1; atomic { x = 1; g = 2 } }";
        assert!(is_same("atomic", &format!("{atomic} {other}")));
    }

    #[test]
    fn nothing_is_missed_in_small_models() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/micro");
        let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        let paths = files_with_extension(&folder, "pml");
        assert!(paths.iter().filter(|path| is_same(&path.to_string_lossy(), &read(path))).count() > 100);
    }
}
