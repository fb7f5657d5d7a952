//! Which permutations are automorphisms: candidates, each checked.

use super::action::{Action, NONE};
use super::canonical::Automorphisms;
use super::names::Names;
use super::permit::Frame;
use spinor_exec::{Shape, Shapes};
use spinor_model::ProctypeId;
use spinor_model::symmetry::Scalarsets;

/// What was found out about a shape.
pub(super) struct Found {
    pub(super) group: Automorphisms,
    pub(super) names: Names,
    /// The blocks, by index.
    pub(super) blocks: Vec<Vec<usize>>,
    /// The indexes that only some permutations move together.
    pub(super) rings: Vec<Vec<usize>>,
    /// Why two indexes cannot change places.
    pub(super) refused: Vec<(usize, usize, String)>,
}

/// The automorphisms of the states of a shape, one of which is given.
pub(super) fn find(sets: &Scalarsets, shapes: &Shapes<'_>, shape: &Shape, state: &[u64]) -> Found {
    let names = Names::new(sets, shapes, shape, state);
    let frame = Frame { sets, shapes, shape, names: &names, state };
    let mut refused = Vec::new();
    let blocks = blocks(&frame, &mut refused);
    let (rings, elements) = rings(&frame, &blocks);
    let movable: Vec<usize> = blocks.iter().chain(&rings).flatten().copied().collect();
    let mut label = vec![NONE; names.len()];
    for (next, &index) in movable.iter().take(usize::from(NONE)).enumerate() {
        label[index] = next as u8;
    }
    // A block that has no labels left stays where it is.
    let labelled =
        |block: &Vec<usize>| -> Vec<u8> { block.iter().map(|&index| label[index]).filter(|&it| it != NONE).collect() };
    let action = Action::new(&frame, &label, shape.words());
    let element = |image: &Vec<usize>| -> Vec<u8> {
        let mut labels: Vec<u8> = (0..action.labels as u8).collect();
        for (from, &to) in image.iter().enumerate().filter(|(from, _)| label[*from] != NONE) {
            labels[usize::from(label[from])] = label[to];
        }
        labels
    };
    let rings_of_labels: Vec<Vec<Vec<u8>>> = if movable.len() < usize::from(NONE) {
        elements.iter().map(|ring| ring.iter().map(element).collect()).collect()
    } else {
        Vec::new()
    };
    let group = Automorphisms::new(action, blocks.iter().map(labelled).collect(), rings_of_labels);
    Found { group, names, blocks, rings, refused }
}

/// Sets of indexes any two of which can change places.
fn blocks(frame: &Frame<'_, '_>, refused: &mut Vec<(usize, usize, String)>) -> Vec<Vec<usize>> {
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    for index in 0..frame.names.len() {
        let swap = |with: usize| {
            let mut image: Vec<usize> = (0..frame.names.len()).collect();
            image.swap(index, with);
            frame.permits(&image)
        };
        let is_alike = |block: &&mut Vec<usize>| types(frame, block[0]).eq(types(frame, index));
        let found = blocks.iter_mut().filter(is_alike).find(|block| match swap(block[0]) {
            Ok(()) => true,
            Err(why) => {
                refused.push((block[0], index, why));
                false
            }
        });
        match found {
            Some(block) => block.push(index),
            None => blocks.push(vec![index]),
        }
    }
    blocks.retain(|block| block.len() > 1);
    blocks
}

fn types(frame: &Frame<'_, '_>, index: usize) -> impl Iterator<Item = ProctypeId> {
    frame.names.members[index].iter().map(|member| member.0)
}

/// Rotations and reflections of indexes that cannot change places one by one: those of each type alone, or of all
/// together.
fn rings(frame: &Frame<'_, '_>, blocks: &[Vec<usize>]) -> (Vec<Vec<usize>>, Vec<Vec<Vec<usize>>>) {
    let is_left = |index: &usize| !blocks.iter().flatten().any(|it| it == index);
    let mut kinds: Vec<Vec<usize>> = Vec::new();
    for index in (0..frame.names.len()).filter(is_left).filter(|&index| !frame.names.members[index].is_empty()) {
        match kinds.iter_mut().find(|kind| types(frame, kind[0]).eq(types(frame, index))) {
            Some(kind) => kind.push(index),
            None => kinds.push(vec![index]),
        }
    }
    kinds.retain(|kind| kind.len() > 1);
    let (mut rings, mut elements) = (Vec::new(), Vec::new());
    let mut together: Vec<Vec<usize>> = Vec::new();
    for kind in kinds {
        let found = dihedral(frame, std::slice::from_ref(&kind));
        if found.is_empty() {
            together.push(kind);
        } else {
            rings.push(kind);
            elements.push(found);
        }
    }
    if together.len() > 1 && together.iter().all(|kind| kind.len() == together[0].len()) {
        let found = dihedral(frame, &together);
        if !found.is_empty() {
            rings.push(together.concat());
            elements.push(found);
        }
    }
    (rings, elements)
}

/// The permitted ones among the rotations and reflections of some rows, all turned alike.
fn dihedral(frame: &Frame<'_, '_>, rows: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let size = rows[0].len();
    let turned = |by: usize, back: bool| {
        let mut image: Vec<usize> = (0..frame.names.len()).collect();
        for row in rows {
            for (at, &index) in row.iter().enumerate() {
                image[index] = row[if back { (by + size - at) % size } else { (by + at) % size }];
            }
        }
        image
    };
    let all = (0..size).flat_map(|by| [turned(by, false), turned(by, true)]);
    let mut found: Vec<Vec<usize>> = Vec::new();
    for image in all {
        let is_identity = image.iter().enumerate().all(|(from, &to)| from == to);
        if !is_identity && !found.contains(&image) && frame.permits(&image).is_ok() {
            found.push(image);
        }
    }
    found
}
