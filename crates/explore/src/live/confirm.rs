//! No counterexample without replay: by the reference interpreter, and against the claim.

use super::claim::Claim;
use super::movers::{bit, movers};
use super::system::has_fault;
use crate::report::{Lasso, LassoStep, Violation, ViolationKind};
use spinor_exec::{Ended, Expansion, Interpreter, Letter, Packing, Propositions, Replay, ReplayError, Successor};
use spinor_ltl::Word;
use spinor_model::Model;
use std::sync::Arc;

/// What was seen before a step.
struct Moment {
    /// The state, without hidden variables.
    state: Vec<u8>,
    claim: u32,
    letter: Letter,
    accepts: bool,
    /// The processes that can begin a step, as bits, if fairness asks for them.
    enabled: u64,
    /// The processes that move in the step, as bits.
    movers: u64,
    marks: u64,
}

/// Replays a violation of a claim: that the moves are an execution, that the claim can go along, and that what is
/// repeated comes back to where it began, with all marks; for a formula also that it does not hold, by its
/// definition; with `fair`, that no process starves.
///
/// # Errors
/// If that is not so: a defect of the tool, never of the model.
pub fn confirm_claim(model: &Model, claim: &Claim, violation: &Violation, fair: bool) -> Result<(), ReplayError> {
    let wrong = |reason: &str| ReplayError { after: violation.moves.len(), reason: reason.into() };
    let Some(lasso) = &violation.lasso else { return Err(wrong("there is no lasso")) };
    let shapes = Arc::new(claim.shapes(model, Packing::default()));
    let mut propositions = Propositions::new(shapes, claim.atoms.clone());
    let mut interpreter = Interpreter::new(model);
    let mut observer = Interpreter::new(model);
    let mut replay = Replay::new(&mut interpreter)?;
    let mut rest = &violation.moves[..];
    let mut at = Some(claim.initial);
    let mut moments = Vec::new();
    let mut rests = false;
    for step in &lasso.steps {
        let Some(state) = at else { return Err(wrong("the claim is at its end")) };
        let mut moment = observe(&mut propositions, &replay, state, claim.labels);
        // What is repeated is no step that passes labels.
        moment.accepts = if rests { propositions.rests_at_accept() } else { moment.accepts };
        rests |= step.moves == 0;
        if fair {
            moment.enabled = enabled(&mut observer, replay.vector());
        }
        let is_possible = claim.steps(state, moment.letter).is_ok_and(|steps| steps.contains(&step.claim));
        let edge = claim.states[state as usize].get(step.claim as usize).filter(|_| is_possible);
        let Some(edge) = edge else { return Err(wrong("the claim cannot make its step")) };
        moment.marks |= edge.marks;
        moment.movers = movers(rest.get(..step.moves).unwrap_or_default());
        at = edge.target;
        moments.push(moment);
        advance(&mut replay, &mut rest, *step, at.is_none())?;
    }
    if violation.kind == ViolationKind::Fault {
        let letter = propositions.letter_of(replay.vector());
        let is_at_fault = at.is_some_and(|state| claim.steps(state, letter).is_err());
        return if is_at_fault { Ok(()) } else { Err(wrong("no proposition that is asked for is at fault")) };
    }
    let Some(state) = at else {
        return check_end(claim, violation, &moments).map_err(wrong);
    };
    let last = observe(&mut propositions, &replay, state, claim.labels);
    check_cycle(claim, lasso, &moments, &last, fair).map_err(wrong)
}

/// Makes the moves of a step; without any, nothing can move.
fn advance(
    replay: &mut Replay<'_, '_>,
    rest: &mut &[spinor_exec::Move],
    step: LassoStep,
    is_last: bool,
) -> Result<(), ReplayError> {
    let after = rest.len();
    if step.moves == 0 && !is_last && !replay.is_stuck() {
        return Err(ReplayError { after, reason: "the system stands still though it can move".into() });
    }
    let mut left = step.moves;
    while left > 0 {
        let made = replay.step(rest)?.moves.len();
        *rest = &rest[made..];
        left = left.checked_sub(made).ok_or(ReplayError { after, reason: "a step ends inside of another".into() })?;
    }
    Ok(())
}

