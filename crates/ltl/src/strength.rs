//! How much of acceptance a search has to look at.

use crate::acceptance::needs_marks;
use crate::automaton::Automaton;
use crate::bdd::{self, Bdd, Made};
use crate::explicit::Explicit;
use crate::letters::Letters;
use crate::prune::accepting;
use crate::scc::Components;

/// What it takes to see that a run accepts, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// To reach a state from which each run accepts: what is sought is a finite path.
    Terminal,
    /// To find a cycle in a component in which all cycles accept.
    Weak,
    /// To find an accepting cycle.
    General,
}

impl Strength {
    /// Its name.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Strength::Terminal => "terminal",
            Strength::Weak => "weak",
            Strength::General => "general",
        }
    }
}

impl Automaton {
    /// How strong its acceptance is (Bloem, Ravi, Somenzi 1999).
    #[must_use]
    pub fn strength(&self) -> Strength {
        let explicit = Explicit::new(&Letters::of(&[self]), self);
        let components = explicit.components();
        let accepts = accepting(&explicit, &components);
        if (0..components.count).any(|it| accepts[it] && needs_marks(&explicit, &components, it)) {
            return Strength::General;
        }
        if self.is_terminal(&components, &accepts) { Strength::Terminal } else { Strength::Weak }
    }

    /// The states from which each word is accepted, whatever comes: those of components in which all cycles accept
    /// and where each letter leads on. A terminal automaton accepts as soon as it reaches one.
    #[must_use]
    pub fn final_states(&self) -> Vec<bool> {
        let explicit = Explicit::new(&Letters::of(&[self]), self);
        let components = explicit.components();
        let accepts = accepting(&explicit, &components);
        let mut is_final: Vec<bool> =
            (0..components.count).map(|it| accepts[it] && !needs_marks(&explicit, &components, it)).collect();
        let mut bdd = Bdd::new();
        for state in 0..self.states.len() {
            // Where this is not known, the search goes on to a cycle.
            is_final[components.of[state]] &= self.stays_always(state, &components, &mut bdd) == Ok(true);
        }
        components.of.iter().map(|&component| is_final[component]).collect()
    }

    /// Whether no letter leads out of accepting components, or nowhere.
    fn is_terminal(&self, components: &Components, accepts: &[bool]) -> bool {
        let mut bdd = Bdd::new();
        let mut inside = (0..self.states.len()).filter(|&state| accepts[components.of[state]]);
        inside.all(|state| self.stays_always(state, components, &mut bdd) == Ok(true))
    }

    /// Whether each letter can be read without leaving the component.
    fn stays_always(&self, state: usize, components: &Components, bdd: &mut Bdd) -> Made<bool> {
        let stays =
            self.states[state].iter().filter(|edge| components.of[edge.target as usize] == components.of[state]);
        let mut labels = stays.map(|edge| &edge.label);
        let letters = labels.try_fold(bdd::FALSE, |sum, label| {
            let label = bdd.function(label)?;
            bdd.or(sum, label)
        })?;
        Ok(letters == bdd::TRUE)
    }
}
