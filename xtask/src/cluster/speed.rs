//! Two processes beside two threads of one: states a second, and memory.

use super::run::{Counts, number, search};
use crate::spinor::Spinor;
use serde_json::Value;
use std::path::PathBuf;

/// Models of 1,500,000 to 10,000,000 states.
pub(super) const MODELS: [&str; 6] =
    ["at.3.pml", "szymanski.4.pml", "fischer.3.pml", "leader_filters.5.pml", "needham.4.pml", "protocols.5.pml"];

/// Least, middle and greatest.
fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [values[0], values[values.len() / 2], values[values.len() - 1]]
}

fn speed(report: &Value) -> f64 {
    number(&report["states"]["stored"]) / number(&report["time"]["search_s"]).max(1e-9)
}

/// Measures all, both sides in turn; false if counts differ.
pub(super) fn run(spinor: &Spinor, models: &[(String, PathBuf)], runs: u16) -> Result<bool, String> {
    let mut is_right = true;
    let mut logarithms = Vec::new();
    println!("model\tthreads Mstates/s\tprocesses Mstates/s\tratio\twaits\tmemory of a process");
    for (name, path) in models {
        let (mut threads, mut processes, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        let (mut waits, mut memory) = (Vec::new(), 0.0);
        for _ in 0..runs {
            let shared = search(spinor, path, &["--threads", "2"])?;
            let divided = search(spinor, path, &["--workers", "2"])?;
            is_right &= Counts::of(&shared) == Counts::of(&divided);
            threads.push(speed(&shared) / 1e6);
            processes.push(speed(&divided) / 1e6);
            ratios.push(speed(&divided) / speed(&shared));
            let of_all = |field: &str| -> Vec<f64> {
                divided["processes"].as_array().into_iter().flatten().map(|it| number(&it[field])).collect()
            };
            let idle: f64 = of_all("idle_s").iter().sum::<f64>() / 2.0;
            waits.push(idle / number(&divided["time"]["search_s"]));
            let most = of_all("memory_bytes").into_iter().fold(0.0, f64::max);
            memory = most / number(&shared["memory"]["total_bytes"]).max(1.0);
        }
        let [threads, processes, ratios] = [threads, processes, ratios].map(spread);
        logarithms.push(ratios[1].ln());
        let three = |it: [f64; 3]| format!("{:.2} ({:.2}-{:.2})", it[1], it[0], it[2]);
        let [_, waits, _] = spread(waits);
        println!("{name}\t{}\t{}\t{}\t{waits:.2}\t{memory:.2}", three(threads), three(processes), three(ratios));
    }
    let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
    println!("geometric mean of the ratios {mean:.2}");
    println!("{}", if is_right { "all counts are the same" } else { "counts DIFFER" });
    Ok(is_right)
}
