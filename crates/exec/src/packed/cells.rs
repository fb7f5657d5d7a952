//! State compaction by mixed radix: paper 004 (lower and upper factors).
//!
//! A cell of 64 bits holds several numbers as the digits of one. A digit with `n` values that
//! begins at the factor `lower` is read as `cell / lower % n`, and changed by adding
//! `lower * (new - old)`, modulo 2^64. What bits waste by rounding up to powers of two is saved.
//!
//! Reading a cell costs divisions, so the engine works on packed bits, the working copy, and only
//! what goes to the store is made of cells. A successor differs from its source in few fields: its
//! cells are those of the source with the differences added.

use super::place::Bits;
use super::shape::Shape;
use super::shapes::Shapes;
use crate::fault::Fault;
use crate::semantics::{Atlas, Expanded, Move, Next, Semantics, Successors};
use spinor_model::{ProctypeId, StatementId};
use std::sync::Arc;

/// A field as a digit of a cell.
#[derive(Clone, Copy, Debug)]
struct Digit {
    bits: Bits,
    cell: u32,
    lower: u64,
    values: u64,
}

impl Digit {
    /// The number in a working copy. One that is too large would change the other digits of its cell.
    fn of(self, work: &[u64]) -> u64 {
        let number = self.bits.get(work);
        assert!(number < self.values, "a number is among those that were inferred");
        number
    }

    fn get(self, cells: &[u64]) -> u64 {
        cells[self.cell as usize] / self.lower % self.values
    }
}

/// Where the fields of a shape are in cells.
#[derive(Debug)]
struct Table {
    /// The digits, in the order of their words in the working copy.
    digits: Vec<Digit>,
    /// Where the digits of each word begin, and the end.
    words: Vec<usize>,
    cells: usize,
    bytes: u32,
}

impl Table {
    fn new(shape: &Shape) -> Table {
        let (mut cell, mut used) = (0_u32, 1_u128);
        let mut digits = Vec::new();
        for (bits, highest) in shape.digits().into_iter().filter(|(_, highest)| *highest > 0) {
            let values = u128::from(highest) + 1;
            if used * values > 1 << 64 {
                (cell, used) = (cell + 1, 1);
            }
            digits.push(Digit { bits, cell, lower: used as u64, values: values as u64 });
            used *= values;
        }
        let last = (128 - (used - 1).leading_zeros()).div_ceil(8);
        digits.sort_by_key(|digit| digit.bits.word);
        let words =
            (0..=shape.words()).map(|word| digits.partition_point(|it| (it.bits.word as usize) < word)).collect();
        Table { digits, words, cells: cell as usize + 1, bytes: cell * 8 + last }
    }

    /// Packs a working copy into cells that are 0.
    fn pack(&self, work: &[u64], cells: &mut [u64]) {
        for digit in &self.digits {
            let cell = &mut cells[digit.cell as usize];
            *cell = cell.wrapping_add(digit.lower.wrapping_mul(digit.of(work)));
        }
    }

    /// The working copy of cells; it must be 0.
    fn unpack(&self, cells: &[u64], work: &mut [u64]) {
        self.digits.iter().for_each(|digit| digit.bits.fill(work, digit.get(cells)));
    }

    /// Adds what is different between two working copies to the cells of the first.
    fn add_differences(&self, before: &[u64], after: &[u64], cells: &mut [u64]) {
        for (word, (&old, &new)) in before.iter().zip(after).enumerate() {
            let changed = old ^ new;
            if changed == 0 {
                continue;
            }
            for digit in &self.digits[self.words[word]..self.words[word + 1]] {
                if changed & digit.bits.mask() != 0 {
                    let difference = digit.of(after).wrapping_sub(digit.of(before));
                    let cell = &mut cells[digit.cell as usize];
                    *cell = cell.wrapping_add(digit.lower.wrapping_mul(difference));
                }
            }
        }
    }
}

/// An engine whose states are packed into cells.
#[derive(Debug)]
pub struct Cells<'m, S> {
    engine: S,
    shapes: Arc<Shapes<'m>>,
    tables: Vec<Option<Table>>,
    work: Vec<u64>,
    out: Successors,
}

