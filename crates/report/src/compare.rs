//! Algorithms side by side, as the papers' tables show them.

use crate::outcome::{Outcome, verdict_name};
use crate::text::{bytes, group};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What one algorithm did with a model.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What came of it, or why it was refused.
    pub result: Result<Figures, String>,
}

/// The figures of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// States stored.
    pub states: u64,
    /// Transitions.
    pub transitions: u64,
    /// The depth.
    pub depth: usize,
    /// Seconds of the search.
    pub seconds: f64,
    /// Bytes in all.
    pub bytes: usize,
    /// The verdict.
    pub verdict: &'static str,
    /// Violations.
    pub errors: u64,
    /// Whether an answer of this algorithm can be trusted, or why not.
    pub sound: Result<(), String>,
}

impl Figures {
    /// The figures of an outcome.
    #[must_use]
    pub fn new(outcome: &Outcome<'_>, sound: Result<(), String>) -> Figures {
        let it = &outcome.report.statistics;
        Figures {
            states: it.stored,
            transitions: it.transitions(),
            depth: it.depth,
            seconds: it.time.as_secs_f64(),
            bytes: it.total_bytes,
            verdict: verdict_name(outcome.verdict()),
            errors: outcome.report.errors,
            sound,
        }
    }
}

/// A table for people.
#[must_use]
pub fn text(model: &str, rows: &[Row]) -> String {
    let mut out = format!("{model}\n");
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max(9);
    let _ = writeln!(
        out,
        "{:width$} {:>13} {:>13} {:>9} {:>9} {:>10}  {:9} sound",
        "algorithm", "states", "transitions", "depth", "time", "memory", "verdict"
    );
    for Row { name, result } in rows {
        let _ = match result {
            Ok(it) => writeln!(
                out,
                "{name:width$} {:>13} {:>13} {:>9} {:>7.2} s {:>10}  {:9} {}",
                group(it.states),
                group(it.transitions),
                group(it.depth as u64),
                it.seconds,
                bytes(it.bytes),
                it.verdict,
                it.sound.as_ref().map_or_else(|why| format!("no: {why}"), |()| "yes".into()),
            ),
            Err(reason) => writeln!(out, "{name:width$} refused: {reason}"),
        };
    }
    out
}

/// A line for each algorithm, for spreadsheets.
#[must_use]
pub fn csv(rows: &[Row]) -> String {
    let mut out = String::from("algorithm,states,transitions,depth,seconds,bytes,verdict,errors,sound\n");
    for Row { name, result } in rows {
        let _ = match result {
            Ok(it) => writeln!(
                out,
                "{name},{},{},{},{:.6},{},{},{},{}",
                it.states,
                it.transitions,
                it.depth,
                it.seconds,
                it.bytes,
                it.verdict,
                it.errors,
                it.sound.is_ok()
            ),
            Err(_) => writeln!(out, "{name},,,,,,refused,,"),
        };
    }
    out
}

/// One object.
#[must_use]
pub fn json(model: &str, rows: &[Row]) -> Value {
    let row = |Row { name, result }: &Row| match result {
        Ok(it) => json!({
            "algorithm": name,
            "states": it.states,
            "transitions": it.transitions,
            "depth": it.depth,
            "search_s": it.seconds,
            "total_bytes": it.bytes,
            "verdict": it.verdict,
            "errors": it.errors,
            "sound": it.sound.is_ok(),
            "unsound_because": it.sound.as_ref().err(),
        }),
        Err(reason) => json!({ "algorithm": name, "refused": reason }),
    };
    json!({ "schema": 1, "model": model, "rows": rows.iter().map(row).collect::<Vec<_>>() })
}

/// Places of a drawing.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 480.0;
const MARGIN: f64 = 70.0;

