//! Searches by several processes, and searches that go on where others ended.

mod common;

use common::{BINARY, Scratch, code, json, spinor, stderr, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Some 70,000 states.
const COUNTERS: &str = "#define N 40\n\
    byte a, b, c;\n\
    active proctype A() { do :: a < N -> a++ :: a > 0 -> a-- od }\n\
    active proctype B() { do :: b < N -> b++ :: b > 0 -> b-- od }\n\
    active proctype C() { do :: c < N -> c++ :: c > 0 -> c = 0 od }\n";

/// The same, and they meet.
fn fails() -> String {
    format!("{COUNTERS}active proctype Watch() {{ assert(!(a == 17 && b == 9 && c == 5)) }}\n")
}

fn counts(report: &Value) -> Vec<Value> {
    let states = &report["states"];
    [&report["verdict"], &states["stored"], &states["transitions"], &states["depth"], &report["errors"]]
        .map(Clone::clone)
        .to_vec()
}

const PLAIN: [&str; 5] = ["check", "--json", "--no-trail", "--reduce", "none"];

fn check(more: &[&str], model: &Path) -> Value {
    json(&spinor(&[&PLAIN[..], more].concat(), model))
}

#[test]
fn processes_count_what_one_counts() {
    let scratch = Scratch::new("workers");
    for (name, text) in [("holds.pml", COUNTERS.to_string()), ("fails.pml", fails())] {
        let model = scratch.file(name, &text);
        let alone = check(&["--keep-going"], &model);
        for workers in ["2", "3"] {
            let together = check(&["--keep-going", "--workers", workers], &model);
            assert_eq!(counts(&together), counts(&alone), "{name}, {workers} processes");
            let processes = together["processes"].as_array().expect("a list");
            assert_eq!(processes.len().to_string(), workers);
            assert!(processes.iter().all(|it| it["sent"].as_u64() > Some(0)), "{processes:?}");
            let stacks = check(&["--keep-going", "--search", "dfs", "--workers", workers], &model);
            let without_depth = |report: &Value| [0, 1, 2, 4].map(|it| counts(report)[it].clone());
            assert_eq!(without_depth(&stacks), without_depth(&alone), "{name}, {workers} stacks");
        }
    }
}

#[test]
fn a_counterexample_of_several_processes_is_as_short_and_replays() {
    let scratch = Scratch::new("trail");
    let model = scratch.file("fails.pml", &fails());
    let length = |report: &Value| report["violations"][0]["length"].clone();
    let alone = check(&[], &model);
    assert!(length(&alone).as_u64().is_some_and(|it| it > 30), "{alone}");
    for order in ["bfs", "dfs"] {
        let output = spinor(&["check", "--json", "--reduce", "none", "--workers", "2", "--search", order], &model);
        let together = json(&output);
        assert_eq!(code(&output), 1);
        assert!(order == "dfs" || length(&together) == length(&alone));
        let trail = together["violations"][0]["trail"].as_str().expect("a trail was written");
        let replay = Command::new(BINARY).arg("replay").arg(&model).arg(trail).output().expect("the binary runs");
        assert!(stdout(&replay).contains("assert"), "{}{}", stdout(&replay), stderr(&replay));
    }
}

#[test]
fn what_several_processes_cannot_do_is_refused() {
    let scratch = Scratch::new("refused");
    let model = scratch.file("m.pml", &format!("{COUNTERS}ltl p {{ []<> (a == 0) }}\n"));
    let refused = [
        (vec!["--workers", "2"], "what a claim says of infinite executions is decided by one process"),
        (vec!["--workers", "2", "--no-claim", "--search", "dfs", "--reduce", "sleep"], "belong to one stack"),
        (vec!["--workers", "2", "--no-claim", "--search", "dfs", "--reduce", "two-phase"], "belong to one stack"),
        (
            vec!["--workers", "2", "--no-claim", "--search", "dfs", "--checkpoint", "/nowhere/at/all"],
            "checkpoints are written by breadth-first search",
        ),
        (vec!["--workers", "2", "--no-claim", "--threads", "2"], "each process has one thread"),
        (
            vec!["--workers", "2", "--no-claim", "--store", "bitstate"],
            "--swarm N divides N searches among the processes",
        ),
        (vec!["--workers", "2", "--store", "bitstate", "--swarm", "4"], "is decided by one process"),
        (vec!["--workers", "2", "--no-claim", "--layout", "cells"], "states in cells stay in their process"),
        (vec!["--no-claim", "--every", "1s"], "where, says --checkpoint DIR"),
        (vec!["--no-claim", "--resume", "/nowhere/at/all"], "there is no checkpoint"),
    ];
    for (arguments, reason) in refused {
        let output = spinor(&[&["check"], &arguments[..]].concat(), &model);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(reason), "{arguments:?}: {}", stderr(&output));
    }
}

