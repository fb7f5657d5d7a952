//! What labels mean to the checker, and where that stands.
//!
//! A label belongs to the element that it is written in front of. An element at the head of an
//! option, or at the head of a block there, is merged with the selection around it: no process
//! stands there. SPIN gives what such a label means to the location behind the guard. Its order of
//! work (choices within choices first, then guards, both by number) decides how far that goes, so
//! it is followed here step by step.

use super::Lowerer;
use super::automaton::Transition;
use super::flow::{ATOM, El, Element, Flow, Idle, Kind, LAST_ATOM, Label, Seq};
use crate::model::{LocationId, Role};
use spinor_syntax::Diagnostic;
use std::collections::{BTreeMap, HashMap};

/// What the labels of an element mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) end: bool,
    pub(super) progress: bool,
    pub(super) accept: bool,
}

impl Marks {
    fn of(flow: &Flow, el: El) -> Marks {
        let any = |prefix: &str| flow.labels_of(el).any(|label| label.name.starts_with(prefix));
        Marks { end: any("end"), progress: any("progress"), accept: any("accept") }
    }

    fn add(&mut self, other: Marks) {
        self.end |= other.end;
        self.progress |= other.progress;
        self.accept |= other.accept;
    }
}

/// Spreads the labels of a graph.
pub(super) struct Placement<'a> {
    pub(super) flow: &'a Flow,
    pub(super) transitions: &'a HashMap<El, Transition>,
    /// Where a process can stand.
    pub(super) locations: &'a HashMap<El, LocationId>,
    pub(super) role: Role,
}

impl Placement<'_> {
    /// What is marked where, for all elements.
    pub(super) fn marks(&self) -> Vec<Marks> {
        let own: Vec<Marks> = (0..self.flow.elements.len()).map(|el| Marks::of(self.flow, el)).collect();
        let mut inherited = vec![Marks::default(); own.len()];
        let mut choices = self.choices();
        while self.flatten(&mut choices, &own, &mut inherited) {}
        for &head in choices.values().flatten() {
            match self.transitions.get(&head) {
                Some(Transition::Basic { target: Some(target), .. }) => {
                    let passed = self.passed_on(head, &own, &inherited);
                    inherited[*target].add(passed);
                }
                Some(Transition::Basic { target: None, .. } | Transition::Choice(_)) | None => {}
            }
        }
        // A join that was marked so, as it is where an atomic sequence ends in it, lets its target be an end.
        for (el, element) in self.flow.elements.iter().enumerate() {
            match self.transitions.get(&el) {
                Some(Transition::Basic { target: Some(target), .. }) if matches!(element.kind, Kind::Join(_)) => {
                    inherited[*target].end |= inherited[el].end;
                }
                Some(Transition::Basic { .. } | Transition::Choice(_)) | None => {}
            }
        }
        inherited.iter_mut().zip(own).for_each(|(all, own)| all.add(own));
        inherited
    }

    /// Selections and blocks by their numbers, with the elements that can begin them.
    fn choices(&self) -> BTreeMap<El, Vec<El>> {
        let mut choices = BTreeMap::new();
        for (&el, transition) in self.transitions {
            match transition {
                Transition::Choice(heads) => {
                    let is_selection = matches!(self.flow.elements[el].kind, Kind::If(_) | Kind::Do(_));
                    let alive = |head: &El| !is_selection || !is_dead(&self.flow.elements[*head]);
                    choices.insert(el, heads.iter().copied().filter(alive).collect::<Vec<El>>());
                }
                Transition::Basic { .. } => {}
            }
        }
        choices.retain(|_, heads| !heads.is_empty());
        choices
    }

    /// Replaces choices at the head of choices by their own heads, which inherit their marks.
    fn flatten(&self, choices: &mut BTreeMap<El, Vec<El>>, own: &[Marks], inherited: &mut [Marks]) -> bool {
        let numbers: Vec<El> = choices.keys().copied().collect();
        let mut changed = false;
        for el in numbers {
            let mut flat = Vec::new();
            for &head in &choices[&el] {
                let Some(inner) = choices.get(&head) else {
                    flat.push(head);
                    continue;
                };
                let passed = self.passed_on(head, own, inherited);
                inner.iter().for_each(|&inner| inherited[inner].add(passed));
                flat.extend(inner);
                changed = true;
            }
            choices.insert(el, flat);
        }
        changed
    }

    /// What goes on from an element to the location behind it.
    ///
    /// An `end` label of a place where a process can stand says that it may rest there, and nothing
    /// of the places behind: SPIN, which marks these too, misses deadlocks.
    fn passed_on(&self, el: El, own: &[Marks], inherited: &[Marks]) -> Marks {
        let stays = match self.role {
            Role::Process | Role::Init | Role::Trace => self.locations.contains_key(&el),
            Role::Never | Role::NoTrace => false,
        };
        let mut passed = Marks { end: own[el].end && !stays, ..own[el] };
        passed.add(inherited[el]);
        passed
    }
}

