//! Trail files: where they go, and what is in them.

use crate::args::CheckArgs;
use crate::output::complain;
use spinor_explore::{Violation, ViolationKind};
use spinor_model::Model;
use spinor_report::trail::{self, Origin, Trail};
use spinor_report::{Outcome, spin_trail};
use std::fs;
use std::path::{Path, PathBuf};

/// Trail files, in the order of the violations: native and SPIN's.
pub(crate) type Trails = Vec<(Option<String>, Option<String>)>;

/// Why trails cannot go where they are wanted.
pub(crate) fn refuse_folder(args: &CheckArgs) -> Result<(), String> {
    match &args.trail_dir {
        Some(folder) if !folder.is_dir() => Err(format!("--trail-dir {}: there is no such folder", folder.display())),
        _ => Ok(()),
    }
}

/// Writes the trails of violations, and returns their names: if the search went on after errors, of the first of each
/// kind and of each property.
pub(crate) fn write_trails(args: &CheckArgs, model: &Model, outcome: &Outcome<'_>) -> Trails {
    if args.no_trail {
        return Vec::new();
    }
    let source = fs::canonicalize(args.path()).map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let mut kinds: Vec<ViolationKind> = Vec::new();
    let mut written = 0;
    let mut trails = Trails::new();
    for (claim, violation) in outcome.violations_with_claims() {
        let is_first = !kinds.contains(&violation.kind);
        kinds.push(violation.kind);
        trails.push((None, None));
        if args.keep_going && !is_first && claim.is_none() {
            continue;
        }
        let origin = Origin { source: source.clone(), claim };
        let base = free_base(&trail_base(args), written, &source);
        trails.pop();
        trails.push(write_trail(model, violation, origin, &base));
        written += 1;
    }
    trails
}

/// Where the trail with a number goes: what is there already may be of the same model only.
fn free_base(base: &Path, number: usize, source: &str) -> PathBuf {
    let name = file_name(base);
    let number = if number == 0 { String::new() } else { number.to_string() };
    let others = (2..).map(|other| format!("{name}-{other}"));
    let mut names = std::iter::once(name.clone()).chain(others).map(|it| base.with_file_name(it + &number));
    names.find(|it| is_free(&native_name(it), source)).unwrap_or_else(|| base.to_path_buf())
}

fn is_free(path: &Path, source: &str) -> bool {
    let Ok(text) = fs::read_to_string(path) else { return true };
    match serde_json::from_str::<Trail>(&text) {
        Ok(trail) => trail.source.is_none_or(|it| it == source),
        Err(_) => true,
    }
}

fn native_name(base: &Path) -> PathBuf {
    base.with_file_name(format!("{}.trail.json", file_name(base)))
}

fn write_trail(model: &Model, violation: &Violation, origin: Origin, base: &Path) -> (Option<String>, Option<String>) {
    let spin = base.with_file_name(format!("{}.trail", file_name(base)));
    let content = serde_json::to_string_pretty(&trail::of_violation(model, violation, origin)).unwrap_or_default();
    let moves = spin_trail::write(model, &violation.moves, violation.cycle_start());
    (write(&native_name(base), &content), write(&spin, &moves))
}

fn trail_base(args: &CheckArgs) -> PathBuf {
    match &args.trail_dir {
        Some(dir) => dir.join(args.path().file_name().unwrap_or_default()),
        None => args.path().to_path_buf(),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn write(path: &Path, content: &str) -> Option<String> {
    match fs::write(path, content) {
        Ok(()) => Some(path.to_string_lossy().into_owned()),
        Err(error) => {
            complain(&format!("warning: cannot write the trail '{}': {error}", path.display()));
            None
        }
    }
}
