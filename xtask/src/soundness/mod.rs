//! Reductions on random systems, beside the full state graph: independent steps commute, proposed sets are
//! persistent, and a naive reduced search keeps what it must.

mod checks;
mod combination;
mod graph;
mod pool;
mod reduced;
mod searches;
mod stutter;
mod subject;
mod system;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use spinor_exec::Simplify;
use spinor_explore::Proviso;
use spinor_explore::reduce::{Method, Preserve, Tables};
use spinor_model::access::Object;
use spinor_model::{Model, Type};
use spinor_syntax::diagnostic::has_errors;
use spinor_syntax::{Define, Loader};

use crate::parallel;
use graph::Graph;
use pool::Hardness;
use reduced::{Facts, Reduced, Watched, propose};
use subject::Subject;
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
    /// How many of the sound combinations are searched for each system, drawn by chance.
    #[arg(long, value_name = "N", default_value_t = 8)]
    draws: usize,
    /// Write how many searches each combination had to this file.
    #[arg(long, value_name = "FILE")]
    combinations: Option<PathBuf>,
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
    /// Several processes search wherever they can, instead of now and then.
    #[arg(long)]
    processes: bool,
    /// Systems to check at the same time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
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
    /// For each method and goal: states and steps kept, and those that there were.
    kept: BTreeMap<String, ([u64; 2], [u64; 2])>,
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
            let draw = mixed(options.seed, index);
            let outcome = examine(&subject.text(), options, draw);
            let small = outcome.as_ref().is_ok_and(Result::is_err).then(|| minimise(subject.clone(), options, draw));
            let hard = match &outcome {
                Ok(Ok(Count { hardness: Some(hardness), .. })) => collected(subject, *hardness, options, draw),
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
    if let Some(file) = &options.combinations {
        let table = total.compared.tries.table();
        fs::write(file, table).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    println!("{total}");
    Ok(total.faults == 0)
}

/// The smallest system of its like that breaks a promise, and how.
fn minimise(subject: Subject, options: &Options, draw: u64) -> (String, String) {
    let broken = |text: &str| examine(text, options, draw).ok().and_then(Result::err);
    let text = subject.shrunk(&mut |text| broken(text).is_some()).text();
    let message = broken(&text).unwrap_or_default();
    (text, message)
}

/// The smallest system of its like that is hard in the same way, by its text.
fn collected(
    subject: Subject,
    hardness: Hardness,
    options: &Options,
    draw: u64,
) -> Option<(String, (Hardness, System))> {
    let is_hard = |text: &str| {
        let outcome = examine(text, options, draw).ok().and_then(Result::ok);
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

/// One number of two.
fn mixed(seed: u64, index: u64) -> u64 {
    (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ index).wrapping_mul(0xff51_afd7_ed55_8ccd)
}

/// Checks a model; `draw` decides what is checked of it.
fn examine(text: &str, options: &Options, draw: u64) -> Result<Result<Count, String>, Useless> {
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
    Ok(check(&model, &graph, options, draw))
}

fn check(model: &Model, graph: &Graph<'_>, options: &Options, draw: u64) -> Result<Count, String> {
    let (watched, objects) = watched(model, graph);
    let full = Reduced::full(graph).facts(graph, &watched);
    let states = graph.nodes.len() as u64;
    let mut count = Count { models: 1, states, ..Count::default() };
    let whole = [states, full.steps as u64];
    count.compared = searches::compare(model, &graph.shapes, (draw, options.draws), options.processes)?;
    if options.collect.is_some() {
        count.hardness = pool::hardness(graph, (&watched, &objects), &full, count.compared.lost);
    }
    if options.searches {
        return Ok(count);
    }
    let plain = Tables::new(graph.shapes.clone(), Preserve::Deadlock);
    count.pairs = checks::independence(graph, &plain)?;
    count.pairs += merged_pairs(model, options.states).map_err(|it| format!("merged: {it}"))?;
    count.sets = checks::determinism(graph, &plain)?;
    let methods = options.selector.map_or_else(|| drawn_methods(draw), |only| vec![only]);
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
            let kept = [found.states as u64, found.steps as u64];
            count.kept.insert(format!("{method} {}", goal.name), (kept, whole));
        }
    }
    Ok(count)
}

/// What is independent where a step goes on through locations that are passed.
fn merged_pairs(model: &Model, most: usize) -> Result<u64, String> {
    let merge = Simplify { merge: true, dead: false };
    let Some(graph) = Graph::simplified(model, merge, most) else { return Ok(0) };
    checks::independence(&graph, &Tables::new(graph.shapes.clone(), Preserve::Deadlock))
}

/// Selectors whose promises are checked for a system.
const METHODS: usize = 2;

fn drawn_methods(draw: u64) -> Vec<Method> {
    let first = draw as usize % Method::ALL.len();
    Method::ALL.into_iter().cycle().skip(first).take(METHODS).collect()
}

/// Every proposed set of every state is persistent, and does not depend on what was proposed before.
fn persistent(graph: &Graph<'_>, tables: &Tables<'_>, method: Method) -> Result<u64, String> {
    let mut selector = method.selector();
    let mut sets = Vec::new();
    let mut count = 0;
    for at in 0..graph.nodes.len() {
        sets.clear();
        propose(graph, tables, &mut *selector, at, &mut sets);
        count += sets.len() as u64;
        let mut anew = Vec::new();
        propose(graph, tables, &mut *method.selector(), at, &mut anew);
        if anew != sets {
            return Err(format!("state {at}: {sets:?} were proposed, and {anew:?} by who remembers nothing"));
        }
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
        for (name, (kept, whole)) in &other.kept {
            let mine = self.kept.entry(name.clone()).or_default();
            for it in 0..2 {
                mine.0[it] += kept[it];
                mine.1[it] += whole[it];
            }
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, (kept, whole)) in &self.kept {
            let [states, steps] = [0, 1].map(|it| kept[it] as f64 / whole[it].max(1) as f64);
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
