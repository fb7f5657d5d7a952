//! The real searches with every combination of reductions, stores and orders that is sound, beside the full
//! search; and those of the papers that are not, which must never say that something holds.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use spinor_exec::{Interpreter, Packed, Shapes};
use spinor_explore::reduce::sound::{Parts, Phases, Sleep};
use spinor_explore::reduce::{Method, Preserve, Tables};
use spinor_explore::{
    CacheConfig, Order, Plan, Proviso, Quiet, Reduction, Replacement, Report, StopReason, StoreKind, Verdict,
    ViolationKind, confirm,
};
use spinor_model::Model;

/// What a search found: what is violated, and which statements were never executed.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    deadlocks: bool,
    wrong: BTreeSet<String>,
    unreached: BTreeSet<(u16, u32)>,
}

/// How much was compared.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Compared {
    /// Searches that are sound.
    pub(crate) searches: u64,
    /// Searches of the papers that are not.
    pub(crate) research: u64,
    /// Of these, searches that lost something.
    pub(crate) lost: u64,
    /// Searches whose cache was smaller than their stack.
    pub(crate) stuck: u64,
}

impl Compared {
    pub(crate) fn add(&mut self, other: &Compared) {
        self.searches += other.searches;
        self.research += other.research;
        self.lost += other.lost;
        self.stuck += other.stuck;
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Compared { searches, research, lost, stuck } = self;
        write!(f, "{searches} sound searches, {stuck} with a cache smaller than the stack; ")?;
        write!(f, "{research} searches of papers that can lose states, {lost} did")
    }
}

/// The searches of one model.
struct Searches<'m> {
    model: &'m Model,
    shapes: Arc<Shapes<'m>>,
    full: Report,
    compared: Compared,
    /// Chooses among stores, so that all come up over many models.
    turn: u64,
}

/// Systems with fewer states are searched for every goal.
const SMALL: u64 = 40;

/// Compares all searches of a model.
pub(crate) fn compare<'m>(model: &'m Model, shapes: &Arc<Shapes<'m>>, turn: u64) -> Result<Compared, String> {
    let plan = Plan { keep_going: true, max_violations: 10_000, max_moves: usize::MAX, ..Plan::default() };
    let full = search(model, shapes, None, &plan);
    let mut all = Searches { model, shapes: shapes.clone(), full, compared: Compared::default(), turn };
    let goals = [Preserve::Deadlock, Preserve::Assertions, Preserve::Statements];
    // Large systems take one goal each, in turns.
    let is_due = |goal: usize| all.full.statistics.stored < SMALL || goal as u64 == turn % 3;
    let goals: Vec<Preserve> = goals.into_iter().enumerate().filter(|it| is_due(it.0)).map(|it| it.1).collect();
    for preserve in goals {
        let goal = Goal { tables: Arc::new(Tables::new(shapes.clone(), preserve.clone())), preserve };
        for parts in sound_parts() {
            all.depth_first(parts, &goal, &plan)?;
            if parts.sleep.is_none() && parts.phases.is_none() {
                all.breadth_first(parts, &goal, &plan)?;
            }
        }
        if goal.preserve == Preserve::Statements {
            papers().into_iter().try_for_each(|parts| all.research(parts, &goal, &plan))?;
        }
    }
    Ok(all.compared)
}

/// What is to be preserved, with the tables for it.
struct Goal<'m> {
    preserve: Preserve,
    tables: Arc<Tables<'m>>,
}

fn sound_parts() -> Vec<Parts> {
    let selectors = [None].into_iter().chain(Method::ALL.map(Some));
    let mut all = Vec::new();
    for selector in selectors {
        for sleep in [None, Some(Sleep::Stored)] {
            all.push(Parts { selector, sleep, ..Parts::default() });
        }
    }
    all.extend([Phases::Fixpoint, Phases::Once].map(|phases| Parts { phases: Some(phases), ..Parts::default() }));
    all
}

fn papers() -> Vec<Parts> {
    let sleeping = |selector, sleep| Parts { selector, sleep: Some(sleep), ..Parts::default() };
    vec![
        sleeping(None, Sleep::Conflict),
        sleeping(None, Sleep::OffStack),
        sleeping(Some(Method::Local), Sleep::Conflict),
        sleeping(Some(Method::Local), Sleep::OffStack),
        Parts { phases: Some(Phases::Undetermined), ..Parts::default() },
    ]
}

impl<'m> Searches<'m> {
    fn depth_first(&mut self, parts: Parts, goal: &Goal<'m>, plan: &Plan) -> Result<(), String> {
        let replacements = [Replacement::Random, Replacement::Typed, Replacement::SmallestSubtree];
        let stores = [StoreKind::Exact, StoreKind::Tree, StoreKind::Collapse, StoreKind::Cache, StoreKind::Cache];
        self.turn += 1;
        let store = stores[self.turn as usize % stores.len()];
        let states = self.full.statistics.stored * [100, 70, 40][self.turn as usize % 3] / 100;
        let replacement = replacements[(self.turn / 3) as usize % 3];
        let cache =
            CacheConfig { states: (states as u32).max(2), replacement, seed: self.turn, ..CacheConfig::default() };
        let plan = Plan { order: Order::DepthFirst, store, cache, ..plan.clone() };
        self.sound(parts, goal, &plan)
    }

