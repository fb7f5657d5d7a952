//! The naive twin: all states by the interpreter, the whole product as a graph, and its components by definition.

use spinor_exec::{Ended, Expansion, FindingKind, Interpreter};
use spinor_explore::live::{Claim, ClaimEdge, Wanted};
use spinor_ltl::{Label, Limits, translate};
use spinor_model::model::LtlBlock;
use spinor_model::{Expr, Model};
use std::collections::HashMap;

/// The states of a program.
pub(super) struct Graph {
    vectors: Vec<Vec<u8>>,
    /// For each state the steps: the processes that move in them, and where they lead.
    steps: Vec<Vec<(Vec<u8>, usize)>>,
    /// For each state the processes that can begin a step.
    enabled: Vec<Vec<bool>>,
    /// Whether a state is the last of an execution.
    stuck: Vec<bool>,
    /// Whether some process is at an `accept` label.
    accepts: Vec<bool>,
}

impl Graph {
    /// All states of a model; nothing if there are too many, or the model is at fault.
    pub(super) fn new(model: &Model, limit: usize) -> Option<Graph> {
        let mut interpreter = Interpreter::new(model);
        let mut graph = Graph {
            vectors: Vec::new(),
            steps: Vec::new(),
            enabled: Vec::new(),
            stuck: Vec::new(),
            accepts: Vec::new(),
        };
        let mut numbers = HashMap::new();
        graph.number(&mut numbers, &interpreter.initial().ok()?);
        let mut out = Expansion::default();
        while graph.steps.len() < graph.vectors.len() {
            if graph.vectors.len() > limit {
                return None;
            }
            let vector = graph.vectors[graph.steps.len()].clone();
            let count = interpreter.state(&vector).process_count();
            let can_begin = |pid: usize| {
                let mut out = Expansion::default();
                interpreter.expand_process(&vector, pid, &mut out);
                !out.successors.is_empty()
            };
            let enabled: Vec<bool> = (0..count).map(can_begin).collect();
            interpreter.expand(&vector, &mut out);
            if out.findings.iter().any(|finding| matches!(finding.kind, FindingKind::Fault(_))) {
                return None;
            }
            let mut steps = Vec::new();
            let mut enabled = enabled;
            for successor in &out.successors {
                let movers: Vec<u8> = out.path(&successor.moves).iter().map(|step| step.pid).collect();
                enabled[usize::from(movers[0])] = true;
                steps.push((movers, graph.number(&mut numbers, out.vector(successor))));
            }
            graph.enabled.push(enabled);
            graph.stuck.push(out.ended() == Ended::Stuck);
            let state = interpreter.state(&vector);
            graph.accepts.push((0..count).any(|pid| interpreter.location(&state, pid).is_accept));
            graph.steps.push(steps);
        }
        Some(graph)
    }

    /// Whether the system can come to a stop.
    pub(super) fn can_stop(&self) -> bool {
        self.stuck.contains(&true)
    }

    fn number(&mut self, numbers: &mut HashMap<Vec<u8>, usize>, vector: &[u8]) -> usize {
        let next = self.vectors.len();
        let number = *numbers.entry(vector.to_vec()).or_insert(next);
        if number == next {
            self.vectors.push(vector.to_vec());
        }
        number
    }

    /// Whether an execution is accepted by a machine; with `fair`, one that is weakly fair.
    pub(super) fn violates(&self, model: &Model, machine: &Machine, fair: bool) -> Result<bool, String> {
        let interpreter = Interpreter::new(model);
        let letter = |vector: &Vec<u8>| self.letter(&interpreter, &machine.atoms, vector);
        let letters = self.vectors.iter().map(letter).collect::<Result<Vec<u64>, String>>()?;
        let product = Product { graph: self, machine, letters };
        let components = product.components();
        let mut all = components.iter().flatten();
        Ok(all.any(|&node| product.ends(node)) || components.iter().any(|component| product.is_bad(component, fair)))
    }

    fn letter(&self, interpreter: &Interpreter<'_>, atoms: &[Expr], vector: &[u8]) -> Result<u64, String> {
        let state = interpreter.state(vector);
        let mut letter = 0;
        for (index, atom) in atoms.iter().enumerate() {
            let value = interpreter.value(atom, &state).map_err(|fault| fault.to_string())?;
            letter |= u64::from(value != 0) << index;
        }
        Ok(letter)
    }
}

/// What is run beside the program.
pub(super) struct Machine {
    atoms: Vec<Expr>,
    initial: u32,
    all_marks: u64,
    /// Processes at `accept` labels count as the first mark.
    labels: bool,
    /// A system that has stopped repeats its state.
    stutters: bool,
    states: Vec<Vec<(Label, u64, Option<u32>)>>,
}

