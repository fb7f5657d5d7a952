//! Random programs whose processes are alike: permutations are automorphisms, representatives of all states are what a
//! search of the quotient stores, and real searches find the same as without symmetry.

mod claims;
mod facts;
mod orbits;
mod program;
mod speed;
mod table;
mod witness;

use crate::agree::Disk;
use crate::parallel;
use clap::Args;
use facts::Facts;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use spinor_exec::{Ended, FindingKind, Interpreter, Packed, Packing, Semantics, Shapes, Simplify, Successors};
use spinor_explore::reduce::sound::{self, Parts, Property, Setting, Sound, Wanted};
use spinor_explore::reduce::{Method, Tables};
use spinor_explore::symmetry::{Quotient, Strategy, Symmetries};
use spinor_explore::{
    Order, Owner, Peers, Plan, Quiet, Reduction, Report, StoreKind, Unreached, ViolationKind, check, confirm, hall,
};
use spinor_jit::Native;
use spinor_model::symmetry::Scalarsets;
use spinor_model::{Action, Model, ProctypeId, Role};
use spinor_syntax::diagnostic::has_errors;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::thread;
use witness::{Seen, Witness};

/// What `symmetry` is asked to do.
#[derive(Args)]
pub(crate) struct Options {
    /// How many programs to write.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    systems: u64,
    /// Where the random numbers start.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Only the program with this number, and print it.
    #[arg(long, value_name = "I")]
    index: Option<u64>,
    /// States that a program may have.
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    states: usize,
    /// Programs at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Print what the models of the project gain instead.
    #[arg(long)]
    table: bool,
    /// Print how many states representatives stand for instead, with more data in each process, and compare.
    #[arg(long)]
    orbits: bool,
    /// Print what a state costs with symmetry and without instead, as the median of so many runs.
    #[arg(long, value_name = "RUNS")]
    speed: Option<usize>,
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    programs: u64,
    symmetric: u64,
    states: u64,
    representatives: u64,
    searches: u64,
    kept: u64,
    claims: u64,
    divided: u64,
    replayed: u64,
    skipped: u64,
    failed: u64,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.programs += other.programs;
        self.symmetric += other.symmetric;
        self.states += other.states;
        self.representatives += other.representatives;
        self.searches += other.searches;
        self.kept += other.kept;
        self.claims += other.claims;
        self.divided += other.divided;
        self.replayed += other.replayed;
        self.skipped += other.skipped;
        self.failed += other.failed;
    }
}

/// Compares all; false if anything differs.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, String> {
    if options.table {
        return table::print(root);
    }
    if options.orbits {
        return orbits::print(root);
    }
    if let Some(runs) = options.speed {
        return speed::print(root, runs.max(1));
    }
    let (first, count) = options.index.map_or((0, options.systems), |index| (index, 1));
    let mut tally = Tally::default();
    parallel::for_each(
        usize::try_from(count).map_err(|error| error.to_string())?,
        options.jobs,
        |offset| examine(options, first + offset as u64),
        |one| tally.add(one),
    );
    let Tally { programs, symmetric, states, representatives, searches, kept, divided, .. } = tally;
    let Tally { claims, replayed, skipped, failed, .. } = tally;
    println!(
        "{programs} programs ({symmetric} with symmetries: {states} states, {representatives} representatives), \
         {searches} searches ({kept} compared state by state, {divided} by several processes), {claims} for formulas, \
         {replayed} counterexamples replayed, {skipped} of no use, {failed} FAILED"
    );
    Ok(failed == 0)
}

fn examine(options: &Options, index: u64) -> Tally {
    let mut rng = SmallRng::seed_from_u64(options.seed.wrapping_mul(1_000_003) ^ index);
    let text = program::random(&mut rng);
    if options.index.is_some() {
        println!("{text}");
    }
    let (model, diagnostics) = spinor_model::compile("random.pml", &text, &[], &Disk);
    let blank = Tally { programs: 1, ..Tally::default() };
    if has_errors(&diagnostics) {
        println!("program {index} (seed {}) is refused:\n{text}", options.seed);
        return Tally { failed: 1, ..blank };
    }
    match compare(&model, &mut rng, options.states) {
        Ok(Some(tally)) => Tally { programs: 1, ..tally },
        Ok(None) => Tally { skipped: 1, ..blank },
        Err(message) => {
            println!("program {index} (seed {}): {message}", options.seed);
            Tally { failed: 1, ..blank }
        }
    }
}

