//! Reductions on random systems, beside the full state graph: independent steps commute, proposed sets are
//! persistent, and a naive reduced search keeps what it must.

mod checks;
mod graph;
mod pool;
mod reduced;
mod searches;
mod stutter;
mod system;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use spinor_explore::Proviso;
use spinor_explore::reduce::{Method, Preserve, Tables};
use spinor_model::access::Object;
use spinor_model::{Model, Type};
use spinor_syntax::diagnostic::has_errors;
use spinor_syntax::{Define, Loader};

use crate::fuzz;
use crate::parallel;
use graph::Graph;
use pool::Hardness;
use reduced::{Facts, Reduced, Watched, propose};
use system::System;

/// What `soundness` is asked to do.
#[derive(Args)]
pub(crate) struct Options {
    /// How many random systems to check.
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    systems: u64,
    /// Where the random numbers start.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Only this selector.
    #[arg(long, value_name = "NAME")]
    selector: Option<Method>,
    /// Systems with more states are left out.
    #[arg(long, value_name = "N", default_value_t = 600)]
    states: usize,
    /// Only the system with this number, and print it.
    #[arg(long, value_name = "I")]
    index: Option<u64>,
    /// Also write systems that are hard on reductions to this file, as small as they can be.
    #[arg(long, value_name = "FILE")]
    collect: Option<PathBuf>,
    /// Only the real searches, not the promises of selectors.
    #[arg(long)]
    searches: bool,
    /// Systems to check at the same time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
}

/// Of so many systems the first is a program of the larger language, and the second a mutant from the pool.
const TURN: u64 = 4;

/// A random system or program.
#[derive(Clone)]
enum Subject {
    System(System),
    Program(Box<fuzz::Program>),
}

impl Subject {
    fn new(seed: u64, index: u64) -> Subject {
        let pool = pool::pool();
        match index % TURN {
            0 => Subject::Program(Box::new(fuzz::generate_reducible(seed, index))),
            1 => {
                let kept = pool[(index / TURN) as usize % pool.len()].clone();
                Subject::System(system::mutate(kept, seed, index))
            }
            _ => Subject::System(system::generate(seed, index)),
        }
    }

    fn text(&self) -> String {
        match self {
            Subject::System(system) => system.text(),
            Subject::Program(program) => fuzz::print(program),
        }
    }

    /// The smallest of its like that is found to be faulty.
    fn shrunk(self, is_faulty: &mut dyn FnMut(&str) -> bool) -> Subject {
        match self {
            Subject::Program(program) => {
                Subject::Program(Box::new(fuzz::shrink(*program, |it| is_faulty(&fuzz::print(it)))))
            }
            Subject::System(mut system) => {
                while let Some(next) = system.smaller().into_iter().find(|it| is_faulty(&it.text())) {
                    system = next;
                }
                Subject::System(system)
            }
        }
    }
}

/// How much was checked.
#[derive(Clone, Debug, Default)]
struct Count {
    models: u64,
    refused: u64,
    too_large: u64,
    irreducible: u64,
    states: u64,
    pairs: u64,
    sets: u64,
    faults: u64,
    compared: searches::Compared,
    hardness: Option<Hardness>,
    /// For each method and goal: states and steps kept.
    kept: Vec<(String, u64, u64)>,
    full: (u64, u64),
}

/// Why a model says nothing.
enum Useless {
    Refused,
    TooLarge,
    Irreducible,
}

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, path: &str, _from: &str) -> Result<(String, String), String> {
        Err(format!("no file {path}"))
    }
}