/// A file with so many addresses on this machine.
fn hosts(scratch: &Scratch, count: usize) -> String {
    let free = |_| std::net::TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a free port");
    let addresses: Vec<_> = (0..count).map(free).collect();
    let lines: String = addresses.iter().map(|it| format!("{it} # one of them\n")).collect();
    scratch.file("hosts", &lines).to_str().expect("a path").to_owned()
}

#[test]
fn hosts_get_model_and_options_from_the_first() {
    let scratch = Scratch::new("sent");
    fs::create_dir_all(scratch.0.join("parts")).expect("a directory");
    fs::create_dir_all(scratch.0.join("elsewhere")).expect("a directory");
    scratch.file("parts/limit.h", "#include \"step.h\"\n#define LIMIT (N * STEP)\n");
    scratch.file("parts/step.h", "#define STEP 10\n");
    let text = "#include \"parts/limit.h\"\nbyte a, b, c;\n\
        active proctype A() { do :: a < LIMIT -> a++ :: b < LIMIT -> b++ :: c < LIMIT -> c++ od }\n";
    scratch.file("model.pml", text);
    let alone = check(&["-DN=2", "--keep-going"], &scratch.0.join("model.pml"));
    assert!(alone["states"]["stored"].as_u64() > Some(9_000), "{alone}");
    let hosts = hosts(&scratch, 3);
    let start = |index: usize| {
        let mut command = Command::new(BINARY);
        if index == 0 {
            command.args(PLAIN).args(["-DN=2", "--keep-going", "model.pml"]).current_dir(&scratch.0);
        } else {
            command.arg("check").current_dir(scratch.0.join("elsewhere"));
        }
        command.args(["--hosts", &hosts, "--host-index"]).arg(index.to_string());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs")
    };
    let outputs = [2, 1, 0].map(start).map(|child| child.wait_with_output().expect("it ends"));
    assert_eq!(counts(&json(&outputs[2])), counts(&alone), "{outputs:?}");
    assert_eq!(outputs.each_ref().map(code), [code(&outputs[2]); 3], "{outputs:?}");
    assert!(outputs[..2].iter().all(|it| it.stdout.is_empty() && it.stderr.is_empty()), "{outputs:?}");
}

