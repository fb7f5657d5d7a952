//! Speed and memory beside SPIN's verifier: the same unreduced search, both in turn.
//!
//! Figures never fail anything, they are for people; wrong counts do.

mod columns;
mod configuration;
mod large;
mod pan;
mod record;
mod sample;
mod select;
mod small;
mod statistics;
mod stolen;
mod table;

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;
use serde_json::{Value, json};

use crate::corpus::Corpus;
use crate::spinor::Spinor;
use large::Plan;
use record::Environment;
use select::{Group, subjects};
use table::{Outcome, Row, Table};

/// What `bench` is asked to do.
#[derive(Args)]
pub(crate) struct Options {
    /// How often each side is run, in turn.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Only models of at least this many states [default: 300,001; 1,000 with --small].
    #[arg(long, value_name = "N", conflicts_with = "all")]
    min_states: Option<u64>,
    /// Only models of at most this many states [default: 12,000,000; 300,000 with --small].
    #[arg(long, value_name = "N", conflicts_with = "all")]
    max_states: Option<u64>,
    /// Only models whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Measure the time from the command to the verdict, on small models.
    #[arg(long)]
    small: bool,
    /// Measure searches on large models, then verdicts on small ones.
    #[arg(long, conflicts_with = "small")]
    all: bool,
    /// Only these configurations, and what they are compared with.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    configs: Vec<String>,
    /// A further option for Spinor, as in --spinor-arg=--engine=native.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    spinor_arg: Vec<String>,
    /// Write the figures to bench/record.
    #[arg(long)]
    record: bool,
    /// Models by their names, of any size.
    models: Vec<String>,
}

impl Options {
    fn groups(&self) -> &'static [Group] {
        match (self.all, self.small) {
            (true, _) => &[Group::Large, Group::Small],
            (_, true) => &[Group::Small],
            _ => &[Group::Large],
        }
    }
}

/// What a group leaves behind.
struct Measured {
    group: Group,
    tables: Vec<Table>,
    rows: Vec<Value>,
    engines: BTreeSet<String>,
    is_right: bool,
}

/// Prints tables of rates, ratios and memory; false if a count is wrong.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let corpus = Corpus::load(root, options.only.as_deref())?;
    let spinor = Spinor::locate(root)?;
    let environment = Environment::observe(root);
    let mut measured = Vec::new();
    for group in options.groups() {
        let group = match group {
            Group::Large => run_large(&corpus, &spinor, options)?,
            Group::Small => run_small(&corpus, &spinor, options)?,
        };
        print!("{}", page(&group));
        measured.push(group);
    }
    if options.record {
        write(root, &environment, options, &measured)?;
    }
    Ok(measured.iter().all(|group| group.is_right))
}

fn run_large(corpus: &Corpus, spinor: &Spinor, options: &Options) -> Result<Measured, String> {
    let configurations = configuration::chosen(&options.configs)?;
    let plan = Plan { spinor, extra: &options.spinor_arg, configurations, runs: usize::from(options.runs) };
    let rows = for_each(corpus, Group::Large, options, |subject| plan.measure(subject))?;
    Ok(Measured {
        group: Group::Large,
        tables: columns::tables(&rows).into(),
        engines: rows.iter().filter_map(|row| row.measured.engine()).map(str::to_owned).collect(),
        is_right: are_right(&rows),
        rows: rows.iter().map(columns::record).collect(),
    })
}

fn run_small(corpus: &Corpus, spinor: &Spinor, options: &Options) -> Result<Measured, String> {
    let runs = usize::from(options.runs);
    let one = |subject: &select::Subject<'_>| small::measure(subject, spinor, &options.spinor_arg, runs);
    let rows = for_each(corpus, Group::Small, options, one)?;
    Ok(Measured {
        group: Group::Small,
        tables: vec![small::table(&rows)],
        engines: rows.iter().flat_map(|row| &row.measured).filter_map(|round| round.engine.clone()).collect(),
        is_right: are_right(&rows),
        rows: rows.iter().map(small::record).collect(),
    })
}

/// Measures the models of a group one after the other: two at a time would measure each other.
fn for_each<M>(
    corpus: &Corpus,
    group: Group,
    options: &Options,
    measure: impl Fn(&select::Subject<'_>) -> Row<M>,
) -> Result<Vec<Row<M>>, String> {
    let subjects = subjects(corpus, group, options)?;
    let mut rows = Vec::new();
    for (index, subject) in subjects.iter().enumerate() {
        eprintln!("[{}/{}] {}", index + 1, subjects.len(), subject.model.name);
        let row = measure(subject);
        if let Outcome::Different(message) | Outcome::Failed(message) = &row.outcome {
            eprintln!("{}: {}: {message}", row.model, row.outcome.word());
        }
        rows.push(row);
    }
    Ok(rows)
}

fn are_right<M>(rows: &[Row<M>]) -> bool {
    rows.iter().all(|row| row.outcome == Outcome::Same)
}

fn page(measured: &Measured) -> String {
    measured.tables.iter().map(|table| format!("\n{}", table.markdown())).collect()
}

fn write(root: &Path, environment: &Environment, options: &Options, measured: &[Measured]) -> Result<(), String> {
    let engines: BTreeSet<&str> = measured.iter().flat_map(|group| &group.engines).map(String::as_str).collect();
    let engines = Vec::from_iter(engines).join(", ");
    let mut text = environment.markdown();
    text.push_str(&format!("- {} rounds; engine: {engines}\n", options.runs));
    if !options.spinor_arg.is_empty() {
        text.push_str(&format!("- further options: `{}`\n", options.spinor_arg.join(" ")));
    }
    measured.iter().for_each(|group| text.push_str(&page(group)));
    let mut record = json!({ "runs": options.runs, "spinor_options": options.spinor_arg });
    for group in measured {
        let name = if group.group == Group::Large { "large" } else { "small" };
        let summary: Vec<Value> = group.tables.iter().map(Table::summary).collect();
        record[name] = json!({ "summary": summary, "models": group.rows });
    }
    let suffix = if options.small { "-small" } else { "" };
    let path = environment.write(root, suffix, &text, record)?;
    println!("\nwritten: {}", path.display());
    Ok(())
}
