//! Child processes with a time limit.

use std::path::Path;
use std::process::{Command, ExitStatus};

/// What a child process left behind.
pub(crate) struct Finished {
    /// The exit code; `None` when a signal ended the process.
    pub(crate) code: Option<i32>,
    /// Whether the time limit ended the process.
    pub(crate) timed_out: bool,
    /// Everything written to standard output.
    pub(crate) stdout: String,
    /// Everything written to standard error.
    pub(crate) stderr: String,
}

impl Finished {
    /// Standard output, then standard error.
    pub(crate) fn text(&self) -> String {
        format!("{}\n{}", self.stdout, self.stderr)
    }
}

/// The exit code by which `timeout` says that time was up.
const TIME_WAS_UP: i32 = 124;
/// The exit code of `timeout` after it had to use the signal KILL.
const WAS_KILLED: i32 = 137;

/// Runs a program in a folder for at most `seconds` of time.
///
/// The limit is kept by the program `timeout` of the system, which ends the
/// whole group of processes: SPIN starts a shell, which starts a compiler.
pub(crate) fn run(program: &str, args: &[&str], folder: &Path, seconds: u64) -> Result<Finished, String> {
    let output = Command::new("timeout")
        .args(["-k", "1", &seconds.to_string(), program])
        .args(args)
        .current_dir(folder)
        .output()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    let code = output.status.code();
    Ok(Finished {
        code,
        timed_out: matches!(code, Some(TIME_WAS_UP | WAS_KILLED)),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Runs a program in the foreground, its output shown to the user.
pub(crate) fn show(program: &str, args: &[&str], folder: &Path) -> bool {
    Command::new(program).args(args).current_dir(folder).status().as_ref().is_ok_and(ExitStatus::success)
}

/// Whether a program of this name can be started.
pub(crate) fn exists(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}
