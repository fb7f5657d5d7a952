//! The real searches with combinations of reductions, stores and orders that are sound, beside the full search; and
//! those of the papers that are not, which must never say that something holds.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use spinor_exec::{Interpreter, Packed, Packing, Shapes};
use spinor_explore::reduce::sound::{Parts, Phases, Property, Sleep, Sound};
use spinor_explore::reduce::{Method, Preserve, Tables};
use spinor_explore::{
    CacheConfig, Order, Owner, Peers, Plan, Quiet, Reduction, Replacement, Report, StopReason, StoreKind, Verdict,
    ViolationKind, confirm, hall,
};
use spinor_jit::Native;
use spinor_model::Model;

use super::combination::{Combination, Engine, Lot, Tries};

/// What a search found: what is violated, and which statements were never executed.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    deadlocks: bool,
    wrong: BTreeSet<String>,
    unreached: BTreeSet<(u16, u32)>,
    /// Whether anything but a deadlock was counted, with its path or without.
    is_wrong: bool,
}

/// How much was compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compared {
    /// Searches that are sound, by their combination.
    pub(crate) tries: Tries,
    /// How many there were.
    pub(crate) searches: u64,
    /// Searches of the papers that are not.
    pub(crate) research: u64,
    /// Of these, searches that lost something.
    pub(crate) lost: u64,
    /// Searches that were given up, because their cache was smaller than their stack or took too long.
    pub(crate) stuck: u64,
}

impl Compared {
    pub(crate) fn add(&mut self, other: &Compared) {
        self.tries.add(&other.tries);
        self.searches += other.searches;
        self.research += other.research;
        self.lost += other.lost;
        self.stuck += other.stuck;
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Compared { tries, searches, research, lost, stuck } = self;
        writeln!(f, "{tries}")?;
        write!(f, "{searches} sound searches, {stuck} given up with a small cache; ")?;
        write!(f, "{research} searches of papers that can lose states, {lost} did")
    }
}

/// How long a search with a cache may take: without enough room, states are met again and again.
const PATIENCE: Duration = Duration::from_millis(50);

/// The searches of one model.
struct Searches<'m> {
    model: &'m Model,
    /// As the model is written, and as it is simplified, with what depends on what.
    plain: Arc<Shapes<'m>>,
    shapes: Arc<Shapes<'m>>,
    tables: Option<(Preserve, Arc<Tables<'m>>)>,
    plan: Plan,
    full: Report,
    compared: Compared,
    lot: Lot,
}

/// Compares some searches of a model, drawn by chance.
pub(crate) fn compare<'m>(
    model: &'m Model,
    plain: &Arc<Shapes<'m>>,
    (seed, draws): (u64, usize),
    processes: bool,
) -> Result<Compared, String> {
    let plan = Plan { keep_going: true, max_violations: 10_000, max_moves: usize::MAX, ..Plan::default() };
    let full = spinor_explore::check(Packed::with(plain.clone()), None, model, &plan, &mut Quiet);
    let lot = Lot::new(seed, processes);
    let is_simplified = lot.simplify.merge || lot.simplify.dead;
    let shapes = match is_simplified {
        true => Arc::new(Shapes::new(model, Packing::Bits, lot.simplify)),
        false => plain.clone(),
    };
    let compared = Compared::default();
    let mut all = Searches { model, plain: plain.clone(), shapes, tables: None, plan, full, compared, lot };
    for _ in 0..draws {
        let combination = all.lot.draw(model);
        all.sound(&combination).map_err(|it| format!("{}: {it}", combination.name()))?;
    }
    let papers = papers();
    let parts = papers[all.lot.below(papers.len())];
    all.research(parts)?;
    Ok(all.compared)
}

fn papers() -> [Parts; 5] {
    let sleeping = |selector, sleep| Parts { selector, sleep: Some(sleep), ..Parts::default() };
    [
        sleeping(None, Sleep::Conflict),
        sleeping(None, Sleep::OffStack),
        sleeping(Some(Method::Local), Sleep::Conflict),
        sleeping(Some(Method::Local), Sleep::OffStack),
        Parts { phases: Some(Phases::Undetermined), ..Parts::default() },
    ]
}

impl<'m> Searches<'m> {
    fn sound(&mut self, combination: &Combination) -> Result<(), String> {
        let Combination { sound, setting, .. } = combination;
        let report = self.search(combination);
        if let Some(StopReason::CacheFull | StopReason::Time) = report.stopped {
            self.compared.stuck += 1;
            let is_wrong = report.verdict() == Verdict::Holds;
            return if is_wrong { Err("holds, and was given up".to_owned()) } else { Ok(()) };
        }
        self.compared.searches += 1;
        self.compared.tries.count(combination.name());
        self.replay(&report)?;
        let (full, found) = (found(&self.full), found(&report));
        let kept = sound.kept();
        // With several processes, paths are looked for only as long as that takes little time.
        let same_faults = match combination.engine {
            Engine::Processes => found.wrong.is_subset(&full.wrong) && found.is_wrong == full.is_wrong,
            Engine::Interpreter | Engine::Native => full.wrong == found.wrong,
        };
        let same = full.deadlocks == found.deadlocks
            && (kept == Property::Deadlock || same_faults)
            && (kept < Property::Statements || Searches::same_statements(combination.engine, &full, &found));
        let Parts { selector, phases, simplify, .. } = sound.parts;
        let is_whole = selector.is_none() && phases.is_none() && !simplify.merge && !simplify.dead;
        let keeps_states = is_whole && setting.store != StoreKind::Cache;
        if !same || keeps_states && report.statistics.stored != self.full.statistics.stored {
            let (all, kept) = (self.full.statistics.stored, report.statistics.stored);
            return Err(format!("{kept} of {all} states: {found:?} is not {full:?}"));
        }
        Ok(())
    }

