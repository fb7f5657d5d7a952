//! Ways to search: every combination that is called sound, drawn by chance for each system.

use std::collections::BTreeMap;
use std::fmt;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use spinor_exec::Simplify;
use spinor_explore::reduce::Method;
use spinor_explore::reduce::sound::{Parts, Phases, Property, Setting, Sleep, Sound, Wanted, resolve};
use spinor_explore::{Order, Proviso, Replacement, StoreKind, Strata};
use spinor_model::Model;

/// One in so many searches runs on two threads where that is sound, and one in so many with native code: both take
/// many times as long as a small system.
const THREADED: usize = 12;
const NATIVE: usize = 200;
/// The same for several processes.
const PROCESSES: usize = 60;

/// What computes steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Engine {
    Interpreter,
    Native,
    /// The interpreter in several processes, which are threads here.
    Processes,
}

/// One way to search.
#[derive(Clone, Debug)]
pub(crate) struct Combination {
    pub(crate) sound: Sound,
    pub(crate) setting: Setting,
    pub(crate) replacement: Replacement,
    pub(crate) engine: Engine,
}

/// Draws combinations; always the same for the same seed.
pub(crate) struct Lot {
    rng: SmallRng,
    /// All combinations of a system share these, since their tables take longer than a search.
    property: Property,
    pub(crate) simplify: Simplify,
    /// Whether several processes search where they can.
    processes: bool,
}

impl Lot {
    pub(crate) fn new(seed: u64, processes: bool) -> Lot {
        let mut rng = SmallRng::seed_from_u64(seed);
        let property = Property::ALL[rng.random_range(0..Property::ALL.len())];
        // Joint values do not go with them.
        let chance = if property < Property::Invariants { 0.5 } else { 0.0 };
        let simplify = Simplify { merge: rng.random_bool(chance), dead: rng.random_bool(chance) };
        Lot { rng, property, simplify, processes }
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.rng.random_range(0..limit)
    }

    fn of<T: Copy, const N: usize>(&mut self, all: [T; N]) -> T {
        all[self.below(N)]
    }

    fn is_rare(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    /// A combination that is sound for a model, all parts being of interest with the same weight.
    pub(crate) fn draw(&mut self, model: &Model) -> Combination {
        loop {
            let (parts, setting) = (self.parts(), self.setting());
            let (property, proviso) = match parts.selector {
                None => (None, None),
                Some(_) => (Some(self.property), self.of([None, None, None, Some(Proviso::Strong)])),
            };
            if let Ok(sound) = resolve(Wanted::Parts(parts), property, proviso, (model, setting)) {
                // Stacks of several processes know nothing of what sleeps, or which chains were followed.
                let is_whole = parts.sleep.is_none() && parts.phases.is_none() && setting.store != StoreKind::Cache;
                let may_divide = (setting.order == Order::BreadthFirst || is_whole) && setting.threads == 1;
                let engine = match () {
                    () if may_divide && (self.processes || self.is_rare(PROCESSES)) => Engine::Processes,
                    () if self.is_rare(NATIVE) => Engine::Native,
                    () => Engine::Interpreter,
                };
                return Combination { sound, setting, replacement: self.replacement(), engine };
            }
        }
    }

    fn parts(&mut self) -> Parts {
        let methods = Method::ALL;
        let selector = [None].into_iter().chain(methods.map(Some)).nth(self.below(methods.len() + 1)).flatten();
        let sleep = self.of([None, Some(Sleep::Stored)]);
        let phases = [Some(Phases::Fixpoint), Some(Phases::Once), None][self.below(20).min(2)];
        // Two phases stand alone.
        let (selector, sleep) = if phases.is_some() { (None, None) } else { (selector, sleep) };
        Parts { selector, sleep, phases, simplify: self.simplify, ..Parts::default() }
    }

    fn setting(&mut self) -> Setting {
        let stores = [StoreKind::Exact, StoreKind::Tree, StoreKind::Collapse, StoreKind::Cache, StoreKind::HashCompact];
        let store = self.of(stores);
        let is_cache = store == StoreKind::Cache;
        let order = if is_cache { Order::DepthFirst } else { self.of([Order::DepthFirst, Order::BreadthFirst]) };
        let threads = if !is_cache && self.is_rare(THREADED) { 2 } else { 1 };
        Setting { order, threads, store }
    }

    fn replacement(&mut self) -> Replacement {
        let strata = Strata { every: 2 + self.below(3) as u32, at: 0 };
        self.of([
            Replacement::Random,
            Replacement::Typed,
            Replacement::MostVisited,
            Replacement::LeastVisited,
            Replacement::LargestClass,
            Replacement::RoundRobin,
            Replacement::SmallestSubtree,
            Replacement::Stratified(strata),
        ])
    }
}

/// A combination by its names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Name {
    parts: String,
    simplify: &'static str,
    kept: &'static str,
    proviso: &'static str,
    order: &'static str,
    threads: usize,
    store: &'static str,
    engine: Engine,
}

