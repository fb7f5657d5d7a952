//! States of the corpus with `--reduce auto`, beside SPIN with its own reduction.

use std::collections::HashMap;
use std::path::Path;

use super::Options;
use crate::corpus::{Corpus, Model, reduced_rows};
use crate::parallel;
use crate::spinor::Spinor;

/// The states of a model.
struct Row {
    name: String,
    ours: u64,
    spin: u64,
}

/// Prints a table for all models that SPIN searched completely with its reduction. False if one of them is not
/// searched completely here.
pub(super) fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let corpus = Corpus::load(root, options.only.as_deref())?;
    let spinor = Spinor::locate(root)?;
    let known = reduced_rows(root);
    println!("| model | auto | SPIN | |");
    println!("|---|---|---|---|");
    let (mut logarithms, mut rows, mut greater, mut missing) = (0.0, 0, 0, 0);
    let one = |index: usize| row(&spinor, &corpus.models[index], &known, options.seconds);
    parallel::for_each(corpus.models.len(), options.jobs, one, |row| match row {
        None => {}
        Some(Err(message)) => {
            missing += 1;
            println!("{message}");
        }
        Some(Ok(Row { name, ours, spin })) => {
            let share = ours as f64 / spin as f64;
            logarithms += share.ln();
            rows += 1;
            greater += u64::from(ours > spin);
            println!("| {name} | {ours} | {spin} | {share:.3} |");
        }
    });
    let mean = (logarithms / f64::from(rows.max(1))).exp();
    println!("{rows} models, geometric mean {mean:.4}; more states than SPIN in {greater}; {missing} not searched");
    Ok(missing == 0)
}

/// Nothing if there is no row of SPIN's.
fn row(spinor: &Spinor, model: &Model, known: &HashMap<String, u64>, seconds: u64) -> Option<Result<Row, String>> {
    let spin = *known.get(&model.name)?;
    let name = model.name.clone();
    let fail = |why: &str| Err(format!("{name}: {why}"));
    Some(match spinor.reduced(&model.path, seconds) {
        Err(failure) => fail(failure.message()),
        Ok(value) => match value["states"]["stored"].as_u64() {
            Some(ours) if value["complete"] == true => Ok(Row { name: model.name.clone(), ours, spin }),
            _ => fail("not searched completely"),
        },
    })
}
