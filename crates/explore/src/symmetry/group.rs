//! Which permutations are automorphisms: candidates, each checked.

use super::action::NONE;
use super::canonical::Automorphisms;
use super::diagram::Diagram;
use super::frame::Frame;
use super::links::mix;
use super::names::Names;
use super::search::{self, Component};
use super::turns::Turns;
use super::verify::verify;
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

/// The automorphisms of the states of a shape in which processes were given the same.
pub(super) fn find(sets: &Scalarsets, shapes: &Shapes<'_>, shape: &Shape, given: &[u64]) -> Found {
    let names = Names::new(sets, shapes, shape, given);
    let frame = Frame { sets, shapes, shape, names: &names, given };
    let mut refused = Vec::new();
    let (blocks, mut turns) = symmetries(&frame, &mut refused);
    let movable = |turns: &[Component]| {
        let mut all: Vec<usize> = blocks.iter().chain(turns.iter().map(|it| &it.moved)).flatten().copied().collect();
        let mut known = vec![false; names.len()];
        all.retain(|&index| !std::mem::replace(&mut known[index], true));
        all
    };
    // A block that has no labels left stays where it is.
    turns.retain(|_| movable(&[]).len() < usize::from(NONE));
    while movable(&turns).len() > usize::from(NONE) && turns.pop().is_some() {}
    let mut label = vec![NONE; names.len()];
    for (next, &index) in movable(&turns).iter().take(usize::from(NONE)).enumerate() {
        label[index] = next as u8;
    }
    let labelled =
        |block: &Vec<usize>| -> Vec<u8> { block.iter().map(|&index| label[index]).filter(|&it| it != NONE).collect() };
    let element = |image: &Vec<usize>| -> Vec<u8> {
        let labels = label.iter().filter(|&&it| it != NONE).count();
        let mut labels: Vec<u8> = (0..labels).map(|label| label as u8).collect();
        for (from, &to) in image.iter().enumerate().filter(|(from, _)| label[*from] != NONE) {
            labels[usize::from(label[from])] = label[to];
        }
        labels
    };
    let turn = |it: &Component| Turns::new(it.generators.iter().map(element).collect(), it.order);
    let rings = turns.iter().map(|it| it.moved.clone()).collect();
    let turns = turns.iter().map(turn).collect();
    let group = Automorphisms::new(&frame, &label, blocks.iter().map(labelled).collect(), turns);
    Found { group, names, blocks, rings, refused }
}

/// Sets of indexes any two of which can change places, and generators of what there is beyond.
fn symmetries(frame: &Frame<'_, '_>, refused: &mut Vec<(usize, usize, String)>) -> (Vec<Vec<usize>>, Vec<Component>) {
    let diagram = Diagram::new(frame);
    let mut colours = diagram.colours.clone();
    diagram.refine(&mut colours);
    let blocks = blocks(frame, &colours, refused);
    let identity: Vec<usize> = (0..frame.names.len()).collect();
    if verify(frame, &identity).is_err() {
        return (blocks, Vec::new());
    }
    // Blocks go to blocks, and their members keep their order.
    let mut colours = diagram.colours.clone();
    for block in &blocks {
        (1..).zip(block).for_each(|(rank, &index)| colours[index] = mix(colours[index], rank));
    }
    let found = search::automorphisms(&diagram, colours, &|image| verify(frame, image).is_ok());
    let mut components = found.components();
    components.retain(|it| it.moved.iter().any(|&index| types(frame, index).next().is_some()));
    (blocks, components)
}

/// Sets of indexes any two of which can change places.
fn blocks(frame: &Frame<'_, '_>, colours: &[u64], refused: &mut Vec<(usize, usize, String)>) -> Vec<Vec<usize>> {
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    for index in 0..frame.names.len() {
        let swap = |with: usize| {
            let mut image: Vec<usize> = (0..frame.names.len()).collect();
            image.swap(index, with);
            verify(frame, &image)
        };
        // Where processes differ, it is asked why.
        let is_process = !frame.names.members[index].is_empty();
        let is_alike = |block: &&mut Vec<usize>| {
            types(frame, block[0]).eq(types(frame, index)) && (is_process || colours[block[0]] == colours[index])
        };
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
    // Channels are of interest where processes move with them.
    blocks.retain(|block| block.len() > 1 && types(frame, block[0]).next().is_some());
    blocks
}

fn types(frame: &Frame<'_, '_>, index: usize) -> impl Iterator<Item = ProctypeId> {
    frame.names.members[index].iter().map(|member| member.0)
}
