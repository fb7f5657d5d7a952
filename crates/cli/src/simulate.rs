//! `spinor simulate`.

use crate::Exit;
use crate::args::SimulateArgs;
use crate::load::load;
use crate::output::{Unprinted, complain, print};
use crate::replay::{read_trail, shown};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use spinor_exec::{Expansion, FindingKind, Interpreter, Move, Replay};
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
        match self.go(guide, limit) {
            Ok(exit) | Err(exit) => exit,
        }
    }

    /// What it ends with; early if something is wrong.
    fn go(&mut self, guide: &[Move], limit: usize) -> Result<Exit, Exit> {
        let mut rest = guide;
        while !rest.is_empty() {
            rest = &rest[self.make(rest)?..];
        }
        while self.done < limit {
            let Some(moves) = self.choose()? else { return self.end() };
            self.make(&moves)?;
        }
        if self.replay.is_stuck() {
            return self.end();
        }
        say(&format!("-------------\nstopped after {} steps\n", self.done))?;
        self.final_state()?;
        Ok(Exit::Undecided)
    }

    /// Makes a step and shows it; how many moves it has, or an exit code if something is wrong with it.
    fn make(&mut self, moves: &[Move]) -> Result<usize, Exit> {
        let step = self.replay.step(moves).map_err(|error| {
            complain(&format!("error: {error}"));
            Exit::Usage
        })?;
        say(&steps::step(self.replay.interpreter(), &step, self.done, self.show))?;
        self.done += step.moves.len();
        let reads =
            |it: &Move| matches!(self.model.proctype(it.proctype).statement(it.statement).action, Action::Input(_));
        if step.moves.iter().any(reads) {
            self.replay.set_input(next_character());
        }
        let Some(finding) = step.findings.first() else { return Ok(step.moves.len()) };
        let (kind, message) = describe(finding.clone());
        say(&format!("{}: {message}\n", kind.name()))?;
        self.final_state()?;
        Err(Exit::Violated)
    }

    /// The moves of the next step; nothing if there is none, or the user has had enough.
    fn choose(&mut self) -> Result<Option<Vec<Move>>, Exit> {
        let expansion = self.replay.options();
        let choices = all_choices(expansion);
        if choices.is_empty() {
            return Ok(None);
        }
        let index = match &mut self.choice {
            Choice::Random(random) => Some(random.random_range(0..choices.len())),
            Choice::User => ask(&explain::options(self.model, expansion), choices.len())?,
        };
        Ok(index.map(|index| choices[index].clone()))
    }

    fn end(&mut self) -> Result<Exit, Exit> {
        let stuck = self.replay.is_stuck();
        let valid = self.replay.is_valid_end();
        self.final_state()?;
        if let Some(finding) = self.at_rest() {
            let (kind, message) = describe(finding);
            say(&format!("{}: {message}\n", kind.name()))?;
            return Ok(Exit::Violated);
        }
        if stuck && !valid {
            say("invalid end state: processes wait for ever\n")?;
            return Ok(Exit::Violated);
        }
        // Who stops before the end knows nothing of it.
        Ok(if stuck { Exit::Holds } else { Exit::Undecided })
    }

    /// What is at fault before any further step.
    fn at_rest(&mut self) -> Option<FindingKind> {
        let mut findings = self.replay.options().findings.iter();
        findings.find(|it| it.moves.is_empty()).map(|it| it.kind.clone())
    }

    fn final_state(&self) -> Result<(), Exit> {
        let state = self.replay.interpreter().state(self.replay.vector());
        say(&steps::final_state(self.replay.interpreter(), &state, self.done))
    }
}

/// Prints; who has no reader any more stops.
fn say(text: &str) -> Result<(), Exit> {
    print(text).map_err(|it| match it {
        Unprinted::Unread => Exit::Undecided,
        Unprinted::Failed => Exit::Usage,
    })
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
fn ask(options: &[String], count: usize) -> Result<Option<usize>, Exit> {
    if count == 1 {
        return Ok(Some(0));
    }
    let mut menu = String::from("choose a step (q to stop):\n");
    for (index, option) in options.iter().enumerate() {
        menu.push_str(&format!("  {}: {option}\n", index + 1));
    }
    for index in options.len()..count {
        menu.push_str(&format!("  {}: a step that is at fault\n", index + 1));
    }
    loop {
        say(&menu)?;
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line).unwrap_or(0) == 0 || line.trim() == "q" {
            return Ok(None);
        }
        match line.trim().parse::<usize>() {
            Ok(n) if (1..=count).contains(&n) => return Ok(Some(n - 1)),
            _ => say(&format!("a number from 1 to {count}, or q\n"))?,
        }
    }
}
