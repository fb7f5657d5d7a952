//! All shapes that were met so far.

use super::fixed::Static;
use super::place::{Bits, Packing};
use super::shape::{Ground, LONG_WIDTH, Place, ProcessPlace, SHORT_NUMBERS, Shape, build};
use super::simplify::{Simplified, Simplify};
use crate::layout::{Layout, Record};
use crate::semantics::Atlas;
use crate::state::State;
use spinor_model::model::Model;
use spinor_model::ranges::Ranges;
use spinor_model::{Access, Base, LocationId, Merge, ProctypeId, Scalar};
use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError, RwLock};

/// The shapes of one model, shared by all engines of a search.
#[derive(Debug)]
pub struct Shapes<'m> {
    model: &'m Model,
    layout: Layout,
    ranges: Ranges,
    fixed: Static,
    packing: Packing,
    simplified: Simplified,
    /// Whether it is kept that labels were passed.
    labels: bool,
    known: RwLock<Known>,
}

#[derive(Debug, Default)]
struct Known {
    list: Vec<Arc<Shape>>,
    by_key: HashMap<Vec<u8>, u32>,
    /// Short numbers that are left out, because they are not agreed upon.
    gap: u32,
}

impl Known {
    fn get(&self, id: u32) -> &Arc<Shape> {
        &self.list[(if id < SHORT_NUMBERS { id } else { id - self.gap }) as usize]
    }
}

impl<'m> Shapes<'m> {
    /// No shapes yet.
    #[must_use]
    pub fn new(model: &'m Model, packing: Packing, simplify: Simplify) -> Shapes<'m> {
        let ranges = Ranges::new(model);
        let fixed = Static::new(model, &ranges);
        let simplified = Simplified::new(model, &ranges, simplify);
        let layout = Layout::new(model);
        Shapes { model, layout, ranges, fixed, packing, simplified, labels: false, known: RwLock::default() }
    }

    /// The same, in whose states it is kept that a step has passed `accept` labels.
    #[must_use]
    pub fn with_labels(self) -> Shapes<'m> {
        let labels = self.model.passed_offset.is_some();
        Shapes { labels, ..self }
    }

    /// Whether it is kept that a step has passed `accept` labels.
    #[must_use]
    pub fn has_labels(&self) -> bool {
        self.labels
    }

    /// Other processes have met the same shapes in the same order; what comes now, nobody knows. From now on, shapes
    /// get numbers of one width: so vectors of one shape are the same everywhere, but for the number.
    pub fn settle(&self) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.gap = SHORT_NUMBERS.saturating_sub(known.list.len() as u32);
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// What is known of its values.
    #[must_use]
    pub fn ranges(&self) -> &Ranges {
        &self.ranges
    }

    /// The locations that whole steps pass, if statements are merged.
    #[must_use]
    pub fn merge(&self) -> Option<&Arc<Merge>> {
        self.simplified.merge.as_ref()
    }

    /// Whether a leaf is not kept, because nobody ever reads it.
    #[must_use]
    pub fn is_unread(&self, base: Base, proctype: ProctypeId, leaf: usize) -> bool {
        self.simplified.is_unread(base, proctype, leaf)
    }

    /// The bits of a process that are 0 when it stands at a location, because nobody reads them.
    pub fn dead(&self, process: &ProcessPlace, location: LocationId) -> impl Iterator<Item = Bits> {
        let parts = |&leaf: &usize| match &process.leaves[leaf] {
            Place::Known(_) => &[][..],
            Place::Stored { series, .. } => &series.parts[..],
        };
        self.simplified.dead(process.proctype, location).iter().flat_map(parts).copied()
    }

    /// The shape of a state, by its number.
    #[must_use]
    pub fn get(&self, id: u32) -> Arc<Shape> {
        let shape = self.known.read().unwrap_or_else(PoisonError::into_inner).get(id).clone();
        if !shape.is_met.load(Relaxed) {
            shape.is_met.store(true, Relaxed);
        }
        shape
    }

