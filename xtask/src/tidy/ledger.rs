//! The ledger of soundness: each row says what is kept, why, who checks each premise, and what attacks it.

use std::path::{Path, PathBuf};

/// Where the ledger is.
const PAGE: &str = "docs/soundness.md";

/// What a row must say, in this order.
const PARTS: [&str; 5] = ["Keeps:", "Because:", "Premises:", "Attacked by:", "Once wrong:"];

/// Complains of rows that leave something out, and of code and tests that do not exist.
pub(super) fn check(files: &[(PathBuf, String)], complaints: &mut Vec<String>) {
    let Some((_, text)) = files.iter().find(|(path, _)| path == Path::new(PAGE)) else {
        complaints.push(format!("{PAGE}: there is no ledger"));
        return;
    };
    let rows: Vec<&str> = text.split("\n### ").skip(1).map(|row| row.split("\n## ").next().unwrap_or(row)).collect();
    for row in &rows {
        let name = row.lines().next().unwrap_or_default();
        let missing = missing(row).into_iter().chain(nowhere(row, files));
        complaints.extend(missing.map(|what| format!("{PAGE}: {name}: {what}")));
    }
    if rows.is_empty() {
        complaints.push(format!("{PAGE}: no row"));
    }
}

/// The parts that a row does not have, or that say nothing.
fn missing(row: &str) -> Vec<String> {
    let said = |part: &str| {
        let after = row.split_once(&format!("**{part}**"))?.1;
        let said = after.split("\n- **").next().unwrap_or(after).trim();
        (!said.is_empty()).then_some(said)
    };
    let silent = PARTS.iter().filter(|part| said(part).is_none()).map(|part| format!("says nothing of `{part}`"));
    let unchecked =
        ["Premises:", "Attacked by:"].into_iter().filter(|part| said(part).is_some_and(|it| !it.contains('`')));
    silent.chain(unchecked.map(|part| format!("names no code for `{part}`"))).collect()
}

/// Code and tests that a row names and that do not exist.
fn nowhere(row: &str, files: &[(PathBuf, String)]) -> Vec<String> {
    let named = row.split('`').skip(1).step_by(2).filter(|name| name.contains('/'));
    let missing = named.filter_map(|name| {
        let (path, item) = name.split_once(": ").unwrap_or((name, ""));
        let found: Vec<&String> =
            files.iter().filter(|(file, _)| file.starts_with(path)).map(|(_, text)| text).collect();
        let declares =
            |text: &&String| ["fn ", "enum ", "struct "].iter().any(|word| has_word(text, &format!("{word}{item}")));
        match (found.is_empty(), item.is_empty() || found.iter().any(declares)) {
            (true, _) => Some(format!("there is no `{path}`")),
            (false, false) => Some(format!("there is no `{item}` in `{path}`")),
            (false, true) => None,
        }
    });
    missing.collect()
}

/// Whether a text has these words, not as the beginning of a longer one.
fn has_word(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let next = text[at + words.len()..].chars().next();
        next.is_none_or(|c| !c.is_alphanumeric() && c != '_')
    })
}

#[cfg(test)]
mod tests {
    use super::{PAGE, check};
    use std::path::PathBuf;

    fn complaints(row: &str) -> Vec<String> {
        let files = [
            (PathBuf::from("a/b.rs"), "fn go() {}".to_string()),
            (PathBuf::from(PAGE), format!("# L\n\n### r\n{row}")),
        ];
        let mut complaints = Vec::new();
        check(&files, &mut complaints);
        complaints
    }

    #[test]
    fn rows_that_say_everything_pass() {
        let row = "- **Keeps:** x\n- **Because:** y\n- **Premises:**\n  - z: `a/b.rs: go`\n- **Attacked by:** `a/b.rs`\n- **Once wrong:** n";
        assert_eq!(complaints(row), Vec::<String>::new());
        assert_eq!(complaints(&row.replace("go`", "g`")).len(), 1);
        assert_eq!(complaints(&row.replace("b.rs`", "c.rs`")).len(), 1);
        assert_eq!(complaints(&row.replace("**Keeps:** x", "**Keeps:**")).len(), 1);
        assert_eq!(complaints(&row.replace("`a/b.rs: go`", "nothing")).len(), 1);
    }
}
