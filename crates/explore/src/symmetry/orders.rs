//! Orders of the labels of blocks.

use super::turns::{Ordered, follow};

/// Blocks up to this size are sorted on the spot.
const SMALL: usize = 16;

/// Whether the labels of a block are in order.
#[inline]
pub(super) fn is_sorted(block: &[u8], keys: &[u64]) -> bool {
    let Some(&first) = block.first() else { return true };
    keys[usize::from(first)..][..block.len()].is_sorted()
}

/// Where each label of a block goes if they are sorted by keys. A step changes few processes, and those of the state before
/// were in order, so most are where they belong: they are inserted one after the other.
#[inline]
pub(super) fn sort(block: &[u8], keys: &[u64], step: &mut [u8], found: &mut Ordered) {
    let Some(&first) = block.first() else { return };
    // The labels of a block follow each other.
    let keys = &keys[usize::from(first)..][..block.len()];
    if block.len() > SMALL {
        let mut order = block.to_vec();
        order.sort_by_key(|&label| keys[usize::from(label - first)]);
        block.iter().zip(&order).for_each(|(&to, &from)| step[usize::from(from)] = to);
        found.moves |= order != block;
        found.ties |=
            order.windows(2).any(|pair| keys[usize::from(pair[0] - first)] == keys[usize::from(pair[1] - first)]);
        return;
    }
    let mut sorted = [(0_u64, 0_u8); SMALL];
    for (at, &key) in keys.iter().enumerate() {
        let mut to = at;
        while to > 0 && sorted[to - 1].0 > key {
            sorted[to] = sorted[to - 1];
            to -= 1;
        }
        found.moves |= to != at;
        found.ties |= to > 0 && sorted[to - 1].0 == key;
        sorted[to] = (key, at as u8);
    }
    for (&to, (_, from)) in block.iter().zip(sorted) {
        step[usize::from(first + from)] = to;
    }
}

/// The transpositions of neighbours.
pub(super) fn swaps(blocks: &[Vec<u8>], labels: usize) -> Vec<Vec<u8>> {
    let swap = |pair: &[u8]| {
        let mut image: Vec<u8> = (0..labels as u8).collect();
        image.swap(usize::from(pair[0]), usize::from(pair[1]));
        image
    };
    blocks.iter().flat_map(|block| block.windows(2).map(swap)).collect()
}

/// All permutations within blocks, and then those of each of some lists or none.
pub(super) fn elements(blocks: &[Vec<u8>], turns: &[Vec<Vec<u8>>], labels: usize) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = vec![(0..labels as u8).collect()];
    for block in blocks {
        let mut orders = Vec::new();
        each_order(&mut block.clone(), 0, &mut |order| orders.push(order.to_vec()));
        let permuted = |image: &Vec<u8>, order: &Vec<u8>| {
            let mut next = image.clone();
            block.iter().zip(order).for_each(|(&from, &to)| next[usize::from(from)] = to);
            next
        };
        all = all.iter().flat_map(|image| orders.iter().map(move |order| permuted(image, order))).collect();
    }
    for turns in turns {
        let turned = |image: &Vec<u8>, element: &Vec<u8>| {
            let mut next = image.clone();
            follow(&mut next, element);
            next
        };
        let more: Vec<Vec<u8>> =
            all.iter().flat_map(|image| turns.iter().map(move |element| turned(image, element))).collect();
        all.extend(more);
    }
    all
}

pub(super) fn each_order(order: &mut Vec<u8>, from: usize, visit: &mut dyn FnMut(&[u8])) {
    if from == order.len() {
        return visit(order);
    }
    for at in from..order.len() {
        order.swap(from, at);
        each_order(order, from + 1, visit);
        order.swap(from, at);
    }
}
