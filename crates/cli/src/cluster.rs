//! Searches by several processes: who starts them, and how they find each other.

use crate::Exit;
use crate::args::{CheckArgs, LayoutArg, SearchArg};
use crate::output::complain;
use crate::plan::Resolved;
use spinor_cluster::{Hello, Wire, connect, join};
use spinor_explore::{Peers, StoreKind};
use spinor_model::Model;
use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How long processes wait for each other at the beginning.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long the others may take to end when one has.
const FAREWELL: Duration = Duration::from_secs(20);

/// The other processes, and the wire to them.
pub(crate) struct Company {
    pub(crate) peers: Peers,
    wire: Arc<Wire>,
}

impl Company {
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
    if args.workers.is_none() && args.hosts.is_none() {
        return Ok(());
    }
    let reason = if has_claims {
        "what a claim says of infinite executions is decided by one process: add --no-claim or --property safety"
    } else if args.search != SearchArg::Bfs {
        "several processes search breadth-first only: use --search bfs"
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

/// Connects this process with the others, if there are any.
pub(crate) fn company(args: &CheckArgs, model: &Model, options: &str) -> Result<Option<Company>, String> {
    let (Some(file), Some(index)) = (&args.hosts, args.host_index) else { return Ok(None) };
    let hosts = hosts(file)?;
    if index >= hosts.len() {
        return Err(format!("--host-index {index}: {} lists {} hosts, counted from 0", file.display(), hosts.len()));
    }
    let hello = Hello {
        index: index as u32,
        count: hosts.len() as u32,
        version: fingerprint(env!("CARGO_PKG_VERSION").bytes()),
        model: fingerprint(model.sources.files().flat_map(|file| file.text.bytes())),
        options: fingerprint(options.bytes()),
    };
    let (peers, wire) = join(connect(&hosts, &hello, PATIENCE)?)?;
    Ok(Some(Company { peers, wire }))
}

/// FNV-1a.
fn fingerprint(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
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

/// Starts the processes of a search on this machine, and waits for them.
pub(crate) fn supervise(workers: usize) -> Exit {
    match Team::start(workers) {
        Ok(team) => team.wait(),
        Err(reason) => {
            complain(&format!("error: {reason}"));
            Exit::Usage
        }
    }
}

/// Processes of one search, started by this one.
struct Team {
    children: Vec<Child>,
    hosts: PathBuf,
}

impl Team {
    fn start(workers: usize) -> Result<Team, String> {
        let hosts = std::env::temp_dir().join(format!("spinor-{}.hosts", std::process::id()));
        fs::write(&hosts, addresses(workers)?.join("\n")).map_err(|error| format!("{}: {error}", hosts.display()))?;
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut team = Team { children: Vec::new(), hosts };
        for index in 0..workers {
            let mut command = Command::new(&program);
            command.args(without_workers(std::env::args_os().skip(1)));
            command.arg("--hosts").arg(&team.hosts).arg("--host-index").arg(index.to_string());
            if index > 0 {
                command.stdout(Stdio::null());
            }
            team.children.push(command.spawn().map_err(|error| format!("{}: {error}", program.display()))?);
        }
        Ok(team)
    }

    /// What the first process says, if all end as they should.
    fn wait(mut self) -> Exit {
        let mut ended: Vec<Option<ExitStatus>> = vec![None; self.children.len()];
        let mut deadline: Option<Instant> = None;
        while ended.contains(&None) {
            for (child, end) in self.children.iter_mut().zip(&mut ended).filter(|(_, end)| end.is_none()) {
                *end = child.try_wait().ok().flatten();
                if end.is_some() {
                    deadline.get_or_insert(Instant::now() + FAREWELL);
                }
            }
            if deadline.is_some_and(|end| Instant::now() > end) {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        if let Some(index) = ended.iter().position(|end| end.is_some_and(|it| it.code().is_none())) {
            complain(&format!("error: process {index} of the search was killed: nothing is decided"));
            return Exit::Undecided;
        }
        match ended[0].and_then(|it| it.code()) {
            Some(0) => Exit::Holds,
            Some(1) => Exit::Violated,
            Some(2) => Exit::Usage,
            Some(130) => Exit::Interrupted,
            _ => Exit::Undecided,
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        for child in &mut self.children {
            // Who has ended is not hurt.
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = fs::remove_file(&self.hosts);
    }
}

/// Addresses on this machine that are free.
fn addresses(count: usize) -> Result<Vec<String>, String> {
    let listeners: Result<Vec<TcpListener>, _> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0")).collect();
    let listeners = listeners.map_err(|error| format!("no free port: {error}"))?;
    let address = |it: &TcpListener| it.local_addr().map(|it| it.to_string()).map_err(|error| error.to_string());
    listeners.iter().map(address).collect()
}

/// The same arguments for one of the processes.
fn without_workers(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut is_value = false;
    for arg in args {
        let text = arg.to_string_lossy();
        let is_option = text == "--workers";
        if !is_value && !is_option && !text.starts_with("--workers=") {
            kept.push(arg);
        }
        is_value = is_option;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::without_workers;
    use std::ffi::OsString;

    #[test]
    fn a_process_is_started_without_the_option_that_starts_it() {
        let args = ["check", "--workers", "3", "m.pml", "--workers=2", "--json"];
        let kept = without_workers(args.iter().map(OsString::from));
        assert_eq!(kept, ["check", "m.pml", "--json"]);
    }
}
