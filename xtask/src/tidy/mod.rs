//! The rules of the repository that no compiler checks.

mod closed;
mod ledger;

use std::fs;
use std::path::{Path, PathBuf};

use crate::corpus::collect;

/// The greatest number of lines of a source file.
const MAX_LINES: usize = 600;

/// Source files that may be longer, with the reason.
const LONG_FILES: &[(&str, &str)] = &[("crates/syntax/src/preprocess/tests.rs", "a table of golden cases")];

/// Words that mark unfinished work. Each is split so that this file has none.
const UNFINISHED: &[&str] = &[
    concat!("to", "do!("),
    concat!("unimpl", "emented!("),
    concat!("#[ig", "nore"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
];

/// Paths of the machine on which the project is written.
const FOREIGN_PATHS: &[&str] = &["/home", "/tmp/", "../shared"];

/// Folders that hold no sources.
const NOT_SOURCES: &[&str] = &["target", ".git"];

/// Checks all rules; false if any is broken.
pub(crate) fn run(root: &Path) -> Result<bool, String> {
    let files = sources(root);
    let mut complaints = Vec::new();
    for (path, text) in &files {
        check_file(path, text, &mut complaints);
    }
    check_named_tests(&files, &mut complaints);
    closed::check(&files, &mut complaints);
    ledger::check(&files, &mut complaints);
    for complaint in &complaints {
        println!("{complaint}");
    }
    println!("tidy: {} files, {} complaints", files.len(), complaints.len());
    Ok(complaints.is_empty())
}

/// All texts of the repository, by path from its root.
fn sources(root: &Path) -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        if !NOT_SOURCES.iter().any(|name| entry.file_name() == *name) {
            let path = entry.path();
            if path.is_dir() { collect(&path, &mut paths) } else { paths.push(path) }
        }
    }
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).ok()?;
        Some((path.strip_prefix(root).ok()?.to_owned(), text))
    };
    paths.into_iter().filter_map(read).collect()
}

fn check_file(path: &Path, text: &str, complaints: &mut Vec<String>) {
    let is = |extension: &str| path.extension().is_some_and(|end| end == extension);
    if is("rs") {
        check_length(path, text, complaints);
    }
    for (number, line) in text.lines().enumerate() {
        let mut complain = |what: &str, word: &str| {
            complaints.push(format!("{}:{}: {what} `{word}`", path.display(), number + 1));
        };
        if is("rs") || is("md") {
            let found = UNFINISHED.iter().filter(|word| line.contains(**word));
            found.for_each(|word| complain("unfinished work:", word));
        }
        if is("md") || path.starts_with("crates") {
            let found = FOREIGN_PATHS.iter().filter(|prefix| has_path(line, prefix));
            found.for_each(|prefix| complain("a path of another machine:", prefix));
        }
    }
}

fn check_length(path: &Path, text: &str, complaints: &mut Vec<String>) {
    let lines = text.lines().count();
    let excused = LONG_FILES.iter().any(|(name, _)| path == Path::new(name));
    if lines > MAX_LINES && !excused {
        complaints.push(format!("{}: {lines} lines, at most {MAX_LINES}", path.display()));
    }
}

/// Whether a path with this prefix begins in the line: not in the middle of a
/// longer path or word.
fn has_path(line: &str, prefix: &str) -> bool {
    line.match_indices(prefix).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + prefix.len()..].chars().next();
        let begins = before.is_none_or(|c| !c.is_alphanumeric() && !"/._-".contains(c));
        let ends = prefix.ends_with('/') || after.is_none_or(|c| !c.is_alphanumeric());
        begins && ends
    })
}

/// Each test that the page on semantics names must exist.
fn check_named_tests(files: &[(PathBuf, String)], complaints: &mut Vec<String>) {
    let page = Path::new("docs/SEMANTICS.md");
    let Some((_, text)) = files.iter().find(|(path, _)| path == page) else { return };
    for name in named_tests(text) {
        let function = format!("fn {name}(");
        let model = format!("{name}.pml");
        let exists = files.iter().any(|(path, text)| {
            let is_source = path.extension().is_some_and(|end| end == "rs");
            let is_test = path.components().any(|part| part.as_os_str() == "tests");
            (is_source && text.contains(&function)) || (is_test && path.ends_with(&model))
        });
        if !exists {
            complaints.push(format!("{}: no test `{name}`", page.display()));
        }
    }
}

/// The names in `test: name` between backticks.
fn named_tests(text: &str) -> impl Iterator<Item = &str> {
    text.split("`test: ").skip(1).filter_map(|tail| tail.split('`').next()).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::{has_path, named_tests};

    #[test]
    fn paths_are_seen_where_they_begin() {
        assert!(has_path("see /home/x", "/home"));
        assert!(has_path("`/tmp/x`", "/tmp/"));
        assert!(!has_path("a/home/x", "/home"));
        assert!(!has_path("/homes", "/home"));
    }

    #[test]
    fn names_of_tests_are_read() {
        let page = "An end is a step (`test: end_step`).\nAlso `test: a`, `b`.";
        assert_eq!(named_tests(page).collect::<Vec<_>>(), ["end_step", "a"]);
    }
}
