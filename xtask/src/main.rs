//! `cargo xtask`: the project's own commands, beside what Cargo does.
//!
//! The commands compare Spinor with SPIN, write random programs, and check the
//! rules of the repository. Nothing here is part of the shipped tool.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool of the repository")]

mod agree;
mod bench;
mod cluster;
mod command;
mod corpus;
mod facts;
mod front_end;
mod fuzz;
mod known;
mod live;
mod parallel;
mod parser_fuzz;
mod reduce;
mod scratch;
mod soundness;
mod spin;
mod spinor;
mod symmetry;
mod test;
mod tidy;
mod trails;
mod truth;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The project's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run every check of the project: format, lints, tests, truth, fuzz.
    Test,
    /// Check the rules of the repository.
    Tidy,
    /// Compare Spinor's counts and errors with SPIN's on all known models.
    Truth(truth::Options),
    /// Replay Spinor's counterexamples in SPIN, and SPIN's in Spinor.
    Trails(trails::Options),
    /// Compare Spinor with SPIN on random programs.
    Fuzz(fuzz::Options),
    /// Compare native code with the interpreter, state by state.
    Agree(agree::Options),
    /// Check on random systems that reductions lose nothing.
    Soundness(soundness::Options),
    /// Compare searches for infinite executions with a naive twin, and with SPIN.
    Live(live::Options),
    /// Compare searches with and without reductions that are known from the text.
    Reduce(reduce::Options),
    /// Compare searches with and without symmetry on random programs whose processes are alike.
    Symmetry(symmetry::Options),
    /// Compare searches by several processes with those of one: counts, faults, speed.
    Cluster(cluster::Options),
    /// Measure the speed beside SPIN's verifier.
    Bench(bench::Options),
    /// Feed damaged programs to the front end.
    ParserFuzz(parser_fuzz::Options),
}

fn main() -> ExitCode {
    let root = workspace_root();
    let outcome = match Args::parse().task {
        Task::Test => test::run(&root),
        Task::Tidy => tidy::run(&root),
        Task::Truth(options) => truth::run(&root, &options),
        Task::Trails(options) => trails::run(&root, &options),
        Task::Fuzz(options) => fuzz::run(&root, &options),
        Task::Agree(options) => agree::run(&root, &options),
        Task::Soundness(options) => soundness::run(&options),
        Task::Live(options) => live::run(&root, &options),
        Task::Reduce(options) => reduce::run(&root, &options),
        Task::Symmetry(options) => symmetry::run(&root, &options),
        Task::Cluster(options) => cluster::run(&root, &options),
        Task::Bench(options) => bench::run(&root, &options),
        Task::ParserFuzz(options) => parser_fuzz::run(&root, &options),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::from(2)
        }
    }
}

/// The folder of the workspace, one above this crate.
fn workspace_root() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}
