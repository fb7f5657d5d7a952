//! SPIN's verdict on a formula: its verifier without reduction, acceptance cycles.

use super::Asked;
use crate::command;
use crate::scratch::Scratch;
use crate::spin;
use spinor_explore::Violation;
use spinor_model::Model;
use spinor_report::spin_trail;
use std::fs;

/// Seconds for a translation, which most often takes some milliseconds.
const TRANSLATION_SECONDS: u64 = 20;

/// Whether SPIN reads a program in time: its translation of some formulas takes hours.
pub(super) fn is_translated(text: &str) -> bool {
    let Ok(scratch) = Scratch::new("live") else { return false };
    let made = scratch
        .write("random.pml", text)
        .and_then(|_| command::run("spin", &["-a", "random.pml"], scratch.path(), TRANSLATION_SECONDS));
    made.is_ok_and(|it| !it.timed_out)
}

/// Whether SPIN finds a violation; nothing if it cannot say.
pub(super) fn violates(text: &str, asked: Asked, fair: bool) -> Option<bool> {
    let formula = text.rsplit_once("ltl p").map_or("", |it| it.1);
    // Its formulas have no X. Assertions and the claims that it makes of simple formulas look alike, and labels of
    // processes count as accepting beside a formula.
    if formula.contains("X ") || text.contains("assert") || !formula.is_empty() && text.contains("accept") {
        return None;
    }
    // It counts the claim among the processes, takes np_ for false where the system has stopped, and forgets that a
    // process whose provided clause is false cannot move when it counts fair steps.
    if text.contains("_nr_pr") || text.contains("np_") || fair && text.contains("provided") {
        return None;
    }
    let scratch = Scratch::new("live").ok()?;
    let folder = scratch.path();
    fs::write(folder.join("random.pml"), text).ok()?;
    let made = command::run("spin", &["-a", "-o1", "-o2", "-o3", "random.pml"], folder, 60).ok()?;
    if made.code != Some(0) {
        return None;
    }
    let compiler = if command::exists("tcc") { "tcc" } else { "gcc" };
    let mut flags = vec!["-w", "-DNOREDUCE", "-DNFAIR=3", "-o", "pan", "pan.c"];
    flags.extend((asked == Asked::Progress).then_some("-DNP"));
    let compiled = command::run(compiler, &flags, folder, 120).ok()?;
    if compiled.code != Some(0) {
        return None;
    }
    let mut args = vec![if asked == Asked::Progress { "-l" } else { "-a" }, "-n", "-m200000", "-w20"];
    args.extend(fair.then_some("-f"));
    let searched = command::run("./pan", &args, folder, 60).ok()?;
    let said = searched.text();
    if said.contains("max search depth too small") || said.contains("Search not completed") && !said.contains("pan:1:")
    {
        return None;
    }
    let message = said.lines().find_map(|line| line.strip_prefix("pan:1: "));
    match message {
        Some(it) if it.starts_with("acceptance cycle") || it.starts_with("assertion violated") => Some(true),
        Some(it) if it.starts_with("end state in claim") || it.starts_with("accept stutter") => Some(true),
        Some(it) if it.starts_with("non-progress cycle") => Some(true),
        Some(_) => None,
        None => said.contains("errors: 0").then_some(false),
    }
}

/// Whether SPIN replays a trail to its end, with its cycle; what it says if not.
pub(super) fn replay(text: &str, model: &Model, violation: &Violation) -> Result<(), String> {
    let scratch = Scratch::new("live")?;
    let trail = spin_trail::write(model, &violation.moves, violation.cycle_start());
    let path = scratch.write("random.pml", text)?;
    let file = scratch.write("random.trail", &trail)?;
    let said = spin::replay(&path, &file, scratch.path(), 60)?;
    // A mark behind all steps is the last line, which SPIN takes for the depth.
    let length = violation.moves.len();
    let is_replayed = match violation.cycle_start() {
        Some(start) if start == length => said.contains("START OF CYCLE"),
        Some(_) => said.contains("START OF CYCLE") && ends_after(&said, length),
        None => ends_after(&said, length) || length == 0,
    };
    if is_replayed { Ok(()) } else { Err(format!("SPIN does not replay it: {said}")) }
}

fn ends_after(said: &str, length: usize) -> bool {
    said.contains(&format!("trail ends after {length} steps"))
}
