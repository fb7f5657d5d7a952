//! A selector that remembers what it proposed for a signature.

use super::{Processes, Selector, View};
use spinor_exec::Shape;

/// Signatures of a shape that are remembered before it begins anew.
const MOST: usize = 1 << 16;

/// Questions after which it is asked whether remembering is worth it.
const TRIAL: u32 = 1 << 14;

/// Remembers what another selector proposed. It belongs to one set of tables, since shapes are known by number.
pub(super) struct Remembering<S> {
    selector: S,
    /// What is known of each shape.
    shapes: Vec<Memory>,
    signature: Vec<u64>,
}

impl<S: Selector> Remembering<S> {
    pub(super) fn new(selector: S) -> Remembering<S> {
        Remembering { selector, shapes: Vec::new(), signature: Vec::new() }
    }
}

impl<S: Selector> Selector for Remembering<S> {
    fn propose(&mut self, view: &mut View<'_>, sets: &mut Vec<Processes>) {
        let Some(transitions) = view.table.transitions() else { return };
        let shape = Shape::id_of(view.state[0]) as usize;
        if self.shapes.len() <= shape {
            self.shapes.resize_with(shape + 1, Memory::default);
        }
        let memory = &mut self.shapes[shape];
        let signature = transitions.signature().filter(|_| memory.is_worth_it());
        if !signature.is_some_and(|it| it.of(view, &mut self.signature)) {
            return self.selector.propose(view, sets);
        }
        match memory.find(&self.signature) {
            Ok(known) => sets.extend_from_slice(known),
            Err(slot) => {
                let first = sets.len();
                self.selector.propose(view, sets);
                memory.keep(slot, &self.signature, &sets[first..]);
            }
        }
    }
}

/// Sets by signature: a table with open addressing.
#[derive(Debug, Default)]
struct Memory {
    /// For each slot the number of its entry, from 1 on.
    slots: Vec<u32>,
    /// The signatures, one after the other, and where the sets of each are.
    signatures: Vec<u64>,
    entries: Vec<(u32, u32)>,
    sets: Vec<Processes>,
    asked: u32,
    found: u32,
}

/// Slots at first.
const FIRST_SLOTS: usize = 1 << 8;

impl Memory {
    /// Whether most questions were asked before.
    fn is_worth_it(&self) -> bool {
        self.asked < TRIAL || self.found >= self.asked / 2
    }

    /// The sets of a signature, or the slot where it belongs.
    fn find(&mut self, signature: &[u64]) -> Result<&[Processes], usize> {
        self.asked = self.asked.saturating_add(1);
        if self.entries.len() * 2 >= self.slots.len() {
            self.grow(signature.len());
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(signature) as usize & mask;
        while let Some(entry) = (self.slots[slot] as usize).checked_sub(1) {
            if self.signatures[entry * signature.len()..][..signature.len()] == *signature {
                self.found = self.found.saturating_add(1);
                let (first, count) = self.entries[entry];
                return Ok(&self.sets[first as usize..][..count as usize]);
            }
            slot = (slot + 1) & mask;
        }
        Err(slot)
    }

    fn keep(&mut self, slot: usize, signature: &[u64], sets: &[Processes]) {
        self.entries.push((self.sets.len() as u32, sets.len() as u32));
        self.signatures.extend_from_slice(signature);
        self.sets.extend_from_slice(sets);
        self.slots[slot] = self.entries.len() as u32;
    }

    /// Makes room for more, or forgets all.
    fn grow(&mut self, words: usize) {
        if self.entries.len() >= MOST {
            self.signatures.clear();
            self.entries.clear();
            self.sets.clear();
        }
        let count = (self.entries.len() * 4).max(FIRST_SLOTS).next_power_of_two();
        self.slots.clear();
        self.slots.resize(count, 0);
        for (entry, signature) in self.signatures.chunks_exact(words.max(1)).enumerate() {
            let mut slot = hash(signature) as usize & (count - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (count - 1);
            }
            self.slots[slot] = entry as u32 + 1;
        }
    }
}

fn hash(words: &[u64]) -> u64 {
    let mixed =
        words.iter().fold(0_u64, |hash, word| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
    mixed ^ mixed >> 32
}