fn observe(propositions: &mut Propositions<'_>, replay: &Replay<'_, '_>, claim: u32, labels: bool) -> Moment {
    let letter = propositions.letter_of(replay.vector());
    let accepts = propositions.is_at_accept();
    let interpreter = replay.interpreter();
    let state = match labels {
        true => replay.vector()[interpreter.layout().hidden..].to_vec(),
        // Nobody asks for what a step has passed.
        false => interpreter.essence(replay.vector()),
    };
    Moment { state, claim, letter, accepts, enabled: 0, movers: 0, marks: 0 }
}

/// Which processes can begin a step, at a timeout, too.
fn enabled(interpreter: &mut Interpreter<'_>, vector: &[u8]) -> u64 {
    let mut out = Expansion::default();
    let processes = 0..interpreter.state(vector).process_count();
    let mut can_begin = |pid: &usize| {
        interpreter.expand_process(vector, *pid, &mut out);
        out.ended() != Ended::Stuck
    };
    let all = |processes: &mut dyn Iterator<Item = usize>| processes.fold(0, |all, pid| all | bit(pid as u8));
    let able = all(&mut processes.clone().filter(|pid| can_begin(pid)));
    if able != 0 {
        return able;
    }
    interpreter.expand(vector, &mut out);
    if has_fault(out.findings.iter().map(|it| &it.kind)) {
        return all(&mut processes.into_iter());
    }
    let first = |it: &Successor| out.path(&it.moves).first().map_or(0, |first| bit(first.pid));
    out.successors.iter().fold(0, |all, it| all | first(it))
}

/// Whether an execution need not go on to be one that must not be.
fn check_end(claim: &Claim, violation: &Violation, moments: &[Moment]) -> Result<(), &'static str> {
    if violation.kind != ViolationKind::ClaimEnd {
        return Err("the claim ends");
    }
    let prefix: Vec<u64> = moments.iter().map(|moment| moment.letter.truth).collect();
    // Nothing that comes after can make the formula true: this is tried with some of it.
    let tried = [0, u64::MAX, 0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa];
    let mut words = tried.into_iter().chain(prefix.last().copied());
    let holds = |letter| {
        let word = Word { prefix: prefix.clone(), cycle: vec![letter] };
        claim.formula.as_ref().is_some_and(|formula| word.satisfies(formula))
    };
    if words.any(holds) { Err("the formula may hold") } else { Ok(()) }
}

/// Whether the end of an execution is repeated for ever, and must not be.
fn check_cycle(
    claim: &Claim,
    lasso: &Lasso,
    moments: &[Moment],
    last: &Moment,
    fair: bool,
) -> Result<(), &'static str> {
    let start = lasso.cycle.ok_or("nothing is repeated")?;
    let (stem, cycle) = moments.split_at_checked(start).ok_or("the cycle begins behind the end")?;
    let first = cycle.first().ok_or("the cycle has no steps")?;
    if (&first.state, first.claim) != (&last.state, last.claim) {
        return Err("the cycle does not lead back to its beginning");
    }
    let label = |moment: &Moment| u64::from(claim.labels && moment.accepts);
    if cycle.iter().fold(0, |all, moment| all | moment.marks | label(moment)) != claim.all_marks() {
        return Err("the cycle is not accepting");
    }
    let letters = |part: &[Moment]| part.iter().map(|moment| moment.letter.truth).collect();
    let word = Word { prefix: letters(stem), cycle: letters(cycle) };
    if claim.formula.as_ref().is_some_and(|formula| word.satisfies(formula)) {
        return Err("the formula holds");
    }
    let waits = cycle.iter().fold(u64::MAX, |all, moment| all & moment.enabled);
    let moved = cycle.iter().fold(0, |all, moment| all | moment.movers);
    if fair && waits & !moved != 0 {
        return Err("a process starves");
    }
    Ok(())
}
