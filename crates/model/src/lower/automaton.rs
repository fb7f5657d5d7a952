//! From the control-flow graph to locations and edges.

use super::flow::{ATOM, D_ATOM, El, Element, Flow, Kind, LAST_ATOM, Seq};
use super::labels::Placement;
use crate::model::{DStep, DStepNode, Edge, Location, LocationId, Role, StatementId};
use spinor_syntax::{Diagnostic, Place};
use std::collections::HashMap;

/// Longer chains of jumps than this are loops without a statement.
const MAX_HOPS: usize = 10_000;

/// The automaton of a body.
pub(super) struct Automaton {
    pub(super) start: LocationId,
    pub(super) locations: Vec<Location>,
    /// The location of each element that is one.
    pub(super) location_of: HashMap<El, LocationId>,
    /// The elements at the head of a selection or block, which are merged with it.
    pub(super) heads: Vec<El>,
    /// The insides of the `d_step`s, by their statement.
    pub(super) d_steps: Vec<(StatementId, DStep)>,
}

/// Derives the automaton of the sequence `body`.
pub(super) fn build(flow: &mut Flow, body: Seq, role: Role) -> Result<Automaton, Diagnostic> {
    let mut builder = Builder { flow, role, transitions: HashMap::new(), done: Vec::new() };
    builder.done = vec![false; builder.flow.elements.len()];
    builder.tie_ends();
    let first = builder.flow.sequences[body].first.expect("a body is never empty");
    builder.emit(body)?;
    let status = builder.flow.elements[first].status;
    let start = builder.hunt(first, status)?;
    builder.finish(start)
}

/// What an element does as a control state.
#[derive(Clone, Debug)]
pub(super) enum Transition {
    /// Executes a statement and goes on at an element.
    Basic { statement: StatementId, target: Option<El>, atomic: bool, escapes: Vec<El> },
    /// Stands for the statements at the head of these elements.
    Choice(Vec<El>),
}

impl Transition {
    fn heads(&self) -> &[El] {
        match self {
            Transition::Choice(heads) => heads,
            Transition::Basic { .. } => &[],
        }
    }
}

struct Builder<'f> {
    flow: &'f mut Flow,
    role: Role,
    transitions: HashMap<El, Transition>,
    done: Vec<bool>,
}

