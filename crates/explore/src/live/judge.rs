//! From a claim to an answer.

use super::choices::{Choices, PROVISO};
use super::claim::{Claim, ClaimKind, Wanted};
use super::cndfs::{Colours, cndfs};
use super::couvreur::couvreur;
use super::levels::Levels;
use super::ndfs::ndfs;
use super::product::{Fairness, Parts, Product};
use super::space::{Evidence, Evil, Searched, Space};
use crate::control::Control;
use crate::expand::{Expander, Reduction};
use crate::observe::{Observer, Quiet};
use crate::plan::{Plan, StoreKind};
use crate::reduce::{Method, Preserve, Tables, sound};
use crate::report::{Lasso, LassoStep, Statistics, StopReason, Verdict, Violation, ViolationKind};
use crate::stores::Open;
use spinor_exec::{Move, Semantics, Shapes, Successors};
use spinor_model::Model;
use spinor_store::{CollapseStore, ExactStore, Numbered, TreeStore};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How accepting cycles are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CycleSearch {
    /// By components, in one depth-first search.
    Components,
    /// By nested depth-first search.
    Nested,
}

impl CycleSearch {
    /// Its name in options and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CycleSearch::Components => "scc",
            CycleSearch::Nested => "ndfs",
        }
    }

    /// The acceptance that it can work with.
    #[must_use]
    pub fn wanted(self) -> Wanted {
        match self {
            CycleSearch::Components => Wanted::Generalised,
            CycleSearch::Nested => Wanted::Buchi,
        }
    }
}

/// What came of a search for an execution that a claim accepts.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// An execution that violates the property.
    pub violation: Option<Violation>,
    /// Why the search ended early, if it did.
    pub stopped: Option<StopReason>,
    /// What was counted: pairs of states of system and claim.
    pub statistics: Statistics,
    /// Where states of the system were kept.
    pub store: StoreKind,
    /// When steps could wait, in words, if any could.
    pub proviso: Option<&'static str>,
    /// How many threads searched.
    pub threads: usize,
}

impl Judgement {
    /// The answer.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match (&self.violation, self.stopped) {
            (Some(_), _) => Verdict::Violated,
            (None, Some(_)) => Verdict::Undecided,
            (None, None) => Verdict::Holds,
        }
    }
}

/// How a claim is checked.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// How cycles are looked for.
    pub search: CycleSearch,
    /// Whether executions must be weakly fair.
    pub fair: bool,
    /// What is proposed to be left out.
    pub reduce: Option<Reduce>,
}

/// What is left out: sound if [`resolve_claim`](crate::reduce::resolve_claim) says so.
#[derive(Clone, Copy, Debug)]
pub struct Reduce {
    /// Who proposes sets of processes.
    pub selector: Method,
    /// Whether sets are looked for only as long as enough is left out.
    pub is_thrifty: bool,
}

/// Looks for an execution that a claim accepts. The engine must leave out nothing.
///
/// # Errors
/// Why nothing was searched.
pub fn judge<S: Semantics>(
    (engine, shapes): (S, Arc<Shapes<'_>>),
    claim: &Claim,
    Manner { search, fair, reduce }: Manner,
    plan: &Plan,
    observer: &mut dyn Observer,
) -> Result<Judgement, String> {
    if fair && reduce.is_some() {
        return Err("it is not known what is left of fairness where steps are left out".into());
    }
    if claim.passes_labels(shapes.model()) && !shapes.has_labels() {
        return Err(
            "states of these shapes do not tell which labels were passed: they must be those of the claim".into()
        );
    }
    let fairness = if fair { Some(fairness(shapes.model(), claim)?) } else { None };
    let task = Task { claim, search, fairness, reduce, plan };
    match plan.store {
        StoreKind::Exact => task.run_where_it_fits(engine, shapes, observer),
        StoreKind::Tree => task.run::<S, TreeStore>(engine, shapes, observer),
        StoreKind::Collapse => task.run::<S, CollapseStore>(engine, shapes, observer),
        StoreKind::HashCompact | StoreKind::Bitstate | StoreKind::Cache => {
            Err(format!("--store {} may lose states that a cycle needs", plan.store.name()))
        }
    }
}

/// How many processes fairness has to watch: as many as begin, or as many as there is room for.
fn fairness(model: &Model, claim: &Claim) -> Result<Fairness, String> {
    let room = 64_usize.saturating_sub(claim.marks);
    let runs = model.proctypes.iter().any(|it| it.statements.iter().any(|statement| statement.runs));
    let processes = if runs { room } else { model.active.len() };
    if processes > room || processes == 0 {
        return Err(format!("fairness can watch {room} processes, and there are {processes}"));
    }
    Ok(Fairness { processes: processes as u32 })
}

/// What all threads of a search share.
struct Crew<'a, 'm, T> {
    shapes: Arc<Shapes<'m>>,
    store: &'a T,
    choices: Option<&'a Choices>,
    control: &'a Control<'a>,
    first: &'a Successors,
}

impl<'a, 'm, T: Numbered> Crew<'a, 'm, T> {
    /// The product as one thread sees it.
    fn product<'o, S: Semantics>(
        &self,
        task: &Task<'o>,
        engine: Expander<'m, S>,
        thread: usize,
        observer: &'o mut dyn Observer,
    ) -> Option<Product<'o, 'm, S, T>>
    where
        'a: 'o,
    {
        let Crew { store, choices, control, first, .. } = *self;
        let (claim, fairness) = (task.claim, task.fairness);
        let parts = Parts { engine, shapes: self.shapes.clone(), claim, fairness, store, choices, thread };
        Product::new(parts, first, control, observer)
    }
}

