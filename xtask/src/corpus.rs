//! The models to run, and what is known about them.
//!
//! Three sources: the project's own micro models, the examples that come with
//! SPIN's package, and a folder of shared models beside the workspace. Where the
//! shared folder has a table of truth, its rows replace live runs of SPIN.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::facts::{Facts, Findings};
use crate::scratch::Scratch;

/// Where Debian's package `spin` puts its examples.
const SPIN_EXAMPLES: &str = "/usr/share/doc/spin/examples/Examples";
/// The shared models, seen from the root of the workspace.
const SHARED: &str = "../shared/models";

/// What is known about a model before anything is run.
pub(crate) enum Truth {
    /// SPIN has to be run.
    Live,
    /// A row of a table says it.
    Table(Facts),
    /// SPIN is known to give no counts.
    Unusable(String),
}

/// One model.
pub(crate) struct Model {
    /// Its name in tables and reports.
    pub(crate) name: String,
    /// Its absolute path.
    pub(crate) path: PathBuf,
    /// What is known about it.
    pub(crate) truth: Truth,
}

/// All models; holds the folder of those that had to be unpacked.
pub(crate) struct Corpus {
    /// The models, ordered by source and name.
    pub(crate) models: Vec<Model>,
    _unpacked: Option<Scratch>,
}

/// A row of the shared table about claims: acceptance cycles (`la`) or cycles without progress (`lp`, `lq`).
pub(crate) struct ClaimRow {
    /// The mode.
    pub(crate) mode: String,
    /// Stored states, the claim's included.
    pub(crate) stored: u64,
    /// The kinds of error.
    pub(crate) kinds: String,
}

/// The rows about claims of each model, as far as SPIN searched everything.
pub(crate) fn claim_rows(root: &Path) -> HashMap<String, Vec<ClaimRow>> {
    let mut rows: HashMap<String, Vec<ClaimRow>> = HashMap::new();
    for row in read_table(&root.join(SHARED).join("truth.tsv")) {
        let cell = |column: &str| row.get(column).cloned().unwrap_or_default();
        if matches!(&*cell("mode"), "la" | "lp" | "lq") && cell("status") == "ok" {
            let stored = cell("stored").parse().unwrap_or(0);
            let one = ClaimRow { mode: cell("mode"), stored, kinds: cell("kinds") };
            rows.entry(cell("model")).or_default().push(one);
        }
    }
    rows
}

/// The states that SPIN stores of each model with its reduction, where it searched everything.
pub(crate) fn reduced_rows(root: &Path) -> HashMap<String, u64> {
    let is_meant =
        |row: &Row| row.get("mode").is_some_and(|it| it == "b") && row.get("status").is_some_and(|it| it == "ok");
    let rows = read_table(&root.join(SHARED).join("truth.tsv")).into_iter().filter(is_meant);
    rows.filter_map(|row| Some((row.get("model")?.clone(), row.get("stored")?.parse().ok()?))).collect()
}

impl Corpus {
    /// Finds all models whose name contains `only`.
    pub(crate) fn load(root: &Path, only: Option<&str>) -> Result<Self, String> {
        let shared = root.join(SHARED);
        let tables = Tables::load(&shared);
        let (examples, unpacked) = examples()?;
        let sources = [
            ("tests/micro", root.join("tests/micro")),
            ("spin-examples", examples),
            ("micro", shared.join("micro")),
            ("beem", shared.join("beem")),
        ];
        let mut models = Vec::new();
        for (source, folder) in sources {
            for path in files_with_extension(&folder, "pml") {
                let relative = path.strip_prefix(&folder).unwrap_or(&path);
                let name = format!("{source}/{}", relative.display());
                if only.is_none_or(|part| name.contains(part)) {
                    let path = fs::canonicalize(&path).unwrap_or(path);
                    let truth = tables.truth(&name);
                    models.push(Model { name, path, truth });
                }
            }
        }
        Ok(Self { models, _unpacked: unpacked })
    }
}