/// SPIN leaves out the options that begin with the number 0, unless there is an escape.
fn is_dead(element: &Element) -> bool {
    element.idle == Idle::Blocked && element.escapes.is_empty()
}

/// What begins with a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    Atomic,
    DStep,
    Block,
    Inline,
    /// What stands in front of `unless`, without braces.
    Main,
    /// What stands behind it, without braces.
    Escape,
}

impl Opening {
    /// How it is called, and what to write instead.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Opening::Atomic => ("an atomic sequence", "write it in front of 'atomic'"),
            Opening::DStep => ("a d_step", "write it in front of 'd_step'"),
            Opening::Block => ("a block", "write it in front of the brace"),
            Opening::Inline => ("an inline", "begin the inline with skip, or label the call"),
            Opening::Main => ("the statement before 'unless'", "write 'label: { statement unless escape }'"),
            Opening::Escape => ("an escape", "nothing stands at the guard of an escape"),
        }
    }
}

impl Lowerer<'_> {
    /// The first statement of a sequence is no place of its own: like SPIN, no label is taken there.
    pub(super) fn refuse_first_label(&mut self, seq: Seq, opening: Opening) {
        let flow = self.flow();
        let Some(first) = flow.sequences[seq].first else { return };
        let Some(label) = flow.labels_of(first).next().cloned() else { return };
        let (what, instead) = opening.words();
        let message = format!("label '{}' cannot stand at the beginning of {what}", label.name);
        self.report(Diagnostic::error(label.place, message).hint(instead));
    }

    /// Labels that do not stand where they seem to.
    pub(super) fn warn_labels(&mut self, index: usize, heads: &[El], locations: &HashMap<El, LocationId>) {
        let flow = &self.lowered[index].flow;
        let misplaced = |label: &Label| {
            let name = &label.name;
            let warning = |text: String| Some(Diagnostic::warning(label.place, text));
            if flow.elements[label.element].d_step.is_some() {
                let message = format!("label '{name}' has no effect: it is inside a d_step");
                return if label.is_special() { warning(message) } else { None };
            }
            if !heads.contains(&label.element) {
                let is_inside = locations.contains_key(&label.element)
                    && flow.elements[label.element].status & (ATOM | LAST_ATOM) != 0;
                let message = match () {
                    () if !is_inside => return None,
                    () if name.starts_with("accept") => {
                        "it counts whenever it is passed, which SPIN does not always see"
                    }
                    () if name.starts_with("progress") => {
                        "as in SPIN, it counts only where the sequence is interrupted"
                    }
                    () => return None,
                };
                return warning(format!("label '{name}' is inside of an atomic sequence: {message}"));
            }
            let message = match (locations.contains_key(&label.element), label.is_special()) {
                (true, true) => "a process that begins it does not stand there",
                (false, true) => "no process stands there; as in SPIN it marks what is behind the guard",
                (_, false) => "a process that begins it does not stand there",
            };
            let diagnostic = warning(format!("label '{name}' is at the head of an option or block: {message}"));
            diagnostic.map(|it| it.hint("write it in front of the selection or block"))
        };
        let warnings: Vec<Diagnostic> = flow.labels.iter().filter_map(misplaced).collect();
        warnings.into_iter().for_each(|it| self.report(it));
    }
}
