//! Ways to damage a program.

use rand::Rng;
use rand::rngs::SmallRng;

/// The longest input, in bytes: longer ones only take time.
const MAX_LENGTH: usize = 60_000;

/// Words that lead the front end into many of its corners.
const WORDS: &[&str] = &[
    "!",
    "!!",
    "!=",
    "#define X",
    "#if 1",
    "#include \"x\"",
    "%",
    "&&",
    "(",
    ")",
    "++",
    "--",
    "->",
    "..",
    "/*",
    "*/",
    "//",
    "0",
    "1",
    "255",
    "99999999999999999999",
    "-1",
    ":",
    "::",
    ";",
    "<",
    "<<",
    "=",
    "==",
    "?",
    "??",
    "@",
    "D_proctype",
    "[",
    "]",
    "[]",
    "\"",
    "'",
    "\\\n",
    "_",
    "_last",
    "_nr_pr",
    "_pid",
    "accept:",
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_expr",
    "chan",
    "d_step",
    "do",
    "else",
    "empty",
    "enabled",
    "end:",
    "eval",
    "fi",
    "for",
    "full",
    "goto",
    "hidden",
    "if",
    "in",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "never",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "progress:",
    "provided",
    "run",
    "select",
    "set_priority",
    "short",
    "show",
    "skip",
    "timeout",
    "trace",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
    "{",
    "|",
    "||",
    "}",
    "~",
    "\u{e9}",
    "\0",
];

/// A program of the corpus, damaged a few times.
pub(crate) fn damaged(rng: &mut SmallRng, texts: &[String]) -> String {
    let mut text = pick(rng, texts).clone();
    for _ in 0..rng.random_range(1..=6) {
        let other: &String = pick(rng, texts);
        text = match rng.random_range(0..10) {
            0 | 1 => damage_bytes(rng, text),
            2..=5 => damage_tokens(rng, &text),
            6 | 7 => damage_lines(rng, &text, &other.lines().collect::<Vec<_>>()),
            8 => splice(rng, &text, other),
            _ => nest(rng, text),
        };
        if text.len() > MAX_LENGTH {
            text = String::from_utf8_lossy(&text.as_bytes()[..MAX_LENGTH]).into_owned();
        }
    }
    text
}

fn pick<'a, T>(rng: &mut SmallRng, items: &'a [T]) -> &'a T {
    &items[rng.random_range(0..items.len())]
}

fn damage_bytes(rng: &mut SmallRng, text: String) -> String {
    let mut bytes = text.into_bytes();
    let at = rng.random_range(0..=bytes.len());
    let length = rng.random_range(0..=8.min(bytes.len() - at));
    match rng.random_range(0..4) {
        0 => bytes.insert(at, rng.random()),
        1 => drop(bytes.drain(at..at + length)),
        2 => {
            let copy = bytes[at..at + length].to_vec();
            bytes.splice(at..at, copy);
        }
        _ => bytes[at..at + length].iter_mut().for_each(|byte| *byte ^= 1 << rng.random_range(0..7)),
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn damage_tokens(rng: &mut SmallRng, text: &str) -> String {
    let mut tokens = tokens(text);
    let word = *pick(rng, WORDS);
    if tokens.is_empty() {
        return word.to_owned();
    }
    let at = rng.random_range(0..tokens.len());
    let other = rng.random_range(0..tokens.len());
    match rng.random_range(0..5) {
        0 => drop(tokens.remove(at)),
        1 => tokens.insert(at, tokens[other]),
        2 => tokens.swap(at, other),
        3 => tokens[at] = word,
        _ => tokens.splice(at..at, [" ", word, " "]).for_each(drop),
    }
    tokens.concat()
}

/// Cuts a text into words, runs of blanks and single other characters.
fn tokens(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        if last.is_some_and(|last| last == 2 || last != class(c)) {
            tokens.push(&text[start..at]);
            start = at;
        }
        last = Some(class(c));
    }
    tokens.push(&text[start..]);
    tokens
}

fn damage_lines(rng: &mut SmallRng, text: &str, others: &[&str]) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() || others.is_empty() {
        return text.to_owned();
    }
    let at = rng.random_range(0..lines.len());
    let length = rng.random_range(1..=(lines.len() - at).min(5));
    match rng.random_range(0..4) {
        0 => drop(lines.drain(at..at + length)),
        1 => {
            let copy = lines[at..at + length].to_vec();
            lines.splice(at..at, copy);
        }
        2 => {
            let other = rng.random_range(0..lines.len());
            lines.swap(at, other);
        }
        _ => {
            let from = rng.random_range(0..others.len());
            let until = (from + length).min(others.len());
            lines.splice(at..at, others[from..until].iter().copied());
        }
    }
    lines.join("\n")
}

/// The head of one program and the tail of another.
fn splice(rng: &mut SmallRng, head: &str, tail: &str) -> String {
    let cut = |rng: &mut SmallRng, text: &str| {
        let mut at = rng.random_range(0..=text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let end = cut(rng, head);
    let start = cut(rng, tail);
    format!("{}{}", &head[..end], &tail[start..])
}

/// Repeats an opening word many times: nesting must not exhaust the stack.
fn nest(rng: &mut SmallRng, text: String) -> String {
    let openings = ["(", "{", "[", "!", "-", "~", "if :: ", "do :: ", "atomic { ", "a[", "x->", "(a -> b : "];
    let opening = openings[rng.random_range(0..openings.len())];
    let times = 1 << rng.random_range(1..12);
    let mut tokens = tokens(&text);
    let at = rng.random_range(0..tokens.len());
    tokens.splice(at..at, std::iter::repeat_n(opening, times));
    tokens.concat()
}

#[cfg(test)]
mod tests {
    use super::{damaged, tokens};
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    #[test]
    fn tokens_make_up_the_text() {
        let text = "x1 = (a->b);\n";
        assert_eq!(tokens(text), ["x1", " ", "=", " ", "(", "a", "-", ">", "b", ")", ";", "\n"]);
    }

    #[test]
    fn damage_is_repeatable_and_total() {
        let texts = ["byte x;\ninit { x = 1 }\n".to_owned(), String::new(), "\u{e9}".to_owned()];
        let run = |seed| damaged(&mut SmallRng::seed_from_u64(seed), &texts);
        for seed in 0..500 {
            assert_eq!(run(seed), run(seed));
        }
    }
}
