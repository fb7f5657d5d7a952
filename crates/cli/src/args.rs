//! What the user typed.

use crate::macros::Macros;
use clap::{Args, Parser, Subcommand, ValueEnum};
use spinor_explore::reduce::sound::Wanted;
use spinor_explore::symmetry::Strategy;
use spinor_explore::{Replacement, Strata};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An explicit-state model checker for PROMELA.
#[derive(Debug, Parser)]
#[command(
    version,
    about,
    long_about = "An explicit-state model checker for PROMELA.\n\n\
        `spinor check model.pml` visits every state that the model can reach and decides whether an\n\
        assertion can fail, all processes that are left can wait (a deadlock), or the model is at fault (a division by zero,\n\
        an index out of bounds). What it finds is shown as an execution, step by step.",
    after_help = "Exit codes: 0 holds, 1 violated, 2 usage, model or output error, 3 undecided, 130 interrupted."
)]
pub(crate) struct Spinor {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Decide everything that a model asks
    Check(Box<CheckArgs>),
    /// Run several algorithms on a model, side by side
    Compare(CompareArgs),
    /// Execute a model: at random, along a trail, or step by step
    Simulate(SimulateArgs),
    /// Show the execution that a trail file describes
    Replay(ReplayArgs),
    /// Print the process automata of a model
    Automata(AutomataArgs),
    /// Tell which processes of a model can change places, and what keeps others from it
    Symmetry(SymmetryArgs),
    /// Print the Büchi automaton of a formula
    Ltl(LtlArgs),
}

