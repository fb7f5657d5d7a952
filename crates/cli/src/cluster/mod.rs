//! Searches by several processes: who starts them, and how they find each other.

mod charge;
mod identity;
mod team;

pub(crate) use team::{end_with_supervisor, supervise};

use crate::args::{CheckArgs, LayoutArg, SearchArg};
use crate::files::Files;
use crate::output::complain;
use crate::plan::Resolved;
use charge::Charge;
use identity::{fingerprint, identity};
use spinor_cluster::{Hello, Neighbour, Wire, connect, join};
use spinor_explore::{Checkpoints, Identity, Peers, Resume, StoreKind, is_checkpoint};
use spinor_model::Model;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The time between two checkpoints.
const EVERY: Duration = Duration::from_secs(600);
/// How long processes wait for each other at the beginning.
const PATIENCE: Duration = Duration::from_secs(60);

/// The other processes, and the wire to them.
pub(crate) struct Company {
    pub(crate) peers: Peers,
    wire: Arc<Wire>,
}

impl Company {
    fn of(neighbours: Vec<Option<Neighbour>>) -> Result<Company, String> {
        let streams = neighbours.into_iter().map(|it| it.map(|it| it.stream)).collect();
        let (peers, wire) = join(streams)?;
        Ok(Company { peers, wire })
    }

    /// Leaves the others without a search. To say farewell would be to wait for them; that the process ends is what they
    /// see.
    pub(crate) fn abandon(self) {
        std::mem::forget(self);
    }

    /// Why the search is not complete, if a process was lost.
    pub(crate) fn loss(&self) -> Option<String> {
        self.wire.loss()
    }
}

/// Whether this process has nothing to print: the first one does it.
pub(crate) fn is_silent(args: &CheckArgs) -> bool {
    args.host_index.is_some_and(|index| index > 0)
}

/// What a search by several processes cannot do.
pub(crate) fn refuse(
    args: &CheckArgs,
    resolved: &Resolved,
    has_claims: bool,
    reads_hidden: bool,
) -> Result<(), String> {
    let directory = args.checkpoint.as_ref().or(args.resume.as_ref());
    if args.every.is_some() && directory.is_none() {
        return Err("--every says how often checkpoints are written: where, says --checkpoint DIR".into());
    }
    if args.restarts.is_some() && directory.is_none() {
        return Err("--restarts needs checkpoints: add --checkpoint DIR".into());
    }
    if directory.is_some() {
        let store = resolved.plan.store;
        if args.search != SearchArg::Bfs || store.is_lossy() || store == StoreKind::Cache || reads_hidden {
            return Err("checkpoints are written by breadth-first search with a store that loses nothing, of models \
                 that read no hidden variables"
                .into());
        }
        if args.layout == LayoutArg::Cells {
            return Err("checkpoints are written with --layout bits or bytes".into());
        }
    }
    if args.workers.is_none() && args.hosts.is_none() {
        return Ok(());
    }
    let parts = resolved.reduction.parts;
    // The searches of a swarm are divided among processes, and each is made by one alone.
    let is_swarm = resolved.plan.swarm > 1;
    let reason = if has_claims {
        "what a claim says of infinite executions is decided by one process: leave claims aside with --no-claim or \
         --property safety, without options that ask for more"
    } else if !matches!(args.search, SearchArg::Bfs | SearchArg::Dfs) {
        "several processes search with --search bfs or dfs"
    } else if is_swarm {
        return Ok(());
    } else if resolved.plan.store == StoreKind::Bitstate {
        "the bits of one search are not divided: --swarm N divides N searches among the processes"
    } else if args.search == SearchArg::Dfs && (parts.sleep.is_some() || parts.phases.is_some()) {
        "what sleeps at a state and which chains were followed belong to one stack: use one process, or another \
         reduction"
    } else if resolved.plan.threads > 1 {
        "each process has one thread: use more processes"
    } else if args.layout == LayoutArg::Cells {
        "states in cells stay in their process: use --layout bits"
    } else if reads_hidden {
        "the model reads hidden variables, whose states cannot be told apart by their vectors: use one process"
    } else if !matches!(
        resolved.plan.store,
        StoreKind::Exact | StoreKind::Tree | StoreKind::Collapse | StoreKind::HashCompact
    ) {
        "several processes use --store exact, tree, collapse or hash-compact"
    } else {
        return Ok(());
    };
    Err(reason.into())
}

fn version() -> u64 {
    fingerprint(env!("CARGO_PKG_VERSION").bytes())
}

/// A search: what makes it the one that it is.
pub(crate) struct Search(Identity);

