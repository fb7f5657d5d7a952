//! Ultimately periodic words, and what formulas and automata say of them: straight from the
//! definitions, without any of the translation. This is what everything else is tested against.

use crate::automaton::{Automaton, StateId};
use crate::formula::{Formula, Node};

/// An infinite word: a prefix, then a cycle for ever. A letter is the set of atoms that hold, as
/// the bits of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// What comes first; may be empty.
    pub prefix: Vec<u64>,
    /// What is repeated; not empty.
    pub cycle: Vec<u64>,
}

impl Word {
    fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    fn letter(&self, position: usize) -> u64 {
        let (first, rest) = (self.prefix.len(), position.wrapping_sub(self.prefix.len()));
        if position < first { self.prefix[position] } else { self.cycle[rest] }
    }

    fn next(&self, position: usize) -> usize {
        if position + 1 == self.len() { self.prefix.len() } else { position + 1 }
    }

    /// Whether the formula holds at the start of the word.
    #[must_use]
    pub fn satisfies(&self, formula: &Formula) -> bool {
        self.truth(formula)[0]
    }

    /// The truth of a formula at each position.
    fn truth(&self, formula: &Formula) -> Vec<bool> {
        let all = |truth: &dyn Fn(usize) -> bool| (0..self.len()).map(truth).collect::<Vec<bool>>();
        let of = |formula: &Formula| self.truth(formula);
        match formula.node() {
            Node::True => all(&|_| true),
            Node::False => all(&|_| false),
            Node::Atom(atom) => all(&|at| self.letter(at) >> atom.0 & 1 == 1),
            Node::Not(f) => of(f).into_iter().map(|truth| !truth).collect(),
            Node::And(fs) => {
                let parts: Vec<_> = fs.iter().map(of).collect();
                all(&|at| parts.iter().all(|part| part[at]))
            }
            Node::Or(fs) => {
                let parts: Vec<_> = fs.iter().map(of).collect();
                all(&|at| parts.iter().any(|part| part[at]))
            }
            Node::Implies(f, g) => pairwise(&of(f), &of(g), |f, g| !f || g),
            Node::Equivalent(f, g) => pairwise(&of(f), &of(g), |f, g| f == g),
            Node::Next(f) => {
                let f = of(f);
                all(&|at| f[self.next(at)])
            }
            Node::Until(f, g) => self.fixpoint(false, &of(f), &of(g), |f, g, later| g || (f && later)),
            Node::WeakUntil(f, g) => self.fixpoint(true, &of(f), &of(g), |f, g, later| g || (f && later)),
            Node::Release(f, g) => self.fixpoint(true, &of(f), &of(g), |f, g, later| g && (f || later)),
            Node::Always(f) => {
                let f = of(f);
                self.fixpoint(true, &f, &f, |f, _, later| f && later)
            }
            Node::Eventually(f) => {
                let f = of(f);
                self.fixpoint(false, &f, &f, |f, _, later| f || later)
            }
        }
    }

    /// The least (from `false`) or greatest (from `true`) solution of an equation. Two sweeps
    /// backwards are enough: the first carries facts to the start of the cycle, the second
    /// around it.
    fn fixpoint(&self, start: bool, f: &[bool], g: &[bool], step: fn(bool, bool, bool) -> bool) -> Vec<bool> {
        let mut truth = vec![start; self.len()];
        for _ in 0..2 {
            for at in (0..self.len()).rev() {
                truth[at] = step(f[at], g[at], truth[self.next(at)]);
            }
        }
        truth
    }

    /// Whether an automaton accepts the word.
    #[must_use]
    pub fn is_accepted_by(&self, automaton: &Automaton) -> bool {
        let graph = Lasso { word: self, automaton };
        let reached = graph.reach(graph.node(automaton.initial, 0), true);
        (0..graph.len()).any(|node| reached[node] && graph.is_on_accepting_cycle(node))
    }
}

fn pairwise(f: &[bool], g: &[bool], join: fn(bool, bool) -> bool) -> Vec<bool> {
    f.iter().zip(g).map(|(&f, &g)| join(f, g)).collect()
}

/// The product of a word and an automaton: a node is a state and a position.
struct Lasso<'a> {
    word: &'a Word,
    automaton: &'a Automaton,
}

impl Lasso<'_> {
    fn len(&self) -> usize {
        self.automaton.states.len() * self.word.len()
    }

    fn node(&self, state: StateId, position: usize) -> usize {
        state as usize * self.word.len() + position
    }

    /// The marks and targets of the edges that can be taken.
    fn successors(&self, node: usize) -> impl Iterator<Item = (u64, usize)> {
        let (state, position) = (node / self.word.len(), node % self.word.len());
        let letter = self.word.letter(position);
        let enabled = self.automaton.states[state].iter().filter(move |edge| edge.label.holds(letter));
        enabled.map(move |edge| (edge.marks, self.node(edge.target, self.word.next(position))))
    }

    /// What can be reached from a node, in any number of steps or in at least one.
    fn reach(&self, start: usize, itself: bool) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        reached[start] = itself;
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            for (_, next) in self.successors(node) {
                if !std::mem::replace(&mut reached[next], true) {
                    open.push(next);
                }
            }
        }
        reached
    }

    /// Whether the strongly connected component of a node has all marks.
    fn is_on_accepting_cycle(&self, node: usize) -> bool {
        let after = self.reach(node, false);
        if !after[node] {
            return false;
        }
        let component: Vec<bool> = (0..self.len()).map(|at| after[at] && self.reach(at, false)[node]).collect();
        let members = (0..self.len()).filter(|&at| component[at]);
        let edges = members.flat_map(|at| self.successors(at)).filter(|&(_, next)| component[next]);
        edges.fold(0, |marks, (more, _)| marks | more) == self.automaton.all_marks()
    }
}
