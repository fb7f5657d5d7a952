//! Processes of one search that this process starts, watches, and starts again.

use crate::Exit;
use crate::args::CheckArgs;
use crate::output::complain;
use spinor_explore::is_checkpoint;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How a process ends when another is lost.
const LOST: i32 = Exit::Lost as i32;
/// How long the others may take to end when one has.
const FAREWELL: Duration = Duration::from_secs(20);

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

/// Ends this process when the one that started it does, however that happens: then nobody waits for an answer any more.
pub(crate) fn end_with_supervisor() {
    thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(LOST);
    });
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
            command.stdin(Stdio::piped()).arg("check").arg("--supervised");
            command.arg("--hosts").arg(&team.hosts).arg("--host-index").arg(index.to_string());
            if index == 0 {
                command.args(&arguments.0);
            } else {
                // The first one sends the rest.
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

/// Arguments of the first process, behind the name of the command.
struct Arguments(Vec<OsString>);

impl Arguments {
    /// The same as those of the process that starts it.
    fn of(args: Vec<OsString>) -> Arguments {
        let options = args.into_iter().skip(1).collect();
        Arguments(without(without(options, "--workers"), "--restarts"))
    }

    /// The same, but it goes on from a checkpoint.
    fn resuming(self, directory: &Path) -> Arguments {
        let args = without(without(self.0, "--checkpoint"), "--resume");
        // In front, since behind `--` nothing is an option.
        Arguments([OsString::from("--resume"), directory.into()].into_iter().chain(args).collect())
    }
}

/// Arguments without an option and its value.
fn without(args: Vec<OsString>, option: &str) -> Vec<OsString> {
    let (mut is_value, mut is_over) = (false, false);
    let is_kept = |arg: &OsString| {
        let text = arg.to_string_lossy();
        let is_option = text == option;
        let is_kept =
            is_over || !is_value && !is_option && !text.strip_prefix(option).is_some_and(|it| it.starts_with('='));
        is_over |= text == "--";
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
        assert_eq!(arguments.0, ["m.pml", "--json", "--checkpoint", "here"]);
        assert_eq!(arguments.resuming(Path::new("here")).0, ["--resume", "here", "m.pml", "--json"]);
    }
}
