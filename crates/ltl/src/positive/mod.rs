//! Formulas in positive normal form: negation only at atoms, and `U` and `V` as the only operators
//! of time beside `X`. Equal formulas are one object.

mod implication;
mod rewrite;
mod simulation;

use crate::formula::{Atom, Formula, Node};
use rustc_hash::FxHashMap;

/// A formula, by its place in a [`Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

pub(crate) const FALSE: Id = Id(0);
pub(crate) const TRUE: Id = Id(1);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Positive {
    False,
    True,
    Literal(Atom, bool),
    /// At least two, sorted.
    And(Vec<Id>),
    /// At least two, sorted.
    Or(Vec<Id>),
    Next(Id),
    Until(Id, Id),
    Release(Id, Id),
}

/// All formulas of one translation.
#[derive(Debug)]
pub(crate) struct Pool {
    nodes: Vec<Positive>,
    kinds: Vec<Kind>,
    ids: FxHashMap<Positive, Id>,
    negations: FxHashMap<Id, Id>,
    implications: FxHashMap<(Id, Id), bool>,
    simulations: FxHashMap<(Id, Id), bool>,
    /// While a tableau is built a part absorbs another only if it simulates it.
    pub(crate) in_tableau: bool,
}

/// Pure eventuality and universality (Etessami, Holzmann 2000): what holds of a word because it
/// holds of a suffix, and what holds of all suffixes because it holds of the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    eventual: bool,
    universal: bool,
}

impl Pool {
    pub(crate) fn new() -> Pool {
        let both = Kind { eventual: true, universal: true };
        Pool {
            nodes: vec![Positive::False, Positive::True],
            kinds: vec![both, both],
            ids: [(Positive::False, FALSE), (Positive::True, TRUE)].into_iter().collect(),
            negations: [(FALSE, TRUE), (TRUE, FALSE)].into_iter().collect(),
            implications: FxHashMap::default(),
            simulations: FxHashMap::default(),
            in_tableau: false,
        }
    }

    pub(crate) fn node(&self, id: Id) -> &Positive {
        &self.nodes[id.0 as usize]
    }

    fn is_eventual(&self, id: Id) -> bool {
        self.kinds[id.0 as usize].eventual
    }

    fn is_universal(&self, id: Id) -> bool {
        self.kinds[id.0 as usize].universal
    }

    /// Whether the truth of it is the same at all positions of a word.
    fn is_suspendable(&self, id: Id) -> bool {
        self.is_eventual(id) && self.is_universal(id)
    }

    /// The one object for a node.
    fn intern(&mut self, node: Positive) -> Id {
        if let Some(&known) = self.ids.get(&node) {
            return known;
        }
        let id = Id(self.nodes.len() as u32);
        self.kinds.push(self.kind(&node));
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    fn kind(&self, node: &Positive) -> Kind {
        let of = |id: Id| self.kinds[id.0 as usize];
        match node {
            Positive::False | Positive::True => Kind { eventual: true, universal: true },
            Positive::Literal(..) => Kind { eventual: false, universal: false },
            Positive::And(parts) | Positive::Or(parts) => Kind {
                eventual: parts.iter().all(|&part| of(part).eventual),
                universal: parts.iter().all(|&part| of(part).universal),
            },
            Positive::Next(f) => of(*f),
            Positive::Until(f, g) => {
                Kind { eventual: *f == TRUE || of(*g).eventual, universal: of(*f).universal && of(*g).universal }
            }
            Positive::Release(f, g) => {
                Kind { eventual: of(*f).eventual && of(*g).eventual, universal: *f == FALSE || of(*g).universal }
            }
        }
    }

    /// The negation, by duality: as large as the formula itself.
    pub(crate) fn not(&mut self, id: Id) -> Id {
        if let Some(&known) = self.negations.get(&id) {
            return known;
        }
        let dual = match self.node(id).clone() {
            Positive::False => Positive::True,
            Positive::True => Positive::False,
            Positive::Literal(atom, positive) => Positive::Literal(atom, !positive),
            Positive::And(parts) => Positive::Or(self.not_each(&parts)),
            Positive::Or(parts) => Positive::And(self.not_each(&parts)),
            Positive::Next(f) => Positive::Next(self.not(f)),
            Positive::Until(f, g) => Positive::Release(self.not(f), self.not(g)),
            Positive::Release(f, g) => Positive::Until(self.not(f), self.not(g)),
        };
        let negation = self.intern(dual);
        self.negations.insert(id, negation);
        self.negations.insert(negation, id);
        negation
    }

    fn not_each(&mut self, parts: &[Id]) -> Vec<Id> {
        let mut negations: Vec<Id> = parts.iter().map(|&part| self.not(part)).collect();
        negations.sort_unstable();
        negations
    }

    /// The simplified positive normal form of a formula.
    pub(crate) fn import(&mut self, formula: &Formula) -> Id {
        self.import_shared(formula, &mut FxHashMap::default())
    }

    /// Equivalence uses its operands twice: what was done is kept, or the work doubles with each.
    fn import_shared(&mut self, formula: &Formula, done: &mut FxHashMap<usize, Id>) -> Id {
        if let Some(&known) = done.get(&formula.address()) {
            return known;
        }
        let mut operands: Vec<Id> = Vec::new();
        for operand in formula.node().operands() {
            operands.push(self.import_shared(operand, done));
        }
        let id = self.apply(formula.node(), operands);
        done.insert(formula.address(), id);
        id
    }

    fn apply(&mut self, node: &Node, operands: Vec<Id>) -> Id {
        let f = operands.first().copied().unwrap_or(FALSE);
        let g = operands.get(1).copied().unwrap_or(FALSE);
        match node {
            Node::True => TRUE,
            Node::False => FALSE,
            Node::Atom(atom) => self.intern(Positive::Literal(*atom, true)),
            Node::Not(_) => self.not(f),
            Node::And(_) => self.and(operands),
            Node::Or(_) => self.or(operands),
            Node::Implies(..) => self.implies(f, g),
            Node::Equivalent(..) => {
                let (there, back) = (self.implies(f, g), self.implies(g, f));
                self.and(vec![there, back])
            }
            Node::Next(_) => self.next(f),
            Node::Until(..) => self.until(f, g),
            Node::WeakUntil(..) => {
                let either = self.or(vec![f, g]);
                self.release(g, either)
            }
            Node::Release(..) => self.release(f, g),
            Node::Always(_) => self.release(FALSE, f),
            Node::Eventually(_) => self.until(TRUE, f),
        }
    }

    fn implies(&mut self, f: Id, g: Id) -> Id {
        let not_f = self.not(f);
        self.or(vec![not_f, g])
    }

    /// The formula for people and for tests.
    #[cfg(test)]
    pub(crate) fn export(&self, id: Id) -> Formula {
        let each = |parts: &[Id]| parts.iter().map(|&part| self.export(part)).collect();
        match self.node(id) {
            Positive::False => Node::False.into(),
            Positive::True => Node::True.into(),
            Positive::Literal(atom, true) => Node::Atom(*atom).into(),
            Positive::Literal(atom, false) => Formula::from(Node::Atom(*atom)).not(),
            Positive::And(parts) => Node::And(each(parts)).into(),
            Positive::Or(parts) => Node::Or(each(parts)).into(),
            Positive::Next(f) => Node::Next(self.export(*f)).into(),
            Positive::Until(f, g) => Node::Until(self.export(*f), self.export(*g)).into(),
            Positive::Release(f, g) => Node::Release(self.export(*f), self.export(*g)).into(),
        }
    }
}