/// The model and how to read it.
#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// The model, a PROMELA file
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// How a model is read.
#[derive(Debug, Args)]
pub(crate) struct ReadingArgs {
    #[command(flatten)]
    pub(crate) macros: Macros,
    /// Do not print warnings about the model
    #[arg(long)]
    pub(crate) no_warnings: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchArg {
    /// Depth-first
    Dfs,
    /// Breadth-first: short counterexamples, with `--reduce none` the shortest
    Bfs,
    /// Breadth-first; cycles by components
    Scc,
    /// Breadth-first; cycles by nested depth-first search
    Ndfs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineArg {
    /// By the reference interpreter
    Interpret,
    /// By machine code, made while the search runs
    Native,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutArg {
    /// Each variable in whole bytes
    Bytes,
    /// Each variable in as few bits as its values need
    Bits,
    /// Several variables as the digits of one number: fewer bytes than bits, more time
    Cells,
}

/// Where states are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreArg {
    Exact,
    Tree,
    Collapse,
    HashCompact,
    Bitstate,
    /// Who is forgotten may be left to the reduction.
    Cache {
        states: u32,
        replacement: Option<Replacement>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProvisoArg {
    /// Some successor must be new: enough for safety
    Weak,
    /// All must be new
    Strong,
    /// The weakest that is enough
    Auto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PreserveArg {
    /// Deadlocks only; assertions and faults are not checked
    Deadlock,
    /// Deadlocks, assertions and faults
    Assertions,
    /// These, and which statements are never executed
    Statements,
    /// These, and all values that global variables and channels have together
    Invariants,
    /// These, and formulas of linear time without "next" over global variables and channels
    Ltl,
    /// All that is checked
    Auto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EncodeArg {
    /// Bytes by a Huffman code, made from the first states and fixed for the search
    Huffman,
    /// Runs of equal bytes by their lengths
    Rle,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    spinor check model.pml                      a short way to an error, or the proof that there is none\n  \
    spinor check -DN=4 --max-memory 4G model.pml\n  \
    spinor check --search dfs --keep-going --json model.pml\n  \
    spinor check --threads 8 --store tree model.pml\n  \
    spinor check --store bitstate --bitstate-memory 1G --swarm 4 model.pml   hunt for errors in a huge model\n\n\
    Exit codes: 0 holds, 1 violated, 2 usage, model or output error, 3 undecided, 130 interrupted.")]
pub(crate) struct CheckArgs {
    /// The model, a PROMELA file. A process of --hosts that is not the first needs none: the first sends it the model and
    /// all options
    #[arg(required_unless_present = "hosts")]
    pub(crate) model: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// The order in which states are visited
    #[arg(long, value_enum, default_value = "bfs")]
    pub(crate) search: SearchArg,
    /// The reduction to use: names joined by `+`, `none`, or `auto` for the strongest that is sound.
    /// Names: symmetry, merge, dead, and one of local, ample, overman, stubborn, stubborn=deletion; with `dfs` also sleep,
    /// alone or with one of these, and two-phase, two-phase-1; for comparison with papers, and never decided
    /// without an error: conflict, conflict-002, dfs3
    #[arg(long, value_name = "NAMES", default_value = "auto")]
    pub(crate) reduce: Wanted,
    /// How a representative of states that differ only in which process is which is found: auto, sorted, segmented,
    /// full, climb; for --reduce with `symmetry`
    #[arg(long, value_name = "STRATEGY")]
    pub(crate) symmetry: Option<Strategy>,
    /// When a reduction may leave steps for later
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) proviso: ProvisoArg,
    /// What a reduction must preserve
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) preserve: PreserveArg,
    /// How steps are computed [default: native, unless the model needs the interpreter: priorities,
    /// provided clauses, hidden variables that are read]
    #[arg(long, value_enum)]
    pub(crate) engine: Option<EngineArg>,
    /// How states lie in memory
    #[arg(long, value_enum, default_value = "bits")]
    pub(crate) layout: LayoutArg,
    /// Where visited states are kept.
    /// exact: whole states; goes over to `tree` when they do not fit into --max-memory.
    /// tree: states as trees that share their parts, a few bytes a state, no loss.
    /// collapse: states as numbers of their parts (SPIN's -DCOLLAPSE), no loss.
    /// hash-compact: a 64-bit hash of each state; can miss states, with a probability that is reported.
    /// bitstate: a few bits for each state (SPIN's -DBITSTATE), or hashes while these fit into the same memory;
    /// misses states when the bits fill up.
    /// cache=N or cache=N,POLICY: at most N states, which depth-first search forgets and visits again; policies:
    /// random, typed, most-visited, least-visited, largest-class, round-robin, smallest-subtree, stratified=K; if
    /// none is named smallest-subtree with sleep sets, random otherwise.
    /// With `hash-compact` or `bitstate` a search that finds nothing is undecided
    #[arg(long, value_name = "STORE", default_value = "exact", value_parser = parse_store)]
    pub(crate) store: StoreArg,
    /// Encode each state before it is stored, without loss; for `exact`. Less memory for states that lie in
    /// whole bytes (--layout bytes), more time; `tree` is better at both as a rule
    #[arg(long, value_enum, value_name = "CODE")]
    pub(crate) encode: Option<EncodeArg>,
    /// The memory of `--store bitstate` [default: 64M, or most of --max-memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) bitstate_memory: Option<usize>,
    /// Bits for each state of `--store bitstate` [default: 3]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub(crate) hashes: Option<u32>,
    /// Search N times with other hash functions, up to the first error; for `hash-compact` and
    /// `bitstate`. With --workers or --hosts the searches are divided among the processes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) swarm: Option<u32>,
    /// The seed of the hash functions of `hash-compact` and `bitstate` [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Search with N threads. States and transitions are the same for every N; with `dfs`, depth
    /// and trails are not
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: u16,
    /// Search with N processes on this machine, each with the states that are its own and up to --max-memory for them
    #[arg(long, value_name = "N", conflicts_with = "hosts", value_parser = clap::value_parser!(u16).range(2..=256))]
    pub(crate) workers: Option<u16>,
    /// Search with a process on each of several machines: a file with their addresses, host:port, one a line. The first
    /// one gets the model and the options, and prints the report; the others are started with --hosts and --host-index
    /// only. Who has another version, or is given another model or other options, is refused
    #[arg(long, value_name = "FILE", requires = "host_index")]
    pub(crate) hosts: Option<PathBuf>,
    /// Which line of --hosts this process is, counted from 0
    #[arg(long, value_name = "I", requires = "hosts")]
    pub(crate) host_index: Option<usize>,
    /// Somebody watches this process, and says what happens if another is lost
    #[arg(long, hide = true, requires = "hosts")]
    pub(crate) supervised: bool,
    /// Write checkpoints into a directory, from which --resume goes on; with several machines, one that all of them see
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// The time between two checkpoints [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) every: Option<Duration>,
    /// Go on from the last checkpoint in a directory, also with another number of processes, and write more
    #[arg(long, value_name = "DIR")]
    pub(crate) resume: Option<PathBuf>,
    /// Start processes that died again, from the last checkpoint, up to N times
    #[arg(long, value_name = "N", requires = "workers")]
    pub(crate) restarts: Option<u32>,
    /// Go on after an error, and count them all
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// Do not follow executions longer than this
    #[arg(long, value_name = "STEPS")]
    pub(crate) max_depth: Option<usize>,
    /// Stop when states and what waits to be visited take more memory than this, as in 500M or 4G.
    /// Whole states move to `--store tree` first
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) max_memory: Option<usize>,
    /// Stop after this time, as in 30s, 10m or 2h
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) max_time: Option<Duration>,
    /// Check one property of the model only: the name of an ltl block or a never claim, `safety`, `acceptance` or
    /// `progress`. What --ltl, --ltl-file, --claim and --progress add is checked as well
    #[arg(long, value_name = "NAME", conflicts_with = "no_claim")]
    pub(crate) property: Option<String>,
    /// Check a formula as well, as if it stood in an ltl block
    #[arg(long, value_name = "FORMULA", conflicts_with = "no_claim")]
    pub(crate) ltl: Vec<String>,
    /// Check the formula in a file as well, or the ltl blocks in it
    #[arg(long, value_name = "FILE", conflicts_with = "no_claim")]
    pub(crate) ltl_file: Option<PathBuf>,
    /// Check the claim in a file as well, a never claim or an automaton in the HOA format whose atoms are expressions
    /// of the model: what it accepts must not be
    #[arg(long, value_name = "FILE", conflicts_with = "no_claim")]
    pub(crate) claim: Option<PathBuf>,
    /// Check that no execution goes round for ever without passing a progress label
    #[arg(long)]
    pub(crate) progress: bool,
    /// Weak fairness: a cycle counts only if each process that could always move in it does so
    #[arg(long)]
    pub(crate) fair: bool,
    /// Leave never claims, ltl blocks, accept labels and traces aside
    #[arg(long)]
    pub(crate) no_claim: bool,
    /// Do not report invalid end states
    #[arg(long)]
    pub(crate) no_end_states: bool,
    /// Do not report assertions
    #[arg(long)]
    pub(crate) no_assertions: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Where trail files go; next to the model by default
    #[arg(long, value_name = "DIR")]
    pub(crate) trail_dir: Option<PathBuf>,
    /// Write no trail files
    #[arg(long, conflicts_with = "trail_dir")]
    pub(crate) no_trail: bool,
}

impl CheckArgs {
    /// Where the model is; nowhere if this process has none.
    pub(crate) fn path(&self) -> &Path {
        self.model.as_deref().unwrap_or(Path::new(""))
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    spinor compare model.pml\n  \
    spinor compare --algorithms none,local,ample,stubborn model.pml -- --search dfs --max-time 60s\n  \
    spinor compare --csv --plot figure.svg model.pml\n\n\
    What stands behind `--` are options of `spinor check`, for all algorithms.\n\
    Exit codes: 0 printed, 2 usage or model error, 130 interrupted.")]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The algorithms, as for `check --reduce`
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "none,local,ample,overman,stubborn,stubborn=deletion"
    )]
    pub(crate) algorithms: Vec<String>,
    /// Print a line with commas for each algorithm
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw time against memory
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// Options of `spinor check`
    #[arg(last = true)]
    pub(crate) options: Vec<String>,
}

/// What to show of each step.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Show every statement
    #[arg(short = 'p')]
    pub(crate) statements: bool,
    /// Show global variables that change
    #[arg(short = 'g')]
    pub(crate) globals: bool,
    /// Show local variables that change
    #[arg(short = 'l')]
    pub(crate) locals: bool,
    /// Show sends
    #[arg(short = 's')]
    pub(crate) sends: bool,
    /// Show receives
    #[arg(short = 'r')]
    pub(crate) receives: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    spinor simulate -p -g model.pml             one random execution, with statements and global variables\n  \
    spinor simulate --seed 7 --steps 100 model.pml\n  \
    spinor simulate --interactive model.pml     choose each step yourself")]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) show: ShowArgs,
    /// The seed of the random choices: the same seed gives the same execution
    #[arg(long, default_value_t = 1, conflicts_with = "interactive")]
    pub(crate) seed: u64,
    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) steps: usize,
    /// Choose each step yourself
    #[arg(short, long, conflicts_with = "trail")]
    pub(crate) interactive: bool,
    /// Follow a trail file first, native or SPIN's
    #[arg(long, value_name = "FILE")]
    pub(crate) trail: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The trail file, native or SPIN's
    pub(crate) trail: PathBuf,
    #[command(flatten)]
    pub(crate) show: ShowArgs,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 printed, 2 usage or model error.")]
pub(crate) struct SymmetryArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AutomataFormat {
    /// One line per edge
    Text,
    /// For Graphviz
    Dot,
}

#[derive(Debug, Args)]
pub(crate) struct AutomataArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The format
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: AutomataFormat,
    /// Print the values that variables and messages can have instead
    #[arg(long, conflicts_with = "format")]
    pub(crate) ranges: bool,
    /// Print what the processes of the first state touch at each location instead
    #[arg(long, conflicts_with_all = ["ranges", "format"])]
    pub(crate) dependence: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AcceptanceArg {
    /// States accept, as in a never claim
    State,
    /// Edges accept
    Transition,
    /// Edges accept, with several marks: the smallest automaton
    Generalised,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    spinor ltl '[] (p -> <> q)'                 a never claim, as `spin -f` writes it\n  \
    spinor ltl --negate '[] ((x > 3) -> <> (P@done))'\n  \
    spinor ltl --dot '[] <> p' | dot -Tsvg\n  \
    spinor ltl --hoa --acceptance generalised '[] <> p && [] <> q'\n\n\
    Operators: ! && || -> <-> [] <> X U W V (or R), and the words always, eventually, next, until,\n\
    weakuntil, release, implies, equivalent. An expression of the model is an atom, in parentheses or in\n\
    braces: (x > 3), {len(q) == 2}.\n\n\
    Exit codes: 0 printed, 2 usage error or a formula that cannot be read or is too large.")]
pub(crate) struct LtlArgs {
    /// The formula, in SPIN's notation
    pub(crate) formula: String,
    /// Print the automaton of the negation: what a claim looks for when the formula shall hold
    #[arg(long)]
    pub(crate) negate: bool,
    /// Print it for Graphviz
    #[arg(long, group = "format", group = "drawing")]
    pub(crate) dot: bool,
    /// Print it in the Hanoi Omega-Automata format
    #[arg(long, group = "format", group = "drawing")]
    pub(crate) hoa: bool,
    /// Print its sizes and kind as one JSON object
    #[arg(long, group = "format")]
    pub(crate) json: bool,
    /// What accepts, for --dot and --hoa
    #[arg(long, value_enum, default_value = "state", requires = "drawing")]
    pub(crate) acceptance: AcceptanceArg,
}

fn parse_store(text: &str) -> Result<StoreArg, String> {
    Ok(match text {
        "exact" => StoreArg::Exact,
        "tree" => StoreArg::Tree,
        "collapse" => StoreArg::Collapse,
        "hash-compact" => StoreArg::HashCompact,
        "bitstate" => StoreArg::Bitstate,
        _ => {
            let names = "exact, tree, collapse, hash-compact, bitstate, cache=N";
            let cache =
                text.strip_prefix("cache").ok_or_else(|| format!("there is no such store: there are {names}"))?;
            return parse_cache(cache);
        }
    })
}

fn parse_cache(text: &str) -> Result<StoreArg, String> {
    let wanted = "write how many states it holds, as in cache=100000 or cache=100000,typed";
    let text = text.strip_prefix('=').ok_or(wanted)?;
    let (states, policy) = text.split_once(',').map_or((text, None), |(states, policy)| (states, Some(policy)));
    let states = states.parse().ok().filter(|&states: &u32| states > 0).ok_or(wanted)?;
    Ok(StoreArg::Cache { states, replacement: policy.map(parse_policy).transpose()? })
}

fn parse_policy(policy: &str) -> Result<Replacement, String> {
    if let Some(every) = policy.strip_prefix("stratified=") {
        let every = every.parse().ok().filter(|&every: &u32| every > 0);
        let every = every.ok_or("write the distance of the levels to be kept, as in stratified=4")?;
        return Ok(Replacement::Stratified(Strata { every, at: 0 }));
    }
    let named = Replacement::PLAIN.into_iter().find(|it| it.name() == policy);
    let names = || Replacement::PLAIN.map(Replacement::name).join(", ");
    named.ok_or_else(|| format!("there is no policy `{policy}`: there are {}, stratified=K", names()))
}

fn parse_size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        other => return Err(format!("'{other}' is no unit: use K, M or G")),
    };
    let number: usize = digits.parse().map_err(|_| "write a size as in 500M or 4G".to_string())?;
    number.checked_mul(1 << unit).ok_or_else(|| "this size is too large".to_string())
}

fn parse_time(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("'{other}' is no unit: use s, m or h")),
    };
    let number: f64 = digits.parse().map_err(|_| "write a time as in 30s, 10m or 2h".to_string())?;
    Duration::try_from_secs_f64(number * unit).map_err(|_| "this time is out of range".to_string())
}
