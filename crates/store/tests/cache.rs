//! The cache, against a hash map that looks at all states when it must forget one, and in depth-first
//! searches.

mod common;

use std::collections::{HashMap, HashSet};

use common::{Random, Vector, nth, size};
use spinor_store::{Arrival, Cache, CacheConfig, Kind, Replacement, Slot, Strata, Visitor};

fn all() -> impl Iterator<Item = Replacement> {
    Replacement::PLAIN.into_iter().chain([Replacement::Stratified(Strata { every: 3, at: 1 })])
}

const KINDS: [Kind; 5] = [Kind::Branch, Kind::Receive, Kind::Send, Kind::Assignment, Kind::Other];

/// A state of the twin.
#[derive(Clone, Debug)]
struct Known {
    slot: Slot,
    pins: u32,
    /// How many states had been forgotten when it was left.
    idle_since: u64,
    visits: u32,
    kind: Kind,
    depth: u32,
    below: u64,
    payload: u32,
}

/// The naive twin: it follows what the cache says it forgot, and checks that this was allowed.
#[derive(Default)]
struct Twin {
    states: HashMap<Vector, Known>,
    seen: HashSet<Vector>,
    stored: u64,
    matched: u64,
    evicted: u64,
}

impl Twin {
    /// By what a strategy judges; the highest is to be forgotten.
    fn rank(&self, replacement: Replacement, it: &Known) -> i64 {
        match replacement {
            // Whose turn it is only the cache knows; that each has its turn is tested apart.
            Replacement::Random | Replacement::RoundRobin => 0,
            Replacement::Typed => KINDS.iter().position(|&kind| kind == it.kind).expect("a kind") as i64,
            Replacement::MostVisited => i64::from(it.visits),
            Replacement::LeastVisited => -i64::from(it.visits),
            Replacement::LargestClass => self.states.values().filter(|other| other.visits == it.visits).count() as i64,
            Replacement::SmallestSubtree => -(it.below as i64),
            Replacement::Stratified(Strata { every, at }) => i64::from(it.depth % every != at),
        }
    }

    /// Forgets the state with a payload, which must be one that has the highest rank.
    fn forget(&mut self, replacement: Replacement, payload: u32, exhaustive: bool) {
        let vector = self.states.iter().find(|(_, it)| it.payload == payload).expect("it is there").0.clone();
        let it = &self.states[&vector];
        assert_eq!(it.pins, 0, "{replacement:?}: {it:?}");
        if exhaustive {
            let highest = self.states.values().filter(|it| it.pins == 0).map(|it| self.rank(replacement, it)).max();
            assert_eq!(Some(self.rank(replacement, it)), highest, "{replacement:?}: {it:?}");
        }
        self.states.remove(&vector);
        self.evicted += 1;
    }

    fn arrive(&mut self, vector: &Vector, visitor: &Visitor<'_>, slot: Slot, payload: u32) {
        let &Visitor { kind, depth, .. } = visitor;
        let known = Known { slot, pins: 1, idle_since: 0, visits: 1, kind, depth, below: 0, payload };
        assert!(self.states.insert(vector.clone(), known).is_none());
        self.seen.insert(vector.clone());
        self.stored += 1;
    }
}

/// Random arrivals and departures; each answer is compared.
fn compare(replacement: Replacement, probes: u32, seed: u64) {
    let mut random = Random(seed);
    let states = 1 + random.below(30) as u32;
    let mut cache = Cache::new(CacheConfig { states, replacement, probes, seed });
    let mut twin = Twin::default();
    let mut stack: Vec<Vector> = Vec::new();
    let lengths = [3, 8, 9, 16, 24, 70];
    for step in 1..size(3_000).max(100) as u32 {
        let n = random.below(u64::from(states) * 3);
        let vector = nth(n, lengths[n as usize % lengths.len()]);
        let kind = KINDS[random.below(5) as usize];
        let visitor = Visitor { words: &vector.0, bytes: vector.1, kind, depth: random.below(20) as u32 };
        let context = || format!("{replacement:?}, seed {seed}, step {step}");
        match cache.arrive(&visitor) {
            Arrival::New { slot, evicted } => {
                assert!(!twin.states.contains_key(&vector), "{}", context());
                assert_eq!(evicted.is_some(), twin.states.len() == states as usize, "{}", context());
                if let Some(payload) = evicted {
                    twin.forget(replacement, payload, probes >= states);
                }
                assert_eq!(cache.payload(slot), 0);
                cache.set_payload(slot, step);
                twin.arrive(&vector, &visitor, slot, step);
                stack.push(vector.clone());
            }
            Arrival::Known { slot, on_stack } => {
                let it = twin.states.get_mut(&vector).unwrap_or_else(|| panic!("{}", context()));
                assert_eq!((slot, on_stack, cache.payload(slot)), (it.slot, it.pins > 0, it.payload), "{}", context());
                it.visits += 1;
                it.kind = it.kind.min(kind);
                twin.matched += 1;
                if random.below(3) == 0 {
                    it.pins += 1;
                    cache.pin(slot);
                    stack.push(vector.clone());
                }
            }
            Arrival::Full => {
                assert!(!twin.states.contains_key(&vector), "{}", context());
                assert_eq!(twin.states.values().filter(|it| it.pins > 0).count(), states as usize, "{}", context());
            }
        }
        while !stack.is_empty() && random.below(9) < 5 {
            let left = stack.swap_remove(random.below(stack.len() as u64) as usize);
            let it = twin.states.get_mut(&left).expect("it is pinned");
            it.pins -= 1;
            it.idle_since = twin.evicted;
            let below = random.below(50);
            it.below = it.below.max(below);
            cache.leave(it.slot, below);
        }
        if replacement == Replacement::RoundRobin {
            let oldest = twin.states.values().filter(|it| it.pins == 0).map(|it| twin.evicted - it.idle_since).max();
            assert!(oldest.unwrap_or(0) <= u64::from(4 * states + 8), "{oldest:?}, {}", context());
        }
        if step.is_multiple_of(16) {
            check(&cache, &twin);
        }
    }
}

