//! The naive twin: all states by the interpreter, the whole product as a graph, and its components by definition.

use spinor_exec::{Ended, Expansion, Fault, FindingKind, Interpreter, Letter};
use spinor_explore::Verdict;
use spinor_explore::live::{Claim, ClaimEdge, Question, Wanted};
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
    /// The state as it is when it is repeated.
    rests: Vec<usize>,
    /// Whether some process is at an `accept` label, or passed one in the step to the state.
    accepts: Vec<bool>,
    /// Whether a step of a state is at fault.
    faults: Vec<bool>,
}

/// What is known of a property by definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Truth {
    /// An execution is accepted by the machine, or a proposition that it asks for is at fault.
    pub(super) is_violated: bool,
    /// An execution that the machine could go along with ends with a fault.
    pub(super) is_cut: bool,
}

impl Truth {
    /// The right answer.
    pub(super) fn verdict(self) -> Verdict {
        match (self.is_violated, self.is_cut) {
            (true, _) => Verdict::Violated,
            (false, true) => Verdict::Undecided,
            (false, false) => Verdict::Holds,
        }
    }
}

impl Graph {
    /// Whether a proposition has no value in some state, which SPIN does not survive.
    pub(super) fn asks_in_vain(&self, model: &Model, machine: &Machine) -> bool {
        let interpreter = Interpreter::new(model);
        self.vectors.iter().any(|it| self.letter(&interpreter, &machine.atoms, it).faulty != 0)
    }

    /// All states of a model; nothing if there are too many, or a sequence does not end.
    pub(super) fn new(model: &Model, limit: usize) -> Option<Graph> {
        let mut interpreter = Interpreter::new(model);
        let mut graph = Graph {
            vectors: Vec::new(),
            steps: Vec::new(),
            enabled: Vec::new(),
            stuck: Vec::new(),
            rests: Vec::new(),
            accepts: Vec::new(),
            faults: Vec::new(),
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
                // One whose step is at fault can begin it.
                out.ended() != Ended::Stuck
            };
            let enabled: Vec<bool> = (0..count).map(can_begin).collect();
            interpreter.expand(&vector, &mut out);
            if out.findings.iter().any(|it| it.kind == FindingKind::Fault(Fault::EndlessAtomic)) {
                return None;
            }
            graph.faults.push(out.findings.iter().any(|it| matches!(it.kind, FindingKind::Fault(_))));
            let mut steps = Vec::new();
            let mut enabled = enabled;
            for successor in &out.successors {
                let movers: Vec<u8> = out.path(&successor.moves).iter().map(|step| step.pid).collect();
                enabled[usize::from(movers[0])] = true;
                steps.push((movers, graph.number(&mut numbers, out.vector(successor))));
            }
            graph.enabled.push(enabled);
            graph.stuck.push(out.ended() == Ended::Stuck);
            let hidden = interpreter.layout().hidden;
            let essence = interpreter.essence(&vector);
            let has_passed = essence != vector[hidden..];
            let state = interpreter.state(&vector);
            graph.accepts.push(has_passed || (0..count).any(|pid| interpreter.location(&state, pid).is_accept));
            // What is repeated is no step that passes labels.
            let repeated = [&vector[..hidden], &essence].concat();
            let own = graph.steps.len();
            let rest = if out.ended() == Ended::Stuck { graph.number(&mut numbers, &repeated) } else { own };
            graph.rests.push(rest);
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
    pub(super) fn truth(&self, model: &Model, machine: &Machine, fair: bool) -> Truth {
        let interpreter = Interpreter::new(model);
        let letter = |vector: &Vec<u8>| self.letter(&interpreter, &machine.atoms, vector);
        let letters = self.vectors.iter().map(letter).collect();
        let product = Product { graph: self, machine, letters };
        let components = product.components();
        let mut all = components.iter().flatten();
        let shows = |&node: &Node| product.allowed(node).is_none() || product.ends(node);
        let is_cut = |&node: &Node| self.faults[node.0] && product.allowed(node).is_some_and(|it| !it.is_empty());
        Truth {
            is_cut: all.clone().any(is_cut),
            is_violated: all.any(shows) || components.iter().any(|component| product.is_bad(component, fair)),
        }
    }

    fn letter(&self, interpreter: &Interpreter<'_>, atoms: &[Expr], vector: &[u8]) -> Letter {
        let state = interpreter.state(vector);
        let mut letter = Letter::default();
        for (index, atom) in atoms.iter().enumerate() {
            match interpreter.value(atom, &state) {
                Ok(value) => letter.truth |= u64::from(value != 0) << index,
                Err(_) => letter.faulty |= 1 << index,
            }
        }
        letter
    }
}

/// What a label is, whatever the propositions are that have no value; nothing if it depends on them.
fn decided(label: &Label, letter: Letter) -> Option<bool> {
    let open = letter.faulty & label.atoms();
    let first = label.holds(letter.truth);
    let mut guess = open;
    while guess != 0 {
        if label.holds(letter.truth | guess) != first {
            return None;
        }
        guess = (guess - 1) & open;
    }
    Some(first)
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
    /// What the statements of a claim evaluate.
    questions: Vec<Vec<Question>>,
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
            questions: Vec::new(),
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
            questions: claim.questions.clone(),
        }
    }
}

type Node = (usize, u32);

/// A step of the product: its marks, who moves in it, and where it leads.
type Step = (u64, Vec<u8>, Node);

struct Product<'a> {
    graph: &'a Graph,
    machine: &'a Machine,
    letters: Vec<Letter>,
}

impl Product<'_> {
    /// The edges of the machine that can be taken; nothing if a proposition that is asked for is at fault.
    fn allowed(&self, (state, at): Node) -> Option<Vec<(Label, u64, Option<u32>)>> {
        let letter = self.letters[state];
        let questions = self.machine.questions.get(at as usize).into_iter().flatten();
        let is_asked = |it: &Question| it.atoms & letter.faulty != 0 && decided(&it.when, letter) != Some(false);
        if questions.clone().any(is_asked) {
            return None;
        }
        let mut allowed = Vec::new();
        for edge in &self.machine.states[at as usize] {
            if decided(&edge.0, letter)? {
                allowed.push(edge.clone());
            }
        }
        Some(allowed)
    }

    fn steps(&self, (state, at): Node) -> Vec<Step> {
        let edges = self.allowed((state, at)).unwrap_or_default().into_iter();
        let label = u64::from(self.machine.labels && self.graph.accepts[state]);
        let edges = edges.filter_map(|(_, marks, target)| target.map(|target| (marks | label, target)));
        edges
            .flat_map(|(marks, target)| {
                let moves = self.graph.steps[state].iter().map(|(movers, to)| (movers.clone(), *to));
                let stays =
                    (self.machine.stutters && self.graph.stuck[state]).then_some((Vec::new(), self.graph.rests[state]));
                moves.chain(stays).map(move |(movers, to)| (marks, movers, (to, target)))
            })
            .collect()
    }

    fn ends(&self, (state, at): Node) -> bool {
        self.allowed((state, at)).is_some_and(|edges| edges.iter().any(|(_, _, target)| target.is_none()))
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
