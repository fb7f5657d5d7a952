//! Where and when the figures were measured, and the files that keep them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::command;
use crate::scratch;

/// Where records go, from the root of the workspace.
const FOLDER: &str = "bench/record";

/// What figures depend on. Nothing here names a person, a host or a path.
pub(crate) struct Environment {
    date: String,
    commit: String,
    /// Whether the sources are not those of the commit.
    is_changed: bool,
    /// Whether the program was not built from these sources, but named by the variable `SPINOR`.
    is_foreign: bool,
    rustc: String,
    gcc: String,
    spin: String,
    cpu: String,
    cores: usize,
    /// Mean number of processes that wanted to run, at the start: how quiet the machine was.
    load: String,
}

impl Environment {
    /// Asks the system and the tools.
    pub(crate) fn observe(root: &Path) -> Self {
        let ask = |program: &str, args: &[&str]| first_line(program, args, root);
        let is_changed = !ask("git", &["status", "--porcelain", "--", ":!bench"]).is_empty();
        let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        Self {
            date: ask("date", &["-u", "+%F"]),
            commit: ask("git", &["rev-parse", "--short", "HEAD"]),
            is_changed,
            is_foreign: std::env::var_os("SPINOR").is_some(),
            rustc: ask("rustc", &["--version"]),
            gcc: ask("gcc", &["--version"]),
            spin: ask("spin", &["-V"]),
            cpu: cpu_model(&processors).unwrap_or("unknown").to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            load: load.split(' ').next().unwrap_or_default().to_owned(),
        }
    }

    /// The lines at the top of a page.
    pub(crate) fn markdown(&self) -> String {
        let changed = if self.is_changed { " with changes" } else { "" };
        let foreign = if self.is_foreign { "- the program was given, not built from this commit\n" } else { "" };
        let Self { date, commit, rustc, gcc, spin, cpu, cores, load, .. } = self;
        format!(
            "# Measurements of {date}, commit {commit}{changed}\n\n\
             - {cpu}, {cores} cores, load {load} at the start\n- {rustc}\n- {gcc}\n- {spin}\n{foreign}"
        )
    }

    fn json(&self) -> Value {
        json!({
            "date": self.date,
            "commit": self.commit,
            "changed": self.is_changed,
            "foreign_program": self.is_foreign,
            "rustc": self.rustc,
            "gcc": self.gcc,
            "spin": self.spin,
            "cpu": self.cpu,
            "cores": self.cores,
            "load": self.load,
        })
    }

    /// Writes both files; returns the path of the page from the root. `suffix` tells apart records of
    /// the same day and commit that have other contents.
    pub(crate) fn write(&self, root: &Path, suffix: &str, page: &str, mut record: Value) -> Result<PathBuf, String> {
        record["environment"] = self.json();
        let name = format!("{}-{}{suffix}", self.date, self.commit);
        let folder = root.join(FOLDER);
        fs::create_dir_all(&folder).map_err(|error| format!("cannot make {FOLDER}: {error}"))?;
        let text = serde_json::to_string_pretty(&record).map_err(|error| error.to_string())?;
        scratch::write(&folder.join(format!("{name}.json")), &(text + "\n"))?;
        scratch::write(&folder.join(format!("{name}.md")), page)?;
        Ok(Path::new(FOLDER).join(format!("{name}.md")))
    }
}

/// The first line that a program prints; empty if it prints nothing or is not there.
fn first_line(program: &str, args: &[&str], folder: &Path) -> String {
    let finished = command::run(program, args, folder, 10);
    let line = finished.ok().and_then(|it| it.stdout.lines().next().map(|line| line.trim().to_owned()));
    line.unwrap_or_default()
}

fn cpu_model(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
}

#[cfg(test)]
mod tests {
    use super::cpu_model;

    #[test]
    fn the_processor_has_a_name() {
        assert_eq!(cpu_model("processor\t: 0\nmodel name\t: Fast 9000\nflags\t: a b"), Some("Fast 9000"));
        assert_eq!(cpu_model(""), None);
    }
}
