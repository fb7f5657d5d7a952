//! SPIN as the oracle: generate, compile and run its verifier, read what it says.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::command::{self, Finished};
use crate::facts::{Facts, Findings, Kind};

/// Options of SPIN's front end with which every statement is a step and every variable counts.
const PLAIN: [&str; 3] = ["-o1", "-o2", "-o3"];

/// How far a run of the verifier may go.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Seconds for the search.
    pub(crate) seconds: u64,
    /// The depth of the search stack.
    pub(crate) depth: u64,
    /// The number of slots in the hash table, as a power of two.
    pub(crate) table: u8,
}

/// A finished search.
pub(crate) struct Report {
    /// Counts and kinds of error.
    pub(crate) facts: Facts,
    /// The first error that is neither an assertion nor an end state.
    pub(crate) complaint: Option<String>,
}

/// Why a model gives no counts to compare with.
#[derive(Debug)]
pub(crate) enum Unusable {
    /// SPIN does not accept the model.
    Refused(String),
    /// The generated verifier does not compile.
    NoCompile(String),
    /// Time was up.
    Time,
    /// The search stack was too small.
    Depth,
    /// The verifier gave up for another reason.
    Incomplete(String),
    /// The verifier ended without a report.
    Crashed,
    /// A program could not be started.
    Tool(String),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(message) => write!(f, "SPIN refuses: {message}"),
            Self::NoCompile(message) => write!(f, "verifier does not compile: {message}"),
            Self::Time => f.write_str("SPIN: time limit"),
            Self::Depth => f.write_str("SPIN: depth limit"),
            Self::Incomplete(message) => write!(f, "SPIN gave up: {message}"),
            Self::Crashed => f.write_str("verifier crashed"),
            Self::Tool(message) => f.write_str(message),
        }
    }
}

/// Whether SPIN and a C compiler are installed.
pub(crate) fn is_installed() -> bool {
    command::exists("spin") && compilers().next().is_some()
}

/// Searches the whole unreduced state space, every statement a step.
///
/// All files that SPIN writes go into `folder`; `model` must be absolute.
pub(crate) fn verify(model: &Path, folder: &Path, limits: Limits) -> Result<Report, Unusable> {
    verify_with(model, folder, limits, &PLAIN)
}

/// The same with other options for the front end.
pub(crate) fn verify_with(model: &Path, folder: &Path, limits: Limits, flags: &[&str]) -> Result<Report, Unusable> {
    generate_with(model, folder, flags)?;
    read_report(&search(folder, limits, "-c0")?)
}

/// Searches for the first error and returns its kind and SPIN's trail.
pub(crate) fn first_error(model: &Path, folder: &Path, limits: Limits) -> Result<Option<(Kind, PathBuf)>, Unusable> {
    generate(model, folder)?;
    let finished = search(folder, limits, "-c1")?;
    let name = model.file_name().unwrap_or_default().to_string_lossy();
    let trail = folder.join(format!("{name}.trail"));
    match messages(&finished.text()).next() {
        Some(message) if trail.exists() => Ok(Some((Kind::of_spin(&message), trail))),
        Some(message) => Err(Unusable::Incomplete(message)),
        None if finished.timed_out => Err(Unusable::Time),
        None => Ok(None),
    }
}

/// Replays a trail in SPIN's simulator and returns what it prints.
///
/// SPIN leaves a file `pan.pre` where it runs: two runs need two folders.
pub(crate) fn replay(model: &Path, trail: &Path, folder: &Path, seconds: u64) -> Result<String, String> {
    let model = model.to_string_lossy();
    let trail = trail.to_string_lossy();
    let args = ["-t", "-k", &trail, "-p", "-g", "-l", &model];
    let finished = command::run("spin", &args, folder, seconds)?;
    if finished.timed_out {
        return Err("time limit of the replay".to_owned());
    }
    Ok(finished.text())
}

fn search(folder: &Path, limits: Limits, stop: &str) -> Result<Finished, Unusable> {
    compile(folder, None)?;
    let finished = run_verifier(folder, limits, stop)?;
    if !finished.text().contains("VECTORSZ") {
        return Ok(finished);
    }
    compile(folder, Some(65536))?;
    run_verifier(folder, limits, stop)
}

/// Lets SPIN write the verifier of a model into `folder`, every statement a step.
pub(crate) fn generate(model: &Path, folder: &Path) -> Result<(), Unusable> {
    generate_with(model, folder, &PLAIN)
}

/// The same with flags of SPIN.
pub(crate) fn generate_with(model: &Path, folder: &Path, flags: &[&str]) -> Result<(), Unusable> {
    let model = model.to_string_lossy();
    let args: Vec<&str> = [&["-a"], flags, &[&model]].concat();
    let finished = command::run("spin", &args, folder, 60).map_err(Unusable::Tool)?;
    if finished.code == Some(0) {
        return Ok(());
    }
    let text = finished.text();
    let message = first_line_with(&text, "rror");
    Err(Unusable::Refused(message.to_owned()))
}