    /// Native code marks what it executed before it leaves a state to the interpreter, which says what is wrong; of a
    /// sequence that is at fault the interpreter marks nothing.
    fn same_statements(engine: Engine, full: &Found, found: &Found) -> bool {
        match engine {
            Engine::Native if !full.wrong.is_empty() => found.unreached.is_subset(&full.unreached),
            _ => full.unreached == found.unreached,
        }
    }

    fn search(&mut self, combination: &Combination) -> Report {
        let Combination { sound, setting, replacement, engine } = combination;
        let states = self.full.statistics.stored * [100, 70, 40][self.lot.below(3)] / 100;
        let seed = self.lot.below(1 << 20) as u64;
        let cache =
            CacheConfig { states: (states as u32).max(2), replacement: *replacement, seed, ..CacheConfig::default() };
        let kinds = setting.store == StoreKind::Cache && *replacement == Replacement::Typed;
        let plan = Plan {
            order: setting.order,
            threads: setting.threads,
            store: setting.store,
            proviso: sound.proviso,
            cache,
            max_time: (setting.store == StoreKind::Cache).then_some(PATIENCE),
            small_level: 0,
            ..self.plan.clone()
        };
        let tables = self.tables(&sound.preserve);
        let is_reduced = kinds || sound.parts.asks_for_dependence();
        let reduction = is_reduced.then_some(Reduction { parts: sound.parts, tables, kinds });
        if *engine == Engine::Processes {
            return self.by_processes(sound, &plan, seed);
        }
        let interpreter = Packed::with(self.shapes.clone());
        match engine {
            Engine::Interpreter | Engine::Processes => {
                spinor_explore::check(interpreter, reduction, self.model, &plan, &mut Quiet)
            }
            Engine::Native => {
                let native = Native::with_patience(interpreter, 0);
                spinor_explore::check(native, reduction, self.model, &plan, &mut Quiet)
            }
        }
    }

    /// Two to four processes, with an owner of each state that is drawn by chance, and messages that are late. Each has
    /// shapes of its own, of which some are agreed upon.
    fn by_processes(&self, sound: &Sound, plan: &Plan, seed: u64) -> Report {
        let count = 2 + seed as usize % 3;
        let salt = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let owner: Owner = match seed / 3 % 3 {
            0 => Arc::new(|hash, count| ((u128::from(hash) * count as u128) >> 64) as usize),
            1 => Arc::new(move |hash, count| ((hash ^ salt) >> 61) as usize % count),
            _ => Arc::new(move |hash, count| if (hash ^ salt) % 20 < 18 { 0 } else { count - 1 }),
        };
        let one = |peers: Peers| {
            let mut engine = Packed::simplified(self.model, Packing::Bits, self.lot.simplify);
            engine.agree([0, 5, 1_000][seed as usize / 9 % 3]);
            let tables = || Arc::new(Tables::new(engine.shapes().clone(), sound.preserve.clone()));
            let is_reduced = sound.parts.asks_for_dependence();
            let reduction = is_reduced.then(|| Reduction { parts: sound.parts, tables: tables(), kinds: false });
            let log_limit = if seed.is_multiple_of(2) { 0 } else { plan.log_limit };
            let plan = Plan { peers: Some(peers), log_limit, ..plan.clone() };
            spinor_explore::check(engine, reduction, self.model, &plan, &mut Quiet)
        };
        let mut reports = thread::scope(|scope| {
            let all: Vec<_> = hall(count, owner, seed).into_iter().map(|peers| scope.spawn(|| one(peers))).collect();
            all.into_iter().map(|it| it.join().expect("a search that ends")).collect::<Vec<Report>>()
        });
        reports.swap_remove(0)
    }

    fn tables(&mut self, preserve: &Preserve) -> Arc<Tables<'m>> {
        match &self.tables {
            Some((known, tables)) if known == preserve => tables.clone(),
            _ => {
                let tables = Arc::new(Tables::new(self.shapes.clone(), preserve.clone()));
                self.tables = Some((preserve.clone(), tables.clone()));
                tables
            }
        }
    }

    /// An algorithm that can lose states: what it finds is there, and it never says that something holds.
    fn research(&mut self, parts: Parts) -> Result<(), String> {
        let plan = Plan { order: Order::DepthFirst, ..self.plan.clone() };
        let tables = Arc::new(Tables::new(self.plain.clone(), Preserve::Statements));
        let reduction = Reduction { parts, tables, kinds: false };
        let engine = Packed::with(self.plain.clone());
        let report = spinor_explore::check(engine, Some(reduction), self.model, &plan, &mut Quiet);
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

    /// Every violation is an execution.
    fn replay(&self, report: &Report) -> Result<(), String> {
        let mut interpreter = Interpreter::new(self.model);
        let mut broken = report.violations.iter().filter_map(|it| confirm(&mut interpreter, it).err());
        broken.next().map_or(Ok(()), |error| Err(error.to_string()))
    }
}

fn found(report: &Report) -> Found {
    let of_kind = |kind: ViolationKind| report.violations.iter().filter(move |it| it.kind == kind);
    let counted =
        |is_wanted: fn(ViolationKind) -> bool| report.kinds.iter().any(|(it, count)| is_wanted(*it) && *count > 0);
    let deadlocks = counted(|it| it == ViolationKind::InvalidEndState);
    let wrong = [ViolationKind::Assertion, ViolationKind::Fault].into_iter().flat_map(of_kind);
    Found {
        is_wrong: counted(|it| it != ViolationKind::InvalidEndState),
        deadlocks,
        wrong: wrong.map(|it| it.message.clone()).collect(),
        unreached: report.unreached.iter().map(|it| (it.proctype.0, it.statement.0)).collect(),
    }
}
