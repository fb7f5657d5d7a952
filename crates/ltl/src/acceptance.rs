//! Fewer marks: each component keeps those only that tell its cycles apart, numbered anew.

use crate::automaton::mask;
use crate::explicit::{Explicit, Step};
use crate::prune::accepting;
use crate::scc::{self, Components};

/// How marks are put where they do not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Edges between components have no marks.
    Bare,
    /// Edges between components have all marks.
    Full,
    /// All edges of a state have the marks of those that stay in its component.
    StateBased,
}

pub(crate) fn simplify(automaton: &Explicit, style: Style) -> Explicit {
    let components = automaton.components();
    let accepts = accepting(automaton, &components);
    let needed: Vec<Vec<usize>> = (0..components.count)
        .map(|it| if accepts[it] { needed(automaton, &inside(automaton, &components, it)) } else { Vec::new() })
        .collect();
    let count = needed.iter().map(Vec::len).max().unwrap_or(0);
    let count = count.max(usize::from(has_rejecting_cycle(automaton, &components, &accepts)));
    let all = mask(count);
    let marks_of = |state: usize, step: &Step| {
        let component = components.of[state];
        if components.of[step.target] != component {
            return if style == Style::Full { all } else { 0 };
        }
        if !accepts[component] {
            return 0;
        }
        let kept = needed[component].iter().enumerate().filter(|&(_, old)| step.marks >> old & 1 == 1);
        kept.fold(all & !mask(needed[component].len()), |marks, (new, _)| marks | 1 << new)
    };
    let mut result = Explicit { marks: count, states: Vec::new(), ..*automaton };
    for (state, steps) in automaton.states.iter().enumerate() {
        let stays = steps.iter().find(|step| components.of[step.target] == components.of[state]);
        let of_state = stays.map_or(0, |step| marks_of(state, step));
        let marks = |step: &Step| if style == Style::StateBased { of_state } else { marks_of(state, step) };
        let steps = steps.iter().map(|step| Step { marks: marks(step), ..step.clone() });
        result.states.push(crate::explicit::tidy(steps.collect()));
    }
    result
}

/// Whether some cycles of an accepting component do not accept.
pub(crate) fn needs_marks(automaton: &Explicit, components: &Components, component: usize) -> bool {
    !needed(automaton, &inside(automaton, components, component)).is_empty()
}

/// The edges that stay in a component.
fn inside<'a>(automaton: &'a Explicit, components: &Components, component: usize) -> Vec<(usize, &'a Step)> {
    let members = (0..automaton.states.len()).filter(|&state| components.of[state] == component);
    let edges = members.flat_map(|state| automaton.states[state].iter().map(move |step| (state, step)));
    edges.filter(|(_, step)| components.of[step.target] == component).collect()
}

fn has_rejecting_cycle(automaton: &Explicit, components: &Components, accepts: &[bool]) -> bool {
    (0..components.count).any(|it| !accepts[it] && !inside(automaton, components, it).is_empty())
}

/// The marks that not all cycles have, and that no other mark implies.
fn needed(automaton: &Explicit, edges: &[(usize, &Step)]) -> Vec<usize> {
    let has = |mark: usize, step: &Step| step.marks >> mark & 1 == 1;
    let missing = |mark: usize| edges.iter().filter(move |(_, step)| !has(mark, step)).copied();
    let mut needed: Vec<usize> = (0..automaton.marks)
        .filter(|&mark| has_cycle(automaton.states.len(), &missing(mark).collect::<Vec<_>>()))
        .collect();
    let mut index = 0;
    while index < needed.len() {
        let mark = needed[index];
        let implied_by = |&other: &usize| other != mark && edges.iter().all(|(_, it)| !has(other, it) || has(mark, it));
        if needed.iter().any(implied_by) {
            needed.remove(index);
        } else {
            index += 1;
        }
    }
    needed
}

fn has_cycle(count: usize, edges: &[(usize, &Step)]) -> bool {
    let mut successors = vec![Vec::new(); count];
    edges.iter().for_each(|(state, step)| successors[*state].push(step.target));
    let components = scc::components(count, |state| successors[state].iter().copied());
    edges.iter().any(|(state, step)| components.of[*state] == components.of[step.target])
}
