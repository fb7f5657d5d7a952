//! What to do, with every default decided.

use crate::checkpoint::Checkpoints;
use crate::peers::{Division, Peers};
use spinor_store::CacheConfig;
use std::num::NonZero;
use std::thread;
use std::time::{Duration, Instant};

/// In which order states are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Depth-first: little memory besides the states, long counterexamples.
    DepthFirst,
    /// Breadth-first: shortest counterexamples.
    BreadthFirst,
}

/// Where states are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// Whole vectors.
    Exact,
    /// Vectors as trees that share their parts.
    Tree,
    /// Vectors as tuples of numbered parts.
    Collapse,
    /// A hash of each vector: states may be confused.
    HashCompact,
    /// A few bits for each vector: states are confused.
    Bitstate,
    /// Whole vectors, of which some are forgotten that the search has left: for depth-first search with one thread.
    Cache,
}

impl StoreKind {
    /// Its name in options and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StoreKind::Exact => "exact",
            StoreKind::Tree => "tree",
            StoreKind::Collapse => "collapse",
            StoreKind::HashCompact => "hash-compact",
            StoreKind::Bitstate => "bitstate",
            StoreKind::Cache => "cache",
        }
    }

    /// Whether two states may be taken for one.
    #[must_use]
    pub fn is_lossy(self) -> bool {
        matches!(self, StoreKind::HashCompact | StoreKind::Bitstate)
    }
}

/// When a part of the successors of a state may stand for all. Otherwise steps
/// could be postponed for ever around a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proviso {
    /// Always: deadlocks are not on cycles.
    None,
    /// If some successor of the part was not visited before this state (depth-first: is not on the stack):
    /// enough for safety.
    Weak,
    /// If none was: needed for liveness.
    Strong,
}

/// How whole vectors are encoded before they are stored (paper 000, Algorithm 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// A static Huffman code of bytes, made from the first states of the search.
    Huffman,
    /// Runs of equal bytes as their lengths.
    RunLength,
}

impl Encoding {
    /// Its name in options and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Huffman => "huffman",
            Encoding::RunLength => "rle",
        }
    }
}

/// A search that is fully decided.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The order.
    pub order: Order,
    /// Where states are kept.
    pub store: StoreKind,
    /// When a reduction may take part of the successors for all.
    pub proviso: Proviso,
    /// How vectors are encoded; for [`StoreKind::Exact`] only, without effect on what is compared.
    pub encode: Option<Encoding>,
    /// How many threads search.
    pub threads: usize,
    /// Where the hash functions of lossy stores begin.
    pub seed: u64,
    /// Bytes of the bits of a bitstate search.
    pub bitstate_bytes: usize,
    /// Bits for each state of a bitstate search.
    pub hashes: u32,
    /// How a cache is to be.
    pub cache: CacheConfig,
    /// How many searches with a lossy store are made, each with a seed of its own.
    pub swarm: u32,
    /// Go on after an error.
    pub keep_going: bool,
    /// How many violations are kept with their trails when going on; all are counted.
    pub max_violations: usize,
    /// How many moves the trails that are kept have in all: beyond, violations are counted only.
    pub max_moves: usize,
    /// Steps beyond which the search does not follow.
    pub max_depth: Option<usize>,
    /// Bytes beyond which the search stops.
    pub max_memory: Option<usize>,
    /// Time after which the search stops.
    pub max_time: Option<Duration>,
    /// Report states in which processes wait for ever.
    pub end_states: bool,
    /// Report assertions that do not hold.
    pub assertions: bool,
    /// Breadth-first: up to this many states, how each was reached is kept. Beyond, paths are found
    /// by searching again; with several processes always, beyond this, if nothing is reduced, by all of them together.
    pub log_limit: u64,
    /// Breadth-first: levels with fewer states are left to one thread.
    pub small_level: usize,
    /// The processes that search together, if there are several.
    pub peers: Option<Peers>,
    /// What of a state says to whom of them it belongs. They find out when they begin.
    pub division: Division,
    /// Breadth-first: where checkpoints are.
    pub checkpoints: Option<Checkpoints>,
}

impl Plan {
    /// How many threads search, those of other processes included: they may be on the same machine.
    fn searchers(&self) -> usize {
        self.threads * self.peers.as_ref().map_or(1, |peers| peers.count())
    }

    /// The same for a search that begins now, when what it is a part of has begun before: the time is less by as much.
    #[must_use]
    pub fn since(&self, begun: Instant) -> Plan {
        let max_time = self.max_time.map(|limit| limit.saturating_sub(begun.elapsed()));
        Plan { max_time, ..self.clone() }
    }

    /// Whether there is a core for each thread.
    pub(crate) fn has_cores(&self) -> bool {
        self.searchers() <= cores()
    }

    /// Whether there is a core that no thread uses: what is done in the background costs nothing then.
    #[must_use]
    pub fn leaves_core(&self) -> bool {
        self.searchers() < cores()
    }
}

/// How many cores this process may use.
fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            order: Order::BreadthFirst,
            store: StoreKind::Exact,
            proviso: Proviso::Weak,
            encode: None,
            threads: 1,
            seed: 0,
            bitstate_bytes: 64 << 20,
            hashes: 3,
            cache: CacheConfig::default(),
            swarm: 1,
            keep_going: false,
            max_violations: 100,
            max_moves: 200_000,
            max_depth: None,
            max_memory: None,
            max_time: None,
            end_states: true,
            assertions: true,
            log_limit: 1 << 17,
            small_level: 24,
            peers: None,
            division: Division::default(),
            checkpoints: None,
        }
    }
}
