//! From a formula to an automaton: the tableau of Couvreur (FM 1999), with acceptance on edges.
//!
//! A formula says something of the first letter, and something of the rest. Both are one Boolean
//! function over atoms, `next f` and `promise g`: f must hold of the rest; g has still to come.
//! A state is such a function. An edge keeps the mark of g unless it promises g again.

use crate::automaton::{Automaton, Edge, MAX_MARKS, StateId, mask};
use crate::bdd::{self, Bdd, Function, Made};
use crate::limits::{Limits, TooLarge};
use crate::positive::{Id, Pool, Positive, TRUE};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// When to decide between several ways to go on with the same letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Branching {
    /// At once: each way is a successor.
    Early,
    /// Later: one successor stands for all ways that promise the same (Sebastiani, Tonetta 2003).
    /// More deterministic, often smaller, sometimes much larger.
    Late,
}

/// How often ways may be compared, for each cube of the limits.
const COMPARISONS: usize = 100;

pub(crate) fn translate(
    pool: &mut Pool,
    formula: Id,
    atoms: usize,
    branching: Branching,
    limits: Limits,
) -> Result<Automaton, TooLarge> {
    let mut tableau = Tableau {
        pool,
        bdd: Bdd::new(),
        atoms: atoms as u32,
        variables: Vec::new(),
        numbers: FxHashMap::default(),
        promises: 0,
        functions: FxHashMap::default(),
        branching,
        work: 0,
        max_work: COMPARISONS * limits.cubes,
    };
    tableau.pool.in_tableau = true;
    let automaton = tableau.build(formula, limits);
    tableau.pool.in_tableau = false;
    automaton
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Variable {
    Next(Id),
    /// What is promised, and the number of its mark.
    Promise(Id),
}

struct Tableau<'a> {
    pool: &'a mut Pool,
    bdd: Bdd,
    atoms: u32,
    /// The variables behind the atoms; promises have the number of their mark.
    variables: Vec<(Variable, usize)>,
    numbers: FxHashMap<Variable, u32>,
    promises: usize,
    functions: FxHashMap<Id, Function>,
    branching: Branching,
    /// Comparisons of ways, the only thing that is quadratic.
    work: usize,
    max_work: usize,
}

/// One way to go on: the promises, and what must hold of the rest.
type Way = (u64, Id);

