//! Searches by several processes: who starts them, and how they find each other.

use crate::Exit;
use crate::args::{CheckArgs, LayoutArg, SearchArg};
use crate::output::complain;
use crate::plan::Resolved;
use spinor_cluster::{Hello, Wire, connect, join};
use spinor_explore::{Checkpoints, Peers, Resume, StoreKind, is_checkpoint};
use spinor_model::Model;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How a process ends when another is lost.
const LOST: i32 = Exit::Lost as i32;
/// The time between two checkpoints.
const EVERY: Duration = Duration::from_secs(600);
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
    let reason = if has_claims {
        "what a claim says of infinite executions is decided by one process: add --no-claim or --property safety"
    } else if !matches!(args.search, SearchArg::Bfs | SearchArg::Dfs) {
        "several processes search with --search bfs or dfs"
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

/// What stands for a search: the model, the options and the version.
fn fingerprints(model: &Model, options: &str) -> [u64; 3] {
    [
        fingerprint(env!("CARGO_PKG_VERSION").bytes()),
        fingerprint(model.sources.files().flat_map(|file| file.text.bytes())),
        fingerprint(options.bytes()),
    ]
}

/// Where checkpoints are written, and from which to go on, if that is wanted.
pub(crate) fn checkpoints(args: &CheckArgs, model: &Model, options: &str) -> Result<Option<Checkpoints>, String> {
    let fingerprint = fingerprints(model, options).iter().fold(0_u64, |all, it| all.rotate_left(21) ^ it);
    let every = args.every.unwrap_or(EVERY);
    if let Some(directory) = &args.resume {
        let (resume, note) = Resume::find(directory, fingerprint)?;
        if let Some(note) = note.filter(|_| !is_silent(args)) {
            complain(&format!("note: {note}"));
        }
        let (directory, resume) = (directory.clone(), Some(resume));
        return Ok(Some(Checkpoints { directory, every, fingerprint, resume }));
    }
    let Some(directory) = &args.checkpoint else { return Ok(None) };
    if is_checkpoint(directory) {
        return Err(format!("{0}: there is a checkpoint: go on with --resume {0}, or remove it", directory.display()));
    }
    Ok(Some(Checkpoints { directory: directory.clone(), every, fingerprint, resume: None }))
}

/// Connects this process with the others, if there are any.
pub(crate) fn company(args: &CheckArgs, model: &Model, options: &str) -> Result<Option<Company>, String> {
    let (Some(file), Some(index)) = (&args.hosts, args.host_index) else { return Ok(None) };
    let hosts = hosts(file)?;
    if index >= hosts.len() {
        return Err(format!("--host-index {index}: {} lists {} hosts, counted from 0", file.display(), hosts.len()));
    }
    let [version, model, options] = fingerprints(model, options);
    let hello = Hello { index: index as u32, count: hosts.len() as u32, version, model, options };
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
pub(crate) fn supervise(args: &CheckArgs, workers: usize) -> Exit {
    let directory = args.checkpoint.as_ref().or(args.resume.as_ref());
    let mut restarts = args.restarts.unwrap_or(0);
    let mut arguments = Arguments::of(std::env::args_os().skip(1).collect());
    loop {
        let end = match Team::start(workers, &arguments) {
            Ok(team) => team.wait(),
            Err(reason) => {
                complain(&format!("error: {reason}"));
                return Exit::Usage;
            }
        };
        let reason = match end {
            End::Exit(exit) => return exit,
            End::Lost(reason) => reason,
        };
        let checkpoint = directory.filter(|it| is_checkpoint(it));
        if restarts == 0 {
            let hint = checkpoint.map(|it| format!("; go on with --resume {}", it.display())).unwrap_or_default();
            complain(&format!("error: {reason}: nothing is decided{hint}"));
            return Exit::Undecided;
        }
        restarts -= 1;
        if let Some(directory) = checkpoint {
            complain(&format!("note: {reason}; the search goes on from the last checkpoint"));
            arguments = arguments.resuming(directory);
        } else {
            complain(&format!("note: {reason}; the search begins again, because there is no checkpoint yet"));
        }
    }
}

/// How the processes of a search ended.
enum End {
    Exit(Exit),
    Lost(String),
}

/// Processes of one search, started by this one.
struct Team {
    children: Vec<Child>,
    /// Who repeat what children complain of.
    voices: Vec<JoinHandle<()>>,
    hosts: PathBuf,
}

impl Team {
    fn start(workers: usize, arguments: &Arguments) -> Result<Team, String> {
        let hosts = std::env::temp_dir().join(format!("spinor-{}.hosts", std::process::id()));
        fs::write(&hosts, addresses(workers)?.join("\n")).map_err(|error| format!("{}: {error}", hosts.display()))?;
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut team = Team { children: Vec::new(), voices: Vec::new(), hosts };
        for index in 0..workers {
            let mut command = Command::new(&program);
            command.args(&arguments.0);
            command.arg("--supervised").arg("--hosts").arg(&team.hosts).arg("--host-index").arg(index.to_string());
            if index > 0 {
                // The first one warns of what is in the model.
                command.args((!arguments.has("--no-warnings")).then_some("--no-warnings"));
                command.stdout(Stdio::null()).stderr(Stdio::piped());
            }
            let mut child = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
            team.voices.extend(child.stderr.take().map(|voice| thread::spawn(move || repeat(index, voice))));
            team.children.push(child);
        }
        Ok(team)
    }

    /// What the first process says, if all end as they should.
    fn wait(mut self) -> End {
        let mut ended: Vec<Option<ExitStatus>> = vec![None; self.children.len()];
        let mut deadline: Option<Instant> = None;
        while ended.contains(&None) {
            for (child, end) in self.children.iter_mut().zip(&mut ended).filter(|(_, end)| end.is_none()) {
                *end = child.try_wait().ok().flatten();
                if end.is_some() {
                    deadline.get_or_insert(Instant::now() + FAREWELL);
                }
            }
            let killed = ended.iter().position(|end| end.is_some_and(|it| it.code().is_none()));
            if let Some(index) = killed {
                return End::Lost(format!("process {index} of the search was killed"));
            }
            if deadline.is_some_and(|end| Instant::now() > end) {
                let index = ended.iter().position(Option::is_none).unwrap_or(0);
                return End::Lost(format!("process {index} of the search does not end"));
            }
            thread::sleep(Duration::from_millis(5));
        }
        match ended[0].and_then(|it| it.code()) {
            Some(0) => End::Exit(Exit::Holds),
            Some(1) => End::Exit(Exit::Violated),
            Some(2) => End::Exit(Exit::Usage),
            Some(130) => End::Exit(Exit::Interrupted),
            Some(LOST) => End::Lost("a process of the search was lost".into()),
            Some(3) => End::Exit(Exit::Undecided),
            _ => End::Lost("process 0 of the search failed".into()),
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
        for voice in self.voices.drain(..) {
            let _ = voice.join();
        }
        let _ = fs::remove_file(&self.hosts);
    }
}

/// Says what a process complains of, and which one it is.
fn repeat(index: usize, voice: ChildStderr) {
    BufReader::new(voice).lines().map_while(Result::ok).for_each(|line| complain(&format!("process {index}: {line}")));
}

/// Addresses on this machine that are free.
fn addresses(count: usize) -> Result<Vec<String>, String> {
    let listeners: Result<Vec<TcpListener>, _> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0")).collect();
    let listeners = listeners.map_err(|error| format!("no free port: {error}"))?;
    let address = |it: &TcpListener| it.local_addr().map(|it| it.to_string()).map_err(|error| error.to_string());
    listeners.iter().map(address).collect()
}

/// Arguments of one of the processes.
struct Arguments(Vec<OsString>);

impl Arguments {
    /// The same as those of the process that starts it.
    fn of(args: Vec<OsString>) -> Arguments {
        Arguments(without(without(args, "--workers"), "--restarts"))
    }

    fn has(&self, option: &str) -> bool {
        self.0.iter().any(|it| it == option)
    }

    /// The same, but it goes on from a checkpoint.
    fn resuming(self, directory: &Path) -> Arguments {
        let mut args = without(without(self.0, "--checkpoint"), "--resume");
        args.extend(["--resume".into(), directory.into()]);
        Arguments(args)
    }
}

/// Arguments without an option and its value.
fn without(args: Vec<OsString>, option: &str) -> Vec<OsString> {
    let mut is_value = false;
    let is_kept = |arg: &OsString| {
        let text = arg.to_string_lossy();
        let is_option = text == option;
        let is_kept = !is_value && !is_option && !text.strip_prefix(option).is_some_and(|it| it.starts_with('='));
        is_value = is_option;
        is_kept
    };
    args.into_iter().filter(is_kept).collect()
}

#[cfg(test)]
mod tests {
    use super::Arguments;
    use std::ffi::OsString;
    use std::path::Path;

    #[test]
    fn a_process_is_started_without_the_options_that_start_it() {
        let args = ["check", "--workers", "3", "m.pml", "--restarts=2", "--json", "--checkpoint", "here"];
        let arguments = Arguments::of(args.iter().map(OsString::from).collect());
        assert_eq!(arguments.0, ["check", "m.pml", "--json", "--checkpoint", "here"]);
        assert_eq!(arguments.resuming(Path::new("here")).0, ["check", "m.pml", "--json", "--resume", "here"]);
    }
}