/// Checks random systems; false if a promise is broken anywhere.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let (first, count) = options.index.map_or((0, options.systems), |index| (index, 1));
    if options.index.is_some() {
        println!("{}", Subject::new(options.seed, first).text());
    }
    let mut total = Count::default();
    let mut collection = BTreeMap::new();
    parallel::for_each(
        usize::try_from(count).map_err(|error| error.to_string())?,
        options.jobs,
        |offset| {
            let index = first + offset as u64;
            let subject = Subject::new(options.seed, index);
            let outcome = examine(&subject.text(), options);
            let small = outcome.as_ref().is_ok_and(Result::is_err).then(|| minimise(subject.clone(), options));
            let hard = match &outcome {
                Ok(Ok(Count { hardness: Some(hardness), .. })) => collected(subject, *hardness, options),
                _ => None,
            };
            (index, outcome, small, hard)
        },
        |(index, outcome, small, hard)| {
            collection.extend(hard);
            match outcome {
                Err(Useless::Refused) => total.refused += 1,
                Err(Useless::TooLarge) => total.too_large += 1,
                Err(Useless::Irreducible) => total.irreducible += 1,
                Ok(Ok(count)) => total.add(&count),
                Ok(Err(message)) => {
                    total.faults += 1;
                    let (text, message) = small.unwrap_or_else(|| (String::new(), message));
                    println!("--- seed {} system {index}: {message}\n{text}", options.seed);
                }
            }
        },
    );
    if let Some(file) = &options.collect {
        write(file, &collection)?;
    }
    println!("{total}");
    Ok(total.faults == 0)
}

/// The smallest system of its like that breaks a promise, and how.
fn minimise(subject: Subject, options: &Options) -> (String, String) {
    let broken = |text: &str| examine(text, options).ok().and_then(Result::err);
    let text = subject.shrunk(&mut |text| broken(text).is_some()).text();
    let message = broken(&text).unwrap_or_default();
    (text, message)
}

/// The smallest system of its like that is hard in the same way, by its text.
fn collected(subject: Subject, hardness: Hardness, options: &Options) -> Option<(String, (Hardness, System))> {
    let is_hard = |text: &str| {
        let outcome = examine(text, options).ok().and_then(Result::ok);
        outcome.is_some_and(|count| count.hardness == Some(hardness))
    };
    match subject.shrunk(&mut |text| is_hard(text)) {
        Subject::System(system) => Some((system.text(), (hardness, system))),
        Subject::Program(_) => None,
    }
}

