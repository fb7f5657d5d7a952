//! What is shown of the searches of large models.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::large::Series;
use super::sample::Sample;
use super::statistics::{Figure, median, ratio};
use super::table::{Column, Row, Table, Worst, figures};

/// A figure, if both sides were run.
type Figured = Option<Figure>;

fn rate(row: &Row<Series>, name: &str) -> Figured {
    median(&row.measured.rates(name, Sample::rate)).map(|rate| Figure::from(rate / 1e6))
}

fn compare(row: &Row<Series>, name: &str, with: &str) -> Figured {
    ratio(&row.measured.rates(name, Sample::rate), &row.measured.rates(with, Sample::rate))
}

/// The same, the time counted that code took to be made.
fn compare_whole(row: &Row<Series>, name: &str, with: &str) -> Figured {
    ratio(&row.measured.rates(name, Sample::whole_rate), &row.measured.rates(with, Sample::whole_rate))
}

/// Percent of the states that a configuration did not find.
fn missed(row: &Row<Series>, name: &str) -> Figured {
    let found = row.measured.middle(name, |it| Some(it.stored as f64))?;
    Some(Figure::from(100.0 * (1.0 - found / row.states as f64)))
}

fn vector(row: &Row<Series>, name: &str) -> Figured {
    row.measured.middle(name, |it| it.vector_bytes).map(Figure::from)
}

/// Bytes a state of one kind of memory.
fn bytes(row: &Row<Series>, name: &str, kind: fn(&Sample) -> Option<f64>) -> Figured {
    row.measured.middle(name, kind).map(|bytes| Figure::from(bytes / row.states as f64))
}

fn share(above: Figured, below: Figured) -> Figured {
    Some(Figure::from(above?.value / below?.value))
}

fn total(sample: &Sample) -> Option<f64> {
    sample.total_bytes
}

fn bare(sample: &Sample) -> Option<f64> {
    sample.bare_bytes
}

fn store(sample: &Sample) -> Option<f64> {
    sample.states_bytes
}

fn peak(sample: &Sample) -> Option<f64> {
    sample.peak_bytes
}

const SPEED: &[Column<Series>] = &[
    ("SPIN Mst/s", 3, Worst::Least, |row| rate(row, "spin")),
    ("Spinor Mst/s", 3, Worst::Least, |row| rate(row, "exact")),
    ("ratio", 2, Worst::Least, |row| compare(row, "exact", "spin")),
    ("with code", 2, Worst::Least, |row| compare_whole(row, "exact", "spin")),
    ("2 threads / 1", 2, Worst::Least, |row| compare(row, "exact-2", "exact")),
    ("2 with code", 2, Worst::Least, |row| compare_whole(row, "exact-2", "exact")),
    ("2 processes / 1", 2, Worst::Least, |row| compare(row, "twice", "exact")),
    ("dfs / SPIN", 2, Worst::Least, |row| compare(row, "dfs", "spin")),
    ("tree / SPIN", 2, Worst::Least, |row| compare(row, "tree", "spin")),
    ("collapse / SPIN", 2, Worst::Least, |row| compare(row, "collapse", "spin")),
];

const SPEED_LEGEND: &str = "Millions of states a second of the unreduced search, one thread, medians; \
    `ratio` is Spinor (exact store) over SPIN, in brackets the least and the greatest ratio of a round. It is of the search \
    alone: neither the time that gcc took nor the time before there was native code counts; in the columns `with code` the \
    latter does. `2 processes` are two searches with one thread each at the \
    same time, which share nothing: what a second core of the machine is good for. A search from which the host of a \
    virtual machine took more than a fiftieth is repeated, up to five times, and the one that lost least counts.";

const LOSSY: &[Column<Series>] = &[
    ("SPIN bitstate Mst/s", 3, Worst::Least, |row| rate(row, "spin-bitstate")),
    ("bitstate Mst/s", 3, Worst::Least, |row| rate(row, "bitstate")),
    ("bitstate ratio", 2, Worst::Least, |row| compare(row, "bitstate", "spin-bitstate")),
    ("with code", 2, Worst::Least, |row| compare_whole(row, "bitstate", "spin-bitstate")),
    ("SPIN missed %", 4, Worst::Greatest, |row| missed(row, "spin-bitstate")),
    ("missed %", 4, Worst::Greatest, |row| missed(row, "bitstate")),
    ("hash-compact Mst/s", 3, Worst::Least, |row| rate(row, "hash-compact")),
    ("hash-compact ratio", 2, Worst::Least, |row| compare(row, "hash-compact", "spin-bitstate")),
    ("hc with code", 2, Worst::Least, |row| compare_whole(row, "hash-compact", "spin-bitstate")),
    ("hash-compact / exact SPIN", 2, Worst::Least, |row| compare(row, "hash-compact", "spin")),
    ("hc missed %", 4, Worst::Greatest, |row| missed(row, "hash-compact")),
];

