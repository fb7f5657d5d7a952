//! What a search runs beside the system: a Büchi automaton whose edges ask for propositions of the model.

use super::never;
use crate::reduce::About;
use spinor_exec::{Letter, MAX_PROPOSITIONS, Packing, Shapes, Simplify, is_observable};
use spinor_ltl::{Acceptance, Atom, Automaton, Formula, Label, Limits, Node, Strength, Stutter, translate};
use spinor_model::access::{Accesses, Object};
use spinor_model::model::{Location, LtlBlock, Role};
use spinor_model::temporal::TemporalOp;
use spinor_model::{Expr, LocationId, Model, Proctype, ProctypeId, Temporal};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Where a claim comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// The negation of a formula.
    Ltl,
    /// A `never` claim.
    Never,
    /// Executions without progress.
    Progress,
    /// The `accept` labels of proctypes.
    Acceptance,
}

impl ClaimKind {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ClaimKind::Ltl => "ltl",
            ClaimKind::Never => "never claim",
            ClaimKind::Progress => "progress",
            ClaimKind::Acceptance => "acceptance",
        }
    }
}

/// A step of a claim, taken with the state that it reads.
#[derive(Clone, Debug)]
pub struct ClaimEdge {
    /// When it can be taken.
    pub label: Label,
    /// Its marks, as bits.
    pub marks: u64,
    /// Where it leads; nowhere is the end of the claim, which is a violation.
    pub target: Option<u32>,
}

/// What is evaluated in a state of a claim, in the order of the text.
#[derive(Clone, Debug)]
pub struct Question {
    /// When it is asked for.
    pub when: Label,
    /// The propositions, as bits.
    pub atoms: u64,
}

/// An automaton that accepts the executions that must not be.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name.
    pub name: Arc<str>,
    /// Where it comes from.
    pub kind: ClaimKind,
    /// The propositions that labels speak of.
    pub atoms: Vec<Expr>,
    /// How many marks there are.
    pub marks: usize,
    /// Where it begins.
    pub initial: u32,
    /// The edges out of each state.
    pub states: Vec<Vec<ClaimEdge>>,
    /// For each state of a claim that is written as statements, what these evaluate. An automaton evaluates what its
    /// labels depend on.
    pub questions: Vec<Vec<Question>>,
    /// What it takes to see that a run accepts.
    pub strength: Strength,
    /// A process at an `accept` label gives the first mark, too.
    pub labels: bool,
    /// A system that cannot move repeats its state. Without progress it must move.
    pub stutters: bool,
    /// The formula that it is the negation of.
    pub formula: Option<Formula>,
    /// Whether acceptance is that of states, with one mark.
    pub is_buchi: bool,
}

/// Which acceptance a search can work with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// One mark on states.
    Buchi,
    /// Several marks on edges.
    Generalised,
}

impl Claim {
    /// What a formula forbids.
    ///
    /// # Errors
    /// Why it cannot be checked.
    pub fn of_formula(block: &LtlBlock, wanted: Wanted) -> Result<Claim, String> {
        observe(&block.atoms)?;
        let formula = formula(&block.temporal);
        let automaton = translate(&formula.not(), Limits::default()).map_err(|error| error.to_string())?;
        let claim = Claim::of_automaton(ClaimKind::Ltl, &block.name, block.atoms.clone(), &adapt(automaton, wanted)?);
        Ok(Claim { formula: Some(formula), ..claim })
    }

    /// A never claim, with its own states.
    ///
    /// # Errors
    /// Why it cannot be checked.
    pub fn of_never(model: &Model, claim: &Proctype) -> Result<Claim, String> {
        never::claim(model, claim)
    }

    /// The executions that are without progress from some point on.
    #[must_use]
    pub fn of_progress(wanted: Wanted) -> Claim {
        let eventually = Node::Always(Formula::atom(0)).into();
        let formula: Formula = Node::Eventually(eventually).into();
        let automaton = translate(&formula, Limits::default()).map_err(|error| error.to_string());
        let automaton = automaton.and_then(|it| adapt(it, wanted)).expect("a small formula");
        let atoms = vec![Expr::NonProgress];
        let claim = Claim::of_automaton(ClaimKind::Progress, "progress", atoms, &automaton);
        Claim { formula: Some(formula.not()), stutters: false, ..claim }
    }

    /// The executions that pass `accept` labels of proctypes again and again.
    #[must_use]
    pub fn of_labels() -> Claim {
        Claim {
            name: "acceptance".into(),
            kind: ClaimKind::Acceptance,
            atoms: Vec::new(),
            marks: 1,
            initial: 0,
            states: vec![vec![ClaimEdge { label: Label::always(), marks: 0, target: Some(0) }]],
            questions: Vec::new(),
            strength: Strength::General,
            labels: true,
            stutters: true,
            formula: None,
            is_buchi: true,
        }
    }

