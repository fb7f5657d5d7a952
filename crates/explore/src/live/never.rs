//! A never claim as an automaton: its locations are the states, its conditions the propositions.
//!
//! A claim moves with every step of the system, and only looks. So what can be done at a location is known from
//! the propositions of one state, `else`, atomic sequences and d_steps included. What is evaluated on the way is, too:
//! where a sequence is blocked, what stands behind it is not asked for.

use super::claim::{Claim, ClaimEdge, ClaimKind, Question, observe};
use spinor_exec::MAX_PROPOSITIONS;
use spinor_ltl::{Cube, Label, Strength};
use spinor_model::model::{Action, DStep, Edge};
use spinor_model::{Expr, LocationId, Model, Proctype, Statement, StatementId};

/// Labels with more cubes are refused.
const MAX_CUBES: usize = 1000;

/// Steps of an atomic sequence of a claim after which it is refused: it may never end.
const MAX_ATOMIC: usize = 100;

/// The claim, or why it cannot be checked.
pub(super) fn claim(model: &Model, never: &Proctype) -> Result<Claim, String> {
    let mut builder = Builder { model, never, atoms: Vec::new(), questions: Vec::new(), steps: 0 };
    let (mut states, mut questions) = (Vec::new(), Vec::new());
    for location in 0..never.locations.len() {
        states.push(builder.edges(LocationId(location as u16))?);
        questions.push(std::mem::take(&mut builder.questions));
    }
    observe(&builder.atoms)?;
    if never.location(never.start).is_end {
        // It ends before it began.
        let start = usize::from(never.start.0);
        states[start] = vec![ClaimEdge { label: Label::always(), marks: 0, target: None }];
        questions[start].clear();
    }
    Ok(Claim {
        name: never.name.clone(),
        kind: ClaimKind::Never,
        atoms: builder.atoms,
        marks: 1,
        initial: u32::from(never.start.0),
        states,
        questions,
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
    /// What is evaluated at the location that is looked at.
    questions: Vec<Question>,
    /// Steps inside of sequences, from there on.
    steps: usize,
}

/// A way through an atomic sequence.
struct Way {
    cubes: Vec<Cube>,
    target: Option<LocationId>,
    goes_on: bool,
}

/// When a statement can be executed.
enum Guard {
    When(Vec<Cube>),
    /// When nothing beside it can.
    Else,
}

impl Builder<'_> {
    /// What can be done at a location. A process at an `accept` label accepts, so all edges have the mark.
    fn edges(&mut self, location: LocationId) -> Result<Vec<ClaimEdge>, String> {
        let marks = u64::from(self.never.location(location).is_accept);
        let mut edges = Vec::new();
        self.steps = 0;
        let mut open = self.ways(location, &[Cube::default()])?;
        open.reverse();
        while let Some(way) = open.pop() {
            let Some(target) = way.target.filter(|_| way.goes_on) else {
                let is_end = way.target.is_none_or(|target| self.never.location(target).is_end);
                let target = way.target.filter(|_| !is_end).map(|target| u32::from(target.0));
                edges.push(ClaimEdge { label: Label::new(way.cubes), marks, target });
                continue;
            };
            self.count_step()?;
            // Where it is blocked, the claim is: it does not wait inside.
            open.extend(self.ways(target, &way.cubes)?.into_iter().rev());
        }
        Ok(edges)
    }

    fn count_step(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.steps > MAX_ATOMIC { Err("it has an atomic sequence that may never end".into()) } else { Ok(()) }
    }

    /// The edges of a location, where some propositions are known to hold.
    fn ways(&mut self, location: LocationId, known: &[Cube]) -> Result<Vec<Way>, String> {
        let never = self.never;
        let edges = &never.location(location).edges;
        let mut ways: Vec<Way> = Vec::new();
        let mut guards = Vec::new();
        for edge in edges {
            if edge.escape.is_some() {
                return Err(self.refusal(never.statement(edge.statement), "unless in a claim"));
            }
            guards.push(self.guard(edge.statement, known)?);
        }
        let when = |guard: &Guard| match guard {
            Guard::When(cubes) => cubes.clone(),
            Guard::Else => Vec::new(),
        };
        let others: Vec<Cube> = guards.iter().flat_map(when).collect();
        for (edge, guard) in edges.iter().zip(guards) {
            let condition = match guard {
                Guard::When(cubes) => cubes,
                Guard::Else => negation(&others)?,
            };
            let cubes = conjunction(known, &condition)?;
            match &never.statement(edge.statement).action {
                Action::DStep(d_step) => ways.extend(self.d_step(d_step, edge, cubes)?),
                action @ (Action::Condition(_)
                | Action::Else
                | Action::Assign(..)
                | Action::Send(_)
                | Action::Receive(_)
                | Action::Input(_)
                | Action::Assert(_)
                | Action::Print(..)
                | Action::PrintMtype(..)
                | Action::SetPriority(..)
                | Action::Goto
                | Action::End) => {
                    ways.extend(self.failure(action, &cubes)?);
                    ways.push(Way { cubes, target: edge.target, goes_on: edge.atomic });
                }
            }
        }
        ways.retain(|way| !way.cubes.is_empty());
        Ok(ways)
    }

    /// The ways through a `d_step`: in each of its states the first statement that can be executed is.
    fn d_step(&mut self, d_step: &DStep, edge: &Edge, known: Vec<Cube>) -> Result<Vec<Way>, String> {
        let never = self.never;
        let mut ways = Vec::new();
        let mut open = vec![(0, known)];
        while let Some((node, mut rest)) = open.pop() {
            self.count_step()?;
            let mut edges = d_step.nodes[node as usize].edges.clone();
            edges.sort_by_key(|(id, _)| never.statement(*id).action == Action::Else);
            for (id, target) in edges {
                let cubes = match self.guard(id, &rest)? {
                    Guard::When(cubes) => {
                        let taken = conjunction(&rest, &cubes)?;
                        rest = conjunction(&rest, &negation(&cubes)?)?;
                        taken
                    }
                    Guard::Else => std::mem::take(&mut rest),
                };
                ways.extend(self.failure(&never.statement(id).action, &cubes)?);
                match target {
                    _ if cubes.is_empty() => {}
                    Some(target) => open.push((target, cubes)),
                    None => ways.push(Way { cubes, target: edge.target, goes_on: edge.atomic }),
                }
            }
            if node != 0 && !rest.is_empty() {
                return Err(self.refusal(never.statement(edge.statement), "a d_step that may be blocked inside"));
            }
        }
        Ok(ways)
    }

    /// When a statement can be executed, where some propositions are known to hold. All that it evaluates is asked for.
    fn guard(&mut self, statement: StatementId, known: &[Cube]) -> Result<Guard, String> {
        let never = self.never;
        let statement = never.statement(statement);
        let always = || Guard::When(vec![Cube::default()]);
        Ok(match &statement.action {
            Action::Condition(value) => Guard::When(self.ask(value, known)?),
            Action::Assert(_) | Action::Goto => always(),
            Action::Print(_, values) => {
                for value in values {
                    self.look_at(value, known)?;
                }
                always()
            }
            Action::PrintMtype(value, _) => {
                self.look_at(value, known)?;
                always()
            }
            Action::Else => Guard::Else,
            // Arriving at the end is the violation.
            Action::End => Guard::When(Vec::new()),
            Action::DStep(d_step) => {
                let (mut all, mut rest) = (Vec::new(), known.to_vec());
                for &(id, _) in &d_step.nodes[0].edges {
                    match self.guard(id, &rest)? {
                        Guard::When(cubes) => {
                            rest = conjunction(&rest, &negation(&cubes)?)?;
                            all.extend(cubes);
                        }
                        Guard::Else => return Ok(always()),
                    }
                }
                Guard::When(all)
            }
            Action::Assign(..) | Action::Send(_) | Action::Receive(_) | Action::Input(_) | Action::SetPriority(..) => {
                return Err(self.refusal(statement, "a claim only looks, but this statement has an effect"));
            }
        })
    }

    /// An assertion that does not hold ends the claim.
    fn failure(&mut self, action: &Action, known: &[Cube]) -> Result<Option<Way>, String> {
        match action {
            Action::Assert(value) => {
                let fails = negation(&self.ask(value, known)?)?;
                Ok(Some(Way { cubes: conjunction(known, &fails)?, target: None, goes_on: false }))
            }
            Action::Condition(_) | Action::Else | Action::Goto | Action::Print(..) | Action::PrintMtype(..) => Ok(None),
            Action::Assign(..) | Action::Send(_) | Action::Receive(_) | Action::Input(_) => Ok(None),
            Action::SetPriority(..) | Action::DStep(_) | Action::End => Ok(None),
        }
    }

    fn refusal(&self, statement: &Statement, what: &str) -> String {
        let line = self.model.sources.line(statement.place.at);
        format!("{what} (line {line}: {})", statement.text)
    }

    /// When an expression is not zero. It is evaluated where some propositions are known to hold.
    fn ask(&mut self, value: &Expr, known: &[Cube]) -> Result<Vec<Cube>, String> {
        // All others are propositions, whatever they are.
        if let Some(value) = value.constant() {
            return Ok(if value == 0 { Vec::new() } else { vec![Cube::default()] });
        }
        let known_atom = self.atoms.iter().position(|atom| atom == value);
        let number = known_atom.unwrap_or_else(|| {
            self.atoms.push(value.clone());
            self.atoms.len() - 1
        });
        if number >= MAX_PROPOSITIONS {
            return Err(format!("it speaks of more than {MAX_PROPOSITIONS} propositions"));
        }
        self.questions.push(Question { when: Label::new(known.to_vec()), atoms: 1 << number });
        Ok(vec![Cube { positive: 1 << number, negative: 0 }])
    }

    /// An expression whose value does not matter, unless it is at fault.
    fn look_at(&mut self, value: &Expr, known: &[Cube]) -> Result<(), String> {
        if value.can_fail() { self.ask(value, known).map(|_| ()) } else { Ok(()) }
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