fn check(cache: &Cache, twin: &Twin) {
    let it = cache.statistics();
    assert_eq!((it.stored, it.matched, it.evicted), (twin.stored, twin.matched, twin.evicted));
    assert_eq!(it.held as usize, twin.states.len());
    assert_eq!(it.pinned as usize, twin.states.values().filter(|it| it.pins > 0).count());
    assert!(it.pinned <= it.most_pinned && it.most_pinned <= it.held);
    assert!(it.distinct.abs_diff(twin.seen.len() as u64) <= 3, "{it:?}, {}", twin.seen.len());
    for (vector, known) in &twin.states {
        assert_eq!(cache.vector(known.slot), (&vector.0[..], vector.1));
    }
}

#[test]
fn forgets_what_the_strategy_says() {
    for replacement in all() {
        for seed in 1..=size(12).max(2) as u64 {
            compare(replacement, 1 << 20, seed);
            compare(replacement, 4, seed + 100);
        }
    }
}

/// Processes that go through a few states each, together: successors of each state.
fn product(random: &mut Random) -> Vec<Vec<usize>> {
    let sizes: Vec<usize> = (0..3).map(|_| 4 + random.below(6) as usize).collect();
    let mut steps: Vec<Vec<Vec<usize>>> = Vec::new();
    for &size in &sizes {
        let forth = |random: &mut Random, at: usize| {
            let mut next = vec![at + 1];
            if random.below(3) == 0 {
                next.push(at + 1 + random.below(3) as usize);
            }
            // Cycles, but few: they make the stack long.
            if random.below(20) == 0 {
                next.push(random.below(at as u64 + 1) as usize);
            }
            next.retain(|&it| it < size);
            next
        };
        steps.push((0..size).map(|at| forth(random, at)).collect());
    }
    let total: usize = sizes.iter().product();
    let successors = |state: usize| {
        let mut next = Vec::new();
        let (mut unit, mut rest) = (1, state);
        for (steps, &size) in steps.iter().zip(&sizes) {
            let at = rest % size;
            next.extend(steps[at].iter().map(|&to| state + to * unit - at * unit));
            rest /= size;
            unit *= size;
        }
        next
    };
    (0..total).map(successors).collect()
}

/// What a search found, and how many steps it took; nothing if its stack did not fit.
struct Search<'a> {
    graph: &'a [Vec<usize>],
    cache: Cache,
    visited: HashSet<usize>,
    steps: usize,
}

impl Search<'_> {
    fn arrive(&mut self, state: usize, depth: usize) -> Arrival {
        let (words, bytes) = nth(state as u64, 20);
        let kind = KINDS[state % 5];
        self.cache.arrive(&Visitor { words: &words, bytes, kind, depth: depth as u32 })
    }

    /// Depth-first; whether all fitted.
    fn run(&mut self) -> bool {
        let mut stack: Vec<(usize, usize, Slot, usize)> = Vec::new();
        let Arrival::New { slot, .. } = self.arrive(0, 0) else { return false };
        stack.push((0, 0, slot, 0));
        self.visited.insert(0);
        while let Some((state, next, slot, begun)) = stack.last_mut() {
            let Some(&successor) = self.graph[*state].get(*next) else {
                let below = self.steps - *begun;
                self.cache.leave(*slot, below as u64);
                stack.pop();
                continue;
            };
            *next += 1;
            let is_on_stack = stack.iter().any(|it| it.0 == successor);
            match self.arrive(successor, stack.len()) {
                Arrival::Full => {
                    assert_eq!(self.cache.statistics().pinned as usize, stack.len());
                    return false;
                }
                Arrival::Known { on_stack, .. } => {
                    assert!(self.visited.contains(&successor));
                    assert_eq!(on_stack, is_on_stack);
                }
                Arrival::New { slot, .. } => {
                    assert!(!is_on_stack);
                    self.visited.insert(successor);
                    self.steps += 1;
                    stack.push((successor, 0, slot, self.steps));
                }
            }
        }
        true
    }
}