    /// The shapes of states that were looked at. There may be others, which code for a `run` needs that was never
    /// executed.
    #[must_use]
    pub fn met(&self) -> Vec<Arc<Shape>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.list.iter().filter(|shape| shape.is_met.load(Relaxed)).cloned().collect()
    }

    /// The shape of a reference vector.
    #[must_use]
    pub fn of(&self, reference: &[u8]) -> Arc<Shape> {
        let key = self.key(reference);
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = known.by_key.get(&key) {
            return known.get(id).clone();
        }
        drop(known);
        self.add(key, reference)
    }

    fn add(&self, key: Vec<u8>, reference: &[u8]) -> Arc<Shape> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = known.by_key.get(&key) {
            return known.get(id).clone();
        }
        let id = known.list.len() as u32 + known.gap;
        assert!(id < 1 << LONG_WIDTH, "a search has at most 2^{LONG_WIDTH} shapes");
        let ground = Ground {
            model: self.model,
            layout: &self.layout,
            ranges: &self.ranges,
            fixed: &self.fixed,
            simplified: &self.simplified,
            packing: self.packing,
            labels: self.labels,
        };
        let shape = Arc::new(Shape { signature: signature(&key), ..build(&ground, id, reference) });
        known.list.push(shape.clone());
        known.by_key.insert(key, id);
        shape
    }

    /// What tells shapes apart: the records, and what static variables hold.
    fn key(&self, reference: &[u8]) -> Vec<u8> {
        let mut key = Vec::with_capacity(64);
        let mut at = self.layout.records;
        while at < reference.len() {
            let tag = &reference[at..at + self.layout.tag];
            key.extend_from_slice(tag);
            let number = tag.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte));
            match self.layout.record(number) {
                Record::Process(proctype) => {
                    let locals = at + self.layout.locals;
                    self.fixed_offsets(proctype).for_each(|offset| key.push(reference[locals + offset as usize]));
                    at += self.layout.processes[usize::from(proctype.0)];
                }
                Record::Channel(kind) => at += self.layout.channels[kind].record,
            }
        }
        key
    }

    /// Where the static variables of a process are. Each is a byte.
    fn fixed_offsets(&self, proctype: ProctypeId) -> impl Iterator<Item = u32> {
        let index = usize::from(proctype.0);
        let leaves = self.ranges.locals[index].iter().zip(&self.fixed.locals[index]);
        leaves.filter(|(_, fixed)| **fixed).flat_map(|(leaf, _)| leaf.offsets.iter().copied())
    }

    /// The shape after the youngest process has ended.
    #[must_use]
    pub fn after_end(&self, shape: &Shape) -> Arc<Shape> {
        let mut state = State::default();
        state.load(&self.layout, &shape.codec.template);
        state.pop_process();
        self.of(state.bytes())
    }

    /// The shape after a process was created, whose static variables hold `values` where they are not
    /// channels of its own. `None` if there are too many processes or channels.
    #[must_use]
    pub fn after_run(&self, shape: &Shape, proctype: ProctypeId, values: &[(&Access, i32)]) -> Option<Arc<Shape>> {
        let mut state = State::default();
        state.load(&self.layout, &shape.codec.template);
        let definition = self.model.proctype(proctype);
        if state.process_count() >= 255 {
            return None;
        }
        let pid = state.push_process(&self.layout, proctype, definition.start);
        let locals = state.locals(&self.layout, pid);
        for &(variable, value) in values {
            state.set(locals + variable.offset as usize, &variable.ty, value);
        }
        for initial in &definition.locals_init {
            if let Some((target, kind)) = initial.channel() {
                if state.channel_count() >= 255 {
                    return None;
                }
                let id = state.push_channel(&self.layout, usize::from(kind.0));
                state.set(locals + target.offset as usize, &Scalar::Chan, id as i32);
            }
        }
        Some(self.of(state.bytes()))
    }

    /// Whether the value of a variable of a process belongs to the shape.
    #[must_use]
    pub fn is_static(&self, proctype: ProctypeId, leaf: usize) -> bool {
        self.fixed.locals[usize::from(proctype.0)][leaf]
    }

    /// Packs a reference vector of this shape; its words are appended. What is dead is cleared.
    pub fn pack(&self, shape: &Shape, reference: &[u8], words: &mut Vec<u64>) {
        let at = words.len();
        words.resize(at + shape.words(), 0);
        words[at] = shape.prefix();
        shape.codec.pack(reference, &mut words[at..]);
        for process in &shape.processes {
            let location = LocationId(process.location.get(&words[at..]) as u16);
            self.dead(process, location).for_each(|bits| bits.clear(&mut words[at..]));
        }
    }

    /// The reference vector of a packed one.
    pub fn unpack(&self, words: &[u64], reference: &mut Vec<u8>) {
        self.get(Shape::id_of(words[0])).codec.unpack(words, reference);
    }
}

impl Atlas for Shapes<'_> {
    fn signature(&self, shape: u32) -> u64 {
        self.get(shape).signature
    }

    fn describe(&self, state: &[u64]) -> Vec<u8> {
        let mut reference = Vec::new();
        self.unpack(state, &mut reference);
        reference
    }

    fn shape_of(&self, description: &[u8]) -> u32 {
        self.of(description).id
    }

    fn state_of(&self, description: &[u8]) -> (Vec<u64>, u32, u32) {
        let shape = self.of(description);
        let mut words = Vec::new();
        self.pack(&shape, description, &mut words);
        (words, shape.bytes, shape.key)
    }
}

/// A number that stands for a key everywhere (FNV-1a).
fn signature(key: &[u8]) -> u64 {
    key.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
