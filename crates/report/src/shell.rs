//! Command lines that can be copied.

/// A word as a POSIX shell reads it.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A command of words.
pub(crate) fn command<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// A path as it must stand so that it is not taken for an option.
pub(crate) fn path(path: &str) -> String {
    if path.starts_with('-') { format!("./{path}") } else { path.into() }
}

#[cfg(test)]
mod tests {
    use super::{command, path};

    #[test]
    fn words_are_quoted_where_they_must_be() {
        assert_eq!(command(["spinor", "-DN=4", "a b.pml"]), "spinor -DN=4 'a b.pml'");
        assert_eq!(command(["-DF=(x > 1)", "it's", ""]), r"'-DF=(x > 1)' 'it'\''s' ''");
        assert_eq!(path("-m.pml"), "./-m.pml");
    }
}
