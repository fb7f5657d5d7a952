//! The numbers of a model: variables taken apart.

use super::{ChannelSet, Interval, Leaf, Values};
use crate::types::{Scalar, Type, Variable};

/// Where a number lies: offset, leaf and element, in the order of offsets.
pub(super) type Places = Vec<(u32, u32, u32)>;

/// The leaves of the variables of one part.
pub(super) fn leaves(variables: &[Variable]) -> Vec<Leaf> {
    let mut out = Vec::new();
    for (index, variable) in variables.iter().enumerate() {
        split(variable, "", (&[0], &[]), index as u32, &mut out);
    }
    out
}

/// `bases` are the offsets of all the structures around the variable, `lengths` those of the arrays around it.
fn split(variable: &Variable, prefix: &str, (bases, lengths): (&[u32], &[u32]), index: u32, out: &mut Vec<Leaf>) {
    let brackets = if variable.length.is_some() { "[]" } else { "" };
    let name = format!("{prefix}{}{brackets}", variable.name);
    let element = |base: &u32| {
        let (first, size) = (base + variable.offset, variable.ty.size());
        (0..variable.length.unwrap_or(1)).map(move |element| first + element * size)
    };
    let offsets: Vec<u32> = bases.iter().flat_map(element).collect();
    let lengths: Vec<u32> = lengths.iter().copied().chain(variable.length).collect();
    match &variable.ty {
        Type::Scalar(ty) => out.push(leaf(name, ty, index, (offsets, lengths))),
        Type::Struct(layout) => {
            let prefix = format!("{name}.");
            layout.fields.iter().for_each(|field| split(field, &prefix, (&offsets, &lengths), index, out));
        }
    }
}

fn leaf(name: String, ty: &Scalar, variable: u32, (offsets, lengths): (Vec<u32>, Vec<u32>)) -> Leaf {
    Leaf {
        name,
        ty: ty.clone(),
        variable,
        offsets,
        lengths,
        range: Interval::EMPTY,
        values: Values::empty(),
        is_written: false,
        is_read: false,
        channels: ChannelSet::default(),
    }
}

/// Where the numbers of a part lie.
pub(super) fn places(leaves: &[Leaf]) -> Places {
    let mut places = Places::new();
    for (index, leaf) in leaves.iter().enumerate() {
        places.extend(leaf.offsets.iter().enumerate().map(|(element, &at)| (at, index as u32, element as u32)));
    }
    places.sort_unstable();
    places
}
