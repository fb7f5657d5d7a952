//! The interpreter beside native code, state by state: the naive twin.

use crate::engine::Native;
use spinor_exec::{Ended, Expanded, Fault, FindingKind, Packed, Packing, Semantics, Simplify, Successors, expand_each};
use spinor_model::{Model, ProctypeId, StatementId};
use std::collections::HashSet;

/// How much was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// States.
    pub states: usize,
    /// Successors.
    pub successors: usize,
    /// States that native code left to the interpreter.
    pub deferred: u64,
}

/// Walks up to `most` states breadth-first, with all code compiled at once, and compares
/// everything that both engines say of each state.
///
/// # Errors
/// Says where they differ.
pub fn compare(model: &Model, packing: Packing, simplify: Simplify, most: usize) -> Result<Agreement, String> {
    let mut interpreter = Packed::simplified(model, packing, simplify);
    let mut native = Native::with_patience(interpreter.fork(), 0);
    let (mut ours, mut theirs) = (Successors::default(), Successors::default());
    let mut agreement = Agreement::default();
    let mut is_cut = false;
    if interpreter.initial(&mut theirs).is_err() {
        return Ok(agreement);
    }
    let first = theirs.vector(&theirs.list[0]).to_vec();
    let mut seen = HashSet::from([first.clone()]);
    let mut waiting = vec![first];
    while agreement.states < waiting.len().min(most) {
        let state = waiting[agreement.states].clone();
        agreement.states += 1;
        ours.clear();
        theirs.clear();
        let expected = interpreter.expand(&state, &mut theirs);
        let deferred = native.deferred();
        let found = native.expand(&state, &mut ours);
        agreement.deferred += native.deferred() - deferred;
        let same_end = native.is_valid_end(&state) == interpreter.is_valid_end(&state);
        if found != expected || !same_end || !is_same(&ours, &theirs) {
            let reference = interpreter.unpacked(&state);
            return Err(format!(
                "state {} ({reference:?}): {found:?} {expected:?}\nnative {ours:?}\ninterpreter {theirs:?}",
                agreement.states
            ));
        }
        same_parts(&mut interpreter, &state, &expected, &theirs)?;
        same_parts(&mut native, &state, &expected, &theirs)?;
        is_cut |= theirs.findings.iter().any(|it| it.kind == FindingKind::Fault(Fault::EndlessAtomic));
        agreement.successors += theirs.list.len();
        for successor in &theirs.list {
            let vector = theirs.vector(successor);
            if !seen.contains(vector) {
                seen.insert(vector.to_vec());
                waiting.push(vector.to_vec());
            }
        }
    }
    same_rows(&mut native, &mut interpreter, &waiting[..agreement.states])?;
    same_statements(model, &native, &interpreter, is_cut)?;
    Ok(agreement)
}

/// Whether states in a row are expanded as they are one by one.
fn same_rows(native: &mut Native<'_>, interpreter: &mut Packed<'_>, states: &[Vec<u64>]) -> Result<(), String> {
    let rows = states.chunk_by(|one, next| one.len() == next.len());
    for (row, enough) in rows.zip([usize::MAX, 1, 6].into_iter().cycle()) {
        let words = row.concat();
        let mut left = words.chunks_exact(row[0].len());
        while left.len() > 0 {
            let (mut ours, mut theirs) = (Successors::default(), Successors::default());
            let expected = expand_each(interpreter, &mut left.clone(), enough, &mut theirs);
            let found = native.expand_row(&mut left, enough, &mut ours);
            if found != expected || ours.ends != theirs.ends || !is_same(&ours, &theirs) {
                return Err(format!(
                    "{} states before {}: {found:?} {expected:?}\nnative {ours:?}\ninterpreter {theirs:?}",
                    ours.ends.len(),
                    left.len()
                ));
            }
        }
    }
    Ok(())
}

/// Whether the parts of single processes, from the highest pid down, are the whole. If nothing moves, only
/// the whole knows of `timeout`.
fn same_parts(
    engine: &mut impl Semantics,
    state: &[u64],
    whole: &Expanded,
    successors: &Successors,
) -> Result<(), String> {
    let (mut parts, mut all) = (Successors::default(), Expanded::default());
    for pid in (0..engine.processes(state)).rev() {
        let part = engine.expand_process(state, pid, &mut parts);
        all.ended = all.ended.and(part.ended);
        all.deepest = all.deepest.max(part.deepest);
        all.furthest = all.furthest.max(part.furthest);
    }
    let is_stuck = all.ended == Ended::Stuck;
    if !is_stuck && (all != *whole || !is_same(&parts, successors)) || is_stuck && !parts.list.is_empty() {
        return Err(format!("state {state:x?}: {all:?} {whole:?}\nparts {parts:?}\nwhole {successors:?}"));
    }
    Ok(())
}

fn is_same(ours: &Successors, theirs: &Successors) -> bool {
    let same_findings = ours.findings.len() == theirs.findings.len()
        && ours.findings.iter().zip(&theirs.findings).all(|(a, b)| a.kind == b.kind && a.moves == b.moves);
    same_findings
        && ours.list.len() == theirs.list.len()
        && ours.list.iter().zip(&theirs.list).all(|(a, b)| {
            ours.vector(a) == theirs.vector(b) && (a.bytes, a.key, a.distance) == (b.bytes, b.key, b.distance)
        })
}

/// Whether the same statements count as executed. Beside an atomic sequence that never ends, the interpreter gives up paths
/// (the search is cut there, and says so) that native code may have followed for a while before it left the state to the
/// interpreter: then it may know of more.
fn same_statements(model: &Model, native: &Native<'_>, interpreter: &Packed<'_>, is_cut: bool) -> Result<(), String> {
    for (index, proctype) in model.proctypes.iter().enumerate() {
        for statement in 0..proctype.statements.len() {
            let (id, statement) = (ProctypeId(index as u16), StatementId(statement as u32));
            let (ours, theirs) = (native.was_executed(id, statement), interpreter.was_executed(id, statement));
            if ours != theirs && !(ours && is_cut) {
                return Err(format!("{statement:?} of {} was executed by one of them only", proctype.name));
            }
        }
    }
    Ok(())
}
