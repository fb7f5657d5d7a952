//! Orders of the labels of blocks.

use super::turns::{Ordered, follow};

/// Blocks up to this size are sorted by counting.
const SMALL: usize = 16;

/// Whether the labels of a block are in order.
#[inline]
pub(super) fn is_sorted(block: &[u8], keys: &[u64]) -> bool {
    let Some(&first) = block.first() else { return true };
    keys[usize::from(first)..][..block.len()].is_sorted()
}

/// Where each label of a block goes if they are sorted by keys. In blocks that are not large it is counted how many are
/// less than each, which has no branches to be guessed.
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
    let step = &mut step[usize::from(first)..][..block.len()];
    // The most blocks are small: their loops are unrolled.
    match block.len() {
        2 => count::<2>(keys, first, step, found),
        3 => count::<3>(keys, first, step, found),
        4 => count::<4>(keys, first, step, found),
        5 => count::<5>(keys, first, step, found),
        6 => count::<6>(keys, first, step, found),
        7 => count::<7>(keys, first, step, found),
        8 => count::<8>(keys, first, step, found),
        _ => count_less(keys, first, step, found),
    }
}

#[inline]
fn count<const N: usize>(keys: &[u64], first: u8, step: &mut [u8], found: &mut Ordered) {
    let (Ok(keys), Ok(step)) = (<&[u64; N]>::try_from(keys), <&mut [u8; N]>::try_from(step)) else { return };
    count_less(keys, first, step, found);
}

/// Where each label goes: behind all that are less, and of equal ones the first stays first.
#[inline(always)]
fn count_less(keys: &[u64], first: u8, step: &mut [u8], found: &mut Ordered) {
    for at in 0..keys.len() {
        let mut less = 0;
        for other in 0..at {
            less += u8::from(keys[other] <= keys[at]);
            found.ties |= keys[other] == keys[at];
        }
        for other in at + 1..keys.len() {
            less += u8::from(keys[other] < keys[at]);
        }
        found.moves |= usize::from(less) != at;
        step[at] = first + less;
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