type State = Vec<u64>;

/// A graph of states.
struct Graph {
    states: Vec<State>,
    deadlocks: HashSet<State>,
}

/// All states that an engine reaches; none if there are too many.
fn reach<S: Semantics>(engine: &mut S, most: usize) -> Option<Graph> {
    let mut out = Successors::default();
    engine.initial(&mut out).ok()?;
    let first = out.vector(&out.list[0]).to_vec();
    let mut seen = HashSet::from([first.clone()]);
    let mut waiting = VecDeque::from([first]);
    let mut graph = Graph { states: Vec::new(), deadlocks: HashSet::new() };
    while let Some(state) = waiting.pop_front() {
        out.clear();
        let expanded = engine.expand(&state, &mut out);
        if expanded.ended == Ended::Stuck && !engine.is_valid_end(&state) {
            graph.deadlocks.insert(state.clone());
        }
        for next in &out.list {
            let next = out.vector(next).to_vec();
            if seen.insert(next.clone()) {
                waiting.push_back(next);
            }
        }
        graph.states.push(state);
        if seen.len() > most {
            return None;
        }
    }
    Some(graph)
}

/// Who searches.
#[derive(Clone, Copy, Debug)]
enum By {
    Interpreter,
    Native,
    /// Several processes, which are threads here.
    Processes {
        count: usize,
        seed: u64,
    },
}

/// Quotients of the same engine by different representatives.
struct Subject<'m> {
    model: &'m Model,
    shapes: Arc<Shapes<'m>>,
    sets: Scalarsets,
    full: Report,
    /// What is known of all states, unless processes can end.
    facts: Option<Facts>,
    tally: Tally,
}

fn compare(model: &Model, rng: &mut SmallRng, most: usize) -> Result<Option<Tally>, String> {
    let simplify = Simplify { merge: rng.random_bool(0.3), dead: rng.random_bool(0.5) };
    let shapes = Arc::new(Shapes::new(model, Packing::Bits, simplify));
    let Some(graph) = reach(&mut Packed::with(shapes.clone()), most) else { return Ok(None) };
    let sets = Scalarsets::new(model, shapes.ranges(), &[]);
    let plan = plan();
    let full = check(Packed::with(shapes.clone()), None, model, &plan, &mut Quiet);
    let mut subject = Subject { model, shapes, sets, full, facts: None, tally: Tally::default() };
    let report = subject.symmetries(Strategy::Auto).report(&mut Packed::with(subject.shapes.clone()));
    subject.tally.states = graph.states.len() as u64;
    subject.tally.symmetric = u64::from(report.order > 1);
    if report.order > 1 {
        subject.are_automorphisms(&graph, rng)?;
        subject.are_represented(&graph, report.strategy)?;
    }
    subject.facts = subject.facts_of(graph.states);
    for _ in 0..4 {
        subject.search(rng, simplify)?;
    }
    subject.tally.claims = claims::compare(model, rng).map_err(|it| format!("formula: {it}"))?;
    Ok(Some(subject.tally))
}

fn plan() -> Plan {
    Plan { keep_going: true, max_violations: 20, ..Plan::default() }
}

