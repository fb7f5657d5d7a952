//! What many machines would do, by constants that are measured on this one.
//!
//! A search of so many states has levels like a bell. In each, a process expands its share and sends what belongs to
//! others; then all wait for the one that has most. Shares are those of a random owner. What is not modelled: other
//! users of the network, and machines of different speed.

use super::kills::counters;
use super::run::{number, search};
use crate::scratch::Scratch;
use crate::spinor::Spinor;
use std::fs;
use std::path::Path;

/// Levels of the search that is looked at, and successors of a state.
const LEVELS: usize = 200;
const BRANCHES: f64 = 3.0;
/// Words of a parcel at least and at most, how many go to each process in a level, and bytes that may be on their way to
/// one process.
const PARCEL_WORDS: (f64, f64) = (2_048.0, 65_536.0);
const PARCELS: f64 = 8.0;
const UNDERWAY_MIB: f64 = 4.0;
/// Messages of a process at the end of a level, to each other one: what it knows, and the end.
const MESSAGES: f64 = 2.0;

/// What was measured; times in seconds.
struct Constants {
    /// To expand a state and store a successor.
    step: f64,
    /// To send a successor and receive it, beyond that.
    sent: f64,
    /// A level that has nothing to do.
    level: f64,
    /// Words of a state in a parcel.
    words: f64,
    /// To write a state down, and bytes that it takes there.
    recorded: f64,
    recorded_bytes: f64,
}

/// Measures, and prints what follows.
pub(super) fn run(spinor: &Spinor) -> Result<bool, String> {
    let constants = measure(spinor)?;
    let Constants { step, sent, level, words, recorded, recorded_bytes } = constants;
    println!("a successor {:.0} ns, one that is sent {:.0} ns more, {words:.0} words", step * 1e9, sent.max(0.0) * 1e9);
    println!(
        "a level without states {:.2} ms, a message {:.0} us at most",
        level * 1e3,
        level / (2.0 * MESSAGES) * 1e6
    );
    println!("a state in a checkpoint {:.0} ns, {recorded_bytes:.0} bytes", recorded.max(0.0) * 1e9);
    for (title, states) in [("a billion states", None), ("a hundred million states a machine", Some(1e8))] {
        println!(
            "\n{title}\nmachines\tMstates/s\tof ideal\twaiting\tbalance\tbytes a state\tmessages a state\t\
             states a parcel\tcheckpoint s\tunderway MiB\tconnections\tthreads"
        );
        for machines in [2_u32, 10, 100, 1_000] {
            let total = states.map_or(1e9, |it| it * f64::from(machines));
            println!("{}", constants.line(f64::from(machines), total));
        }
    }
    Ok(true)
}

impl Constants {
    /// What a search of so many states does on so many machines.
    fn line(&self, machines: f64, total: f64) -> String {
        let others = machines - 1.0;
        let abroad = others / machines;
        let weights: Vec<f64> =
            (0..LEVELS).map(|it| (-(it as f64 / LEVELS as f64 * 6.0 - 3.0).powi(2) / 2.0).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let work = BRANCHES * (self.step + abroad * self.sent.max(0.0));
        let message = self.level / (2.0 * MESSAGES);
        let (mut time, mut busy, mut parcels, mut balance) = (0.0, 0.0, 0.0, 0.0_f64);
        for weight in &weights {
            let mean = total * weight / sum / machines;
            // The largest of so many random shares.
            let most = mean + (2.0 * mean * machines.ln()).sqrt();
            let words = mean * BRANCHES * abroad * self.words;
            let parcel = (words / others / PARCELS).clamp(PARCEL_WORDS.0, PARCEL_WORDS.1);
            let sent = (words / parcel).max(others.min(words / self.words));
            parcels += sent;
            busy += mean * work;
            balance = balance.max(if mean * machines > total / LEVELS as f64 { most / mean } else { 0.0 });
            time += most * work + (sent + MESSAGES * others) * message + self.level;
        }
        let (ideal, own) = (total * BRANCHES * self.step / machines, total / machines);
        let messages = parcels + MESSAGES * others * LEVELS as f64;
        format!(
            "{machines}\t{:.1}\t{:.2}\t{:.2}\t{balance:.3}\t{:.0}\t{:.5}\t{:.0}\t{:.0}\t{:.0}\t{}\t{}",
            total / time / 1e6,
            ideal / time,
            1.0 - busy / time,
            BRANCHES * abroad * self.words * 8.0,
            messages / own,
            own * BRANCHES * abroad / parcels,
            own * self.recorded.max(0.0),
            UNDERWAY_MIB * others,
            machines * others / 2.0,
            2.0 * others + 2.0,
        )
    }
}

fn measure(spinor: &Spinor) -> Result<Constants, String> {
    let scratch = Scratch::new("simulate")?;
    let model = scratch.write("counters.pml", &counters(4, 24))?;
    let seconds = |report: &serde_json::Value| number(&report["time"]["search_s"]);
    let alone = search(spinor, &model, &[])?;
    let together = search(spinor, &model, &["--workers", "2"])?;
    let sum = |field: &str| -> f64 {
        together["processes"].as_array().into_iter().flatten().map(|it| number(&it[field])).sum()
    };
    let transitions = number(&alone["states"]["transitions"]);
    let step = seconds(&alone) / transitions;
    let busy = 2.0 * seconds(&together) - sum("idle_s");
    let chain = scratch.write("chain.pml", "short n; active proctype P() { end: do :: n < 1000 -> n++ od }\n")?;
    let levels = search(spinor, &chain, &["--workers", "2"])?;
    let place = scratch.path().join("checkpoint");
    let recorded =
        search(spinor, &model, &["--workers", "2", "--checkpoint", &place.to_string_lossy(), "--every", "2s"])?;
    let stored = number(&alone["states"]["stored"]);
    let written = bytes(&place) as f64 / 1e6;
    println!(
        "{:.0} MB of checkpoints with a search of {:.2} s, {:.2} s without them",
        written,
        seconds(&recorded),
        seconds(&together),
    );
    Ok(Constants {
        step,
        sent: (busy - step * transitions) / sum("sent").max(1.0),
        level: seconds(&levels) / number(&levels["states"]["depth"]).max(1.0),
        words: (number(&alone["memory"]["vector_bytes"]) / 8.0).ceil().max(1.0),
        // Each of the two writes its half.
        recorded: 2.0 * (seconds(&recorded) - seconds(&together)) / stored,
        recorded_bytes: written * 1e6 / stored,
    })
}

/// Bytes of the files of a folder.
fn bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|it| it.metadata().ok()).map(|it| it.len()).sum()
}
