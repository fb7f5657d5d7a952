//! The moves that lead to a state.

use crate::breadth_first::{BreadthFirst, Found};
use crate::control::Control;
use crate::expand::Expand;
use crate::observe::Observer;
use crate::peers::gather;
use crate::plan::{Order, Plan};
use crate::stores::{Open, run_to_end};
use crate::trace::Goal;
use crate::vectors::State;
use spinor_exec::{Move, Semantics, Successors};
use std::time::Instant;

/// How often a path is looked for with another seed when a lossy store loses it.
const ATTEMPTS: u64 = 16;

/// Set in a choice that is the only step of the process with the pid in the low bits.
pub(crate) const FORCED: u32 = 1 << 31;

/// A path that was walked, so that the next one is walked only where it differs.
pub(crate) struct Walk {
    /// The states on the way, the first state first, and how many moves lead to each.
    states: Vec<(Vec<u64>, usize)>,
    choices: Vec<u32>,
    moves: Vec<Move>,
}

impl Walk {
    pub(crate) fn from(first: &State) -> Walk {
        Walk { states: vec![(first.words.clone(), 0)], choices: Vec::new(), moves: Vec::new() }
    }

    /// The moves along the successors with these numbers.
    pub(crate) fn along<S: Semantics>(&mut self, engine: &mut S, choices: &[u32]) -> &[Move] {
        let common = self.choices.iter().zip(choices).take_while(|(was, is)| was == is).count();
        self.choices.truncate(common);
        self.states.truncate(common + 1);
        self.moves.truncate(self.states[common].1);
        let mut out = Successors::default();
        for &choice in &choices[common..] {
            let (state, _) = self.states.last().expect("the first state");
            let number = if choice & FORCED == 0 { choice as usize } else { before(engine, state, choice ^ FORCED) };
            self.moves.extend(engine.moves(state, number));
            out.clear();
            engine.expand(state, &mut out);
            let next = out.vector(&out.list[number]).to_vec();
            self.states.push((next, self.moves.len()));
            self.choices.push(choice);
        }
        &self.moves
    }
}

/// How many successors come before those of a process.
pub(crate) fn before<S: Semantics>(engine: &mut S, state: &[u64], pid: u32) -> usize {
    let mut out = Successors::default();
    for younger in (pid as usize + 1..engine.processes(state)).rev() {
        engine.expand_process(state, younger, &mut out);
    }
    out.list.len()
}

/// A part of a path.
struct Segment {
    from: State,
    to: State,
    /// How many moves it has; if states may be confused, only an estimate.
    length: usize,
}

/// Finds the moves from one state to another that is known to be reached by that many, by searching
/// again and again for the middle: see [`crate::trace`]. It has as much time as the search itself had.
/// Also counts the states it stored.
pub(crate) fn search_again<S: Expand, T: Open>(
    engine: &mut S,
    plan: &Plan,
    ends: (State, State, usize),
    observer: &mut dyn Observer,
    effort: &mut u64,
) -> Option<Vec<Move>> {
    let begun = Instant::now();
    let mut moves = Vec::new();
    let (from, to, length) = ends;
    // What a depth-first search found may be closer, and so may what a reduced one found, without reduction.
    let is_detour = plan.order == Order::DepthFirst || engine.is_reduced() || engine.parts().phases.is_some();
    let any_length = T::KIND.is_lossy() || is_detour;
    let engine = &mut engine.whole();
    let mut segments = vec![Segment { from, to, length }];
    while let Some(segment) = segments.pop() {
        let is_end = segment.from.words == segment.to.words;
        let step = if is_end { Some(Vec::new()) } else { single_step(engine, &segment, any_length) };
        if agreed(plan, step.is_some())? {
            moves.extend(step.into_iter().flatten());
            continue;
        }
        let plan = Plan { max_time: plan.max_time.map(|limit| limit.saturating_sub(begun.elapsed())), ..plan.clone() };
        match find::<S, T>(engine, &plan, (&segment, any_length), observer, effort)? {
            Found::Path(path) => moves.extend(path),
            Found::Closer(length) => segments.push(Segment { length, ..segment }),
            Found::Middle { state, at, level } => {
                let Segment { from, to, length } = segment;
                if at == level && level >= length && state.words == to.words {
                    // It is one step for who found it, and not for who looked before. That must not go on for ever.
                    return None;
                }
                segments.push(Segment { from: state.clone(), to, length: level - at });
                segments.push(Segment { from, to: state, length: at });
            }
        }
    }
    Some(moves)
}

/// What the first process says: all must go on in the same way. None if a process is lost.
fn agreed(plan: &Plan, own: bool) -> Option<bool> {
    let Some(peers) = &plan.peers else { return Some(own) };
    Some(gather(&**peers, &[own.into()])?[0][0] != 0)
}

/// The moves if the segment is one step.
fn single_step<S: Semantics>(engine: &mut S, segment: &Segment, any_length: bool) -> Option<Vec<Move>> {
    let mut out = Successors::default();
    engine.expand(&segment.from.words, &mut out);
    let is_end = |it: &_| out.vector(it) == segment.to.words;
    let n = out.list.iter().position(|it| is_end(it) && (any_length || it.distance as usize == segment.length))?;
    Some(engine.moves(&segment.from.words, n))
}

fn find<S: Expand, T: Open>(
    engine: &S,
    plan: &Plan,
    (segment, any_length): (&Segment, bool),
    observer: &mut dyn Observer,
    effort: &mut u64,
) -> Option<Found> {
    let lossy = T::KIND.is_lossy();
    (0..if lossy { ATTEMPTS } else { 1 }).find_map(|attempt| {
        let plan = Plan {
            seed: plan.seed.wrapping_add(attempt),
            order: Order::BreadthFirst,
            max_depth: (!lossy).then_some(segment.length),
            keep_going: true,
            ..plan.clone()
        };
        let level = (!any_length).then_some(segment.length);
        let goal = Goal { target: segment.to.clone(), level, middle: (segment.length / 2).max(1) };
        let control = Control::new(&plan, Instant::now());
        let mut search = BreadthFirst::new(engine, segment.from.clone(), &plan, Some(goal));
        run_to_end::<T>(&mut search, &control, observer);
        *effort += search.effort();
        if control.is_halted() {
            return None;
        }
        search.take_found()
    })
}
