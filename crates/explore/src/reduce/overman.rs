//! Overman's method (paper 000, section 5), with both refinements: only what a process can still touch from
//! where it stands counts, and the set with the fewest executable steps is taken.
//!
//! A set of processes is closed if it contains each process whose future conflicts with the next steps,
//! executable or not, of one of its members. The smallest closed sets are those that grow from one process.

use super::ample::steps;
use super::uses::none;
use super::{Processes, Selector, View};

/// Proposes closed sets, the fewest steps first.
#[derive(Clone, Debug, Default)]
pub(super) struct Overman {
    mask: Box<[u64]>,
    rivals: Vec<Option<Processes>>,
}

impl Overman {
    /// The smallest closed set with a process.
    fn closure(&mut self, view: &View<'_>, pid: usize, mortal: usize) -> Processes {
        let mut closed = Processes::default();
        let mut open = Processes::single(pid);
        while let Some(next) = open.first_beyond(&closed) {
            closed.insert(next);
            let mask = &mut self.mask;
            let rivals = *self.rivals[next].get_or_insert_with(|| view.rivals(next, mask, mortal).collect());
            open.join(&rivals);
        }
        closed
    }
}

impl Selector for Overman {
    fn propose(&mut self, view: &mut View<'_>, sets: &mut Vec<Processes>) {
        if self.mask.len() != view.table.words {
            self.mask = none(view.table.words);
        }
        self.rivals.clear();
        self.rivals.resize(view.processes(), None);
        let mortal = view.first_mortal();
        let first = sets.len();
        for pid in (0..view.processes()).rev() {
            let set = self.closure(view, pid, mortal);
            if !sets[first..].contains(&set) && view.admits(&set) {
                sets.push(set);
            }
        }
        sets[first..].sort_by_key(|set| steps(view, set));
    }
}

#[cfg(test)]
mod tests {
    use super::Overman;
    use crate::reduce::uses::none;
    use crate::reduce::{Preserve, Processes, Selector, Tables, View};
    use spinor_exec::{Packed, Packing, Semantics, Successors};
    use std::collections::HashSet;

    struct NoFiles;

    impl spinor_syntax::Loader for NoFiles {
        fn load(&self, path: &str, _from: &str) -> Result<(String, String), String> {
            Err(format!("no file {path}"))
        }
    }

    const MODELS: [&str; 3] = [
        "byte x, y, z;
         active proctype A() { do :: y = 1; z = 1 od }
         active proctype B() { do :: x = 1; y = 2 od }
         active proctype C() { x = 2; z = 2; do :: z = 1 od }",
        "chan c = [2] of { byte }; chan d = [0] of { byte }; byte g;
         active proctype P() { byte l; do :: c!1 :: d?l od }
         active proctype Q() { byte l; do :: c?l; d!l; g = l od }
         active [2] proctype R() { byte l; l = 1; l = g; l = 2; g == 1 }",
        "byte n;
         proctype C(byte x) { byte l; l = x; n = x }
         init { run C(1); run C(2); n = 3; _nr_pr == 1 }
         active proctype D() { byte l; do :: l = 1 - l od }",
    ];

    /// The naive twin: of all sets of processes that are closed, can move and leave something out, the
    /// fewest steps.
    fn fewest(view: &mut View<'_>, mask: &mut [u64]) -> Option<usize> {
        let (count, mortal) = (view.processes(), view.first_mortal());
        let sets = (1..1_usize << count).map(|bits| (0..count).filter(|pid| bits >> pid & 1 == 1).collect());
        let closed = |set: &Processes, view: &View<'_>, mask: &mut [u64]| {
            set.iter().all(|pid| view.rivals(pid, mask, mortal).all(|rival| set.contains(rival)))
        };
        let mut best: Option<usize> = None;
        for set in sets {
            if closed(&set, view, mask) && view.admits(&set) {
                let steps = set.iter().map(|pid| view.steps(pid)).sum();
                best = Some(best.map_or(steps, |best| best.min(steps)));
            }
        }
        best
    }

    #[test]
    fn the_first_set_has_the_fewest_steps_of_all_closed_sets() {
        let mut proposals = 0;
        for text in MODELS {
            let (model, diagnostics) = spinor_model::compile("small.pml", text, &[], &NoFiles);
            assert!(!spinor_syntax::diagnostic::has_errors(&diagnostics), "{diagnostics:?}");
            let mut engine = Packed::new(&model, Packing::Bits);
            let tables = Tables::new(engine.shapes().clone(), Preserve::Deadlock);
            let mut out = Successors::default();
            engine.initial(&mut out).expect("a first state");
            let mut waiting = vec![out.vector(&out.list[0]).to_vec()];
            let mut seen: HashSet<Vec<u64>> = waiting.iter().cloned().collect();
            while let Some(state) = waiting.pop() {
                out.clear();
                let mut steps = Vec::new();
                for pid in 0..engine.processes(&state) {
                    let before = out.list.len();
                    engine.expand_process(&state, pid, &mut out);
                    steps.push(out.list.len() - before);
                }
                let table = tables.of(&state);
                let mut count = |pid: usize| steps[pid];
                let mut view = View::new(&table, &state, &mut count);
                let mut sets = Vec::new();
                Overman::default().propose(&mut view, &mut sets);
                let found = sets.first().map(|set| set.iter().map(|pid| steps[pid]).sum::<usize>());
                assert_eq!(found, fewest(&mut view, &mut none(table.words)), "{state:x?} of {text}");
                proposals += sets.len();
                let new = out.list.iter().map(|next| out.vector(next).to_vec());
                waiting.extend(new.filter(|it| seen.insert(it.clone())));
            }
        }
        assert!(proposals > 100, "{proposals}");
    }
}