impl<'m> Subject<'m> {
    fn symmetries(&self, strategy: Strategy) -> Symmetries<'m> {
        Symmetries::new(self.shapes.clone(), self.sets.clone(), strategy)
    }

    fn quotient(&self, strategy: Strategy) -> Quotient<'m, Packed<'m>> {
        Quotient::new(Packed::with(self.shapes.clone()), Some(Arc::new(self.symmetries(strategy))))
    }

    /// Whether processes can end: then states are the same only up to who is gone already. `init` is older than those
    /// that it starts, so that it ends only after them.
    fn is_mortal(&self) -> bool {
        let types = (0..self.model.proctypes.len() as u16).map(ProctypeId);
        let mut others = types.filter(|&id| self.model.proctype(id).role == Role::Process);
        others.any(|id| Scalarsets::is_mortal(self.model, id))
    }

    fn facts_of(&self, states: impl IntoIterator<Item = State>) -> Option<Facts> {
        let mut naive = self.quotient(Strategy::Full);
        (!self.is_mortal()).then(|| Facts::new(states, &self.shapes, &mut naive))
    }

    /// What follows the image of a state is the image of what follows the state.
    fn are_automorphisms(&self, graph: &Graph, rng: &mut SmallRng) -> Result<(), String> {
        if self.is_mortal() {
            return Ok(());
        }
        let mut engine = Packed::with(self.shapes.clone());
        let mut quotient = self.quotient(Strategy::Full);
        let mut after = |state: &[u64]| {
            let mut out = Successors::default();
            let expanded = engine.expand(state, &mut out);
            let list: Vec<State> = out.list.iter().map(|next| out.vector(next).to_vec()).collect();
            let mut wrong: Vec<u8> = out.findings.iter().map(|it| wrong(&it.kind)).collect();
            wrong.sort_unstable();
            (list, (wrong, expanded.ended == Ended::Moved, engine.is_valid_end(state)))
        };
        for _ in 0..graph.states.len().min(200) {
            let state = &graph.states[rng.random_range(0..graph.states.len())];
            let images = quotient.images(state);
            let (next, findings) = after(state);
            let turned: Vec<Vec<State>> = next.iter().map(|it| quotient.images(it)).collect();
            for (n, image) in images.iter().enumerate() {
                let (there, others) = after(image);
                let there: BTreeSet<State> = there.into_iter().collect();
                let here: BTreeSet<State> = turned.iter().filter_map(|it| it.get(n).cloned()).collect();
                if there != here || findings != others {
                    return Err(format!("permutation {n} is no automorphism at {state:x?}"));
                }
            }
        }
        Ok(())
    }

    /// The representatives of all states are what a search of the quotient stores.
    fn are_represented(&mut self, graph: &Graph, rule: Strategy) -> Result<(), String> {
        let mut naive = self.quotient(Strategy::Full);
        let represent = |state: &State, naive: &mut Quotient<'m, Packed<'m>>| {
            let mut state = state.clone();
            naive.represent_alone(&mut state);
            state
        };
        let all: HashSet<State> = graph.states.iter().map(|it| represent(it, &mut naive)).collect();
        self.tally.representatives = all.len() as u64;
        if self.is_mortal() {
            return Ok(());
        }
        self.orbits_add_up(graph, &mut naive)?;
        let dead: HashSet<State> = graph.deadlocks.iter().map(|it| represent(it, &mut naive)).collect();
        for strategy in [Strategy::Full, Strategy::Auto, Strategy::Sorted, Strategy::Segmented, Strategy::Climb] {
            let found = reach(&mut self.quotient(strategy), graph.states.len()).ok_or("the quotient is larger")?;
            let orbits: HashSet<State> = found.states.iter().map(|it| represent(it, &mut naive)).collect();
            let stuck: HashSet<State> = found.deadlocks.iter().map(|it| represent(it, &mut naive)).collect();
            if orbits != all || stuck != dead {
                return Err(format!("{strategy}: {} orbits of {}", orbits.len(), all.len()));
            }
            let is_canonical = match strategy {
                Strategy::Full | Strategy::Auto | Strategy::Segmented => true,
                Strategy::Sorted => rule == Strategy::Sorted,
                Strategy::Climb => false,
            };
            if is_canonical && found.states.len() != all.len() {
                return Err(format!("{strategy}: {} states for {} orbits", found.states.len(), all.len()));
            }
        }
        Ok(())
    }

    /// The lengths of the orbits of representatives add up to the number of states, if with a state all of its orbit
    /// can be reached; otherwise to more.
    fn orbits_add_up(&self, graph: &Graph, naive: &mut Quotient<'m, Packed<'m>>) -> Result<(), String> {
        let all: HashSet<&State> = graph.states.iter().collect();
        let mut counted: HashSet<State> = HashSet::new();
        let (mut sum, mut is_closed) = (0, true);
        for state in &graph.states {
            let mut orbit = vec![state.clone()];
            let mut at = 0;
            if counted.contains(state) {
                continue;
            }
            while let Some(next) = orbit.get(at).cloned() {
                for image in naive.images(&next) {
                    if !orbit.contains(&image) {
                        orbit.push(image);
                    }
                }
                at += 1;
            }
            let length = naive.orbit(state);
            if length != Some(orbit.len() as u64) {
                return Err(format!("{} states in the orbit of {state:x?}, not {length:?}", orbit.len()));
            }
            sum += orbit.len();
            is_closed &= orbit.iter().all(|it| all.contains(it));
            counted.extend(orbit);
        }
        let is_right = if is_closed { sum == all.len() } else { sum > all.len() };
        if is_right { Ok(()) } else { Err(format!("{sum} states in all orbits, {} in all", all.len())) }
    }

    /// A real search.
    fn search(&mut self, rng: &mut SmallRng, simplify: Simplify) -> Result<(), String> {
        let selectors =
            [None, None, Some(Method::Local), Some(Method::Ample), Some(Method::Overman), Some(Method::Stubborn)];
        let selector = selectors[rng.random_range(0..selectors.len())];
        let parts = Parts { selector, simplify, symmetry: true, ..Parts::default() };
        let orders = [Order::DepthFirst, Order::BreadthFirst];
        let stores = [StoreKind::Exact, StoreKind::Tree, StoreKind::Collapse];
        let setting = Setting {
            order: orders[rng.random_range(0..2)],
            threads: rng.random_range(1..=2),
            store: stores[rng.random_range(0..3)],
        };
        // What merging and dead variables leave out is not there to be kept.
        let most = if simplify == Simplify::default() { Property::ALL.len() - 1 } else { Property::ALL.len() - 2 };
        let property = selector.map(|_| Property::ALL[rng.random_range(0..most)]);
        let found = sound::resolve(Wanted::Parts(parts), property, None, (self.model, setting));
        // Where partial order reduction is refused, symmetry is alone.
        let alone = Parts { selector: None, ..parts };
        let Ok(sound) = found.or_else(|_| sound::resolve(Wanted::Parts(alone), None, None, (self.model, setting)))
        else {
            return Err("it is refused".into());
        };
        let strategies = [Strategy::Auto, Strategy::Sorted, Strategy::Segmented, Strategy::Full, Strategy::Climb];
        let strategy = strategies[rng.random_range(0..strategies.len())];
        let by = match rng.random_range(0..10) {
            0 => By::Native,
            1..4 if setting.threads == 1 => By::Processes { count: rng.random_range(2..=4), seed: rng.random() },
            _ => By::Interpreter,
        };
        let seen = Seen::default();
        let report = self.run(&sound, setting, (strategy, by), &seen);
        self.tally.searches += 1;
        self.tally.divided += u64::from(matches!(by, By::Processes { .. }));
        let is_canonical = match strategy {
            Strategy::Auto | Strategy::Segmented | Strategy::Full => true,
            Strategy::Sorted | Strategy::Climb => false,
        };
        let is_alone = sound.parts.selector.is_none() && !matches!(by, By::Processes { .. });
        let (stored, orbits) = (report.statistics.stored, self.tally.representatives);
        if is_canonical && is_alone && !self.is_mortal() && orbits > 0 && stored != orbits {
            return Err(format!("{strategy} {setting:?}: {stored} states stored, {orbits} orbits"));
        }
        let kept = if sound.parts.selector.is_some() { sound.kept() } else { Property::Invariants };
        let agrees = self.agrees(&report, kept).and_then(|()| self.keeps(seen, kept));
        agrees.map_err(|it| format!("{} {kept:?} {strategy} {setting:?} {by:?}: {it}", sound.parts))
    }

    /// Whether a search has seen what it must, up to renaming.
    fn keeps(&mut self, seen: Seen, kept: Property) -> Result<(), String> {
        let states = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
        let (Some(all), Some(found)) = (&self.facts, self.facts_of(states)) else { return Ok(()) };
        self.tally.kept += 1;
        all.compare(&found, kept)
    }

    fn run(&self, sound: &Sound, setting: Setting, (strategy, by): (Strategy, By), seen: &Seen) -> Report {
        let Setting { order, threads, store } = setting;
        let plan = Plan { order, threads, store, proviso: sound.proviso, small_level: 0, ..plan() };
        let one = |peers: Option<Peers>| {
            let plan = Plan { peers, ..plan.clone() };
            let tables = Arc::new(Tables::new(self.shapes.clone(), sound.preserve.clone()));
            let reduction =
                sound.parts.asks_for_dependence().then_some(Reduction { parts: sound.parts, tables, kinds: false });
            let symmetries = self.symmetries(strategy);
            let symmetries = Some(Arc::new(symmetries));
            let interpreter = Packed::with(self.shapes.clone());
            let seen = seen.clone();
            if let By::Native = by {
                let engine = Quotient::new(Native::with_patience(interpreter, 0), symmetries);
                return check(Witness { engine, seen }, reduction, self.model, &plan, &mut Quiet);
            }
            let engine = Quotient::new(interpreter, symmetries);
            check(Witness { engine, seen }, reduction, self.model, &plan, &mut Quiet)
        };
        let By::Processes { count, seed } = by else { return one(None) };
        let owner: Owner = Arc::new(|hash, count| ((u128::from(hash) * count as u128) >> 64) as usize);
        let mut reports: Vec<Report> = thread::scope(|scope| {
            let one = |peers: Peers| scope.spawn(|| one(Some(peers)));
            let all: Vec<_> = hall(count, owner, seed).into_iter().map(one).collect();
            all.into_iter().map(|it| it.join().expect("a search that ends")).collect()
        });
        reports.swap_remove(0)
    }

    fn agrees(&mut self, report: &Report, kept: Property) -> Result<(), String> {
        let is_deadlock = |it: &&str| *it == ViolationKind::InvalidEndState.name();
        let kinds = |of: &Report| -> BTreeSet<&'static str> {
            kinds(of).into_iter().filter(|it| kept > Property::Deadlock || is_deadlock(it)).collect()
        };
        let (ours, theirs) = (kinds(report), kinds(&self.full));
        if ours != theirs {
            return Err(format!("{ours:?} instead of {theirs:?}"));
        }
        let missed = |of: &Report| -> BTreeSet<(u16, u32)> {
            // Who ends as the youngest may be another.
            let is_end =
                |it: &&Unreached| self.model.proctype(it.proctype).statement(it.statement).action == Action::End;
            of.unreached.iter().filter(|it| !is_end(it)).map(|it| (it.proctype.0, it.statement.0)).collect()
        };
        // An offer that meets a receiver at fault counts as executed, and selectors alone need not keep that.
        let has_faults = theirs.contains(ViolationKind::Fault.name());
        if kept >= Property::Statements && !has_faults && missed(report) != missed(&self.full) {
            return Err(format!("{:?} are unreached, {:?} without", missed(report), missed(&self.full)));
        }
        let mut interpreter = Interpreter::new(self.model);
        for violation in &report.violations {
            confirm(&mut interpreter, violation).map_err(|error| error.to_string())?;
            self.tally.replayed += 1;
        }
        Ok(())
    }
}

/// What kind of thing is wrong.
fn wrong(kind: &FindingKind) -> u8 {
    match kind {
        FindingKind::Assertion(_) => 0,
        FindingKind::Trace(_) => 1,
        FindingKind::Fault(_) => 2,
    }
}

/// Which kinds of violations there are.
fn kinds(report: &Report) -> BTreeSet<&'static str> {
    report.kinds.iter().filter(|(_, count)| *count > 0).map(|(kind, _)| kind.name()).collect()
}