impl Machine {
    /// The automaton of the negation of a formula, as it was translated.
    pub(super) fn of_formula(block: &LtlBlock) -> Result<Machine, String> {
        let formula = Claim::of_formula(block, Wanted::Generalised)?.formula.ok_or("it has no formula")?;
        let automaton = translate(&formula.not(), Limits::default()).map_err(|error| error.to_string())?;
        let edge = |edge: &spinor_ltl::Edge| (edge.label.clone(), edge.marks, Some(edge.target));
        Ok(Machine {
            atoms: block.atoms.clone(),
            initial: automaton.initial,
            all_marks: automaton.all_marks(),
            labels: false,
            stutters: true,
            states: automaton.states.iter().map(|edges| edges.iter().map(edge).collect()).collect(),
        })
    }

    /// A never claim.
    pub(super) fn of_claim(claim: &Claim) -> Machine {
        let edge = |edge: &ClaimEdge| (edge.label.clone(), edge.marks, edge.target);
        Machine {
            atoms: claim.atoms.clone(),
            initial: claim.initial,
            all_marks: claim.all_marks(),
            labels: claim.labels,
            stutters: claim.stutters,
            states: claim.states.iter().map(|edges| edges.iter().map(edge).collect()).collect(),
        }
    }
}

type Node = (usize, u32);

/// A step of the product: its marks, who moves in it, and where it leads.
type Step = (u64, Vec<u8>, Node);

struct Product<'a> {
    graph: &'a Graph,
    machine: &'a Machine,
    letters: Vec<u64>,
}

impl Product<'_> {
    fn steps(&self, (state, at): Node) -> Vec<Step> {
        let edges = self.machine.states[at as usize].iter().filter(|edge| edge.0.holds(self.letters[state]));
        let label = u64::from(self.machine.labels && self.graph.accepts[state]);
        let edges = edges.filter_map(|&(_, marks, target)| target.map(|target| (marks | label, target)));
        edges
            .flat_map(|(marks, target)| {
                let moves = self.graph.steps[state].iter().map(|(movers, to)| (movers.clone(), *to));
                let stays = (self.machine.stutters && self.graph.stuck[state]).then_some((Vec::new(), state));
                moves.chain(stays).map(move |(movers, to)| (marks, movers, (to, target)))
            })
            .collect()
    }

    fn ends(&self, (state, at): Node) -> bool {
        let mut edges = self.machine.states[at as usize].iter();
        edges.any(|(label, _, target)| target.is_none() && label.holds(self.letters[state]))
    }

    /// The strongly connected components that can be reached: Kosaraju's way, by two searches.
    fn components(&self) -> Vec<Vec<Node>> {
        let mut order = Vec::new();
        let mut before: HashMap<Node, Vec<Node>> = HashMap::new();
        let mut seen = HashMap::new();
        let mut open = vec![((0, self.machine.initial), false)];
        while let Some((node, is_done)) = open.pop() {
            if is_done {
                order.push(node);
            } else if seen.insert(node, ()).is_none() {
                open.push((node, true));
                for (_, _, to) in self.steps(node) {
                    before.entry(to).or_default().push(node);
                    open.push((to, false));
                }
            }
        }
        let mut components = Vec::new();
        for node in order.into_iter().rev() {
            let mut component = Vec::new();
            let mut open = vec![node];
            while let Some(node) = open.pop() {
                if seen.remove(&node).is_some() {
                    component.push(node);
                    open.extend(before.get(&node).into_iter().flatten());
                }
            }
            components.push(component);
        }
        components
    }

    /// Whether an execution can stay in a component for ever with all marks, and fairly if that is asked for: each
    /// process cannot begin a step somewhere, or moves in one.
    fn is_bad(&self, component: &[Node], fair: bool) -> bool {
        let inside: std::collections::HashSet<&Node> = component.iter().collect();
        let steps: Vec<Step> =
            component.iter().flat_map(|&node| self.steps(node)).filter(|step| inside.contains(&step.2)).collect();
        let marks = steps.iter().fold(0, |all, step| all | step.0);
        if steps.is_empty() || marks != self.machine.all_marks {
            return false;
        }
        let is_treated_fairly = |pid: usize| {
            let rests = |node: &Node| self.graph.enabled[node.0].get(pid) != Some(&true);
            component.iter().any(rests)
                || steps.iter().any(|step| step.1.iter().any(|&mover| usize::from(mover) == pid))
        };
        !fair || (0..256).all(is_treated_fairly)
    }
}
