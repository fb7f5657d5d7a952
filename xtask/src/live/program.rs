//! Random programs that go round for ever: fairness and acceptance have something to tell apart there.

use rand::Rng as _;
use rand::rngs::SmallRng;
use std::fmt::Write as _;

/// A program of a few processes with a few locations each.
pub(super) fn random(rng: &mut SmallRng) -> String {
    let mut out = String::from("byte g, h;\nchan c = [1] of { byte };\nchan r = [0] of { byte };\n");
    for process in 0..rng.random_range(1..4) {
        let _ = writeln!(out, "active proctype P{process}() {{\n\tbyte v;");
        let locations = rng.random_range(1..4);
        for location in 0..locations {
            let label = ["L", "L", "L", "accept", "progress", "end"][rng.random_range(0..6)];
            let _ = writeln!(out, "S{location}:\n{label}{location}:\n\tif");
            for _ in 0..rng.random_range(1..4) {
                let (statement, target) = (statement(rng), rng.random_range(0..locations));
                let _ = writeln!(out, "\t:: {statement} -> goto S{target}");
            }
            out.push_str("\tfi;\n");
        }
        out.push_str("\tv = 0\n}\n");
    }
    out
}

fn statement(rng: &mut SmallRng) -> String {
    let variable = ["g", "h", "v"][rng.random_range(0..3)];
    let other = ["g", "h"][rng.random_range(0..2)];
    match rng.random_range(0..17) {
        0 => "skip".into(),
        1 => format!("{variable} = {}", rng.random_range(0..3)),
        2 => format!("{variable} = 1 - ({variable} % 2)"),
        3 => format!("({other} == {})", rng.random_range(0..3)),
        4 => format!("({other} != {})", rng.random_range(0..3)),
        5 => format!("c!{}", rng.random_range(0..2)),
        6 => format!("c?{}", ["v", "1", "_"][rng.random_range(0..3)]),
        7 => "r!1".into(),
        8 => "r?v".into(),
        9 => format!("atomic {{ ({other} < 2) -> {other}++ }}"),
        10 => "r!1".into(),
        11 => "r?v".into(),
        12 => format!("atomic {{ r!1; {variable} = 1 - ({variable} % 2) }}"),
        13 => format!("atomic {{ r?v; {variable} = 1 - ({variable} % 2) }}"),
        // At fault, now and then.
        15 if rng.random_ratio(1, 4) => format!("v = 2 / {other}"),
        14 => format!("atomic {{ c!1; ({other} == 1); {variable} = 0 }}"),
        _ => "timeout".into(),
    }
}

/// A random never claim over some propositions.
pub(super) fn claim(propositions: &[String], rng: &mut SmallRng) -> String {
    let locations = rng.random_range(1..4);
    let mut out = String::from("never {\n");
    for location in 0..locations {
        let label = if rng.random_ratio(1, 3) { "accept" } else { "T" };
        let _ = writeln!(out, "N{location}:\n{label}_{location}:\n\tif");
        for _ in 0..rng.random_range(1..4) {
            let proposition = &propositions[rng.random_range(0..propositions.len())];
            let condition = match rng.random_range(0..4) {
                0 => "true".to_string(),
                1 => format!("!({proposition})"),
                _ => format!("({proposition})"),
            };
            let target = rng.random_range(0..locations);
            let _ = match rng.random_range(0..17) {
                0 => writeln!(out, "\t:: {condition} -> goto done"),
                1 => writeln!(out, "\t:: atomic {{ {condition} -> ({proposition}) }} goto N{target}"),
                2 => writeln!(out, "\t:: d_step {{ {condition} -> printf(\"_\") }} goto N{target}"),
                3 => writeln!(out, "\t:: d_step {{ {condition} -> if :: ({proposition}) :: else fi }} goto N{target}"),
                _ => writeln!(out, "\t:: {condition} -> goto N{target}"),
            };
        }
        if rng.random_ratio(1, 3) {
            let _ = writeln!(out, "\t:: else -> goto N{}", rng.random_range(0..locations));
        }
        out.push_str("\tfi;\n");
    }
    out.push_str("done:\n\tskip\n}\n");
    out
}