impl Builder<'_> {
    fn element(&self, el: El) -> &Element {
        &self.flow.elements[el]
    }

    /// Ties the end of each inner sequence to what follows it, outer ones first.
    fn tie_ends(&mut self) {
        for el in (0..self.flow.elements.len()).rev() {
            if let Kind::Atomic(seq) | Kind::Block(seq) | Kind::DStep(_, seq) = self.element(el).kind {
                let next = self.element(el).next;
                let last = self.flow.sequences[seq].last.expect("a sequence is never empty");
                self.flow.elements[last].next = next;
            }
        }
    }

    /// Visits a sequence in SPIN's order, which matters because atomic sequences are closed on
    /// the way.
    fn emit(&mut self, seq: Seq) -> Result<(), Diagnostic> {
        let mut next = self.flow.sequences[seq].first;
        while let Some(el) = next {
            if !std::mem::replace(&mut self.done[el], true) {
                self.emit_element(el)?;
            }
            if Some(el) == self.flow.sequences[seq].last {
                break;
            }
            next = self.element(el).next;
        }
        Ok(())
    }

    fn emit_element(&mut self, el: El) -> Result<(), Diagnostic> {
        match self.element(el).kind.clone() {
            Kind::Unless(main, _) => self.emit(main),
            Kind::If(options) | Kind::Do(options) => {
                let heads = self.heads(&options)?;
                self.transitions.insert(el, Transition::Choice(heads));
                options.into_iter().try_for_each(|option| self.emit(option))
            }
            Kind::Atomic(seq) | Kind::Block(seq) => {
                let head = self.enter(seq)?;
                self.transitions.insert(el, Transition::Choice(vec![head]));
                self.emit(seq)
            }
            Kind::DStep(statement, seq) => {
                self.enter(seq)?;
                self.emit_basic(el, statement)
            }
            kind => self.emit_basic(el, kind.statement().expect("all others are statements")),
        }
    }

    /// The statements at which the options begin, without those that can never be executed.
    fn heads(&self, options: &[Seq]) -> Result<Vec<El>, Diagnostic> {
        options.iter().filter_map(|&option| self.flow.sequences[option].first).map(|el| self.hunt_start(el)).collect()
    }

    /// Settles where an inner sequence is atomic, and returns where it begins.
    fn enter(&mut self, seq: Seq) -> Result<El, Diagnostic> {
        self.patch_atomic(seq)?;
        let first = self.flow.sequences[seq].first.expect("a sequence is never empty");
        self.hunt_start(first)
    }

    fn emit_basic(&mut self, el: El, statement: StatementId) -> Result<(), Diagnostic> {
        let Element { status, next, ref kind, .. } = *self.element(el);
        let goes_to = match kind {
            Kind::Goto(_, jump) => Some(self.flow.destination(jump)?),
            Kind::End(_) => None,
            _ => next,
        };
        let target = goes_to.map(|el| self.hunt(el, status)).transpose()?;
        if let (Kind::Goto(..), Some(target)) = (kind, target) {
            self.check_d_step_jump(el, target)?;
        }
        let mut escapes = Vec::new();
        let escape_sequences =
            if matches!(kind, Kind::Join(_)) { Vec::new() } else { self.element(el).escapes.clone() };
        for &escape in &escape_sequences {
            let first = self.flow.sequences[escape].first.expect("a sequence is never empty");
            escapes.push(self.hunt(first, status)?);
        }
        let atomic = status & ATOM != 0;
        self.transitions.insert(el, Transition::Basic { statement, target, atomic, escapes });
        escape_sequences.into_iter().try_for_each(|escape| self.emit(escape))
    }

    fn check_d_step_jump(&self, from: El, to: El) -> Result<(), Diagnostic> {
        let (from, to) = (self.element(from), self.element(to));
        if to.d_step.is_some() && to.d_step != from.d_step {
            return Err(Diagnostic::error(from.place, "this jumps into a d_step"));
        }
        Ok(())
    }

    /// A jump out of an atomic sequence ends it; one from its end into another goes on with it.
    fn patch_atomic(&mut self, seq: Seq) -> Result<(), Diagnostic> {
        let mut next = self.flow.sequences[seq].first;
        while let Some(el) = next {
            match self.element(el).kind.clone() {
                Kind::Goto(_, jump) => {
                    let to = self.flow.destination(&jump)?;
                    let inside = self.element(to).status & (ATOM | LAST_ATOM) != 0;
                    let status = &mut self.flow.elements[el].status;
                    if *status & (ATOM | LAST_ATOM) != 0 && !inside {
                        *status = *status & !ATOM | LAST_ATOM;
                    }
                    if *status & LAST_ATOM != 0 && inside {
                        *status = *status & !LAST_ATOM | ATOM;
                    }
                }
                Kind::If(options) | Kind::Do(options) => {
                    options.into_iter().try_for_each(|option| self.patch_atomic(option))?;
                }
                Kind::Unless(main, escape) => {
                    self.patch_atomic(main)?;
                    self.patch_atomic(escape)?;
                }
                _ => {}
            }
            if Some(el) == self.flow.sequences[seq].extent {
                break;
            }
            next = self.element(el).next;
        }
        Ok(())
    }

    /// The first element of a sequence that is a control state.
    fn hunt_start(&self, first: El) -> Result<El, Diagnostic> {
        let mut el = first;
        for _ in 0..MAX_HOPS {
            el = match (&self.element(el).kind, self.element(el).next) {
                (Kind::Join(_), Some(next)) => next,
                (&Kind::Unless(main, _), _) => self.flow.sequences[main].first.expect("a sequence is never empty"),
                _ => return Ok(el),
            };
        }
        Err(self.endless(first))
    }

    /// The control state that is reached at `from`: jumps and joins are not states, unless they
    /// end an atomic sequence that the previous statement, with `status`, was in.
    fn hunt(&self, from: El, status: u8) -> Result<El, Diagnostic> {
        let mut el = from;
        for _ in 0..MAX_HOPS {
            let next = match &self.element(el).kind {
                Kind::Goto(_, jump) => self.flow.destination(jump)?,
                Kind::Join(_) | Kind::Exit(_) => match self.element(el).next {
                    Some(next) => next,
                    None => return Ok(el),
                },
                &Kind::Unless(main, _) => {
                    let first = self.flow.sequences[main].first.expect("a sequence is never empty");
                    self.hunt(first, status)?
                }
                _ => return Ok(el),
            };
            if status & ATOM != 0 && self.element(next).status & ATOM == 0 {
                return Ok(el);
            }
            el = next;
        }
        Err(self.endless(from))
    }

    fn endless(&self, el: El) -> Diagnostic {
        let place: Place = self.element(el).place;
        Diagnostic::error(place, "this loop of jumps executes no statement")
    }

    /// The basic elements that a control state stands for, in order.
    fn flatten(&self, el: El, depth: usize, out: &mut Vec<El>) -> Result<(), Diagnostic> {
        match self.transitions.get(&el) {
            Some(Transition::Basic { .. }) => out.push(el),
            Some(Transition::Choice(heads)) => {
                if depth > MAX_HOPS / 10 {
                    return Err(self.endless(el));
                }
                heads.iter().try_for_each(|&head| self.flatten(head, depth + 1, out))?;
            }
            None => {}
        }
        Ok(())
    }

    fn finish(self, start: El) -> Result<Automaton, Diagnostic> {
        let mut order = vec![start];
        let mut location_of = HashMap::from([(start, LocationId(0))]);
        let mut locations = Vec::new();
        let mut index = 0;
        while let Some(&el) = order.get(index) {
            let mut edges = Vec::new();
            for edge in self.edges(el)? {
                let target = edge.target.map(|target| {
                    *location_of.entry(target).or_insert_with(|| {
                        order.push(target);
                        LocationId((order.len() - 1) as u16)
                    })
                });
                edges.push(Edge { statement: edge.statement, target, atomic: edge.atomic, escape: edge.escape });
            }
            locations.push(self.location(el, edges));
            index += 1;
        }
        if locations.len() > usize::from(u16::MAX) {
            return Err(Diagnostic::error(self.element(start).place, "this proctype has more than 65,535 locations"));
        }
        self.mark(&location_of, &mut locations);
        let d_steps = self.d_steps()?;
        let heads = self.transitions.values().flat_map(Transition::heads).copied().collect();
        Ok(Automaton { start: LocationId(0), locations, location_of, heads, d_steps })
    }

    fn location(&self, el: El, edges: Vec<Edge>) -> Location {
        let element = self.element(el);
        Location {
            number: element.number,
            is_end: matches!(element.kind, Kind::End(_)),
            is_progress: false,
            is_accept: false,
            labels: self.flow.labels_of(el).map(|label| label.name.clone()).collect(),
            edges,
            place: element.place,
        }
    }

    /// Gives each location what labels mean there.
    fn mark(&self, location_of: &HashMap<El, LocationId>, locations: &mut [Location]) {
        let placement =
            Placement { flow: self.flow, transitions: &self.transitions, locations: location_of, role: self.role };
        let marks = placement.marks();
        for (&el, id) in location_of {
            let location = &mut locations[usize::from(id.0)];
            location.is_end |= marks[el].end;
            location.is_progress = marks[el].progress;
            location.is_accept = marks[el].accept;
        }
    }

    /// The edges of a control state, with escapes in front.
    fn edges(&self, el: El) -> Result<Vec<RawEdge>, Diagnostic> {
        let mut basics = Vec::new();
        self.flatten(el, 0, &mut basics)?;
        let mut edges: Vec<RawEdge> = basics.iter().map(|&basic| self.raw_edge(basic, None)).collect();
        for &basic in &basics {
            let Transition::Basic { escapes, .. } = &self.transitions[&basic] else { continue };
            // The list is in the order of attachment, outermost first. SPIN puts each in front of
            // the list, innermost first, so that the outermost comes to be tried first, and the
            // options of one escape are tried last to first.
            for &escape in escapes.iter().rev() {
                let number = self.element(escape).number;
                for edge in self.escape_edges(escape, number < self.element(el).number)? {
                    let edge = RawEdge { escape: Some(number), ..edge };
                    if !edges.iter().any(|known| known.statement == edge.statement) {
                        edges.insert(0, edge);
                    }
                }
            }
        }
        Ok(edges)
    }

    /// The edges at the head of an escape. Its own escapes belong to them if SPIN came by it
    /// before: it completes control states in the order of their numbers.
    fn escape_edges(&self, escape: El, complete: bool) -> Result<Vec<RawEdge>, Diagnostic> {
        if complete {
            return self.edges(escape);
        }
        let mut guards = Vec::new();
        self.flatten(escape, 0, &mut guards)?;
        Ok(guards.into_iter().map(|guard| self.raw_edge(guard, None)).collect())
    }

    fn raw_edge(&self, el: El, escape: Option<u32>) -> RawEdge {
        match &self.transitions[&el] {
            &Transition::Basic { statement, target, atomic, .. } => RawEdge { statement, target, atomic, escape },
            Transition::Choice(_) => unreachable!("flattened"),
        }
    }

    fn d_steps(&self) -> Result<Vec<(StatementId, DStep)>, Diagnostic> {
        let mut d_steps = Vec::new();
        for element in &self.flow.elements {
            if let Kind::DStep(statement, seq) = element.kind {
                d_steps.push((statement, self.d_step(seq)?));
            }
        }
        Ok(d_steps)
    }

    /// The inside of a `d_step`: jumps and joins are passed without a step.
    fn d_step(&self, seq: Seq) -> Result<DStep, Diagnostic> {
        let first = self.flow.sequences[seq].first.expect("a sequence is never empty");
        let entry = self.hunt(first, 0)?;
        let inside = self.element(first).d_step;
        let mut order = vec![entry];
        let mut nodes = Vec::new();
        while let Some(&el) = order.get(nodes.len()) {
            let mut basics = Vec::new();
            self.flatten_d_step(el, 0, &mut basics)?;
            let mut edges = Vec::new();
            for basic in basics {
                let Some(statement) = self.element(basic).kind.statement() else { continue };
                let next = match &self.element(basic).kind {
                    Kind::Goto(_, jump) => Some(self.flow.destination(jump)?),
                    _ => self.element(basic).next,
                };
                let target = next.map(|next| self.hunt(next, 0)).transpose()?;
                let target = target.filter(|&target| {
                    self.element(target).d_step == inside && self.element(target).status & D_ATOM != 0
                });
                let node = target.map(|target| position_or_push(&mut order, target));
                edges.push((statement, node));
            }
            nodes.push(DStepNode { edges });
        }
        Ok(DStep { nodes, is_else: self.is_else(entry) })
    }

    /// Whether a `d_step` that begins at an element begins with the `else` of the selection around it.
    fn is_else(&self, mut el: El) -> bool {
        while let &Kind::Block(seq) | &Kind::Atomic(seq) = &self.element(el).kind {
            el = self.flow.sequences[seq].first.expect("a sequence is never empty");
        }
        matches!(self.element(el).kind, Kind::Else(_))
    }

    fn flatten_d_step(&self, el: El, depth: usize, out: &mut Vec<El>) -> Result<(), Diagnostic> {
        if depth > MAX_HOPS / 10 {
            return Err(self.endless(el));
        }
        match &self.element(el).kind {
            Kind::If(options) | Kind::Do(options) => {
                for head in self.heads(options)? {
                    self.flatten_d_step(head, depth + 1, out)?;
                }
                Ok(())
            }
            &Kind::Block(seq) | &Kind::Atomic(seq) | &Kind::Unless(seq, _) => {
                let first = self.flow.sequences[seq].first.expect("a sequence is never empty");
                self.flatten_d_step(self.hunt_start(first)?, depth + 1, out)
            }
            _ => {
                out.push(el);
                Ok(())
            }
        }
    }
}

/// An edge whose target is still an element.
struct RawEdge {
    statement: StatementId,
    target: Option<El>,
    atomic: bool,
    escape: Option<u32>,
}

fn position_or_push(order: &mut Vec<El>, el: El) -> u32 {
    let index = order.iter().position(|&known| known == el).unwrap_or_else(|| {
        order.push(el);
        order.len() - 1
    });
    index as u32
}
