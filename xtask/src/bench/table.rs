//! Tables of figures: Markdown that is aligned, so that it can be read on a terminal too.

use serde_json::{Map, Value, json};

use super::statistics::{Figure, geometric_mean};

/// Whether the counts of a model were the right ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All counts agree with the table of truth.
    Same,
    /// Some do not.
    Different(String),
    /// One side gave no counts.
    Failed(String),
}

impl Outcome {
    /// Its word in tables and records. The message may name paths of this machine, so it is only shown.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Same => "ok",
            Self::Different(_) => "different",
            Self::Failed(_) => "failed",
        }
    }
}

/// A model and what was measured.
pub(crate) struct Row<M> {
    /// The name of the model.
    pub(crate) model: String,
    /// Its stored states, by the table of truth.
    pub(crate) states: u64,
    /// Whether the counts agree.
    pub(crate) outcome: Outcome,
    /// The rounds.
    pub(crate) measured: M,
}

/// Which value of a column is the worst.
#[derive(Clone, Copy)]
pub(crate) enum Worst {
    Least,
    Greatest,
}

impl Worst {
    fn of(self, values: &[f64]) -> Option<f64> {
        let values = values.iter().copied();
        match self {
            Self::Least => values.min_by(f64::total_cmp),
            Self::Greatest => values.max_by(f64::total_cmp),
        }
    }
}

/// A column: its head, digits behind the point, which value is the worst, and the figure of a row.
pub(crate) type Column<M> = (&'static str, usize, Worst, fn(&Row<M>) -> Option<Figure>);

/// A table, ready to be shown.
pub(crate) struct Table {
    title: &'static str,
    /// What the columns are.
    legend: &'static str,
    heads: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    means: Map<String, Value>,
    worst: Map<String, Value>,
}

impl Table {
    /// The figures of all rows, their means and the worst.
    pub(crate) fn new<M>(title: &'static str, legend: &'static str, columns: &[Column<M>], rows: &[Row<M>]) -> Self {
        let mut heads = vec!["model", "states"];
        heads.extend(columns.iter().map(|column| column.0));
        heads.push("result");
        let mut table = Self { title, legend, heads, rows: Vec::new(), means: Map::new(), worst: Map::new() };
        table.rows.extend(rows.iter().map(|row| cells(columns, row)));
        table.summarize(columns, rows);
        table
    }

    fn summarize<M>(&mut self, columns: &[Column<M>], rows: &[Row<M>]) {
        let mut mean = vec!["geometric mean".to_owned(), String::new()];
        let mut worst = vec!["worst".to_owned(), String::new()];
        for column in columns {
            let &(head, digits, worse, _) = column;
            let values: Vec<f64> = rows.iter().filter_map(|row| figure(column, row)).map(|it| it.value).collect();
            let (average, extreme) = (geometric_mean(&values), worse.of(&values));
            mean.push(number(average, digits));
            worst.push(number(extreme, digits));
            self.means.insert(head.to_owned(), json!(average));
            self.worst.insert(head.to_owned(), json!(extreme));
        }
        let good = rows.iter().filter(|row| row.outcome == Outcome::Same).count();
        mean.push(format!("{good} of {}", rows.len()));
        worst.push(String::new());
        self.rows.extend([mean, worst]);
    }

    /// The table as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let heads: Vec<String> = self.heads.iter().map(ToString::to_string).collect();
        let lines = || std::iter::once(&heads).chain(&self.rows);
        let width = |column: usize| lines().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..heads.len()).map(width).collect();
        let mut text = format!("## {}\n\n{}\n\n", self.title, self.legend);
        text.push_str(&line(&heads, &widths));
        text.push_str(&rule(&widths));
        self.rows.iter().for_each(|row| text.push_str(&line(row, &widths)));
        text
    }

    /// The means and the worst of each column.
    pub(crate) fn summary(&self) -> Value {
        json!({ "table": self.title, "geometric_mean": self.means, "worst": self.worst })
    }
}

/// The figures of a row by the heads of their columns.
pub(crate) fn figures<M>(columns: &[Column<M>], row: &Row<M>) -> Map<String, Value> {
    let value = |column: &Column<M>| {
        let it = figure(column, row)?;
        let value = match it.spread {
            Some((least, greatest)) => json!({ "value": it.value, "least": least, "greatest": greatest }),
            None => json!({ "value": it.value }),
        };
        Some((column.0.to_owned(), value))
    };
    columns.iter().filter_map(value).collect()
}

/// The figure of a row, if its counts are right: the speed of a wrong search means nothing.
fn figure<M>(column: &Column<M>, row: &Row<M>) -> Option<Figure> {
    if row.outcome == Outcome::Same { (column.3)(row) } else { None }
}

fn cells<M>(columns: &[Column<M>], row: &Row<M>) -> Vec<String> {
    let name = row.model.strip_suffix(".pml").unwrap_or(&row.model);
    let mut cells = vec![name.to_owned(), row.states.to_string()];
    for column in columns {
        let it = figure(column, row);
        let digits = column.1;
        let mut text = number(it.map(|it| it.value), digits);
        if let Some((least, greatest)) = it.and_then(|it| it.spread) {
            text.push_str(&format!(" ({least:.digits$}-{greatest:.digits$})"));
        }
        cells.push(text);
    }
    cells.push(row.outcome.word().to_owned());
    cells
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
}

/// The first column is words, the others end at the right.
fn line(cells: &[String], widths: &[usize]) -> String {
    let pad = |(index, (cell, &width)): (usize, (&String, &usize))| {
        if index == 0 { format!("| {cell:<width$} |") } else { format!(" {cell:>width$} |") }
    };
    let text: String = cells.iter().zip(widths).enumerate().map(pad).collect();
    text + "\n"
}

fn rule(widths: &[usize]) -> String {
    let dash = |(index, &width): (usize, &usize)| {
        if index == 0 { format!("|{}|", "-".repeat(width + 2)) } else { format!("{}:|", "-".repeat(width + 1)) }
    };
    let text: String = widths.iter().enumerate().map(dash).collect();
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::{Column, Figure, Outcome, Row, Table, Worst};

    fn row(model: &str, outcome: Outcome, measured: f64) -> Row<f64> {
        Row { model: model.to_owned(), states: 7, outcome, measured }
    }

    #[test]
    fn only_right_rows_count() {
        let spread = |row: &Row<f64>| Some(Figure { value: row.measured, spread: Some((0.5, 9.0)) });
        let columns: [Column<f64>; 1] = [("ratio", 2, Worst::Least, spread)];
        let wrong = Outcome::Different("1 state too many".to_owned());
        let rows = [row("a/b.pml", Outcome::Same, 0.5), row("c", Outcome::Same, 2.0), row("d", wrong, 0.1)];
        let table = Table::new("Speed", "What it is.", &columns, &rows);
        let expected = "\
## Speed

What it is.

| model          | states |            ratio |    result |
|----------------|-------:|-----------------:|----------:|
| a/b            |      7 | 0.50 (0.50-9.00) |        ok |
| c              |      7 | 2.00 (0.50-9.00) |        ok |
| d              |      7 |                - | different |
| geometric mean |        |             1.00 |    2 of 3 |
| worst          |        |             0.50 |           |
";
        assert_eq!(table.markdown(), expected);
        assert_eq!(table.summary()["worst"]["ratio"], 0.5);
    }
}
