//! Reading and writing fields and variables.

use super::{Generator, Result, Unsupported};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use spinor_exec::{Bits, Coding, Place, Series};
use spinor_model::ranges::Interval;
use spinor_model::{Access, Base, Expr, LocationId, Scalar};
use std::collections::BTreeMap;

/// A series over more words than this is left to the interpreter where its index is not constant.
const MOST_PARTS: usize = 32;
/// As many known values are told apart by comparing.
const MOST_KNOWN: usize = 64;

/// Which element of a leaf is meant.
#[derive(Clone, Copy)]
pub(super) enum Element {
    Constant(u32),
    /// An index of 32 bits, checked.
    Computed(Value),
}

impl Generator<'_, '_> {
    /// What a field holds, as a word.
    pub(super) fn get(&mut self, bits: Bits) -> Value {
        if bits.width == 0 {
            return self.long(0);
        }
        let word = self.builder.use_var(self.words[bits.word as usize]);
        self.bits_of(word, bits)
    }

    /// What a field of a word holds.
    pub(super) fn bits_of(&mut self, word: Value, bits: Bits) -> Value {
        let shifted = if bits.shift == 0 { word } else { self.builder.ins().ushr_imm_s(word, i64::from(bits.shift)) };
        if bits.shift + bits.width == 64 { shifted } else { self.mask(shifted, bits.ones()) }
    }

    pub(super) fn mask(&mut self, value: Value, ones: u64) -> Value {
        let ones = self.long(ones);
        self.builder.ins().band(value, ones)
    }

    /// Fills a field with a word that fits.
    pub(super) fn put(&mut self, bits: Bits, value: Value) {
        if bits.width == 0 {
            return;
        }
        let variable = self.words[bits.word as usize];
        let word = self.builder.use_var(variable);
        let constant = self.constant(value).map(|value| value as u64);
        let rest = if constant == Some(bits.ones()) { word } else { self.mask(word, !bits.mask()) };
        let shifted = match constant {
            Some(0) => return self.builder.def_var(variable, rest),
            Some(constant) => self.long(constant << bits.shift),
            None if bits.shift == 0 => value,
            None => self.builder.ins().ishl_imm_s(value, i64::from(bits.shift)),
        };
        let word = self.builder.ins().bor(rest, shifted);
        self.builder.def_var(variable, word);
    }

    /// Makes 0 what nobody reads while a process is at a location.
    pub(super) fn clear_dead(&mut self, pid: usize, location: LocationId) {
        let shape = self.shape.clone();
        let mut masks = BTreeMap::new();
        for bits in self.site.shapes.dead(&shape.processes[pid], location) {
            *masks.entry(bits.word).or_insert(0) |= bits.mask();
        }
        for (word, mask) in masks {
            let variable = self.words[word as usize];
            let value = self.builder.use_var(variable);
            let value = self.mask(value, !mask);
            self.builder.def_var(variable, value);
        }
    }

    /// The leaf of an access and where it lies, in the process in whose name we are.
    pub(super) fn leaf(&self, access: &Access) -> Result<(usize, Place)> {
        let (leaf, _) = self.site.shapes.ranges().element(access.base, self.proctype, access.offset);
        let place = match access.base {
            Base::Global => &self.shape.globals[leaf],
            Base::Local => &self.shape.processes[self.pid].leaves[leaf],
            Base::Hidden => return Err(Unsupported),
        };
        Ok((leaf, place.clone()))
    }

    /// Which element an access means; an index outside of its array gives the state up.
    pub(super) fn element(&mut self, access: &Access) -> Result<Element> {
        let shapes = self.site.shapes;
        if let Some(element) = shapes.constant_element(&self.shape, self.pid, access) {
            return Ok(Element::Constant(element as u32));
        }
        let (_, first) = shapes.ranges().element(access.base, self.proctype, access.offset);
        let mut sum = if first == 0 { None } else { Some(self.int(first as i32)) };
        for index in &access.indexes {
            let value = self.value(&index.value)?;
            let range = self.range(&index.value);
            if range.low < 0 || range.high >= index.length as i32 {
                let inside = self.builder.ins().icmp_imm_s(IntCC::UnsignedLessThan, value, i64::from(index.length));
                self.branch_unless(inside, self.defer);
            }
            if index.length > 1 {
                let (_, second) = shapes.ranges().element(access.base, self.proctype, access.offset + index.stride);
                let scaled = self.scaled(value, second as i64 - first as i64);
                sum = Some(match sum {
                    Some(sum) => self.builder.ins().iadd(sum, scaled),
                    None => scaled,
                });
            }
        }
        Ok(Element::Computed(sum.unwrap_or_else(|| self.int(0))))
    }

