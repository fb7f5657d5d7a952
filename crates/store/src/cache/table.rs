//! Which slots may hold a vector: a table with linear probing, from which entries are removed by moving
//! those behind them.

/// A cell is 0, or 32 bits of hash above the number of a slot and one.
#[derive(Debug)]
pub(super) struct Table {
    cells: Vec<u64>,
    /// The binary logarithm of their number.
    bits: u32,
    filled: usize,
}

impl Default for Table {
    fn default() -> Table {
        Table::with_bits(4)
    }
}

impl Table {
    fn with_bits(bits: u32) -> Table {
        Table { cells: vec![0; 1 << bits], bits, filled: 0 }
    }

    /// The slot under a tag that satisfies a test.
    #[inline]
    pub(super) fn find(&self, tag: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        self.chain(tag).map(|at| self.cells[at]).find(|&cell| tag_of(cell) == tag && is(slot_of(cell))).map(slot_of)
    }

    /// Puts a slot in that is not there.
    pub(super) fn insert(&mut self, tag: u32, slot: u32) {
        if self.filled >= self.cells.len() / 4 * 3 {
            self.grow();
        }
        self.put(u64::from(tag) << 32 | (u64::from(slot) + 1));
    }

    /// Takes a slot out that is there.
    pub(super) fn remove(&mut self, tag: u32, slot: u32) {
        let cell = u64::from(tag) << 32 | (u64::from(slot) + 1);
        let Some(mut hole) = self.chain(tag).find(|&at| self.cells[at] == cell) else { return };
        let mask = self.cells.len() - 1;
        let mut next = (hole + 1) & mask;
        while self.cells[next] != 0 {
            let home = self.home(tag_of(self.cells[next]));
            // It may move to the hole unless its home lies behind that.
            if next.wrapping_sub(home) & mask >= next.wrapping_sub(hole) & mask {
                self.cells[hole] = self.cells[next];
                hole = next;
            }
            next = (next + 1) & mask;
        }
        self.cells[hole] = 0;
        self.filled -= 1;
    }

    /// The first slot in the order of the table that satisfies a test, from a place on and round the end,
    /// with its place.
    pub(super) fn next(&self, from: usize, is: impl Fn(u32) -> bool) -> Option<(usize, u32)> {
        let mask = self.cells.len() - 1;
        let places = (0..=mask).map(|step| (from + step) & mask).filter(|&at| self.cells[at] != 0);
        let mut slots = places.map(|at| (at, slot_of(self.cells[at])));
        slots.find(|&(_, slot)| is(slot))
    }

    pub(super) fn memory(&self) -> usize {
        self.cells.capacity() * size_of::<u64>()
    }

    #[inline]
    fn home(&self, tag: u32) -> usize {
        (tag >> (32 - self.bits)) as usize
    }

    /// The filled cells in which something with this tag may be.
    #[inline]
    fn chain(&self, tag: u32) -> impl Iterator<Item = usize> {
        let mask = self.cells.len() - 1;
        let home = self.home(tag);
        (0..=mask).map(move |step| (home + step) & mask).take_while(|&at| self.cells[at] != 0)
    }

    fn put(&mut self, cell: u64) {
        let mask = self.cells.len() - 1;
        let mut at = self.home(tag_of(cell));
        while self.cells[at] != 0 {
            at = (at + 1) & mask;
        }
        self.cells[at] = cell;
        self.filled += 1;
    }

    fn grow(&mut self) {
        let mut larger = Table::with_bits(self.bits + 1);
        self.cells.iter().filter(|&&cell| cell != 0).for_each(|&cell| larger.put(cell));
        *self = larger;
    }
}

#[inline]
fn tag_of(cell: u64) -> u32 {
    (cell >> 32) as u32
}

#[inline]
fn slot_of(cell: u64) -> u32 {
    cell as u32 - 1
}

#[cfg(test)]
mod tests {
    use super::Table;
    use crate::hash::hash_word;
    use std::collections::HashMap;

    #[test]
    fn agrees_with_a_hash_map() {
        let mut table = Table::default();
        let mut twin: HashMap<u32, u32> = HashMap::new();
        for step in 0..200_000_u64 {
            let random = hash_word(step);
            let slot = (random % 700) as u32;
            // Few tags, so that chains are long and run over the end of the table.
            let tag = [0xffff_fff0, 0x7fff_ffff, 0][slot as usize % 3] | (slot % 16);
            if random >> 63 == 0 && twin.len() < 300 {
                if twin.insert(slot, tag).is_none() {
                    table.insert(tag, slot);
                }
            } else if let Some(tag) = twin.remove(&slot) {
                table.remove(tag, slot);
            }
            let found = table.find(tag, |found| found == slot);
            assert_eq!(found, twin.get(&slot).map(|_| slot), "step {step}");
        }
        assert!(twin.iter().all(|(&slot, &tag)| table.find(tag, |found| found == slot) == Some(slot)));
        assert_eq!(table.cells.iter().filter(|&&cell| cell != 0).count(), twin.len());
    }
}