    /// A claim that is given as an automaton over some expressions. Where it accepts whatever comes it is at its
    /// end: for a terminal automaton, the search is one for a finite path (Bloem, Ravi, Somenzi 1999).
    #[must_use]
    pub fn of_automaton(kind: ClaimKind, name: &str, atoms: Vec<Expr>, automaton: &Automaton) -> Claim {
        let is_final = automaton.final_states();
        let edge = |it: &spinor_ltl::Edge| ClaimEdge {
            label: it.label.clone(),
            marks: it.marks,
            target: Some(it.target).filter(|&target| !is_final[target as usize]),
        };
        let mut states: Vec<Vec<ClaimEdge>> =
            automaton.states.iter().map(|edges| edges.iter().map(edge).collect()).collect();
        if is_final[automaton.initial as usize] {
            states[automaton.initial as usize] = vec![ClaimEdge { label: Label::always(), marks: 0, target: None }];
        }
        Claim {
            name: name.into(),
            kind,
            atoms,
            marks: automaton.marks,
            initial: automaton.initial,
            states,
            questions: Vec::new(),
            strength: automaton.strength(),
            labels: false,
            stutters: true,
            formula: None,
            is_buchi: automaton.marks == 1 && automaton.is_state_based(),
        }
    }

    /// What is known of it that matters to reductions, in a model.
    #[must_use]
    pub fn about(&self, shapes: &Shapes<'_>, fair: bool) -> About {
        let is_sure = self.atoms.iter().all(|atom| shapes.ranges().is_sure(shapes.model(), atom));
        let stutter = self.stutter(has_accept_labels(shapes.model()));
        About { stutter, is_sure, fair, passes_labels: self.passes_labels(shapes.model()) }
    }

    /// Whether steps can pass labels that count inside of them.
    #[must_use]
    pub fn passes_labels(&self, model: &Model) -> bool {
        self.labels && model.passed_offset.is_some()
    }

    /// The shapes of states that tell all that it asks for, with nothing left out.
    #[must_use]
    pub fn shapes<'m>(&self, model: &'m Model, packing: Packing) -> Shapes<'m> {
        let shapes = Shapes::new(model, packing, Simplify::default());
        if self.labels { shapes.with_labels() } else { shapes }
    }

    /// Whether it matters how often a state is repeated. Labels of processes accept by themselves: then it must be
    /// known of each run.
    fn stutter(&self, has_labels: bool) -> Stutter {
        if let Some(formula) = &self.formula {
            return formula.stutter(Limits::default()).unwrap_or(Stutter::Unknown);
        }
        let automaton = self.automaton();
        match self.labels && has_labels {
            false => automaton.stutter(),
            true if automaton.lingers() => Stutter::Invariant,
            true => Stutter::Unknown,
        }
    }

    /// The automaton, in which the end is a state that accepts whatever comes.
    fn automaton(&self) -> Automaton {
        let end = self.states.len() as u32;
        let edge = |it: &ClaimEdge| spinor_ltl::Edge {
            label: it.label.clone(),
            marks: it.marks,
            target: it.target.unwrap_or(end),
        };
        let last = vec![spinor_ltl::Edge { label: Label::always(), marks: self.all_marks(), target: end }];
        let states = self.states.iter().map(|edges| edges.iter().map(edge).collect()).chain([last]).collect();
        Automaton { atoms: self.atoms.len(), marks: self.marks, initial: self.initial, states }
    }

    /// The objects of the model that its propositions, and the labels that it looks at, depend on.
    #[must_use]
    pub fn objects(&self, model: &Model) -> BTreeSet<Object> {
        let mut objects = BTreeSet::new();
        for atom in &self.atoms {
            let mut reads = Accesses::of(atom).reads;
            let (mut locations, mut progress) = (false, false);
            atom.visit(&mut |part| match part {
                Expr::PcValue(_) => locations = true,
                Expr::NonProgress => progress = true,
                // These read no locations, or name those that they read.
                Expr::Constant(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) => {}
                Expr::Run(_) | Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Enabled(_) => {}
                Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::Timeout | Expr::Pid => {}
                Expr::ProcessCount | Expr::Last | Expr::OwnPriority => {}
            });
            if progress && !locations {
                reads.remove(&Object::Locations);
                reads.extend(places(model, |location| location.is_progress));
            }
            objects.extend(reads);
        }
        if self.labels && has_accept_labels(model) {
            objects.extend(places(model, |location| location.is_accept));
            objects.insert(Object::Processes);
        }
        objects
    }

    /// All its marks, as bits.
    #[must_use]
    pub fn all_marks(&self) -> u64 {
        if self.marks >= 64 { u64::MAX } else { (1 << self.marks) - 1 }
    }

    /// Whether all states that lie on a cycle with each other accept, or none does: then a cycle through an
    /// accepting state is one of accepting states. Labels of processes may accept anywhere.
    pub(crate) fn is_uniform(&self) -> bool {
        let accepts = |state: u32| self.states[state as usize].first().is_some_and(|edge| edge.marks != 0);
        let reached: Vec<Vec<bool>> = (0..self.states.len()).map(|state| self.reachable(state)).collect();
        let is_alike =
            |(a, b): (usize, usize)| !(reached[a][b] && reached[b][a]) || accepts(a as u32) == accepts(b as u32);
        let mut pairs = (0..self.states.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        !self.labels && pairs.all(is_alike)
    }

    /// The states that can be reached from one.
    fn reachable(&self, from: usize) -> Vec<bool> {
        let mut seen = vec![false; self.states.len()];
        let mut open = vec![from];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                open.extend(self.states[state].iter().filter_map(|edge| edge.target).map(|target| target as usize));
            }
        }
        seen
    }

    /// The edges out of a state that a letter allows, by their numbers.
    ///
    /// A proposition without a value counts only where its value does: if it was asked for by itself, or if the truth of a
    /// label depends on it.
    ///
    /// # Errors
    /// The propositions that were asked for and are at fault, as bits.
    pub(crate) fn steps(&self, state: u32, letter: Letter) -> Result<Box<[u32]>, u64> {
        let Letter { truth, faulty } = letter;
        for question in self.questions.get(state as usize).into_iter().flatten() {
            if faulty & question.atoms != 0 && question.when.truth(truth, faulty) != Some(false) {
                return Err(faulty & question.atoms);
            }
        }
        let mut steps = Vec::new();
        for (number, edge) in self.states[state as usize].iter().enumerate() {
            if edge.label.truth(truth, faulty).ok_or(faulty & edge.label.atoms())? {
                steps.push(number as u32);
            }
        }
        Ok(steps.into())
    }
}