fn write(file: &Path, collection: &BTreeMap<String, (Hardness, System)>) -> Result<(), String> {
    let mut text = String::new();
    for (hardness, system) in collection.values() {
        println!("kept: {hardness}");
        text += &serde_json::to_string(system).map_err(|error| error.to_string())?;
        text.push('\n');
    }
    fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

fn examine(text: &str, options: &Options) -> Result<Result<Count, String>, Useless> {
    let defines: [Define; 0] = [];
    let (model, diagnostics) = spinor_model::compile("random.pml", text, &defines, &NoFiles);
    if has_errors(&diagnostics) || model.uses.reads_hidden {
        return Err(Useless::Refused);
    }
    let graph = Graph::new(&model, options.states).ok_or(Useless::TooLarge)?;
    let tables = Tables::new(graph.shapes.clone(), Preserve::Deadlock);
    if !tables.of(&graph.nodes[0].words).is_reducible() {
        return Err(Useless::Irreducible);
    }
    Ok(check(&model, &graph, options))
}

fn check(model: &Model, graph: &Graph<'_>, options: &Options) -> Result<Count, String> {
    let (watched, objects) = watched(model, graph);
    let full = Reduced::full(graph).facts(graph, &watched);
    let states = graph.nodes.len() as u64;
    let mut count = Count { models: 1, states, full: (states, full.steps as u64), ..Count::default() };
    count.compared = searches::compare(model, &graph.shapes, graph.nodes.len() as u64)?;
    if options.collect.is_some() {
        count.hardness = pool::hardness(graph, (&watched, &objects), &full, count.compared.lost);
    }
    if options.searches {
        return Ok(count);
    }
    let plain = Tables::new(graph.shapes.clone(), Preserve::Deadlock);
    count.pairs = checks::independence(graph, &plain)?;
    count.sets = checks::determinism(graph, &plain)?;
    let methods = options.selector.map_or_else(|| Method::ALL.to_vec(), |only| vec![only]);
    for &method in &methods {
        count.sets += persistent(graph, &plain, method).map_err(|it| format!("{method}: {it}"))?;
    }
    for goal in goals(&objects) {
        let tables = Tables::new(graph.shapes.clone(), goal.preserve.clone());
        for method in &methods {
            let reduced = Reduced::search(graph, &tables, &mut *method.selector(), goal.proviso);
            let found = reduced.facts(graph, &watched);
            goal.compare(&full, &found).map_err(|it| format!("{method}, {}: {it}", goal.name))?;
            if matches!(goal.preserve, Preserve::Ltl(_)) {
                let runs = [Reduced::full(graph), reduced].map(|it| stutter::Runs::new(graph, &it, &watched));
                stutter::compare(&runs).map_err(|it| format!("{method}, {}: {it}", goal.name))?;
            }
            count.kept.push((format!("{method} {}", goal.name), found.states as u64, found.steps as u64));
        }
    }
    Ok(count)
}

/// Every proposed set of every state is persistent.
fn persistent(graph: &Graph<'_>, tables: &Tables<'_>, method: Method) -> Result<u64, String> {
    let mut selector = method.selector();
    let mut sets = Vec::new();
    let mut count = 0;
    for at in 0..graph.nodes.len() {
        sets.clear();
        propose(graph, tables, &mut *selector, at, &mut sets);
        count += sets.len() as u64;
        for set in &sets {
            let is_in = |pid: &usize| set.contains(*pid) && graph.steps(at, *pid) > 0;
            let is_out = |pid: &usize| !set.contains(*pid) && graph.steps(at, *pid) > 0;
            let all = 0..graph.nodes[at].steps.len();
            if !all.clone().any(|pid| is_in(&pid)) || !all.clone().any(|pid| is_out(&pid)) {
                return Err(format!("state {at}: {set:?} is of no use"));
            }
            checks::persistence(graph, at, set)?;
        }
    }
    Ok(count)
}

/// What a search is to preserve, and how it does so.
struct Goal {
    name: &'static str,
    preserve: Preserve,
    proviso: Proviso,
}

fn goals(objects: &BTreeSet<Object>) -> [Goal; 5] {
    let goal = |name, preserve, proviso| Goal { name, preserve, proviso };
    [
        goal("deadlock", Preserve::Deadlock, Proviso::None),
        goal("assertions", Preserve::Assertions, Proviso::Weak),
        goal("statements", Preserve::Statements, Proviso::Weak),
        goal("invariants", Preserve::Invariants(objects.clone()), Proviso::Weak),
        goal("ltl", Preserve::Ltl(objects.clone()), Proviso::Strong),
    ]
}

impl Goal {
    fn compare(&self, full: &Facts, found: &Facts) -> Result<(), String> {
        let same = |what: &str, is_same: bool| if is_same { Ok(()) } else { Err(format!("{what} lost")) };
        same("a deadlock is", full.deadlocks == found.deadlocks)?;
        if self.preserve == Preserve::Deadlock {
            return Ok(());
        }
        same("a finding is", full.findings == found.findings)?;
        if self.preserve == Preserve::Assertions {
            return Ok(());
        }
        same("a local state is", full.locals == found.locals)?;
        same("a statement is", full.statements == found.statements)?;
        let joint = matches!(self.preserve, Preserve::Invariants(_) | Preserve::Ltl(_));
        same("a valuation is", !joint || full.valuations == found.valuations)
    }
}

/// The first two global numbers, whose joint values are an invariant's matter.
fn watched(model: &Model, graph: &Graph<'_>) -> (Watched, BTreeSet<Object>) {
    let mut places = Watched::new();
    let mut objects = BTreeSet::new();
    for (index, variable) in model.globals.iter().enumerate().take(2) {
        let Type::Scalar(ty) = &variable.ty else { continue };
        if variable.length.is_none() {
            places.push((graph.interpreter.layout().hidden + variable.offset as usize, ty.clone()));
            objects.insert(Object::Global(index as u32));
        }
    }
    (places, objects)
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.models += other.models;
        self.states += other.states;
        self.pairs += other.pairs;
        self.sets += other.sets;
        self.compared.add(&other.compared);
        self.full.0 += other.full.0;
        self.full.1 += other.full.1;
        if self.kept.is_empty() {
            self.kept.clone_from(&other.kept);
        } else {
            for (mine, more) in self.kept.iter_mut().zip(&other.kept) {
                mine.1 += more.1;
                mine.2 += more.2;
            }
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, states, steps) in &self.kept {
            let part = |kept: u64, full: u64| kept as f64 / full.max(1) as f64;
            let (states, steps) = (part(*states, self.full.0), part(*steps, self.full.1));
            writeln!(f, "{name:<30} states {states:.3} steps {steps:.3}")?;
        }
        writeln!(f, "{}", self.compared)?;
        write!(
            f,
            "{} models, {} states, {} independent pairs, {} sets; {} not accepted, {} too large, {} irreducible, {} faulty",
            self.models,
            self.states,
            self.pairs,
            self.sets,
            self.refused,
            self.too_large,
            self.irreducible,
            self.faults
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Options, examine};

    fn holds(text: &str) {
        let options = Options {
            systems: 0,
            seed: 0,
            selector: None,
            states: 10_000,
            index: None,
            jobs: 1,
            searches: false,
            collect: None,
        };
        let outcome = examine(text, &options).unwrap_or_else(|_| panic!("a small model that can be reduced: {text}"));
        assert!(outcome.is_ok(), "{:?}: {text}", outcome.err());
    }

    /// A statement that is blocked may be waiting for another process.
    #[test]
    fn blocked_statements_count() {
        holds(
            "chan c = [2] of { bit };
             active proctype P() { do :: c!1 od }
             active proctype Q() { bit l; do :: skip -> break :: c?l od; false }",
        );
    }

    /// A deterministic process can enable a blocked alternative of another.
    #[test]
    fn deterministic_processes_are_not_left_out() {
        holds(
            "chan c = [1] of { bit };
             active proctype P() { bit l; do :: c?l od }
             active proctype Q() { c!1; do :: skip -> break :: c!0 od; false }",
        );
    }

    /// The order of `run` decides the pids, the end of a process frees its pid, and it changes `_nr_pr`.
    #[test]
    fn processes_come_and_go() {
        holds(
            "proctype A(byte x) { assert(!(x == 1 && _pid == 3)) }
             active proctype Q() { run A(2) }
             active proctype P() { run A(1) }",
        );
        holds(
            "proctype A() { assert(_pid != 2) }
             active proctype Q() { run A() }
             active proctype P() { byte z; z = 1 }",
        );
        holds(
            "byte g;
             active proctype Q() { g = _nr_pr; assert(g != 2) }
             active proctype P() { byte z; z = 1 }",
        );
    }

    /// A new process stands where another waits for it.
    #[test]
    fn new_processes_arrive() {
        holds(
            "chan c = [0] of { bit };
             proctype C() { c?_ }
             active proctype P() { skip; run C() }
             active proctype Q() { if :: c!1 :: else fi }",
        );
    }

    /// A rendezvous is a step of its sender, but what it changes may be in the hands of the receiver.
    #[test]
    fn receivers_are_visible() {
        holds(
            "byte g;
             chan c = [0] of { byte };
             active proctype P() { c?g; false }
             active proctype Q() { c!1 }
             active proctype R() { do :: skip od }",
        );
    }

    /// Who accepts a rendezvous goes on with its atomic sequence.
    #[test]
    fn receivers_go_on() {
        holds(
            "byte a;
             chan c = [0] of { byte };
             active proctype P() { byte l; l = a; false }
             active proctype Q() { atomic { c?_; a = (a + 1) % 3 } }
             active proctype R() { c!1; false }",
        );
    }

    /// `else` asks for what stands before it only.
    #[test]
    fn else_does_not_look_behind() {
        holds(
            "byte v;
             proctype P() { if :: if :: else fi -> v = 0 :: skip fi }
             active proctype Q() { v = 1 }
             init { run P() }",
        );
    }

    /// A channel ceases to be with its process.
    #[test]
    fn channels_end() {
        holds(
            "chan c = [1] of { chan };
             active proctype P() { chan x; c?x; x!1 }
             active proctype Q() { chan y = [1] of { byte }; c!y; skip }",
        );
    }
}
