//! Child processes with a time limit.

use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Instant;

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

/// A child process and what it took.
pub(crate) struct Measured {
    /// What it left behind.
    pub(crate) finished: Finished,
    /// Seconds from its start to its end.
    pub(crate) seconds: f64,
    /// The most memory that was resident at once; nothing where no program can tell.
    pub(crate) peak_bytes: Option<u64>,
}

/// What comes before the number in the line that `time` writes.
const PEAK: &str = "peak-kilobytes ";

/// Runs a program as [`run`] does, and watches its time and memory.
///
/// The kernel counts the pages of the process that forks as the child's, so the peak is taken by the
/// small program `time`, not by this one; it also spares us `wait4`, which is unsafe code.
pub(crate) fn measure(program: &str, args: &[&str], folder: &Path, seconds: u64) -> Result<Measured, String> {
    let format = format!("{PEAK}%M");
    let mut watched = vec!["-q", "-f", &format, program];
    watched.extend(args);
    let start = Instant::now();
    let mut finished =
        if exists("time") { run("time", &watched, folder, seconds)? } else { run(program, args, folder, seconds)? };
    let seconds = start.elapsed().as_secs_f64();
    let peak_bytes = take_peak(&mut finished.stderr);
    Ok(Measured { finished, seconds, peak_bytes })
}

/// Removes the line of `time`, and returns its number in bytes.
fn take_peak(text: &mut String) -> Option<u64> {
    let at = text.rfind(PEAK)?;
    let kilobytes: u64 = text[at + PEAK.len()..].trim().parse().ok()?;
    text.truncate(at);
    Some(kilobytes * 1024)
}

/// Runs a program in the foreground, its output shown to the user.
pub(crate) fn show(program: &str, args: &[&str], folder: &Path) -> bool {
    show_with(program, args, folder, &[])
}

/// The same with further variables.
pub(crate) fn show_with(program: &str, args: &[&str], folder: &Path, variables: &[(&str, &Path)]) -> bool {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).envs(variables.iter().copied());
    command.status().as_ref().is_ok_and(ExitStatus::success)
}

/// Whether a program of this name can be started.
pub(crate) fn exists(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

#[cfg(test)]
mod tests {
    use super::take_peak;

    #[test]
    fn the_line_of_time_is_taken_out() {
        let mut text = "a warning\npeak-kilobytes 12\n".to_owned();
        assert_eq!(take_peak(&mut text), Some(12 * 1024));
        assert_eq!(text, "a warning\n");
        assert_eq!(take_peak(&mut text), None);
    }
}