/// The never claim of a model with a name.
#[must_use]
pub fn never_claims(model: &Model) -> Vec<ProctypeId> {
    let is_claim = |(_, it): &(usize, &Proctype)| it.role == Role::Never;
    model.proctypes.iter().enumerate().filter(is_claim).map(|(index, _)| ProctypeId(index as u16)).collect()
}

/// Whether a model has `accept` labels in its proctypes.
#[must_use]
pub fn has_accept_labels(model: &Model) -> bool {
    let trace = model.trace.iter().map(|trace| model.proctype(trace.proctype));
    let mut bodies = model.proctypes.iter().filter(|it| it.is_process()).chain(trace);
    bodies.any(|it| it.locations.iter().any(|location| location.is_accept))
}

/// The locations of processes of some kind.
fn places(model: &Model, is_meant: impl Fn(&Location) -> bool) -> Vec<Object> {
    let mut places = Vec::new();
    for (owner, proctype) in model.proctypes.iter().enumerate().filter(|(_, it)| it.is_process()) {
        let meant = proctype.locations.iter().enumerate().filter(|(_, location)| is_meant(location));
        places.extend(meant.map(|(at, _)| Object::Location(ProctypeId(owner as u16), LocationId(at as u16))));
    }
    places
}

fn adapt(automaton: Automaton, wanted: Wanted) -> Result<Automaton, String> {
    match wanted {
        Wanted::Buchi => automaton.to_buchi(Acceptance::State).map_err(|error| error.to_string()),
        Wanted::Generalised => Ok(automaton),
    }
}

/// Whether all propositions can be told from a state.
pub(super) fn observe(atoms: &[Expr]) -> Result<(), String> {
    if atoms.len() > MAX_PROPOSITIONS {
        return Err(format!("it speaks of more than {MAX_PROPOSITIONS} propositions"));
    }
    let refused = atoms.iter().find_map(|atom| is_observable(atom).err());
    refused.map_or(Ok(()), |what| Err(format!("it asks for {what}, which no state tells")))
}

/// The formula over numbered atoms.
fn formula(temporal: &Temporal) -> Formula {
    let two = |parts: &[Temporal; 2]| parts.each_ref().map(formula);
    Formula::from(match temporal {
        Temporal::Constant(true) => Node::True,
        Temporal::Constant(false) => Node::False,
        Temporal::Atom(number) => Node::Atom(Atom(*number as u8)),
        Temporal::Not(f) => Node::Not(formula(f)),
        Temporal::And(parts) => Node::And(two(parts).into()),
        Temporal::Or(parts) => Node::Or(two(parts).into()),
        Temporal::Unary(op, f) => unary(*op, formula(f)),
        Temporal::Binary(op, parts) => binary(*op, two(parts)),
    })
}

/// Operators with one operand. The grammar has no others here.
fn unary(op: TemporalOp, f: Formula) -> Node {
    match op {
        TemporalOp::Always => Node::Always(f),
        TemporalOp::Eventually => Node::Eventually(f),
        TemporalOp::Next => Node::Next(f),
        TemporalOp::Until
        | TemporalOp::WeakUntil
        | TemporalOp::Release
        | TemporalOp::Implies
        | TemporalOp::Equivalent => unreachable!("an operator with two operands"),
    }
}

fn binary(op: TemporalOp, [f, g]: [Formula; 2]) -> Node {
    match op {
        TemporalOp::Implies => Node::Implies(f, g),
        TemporalOp::Equivalent => Node::Equivalent(f, g),
        TemporalOp::Until => Node::Until(f, g),
        TemporalOp::WeakUntil => Node::WeakUntil(f, g),
        TemporalOp::Release => Node::Release(f, g),
        TemporalOp::Always | TemporalOp::Eventually | TemporalOp::Next => unreachable!("an operator with one operand"),
    }
}