impl Search {
    pub(crate) fn new(args: &CheckArgs, resolved: &Resolved, model: &Model) -> Search {
        Search(identity(args, resolved, model))
    }

    /// Each part of it with its name, as processes tell each other.
    fn fingerprints(&self) -> Vec<(String, u64)> {
        let Search(Identity(parts)) = self;
        parts.iter().map(|(name, value)| (name.clone(), fingerprint(value.bytes()))).collect()
    }
}

/// Where checkpoints are written, and from which to go on, if that is wanted.
pub(crate) fn checkpoints(args: &CheckArgs, Search(identity): &Search) -> Result<Option<Checkpoints>, String> {
    let every = args.every.unwrap_or(EVERY);
    if let Some(directory) = &args.resume {
        let (resume, note) = Resume::find(directory, identity)?;
        if let Some(note) = note.filter(|_| !is_silent(args)) {
            complain(&format!("note: {note}"));
        }
        refuse_unwritable(directory)?;
        let (directory, identity, resume) = (directory.clone(), identity.clone(), Some(resume));
        return Ok(Some(Checkpoints { directory, every, identity, resume }));
    }
    let Some(directory) = &args.checkpoint else { return Ok(None) };
    if is_checkpoint(directory) {
        return Err(format!("{0}: there is a checkpoint: go on with --resume {0}, or remove it", directory.display()));
    }
    refuse_unwritable(directory)?;
    let (directory, identity) = (directory.clone(), identity.clone());
    Ok(Some(Checkpoints { directory, every, identity, resume: None }))
}

/// What cannot be written is better known before the search than after it.
fn refuse_unwritable(directory: &Path) -> Result<(), String> {
    let probe = directory.join(format!("probe-{}", std::process::id()));
    let write = || {
        fs::create_dir_all(directory)?;
        fs::write(&probe, "probe")?;
        fs::remove_file(&probe)
    };
    write().map_err(|error| format!("no checkpoint can be written to {}: {error}", directory.display()))
}

/// Connects this process with the others, if there are any. The first one sends the model and the options to those who
/// have none.
pub(crate) fn company(args: &CheckArgs, search: &Search, files: &Files) -> Result<Option<Company>, String> {
    let Some((hosts, index)) = place(args)? else { return Ok(None) };
    let mut neighbours = reach(&hosts, index, Some(search.fingerprints()))?;
    if index == 0 {
        let bytes = Charge::here(files)?.write();
        let in_need = neighbours.iter_mut().flatten().filter(|it| it.hello.search.is_none());
        in_need.into_iter().try_for_each(|it| it.give(&bytes))?;
    }
    Company::of(neighbours).map(Some)
}

/// Connects a process that has no model with the others; what it is to do, the files for it, and the others.
pub(crate) fn follow(args: &CheckArgs) -> Result<(CheckArgs, Files, Company), String> {
    let Some((hosts, index)) = place(args)? else { return Err("there is no model".into()) };
    if index == 0 {
        return Err("the first process needs the model: the others get it from there".into());
    }
    if !charge::is_bare(args) {
        return Err("who gets the model from the first process gets the options from there, too".into());
    }
    let mut neighbours = reach(&hosts, index, None)?;
    let first = neighbours[0].as_mut().ok_or("the first process is missing")?;
    let charge = Charge::read(&first.take(PATIENCE)?)?;
    let (args, files) = charge.accept(args)?;
    Ok((args, files, Company::of(neighbours)?))
}

/// The addresses of all processes, and which of them this one is, if there are several.
fn place(args: &CheckArgs) -> Result<Option<(Vec<String>, usize)>, String> {
    let (Some(file), Some(index)) = (&args.hosts, args.host_index) else { return Ok(None) };
    let hosts = hosts(file)?;
    if index >= hosts.len() {
        return Err(format!("--host-index {index}: {} lists {} hosts, counted from 0", file.display(), hosts.len()));
    }
    Ok(Some((hosts, index)))
}

fn reach(hosts: &[String], index: usize, search: Option<Vec<(String, u64)>>) -> Result<Vec<Option<Neighbour>>, String> {
    let hello = Hello { index: index as u32, count: hosts.len() as u32, version: version(), search };
    connect(hosts, &hello, PATIENCE)
}

/// Addresses, one a line.
fn hosts(file: &Path) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let hosts: Vec<String> = lines.filter(|line| !line.is_empty()).map(str::to_string).collect();
    match hosts.iter().find(|host| !host.contains(':')) {
        Some(host) => Err(format!("{}: '{host}' has no port: lines are host:port", file.display())),
        None if hosts.len() < 2 => Err(format!("{}: lists fewer than two hosts", file.display())),
        None => Ok(hosts),
    }
}
