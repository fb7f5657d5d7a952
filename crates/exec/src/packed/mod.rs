//! Packed states: the vectors that searches store, and the interpreter working on them.

mod cells;
mod codec;
mod coding;
mod fixed;
mod place;
mod shape;
mod shapes;
mod simplify;

pub use cells::Cells;
pub use coding::Coding;
pub use place::{Bits, Packing, Series};
pub use shape::{ChannelPlace, Lane, LaneField, Place, ProcessPlace, Shape};
pub use shapes::Shapes;
pub use simplify::Simplify;

use crate::fault::Fault;
use crate::interpreter::Interpreter;
use crate::semantics::{Atlas, Expanded, Expansion, Limit, Move, Next, PackedFinding, Semantics, Successors};
use spinor_model::model::Model;
use spinor_model::{ProctypeId, StatementId};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// Steps of one expansion beyond which processes do not look for what they agree upon.
const PATIENCE: u64 = 1 << 14;

/// The reference interpreter behind packed states: each is unpacked, expanded, and what follows is
/// packed again.
#[derive(Debug)]
pub struct Packed<'m> {
    shapes: Arc<Shapes<'m>>,
    interpreter: Interpreter<'m>,
    expansion: Expansion,
    reference: Vec<u8>,
    /// For each proctype, which statements were executed.
    executed: Vec<Vec<bool>>,
}