#[derive(Clone, Copy)]
struct Task<'a> {
    claim: &'a Claim,
    search: CycleSearch,
    fairness: Option<Fairness>,
    reduce: Option<Reduce>,
    plan: &'a Plan,
}

impl Task<'_> {
    /// What is left out.
    fn reduction<'m>(&self, shapes: &Arc<Shapes<'m>>) -> Option<Reduction<'m>> {
        let Reduce { selector, is_thrifty } = self.reduce?;
        let preserve = Preserve::Ltl(self.claim.objects(shapes.model()));
        let parts = sound::Parts { selector: Some(selector), is_thrifty, ..sound::Parts::default() };
        Some(Reduction { parts, tables: Arc::new(Tables::new(shapes.clone(), preserve)), kinds: false })
    }

    /// In whole vectors, and if these do not fit, anew in a tree: what is known of pairs goes by the numbers of states.
    fn run_where_it_fits<S: Semantics>(
        &self,
        engine: S,
        shapes: Arc<Shapes<'_>>,
        observer: &mut dyn Observer,
    ) -> Result<Judgement, String> {
        let begun = Instant::now();
        let found = self.run::<S, ExactStore>(engine.fork(), shapes.clone(), observer)?;
        if found.violation.is_some() || found.stopped != Some(StopReason::Memory) {
            return Ok(found);
        }
        observer.note("the states do not fit into --max-memory: the search for cycles begins anew with --store tree");
        let max_time = self.plan.max_time.map(|limit| limit.saturating_sub(begun.elapsed()));
        let plan = &Plan { max_time, ..self.plan.clone() };
        Task { plan, ..*self }.run::<S, TreeStore>(engine, shapes, observer)
    }

    /// How many threads search: one by components, or if states have numbers for one thread only.
    fn threads<T: Numbered>(&self) -> usize {
        if self.search == CycleSearch::Nested && T::DENSE { self.plan.threads } else { 1 }
    }

    fn run<S: Semantics, T: Open + Numbered>(
        &self,
        mut engine: S,
        shapes: Arc<Shapes<'_>>,
        observer: &mut dyn Observer,
    ) -> Result<Judgement, String> {
        let plan = Plan { threads: self.threads::<T>(), ..self.plan.clone() };
        let control = Control::new(&plan, Instant::now());
        let mut first = Successors::default();
        engine.initial(&mut first).map_err(|fault| format!("{fault}, in an initial value"))?;
        let Some(store) = T::open(&plan) else { return Ok(without_room(T::KIND)) };
        let choices = self.reduce.map(|_| Choices::default());
        let engine = Expander::new(engine, self.reduction(&shapes));
        let crew = Crew { shapes, store: &store, choices: choices.as_ref(), control: &control, first: &first };
        let others: Vec<_> = (1..plan.threads).map(|_| engine.fork()).collect();
        let Some(mut product) = crew.product(self, engine, 0, observer) else { return Ok(without_room(T::KIND)) };
        let searched = match plan.threads {
            1 => self.search_in(&mut product),
            _ => self.search_together(&mut product, others, &crew),
        };
        let time = control.elapsed();
        let found = searched.evidence.map(|evidence| self.violation(&mut product, &evidence)).transpose()?;
        let memory = store.memory();
        let statistics = Statistics {
            stored: searched.stored,
            matched: searched.matched,
            depth: searched.depth,
            vectors_bytes: product.vector_bytes(),
            states_bytes: memory,
            total_bytes: control.peak().max(memory + product.memory() + searched.memory),
            fill: store.fill(),
            time,
            code: Duration::ZERO,
        };
        let ends_there = !plan.keep_going || plan.threads > 1;
        let stopped = if found.is_some() && ends_there { Some(StopReason::Violation) } else { control.stopped() };
        let proviso = choices.map(|_| PROVISO);
        Ok(Judgement { violation: found, stopped, statistics, store: T::KIND, proviso, threads: plan.threads })
    }

    /// Whether nodes accept as they are, without levels.
    fn is_plain(&self) -> bool {
        self.claim.is_buchi && self.fairness.is_none()
    }

    fn search_in<S: Semantics, T: Numbered>(&self, product: &mut Product<'_, '_, S, T>) -> Searched {
        match self.search {
            CycleSearch::Components => couvreur(product),
            CycleSearch::Nested if self.is_plain() => ndfs(product, !self.claim.is_uniform()),
            CycleSearch::Nested => {
                let mut levels = Levels::new(product);
                let searched = ndfs(&mut levels, true);
                let evidence = searched.evidence.map(|it| levels.evidence_below(it));
                Searched { evidence, ..searched }
            }
        }
    }

    /// Several threads search, this one among them.
    fn search_together<S: Semantics, T: Numbered>(
        &self,
        product: &mut Product<'_, '_, S, T>,
        others: Vec<Expander<'_, S>>,
        crew: &Crew<'_, '_, T>,
    ) -> Searched {
        let colours = Colours::default();
        let mut all = thread::scope(|scope| {
            let begin = |(number, engine)| {
                let colours = &colours;
                scope.spawn(move || match crew.product(self, engine, number + 1, &mut Quiet) {
                    Some(mut product) => self.take_part(&mut product, colours, number + 1),
                    None => {
                        crew.control.halt(StopReason::Memory);
                        Searched::default()
                    }
                })
            };
            let others: Vec<_> = others.into_iter().enumerate().map(begin).collect();
            let own = self.take_part(product, &colours, 0);
            others.into_iter().fold(own, |all, other| all.join(other.join().expect("no panic in a search")))
        });
        all.memory += colours.memory();
        let evidence = colours.into_evidence();
        let is_plain = self.is_plain();
        all.evidence = evidence.map(|it| if is_plain { it } else { Levels::new(product).evidence_below(it) });
        all
    }

    fn take_part<P: Space>(&self, space: &mut P, colours: &Colours, number: usize) -> Searched {
        if self.is_plain() { cndfs(space, colours, number) } else { cndfs(&mut Levels::new(space), colours, number) }
    }

    /// The violation that the search found, as moves.
    fn violation<S: Semantics, T: Numbered>(
        &self,
        product: &mut Product<'_, '_, S, T>,
        evidence: &Evidence,
    ) -> Result<Violation, String> {
        let lost = "internal error: a step of the counterexample was not found again";
        let (mut made, mut claims) = (Vec::new(), Vec::new());
        let mut node = product.first();
        for &edge in evidence.stem.iter().chain(&evidence.cycle) {
            let (moves, claim) = product.step(node, edge).ok_or(lost)?;
            made.push(moves);
            claims.push(claim);
            node = edge.to;
        }
        // If states stand for others, the execution may go round several times before it repeats itself.
        let made = product.unrolled(made, evidence.stem.len()).ok_or(lost)?;
        let around = claims.len() - evidence.stem.len();
        let again = |at: usize| if at < claims.len() { at } else { at - (at - evidence.stem.len()) / around * around };
        let step = |(at, moves): (usize, &Vec<Move>)| LassoStep { moves: moves.len(), claim: claims[again(at)] };
        let mut steps: Vec<LassoStep> = made.iter().enumerate().map(step).collect();
        let moves = made.concat();
        if evidence.evil == Evil::End {
            steps.extend(product.last_step(node).map(|claim| LassoStep { moves: 0, claim }));
        }
        let cycle = (evidence.evil == Evil::Cycle).then_some(evidence.stem.len());
        let (kind, message) = self.message(&evidence.evil);
        Ok(Violation { kind, message, moves, lasso: Some(Lasso { steps, cycle }) })
    }

    fn message(&self, evil: &Evil) -> (ViolationKind, String) {
        let name = &self.claim.name;
        match (evil, self.claim.kind) {
            (Evil::Fault(fault), _) => (ViolationKind::Fault, format!("{fault}, in a proposition of {name}")),
            (Evil::End, ClaimKind::Ltl) => {
                (ViolationKind::ClaimEnd, format!("an execution violates {name}, whatever comes after"))
            }
            (Evil::End, _) => (ViolationKind::ClaimEnd, format!("an execution matches {name} to its end")),
            (Evil::Cycle, ClaimKind::Ltl) => {
                (ViolationKind::AcceptanceCycle, format!("an infinite execution violates {name}"))
            }
            (Evil::Cycle, ClaimKind::Never) => {
                (ViolationKind::AcceptanceCycle, format!("an infinite execution is accepted by {name}"))
            }
            (Evil::Cycle, ClaimKind::Progress) => {
                (ViolationKind::NonProgressCycle, "an infinite execution makes no progress from some point on".into())
            }
            (Evil::Cycle, ClaimKind::Acceptance) => {
                (ViolationKind::AcceptanceCycle, "an infinite execution passes accept labels again and again".into())
            }
        }
    }
}

fn without_room(store: StoreKind) -> Judgement {
    let statistics = Statistics::default();
    Judgement { violation: None, stopped: Some(StopReason::Memory), statistics, store, proviso: None, threads: 1 }
}
