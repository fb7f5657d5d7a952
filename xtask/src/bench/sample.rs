//! One measured search, of either side.

use serde_json::Value;

use crate::command::Measured;
use crate::spin::{self, Unusable, number_after};
use crate::spinor::Cost;

/// Below this many seconds SPIN's own clock, which ticks in hundredths, is too coarse.
const COARSE: f64 = 0.05;

/// SPIN's megabyte.
const MEGABYTE: f64 = 1_048_576.0;

/// What SPIN calls the states without their table.
const BARE: &str = "actual memory usage for states";

/// What one search said and took.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    /// Stored states.
    pub(crate) stored: u64,
    /// Transitions.
    pub(crate) transitions: u64,
    /// Why the search ended early, where it did.
    pub(crate) stopped: Option<String>,
    /// Seconds of the search.
    pub(crate) search_s: f64,
    /// How many of them passed before there was native code: what SPIN's verifier has behind it when it begins.
    pub(crate) code_s: f64,
    /// Bytes of a state before any compression.
    pub(crate) vector_bytes: Option<f64>,
    /// Memory of the visited states without their table, where the report tells them apart.
    pub(crate) bare_bytes: Option<f64>,
    /// Memory of the visited states, with their table.
    pub(crate) states_bytes: Option<f64>,
    /// All memory that the program counts.
    pub(crate) total_bytes: Option<f64>,
    /// All memory that the system counts.
    pub(crate) peak_bytes: Option<f64>,
    /// The share of the machine that others took meanwhile.
    pub(crate) stolen: f64,
    /// How steps were computed.
    pub(crate) engine: Option<String>,
    /// Where states were kept at the end, which need not be where they were asked to be.
    pub(crate) store: Option<String>,
}

impl Sample {
    /// Reads a report of SPIN's verifier.
    pub(crate) fn of_spin(run: &Measured) -> Result<Self, Unusable> {
        let facts = spin::read_report(&run.finished)?.facts;
        let text = run.finished.text();
        let elapsed = float_after(&text, "elapsed time ").filter(|&seconds| seconds >= COARSE);
        Ok(Self {
            stored: facts.stored,
            transitions: facts.transitions,
            stopped: None,
            search_s: elapsed.unwrap_or(run.seconds),
            code_s: 0.0,
            vector_bytes: number_after(&text, "State-vector ").map(|bytes| bytes as f64),
            bare_bytes: megabytes(&text, BARE),
            states_bytes: spin_states(&text),
            total_bytes: megabytes(&text, "total actual memory usage"),
            peak_bytes: run.peak_bytes.map(|bytes| bytes as f64),
            stolen: 0.0,
            engine: None,
            store: None,
        })
    }

    /// Reads Spinor's report; nothing if it lacks a count or the time.
    pub(crate) fn of_spinor(report: &Value, cost: &Cost) -> Option<Self> {
        let memory = &report["memory"];
        let stopped = !report["complete"].as_bool()?;
        Some(Self {
            stored: report["states"]["stored"].as_u64()?,
            transitions: report["states"]["transitions"].as_u64()?,
            stopped: stopped.then(|| report["reason"].as_str().unwrap_or("it stopped early").to_owned()),
            search_s: report["time"]["search_s"].as_f64()?,
            code_s: report["time"]["code_s"].as_f64()?,
            vector_bytes: memory["vector_bytes"].as_f64(),
            bare_bytes: None,
            states_bytes: memory["states_bytes"].as_f64(),
            total_bytes: memory["total_bytes"].as_f64(),
            peak_bytes: cost.peak_bytes.map(|bytes| bytes as f64),
            stolen: 0.0,
            engine: report["engine"].as_str().map(str::to_owned),
            store: report["store"].as_str().map(str::to_owned),
        })
    }

    /// States per second of the search alone.
    pub(crate) fn rate(&self) -> f64 {
        // No search takes less than the tick of a clock.
        self.stored as f64 / (self.search_s - self.code_s).max(1e-6)
    }

