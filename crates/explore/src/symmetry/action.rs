//! How permutations act on packed vectors.

use super::names::{Name, sort_of};
use super::permit::{Coordinate, Frame, Part};
use spinor_exec::{Bits, Coding, Place};
use spinor_model::LocationId;
use spinor_model::symmetry::Node;
use std::collections::BTreeMap;
use std::sync::Arc;

/// No label.
pub(super) const NONE: u8 = u8::MAX;

/// When a number that is 0 may be something that is not there.
#[derive(Clone, Debug)]
pub(super) enum Guard {
    /// It is always there.
    Always,
    /// It is a field of the message with this place in a queue of some length.
    Queued(Bits, u64),
    /// It is a variable that is dead at some locations.
    Alive(Bits, Arc<[bool]>),
}

impl Guard {
    #[inline]
    pub(super) fn holds(&self, words: &[u64]) -> bool {
        match self {
            Guard::Always => true,
            Guard::Queued(length, place) => length.get(words) > *place,
            Guard::Alive(location, dead) => !dead[location.get(words) as usize],
        }
    }
}

/// A field that lies where its labels say.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) at: [u8; 2],
    pub(super) bits: Bits,
    pub(super) guard: Guard,
}

/// Cells that change places with each other.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// How many labels they have: at most two.
    pub(super) names: usize,
    pub(super) cells: Vec<Cell>,
    /// Where the cell with some labels is.
    places: Vec<Bits>,
    /// How names in them change, if they hold names.
    pub(super) rename: Option<Arc<Rename>>,
}

/// Names as they are kept in a field.
#[derive(Debug)]
pub(super) struct Rename {
    first: u64,
    /// The label and the variant of each number from the first on.
    names: Vec<(u8, u8)>,
    labels: usize,
    /// The number of each variant of each label.
    numbers: Vec<u64>,
}

impl Rename {
    /// Whose name a number is.
    #[inline]
    pub(super) fn label(&self, number: u64) -> u8 {
        self.names.get(number.wrapping_sub(self.first) as usize).map_or(NONE, |name| name.0)
    }

    #[inline]
    fn apply(&self, number: u64, image: &[u8]) -> u64 {
        match self.names.get(number.wrapping_sub(self.first) as usize) {
            Some(&(label, variant)) if label != NONE => {
                self.numbers[usize::from(variant) * self.labels + usize::from(image[usize::from(label)])]
            }
            _ => number,
        }
    }
}

/// The label and the type of each process that has a label.
type Slots = Vec<Option<(u8, u8)>>;

/// The cells of a shape, in the order of their groups.
#[derive(Debug)]
pub(super) struct Action {
    pub(super) labels: usize,
    pub(super) groups: Vec<Group>,
    /// The bits of each word that no permutation touches.
    kept: Vec<u64>,
    /// The label and the type of each process, and back.
    pids: Slots,
    pid_of: Vec<Vec<u8>>,
}

impl Action {
    /// The action of permutations of those indexes that have a label.
    pub(super) fn new(frame: &Frame<'_, '_>, label: &[u8], words: usize) -> Action {
        let labels = label.iter().filter(|&&it| it != NONE).count();
        let mut builder = Builder { frame, label, labels, groups: BTreeMap::new(), renames: BTreeMap::new() };
        frame.parts().iter().for_each(|part| builder.part(part));
        builder.locations();
        builder.channels();
        let mut kept = vec![u64::MAX; words];
        let mut groups: Vec<Group> =
            builder.groups.into_values().filter(|it| it.names > 0 || it.rename.is_some()).collect();
        for cell in groups.iter().flat_map(|group| &group.cells) {
            kept[cell.bits.word as usize] &= !cell.bits.mask();
        }
        join_neighbours(&mut groups);
        for group in &mut groups {
            group.index(labels);
        }
        let (pids, pid_of) = slots(frame, label, labels);
        Action { labels, groups, kept, pids, pid_of }
    }

    /// Whether all that is known of an index is in cells of its own: then equal cells mean equal states.
    pub(super) fn is_plain(&self) -> bool {
        self.groups.iter().all(|group| group.names < 2 && (group.names == 0 || group.rename.is_none()))
    }

    /// The vector after a permutation.
    pub(super) fn apply(&self, from: &[u64], image: &[u8], to: &mut Vec<u64>) {
        to.clear();
        to.extend(from.iter().zip(&self.kept).map(|(word, kept)| word & kept));
        for group in &self.groups {
            for cell in &group.cells {
                let mut number = cell.bits.get(from);
                if let Some(rename) = &group.rename
                    && cell.guard.holds(from)
                {
                    number = rename.apply(number, image);
                }
                group.place(cell, image, self.labels).fill(to, number);
            }
        }
    }

    /// The process that takes the place of another.
    pub(super) fn pid(&self, pid: u8, image: &[u8]) -> u8 {
        match self.pids.get(usize::from(pid)) {
            Some(Some((label, kind))) => self.pid_of[usize::from(*kind)][usize::from(image[usize::from(*label)])],
            _ => pid,
        }
    }
}

