//! `cargo xtask test`: every check of the project, in one command.

use std::path::{Path, PathBuf};

use crate::command;
use crate::spin;
use crate::spinor::cargo;

/// One named check.
struct Step {
    name: &'static str,
    program: String,
    args: Vec<&'static str>,
    /// Whether the step compares with SPIN.
    needs_oracle: bool,
}

/// Runs all steps; false if any fails.
pub(crate) fn run(root: &Path) -> Result<bool, String> {
    let steps = steps()?;
    let has_oracle = install_oracle(root);
    if !has_oracle {
        println!("left out: truth and fuzz, because SPIN and tcc cannot be installed here");
    }
    let spinor = own_program()?.with_file_name("spinor");
    let (mut passed, mut failed, mut skipped) = (0, Vec::new(), 0);
    for step in &steps {
        if step.needs_oracle && !has_oracle {
            skipped += 1;
            continue;
        }
        println!("== {}", step.name);
        // The tests have built it, with all its assertions; to build another one takes longer than to compare with it.
        let variables: &[(&str, &Path)] =
            if step.needs_oracle && spinor.is_file() { &[("SPINOR", &spinor)] } else { &[] };
        if command::show_with(&step.program, &step.args, root, variables) {
            passed += 1;
        } else {
            println!("== {} failed", step.name);
            failed.push(step.name);
        }
    }
    if !failed.is_empty() {
        println!("failed: {}", failed.join(", "));
    }
    let tail = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    println!("{passed} passed, {} failed{tail}", failed.len());
    Ok(failed.is_empty())
}

fn own_program() -> Result<PathBuf, String> {
    std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))
}

fn steps() -> Result<Vec<Step>, String> {
    let own = own_program()?.to_string_lossy().into_owned();
    let cargo_step =
        |name, args: &[&'static str]| Step { name, program: cargo(), args: args.to_vec(), needs_oracle: false };
    let own_step = |name, args: &[&'static str], needs_oracle| Step {
        name,
        program: own.clone(),
        args: args.to_vec(),
        needs_oracle,
    };
    let tests: &[&str] = if command::exists("cargo-nextest") {
        &["nextest", "run", "--workspace", "--no-fail-fast"]
    } else {
        &["test", "--workspace", "--no-fail-fast"]
    };
    Ok(vec![
        cargo_step("format", &["fmt", "--all", "--check"]),
        cargo_step("clippy", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        cargo_step("tests", tests),
        own_step("tidy", &["tidy"], false),
        own_step("soundness", &["soundness", "--systems", "400", "--jobs", "2"], false),
        own_step("symmetry", &["symmetry", "--systems", "400", "--jobs", "2"], false),
        own_step("live", &["live", "--models", "300", "--jobs", "2"], false),
        own_step("truth", &["truth", "--sample"], true),
        own_step("fuzz", &["fuzz", "--models", "150", "--seed", "1"], true),
    ])
}

/// Makes sure that SPIN and tcc are there; installs them where that works.
fn install_oracle(root: &Path) -> bool {
    if spin::is_installed() {
        return true;
    }
    let script = "apt-get update && apt-get install -y spin tcc";
    let quiet = format!("export DEBIAN_FRONTEND=noninteractive; ({script}) >/dev/null 2>&1");
    command::show("sh", &["-c", &quiet], root) && spin::is_installed()
}
