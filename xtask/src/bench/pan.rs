//! SPIN's verifier, built and run for speed.

use std::path::Path;

use super::sample::Sample;
use crate::command;
use crate::spin::{Unusable, first_line_with};

/// Bits of both sides' bitstate tables, as a power of two: far more than a cache holds, as in
/// earnest, and nearly free of collisions for the models that are measured.
const BITSTATE_POWER: u8 = 30;
/// The same size in Spinor's words.
pub(crate) const BITSTATE_MEMORY: &str = "128M";

/// Slots of the hash table, as a power of two.
const TABLE_POWER: u8 = 24;

/// Depth of the search stack when the first one was too small.
const DEEPEST: u64 = 10_000_000;

/// How the verifier keeps states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// Whole states.
    Exact,
    /// Three bits for each state.
    Bitstate,
}

impl Variant {
    fn program(self) -> &'static str {
        match self {
            Self::Exact => "pan",
            Self::Bitstate => "pan-bitstate",
        }
    }

    fn arguments(self) -> Vec<String> {
        match self {
            Self::Exact => vec![format!("-w{TABLE_POWER}")],
            Self::Bitstate => vec![format!("-w{BITSTATE_POWER}"), "-k3".to_owned()],
        }
    }
}

/// Compiles the verifier that SPIN wrote into `folder`.
pub(crate) fn compile(folder: &Path, variant: Variant) -> Result<(), Unusable> {
    let mut args = vec!["-O2", "-w", "-o", variant.program(), "pan.c"];
    args.extend(["-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-DMEMLIM=16000"]);
    if variant == Variant::Bitstate {
        args.push("-DBITSTATE");
    }
    let finished = command::run("gcc", &args, folder, 300).map_err(Unusable::Tool)?;
    if finished.code == Some(0) {
        return Ok(());
    }
    Err(Unusable::NoCompile(first_line_with(&finished.text(), "error").to_owned()))
}

/// Searches the whole unreduced state space, with a deeper stack if this one is too small.
pub(crate) fn search(folder: &Path, variant: Variant, depth: u64, seconds: u64) -> Result<Sample, Unusable> {
    match search_to(folder, variant, depth, seconds) {
        Err(Unusable::Depth) if depth < DEEPEST => search_to(folder, variant, DEEPEST, seconds),
        outcome => outcome,
    }
}

fn search_to(folder: &Path, variant: Variant, depth: u64, seconds: u64) -> Result<Sample, Unusable> {
    let mut args = vec!["-c0".to_owned(), "-n".to_owned(), format!("-m{depth}")];
    args.extend(variant.arguments());
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let program = format!("./{}", variant.program());
    let run = command::measure(&program, &args, folder, seconds).map_err(Unusable::Tool)?;
    Sample::of_spin(&run)
}

#[cfg(test)]
mod tests {
    use super::{BITSTATE_MEMORY, BITSTATE_POWER};

    #[test]
    fn both_bitstate_tables_have_the_same_size() {
        let megabytes = (1_u64 << BITSTATE_POWER) / 8 / 1_048_576;
        assert_eq!(BITSTATE_MEMORY, format!("{megabytes}M"));
    }
}
