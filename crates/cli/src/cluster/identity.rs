//! What makes a search the one that it is: who takes part in it, or takes it up again, must be asked the same.
//!
//! Every field of what was asked for, and of what was decided, is named here, and is part of the identity or is one of
//! those that may differ. A new one does not compile before it is known which.

use crate::args::{CheckArgs, ReadingArgs};
use crate::plan::Resolved;
use spinor_explore::reduce::sound::Sound;
use spinor_explore::{Identity, Plan};
use spinor_model::Model;
use std::fmt::Debug;

/// The identity of a search for a model.
pub(super) fn identity(args: &CheckArgs, resolved: &Resolved, model: &Model) -> Identity {
    let parts = [of_program(model), of_question(args), of_decisions(resolved), of_plan(&resolved.plan)];
    let parts = parts.into_iter().flatten();
    Identity(parts.map(|(name, value)| (name.to_owned(), value)).collect())
}

type Named = (&'static str, String);

fn part(name: &'static str, value: impl Debug) -> Named {
    (name, format!("{value:?}"))
}

/// The version, and all texts: those that are included and those of formulas and claims are among them. Each with its
/// length, so that none can be cut into others.
fn of_program(model: &Model) -> Vec<Named> {
    let texts = model.sources.files().flat_map(|file| {
        let length = (file.text.len() as u64).to_le_bytes();
        length.into_iter().chain(file.text.bytes())
    });
    vec![part("the version of spinor", env!("CARGO_PKG_VERSION")), part("the model", fingerprint(texts))]
}

/// What is asked of the model.
fn of_question(args: &CheckArgs) -> Vec<Named> {
    let CheckArgs {
        reading: ReadingArgs { macros, no_warnings: _ },
        search,
        property,
        ltl,
        // The texts count, not where they are.
        model: _,
        ltl_file,
        claim,
        progress,
        fair,
        no_claim,
        // What becomes of these is decided, and a part of that.
        reduce: _,
        symmetry: _,
        proviso: _,
        preserve: _,
        engine: _,
        layout: _,
        store: _,
        encode: _,
        bitstate_memory: _,
        hashes: _,
        swarm: _,
        seed: _,
        keep_going: _,
        max_depth: _,
        no_end_states: _,
        no_assertions: _,
        // How long and with how much memory is searched, and by how many.
        max_time: _,
        max_memory: _,
        threads: _,
        workers: _,
        hosts: _,
        host_index: _,
        supervised: _,
        restarts: _,
        // Where checkpoints go, and what is printed.
        checkpoint: _,
        every: _,
        resume: _,
        json: _,
        trail_dir: _,
        no_trail: _,
    } = args;
    vec![
        part("-D and -U", macros.words()),
        part("--search", search),
        part("--property", property),
        part("--ltl", ltl),
        part("--ltl-file", ltl_file.is_some()),
        part("--claim", claim.is_some()),
        part("--progress", progress),
        part("--fair", fair),
        part("--no-claim", no_claim),
    ]
}

/// How steps are computed, and which are enough.
fn of_decisions(resolved: &Resolved) -> Vec<Named> {
    let Resolved { engine, layout, reduction, symmetry, plan: _ } = resolved;
    let Sound { parts, preserve, proviso, tries_symmetry, because: _ } = reduction;
    vec![
        part("--engine", engine),
        part("--layout", layout),
        part("--reduce", parts),
        part("--preserve", preserve),
        part("--proviso", proviso),
        part("--symmetry", (tries_symmetry, symmetry)),
    ]
}

/// How states are visited and kept, and what is reported.
fn of_plan(plan: &Plan) -> Vec<Named> {
    let Plan {
        order,
        store,
        proviso,
        encode,
        seed,
        bitstate_bytes,
        hashes,
        cache,
        swarm,
        keep_going,
        max_violations,
        max_moves,
        max_depth,
        end_states,
        assertions,
        log_limit,
        // How long and with how much memory is searched, and by how many.
        max_time: _,
        max_memory: _,
        threads: _,
        small_level: _,
        peers: _,
        division: _,
        // Where checkpoints go.
        checkpoints: _,
    } = plan;
    let mut parts = vec![
        part("--search", order),
        part("--store", store),
        part("--proviso", proviso),
        part("--encode", encode),
        part("--swarm", swarm),
        part("--keep-going", keep_going),
        part("--max-depth", max_depth),
        part("--no-end-states", !end_states),
        part("--no-assertions", !assertions),
        part("the violations that are kept", (max_violations, max_moves, log_limit)),
        part("--store", cache),
    ];
    // Of these, the memory follows from --max-memory if it is not given.
    if store.is_lossy() {
        parts.extend([part("--seed", seed), part("--hashes", hashes), part("--bitstate-memory", bitstate_bytes)]);
    }
    parts
}

/// FNV-1a.
pub(super) fn fingerprint(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
