//! SPIN's verdict on a formula: its verifier without reduction, acceptance cycles.

use crate::command;
use crate::scratch::Scratch;
use std::fs;

/// Whether SPIN finds a violation; nothing if it cannot say.
pub(super) fn violates(text: &str, fair: bool) -> Option<bool> {
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
    let flags = ["-w", "-DNOREDUCE", "-DNFAIR=3", "-o", "pan", "pan.c"];
    let compiled = command::run(compiler, &flags, folder, 120).ok()?;
    if compiled.code != Some(0) {
        return None;
    }
    let args: &[&str] = if fair { &["-a", "-f", "-n", "-m200000", "-w20"] } else { &["-a", "-n", "-m200000", "-w20"] };
    let searched = command::run("./pan", args, folder, 60).ok()?;
    let said = searched.text();
    if said.contains("max search depth too small") || said.contains("Search not completed") && !said.contains("pan:1:")
    {
        return None;
    }
    let message = said.lines().find_map(|line| line.strip_prefix("pan:1: "));
    match message {
        Some(it) if it.starts_with("acceptance cycle") || it.starts_with("assertion violated") => Some(true),
        Some(it) if it.starts_with("end state in claim") => Some(true),
        Some(_) => None,
        None => said.contains("errors: 0").then_some(false),
    }
}
