//! Processes that are killed at random moments: the search goes on to the right end, or says that it cannot.

use super::run::{Counts, LIMIT, PLAIN, search};
use crate::scratch::Scratch;
use crate::spinor::Spinor;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Independent counters: each has three states for each number below the limit, with those between a guard and its step,
/// and one; their product together.
pub(super) fn counters(count: u8, limit: u8) -> String {
    let one = |it: u8| {
        let process = format!("do :: n{it} < {limit} -> n{it}++ :: n{it} > 0 -> n{it}-- od");
        format!("byte n{it};\nactive proctype C{it}() {{ {process} }}\n")
    };
    (0..count).map(one).collect()
}

/// So far the counters of a search that is killed go: four of them have 260 million states, which takes a minute or more.
const LIMIT_OF_COUNTERS: u8 = 42;

/// The processes that a process started.
fn children(of: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let parent = |pid: u32| {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        text.rsplit(')').next()?.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    entries.filter_map(Result::ok).filter_map(number).filter(|&pid| parent(pid) == Some(of)).collect()
}

/// Kills so many times; false if some search ends with other counts, or without a word.
pub(super) fn run(spinor: &Spinor, kills: u64, (count, seed): (u8, u64)) -> Result<bool, String> {
    let scratch = Scratch::new("kills")?;
    let model = scratch.write("counters.pml", &counters(count, LIMIT_OF_COUNTERS))?;
    let begun = Instant::now();
    let whole = search(spinor, &model, &["--workers", "2"])?;
    let length = begun.elapsed();
    let whole = Counts::of(&whole).ok_or("the search has no counts")?;
    println!("{} states, {} transitions, {:.1} s", whole.stored, whole.transitions, length.as_secs_f64());
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut wrong = 0;
    for number in 0..kills {
        let place = scratch.path().join(format!("checkpoint-{number}"));
        // Every other search has nobody who starts it again.
        let restarts = if number % 2 == 0 { "3" } else { "0" };
        let mut moment = length.mul_f64(rng.random_range(0.05..0.95));
        let victim = rng.random_range(0..2);
        let outcome = loop {
            if let Some(outcome) = strike(spinor, &model, (&place, restarts), (moment, victim))? {
                break outcome;
            }
            println!("the search was over after {:.1} s: once more, sooner", moment.as_secs_f64());
            let _ = fs::remove_dir_all(&place);
            moment = moment.mul_f64(0.7);
        };
        let text = judge(spinor, &model, &place, (&outcome, &whole))?;
        wrong += u64::from(text.is_err());
        let text = text.unwrap_or_else(|it| format!("WRONG: {it}"));
        println!("killed one of them after {:.1} s, {restarts} restarts: {text}", moment.as_secs_f64());
        let _ = fs::remove_dir_all(&place);
    }
    println!("{kills} kills, {wrong} WRONG");
    Ok(wrong == 0)
}

/// A search by two processes, of which one is killed; none if it was over before.
fn strike(
    spinor: &Spinor,
    model: &Path,
    (place, restarts): (&Path, &str),
    (moment, victim): (Duration, usize),
) -> Result<Option<Output>, String> {
    let mut command = Command::new(spinor.program());
    command.args(PLAIN).args(["--json", "--workers", "2", "--every", "2s", "--restarts", restarts]);
    command.arg("--checkpoint").arg(place).arg(model);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|it| it.to_string())?;
    let begun = Instant::now();
    while begun.elapsed() < moment && matches!(child.try_wait(), Ok(None)) {
        thread::sleep(Duration::from_millis(10));
    }
    let is_killed = match children(child.id()).get(victim) {
        Some(pid) => {
            let status = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
            status.map_err(|it| it.to_string())?.success()
        }
        None => false,
    };
    await_end(child).map(|output| is_killed.then_some(output))
}

fn await_end(mut child: Child) -> Result<Output, String> {
    let begun = Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        if begun.elapsed() > Duration::from_secs(LIMIT) {
            drop(child.kill());
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().map_err(|error| error.to_string())
}

/// Whether what is left of a search leads to the right counts, and how.
fn judge(
    spinor: &Spinor,
    model: &Path,
    place: &Path,
    (output, whole): (&Output, &Counts),
) -> Result<Result<String, String>, String> {
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if let Ok(report) = serde_json::from_slice(&output.stdout) {
        return Ok(match Counts::of(&report) {
            Some(counts) if counts == *whole => Ok(format!("the right counts ({said})")),
            counts => Err(format!("{counts:?} ({said})")),
        });
    }
    if output.status.code() != Some(3) || !said.contains("nothing is decided") {
        return Ok(Err(format!("exit code {:?}: {said}", output.status.code())));
    }
    if !said.contains("--resume") {
        return Ok(Ok(format!("no checkpoint yet ({said})")));
    }
    let resumed = search(spinor, model, &["--workers", "2", "--resume", &place.to_string_lossy()])?;
    Ok(match Counts::of(&resumed) {
        Some(counts) if counts == *whole => Ok(format!("the right counts after --resume ({said})")),
        counts => Err(format!("after --resume {counts:?}")),
    })
}
