//! The front door: arguments in, reports and exit codes out.

mod args;
mod automata;
mod check;
mod cluster;
mod compare;
mod engine;
mod files;
mod load;
mod ltl;
mod macros;
mod output;
mod plan;
mod progress;
mod properties;
mod replay;
mod simulate;
mod symmetry;
mod trails;

use args::{Command, Spinor};
use clap::Parser as _;
use std::process::ExitCode;

/// What a run ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Holds = 0,
    Violated = 1,
    Usage = 2,
    Undecided = 3,
    /// Another process was lost; only those who started this one see it.
    Lost = 4,
    Interrupted = 130,
}

fn main() -> ExitCode {
    let args = match Spinor::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are no errors; everything else is a wrong use, exit code 2.
            return if error.use_stderr() {
                let _ = error.print();
                ExitCode::from(Exit::Usage as u8)
            } else {
                ExitCode::from(output::printed(&error.render().to_string(), Exit::Holds) as u8)
            };
        }
    };
    let exit = match args.command {
        Command::Check(args) => check::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Automata(args) => automata::run(&args),
        Command::Symmetry(args) => symmetry::run(&args),
        Command::Ltl(args) => ltl::run(&args),
    };
    ExitCode::from(exit as u8)
}