    fn breadth_first(&mut self, parts: Parts, goal: &Goal<'m>, plan: &Plan) -> Result<(), String> {
        let stores = [StoreKind::Exact, StoreKind::Tree, StoreKind::Collapse];
        self.turn += 1;
        let store = stores[self.turn as usize % stores.len()];
        let threads = 1 + self.turn as usize % 2;
        self.sound(parts, goal, &Plan { order: Order::BreadthFirst, store, threads, small_level: 0, ..plan.clone() })
    }

    fn sound(&mut self, parts: Parts, goal: &Goal<'m>, plan: &Plan) -> Result<(), String> {
        let preserve = &goal.preserve;
        let is_deadlock = *preserve == Preserve::Deadlock;
        let proviso = if is_deadlock { Proviso::None } else { Proviso::Weak };
        let plan = Plan { proviso, ..plan.clone() };
        let report = self.search(parts, goal, &plan);
        let name = format!("{parts}, {:?}, {} store, {preserve:?}", plan.order, plan.store.name());
        if report.stopped == Some(StopReason::CacheFull) {
            self.compared.stuck += 1;
            return if report.verdict() == Verdict::Holds {
                Err(format!("{name}: holds with a full cache"))
            } else {
                Ok(())
            };
        }
        self.compared.searches += 1;
        self.replay(&report).map_err(|it| format!("{name}: {it}"))?;
        let (full, found) = (found(&self.full), found(&report));
        let same = full.deadlocks == found.deadlocks
            && (is_deadlock || full.wrong == found.wrong)
            && (*preserve != Preserve::Statements || full.unreached == found.unreached);
        let keeps_states = parts.selector.is_none() && parts.phases.is_none() && plan.store != StoreKind::Cache;
        if !same || keeps_states && report.statistics.stored != self.full.statistics.stored {
            let (all, kept) = (self.full.statistics.stored, report.statistics.stored);
            return Err(format!("{name}: {kept} of {all} states: {found:?} is not {full:?}"));
        }
        Ok(())
    }

    /// An algorithm that can lose states: what it finds is there, and it never says that something holds.
    fn research(&mut self, parts: Parts, goal: &Goal<'m>, plan: &Plan) -> Result<(), String> {
        let plan = Plan { order: Order::DepthFirst, ..plan.clone() };
        let report = self.search(parts, goal, &plan);
        self.compared.research += 1;
        self.replay(&report).map_err(|it| format!("{parts}: {it}"))?;
        let (full, found) = (found(&self.full), found(&report));
        self.compared.lost += u64::from(full != found);
        let is_real = found.wrong.is_subset(&full.wrong) && found.deadlocks <= full.deadlocks;
        if report.verdict() == Verdict::Holds || !is_real {
            return Err(format!("{parts}: {:?} {found:?}", report.verdict()));
        }
        Ok(())
    }

    fn search(&self, parts: Parts, goal: &Goal<'m>, plan: &Plan) -> Report {
        let tables = goal.tables.clone();
        let kinds = plan.store == StoreKind::Cache && plan.cache.replacement == Replacement::Typed;
        let is_reduced = kinds || !parts.is_none();
        search(self.model, &self.shapes, is_reduced.then_some(Reduction { parts, tables, kinds }), plan)
    }

    /// Every violation is an execution.
    fn replay(&self, report: &Report) -> Result<(), String> {
        let mut interpreter = Interpreter::new(self.model);
        let mut broken = report.violations.iter().filter_map(|it| confirm(&mut interpreter, it).err());
        broken.next().map_or(Ok(()), |error| Err(error.to_string()))
    }
}

fn search(model: &Model, shapes: &Arc<Shapes<'_>>, reduction: Option<Reduction<'_>>, plan: &Plan) -> Report {
    spinor_explore::check(Packed::with(shapes.clone()), reduction, model, plan, &mut Quiet)
}

fn found(report: &Report) -> Found {
    let of_kind = |kind: ViolationKind| report.violations.iter().filter(move |it| it.kind == kind);
    let deadlocks = report.kinds.iter().any(|(kind, count)| *kind == ViolationKind::InvalidEndState && *count > 0);
    let wrong = [ViolationKind::Assertion, ViolationKind::Fault].into_iter().flat_map(of_kind);
    Found {
        deadlocks,
        wrong: wrong.map(|it| it.message.clone()).collect(),
        unreached: report.unreached.iter().map(|it| (it.proctype.0, it.statement.0)).collect(),
    }
}