    /// States per second, the time counted that code took to be made.
    pub(crate) fn whole_rate(&self) -> f64 {
        self.stored as f64 / self.search_s.max(1e-6)
    }
}

/// What SPIN takes for states and the table that finds them; a bitstate table is both.
fn spin_states(text: &str) -> Option<f64> {
    match megabytes(text, "memory used for hash array") {
        Some(array) => Some(array),
        None => Some(megabytes(text, BARE)? + megabytes(text, "memory used for hash table")?),
    }
}

/// The bytes of the line `  128.000  what it is`.
fn megabytes(text: &str, what: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| {
        let (number, label) = line.trim_start().split_once('\t')?;
        label.starts_with(what).then_some(number)
    })?;
    Some(line.parse::<f64>().ok()? * MEGABYTE)
}

fn float_after(text: &str, mark: &str) -> Option<f64> {
    text.split_once(mark)?.1.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::Sample;
    use crate::command::{Finished, Measured};
    use crate::spinor::Cost;

    const EXACT: &str = "\
State-vector 48 byte, depth reached 76394, errors: 0
  1119560 states, stored
  2745337 states, matched
  3864897 transitions (= stored+matched)
   72.603\tequivalent memory usage for states (stored*(State-vector + overhead))
   51.500\tactual memory usage for states (compression: 70.92%)
  128.000\tmemory used for hash table (-w24)
  137.329\tmemory used for DFS stack (-m3000000)
  321.500\ttotal actual memory usage
pan: elapsed time 1.85e+01 seconds";

    fn run(text: &str) -> Measured {
        let finished = Finished { code: Some(0), timed_out: false, stdout: text.to_owned(), stderr: String::new() };
        Measured { finished, seconds: 0.25, peak_bytes: Some(4096) }
    }

    #[test]
    fn a_report_of_spin_is_read() {
        let sample = Sample::of_spin(&run(EXACT)).expect("a report");
        assert_eq!((sample.stored, sample.transitions), (1_119_560, 3_864_897));
        assert_eq!(sample.search_s, 18.5);
        assert_eq!(sample.vector_bytes, Some(48.0));
        assert_eq!(sample.bare_bytes, Some(51.5 * 1_048_576.0));
        assert_eq!(sample.states_bytes, Some(179.5 * 1_048_576.0));
        assert_eq!(sample.total_bytes, Some(321.5 * 1_048_576.0));
        assert_eq!(sample.peak_bytes, Some(4096.0));
    }

    #[test]
    fn a_coarse_time_is_replaced_by_that_of_the_process() {
        let sample = Sample::of_spin(&run(&EXACT.replace("1.85e+01", "0.04"))).expect("a report");
        assert_eq!(sample.search_s, 0.25);
    }

    #[test]
    fn a_bitstate_table_holds_the_states() {
        let text = EXACT.replace("51.500\tactual memory usage for states", "16.000\tmemory used for hash array (-w27)");
        let sample = Sample::of_spin(&run(&text)).expect("a report");
        assert_eq!(sample.states_bytes, Some(16.0 * 1_048_576.0));
    }

    #[test]
    fn a_report_of_spinor_is_read() {
        let report = serde_json::json!({
            "complete": true, "engine": "native",
            "states": { "stored": 10, "transitions": 30 },
            "memory": { "states_bytes": 80, "total_bytes": 100, "vector_bytes": 7.5 },
            "time": { "compile_s": 0.1, "code_s": 0.5, "search_s": 2.0 },
        });
        let sample = Sample::of_spinor(&report, &Cost { seconds: 2.2, peak_bytes: None }).expect("all fields");
        assert_eq!((sample.stored, sample.transitions, sample.rate(), sample.whole_rate()), (10, 30, 10.0 / 1.5, 5.0));
        assert_eq!((sample.vector_bytes, sample.states_bytes), (Some(7.5), Some(80.0)));
        assert!(sample.stopped.is_none() && sample.peak_bytes.is_none());
    }
}
