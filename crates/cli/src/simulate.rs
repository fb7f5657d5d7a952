//! `spinor simulate`.

use crate::Exit;
use crate::args::SimulateArgs;
use crate::load::load;
use crate::output::{complain, print};
use crate::replay::{read_trail, shown};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use spinor_exec::{Expansion, Interpreter, Move, Replay};
use spinor_explore::describe;
use spinor_model::{Action, Model};
use spinor_report::explain;
use spinor_report::steps::{self, Show};
use std::io::{BufRead as _, Read as _};

/// How the next step is chosen.
enum Choice {
    Random(SmallRng),
    User,
}

pub(crate) fn run(args: &SimulateArgs) -> Exit {
    let Some(model) = load(&args.model) else { return Exit::Usage };
    let guide = match args.trail.as_deref().map(|path| read_trail(&model, path)).transpose() {
        Ok(guide) => guide.unwrap_or_default(),
        Err(error) => {
            complain(&format!("error: {error}"));
            return Exit::Usage;
        }
    };
    let choice = if args.interactive { Choice::User } else { Choice::Random(SmallRng::seed_from_u64(args.seed)) };
    let show = shown(&args.show, if args.interactive { Show::all() } else { Show::default() });
    let mut interpreter = Interpreter::new(&model);
    match Replay::new(&mut interpreter) {
        Ok(mut replay) => {
            if model.uses.stdin {
                replay.set_input(next_character());
            }
            Simulation { model: &model, replay, choice, show, done: 0 }.run(&guide, args.steps)
        }
        Err(error) => {
            complain(&format!("error: {error}"));
            Exit::Violated
        }
    }
}

struct Simulation<'i, 'm> {
    model: &'m Model,
    replay: Replay<'i, 'm>,
    choice: Choice,
    show: Show,
    done: usize,
}

impl Simulation<'_, '_> {
    fn run(mut self, guide: &[Move], limit: usize) -> Exit {
        let mut rest = guide;
        while !rest.is_empty() {
            match self.make(rest) {
                Ok((count, None)) => rest = &rest[count..],
                Ok((_, Some(exit))) => return exit,
                Err(exit) => return exit,
            }
        }
        while self.done < limit {
            let Some(moves) = self.choose() else { return self.end() };
            if let Ok((_, Some(exit))) | Err(exit) = self.make(&moves) {
                return exit;
            }
        }
        print(&format!("-------------\nstopped after {} steps\n", self.done));
        self.final_state();
        Exit::Undecided
    }

    /// Makes a step and shows it; an exit code if something is wrong with it.
    fn make(&mut self, moves: &[Move]) -> Result<(usize, Option<Exit>), Exit> {
        let step = self.replay.step(moves).map_err(|error| {
            complain(&format!("error: {error}"));
            Exit::Usage
        })?;
        print(&steps::step(self.replay.interpreter(), &step, self.done, self.show));
        self.done += step.moves.len();
        let reads =
            |it: &Move| matches!(self.model.proctype(it.proctype).statement(it.statement).action, Action::Input(_));
        if step.moves.iter().any(reads) {
            self.replay.set_input(next_character());
        }
        let Some(finding) = step.findings.first() else { return Ok((step.moves.len(), None)) };
        let (kind, message) = describe(finding.clone());
        print(&format!("{}: {message}\n", kind.name()));
        self.final_state();
        Ok((step.moves.len(), Some(Exit::Violated)))
    }

    /// The moves of the next step; nothing if there is none, or the user has had enough.
    fn choose(&mut self) -> Option<Vec<Move>> {
        let expansion = self.replay.options();
        let choices = all_choices(expansion);
        if choices.is_empty() {
            return None;
        }
        let index = match &mut self.choice {
            Choice::Random(random) => random.random_range(0..choices.len()),
            Choice::User => ask(&explain::options(self.model, expansion), choices.len())?,
        };
        Some(choices[index].clone())
    }

    fn end(mut self) -> Exit {
        let stuck = self.replay.is_stuck();
        let valid = self.replay.is_valid_end();
        self.final_state();
        if stuck && !valid {
            print("invalid end state: processes wait for ever\n");
            return Exit::Violated;
        }
        Exit::Holds
    }

    fn final_state(&self) {
        let state = self.replay.interpreter().state(self.replay.vector());
        print(&steps::final_state(self.replay.interpreter(), &state, self.done));
    }
}

/// The next character of standard input, or -1.
fn next_character() -> i32 {
    let mut byte = [0];
    match std::io::stdin().lock().read(&mut byte) {
        Ok(1) => i32::from(byte[0]),
        _ => -1,
    }
}

/// All steps, those that are at fault included.
fn all_choices(expansion: &Expansion) -> Vec<Vec<Move>> {
    let mut choices: Vec<Vec<Move>> =
        expansion.successors.iter().map(|it| expansion.path(&it.moves).to_vec()).collect();
    for finding in &expansion.findings {
        let path = expansion.path(&finding.moves).to_vec();
        if !path.is_empty() && !choices.contains(&path) {
            choices.push(path);
        }
    }
    choices
}

/// Lets the user choose. One possible step is taken without a question.
fn ask(options: &[String], count: usize) -> Option<usize> {
    if count == 1 {
        return Some(0);
    }
    let mut menu = String::from("choose a step (q to stop):\n");
    for (index, option) in options.iter().enumerate() {
        menu.push_str(&format!("  {}: {option}\n", index + 1));
    }
    for index in options.len()..count {
        menu.push_str(&format!("  {}: a step that is at fault\n", index + 1));
    }
    loop {
        print(&menu);
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line).unwrap_or(0) == 0 || line.trim() == "q" {
            return None;
        }
        match line.trim().parse::<usize>() {
            Ok(n) if (1..=count).contains(&n) => return Some(n - 1),
            _ => print(&format!("a number from 1 to {count}, or q\n")),
        }
    }
}