impl Tableau<'_> {
    fn build(&mut self, formula: Id, limits: Limits) -> Made<Automaton> {
        let first = self.function(formula)?;
        let mut numbers: FxHashMap<Function, StateId> = [(first, 0)].into_iter().collect();
        let mut open = vec![first];
        let mut states = Vec::new();
        let mut cubes = 0;
        while states.len() < open.len() {
            let mut edges = Vec::new();
            for ((promises, rest), letters) in self.ways(open[states.len()])? {
                let rest = self.function(rest)?;
                let target = *numbers.entry(rest).or_insert_with(|| {
                    open.push(rest);
                    open.len() as StateId - 1
                });
                let label = self.bdd.label(letters)?;
                cubes += label.cubes().len();
                check(open.len(), cubes, limits)?;
                edges.push(Edge { label, marks: promises, target });
            }
            check(open.len(), cubes, limits)?;
            states.push(merged(edges));
        }
        let all = mask(self.promises);
        states.iter_mut().flatten().for_each(|edge| edge.marks = all & !edge.marks);
        Ok(Automaton { atoms: self.atoms as usize, marks: self.promises, initial: 0, states })
    }

    fn variable(&mut self, variable: Variable) -> Made<Function> {
        let next = self.atoms + self.variables.len() as u32;
        let number = *self.numbers.entry(variable).or_insert(next);
        if number == next {
            self.variables.push((variable, self.promises));
            self.promises += match variable {
                Variable::Promise(_) => 1,
                Variable::Next(_) => 0,
            };
        }
        if self.promises > MAX_MARKS {
            return Err(TooLarge::Promises);
        }
        self.bdd.literal(number, true)
    }

    /// What a formula says of the first letter and of the rest.
    fn function(&mut self, id: Id) -> Made<Function> {
        if let Some(&known) = self.functions.get(&id) {
            return Ok(known);
        }
        let function = match self.pool.node(id).clone() {
            Positive::False => bdd::FALSE,
            Positive::True => bdd::TRUE,
            Positive::Literal(atom, positive) => self.bdd.literal(atom.0.into(), positive)?,
            Positive::And(parts) => self.fold(&parts, bdd::TRUE, Bdd::and)?,
            Positive::Or(parts) if self.pool.is_eventuality(&parts) => self.eventuality(id, &parts)?,
            Positive::Or(parts) => self.fold(&parts, bdd::FALSE, Bdd::or)?,
            Positive::Next(f) => self.next(f)?,
            Positive::Until(f, g) => {
                let (now, promise) = (self.function(g)?, self.variable(Variable::Promise(g))?);
                let (on, again) = (self.function(f)?, self.variable(Variable::Next(id))?);
                let on = self.bdd.and(on, again)?;
                let later = self.bdd.and(on, promise)?;
                self.bdd.or(now, later)?
            }
            Positive::Release(f, g) => {
                let (on, end) = (self.function(g)?, self.function(f)?);
                let again = self.variable(Variable::Next(id))?;
                let end = self.bdd.or(end, again)?;
                self.bdd.and(on, end)?
            }
        };
        self.functions.insert(id, function);
        Ok(function)
    }

    /// `<> f || e`, where e is eventual, is `<> (f || e)`: one state waits for all of it.
    fn eventuality(&mut self, id: Id, parts: &[Id]) -> Made<Function> {
        let mut sum = self.variable(Variable::Promise(id))?;
        let again = self.variable(Variable::Next(id))?;
        sum = self.bdd.and(sum, again)?;
        for &part in parts {
            let now = self.pool.promised(part).unwrap_or(part);
            let function = self.function(now)?;
            sum = self.bdd.or(sum, function)?;
        }
        Ok(sum)
    }

    fn fold(
        &mut self,
        parts: &[Id],
        unit: Function,
        join: fn(&mut Bdd, Function, Function) -> Made<Function>,
    ) -> Made<Function> {
        parts.iter().try_fold(unit, |joined, &part| {
            let function = self.function(part)?;
            join(&mut self.bdd, joined, function)
        })
    }

    /// X (f && g) is X f && X g: fewer variables.
    fn next(&mut self, f: Id) -> Made<Function> {
        let Positive::And(parts) = self.pool.node(f).clone() else { return self.variable(Variable::Next(f)) };
        parts.iter().try_fold(bdd::TRUE, |both, &part| {
            let next = self.variable(Variable::Next(part))?;
            self.bdd.and(both, next)
        })
    }

    /// The ways to go on from a state, each with the letters it is open to.
    fn ways(&mut self, state: Function) -> Made<BTreeMap<Way, Function>> {
        let mut ways = BTreeMap::new();
        for (rest, letters) in self.rests(state)? {
            for way in self.choices(rest)? {
                let known = ways.entry(way).or_insert(bdd::FALSE);
                *known = self.bdd.or(*known, letters)?;
            }
        }
        Ok(ways)
    }

    /// Atoms come first in the order of variables, so what remains of a function after a letter is
    /// one of its nodes: all of them, with the letters that lead there.
    fn rests(&mut self, state: Function) -> Made<BTreeMap<Function, Function>> {
        let mut rests = BTreeMap::new();
        let mut open = BTreeMap::from([((self.bdd.top(state), state), bdd::TRUE)]);
        while let Some(((variable, node), letters)) = open.pop_first() {
            if variable >= self.atoms {
                rests.insert(node, letters);
                continue;
            }
            let (low, high) = self.bdd.branches(node);
            for (branch, positive) in [(low, false), (high, true)] {
                let literal = self.bdd.literal(variable, positive)?;
                let more = self.bdd.and(letters, literal)?;
                let known = open.entry((self.bdd.top(branch), branch)).or_insert(bdd::FALSE);
                *known = self.bdd.or(*known, more)?;
            }
        }
        Ok(rests)
    }

    /// The ways out of what remains after a letter.
    fn choices(&mut self, rest: Function) -> Made<Vec<Way>> {
        let ways: Vec<Way> = self.bdd.cubes(rest)?.into_iter().map(|cube| self.way(&cube)).collect();
        let ways = self.best(ways)?;
        Ok(match self.branching {
            Branching::Early => ways,
            Branching::Late => self.postponed(ways),
        })
    }

    fn way(&mut self, cube: &[(u32, bool)]) -> Way {
        let (mut promises, mut rest) = (0, Vec::new());
        for &(variable, _) in cube {
            match self.variables[(variable - self.atoms) as usize] {
                (Variable::Next(f), _) => rest.push(f),
                (Variable::Promise(_), mark) => promises |= 1 << mark,
            }
        }
        let rest = if rest.is_empty() { TRUE } else { self.pool.and(rest) };
        (promises, rest)
    }

    /// Leaves out ways that ask for more and promise no less than another.
    fn best(&mut self, mut ways: Vec<Way>) -> Made<Vec<Way>> {
        ways.sort_unstable();
        ways.dedup();
        self.work += ways.len() * ways.len();
        if self.work > self.max_work {
            return Err(TooLarge::Function);
        }
        let mut index = 0;
        while index < ways.len() {
            let (promises, rest) = ways[index];
            let is_worse = (0..ways.len()).any(|other| {
                other != index && ways[other].0 & !promises == 0 && self.pool.simulates(rest, ways[other].1)
            });
            if is_worse {
                ways.remove(index);
            } else {
                index += 1;
            }
        }
        Ok(ways)
    }

    fn postponed(&mut self, ways: Vec<Way>) -> Vec<Way> {
        let mut groups: BTreeMap<u64, Vec<Id>> = BTreeMap::new();
        for (promises, rest) in ways {
            groups.entry(promises).or_default().push(rest);
        }
        groups.into_iter().map(|(promises, rests)| (promises, self.pool.or(rests))).collect()
    }
}

fn check(states: usize, cubes: usize, limits: Limits) -> Made<()> {
    if states > limits.states {
        return Err(TooLarge::States(limits.states));
    }
    if cubes > limits.cubes { Err(TooLarge::Cubes(limits.cubes)) } else { Ok(()) }
}

/// Ways that differ as formulas may lead to the same state: their edges stay apart, equal ones do not.
fn merged(mut edges: Vec<Edge>) -> Vec<Edge> {
    let key = |edge: &Edge| (edge.target, edge.marks, edge.label.clone());
    edges.sort_by_key(key);
    edges.dedup();
    edges
}
