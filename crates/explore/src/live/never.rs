//! A never claim as an automaton: its locations are the states, its conditions the propositions.
//!
//! A claim moves with every step of the system, and only looks. So what can be done at a location is known from
//! the propositions of one state, `else` and atomic sequences included.

use super::claim::{Claim, ClaimEdge, ClaimKind, observe};
use spinor_ltl::{Cube, Label, Strength};
use spinor_model::model::{Action, Edge};
use spinor_model::{Expr, LocationId, Model, Proctype};

/// Labels with more cubes are refused.
const MAX_CUBES: usize = 1000;

/// Steps of an atomic sequence of a claim after which it is refused: it may never end.
const MAX_ATOMIC: usize = 100;

/// The claim, or why it cannot be checked.
pub(super) fn claim(model: &Model, never: &Proctype) -> Result<Claim, String> {
    let mut builder = Builder { model, never, atoms: Vec::new() };
    let mut states = Vec::new();
    for location in 0..never.locations.len() {
        states.push(builder.edges(LocationId(location as u16))?);
    }
    observe(&builder.atoms)?;
    if never.location(never.start).is_end {
        // It ends before it began.
        let start = usize::from(never.start.0);
        states[start] = vec![ClaimEdge { label: Label::always(), marks: 0, target: None }];
    }
    Ok(Claim {
        name: never.name.clone(),
        kind: ClaimKind::Never,
        atoms: builder.atoms,
        marks: 1,
        initial: u32::from(never.start.0),
        states,
        strength: Strength::General,
        labels: true,
        stutters: true,
        formula: None,
        is_buchi: true,
    })
}

struct Builder<'a> {
    model: &'a Model,
    never: &'a Proctype,
    atoms: Vec<Expr>,
}

/// A way through an atomic sequence.
struct Way {
    cubes: Vec<Cube>,
    target: Option<LocationId>,
    goes_on: bool,
}

impl Builder<'_> {
    /// What can be done at a location. A process at an `accept` label accepts, so all edges have the mark.
    fn edges(&mut self, location: LocationId) -> Result<Vec<ClaimEdge>, String> {
        let marks = u64::from(self.never.location(location).is_accept);
        let mut edges = Vec::new();
        let mut open = self.ways(location, &[Cube::default()])?;
        open.reverse();
        let mut steps = 0;
        while let Some(way) = open.pop() {
            let Some(target) = way.target.filter(|_| way.goes_on) else {
                let is_end = way.target.is_none_or(|target| self.never.location(target).is_end);
                let target = way.target.filter(|_| !is_end).map(|target| u32::from(target.0));
                edges.push(ClaimEdge { label: Label::new(way.cubes), marks, target });
                continue;
            };
            steps += 1;
            if steps > MAX_ATOMIC {
                return Err("it has an atomic sequence that may never end".into());
            }
            // Where it is blocked, the claim is: it does not wait inside.
            open.extend(self.ways(target, &way.cubes)?.into_iter().rev());
        }
        Ok(edges)
    }

    /// The edges of a location, where some propositions are known to hold.
    fn ways(&mut self, location: LocationId, known: &[Cube]) -> Result<Vec<Way>, String> {
        let never = self.never;
        let mut ways: Vec<Way> = Vec::new();
        let mut others: Vec<Cube> = Vec::new();
        for edge in &never.location(location).edges {
            if !matches!(self.action(edge), Action::Else) {
                others.extend(self.condition(edge)?);
            }
        }
        for edge in &never.location(location).edges {
            let condition = match self.action(edge) {
                Action::Else => negation(&others)?,
                _ => self.condition(edge)?,
            };
            let cubes = conjunction(known, &condition)?;
            if let Action::Assert(value) = self.action(edge) {
                let fails = negation(&self.truth(&value.clone()))?;
                let fails = conjunction(&cubes, &fails)?;
                ways.push(Way { cubes: fails, target: None, goes_on: false });
            }
            ways.push(Way { cubes, target: edge.target, goes_on: edge.atomic });
        }
        ways.retain(|way| !way.cubes.is_empty());
        Ok(ways)
    }

    fn action(&self, edge: &Edge) -> &Action {
        &self.never.statement(edge.statement).action
    }

    /// When an edge can be taken.
    fn condition(&mut self, edge: &Edge) -> Result<Vec<Cube>, String> {
        let statement = self.never.statement(edge.statement);
        if edge.escape.is_some() {
            return Err(self.refusal(edge, "unless in a claim"));
        }
        match &statement.action {
            Action::Condition(value) => Ok(self.truth(&value.clone())),
            Action::Assert(_) | Action::Goto | Action::Print(..) | Action::PrintMtype(..) => Ok(vec![Cube::default()]),
            // Arriving at the end is the violation.
            Action::End => Ok(Vec::new()),
            _ => Err(self.refusal(edge, "a claim only looks, but this statement has an effect")),
        }
    }

    fn refusal(&self, edge: &Edge, what: &str) -> String {
        let statement = self.never.statement(edge.statement);
        let line = self.model.sources.line(statement.place.at);
        format!("{what} (line {line}: {})", statement.text)
    }

    fn truth(&mut self, value: &Expr) -> Vec<Cube> {
        if let Expr::Constant(value) = value {
            return if *value == 0 { Vec::new() } else { vec![Cube::default()] };
        }
        let known = self.atoms.iter().position(|atom| atom == value);
        let number = known.unwrap_or_else(|| {
            self.atoms.push(value.clone());
            self.atoms.len() - 1
        });
        // Too many are refused when all are known.
        vec![Cube { positive: 1_u64.checked_shl(number as u32).unwrap_or(0), negative: 0 }]
    }
}

/// What is in both of two disjunctions.
fn conjunction(a: &[Cube], b: &[Cube]) -> Result<Vec<Cube>, String> {
    let both = |a: &Cube, b: &Cube| Cube { positive: a.positive | b.positive, negative: a.negative | b.negative };
    let all: Vec<Cube> = a.iter().flat_map(|a| b.iter().map(move |b| both(a, b))).collect();
    let label = Label::new(all);
    if label.cubes().len() > MAX_CUBES {
        return Err("its conditions are too large".into());
    }
    Ok(label.cubes().to_vec())
}

/// What is in none of the cubes.
fn negation(cubes: &[Cube]) -> Result<Vec<Cube>, String> {
    cubes.iter().try_fold(vec![Cube::default()], |all, cube| {
        let literal = |(atom, holds): (spinor_ltl::Atom, bool)| {
            let bit = 1 << atom.0;
            if holds { Cube { positive: 0, negative: bit } } else { Cube { positive: bit, negative: 0 } }
        };
        let outside: Vec<Cube> = cube.literals().map(literal).collect();
        conjunction(&all, &outside)
    })
}
