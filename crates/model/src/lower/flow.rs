//! The control-flow graph of a body, element by element.
//!
//! The graph has the shape that SPIN gives it, joins and all, because that shape decides what is a
//! step, what is atomic, and how statements are numbered in trails. `automaton` derives locations
//! and edges from it.

use crate::model::StatementId;
use spinor_syntax::{Diagnostic, Place};
use std::sync::Arc;

/// An element by its place in [`Flow::elements`].
pub(super) type El = usize;

/// A sequence by its place in [`Flow::sequences`].
pub(super) type Seq = usize;

/// A loop that `break` can leave, by its place in [`Flow::exits`].
pub(super) type Loop = usize;

/// What an element is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A statement that is executed.
    Step(StatementId),
    /// `else`.
    Else(StatementId),
    /// A jump.
    Goto(StatementId, Jump),
    /// Where the options of a selection meet again.
    Join(StatementId),
    /// Where a loop is left.
    Exit(StatementId),
    /// A choice among sequences.
    If(Vec<Seq>),
    /// A repeated choice.
    Do(Vec<Seq>),
    /// The main sequence and the escape, which is also attached to the elements of the main one.
    Unless(Seq, Seq),
    /// An atomic sequence.
    Atomic(Seq),
    /// A sequence as one step.
    DStep(StatementId, Seq),
    /// A plain block.
    Block(Seq),
    /// The end of the body.
    End(StatementId),
}

impl Kind {
    /// The statement of an element that is not a selection or a block.
    pub(super) fn statement(&self) -> Option<StatementId> {
        match *self {
            Kind::Step(statement)
            | Kind::Else(statement)
            | Kind::Goto(statement, _)
            | Kind::Join(statement)
            | Kind::Exit(statement)
            | Kind::DStep(statement, _)
            | Kind::End(statement) => Some(statement),
            Kind::If(_) | Kind::Do(_) | Kind::Unless(..) | Kind::Atomic(_) | Kind::Block(_) => None,
        }
    }
}

/// Where a jump leads.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Jump {
    /// To a label.
    Label { name: Arc<str>, scope: Vec<u32>, place: Place },
    /// Out of a loop.
    Break(Loop),
}

/// Inside an atomic sequence, and not the last of it.
pub(super) const ATOM: u8 = 1;
/// The last of an atomic sequence.
pub(super) const LAST_ATOM: u8 = 2;
/// Inside a `d_step`.
pub(super) const D_ATOM: u8 = 4;

/// A node of the graph.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) kind: Kind,
    pub(super) next: Option<El>,
    /// The escapes that can be taken here, the one attached last first.
    pub(super) escapes: Vec<Seq>,
    pub(super) status: u8,
    /// SPIN's number within the proctype.
    pub(super) number: u32,
    pub(super) place: Place,
    /// What SPIN sees of the statement without evaluating anything.
    pub(super) idle: Idle,
    /// Which `d_step` it is in.
    pub(super) d_step: Option<u32>,
}

/// Whether a statement does nothing to the state, by its spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Idle {
    No,
    Skip,
    Print,
    /// The number 0, which is never executed.
    Blocked,
}

/// A list of elements.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sequence {
    pub(super) first: Option<El>,
    pub(super) last: Option<El>,
    /// The last one before joins were appended.
    pub(super) extent: Option<El>,
}

/// A label.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) name: Arc<str>,
    pub(super) scope: Vec<u32>,
    /// Which inline it came from.
    pub(super) inline: u32,
    pub(super) element: El,
    pub(super) place: Place,
}

impl Label {
    /// Labels that mean something to the checker.
    pub(super) fn is_special(&self) -> bool {
        ["accept", "end", "progress"].iter().any(|prefix| self.name.starts_with(prefix))
    }
}

/// The graph of one body.
#[derive(Debug, Default)]
pub(super) struct Flow {
    pub(super) elements: Vec<Element>,
    pub(super) sequences: Vec<Sequence>,
    pub(super) labels: Vec<Label>,
    /// The exit of each loop.
    pub(super) exits: Vec<Option<El>>,
    open: Vec<Seq>,
    d_steps: u32,
    pub(super) d_step: Option<u32>,
}

impl Flow {
    pub(super) fn open(&mut self) -> Seq {
        self.sequences.push(Sequence::default());
        let seq = self.sequences.len() - 1;
        self.open.push(seq);
        seq
    }

    pub(super) fn close(&mut self) -> Seq {
        let seq = self.open.pop().expect("a sequence is open");
        self.sequences[seq].extent = self.sequences[seq].last;
        seq
    }

    pub(super) fn current(&self) -> Seq {
        *self.open.last().expect("a sequence is open")
    }

    pub(super) fn new_loop(&mut self) -> Loop {
        self.exits.push(None);
        self.exits.len() - 1
    }

    pub(super) fn enter_d_step(&mut self) {
        self.d_steps += 1;
        self.d_step = Some(self.d_steps);
    }

    pub(super) fn new_element(&mut self, kind: Kind, place: Place) -> El {
        self.elements.push(Element {
            kind,
            next: None,
            escapes: Vec::new(),
            status: 0,
            number: self.elements.len() as u32 + 1,
            place,
            idle: Idle::No,
            d_step: self.d_step,
        });
        self.elements.len() - 1
    }