const LOSSY_LEGEND: &str = "Bitstate of both sides with 128 MB and three bits a state, where Spinor keeps hashes as \
    long as they fit. Ratios are over SPIN's bitstate. `missed` is the share of states that were not found.";

const MEMORY: &[Column<Series>] = &[
    ("SPIN vector", 0, Worst::Greatest, |row| vector(row, "spin")),
    ("vector", 1, Worst::Greatest, |row| vector(row, "exact")),
    ("SPIN total", 1, Worst::Greatest, |row| bytes(row, "spin", total)),
    ("exact total", 1, Worst::Greatest, |row| bytes(row, "exact", total)),
    ("tree total", 1, Worst::Greatest, |row| bytes(row, "tree", total)),
    ("collapse total", 1, Worst::Greatest, |row| bytes(row, "collapse", total)),
    ("SPIN states", 1, Worst::Greatest, |row| bytes(row, "spin", bare)),
    ("SPIN store", 1, Worst::Greatest, |row| bytes(row, "spin", store)),
    ("exact store", 1, Worst::Greatest, |row| bytes(row, "exact", store)),
    ("tree store", 1, Worst::Greatest, |row| bytes(row, "tree", store)),
    ("SPIN peak", 1, Worst::Greatest, |row| bytes(row, "spin", peak)),
    ("exact peak", 1, Worst::Greatest, |row| bytes(row, "exact", peak)),
    ("tree peak", 1, Worst::Greatest, |row| bytes(row, "tree", peak)),
    ("vector share", 2, Worst::Greatest, |row| share(vector(row, "exact"), vector(row, "spin"))),
    ("total share", 2, Worst::Greatest, |row| share(bytes(row, "exact", total), bytes(row, "spin", total))),
    ("tree share", 2, Worst::Greatest, |row| share(bytes(row, "tree", total), bytes(row, "spin", total))),
    ("hard share", 2, Worst::Greatest, |row| share(bytes(row, "exact", total), bytes(row, "spin", bare))),
    ("hard tree share", 2, Worst::Greatest, |row| share(bytes(row, "tree", total), bytes(row, "spin", bare))),
];

const MEMORY_LEGEND: &str = "Bytes a state. `vector`: a state before compression; `total`: all that the program \
    counts; `store`: visited states with their table; `peak`: resident memory of the process; `share`: Spinor's over \
    SPIN's. SPIN's total has a stack of 3,000,000 steps and 2^24 slots whatever the model needs, so that small models \
    flatter Spinor; `SPIN states` leaves both out, and the `hard` shares divide Spinor's total by it.";

/// Speed, lossy stores and memory.
pub(crate) fn tables(rows: &[Row<Series>]) -> [Table; 3] {
    [
        Table::new("Speed of the search", SPEED_LEGEND, SPEED, rows),
        Table::new("Stores that may miss states", LOSSY_LEGEND, LOSSY, rows),
        Table::new("Memory", MEMORY_LEGEND, MEMORY, rows),
    ]
}

/// A row of the machine-readable record: its figures, and the samples they come from.
pub(crate) fn record(row: &Row<Series>) -> Value {
    let mut all = figures(SPEED, row);
    all.extend(figures(LOSSY, row));
    all.extend(figures(MEMORY, row));
    let samples: BTreeMap<&str, Vec<Value>> =
        row.measured.samples.iter().map(|(name, samples)| (*name, samples.iter().map(sample).collect())).collect();
    json!({
        "model": row.model,
        "states": row.states,
        "result": row.outcome.word(),
        "figures": all,
        "samples": samples,
    })
}

fn sample(it: &Sample) -> Value {
    json!({
        "stored": it.stored,
        "transitions": it.transitions,
        "search_s": it.search_s,
        "code_s": it.code_s,
        "vector_bytes": it.vector_bytes,
        "bare_bytes": it.bare_bytes,
        "states_bytes": it.states_bytes,
        "total_bytes": it.total_bytes,
        "peak_bytes": it.peak_bytes,
        "stolen": it.stolen,
        "engine": it.engine,
        "store": it.store,
    })
}
