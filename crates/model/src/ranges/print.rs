//! Ranges as a table.

use super::{ChannelSet, Interval, Leaf, Ranges, Site, Values};
use crate::model::Model;
use crate::types::Scalar;
use std::fmt::Write as _;

/// Sets with more gaps than this are only counted.
const MOST_RUNS: usize = 6;

/// What each variable and each message can hold, and how many bits that takes.
#[must_use]
pub fn text(model: &Model, ranges: &Ranges) -> String {
    let mut out = String::new();
    part(&mut out, ranges, "globals", &ranges.globals);
    part(&mut out, ranges, "hidden", &ranges.hidden);
    for (proctype, leaves) in model.proctypes.iter().zip(&ranges.locals) {
        part(&mut out, ranges, &format!("proctype {}", proctype.name), leaves);
    }
    for site in &ranges.sites {
        channel(&mut out, model, ranges, site);
    }
    out
}

fn part(out: &mut String, ranges: &Ranges, title: &str, leaves: &[Leaf]) {
    if leaves.is_empty() {
        return;
    }
    let (needed, declared) = leaves.iter().fold((0, 0), |(needed, declared), leaf| {
        (needed + bits(leaf), declared + leaf.offsets.len() as u32 * Interval::of_type(&leaf.ty).bits())
    });
    let _ = writeln!(out, "{title}: {needed} of {declared} bits");
    for leaf in leaves {
        let count = leaf.offsets.len();
        let name = if count > 1 { format!("{} * {count}", leaf.name) } else { leaf.name.clone() };
        let notes = format!("{}{}", marks(leaf), targets(ranges, &leaf.channels));
        line(out, &name, &leaf.ty, &leaf.values, &notes);
    }
}

fn channel(out: &mut String, model: &Model, ranges: &Ranges, site: &Site) {
    let owner = site.owner.map_or_else(String::new, |owner| format!("{}:", model.proctype(owner).name));
    let capacity = model.channel_types[usize::from(site.kind.0)].capacity;
    let _ = writeln!(out, "channel {owner}{}, capacity {capacity}", site.name);
    for (index, field) in site.fields.iter().enumerate() {
        let notes = targets(ranges, &field.channels);
        line(out, &format!("field {}", index + 1), &field.ty, &field.values, &notes);
    }
}

fn line(out: &mut String, name: &str, ty: &Scalar, values: &Values, notes: &str) {
    let _ = writeln!(out, "  {name:<24} {:<12} {:>2} bits  {}{notes}", ty.name(), values.bits(), shown(values));
}

/// The bits that tell the values of all elements apart.
fn bits(leaf: &Leaf) -> u32 {
    leaf.offsets.len() as u32 * leaf.values.bits()
}

fn shown(values: &Values) -> String {
    match values {
        Values::Few(few) if few.is_empty() => "never sent".into(),
        Values::Few(few) => gaps(few),
        Values::Many(range) => format!("{} .. {}", range.low, range.high),
    }
}

/// Values with the runs among them put together: `0 .. 4, 255`.
fn gaps(few: &[i32]) -> String {
    let mut runs: Vec<Interval> = Vec::new();
    for &value in few {
        match runs.last_mut() {
            Some(run) if i64::from(run.high) + 1 == i64::from(value) => run.high = value,
            _ => runs.push(Interval::single(value)),
        }
    }
    if runs.len() > MOST_RUNS {
        return format!("{} values in {} .. {}", few.len(), few[0], few[few.len() - 1]);
    }
    let shown = |run: &Interval| match run.constant() {
        Some(value) => value.to_string(),
        None => format!("{} .. {}", run.low, run.high),
    };
    runs.iter().map(shown).collect::<Vec<_>>().join(", ")
}

fn marks(leaf: &Leaf) -> String {
    let mut marks = String::new();
    if leaf.range.constant().is_some() {
        marks.push_str("  constant");
    } else if !leaf.is_written {
        marks.push_str("  never written");
    }
    if !leaf.is_read {
        marks.push_str("  never read");
    }
    marks
}

fn targets(ranges: &Ranges, set: &ChannelSet) -> String {
    if set.unknown {
        return String::new();
    }
    let names: Vec<&str> = set.sites().map(|site| &*ranges.sites[site].name).collect();
    if names.is_empty() { String::new() } else { format!("  -> {}", names.join(", ")) }
}