impl Group {
    fn index(&mut self, labels: usize) {
        let nowhere = Bits { word: 0, shift: 0, width: 0 };
        self.places = vec![nowhere; labels.pow(self.names as u32)];
        for cell in &self.cells {
            let at = slot(cell.at, self.names, labels);
            self.places[at] = cell.bits;
        }
    }

    #[inline]
    fn place(&self, cell: &Cell, image: &[u8], labels: usize) -> Bits {
        let to = |label: u8| if label == NONE { NONE } else { image[usize::from(label)] };
        self.places[slot([to(cell.at[0]), to(cell.at[1])], self.names, labels)]
    }
}

#[inline]
fn slot(at: [u8; 2], names: usize, labels: usize) -> usize {
    match names {
        0 => 0,
        1 => usize::from(at[0]),
        _ => usize::from(at[0]) * labels + usize::from(at[1]),
    }
}

/// Groups that lie side by side everywhere, and hold no names, are one.
fn join_neighbours(groups: &mut Vec<Group>) {
    let is_plain = |it: &Group| it.names == 1 && it.rename.is_none();
    let follows = |one: &Group, other: &Group| {
        let side_by_side = |(a, b): (&Cell, &Cell)| {
            a.at == b.at
                && a.bits.word == b.bits.word
                && a.bits.shift + a.bits.width == b.bits.shift
                && a.bits.width + b.bits.width <= 64
        };
        is_plain(one)
            && is_plain(other)
            && one.cells.len() == other.cells.len()
            && one.cells.iter().zip(&other.cells).all(side_by_side)
    };
    let mut at = 0;
    while at < groups.len() {
        match (0..groups.len()).find(|&next| next != at && follows(&groups[at], &groups[next])) {
            Some(next) => {
                let joined = groups[next].cells.clone();
                groups[at].cells.iter_mut().zip(joined).for_each(|(cell, more)| cell.bits.width += more.bits.width);
                groups.remove(next);
                at -= usize::from(next < at);
            }
            None => at += 1,
        }
    }
}

fn slots(frame: &Frame<'_, '_>, label: &[u8], labels: usize) -> (Slots, Vec<Vec<u8>>) {
    let mut kinds: Vec<spinor_model::ProctypeId> = frame.names.members.iter().flatten().map(|it| it.0).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut pid_of = vec![vec![0; labels]; kinds.len()];
    let mut pids = vec![None; frame.shape.processes.len()];
    for (index, members) in frame.names.members.iter().enumerate().filter(|(index, _)| label[*index] != NONE) {
        for &(proctype, pid) in members {
            let kind = kinds.binary_search(&proctype).expect("all are known");
            pids[pid] = Some((label[index], kind as u8));
            pid_of[kind][usize::from(label[index])] = pid as u8;
        }
    }
    (pids, pid_of)
}

/// What the cells of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    what: u8,
    number: [usize; 3],
    coordinates: Vec<Pattern>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pattern {
    Plain(u32),
    Process(u16),
    Named(usize),
}

/// How names are kept: their sort, what they are more, and their coding.
type Kept = (usize, i32, i32, u64, Option<i32>);

struct Builder<'a, 'f, 'm> {
    frame: &'a Frame<'f, 'm>,
    label: &'a [u8],
    labels: usize,
    groups: BTreeMap<Key, Group>,
    renames: BTreeMap<Kept, Option<Arc<Rename>>>,
}