impl<'m> Packed<'m> {
    /// An engine for a model without errors.
    #[must_use]
    pub fn new(model: &'m Model, packing: Packing) -> Packed<'m> {
        Packed::simplified(model, packing, Simplify::default())
    }

    /// An engine for a model without errors that leaves out states.
    #[must_use]
    pub fn simplified(model: &'m Model, packing: Packing, simplify: Simplify) -> Packed<'m> {
        Packed::with(Arc::new(Shapes::new(model, packing, simplify)))
    }

    /// An engine that shares its shapes with others.
    #[must_use]
    pub fn with(shapes: Arc<Shapes<'m>>) -> Packed<'m> {
        let model = shapes.model();
        Packed {
            interpreter: Interpreter::merging(model, shapes.merge().cloned()),
            expansion: Expansion::default(),
            reference: Vec::new(),
            executed: model.proctypes.iter().map(|it| vec![false; it.statements.len()]).collect(),
            shapes,
        }
    }

    /// Visits the first states of a model, in an order that is the same everywhere: so their shapes have the same
    /// numbers in all processes. Those of later states are [told apart](Shapes::settle).
    pub fn agree(&mut self, states: usize) {
        let mut seen: HashSet<Vec<u64>> = HashSet::new();
        let mut queue = VecDeque::new();
        // What is cut off does not depend on time, which is not the same everywhere. Nothing is agreed upon behind it.
        let limit = Limit { bytes: 1 << 20, until: None };
        let mut out = Successors { limit, patience: Some(PATIENCE), ..Successors::default() };
        if self.initial(&mut out).is_ok() {
            queue.push_back(out.words.clone());
        }
        while let Some(state) = queue.pop_front()
            && seen.len() < states
        {
            out.clear();
            if self.expand(&state, &mut out).ended.cut().is_some() {
                break;
            }
            let vectors = out.list.iter().map(|next| out.vector(next).to_vec());
            queue.extend(vectors.filter(|vector| seen.insert(vector.clone())));
        }
        self.executed.iter_mut().for_each(|it| it.fill(false));
        self.shapes.settle();
    }

    /// The shapes.
    #[must_use]
    pub fn shapes(&self) -> &Arc<Shapes<'m>> {
        &self.shapes
    }

    /// The reference vector of a packed state.
    #[must_use]
    pub fn unpacked(&self, state: &[u64]) -> Vec<u8> {
        let mut reference = Vec::new();
        self.shapes.unpack(state, &mut reference);
        reference
    }

    /// The packed state of another engine for the same model that means the same, but for numbers that
    /// are dead to it.
    #[must_use]
    pub fn repacked(&self, state: &[u64], other: &Packed<'_>) -> Vec<u64> {
        let reference = self.unpacked(state);
        let mut words = Vec::new();
        other.shapes.pack(&other.shapes.of(&reference), &reference, &mut words);
        words
    }

    fn append(&self, reference: &[u8], distance: usize, out: &mut Successors) {
        let at = out.words.len() as u32;
        let shape = self.shapes.of(reference);
        self.shapes.pack(&shape, reference, &mut out.words);
        out.list.push(Next { at, bytes: shape.bytes, key: shape.key, distance: distance as u32 });
    }

    /// Packs what the interpreter found.
    fn hand_over(&mut self, expansion: Expansion, out: &mut Successors) -> Expanded {
        let arrived = expansion.successors.iter().map(|it| expansion.path(&it.moves));
        let failed = expansion.findings.iter().map(|it| &expansion.path(&it.moves)[..it.executed]);
        for step in arrived.chain(failed).flatten() {
            self.executed[usize::from(step.proctype.0)][step.statement.0 as usize] = true;
        }
        for finding in &expansion.findings {
            let moves = expansion.path(&finding.moves).to_vec();
            out.findings.push(PackedFinding { kind: finding.kind.clone(), moves });
        }
        let mut furthest = 0;
        for successor in &expansion.successors {
            furthest = furthest.max(successor.moves.len() as u32);
            self.append(expansion.vector(successor), successor.moves.len(), out);
        }
        let (ended, deepest) = (expansion.ended(), expansion.deepest as u32);
        self.expansion = expansion;
        Expanded { ended, deepest, furthest }
    }
}

impl Semantics for Packed<'_> {
    fn initial(&mut self, out: &mut Successors) -> Result<(), Fault> {
        let reference = self.interpreter.initial()?;
        self.append(&reference, 0, out);
        Ok(())
    }

    fn expand(&mut self, state: &[u64], out: &mut Successors) -> Expanded {
        self.shapes.unpack(state, &mut self.reference);
        let mut expansion = std::mem::take(&mut self.expansion);
        (expansion.limit, expansion.patience) = (out.limit, out.patience);
        self.interpreter.expand(&self.reference, &mut expansion);
        self.hand_over(expansion, out)
    }

    fn processes(&self, state: &[u64]) -> usize {
        self.shapes.get(Shape::id_of(state[0])).processes.len()
    }

    fn expand_process(&mut self, state: &[u64], pid: usize, out: &mut Successors) -> Expanded {
        self.shapes.unpack(state, &mut self.reference);
        let mut expansion = std::mem::take(&mut self.expansion);
        (expansion.limit, expansion.patience) = (out.limit, out.patience);
        self.interpreter.expand_process(&self.reference, pid, &mut expansion);
        self.hand_over(expansion, out)
    }

    fn expand_labelled(&mut self, state: &[u64], pid: usize, out: &mut Successors, edges: &mut Vec<u32>) -> Expanded {
        let expanded = self.expand_process(state, pid, out);
        edges.extend(self.expansion.successors.iter().map(|successor| successor.edge));
        expanded
    }

    fn is_valid_end(&mut self, state: &[u64]) -> bool {
        self.shapes.unpack(state, &mut self.reference);
        self.interpreter.is_valid_end(&self.reference)
    }

    fn moves(&mut self, state: &[u64], n: usize) -> Vec<Move> {
        self.shapes.unpack(state, &mut self.reference);
        let mut expansion = Expansion::default();
        self.interpreter.expand(&self.reference, &mut expansion);
        expansion.path(&expansion.successors[n].moves).to_vec()
    }

    fn was_executed(&self, proctype: ProctypeId, statement: StatementId) -> bool {
        self.executed[usize::from(proctype.0)][statement.0 as usize]
    }

    fn atlas(&self) -> &dyn Atlas {
        &*self.shapes
    }

    fn fork(&self) -> Self {
        Packed::with(self.shapes.clone())
    }
}