/// A drawing of time against memory, both in powers of ten, as in Figure 3 of Holzmann, Godefroid and
/// Pirottin (1992).
#[must_use]
pub fn svg(model: &str, rows: &[Row]) -> String {
    let points: Vec<(&str, &Figures)> =
        rows.iter().filter_map(|row| row.result.as_ref().ok().map(|it| (row.name.as_str(), it))).collect();
    let times = Axis::new(points.iter().map(|(_, it)| it.seconds.max(1e-4)));
    let sizes = Axis::new(points.iter().map(|(_, it)| it.bytes.max(1) as f64));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"24\" text-anchor=\"middle\" font-size=\"15\">{}</text>\n",
        WIDTH / 2.0,
        escape(model)
    );
    for power in times.powers() {
        let x = across(times.share(10_f64.powi(power)));
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{MARGIN}\" x2=\"{x:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">1e{power} s</text>",
            HEIGHT - MARGIN,
            HEIGHT - MARGIN + 18.0
        );
    }
    for power in sizes.powers() {
        let y = up(sizes.share(10_f64.powi(power)));
        let _ = writeln!(
            out,
            "<line x1=\"{MARGIN}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"end\">1e{power} B</text>",
            WIDTH - MARGIN,
            MARGIN - 6.0
        );
    }
    for (name, it) in points {
        let (x, y) = (across(times.share(it.seconds.max(1e-4))), up(sizes.share(it.bytes.max(1) as f64)));
        let colour = if it.sound.is_ok() { "#1f5fa8" } else { "#c0392b" };
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{}</text>",
            x + 7.0,
            y - 5.0,
            escape(name)
        );
    }
    out.push_str("</svg>\n");
    out
}

/// An axis in powers of ten.
struct Axis {
    low: i32,
    high: i32,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>) -> Axis {
        let powers: Vec<f64> = values.map(f64::log10).collect();
        let low = powers.iter().copied().fold(f64::INFINITY, f64::min).floor();
        let high = powers.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil();
        if low.is_finite() {
            Axis { low: low as i32, high: (high as i32).max(low as i32 + 1) }
        } else {
            Axis { low: 0, high: 1 }
        }
    }

    fn powers(&self) -> impl Iterator<Item = i32> + use<> {
        self.low..=self.high
    }

    /// Where a value lies, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low)
    }
}

fn across(share: f64) -> f64 {
    MARGIN + share * (WIDTH - 2.0 * MARGIN)
}

fn up(share: f64) -> f64 {
    HEIGHT - MARGIN - share * (HEIGHT - 2.0 * MARGIN)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Figures, Row, csv, json, svg, text};

    fn rows() -> Vec<Row> {
        let figures = Figures {
            states: 100_001,
            transitions: 450_002,
            depth: 9,
            seconds: 0.25,
            bytes: 3 << 20,
            verdict: "holds",
            errors: 0,
            sound: Ok(()),
        };
        let unsound =
            Figures { states: 47, sound: Err("may lose states".into()), verdict: "undecided", ..figures.clone() };
        vec![
            Row { name: "none".into(), result: Ok(figures) },
            Row { name: "conflict".into(), result: Ok(unsound) },
            Row { name: "ample".into(), result: Err("priorities".into()) },
        ]
    }

    #[test]
    fn every_form_has_every_row() {
        let rows = rows();
        let table = text("m<1>.pml", &rows);
        assert!(table.contains("100,001") && table.contains("no: may lose states"), "{table}");
        assert!(table.contains("ample     refused: priorities"), "{table}");
        assert_eq!(csv(&rows).lines().nth(1), Some("none,100001,450002,9,0.250000,3145728,holds,0,true"));
        assert_eq!(csv(&rows).lines().count(), 4);
        assert_eq!(json("m", &rows)["rows"][1]["unsound_because"], "may lose states");
        let drawing = svg("m<1>.pml", &rows);
        assert_eq!(drawing.matches("<circle").count(), 2);
        assert!(drawing.contains("m&lt;1&gt;.pml"));
    }

    #[test]
    fn a_drawing_of_nothing_is_empty() {
        assert_eq!(svg("m", &[]).matches("<circle").count(), 0);
    }
}