impl Builder<'_, '_, '_> {
    fn labelled(&self, index: usize) -> Option<u8> {
        Some(self.label[index]).filter(|&label| label != NONE)
    }

    fn process(&self, pid: usize) -> (Pattern, Option<u8>) {
        let label = self.frame.names.of_pid(pid).and_then(|index| self.labelled(index));
        match label {
            Some(_) => (Pattern::Process(self.frame.shape.processes[pid].proctype.0), label),
            None => (Pattern::Plain(pid as u32), None),
        }
    }

    fn coordinate(&self, coordinate: &Coordinate, number: u32) -> (Pattern, Option<u8>) {
        match coordinate {
            Coordinate::Named(index, variant) if self.label[*index] != NONE => {
                (Pattern::Named(*variant), self.labelled(*index))
            }
            _ => (Pattern::Plain(number), None),
        }
    }

    fn add(
        &mut self,
        (what, number): (u8, [usize; 3]),
        coordinates: Vec<(Pattern, Option<u8>)>,
        (bits, guard): (Bits, Guard),
        rename: Option<Arc<Rename>>,
    ) {
        let labels: Vec<u8> = coordinates.iter().filter_map(|it| it.1).collect();
        let names = labels.len();
        let at = [labels.first().copied().unwrap_or(NONE), labels.get(1).copied().unwrap_or(NONE)];
        let key = Key { what, number, coordinates: coordinates.into_iter().map(|it| it.0).collect() };
        let fresh = || Group { names, cells: Vec::new(), places: Vec::new(), rename };
        let group = self.groups.entry(key).or_insert_with(fresh);
        if bits.width > 0 {
            group.cells.push(Cell { at, bits, guard });
        }
    }

    fn part(&mut self, part: &Part<'_>) {
        for (leaf, place) in part.places.iter().enumerate() {
            let Place::Stored { coding, series } = place else { continue };
            let node = self.frame.node(part, leaf);
            let rename = self.rename(node, *coding);
            let owner = part.pid.map(|pid| self.process(pid));
            for element in 0..part.leaves[leaf].offsets.len() {
                let bits = series.element(element as u32);
                let named = self.frame.coordinates(part, leaf, element);
                let mut inner = part.leaves[leaf].offsets.len();
                let mut coordinates: Vec<_> = owner.iter().cloned().collect();
                for (coordinate, &length) in named.iter().zip(&part.leaves[leaf].lengths) {
                    inner /= length as usize;
                    coordinates.push(self.coordinate(coordinate, (element / inner) as u32 % length));
                }
                let guard = rename.as_ref().map_or(Guard::Always, |_| self.life(part, bits));
                self.add((0, [part.base as usize, leaf, 0]), coordinates, (bits, guard), rename.clone());
            }
        }
    }

    /// Where a variable is dead, if it is anywhere.
    fn life(&self, part: &Part<'_>, bits: Bits) -> Guard {
        let Some(pid) = part.pid else { return Guard::Always };
        let process = &self.frame.shape.processes[pid];
        let locations = self.frame.shapes.model().proctype(part.proctype).locations.len();
        let is_dead = |at: usize| {
            let mut dead = self.frame.shapes.dead(process, LocationId(at as u16));
            dead.any(|part| part.word == bits.word && part.mask() & bits.mask() != 0)
        };
        let dead: Arc<[bool]> = (0..locations).map(is_dead).collect();
        if dead.contains(&true) { Guard::Alive(process.location, dead) } else { Guard::Always }
    }

    fn locations(&mut self) {
        for (pid, process) in self.frame.shape.processes.iter().enumerate() {
            let coordinates = vec![self.process(pid)];
            self.add((1, [0; 3]), coordinates, (process.location, Guard::Always), None);
        }
    }

    fn channels(&mut self) {
        for (number, channel) in self.frame.shape.channels.iter().enumerate() {
            let name = self.frame.names.channel(number as i32 + 1);
            let coordinate = name.map_or(Coordinate::Plain(0), |it| Coordinate::Named(it.index, it.variant));
            let coordinates = vec![self.coordinate(&coordinate, number as u32)];
            self.add((2, [0; 3]), coordinates.clone(), (channel.length, Guard::Always), None);
            for lane in &channel.lanes {
                for field in &lane.fields {
                    let rename = self.rename(self.frame.field_node(channel.site, field.field), field.coding);
                    for place in 0..lane.series.length {
                        let whole = lane.series.element(place);
                        let bits = Bits { word: whole.word, shift: whole.shift + field.shift, width: field.width };
                        let guard = Guard::Queued(channel.length, u64::from(place));
                        let what = (3, [field.field, place as usize, 0]);
                        self.add(what, coordinates.clone(), (bits, guard), rename.clone());
                    }
                }
            }
        }
    }

    /// How names in a field change, if any that has a label can be there.
    fn rename(&mut self, node: Node, coding: Coding) -> Option<Arc<Rename>> {
        let (sort, more) = sort_of(self.frame.sets, node)?;
        let key = (sort, more, coding.low, coding.highest, coding.outlier);
        if let Some(known) = self.renames.get(&key) {
            return known.clone();
        }
        let made = self.make_rename(sort, more, coding);
        self.renames.insert(key, made.clone());
        made
    }

    fn make_rename(&self, sort: usize, more: i32, coding: Coding) -> Option<Arc<Rename>> {
        let of = |(Name { index, variant }, number): (Name, i32)| {
            Some((self.labelled(index)?, variant, coding.number(number.wrapping_add(more))?))
        };
        let all: Vec<(u8, usize, u64)> = self.frame.names.names(sort).filter_map(of).collect();
        let first = all.iter().map(|it| it.2).min()?;
        let last = all.iter().map(|it| it.2).max()?;
        let mut variants: Vec<usize> = all.iter().map(|it| it.1).collect();
        variants.sort_unstable();
        variants.dedup();
        let mut names = vec![(NONE, 0); (last - first) as usize + 1];
        let mut numbers = vec![0; variants.len() * self.labels];
        for (label, variant, number) in all {
            let variant = variants.binary_search(&variant).expect("all are known");
            names[(number - first) as usize] = (label, variant as u8);
            numbers[variant * self.labels + usize::from(label)] = number;
        }
        Some(Arc::new(Rename { first, names, labels: self.labels, numbers }))
    }
}
