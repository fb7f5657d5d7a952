//! The models of the papers, searched without reduction: the counts are those of `tests/papers/figures.tsv`.

use spinor_exec::{Packed, Packing};
use spinor_explore::{Order, Plan, Quiet, Report, Verdict, check};
use spinor_model::Model;
use spinor_syntax::{Define, diagnostic::has_errors, source::NoIncludes};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/papers")
}

/// A row of the table.
struct Figure {
    model: String,
    parameters: String,
    algorithm: String,
    states: u64,
    transitions: Option<u64>,
}

fn figures() -> Vec<Figure> {
    let table = fs::read_to_string(directory().join("figures.tsv")).expect("the table of figures");
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [_, _, _, model, parameters, algorithm, states, transitions] = fields[..] else {
            panic!("eight fields: {line}")
        };
        Figure {
            model: model.into(),
            parameters: parameters.into(),
            algorithm: algorithm.into(),
            states: states.parse().unwrap_or_else(|_| panic!("a number of states: {line}")),
            transitions: (transitions != "-").then(|| transitions.parse().expect("a number of transitions")),
        }
    })
    .collect()
}

fn compile(name: &str, parameters: &str) -> Model {
    let text = fs::read_to_string(directory().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let defines: Vec<Define> = parameters
        .split_whitespace()
        .map(|parameter| {
            let (name, value) = parameter.split_once('=').expect("a name and a value");
            Define::Define { name: name.into(), value: value.into() }
        })
        .collect();
    let (model, diagnostics) = spinor_model::compile(name, &text, &defines, &NoIncludes);
    assert!(!has_errors(&diagnostics), "{name}: {diagnostics:#?}");
    model
}

fn search(model: &Model, order: Order) -> Report {
    let plan = Plan { order, ..Plan::default() };
    check(Packed::new(model, Packing::default()), None, model, &plan, &mut Quiet)
}

#[test]
fn full_search_counts_as_the_papers() {
    let mut compared = 0;
    for row in figures().iter().filter(|row| row.algorithm == "full" && row.model != "-") {
        let model = compile(&row.model, &row.parameters);
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            let report = search(&model, order);
            let (name, it) = (&row.model, report.statistics);
            assert_eq!(it.stored, row.states, "{name} {}", row.parameters);
            assert_eq!(it.transitions(), row.transitions.unwrap_or(it.transitions()), "{name} {}", row.parameters);
            assert_eq!(report.verdict(), Verdict::Holds, "{name}");
        }
        compared += 1;
    }
    assert_eq!(compared, 13);
}

#[test]
fn no_reduction_of_the_papers_adds_states() {
    let figures = figures();
    for full in figures.iter().filter(|row| row.algorithm == "full" && row.model != "-") {
        let same = |row: &&Figure| (&row.model, &row.parameters) == (&full.model, &full.parameters);
        for row in figures.iter().filter(same) {
            assert!(
                row.states <= full.states && row.transitions <= full.transitions,
                "{} {}",
                row.model,
                row.algorithm
            );
        }
    }
}

#[test]
fn the_table_covers_the_models() {
    let listed: BTreeSet<String> = figures().into_iter().map(|row| row.model).filter(|model| model != "-").collect();
    let files = fs::read_dir(directory()).expect("the models").filter_map(|it| it.ok()?.file_name().into_string().ok());
    let files: BTreeSet<String> = files.filter(|name| name.ends_with(".pml") && name != "transfer.pml").collect();
    assert_eq!(listed, files);
}

/// Figures of SPIN 6.5.2 (`-o1 -o2 -o3`, `-DNOREDUCE`) for the model that no paper has.
#[test]
fn the_data_transfer_protocol_counts_as_spin() {
    let report = search(&compile("transfer.pml", ""), Order::DepthFirst);
    let it = report.statistics;
    assert_eq!((it.stored, it.transitions(), it.depth), (69_339, 188_402, 140));
    assert_eq!(report.verdict(), Verdict::Holds);
}