    /// The range of an expression.
    pub(super) fn range(&self, expr: &Expr) -> Interval {
        self.site.shapes.ranges().of(self.site.shapes.model(), self.proctype, expr)
    }

    pub(super) fn load(&mut self, access: &Access) -> Result<Value> {
        let (_, place) = self.leaf(access)?;
        let element = self.element(access)?;
        self.load_element(&place, element)
    }

    pub(super) fn load_element(&mut self, place: &Place, element: Element) -> Result<Value> {
        match (place, element) {
            (Place::Known(values), Element::Constant(n)) => Ok(self.int(values[n as usize])),
            (Place::Known(values), Element::Computed(n)) => self.known(values, n),
            (Place::Stored { coding, series }, Element::Constant(n)) => {
                let word = self.get(series.element(n));
                Ok(self.decode(word, *coding))
            }
            (Place::Stored { coding, series }, Element::Computed(n)) => {
                let word = self.computed(series, n)?;
                Ok(self.decode(word, *coding))
            }
        }
    }

    /// The value that a number stands for.
    fn decode(&mut self, word: Value, Coding { low, highest, outlier }: Coding) -> Value {
        let number = self.builder.ins().ireduce(types::I32, word);
        let value = if low == 0 { number } else { self.builder.ins().iadd_imm_s(number, i64::from(low)) };
        let Some(outlier) = outlier else { return value };
        let is_last = self.builder.ins().icmp_imm_s(IntCC::Equal, number, highest as i64);
        let outlier = self.int(outlier);
        self.builder.ins().select(is_last, outlier, value)
    }