fn compilers() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let known: [(&str, &[&str]); 2] = [("tcc", &[]), ("gcc", &["-O1", "-w"])];
    known.into_iter().filter(|(name, _)| command::exists(name))
}

fn compile(folder: &Path, vector: Option<u32>) -> Result<(), Unusable> {
    let size = vector.map(|bytes| format!("-DVECTORSZ={bytes}"));
    let mut complaint = "no C compiler".to_owned();
    for (compiler, flags) in compilers() {
        let mut args = vec!["-o", "pan", "pan.c", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM"];
        args.push("-DMEMLIM=4000");
        args.extend(flags);
        args.extend(size.as_deref());
        let finished = command::run(compiler, &args, folder, 120).map_err(Unusable::Tool)?;
        if finished.code == Some(0) {
            return Ok(());
        }
        complaint = first_line_with(&finished.text(), "error").to_owned();
    }
    Err(Unusable::NoCompile(complaint))
}

fn run_verifier(folder: &Path, limits: Limits, stop: &str) -> Result<Finished, Unusable> {
    let depth = format!("-m{}", limits.depth);
    let table = format!("-w{}", limits.table);
    let args = [stop, "-n", &depth, &table];
    command::run("./pan", &args, folder, limits.seconds).map_err(Unusable::Tool)
}

/// Reads what the verifier printed.
pub(crate) fn read_report(finished: &Finished) -> Result<Report, Unusable> {
    let text = finished.text();
    if finished.timed_out {
        return Err(Unusable::Time);
    }
    if text.contains("max search depth too small") {
        return Err(Unusable::Depth);
    }
    let messages: Vec<String> = messages(&text).collect();
    let kinds: BTreeSet<Kind> = messages.iter().map(|text| Kind::of_spin(text)).collect();
    let complaint = messages.into_iter().find(|text| Kind::of_spin(text) == Kind::Other);
    if text.contains("Search not completed") {
        return Err(Unusable::Incomplete(complaint.unwrap_or_default()));
    }
    match read_facts(&text, kinds) {
        Some(facts) => Ok(Report { facts, complaint }),
        // Some errors of the model are only seen by the verifier.
        None => match text.lines().find(|line| line.starts_with("error: proctype")) {
            Some(line) => Err(Unusable::Refused(line.to_owned())),
            None => Err(Unusable::Crashed),
        },
    }
}

fn read_facts(text: &str, kinds: BTreeSet<Kind>) -> Option<Facts> {
    Some(Facts {
        stored: number_before(text, " states, stored")?,
        transitions: number_before(text, " transitions (")?,
        depth: Some(number_after(text, "depth reached ")?),
        findings: Findings::Kinds(kinds),
    })
}

/// The messages of the lines `pan:1: message (at depth 7)`.
fn messages(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter_map(|line| {
        let (number, message) = line.strip_prefix("pan:")?.split_once(": ")?;
        number.parse::<u64>().ok()?;
        let message = message.rsplit_once(" (at depth").map_or(message, |(head, _)| head);
        Some(message.to_owned())
    })
}

fn number_before(text: &str, mark: &str) -> Option<u64> {
    let head = &text[..text.find(mark)?];
    head.rsplit(char::is_whitespace).next()?.parse().ok()
}

/// The whole number behind a mark.
pub(crate) fn number_after(text: &str, mark: &str) -> Option<u64> {
    let tail = &text[text.find(mark)? + mark.len()..];
    tail.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The first line with a word, or else the first line.
pub(crate) fn first_line_with<'a>(text: &'a str, word: &str) -> &'a str {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next().unwrap_or("no message");
    lines.find(|line| line.contains(word)).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::{messages, number_after, number_before};

    const REPORT: &str = "\
pan:1: invalid end state (at depth 7)
pan:2: assertion violated (x==_pid) (at depth 6)
State-vector 20 byte, depth reached 12, errors: 12
       79 states, stored
       32 states, matched
      111 transitions (= stored+matched)
pan: elapsed time 0 seconds";

    #[test]
    fn counts_are_read() {
        assert_eq!(number_before(REPORT, " states, stored"), Some(79));
        assert_eq!(number_before(REPORT, " transitions ("), Some(111));
        assert_eq!(number_after(REPORT, "depth reached "), Some(12));
    }

    #[test]
    fn messages_are_read_without_depth() {
        let seen: Vec<String> = messages(REPORT).collect();
        assert_eq!(seen, ["invalid end state", "assertion violated (x==_pid)"]);
    }
}