/// All files below a folder whose name ends in this extension, sorted.
pub(crate) fn files_with_extension(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(folder, &mut found);
    found.retain(|path| path.extension().is_some_and(|end| end == extension));
    found.sort();
    found
}

/// Adds all files below a folder; a folder that does not exist has none.
pub(crate) fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The folder of SPIN's examples; unpacked into a new one if some are compressed.
fn examples() -> Result<(PathBuf, Option<Scratch>), String> {
    let packaged = PathBuf::from(SPIN_EXAMPLES);
    if files_with_extension(&packaged, "gz").is_empty() {
        return Ok((packaged, None));
    }
    let scratch = Scratch::new("examples")?;
    let mut files = Vec::new();
    collect(&packaged, &mut files);
    for file in files {
        let relative = file.strip_prefix(&packaged).unwrap_or(&file);
        unpack(&file, &scratch.path().join(relative))?;
    }
    Ok((scratch.path().to_owned(), Some(scratch)))
}

fn unpack(from: &Path, to: &Path) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("cannot unpack {}: {error}", from.display());
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(fail)?;
    }
    if from.extension().is_some_and(|end| end == "gz") {
        let text = Command::new("gzip").arg("-dc").arg(from).output().map_err(fail)?.stdout;
        fs::write(to.with_extension(""), text).map_err(fail)
    } else {
        fs::copy(from, to).map(drop).map_err(fail)
    }
}

/// The tables of truth of the shared folder, by name of model.
struct Tables {
    rows: HashMap<String, Row>,
}

type Row = HashMap<String, String>;

impl Tables {
    fn load(shared: &Path) -> Self {
        let mut rows = HashMap::new();
        for row in read_table(&shared.join("truth.tsv")) {
            if row.get("mode").is_some_and(|mode| mode == "a") {
                rows.insert(row["model"].clone(), row);
            }
        }
        for row in read_table(&shared.join("micro/truth.tsv")) {
            rows.insert(format!("micro/{}", row["model"]), row);
        }
        Self { rows }
    }

    fn truth(&self, model: &str) -> Truth {
        let Some(row) = self.rows.get(model) else { return Truth::Live };
        match row.get("status").map(String::as_str) {
            None | Some("ok") => read_facts(row).map_or(Truth::Live, Truth::Table),
            // The vector was too small: a live run makes it larger.
            Some("incomplete") => Truth::Live,
            Some(status) => Truth::Unusable(format!("SPIN: {status}")),
        }
    }
}

fn read_facts(row: &Row) -> Option<Facts> {
    let number = |column: &str| row.get(column).and_then(|text| text.parse::<u64>().ok());
    let findings = match row.get("kinds") {
        Some(kinds) => Findings::of_table(kinds),
        None => number("errors").map_or(Findings::Unknown, |count| Findings::Any(count > 0)),
    };
    Some(Facts { stored: number("stored")?, transitions: number("transitions")?, depth: number("depth"), findings })
}

/// Reads a table with a head line; a file that does not exist has no rows.
fn read_table(path: &Path) -> Vec<Row> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned));
    let head: Vec<String> = lines.next().map(Iterator::collect).unwrap_or_default();
    lines.map(|cells| head.iter().cloned().zip(cells).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Row, Tables, Truth};

    fn row(cells: &[(&str, &str)]) -> Row {
        cells.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn a_row_with_counts_is_the_truth() {
        let cells = [("status", "ok"), ("stored", "5"), ("transitions", "6"), ("kinds", "none")];
        let rows = [("a".to_owned(), row(&cells)), ("b".to_owned(), row(&[("status", "timeout")]))];
        let tables = Tables { rows: rows.into() };
        assert!(matches!(tables.truth("a"), Truth::Table(facts) if facts.stored == 5));
        assert!(matches!(tables.truth("b"), Truth::Unusable(_)));
        assert!(matches!(tables.truth("c"), Truth::Live));
    }
}
