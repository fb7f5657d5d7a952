//! Damaged programs for the front end, which must neither panic nor hang.

mod mutate;
mod runner;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use crate::corpus::{Corpus, files_with_extension};
use crate::front_end::front_end;
use crate::scratch;
use runner::{Reaction, Runner};

/// The most inputs that are tried while one failure is made smaller.
const SHRINK_TRIES: usize = 2_000;

/// What `parser-fuzz` is asked to do.
#[derive(Args)]
pub(crate) struct Options {
    /// How long to go on.
    #[arg(long, value_name = "M", default_value_t = 1.0)]
    minutes: f64,
    /// Where the random numbers start.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Where failing inputs are saved.
    #[arg(long, value_name = "DIR", default_value = "target/parser-fuzz")]
    keep: PathBuf,
}

/// Feeds damaged programs until time is up; false if any made the front end fail.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let texts = texts(root)?;
    let folder = root.join(&options.keep);
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let current = folder.join("current.pml");
    let mut notes = Notes::new(&current)?;
    println!("{} programs; if this ends at once, see {}", texts.len(), current.display());

    let mut rng = SmallRng::seed_from_u64(options.seed);
    let mut runner = Runner::new(front_end);
    let mut seen = HashSet::new();
    let mut inputs = 0_u64;
    let end = Instant::now() + Duration::from_secs_f64(options.minutes * 60.0);
    while Instant::now() < end {
        let input = mutate::damaged(&mut rng, &texts);
        notes.put(&input)?;
        inputs += 1;
        let reaction = runner.feed(&input);
        if let Some(failure) = reaction.failure()
            && seen.insert(failure.to_owned())
        {
            report(&mut runner, &folder, seen.len(), &input, &reaction)?;
        }
    }
    // The file is of use only while this runs.
    let _ = fs::remove_file(&current);
    println!("{inputs} inputs, {} different failures", seen.len());
    Ok(seen.is_empty())
}

/// The input at work, on disk: a stack overflow ends this process, and this is
/// what is left. The file stays open, because to make it anew each time is what
/// takes most of the time.
struct Notes(File);

impl Notes {
    fn new(path: &Path) -> Result<Self, String> {
        let file = File::create(path);
        file.map(Self).map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    fn put(&mut self, text: &str) -> Result<(), String> {
        let written = self.0.rewind().and_then(|()| self.0.write_all(text.as_bytes()));
        let cut = written.and_then(|()| self.0.set_len(text.len() as u64));
        cut.map_err(|error| format!("cannot note the input: {error}"))
    }
}

fn texts(root: &Path) -> Result<Vec<String>, String> {
    let corpus = Corpus::load(root, None)?;
    let mut paths: Vec<PathBuf> = corpus.models.iter().map(|model| model.path.clone()).collect();
    for folder in ["tests", "examples", "crates"] {
        paths.extend(files_with_extension(&root.join(folder), "pml"));
    }
    let texts: Vec<String> = paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
    if texts.is_empty() { Err("there are no programs to damage".to_owned()) } else { Ok(texts) }
}

fn report(runner: &mut Runner, folder: &Path, number: usize, input: &str, reaction: &Reaction) -> Result<(), String> {
    let path = folder.join(format!("failure-{number}.pml"));
    scratch::write(&path, input)?;
    let small = shrink(runner, input, reaction);
    scratch::write(&path, &small)?;
    let what = reaction.failure().unwrap_or_default();
    println!("{what}\n  {} ({} lines)", path.display(), small.lines().count());
    Ok(())
}

/// Deletes runs of lines, long ones first, as long as the same failure stays.
fn shrink(runner: &mut Runner, input: &str, reaction: &Reaction) -> String {
    let mut lines: Vec<&str> = input.lines().collect();
    let mut tries = if matches!(reaction, Reaction::Hang) { 20 } else { SHRINK_TRIES };
    let mut length = lines.len() / 2;
    while length > 0 {
        let mut start = 0;
        while start < lines.len() && tries > 0 {
            let end = (start + length).min(lines.len());
            let rest = [&lines[..start], &lines[end..]].concat();
            tries -= 1;
            if runner.feed(&rest.join("\n")) == *reaction {
                lines = rest;
            } else {
                start += length;
            }
        }
        length /= 2;
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::runner::{Reaction, Runner};
    use super::shrink;

    fn fails_on_bad(text: &str) {
        assert!(!text.contains("bad"), "bad word");
    }

    #[test]
    fn a_failure_is_shrunk_to_its_line() {
        let mut runner = Runner::new(fails_on_bad);
        let input = "one\ntwo\nthis is bad\nthree\nfour";
        let reaction = runner.feed(input);
        assert!(matches!(reaction, Reaction::Panic(_)));
        assert_eq!(shrink(&mut runner, input, &reaction), "this is bad");
        assert!(matches!(runner.feed("good"), Reaction::Fine));
    }
}
