//! All shapes that were met so far.

use super::fixed::Static;
use super::place::Packing;
use super::shape::{Ground, LONG_WIDTH, Shape, build};
use crate::layout::{Layout, Record};
use crate::state::State;
use spinor_model::model::{Initial, Model};
use spinor_model::ranges::Ranges;
use spinor_model::{Access, ProctypeId, Scalar};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The shapes of one model, shared by all engines of a search.
#[derive(Debug)]
pub struct Shapes<'m> {
    model: &'m Model,
    layout: Layout,
    ranges: Ranges,
    fixed: Static,
    packing: Packing,
    known: RwLock<Known>,
}

#[derive(Debug, Default)]
struct Known {
    list: Vec<Arc<Shape>>,
    by_key: HashMap<Vec<u8>, u32>,
}

impl<'m> Shapes<'m> {
    /// No shapes yet.
    #[must_use]
    pub fn new(model: &'m Model, packing: Packing) -> Shapes<'m> {
        let ranges = Ranges::new(model);
        let fixed = Static::new(model, &ranges);
        Shapes { model, layout: Layout::new(model), ranges, fixed, packing, known: RwLock::default() }
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

    /// A shape by its number.
    #[must_use]
    pub fn get(&self, id: u32) -> Arc<Shape> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).list[id as usize].clone()
    }

    /// The shape of a reference vector.
    #[must_use]
    pub fn of(&self, reference: &[u8]) -> Arc<Shape> {
        let key = self.key(reference);
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = known.by_key.get(&key) {
            return known.list[id as usize].clone();
        }
        drop(known);
        self.add(key, reference)
    }

    fn add(&self, key: Vec<u8>, reference: &[u8]) -> Arc<Shape> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = known.by_key.get(&key) {
            return known.list[id as usize].clone();
        }
        let id = known.list.len() as u32;
        assert!(id < 1 << LONG_WIDTH, "a search has at most 2^{LONG_WIDTH} shapes");
        let ground = Ground {
            model: self.model,
            layout: &self.layout,
            ranges: &self.ranges,
            fixed: &self.fixed,
            packing: self.packing,
        };
        let shape = Arc::new(build(&ground, id, reference));
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
            if let Initial::Channel(target, kind) = initial {
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

    /// Packs a reference vector of this shape; its words are appended.
    pub fn pack(&self, shape: &Shape, reference: &[u8], words: &mut Vec<u64>) {
        let at = words.len();
        words.resize(at + shape.words(), 0);
        words[at] = shape.prefix();
        shape.codec.pack(reference, &mut words[at..]);
    }

    /// The reference vector of a packed one.
    pub fn unpack(&self, words: &[u64], reference: &mut Vec<u8>) {
        self.get(Shape::id_of(words[0])).codec.unpack(words, reference);
    }
}