/// All states that can be reached, by definition.
fn reachable(graph: &[Vec<usize>]) -> HashSet<usize> {
    let mut seen = HashSet::from([0]);
    let mut waiting = vec![0];
    while let Some(state) = waiting.pop() {
        waiting.extend(graph[state].iter().filter(|&&next| seen.insert(next)));
    }
    seen
}

#[test]
fn a_search_with_a_small_cache_visits_all_states() {
    let (mut complete, mut full) = (0, 0);
    for seed in 1..=size(40).max(2) as u64 {
        let graph = product(&mut Random(seed));
        let reachable = reachable(&graph);
        for replacement in all() {
            for percent in [100, 80, 60] {
                let states = (reachable.len() * percent).div_ceil(100) as u32;
                let cache = Cache::new(CacheConfig { states, replacement, seed, ..CacheConfig::default() });
                let mut search = Search { graph: &graph, cache, visited: HashSet::new(), steps: 0 };
                let fits = search.run();
                let it = search.cache.statistics();
                assert!(it.held <= states, "seed {seed}");
                assert_eq!(it.stored, search.steps as u64 + 1);
                if !fits {
                    assert!(percent < 100, "seed {seed}");
                    full += 1;
                    continue;
                }
                complete += 1;
                assert_eq!(search.visited, reachable, "{replacement:?}, {percent} %, seed {seed}");
                assert_eq!(it.pinned, 0);
                if percent == 100 {
                    assert_eq!((it.evicted, it.revisited), (0, 0), "seed {seed}");
                    assert_eq!(it.stored as usize, reachable.len());
                    assert_eq!(
                        it.matched as usize,
                        reachable.iter().map(|&it| graph[it].len()).sum::<usize>() + 1 - reachable.len()
                    );
                    assert!(!search.cache.explosion());
                }
            }
        }
    }
    assert!(complete > 10 * full, "{complete} complete, {full} with a stack that did not fit");
}

#[test]
fn work_done_twice_is_estimated_and_announced() {
    let mut random = Random(5);
    let mut cache = Cache::new(CacheConfig { states: 500, ..CacheConfig::default() });
    let (mut seen, mut again) = (HashSet::new(), 0);
    for step in 0..size(200_000) {
        let n = random.below(50_000);
        let (words, bytes) = nth(n, 20);
        if let Arrival::New { slot, .. } = cache.arrive(&Visitor { words: &words, bytes, kind: Kind::Other, depth: 0 })
        {
            again += u64::from(!seen.insert(n));
            cache.leave(slot, 0);
        }
        if step == 400 {
            assert_eq!(cache.statistics().revisited, 0);
            assert!(!cache.explosion());
        }
    }
    let it = cache.statistics();
    assert!(it.distinct.abs_diff(seen.len() as u64) < seen.len() as u64 / 30, "{it:?}, {} states", seen.len());
    assert!(it.revisited.abs_diff(again) < seen.len() as u64 / 30, "{it:?}, {again} again");
    assert_eq!(cache.explosion(), again > seen.len() as u64);
}

#[test]
fn memory_is_bounded() {
    let states = size(20_000) as u32;
    let mut cache = Cache::new(CacheConfig { states, ..CacheConfig::default() });
    let mut most = 0;
    for n in 0..3 * u64::from(states) {
        // The first ones are short, as in a search; a few are long.
        let bytes = if n < 5 {
            6
        } else if n.is_multiple_of(1_000) {
            200
        } else {
            33
        };
        let (words, bytes) = nth(n, bytes);
        if let Arrival::New { slot, .. } = cache.arrive(&Visitor { words: &words, bytes, kind: Kind::Send, depth: 1 }) {
            cache.leave(slot, 0);
        }
        most = most.max(cache.memory());
    }
    // A vector of five words, 24 bytes of entry, and at most 16 of table.
    let expected = states as usize * (40 + 24 + 22) + 40_000;
    assert!(most < expected, "{most} bytes, {expected} expected");
    assert!(most > states as usize * 60);
}