    /// One of several known values.
    fn known(&mut self, values: &[i32], n: Value) -> Result<Value> {
        let step = values.get(1).map_or(0, |second| second.wrapping_sub(values[0]));
        if values.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step) {
            let scaled = self.builder.ins().imul_imm_s(n, i64::from(step));
            return Ok(self.builder.ins().iadd_imm_s(scaled, i64::from(values[0])));
        }
        if values.len() > MOST_KNOWN {
            return Err(Unsupported);
        }
        let mut result = self.int(values[0]);
        for (index, &value) in values.iter().enumerate().skip(1) {
            let is_this = self.builder.ins().icmp_imm_s(IntCC::Equal, n, index as i64);
            let value = self.int(value);
            result = self.builder.ins().select(is_this, value, result);
        }
        Ok(result)
    }

    /// The part of a series that an element is in, and its lowest bit there, both as words.
    fn locate(&mut self, series: &Series, n: Value) -> (Value, Value) {
        let n = self.builder.ins().uextend(types::I64, n);
        let (part, rest) = if series.parts.len() == 1 {
            (self.long(0), n)
        } else {
            let part = self.builder.ins().udiv_imm_s(n, i64::from(series.per_word));
            let before = self.builder.ins().imul_imm_s(part, i64::from(series.per_word));
            (part, self.builder.ins().isub(n, before))
        };
        let shift = self.scaled(rest, i64::from(series.width));
        let first = series.parts[0].shift;
        let shift = if first == 0 { shift } else { self.builder.ins().iadd_imm_s(shift, i64::from(first)) };
        (part, shift)
    }

    fn computed(&mut self, series: &Series, n: Value) -> Result<Value> {
        let ones = series.element(0).ones();
        let (part, shift) = self.locate(series, n);
        if series.parts.len() > MOST_PARTS {
            return Err(Unsupported);
        }
        let mut word = self.builder.use_var(self.words[series.parts[0].word as usize]);
        for (index, bits) in series.parts.iter().enumerate().skip(1) {
            let is_this = self.builder.ins().icmp_imm_s(IntCC::Equal, part, index as i64);
            let other = self.builder.use_var(self.words[bits.word as usize]);
            word = self.builder.ins().select(is_this, other, word);
        }
        let shifted = self.builder.ins().ushr(word, shift);
        Ok(self.mask(shifted, ones))
    }

    /// `target = value`, converted as C does. `range` is what is known of the value.
    pub(super) fn store(&mut self, target: &Access, value: Value, range: Interval) -> Result {
        let (value, range) = self.convert(&target.ty, value, range);
        let (leaf, place) = self.leaf(target)?;
        let element = self.element(target)?;
        if self.site.shapes.is_unread(target.base, self.proctype, leaf) {
            return Ok(());
        }
        self.store_element(&place, element, value, range)
    }

    pub(super) fn store_element(&mut self, place: &Place, element: Element, value: Value, range: Interval) -> Result {
        match place {
            Place::Known(values) => {
                // The analysis says that it holds this value for ever: make sure.
                if values.iter().any(|known| *known != values[0]) {
                    return Err(Unsupported);
                }
                self.check_known(value, range, values[0]);
                Ok(())
            }
            Place::Stored { coding, series } => {
                let offset = self.encode(value, range, *coding);
                match element {
                    Element::Constant(n) => self.put(series.element(n), offset),
                    Element::Computed(n) => self.put_computed(series, n, offset)?,
                }
                Ok(())
            }
        }
    }

    pub(super) fn check_known(&mut self, value: Value, range: Interval, known: i32) {
        if range.low != known || range.high != known {
            let same = self.builder.ins().icmp_imm_s(IntCC::Equal, value, i64::from(known));
            self.branch_unless(same, self.defer);
        }
    }

    /// The number that stands for a value. One that does not fit would change the neighbours, so it
    /// is checked unless it is known to fit.
    pub(super) fn encode(&mut self, value: Value, range: Interval, coding: Coding) -> Value {
        let Coding { low, highest, outlier } = coding;
        let mut number = if low == 0 { value } else { self.builder.ins().iadd_imm_s(value, -i64::from(low)) };
        // In order, without the outlier.
        let last = i64::from(low) + highest as i64 - i64::from(outlier.is_some());
        if range.low < low || i64::from(range.high) > last {
            let most = self.int((last - i64::from(low)) as u32 as i32);
            let mut fits = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, number, most);
            if let Some(outlier) = outlier {
                let outlier = self.int(outlier);
                let is_outlier = self.builder.ins().icmp(IntCC::Equal, value, outlier);
                fits = self.builder.ins().bor(fits, is_outlier);
                let its = self.int(highest as u32 as i32);
                number = self.builder.ins().select(is_outlier, its, number);
            }
            self.branch_unless(fits, self.defer);
        }
        match self.constant(number) {
            Some(number) => self.long(u64::from(number as u32)),
            None => self.builder.ins().uextend(types::I64, number),
        }
    }

    /// A multiple of a value.
    fn scaled(&mut self, value: Value, by: i64) -> Value {
        if by == 1 { value } else { self.builder.ins().imul_imm_s(value, by) }
    }

    fn put_computed(&mut self, series: &Series, n: Value, offset: Value) -> Result {
        if series.parts.len() > MOST_PARTS {
            return Err(Unsupported);
        }
        let (part, shift) = self.locate(series, n);
        let ones = self.long(series.element(0).ones());
        let hole = self.builder.ins().ishl(ones, shift);
        let shifted = self.builder.ins().ishl(offset, shift);
        for (index, bits) in series.parts.iter().enumerate() {
            let variable = self.words[bits.word as usize];
            let word = self.builder.use_var(variable);
            let rest = self.builder.ins().band_not(word, hole);
            let mut changed = self.builder.ins().bor(rest, shifted);
            if series.parts.len() > 1 {
                let is_this = self.builder.ins().icmp_imm_s(IntCC::Equal, part, index as i64);
                changed = self.builder.ins().select(is_this, changed, word);
            }
            self.builder.def_var(variable, changed);
        }
        Ok(())
    }

    /// The value that a type keeps of a value, and the range of that.
    pub(super) fn convert(&mut self, ty: &Scalar, value: Value, range: Interval) -> (Value, Interval) {
        let (low, high) = ty.bounds();
        if range.low >= low && range.high <= high {
            return (value, range);
        }
        let all = Interval { low, high };
        let value = match ty {
            Scalar::Int => value,
            Scalar::Short => {
                let short = self.builder.ins().ireduce(types::I16, value);
                self.builder.ins().sextend(types::I32, short)
            }
            Scalar::Range { .. } => {
                // A value outside of a declared range is a fault.
                let offset = self.builder.ins().iadd_imm_s(value, -i64::from(low));
                let size = self.int(high.wrapping_sub(low));
                let fits = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, offset, size);
                self.branch_unless(fits, self.defer);
                value
            }
            Scalar::Bit | Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Chan => {
                self.builder.ins().band_imm_s(value, i64::from(high))
            }
            Scalar::Unsigned(_) => self.builder.ins().band_imm_s(value, i64::from(high)),
        };
        (value, all)
    }
}