impl<'m, S: Semantics> Cells<'m, S> {
    /// The same engine on cells. Its packed states have these shapes, and all of a state counts.
    pub fn new(engine: S, shapes: Arc<Shapes<'m>>) -> Cells<'m, S> {
        Cells { engine, shapes, tables: Vec::new(), work: Vec::new(), out: Successors::default() }
    }

    fn table(&mut self, id: u32) -> &Table {
        let id = id as usize;
        if self.tables.len() <= id {
            self.tables.resize_with(id + 1, || None);
        }
        let shapes = &self.shapes;
        self.tables[id].get_or_insert_with(|| Table::new(&shapes.get(id as u32)))
    }

    /// The working copy of a state.
    fn unpack(&mut self, cells: &[u64]) -> u32 {
        let id = Shape::id_of(cells[0]);
        let words = self.shapes.get(id).words();
        let mut work = std::mem::take(&mut self.work);
        work.clear();
        work.resize(words, 0);
        self.table(id).unpack(cells, &mut work);
        self.work = work;
        id
    }

    /// The working copy of a state, for tests.
    pub fn working_copy(&mut self, state: &[u64]) -> &[u64] {
        self.unpack(state);
        &self.work
    }

    /// Packs a successor of the working copy, whose cells are `source`.
    fn append(&mut self, next: &Next, source: Option<(u32, &[u64])>, out: &mut Successors) {
        let made = std::mem::take(&mut self.out);
        let work = made.vector(next);
        let id = Shape::id_of(work[0]);
        let before = std::mem::take(&mut self.work);
        let table = self.table(id);
        let at = out.words.len();
        match source {
            Some((its, cells)) if its == id => {
                out.words.extend_from_slice(&cells[..table.cells]);
                table.add_differences(&before, work, &mut out.words[at..]);
            }
            _ => {
                out.words.resize(at + table.cells, 0);
                table.pack(work, &mut out.words[at..]);
            }
        }
        out.list.push(Next { at: at as u32, bytes: table.bytes, key: table.bytes, distance: next.distance });
        self.work = before;
        self.out = made;
    }

    fn append_all(&mut self, source: Option<(u32, &[u64])>, out: &mut Successors) {
        for n in 0..self.out.list.len() {
            let next = self.out.list[n];
            self.append(&next, source, out);
        }
        out.findings.append(&mut self.out.findings);
    }
}

impl<S: Semantics> Semantics for Cells<'_, S> {
    fn initial(&mut self, out: &mut Successors) -> Result<(), Fault> {
        self.out.clear();
        self.engine.initial(&mut self.out)?;
        self.append_all(None, out);
        Ok(())
    }

    fn expand(&mut self, state: &[u64], out: &mut Successors) -> Expanded {
        let id = self.unpack(state);
        self.out.clear();
        self.out.limit = out.limit;
        let expanded = self.engine.expand(&self.work, &mut self.out);
        self.append_all(Some((id, state)), out);
        expanded
    }

    fn processes(&self, state: &[u64]) -> usize {
        self.shapes.get(Shape::id_of(state[0])).processes.len()
    }

    fn expand_process(&mut self, state: &[u64], pid: usize, out: &mut Successors) -> Expanded {
        let id = self.unpack(state);
        self.out.clear();
        self.out.limit = out.limit;
        let expanded = self.engine.expand_process(&self.work, pid, &mut self.out);
        self.append_all(Some((id, state)), out);
        expanded
    }

    fn expand_labelled(&mut self, state: &[u64], pid: usize, out: &mut Successors, edges: &mut Vec<u32>) -> Expanded {
        let id = self.unpack(state);
        self.out.clear();
        self.out.limit = out.limit;
        let expanded = self.engine.expand_labelled(&self.work, pid, &mut self.out, edges);
        self.append_all(Some((id, state)), out);
        expanded
    }

    fn is_valid_end(&mut self, state: &[u64]) -> bool {
        self.unpack(state);
        self.engine.is_valid_end(&self.work)
    }

    fn moves(&mut self, state: &[u64], n: usize) -> Vec<Move> {
        self.unpack(state);
        self.engine.moves(&self.work, n)
    }

    fn executed(&mut self, path: Vec<Move>, rests: bool) -> Vec<Move> {
        self.engine.executed(path, rests)
    }

    fn unrolled(&mut self, steps: Vec<Vec<Move>>, cycle: usize) -> Option<Vec<Vec<Move>>> {
        self.engine.unrolled(steps, cycle)
    }

    fn was_executed(&self, proctype: ProctypeId, statement: StatementId) -> bool {
        self.engine.was_executed(proctype, statement)
    }

    fn atlas(&self) -> &dyn Atlas {
        unreachable!("states in cells stay in their process")
    }

    fn fork(&self) -> Self {
        Cells::new(self.engine.fork(), self.shapes.clone())
    }
}