impl Combination {
    pub(crate) fn name(&self) -> Name {
        let Combination { sound, setting, engine, .. } = self;
        let simplify = match sound.parts.simplify {
            Simplify { merge: false, dead: false } => "as written",
            Simplify { merge: true, dead: false } => "merge",
            Simplify { merge: false, dead: true } => "dead",
            Simplify { merge: true, dead: true } => "merge+dead",
        };
        Name {
            parts: Parts { simplify: Simplify::default(), ..sound.parts }.to_string(),
            simplify,
            kept: match sound.kept() {
                Property::Deadlock => "deadlock",
                Property::Assertions => "assertions",
                Property::Statements => "statements",
                Property::Invariants => "invariants",
                Property::Ltl => "ltl",
            },
            proviso: match sound.proviso {
                Proviso::None => "none",
                Proviso::Weak => "weak",
                Proviso::Strong => "strong",
            },
            order: if setting.order == Order::DepthFirst { "dfs" } else { "bfs" },
            threads: setting.threads,
            store: setting.store.name(),
            engine: *engine,
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Name { parts, simplify, kept, proviso, order, threads, store, engine } = self;
        let engine = format!("{engine:?}").to_lowercase();
        write!(f, "{parts}\t{simplify}\t{kept}\t{proviso}\t{order}\t{threads}\t{store}\t{engine}")
    }
}

/// How many searches each combination had.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tries(BTreeMap<Name, u64>);

impl Tries {
    pub(crate) fn count(&mut self, name: Name) {
        *self.0.entry(name).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: &Tries) {
        for (name, count) in &other.0 {
            *self.0.entry(name.clone()).or_default() += count;
        }
    }

    /// A line for each combination.
    pub(crate) fn table(&self) -> String {
        let lines = self.0.iter().map(|(name, count)| format!("{name}\t{count}\n"));
        std::iter::once("parts\ttext\tkept\tproviso\torder\tthreads\tstore\tengine\tsearches\n".to_owned())
            .chain(lines)
            .collect()
    }

    /// How many searches there were with each of some names.
    fn by(&self, name: impl Fn(&Name) -> String) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for (it, count) in &self.0 {
            *counts.entry(name(it)).or_default() += count;
        }
        counts
    }
}

impl fmt::Display for Tries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |what: &str, name: &dyn Fn(&Name) -> String| {
            let counts = self.by(name);
            let list: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            writeln!(f, "searches by {what}: {}", list.join(", "))
        };
        line("parts", &|it| it.parts.clone())?;
        line("what is kept", &|it| it.kept.to_owned())?;
        line("text", &|it| it.simplify.to_owned())?;
        line("proviso", &|it| it.proviso.to_owned())?;
        line("order and threads", &|it| format!("{}/{}", it.order, it.threads))?;
        line("store", &|it| it.store.to_owned())?;
        line("engine", &|it| format!("{:?}", it.engine).to_lowercase())?;
        let main = self.by(|it| format!("{} {} {} {}", it.parts, it.kept, it.order, it.store));
        let least = main.iter().min_by_key(|it| it.1).map(|(name, count)| format!("{count} ({name})"));
        let least = least.unwrap_or_default();
        write!(f, "{} combinations in all, {} of parts, kept, order and store: ", self.0.len(), main.len())?;
        write!(f, "at least {least} searches each")
    }
}
