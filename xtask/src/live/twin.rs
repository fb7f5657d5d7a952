//! The naive twin: all states by the interpreter, the whole product as a graph, and its components by definition.

use spinor_exec::{Expansion, FindingKind, Interpreter};
use spinor_explore::live::{Claim, Wanted};
use spinor_ltl::{Automaton, Limits, translate};
use spinor_model::model::LtlBlock;
use spinor_model::{Expr, Model};
use std::collections::HashMap;

/// The states of a program.
pub(super) struct Graph {
    vectors: Vec<Vec<u8>>,
    /// For each state the steps: the process that begins them, and where they lead.
    steps: Vec<Vec<(usize, usize)>>,
    /// For each state the processes that can begin a step.
    enabled: Vec<Vec<bool>>,
    /// Whether a state is the last of an execution.
    stuck: Vec<bool>,
}

impl Graph {
    /// All states of a model; nothing if there are too many, or the model is at fault.
    pub(super) fn new(model: &Model, limit: usize) -> Option<Graph> {
        let mut interpreter = Interpreter::new(model);
        let mut graph = Graph { vectors: Vec::new(), steps: Vec::new(), enabled: Vec::new(), stuck: Vec::new() };
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
            for successor in &out.successors {
                let pid = usize::from(out.path(&successor.moves)[0].pid);
                steps.push((pid, graph.number(&mut numbers, out.vector(successor))));
            }
            graph.enabled.push((0..count).map(|pid| enabled[pid] || steps.iter().any(|step| step.0 == pid)).collect());
            graph.stuck.push(!out.moved);
            graph.steps.push(steps);
        }
        Some(graph)
    }

    fn number(&mut self, numbers: &mut HashMap<Vec<u8>, usize>, vector: &[u8]) -> usize {
        let next = self.vectors.len();
        let number = *numbers.entry(vector.to_vec()).or_insert(next);
        if number == next {
            self.vectors.push(vector.to_vec());
        }
        number
    }

    /// Whether an execution violates a formula; with `fair`, one that is weakly fair.
    pub(super) fn violates(&self, model: &Model, block: &LtlBlock, fair: bool) -> Result<bool, String> {
        let formula = Claim::of_formula(block, Wanted::Generalised)?.formula.ok_or("it has no formula")?;
        let automaton = translate(&formula.not(), Limits::default()).map_err(|error| error.to_string())?;
        let interpreter = Interpreter::new(model);
        let letter = |vector: &Vec<u8>| self.letter(&interpreter, &block.atoms, vector);
        let letters = self.vectors.iter().map(letter).collect::<Result<Vec<u64>, String>>()?;
        let product = Product { graph: self, automaton: &automaton, letters };
        Ok(product.components().iter().any(|component| product.is_bad(component, fair)))
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

type Node = (usize, u32);

/// A step of the product: its marks, who begins it, and where it leads.
type Step = (u64, Option<usize>, Node);

struct Product<'a> {
    graph: &'a Graph,
    automaton: &'a Automaton,
    letters: Vec<u64>,
}

impl Product<'_> {
    fn steps(&self, (state, at): Node) -> Vec<Step> {
        let edges = self.automaton.states[at as usize].iter().filter(|edge| edge.label.holds(self.letters[state]));
        edges
            .flat_map(|edge| {
                let moves = self.graph.steps[state].iter().map(|&(pid, to)| (Some(pid), to));
                let stays = self.graph.stuck[state].then_some((None, state));
                moves.chain(stays).map(|(pid, to)| (edge.marks, pid, (to, edge.target)))
            })
            .collect()
    }

    /// The strongly connected components that can be reached: Kosaraju's way, by two searches.
    fn components(&self) -> Vec<Vec<Node>> {
        let mut order = Vec::new();
        let mut before: HashMap<Node, Vec<Node>> = HashMap::new();
        let mut seen = HashMap::new();
        let mut open = vec![((0, self.automaton.initial), false)];
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
    /// process cannot begin a step somewhere, or begins one.
    fn is_bad(&self, component: &[Node], fair: bool) -> bool {
        let inside: std::collections::HashSet<&Node> = component.iter().collect();
        let steps: Vec<Step> =
            component.iter().flat_map(|&node| self.steps(node)).filter(|step| inside.contains(&step.2)).collect();
        let marks = steps.iter().fold(0, |all, step| all | step.0);
        if steps.is_empty() || marks != self.automaton.all_marks() {
            return false;
        }
        let is_treated_fairly = |pid: usize| {
            let rests = |node: &Node| self.graph.enabled[node.0].get(pid) != Some(&true);
            component.iter().any(rests) || steps.iter().any(|step| step.1 == Some(pid))
        };
        !fair || (0..256).all(is_treated_fairly)
    }
}