    /// Appends an element to a sequence.
    pub(super) fn append(&mut self, element: El, seq: Seq) {
        match self.sequences[seq].last {
            Some(last) => self.elements[last].next = Some(element),
            None => self.sequences[seq].first = Some(element),
        }
        self.sequences[seq].last = Some(element);
    }

    pub(super) fn labels_of(&self, element: El) -> impl Iterator<Item = &Label> {
        self.labels.iter().filter(move |label| label.element == element)
    }

    /// The elements from the first of a sequence to where the list ends.
    pub(super) fn chain(&self, seq: Seq) -> Vec<El> {
        let mut elements = Vec::new();
        let mut next = self.sequences[seq].first;
        while let Some(element) = next {
            elements.push(element);
            next = self.elements[element].next;
        }
        elements
    }

    /// Removes repeated skips from an option, as SPIN does.
    pub(super) fn prune_skips(&mut self, seq: Seq) {
        let ends = self.sequences[seq];
        let mut count = 0;
        let mut previous = None;
        for element in self.chain(seq) {
            let idle = self.elements[element].idle;
            if matches!(idle, Idle::No | Idle::Blocked) || self.labels_of(element).next().is_some() {
                count = 0;
            } else {
                count += 1;
                let keep = [ends.first, ends.last, ends.extent].contains(&Some(element));
                if let (true, Idle::Skip, false, Some(previous)) = (count > 1, idle, keep, previous) {
                    let previous: El = previous;
                    self.elements[previous].next = self.elements[element].next;
                    continue;
                }
            }
            previous = Some(element);
        }
    }

    /// Makes the escape reachable from each element of the main sequence.
    pub(super) fn attach_escape(&mut self, main: Seq, escape: Seq) {
        let extent = self.sequences[main].extent;
        let mut next = self.sequences[main].first;
        while let Some(element) = next {
            self.escape_from(element, escape);
            if Some(element) == extent {
                break;
            }
            next = self.elements[element].next;
        }
    }

    fn escape_from(&mut self, element: El, escape: Seq) {
        if self.elements[element].escapes.contains(&escape) {
            return;
        }
        for inner in self.elements[element].escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.elements[element].escapes.insert(0, escape);
        match self.elements[element].kind.clone() {
            Kind::Unless(seq, _) | Kind::Atomic(seq) | Kind::Block(seq) => self.attach_escape(seq, escape),
            Kind::If(options) | Kind::Do(options) => {
                options.into_iter().for_each(|option| self.attach_escape(option, escape));
            }
            // Only the guard of a d_step can be escaped from.
            Kind::DStep(_, seq) => {
                if let Some(first) = self.sequences[seq].first {
                    self.escape_from(first, escape);
                }
            }
            _ => {}
        }
    }

    /// Marks the elements of an atomic sequence or, with `D_ATOM`, of a `d_step`.
    pub(super) fn make_atomic(&mut self, seq: Seq, added: u8) {
        self.walk_atomic(seq, added);
        let Some(last) = self.sequences[seq].last else { return };
        match self.elements[last].kind {
            Kind::Block(inner) | Kind::Atomic(inner) | Kind::Unless(inner, _) => self.make_atomic(inner, added),
            _ => {
                self.elements[last].status &= !ATOM;
                self.elements[last].status |= LAST_ATOM;
            }
        }
    }

    fn walk_atomic(&mut self, seq: Seq, added: u8) {
        let Sequence { first, last, .. } = self.sequences[seq];
        let mut next = first;
        while let Some(element) = next {
            self.elements[element].status |= ATOM | added;
            match self.elements[element].kind.clone() {
                // An atomic sequence within another is a block.
                Kind::Atomic(inner) => {
                    self.elements[element].kind = Kind::Block(inner);
                    self.walk_atomic(inner, added);
                }
                Kind::DStep(_, inner) if added != 0 => {
                    self.elements[element].kind = Kind::Block(inner);
                    self.walk_atomic(inner, added);
                }
                Kind::Block(inner) => self.walk_atomic(inner, added),
                Kind::If(options) | Kind::Do(options) => {
                    options.into_iter().for_each(|option| self.walk_atomic(option, added));
                }
                Kind::Unless(main, escape) => {
                    self.walk_atomic(main, added);
                    self.walk_atomic(escape, added);
                }
                _ => {}
            }
            if Some(element) == last {
                break;
            }
            next = self.elements[element].next;
        }
    }

    /// The element that a jump leads to.
    ///
    /// Of several labels with one name, SPIN prefers the one of the same block, then one of a
    /// block around it, then any.
    pub(super) fn destination(&self, jump: &Jump) -> Result<El, Diagnostic> {
        match jump {
            Jump::Break(exit) => Ok(self.exits[*exit].expect("the loop was built")),
            Jump::Label { name, scope, place } => {
                let named = || self.labels.iter().filter(|label| label.name == *name);
                let label = named()
                    .find(|label| label.scope == *scope)
                    .or_else(|| named().find(|label| scope.starts_with(&label.scope)))
                    .or_else(|| named().next_back());
                label.map(|label| label.element).ok_or_else(|| self.unknown_label(name, *place))
            }
        }
    }

    fn unknown_label(&self, name: &str, place: Place) -> Diagnostic {
        let diagnostic = Diagnostic::error(place, format!("there is no label '{name}' in this proctype"));
        match super::scope::nearest(name, self.labels.iter().map(|label| &*label.name)) {
            Some(near) => diagnostic.hint(format!("did you mean '{near}'?")),
            None => diagnostic,
        }
    }
}