#[test]
fn who_has_no_model_says_what_is_missing() {
    let scratch = Scratch::new("bare");
    let hosts = hosts(&scratch, 2);
    let refused = [
        (vec!["--hosts", &hosts, "--host-index", "0"], "the first process needs the model"),
        (vec!["--hosts", &hosts, "--host-index", "1", "--store", "tree"], "gets the options from there, too"),
        (vec!["--hosts", &hosts, "--host-index", "7"], "lists 2 hosts, counted from 0"),
        (vec![], "required arguments were not provided"),
    ];
    for (arguments, reason) in refused {
        let output = Command::new(BINARY).arg("check").args(&arguments).output().expect("the binary runs");
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(reason), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_swarm_is_divided_among_processes() {
    let scratch = Scratch::new("swarm");
    let model = scratch.file("holds.pml", COUNTERS);
    let whole = check(&[], &model)["states"]["stored"].as_u64();
    let swarm = ["--store", "bitstate", "--bitstate-memory", "1M", "--seed", "7", "--swarm"];
    for (searches, workers) in [("5", "2"), ("2", "3")] {
        let report = check(&[&swarm[..], &[searches, "--workers", workers]].concat(), &model);
        assert_eq!(report["verdict"], "undecided");
        let runs = report["swarm"]["runs"].as_array().expect("a list");
        let seeds: Vec<Value> = runs.iter().map(|it| it["seed"].clone()).collect();
        assert_eq!(seeds, (7..7 + searches.parse::<u64>().expect("a number")).map(Value::from).collect::<Vec<_>>());
        assert!(runs.iter().all(|it| it["stored"].as_u64() <= whole), "{report}");
        let alone = check(&[&swarm[..], &[searches]].concat(), &model);
        let stored = |it: &Value| {
            it["swarm"]["runs"].as_array().expect("a list").iter().map(|run| run["stored"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(stored(&report), stored(&alone));
        assert_eq!(report["processes"].as_array().map(Vec::len).map(|it| it.to_string()).as_deref(), Some(workers));
    }
    let model = scratch.file("fails.pml", &fails());
    let output = spinor(&[&PLAIN[..], &swarm, &["8", "--workers", "3"]].concat(), &model);
    let report = json(&output);
    assert_eq!((code(&output), &report["verdict"]), (1, &Value::from("violated")), "{report}");
    assert!(report["violations"][0]["length"].as_u64() > Some(30), "{report}");
}

#[test]
fn hosts_with_another_model_are_refused() {
    let scratch = Scratch::new("hosts");
    let hosts = hosts(&scratch, 2);
    let models = [scratch.file("one.pml", COUNTERS), scratch.file("other.pml", &fails())];
    let start = |index: usize| {
        let mut command = Command::new(BINARY);
        command.args(["check", "--hosts", &hosts, "--host-index"]).arg(index.to_string()).arg(&models[index]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs")
    };
    let outputs = [0, 1].map(start).map(|child| child.wait_with_output().expect("it ends"));
    assert_eq!(outputs.each_ref().map(code), [2, 2]);
    assert!(outputs.iter().any(|it| stderr(it).contains("these differ: the model")), "{outputs:?}");
}

/// All that decides what is found must be the same for who goes on.
#[test]
fn what_differs_from_a_checkpoint_is_named() {
    let scratch = Scratch::new("differs");
    // Enough for a checkpoint before the search is over.
    let model = scratch.file("holds.pml", &COUNTERS.replace("N 40", "N 80"));
    let directory = scratch.0.join("checkpoint");
    let place = directory.to_str().expect("a path");
    let first = spinor(&["check", "--preserve", "deadlock", "--checkpoint", place, "--every", "1ms"], &model);
    assert!(directory.join("manifest.json").exists(), "{}", stderr(&first));
    for (options, named) in [
        (&[][..], "--preserve, --proviso, --no-assertions"),
        (&["--preserve", "deadlock", "--reduce", "stubborn+symmetry"], "--reduce"),
        (&["--preserve", "deadlock", "--proviso", "strong"], "--proviso"),
        (&["--preserve", "deadlock", "-DX=1"], "the model, -D and -U"),
        (&["--preserve", "deadlock", "--max-depth", "9"], "--max-depth"),
        (&["--preserve", "deadlock", "--store", "tree"], "--store"),
        (&["--preserve", "deadlock", "--engine", "interpret"], "--engine"),
        (&["--preserve", "deadlock", "--keep-going"], "--keep-going"),
        (&["--preserve", "deadlock", "--ltl", "[] true"], "the model, --ltl"),
    ] {
        let resumed = spinor(&[&["check", "--resume", place], options].concat(), &model);
        let message = format!("these differ: {named}\n");
        assert!(code(&resumed) == 2 && stderr(&resumed).contains(&message), "{options:?}: {}", stderr(&resumed));
    }
    let same = ["check", "--preserve", "deadlock", "--resume", place, "--max-time", "1h", "--max-memory", "1G"];
    assert_eq!(code(&spinor(&same, &model)), code(&first));
}

#[test]
fn a_folder_that_cannot_be_written_is_told_at_the_start() {
    let scratch = Scratch::new("unwritable");
    let model = scratch.file("holds.pml", COUNTERS);
    let file = scratch.file("file", "not a folder");
    let output = spinor(&["check", "--checkpoint", file.to_str().expect("a path")], &model);
    assert!(code(&output) == 2 && stderr(&output).contains("no checkpoint can be written"), "{}", stderr(&output));
}

#[test]
fn a_model_that_can_be_read_only_once_is_no_model_for_several_processes() {
    let output = Command::new(BINARY)
        .args(["check", "--workers", "2", "/dev/stdin"])
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs");
    assert!(code(&output) == 2 && stderr(&output).contains("more than once"), "{}", stderr(&output));
}

/// Waits until there is a checkpoint, or the process has ended.
fn wait_for_checkpoint(directory: &Path, child: &mut Child) {
    let begun = Instant::now();
    while !directory.join("manifest.previous.json").exists() && child.try_wait().ok().flatten().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no checkpoint");
        thread::sleep(Duration::from_millis(1));
    }
}

fn begin(arguments: &[&str], directory: &str, model: &Path) -> Child {
    let mut command = Command::new(BINARY);
    command.args(PLAIN).args(arguments).args(["--checkpoint", directory, "--every", "1ms"]).arg(model);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs")
}

#[test]
fn a_search_that_was_killed_goes_on_to_the_same_end() {
    let scratch = Scratch::new("resume");
    let model = scratch.file("holds.pml", COUNTERS);
    let alone = check(&[], &model);
    let directory = scratch.0.join("checkpoint");
    let place = directory.to_str().expect("a path");
    let mut child = begin(&[], place, &model);
    wait_for_checkpoint(&directory, &mut child);
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let again = spinor(&[&PLAIN[..], &["--checkpoint", place]].concat(), &model);
    assert!(stderr(&again).contains("there is a checkpoint: go on with --resume"), "{}", stderr(&again));
    let other = spinor(&["check", "--no-assertions", "--reduce", "none", "--resume", place], &model);
    let named = "the checkpoint is of another search; these differ: --no-assertions";
    assert!(stderr(&other).contains(named), "{}", stderr(&other));
    let longer = check(&["--resume", place, "--max-time", "1h", "--max-memory", "1G", "--threads", "2"], &model);
    assert_eq!(counts(&longer), counts(&alone), "limits and threads may differ");
    for more in [&[][..], &["--workers", "2"], &["--workers", "3"]] {
        let resumed = check(&[&["--resume", place], more].concat(), &model);
        assert_eq!(counts(&resumed), counts(&alone), "{more:?}");
    }
    // A checkpoint that was torn in the middle of writing. A process that was killed between two renames left none of
    // this name.
    let manifest = directory.join("manifest.json");
    let text = fs::read(&manifest).or_else(|_| fs::read(directory.join("manifest.previous.json"))).expect("a manifest");
    fs::write(&manifest, &text[..text.len() / 2]).expect("a torn manifest");
    let output = spinor(&[&PLAIN[..], &["--resume", place]].concat(), &model);
    assert!(stderr(&output).contains("is torn; the checkpoint before it is used"), "{}", stderr(&output));
    assert_eq!(counts(&json(&output)), counts(&alone));
}

/// The processes that a process started.
#[cfg(target_os = "linux")]
fn children(of: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let parent = |pid: u32| {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        text.rsplit(')').next()?.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    let mut children: Vec<u32> = entries.filter_map(number).filter(|&pid| parent(pid) == Some(of)).collect();
    children.sort_unstable();
    children
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_that_was_killed_is_started_again_or_said_to_be_lost() {
    let scratch = Scratch::new("killed");
    let model = scratch.file("holds.pml", COUNTERS);
    let alone = check(&[], &model);
    for (victim, restarts) in [(1, "3"), (0, "3"), (1, "0")] {
        let directory = scratch.0.join(format!("checkpoint-{victim}-{restarts}"));
        let place = directory.to_str().expect("a path");
        let mut child = begin(&["--workers", "2", "--restarts", restarts], place, &model);
        wait_for_checkpoint(&directory, &mut child);
        if let Some(pid) = children(child.id()).get(victim) {
            Command::new("kill").args(["-KILL", &pid.to_string()]).status().expect("kill");
        }
        let output = child.wait_with_output().expect("it ends");
        if restarts != "0" {
            assert_eq!(counts(&json(&output)), counts(&alone), "{}", stderr(&output));
        } else if code(&output) != 0 {
            assert_eq!(code(&output), 3);
            assert!(stderr(&output).contains("nothing is decided; go on with --resume"), "{}", stderr(&output));
            assert_eq!(counts(&check(&["--resume", place], &model)), counts(&alone));
        }
    }
}

#[test]
fn options_of_processes_stand_in_front_of_what_is_none() {
    let scratch = Scratch::new("dashes");
    let model = scratch.file("m.pml", COUNTERS);
    let output = spinor(&["check", "--no-trail", "--workers", "2", "--"], &model);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

/// Only the first process writes trails: the folder for them need not be where the others are.
#[test]
fn processes_that_print_nothing_need_no_folder_for_trails() {
    let scratch = Scratch::new("folder");
    let (one, two) = (scratch.0.join("one"), scratch.0.join("two"));
    fs::create_dir_all(one.join("trails")).expect("a folder");
    fs::create_dir_all(&two).expect("a folder");
    let model = scratch.file("m.pml", COUNTERS);
    let free = || std::net::TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a free port");
    let hosts = scratch.file("hosts", &format!("{}\n{}\n", free(), free()));
    let start = |folder: &Path, index: &str, more: &[&str]| {
        let mut command = Command::new(BINARY);
        command.current_dir(folder).arg("check").arg("--hosts").arg(&hosts).args(["--host-index", index]).args(more);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a process")
    };
    let file = model.to_string_lossy();
    let processes = [start(&two, "1", &[]), start(&one, "0", &["--trail-dir", "trails", &file])];
    assert_eq!(processes.map(|it| end_of(it, Duration::from_secs(100))), [Some(0), Some(0)]);
}

/// The exit code of a process that ends in time.
fn end_of(mut process: Child, time: Duration) -> Option<i32> {
    let end = Instant::now() + time;
    while Instant::now() < end {
        if let Some(status) = process.try_wait().expect("a status") {
            return status.code();
        }
        thread::sleep(Duration::from_millis(20));
    }
    let _ = process.kill();
    None
}
