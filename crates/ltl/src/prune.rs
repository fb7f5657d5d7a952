//! Leaves out states that no accepting run visits.

use crate::explicit::Explicit;
use crate::scc::Components;

/// The states that can be reached and can accept, numbered from the start.
pub(crate) fn prune(automaton: &Explicit) -> Explicit {
    let live = live(automaton);
    if !live[automaton.initial] {
        return Explicit { marks: 0, initial: 0, states: vec![Vec::new()], ..*automaton };
    }
    automaton.restrict(&automaton.reachable(&live))
}

/// The states from which some word is accepted.
pub(crate) fn live(automaton: &Explicit) -> Vec<bool> {
    let components = automaton.components();
    let accepts = accepting(automaton, &components);
    let mut live = vec![false; components.count];
    // Edges lead to lower numbers: what a component can reach is known before the component.
    let mut order: Vec<usize> = (0..automaton.states.len()).collect();
    order.sort_unstable_by_key(|&state| components.of[state]);
    for state in order {
        let component = components.of[state];
        let reaches = automaton.states[state].iter().any(|step| live[components.of[step.target]]);
        live[component] |= accepts[component] || reaches;
    }
    components.of.iter().map(|&component| live[component]).collect()
}

/// Which components have a cycle with all marks.
pub(crate) fn accepting(automaton: &Explicit, components: &Components) -> Vec<bool> {
    let mut marks: Vec<Option<u64>> = vec![None; components.count];
    for (state, steps) in automaton.states.iter().enumerate() {
        let component = components.of[state];
        for step in steps.iter().filter(|step| components.of[step.target] == component) {
            *marks[component].get_or_insert(0) |= step.marks;
        }
    }
    marks.into_iter().map(|marks| marks == Some(automaton.all_marks())).collect()
}
