//! Every value in every state lies in the range that was found for it.

#[path = "../../../tests/support.rs"]
mod support;

use spinor_exec::{Expansion, Interpreter, State};
use spinor_model::expr::Base;
use spinor_model::model::Initial;
use spinor_model::ranges::{ChannelSet, Leaf, Ranges, Site};
use spinor_model::{Access, Model, ProctypeId, Scalar};
use spinor_syntax::diagnostic::has_errors;
use spinor_syntax::source::NoIncludes;
use std::collections::{HashSet, VecDeque};

const MOST_STATES: usize = 3_000;

#[test]
fn every_value_is_in_its_range() {
    let (mut checked, mut states) = (0, 0);
    for path in support::models("tests/micro").into_iter().chain(support::models("examples")) {
        let model = support::compile(&path);
        states += walk(&model);
        checked += 1;
    }
    assert!(checked > 50, "only {checked} models");
    assert!(states > 5_000, "only {states} states");
}

/// A channel dies with its process; the next one to be created takes its number.
#[test]
fn the_number_of_a_dead_channel_is_used_again() {
    let text = "chan kept;
        proctype A() { chan a = [1] of {byte}; kept = a; a!1 }
        proctype B() { chan b = [1] of {byte}; b!7; false }
        init { byte x; run A(); _nr_pr == 1; run B(); kept?x }";
    let (model, diagnostics) = spinor_model::compile("m.pml", text, &[], &NoIncludes);
    assert!(!has_errors(&diagnostics), "{diagnostics:#?}");
    assert!(walk(&model) > 5);
}

/// Breadth-first over single steps, so that states inside of atomic sequences are seen too.
fn walk(model: &Model) -> usize {
    let checker = Checker { model, ranges: Ranges::new(model) };
    let mut interpreter = Interpreter::new(model);
    let Ok(first) = interpreter.initial() else { return 0 };
    let mut seen = HashSet::from([(first.clone(), None)]);
    let mut waiting = VecDeque::from([(first, None)]);
    let mut out = Expansion::default();
    while let Some((vector, holder)) = waiting.pop_front() {
        checker.check(&interpreter, &interpreter.state(&vector));
        interpreter.steps(&vector, holder, &mut out);
        for successor in &out.successors {
            let next = (out.vector(successor).to_vec(), successor.holder);
            if seen.len() < MOST_STATES && seen.insert(next.clone()) {
                waiting.push_back(next);
            }
        }
    }
    seen.len()
}

struct Checker<'m> {
    model: &'m Model,
    ranges: Ranges,
}

impl Checker<'_> {
    fn check(&self, interpreter: &Interpreter<'_>, state: &State) {
        let layout = interpreter.layout();
        self.part(state, layout.hidden, &self.ranges.globals);
        self.part(state, 0, &self.ranges.hidden);
        for pid in 0..state.process_count() {
            let proctype = state.proctype(layout, pid);
            self.part(state, state.locals(layout, pid), &self.ranges.locals[usize::from(proctype.0)]);
        }
        let sites = self.sites(interpreter, state);
        self.channels(state, layout.hidden, Base::Global, ProctypeId(0), &sites);
        for pid in 0..state.process_count() {
            self.channels(state, state.locals(layout, pid), Base::Local, state.proctype(layout, pid), &sites);
        }
        for (channel, &site) in sites.iter().enumerate() {
            self.messages(interpreter, state, channel, site);
        }
    }

    fn part(&self, state: &State, base: usize, leaves: &[Leaf]) {
        for leaf in leaves {
            for &offset in &leaf.offsets {
                let value = state.get(base + offset as usize, &leaf.ty);
                let within = leaf.values.contains(value) && leaf.range.contains(value);
                assert!(within, "{}: {} = {value} is not in {:?}", self.model.name, leaf.name, leaf.values);
            }
        }
    }

    /// The site of each channel: they lie in the order of the processes that created them.
    fn sites(&self, interpreter: &Interpreter<'_>, state: &State) -> Vec<usize> {
        let mut sites = self.created(None, &self.model.globals_init);
        for pid in 0..state.process_count() {
            let id = state.proctype(interpreter.layout(), pid);
            sites.extend(self.created(Some(id), &self.model.proctype(id).locals_init));
        }
        assert_eq!(sites.len(), state.channel_count(), "{}", self.model.name);
        sites
    }

    fn created(&self, owner: Option<ProctypeId>, initials: &[Initial]) -> Vec<usize> {
        let site = |initial: &Initial| {
            let Initial::Channel(access, _) = initial else { return None };
            let (leaf, _) = self.ranges.element(access.base, owner.unwrap_or(ProctypeId(0)), access.offset);
            self.ranges.sites.iter().position(|site: &Site| site.owner == owner && site.leaf == leaf)
        };
        initials.iter().filter_map(site).collect()
    }

    /// Variables hold channels of the sites that were found for them.
    fn channels(&self, state: &State, at: usize, base: Base, id: ProctypeId, sites: &[usize]) {
        for leaf in self.ranges.part(base, id).iter().filter(|leaf| leaf.ty == Scalar::Chan) {
            for &offset in &leaf.offsets {
                let value = state.get(at + offset as usize, &leaf.ty) as usize;
                let set = self.operand(base, id, offset, leaf);
                let site = value.checked_sub(1).and_then(|index| sites.get(index));
                let known = site.map_or(value > 0 || set.none, |&site| set.contains(site));
                assert!(known, "{}: {} holds {value}, not in {set:?}", self.model.name, leaf.name);
            }
        }
    }

    fn operand(&self, base: Base, id: ProctypeId, offset: u32, leaf: &Leaf) -> ChannelSet {
        let name = leaf.name.as_str().into();
        let access = Access { base, offset, indexes: Vec::new(), ty: Scalar::Chan, variable: 0, name };
        self.ranges.channels(id, &access)
    }

    fn messages(&self, interpreter: &Interpreter<'_>, state: &State, channel: usize, site: usize) {
        let layout = interpreter.layout();
        let site = &self.ranges.sites[site];
        for slot in 0..state.channel_length(layout, channel) {
            for (index, field) in site.fields.iter().enumerate() {
                let value = state.message_field(layout, channel, slot, index);
                let (name, values) = (&site.name, &field.values);
                assert!(values.contains(value), "{}: {name} carries {value}, not in {values:?}", self.model.name);
            }
        }
    }
}
