//! Between reference vectors and packed ones, for one shape.

use super::coding::Coding;
use super::place::Bits;
use super::shape::Lane;
use crate::layout::ChannelLayout;
use spinor_model::Scalar;

/// How a number is written in a reference vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Repr {
    size: u8,
    signed: bool,
    /// What is added to the number that is written.
    bias: i32,
}

impl Repr {
    pub(super) fn new(ty: &Scalar) -> Repr {
        let bias = ty.declared_range().map_or(0, |(low, _)| low);
        let signed = match ty {
            Scalar::Short | Scalar::Int => true,
            Scalar::Bit | Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Unsigned(_) => false,
            Scalar::Mtype(_) | Scalar::Chan | Scalar::Range { .. } => false,
        };
        Repr { size: ty.size() as u8, signed, bias }
    }

    pub(super) fn unsigned(size: usize) -> Repr {
        Repr { size: size as u8, signed: false, bias: 0 }
    }

    fn read(self, bytes: &[u8], at: usize) -> i32 {
        let raw = match (self.size, self.signed) {
            (0, _) => 0,
            (1, _) => i32::from(bytes[at]),
            (2, false) => i32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])),
            (2, true) => i32::from(i16::from_le_bytes([bytes[at], bytes[at + 1]])),
            _ => i32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")),
        };
        raw.wrapping_add(self.bias)
    }

    fn write(self, bytes: &mut [u8], at: usize, value: i32) {
        let raw = value.wrapping_sub(self.bias).to_le_bytes();
        bytes[at..at + usize::from(self.size)].copy_from_slice(&raw[..usize::from(self.size)]);
    }
}

/// A number in both vectors.
#[derive(Clone, Copy, Debug)]
struct Field {
    at: u32,
    repr: Repr,
    coding: Coding,
    bits: Bits,
}

impl Field {
    fn pack(self, reference: &[u8], words: &mut [u64]) {
        let value = self.repr.read(reference, self.at as usize);
        // An overflow would silently change the neighbours: better no result than a wrong one.
        let number = self.coding.number(value).expect("a value is among those that were inferred");
        self.bits.fill(words, number);
    }

    fn unpack(self, words: &[u64], reference: &mut [u8]) {
        let value = self.coding.value(self.bits.get(words));
        self.repr.write(reference, self.at as usize, value);
    }
}

/// The messages of a channel in both vectors.
#[derive(Clone, Debug)]
struct Queue {
    length: Field,
    /// The fields of each message in turn.
    slots: Vec<Vec<Field>>,
}

/// The correspondence.
#[derive(Clone, Debug)]
pub(super) struct Codec {
    /// A reference vector with all that does not change in it.
    pub(super) template: Vec<u8>,
    fields: Vec<Field>,
    queues: Vec<Queue>,
    /// What the analysis took for constant: it is made sure.
    constants: Vec<Field>,
}

impl Codec {
    pub(super) fn new(example: &[u8]) -> Codec {
        Codec { template: example.to_vec(), fields: Vec::new(), queues: Vec::new(), constants: Vec::new() }
    }

    /// A number that is not kept: it comes back as `value`.
    pub(super) fn ignore(&mut self, at: usize, repr: Repr, value: i32) {
        repr.write(&mut self.template, at, value);
    }

    pub(super) fn constant(&mut self, at: usize, repr: Repr, value: i32) {
        repr.write(&mut self.template, at, value);
        let bits = Bits { word: 0, shift: 0, width: 0 };
        self.constants.push(Field {
            at: at as u32,
            repr,
            coding: Coding { low: value, highest: 0, outlier: None },
            bits,
        });
    }

    pub(super) fn field(&mut self, at: usize, repr: Repr, coding: Coding, bits: Bits) {
        repr.write(&mut self.template, at, repr.bias);
        self.fields.push(Field { at: at as u32, repr, coding, bits });
    }

    /// The fields of a packed vector, each with its greatest value.
    pub(super) fn digits(&self) -> impl Iterator<Item = (Bits, u64)> {
        self.fields.iter().chain(self.queue_fields()).map(|field| (field.bits, field.coding.highest))
    }

    fn queue_fields(&self) -> impl Iterator<Item = &Field> {
        self.queues.iter().flat_map(|queue| std::iter::once(&queue.length).chain(queue.slots.iter().flatten()))
    }

    /// The places in both of each field that two vectors have in common, if one has the records of
    /// the other and some more.
    pub(super) fn common_fields(&self, other: &Codec) -> impl Iterator<Item = (Bits, Bits)> {
        let fields = self.fields.iter().zip(&other.fields);
        fields.chain(self.queue_fields().zip(other.queue_fields())).map(|(ours, theirs)| (ours.bits, theirs.bits))
    }

    /// A channel whose record begins at `record`, its length at `length_at`.
    pub(super) fn queue(
        &mut self,
        length_at: usize,
        record: usize,
        shape: &ChannelLayout,
        length: Bits,
        lanes: &[Lane],
    ) {
        if shape.capacity == 0 {
            return;
        }
        let slot = |slot: usize| {
            let parts = lanes.iter().flat_map(|lane| lane.fields.iter().map(move |field| (field, &lane.series)));
            parts
                .map(|(field, series)| {
                    let (offset, ty) = &shape.fields[field.field];
                    let part = series.element(slot as u32);
                    let bits = Bits { word: part.word, shift: part.shift + field.shift, width: field.width };
                    let at = record + shape.messages + slot * shape.message + offset;
                    Field { at: at as u32, repr: Repr::new(ty), coding: field.coding, bits }
                })
                .collect()
        };
        let slots = (0..shape.capacity).map(slot).collect();
        let coding = Coding::plain(shape.capacity as u64);
        let length = Field { at: length_at as u32, repr: Repr::unsigned(shape.length), coding, bits: length };
        let contents = record + shape.messages..record + shape.record;
        self.template[contents].fill(0);
        self.queues.push(Queue { length, slots });
    }

    /// Packs a reference vector into words that are 0.
    pub(super) fn pack(&self, reference: &[u8], words: &mut [u64]) {
        self.constants.iter().for_each(|field| field.pack(reference, words));
        self.fields.iter().for_each(|field| field.pack(reference, words));
        for queue in &self.queues {
            queue.length.pack(reference, words);
            let length = queue.length.bits.get(words) as usize;
            queue.slots[..length].iter().flatten().for_each(|field| field.pack(reference, words));
        }
    }

    /// The reference vector of a packed one.
    pub(super) fn unpack(&self, words: &[u64], reference: &mut Vec<u8>) {
        reference.clear();
        reference.extend_from_slice(&self.template);
        self.fields.iter().for_each(|field| field.unpack(words, reference));
        for queue in &self.queues {
            queue.length.unpack(words, reference);
            let length = queue.length.bits.get(words) as usize;
            queue.slots[..length].iter().flatten().for_each(|field| field.unpack(words, reference));
        }
    }
}
