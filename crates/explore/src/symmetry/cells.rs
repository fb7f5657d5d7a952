//! The fields of the packed vectors of a shape that permutations touch.

use super::action::NONE;
use super::frame::{Coordinate, Frame, Part};
use super::names::{Name, field_node, sort_of};
use spinor_exec::{Bits, Coding, Place};
use spinor_model::model::StatementId;
use spinor_model::symmetry::{Node, Pick, Scalarsets};
use spinor_model::{LocationId, ProctypeId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// When a field that holds a name is there; otherwise it is 0, which is no name then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Guard {
    Always,
    /// It belongs to the message with this place in a queue of some length.
    Queued(Bits, u32),
    /// It is a variable that is dead at some locations.
    Alive(Bits, Arc<[bool]>),
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
    /// How names in them change, if they hold names.
    pub(super) rename: Option<Arc<Rename>>,
    /// Whether they say where processes stand.
    pub(super) is_location: bool,
}

impl Group {
    /// Whether its cells hold what belongs to one label, and no names.
    pub(super) fn is_own(&self) -> bool {
        self.names == 1 && self.rename.is_none()
    }
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
    /// Whose name a number is, and which of its names.
    #[inline]
    pub(super) fn name(&self, number: u64) -> (u8, u8) {
        *self.names.get(number.wrapping_sub(self.first) as usize).unwrap_or(&(NONE, 0))
    }

    /// The number after a permutation.
    #[inline]
    pub(super) fn apply(&self, number: u64, image: &[u8]) -> u64 {
        match self.names.get(number.wrapping_sub(self.first) as usize) {
            Some(&(label, variant)) if label != NONE => {
                self.numbers[usize::from(variant) * self.labels + usize::from(image[usize::from(label)])]
            }
            _ => number,
        }
    }
}

/// Numbers as they are in the text.
const TEXT: Coding = Coding { low: i32::MIN, highest: u32::MAX as u64, outlier: None };

/// Statements of which a process chooses one, each with the number that it stores: what becomes of the number is what
/// another stores.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) proctype: ProctypeId,
    pub(super) statements: Vec<(i32, StatementId)>,
    rename: Arc<Rename>,
}

impl Choice {
    /// The statement that a process chooses in the image of a state in which it chooses this one.
    pub(super) fn after(&self, statement: StatementId, image: &[u8]) -> Option<StatementId> {
        let (number, _) = self.statements.iter().find(|it| it.1 == statement)?;
        let to = TEXT.value(self.rename.apply(TEXT.number(*number)?, image));
        self.statements.iter().find(|it| it.0 == to).map(|it| it.1)
    }
}

/// Numbers that a process picks by a loop.
#[derive(Debug)]
pub(super) struct Picked {
    pub(super) proctype: ProctypeId,
    pub(super) pick: Pick,
    rename: Arc<Rename>,
}

impl Picked {
    /// The number that a process picks in the image of a state in which it picks this one.
    pub(super) fn after(&self, number: i32, image: &[u8]) -> i32 {
        TEXT.number(number).map_or(number, |it| TEXT.value(self.rename.apply(it, image)))
    }
}

/// The choices of processes that permutations of those indexes change that have a label.
pub(super) fn choices(frame: &Frame<'_, '_>, label: &[u8], labels: usize) -> (Vec<Choice>, Vec<Picked>) {
    let mut builder = Builder { frame, label, labels, groups: BTreeMap::new(), renames: BTreeMap::new() };
    let mut types: Vec<ProctypeId> = frame.shape.processes.iter().map(|process| process.proctype).collect();
    types.sort_unstable();
    types.dedup();
    let choices = types.iter().flat_map(|&proctype| builder.choices(proctype)).collect();
    (choices, types.into_iter().flat_map(|proctype| builder.picks(proctype)).collect())
}

/// The cells that permutations of those indexes touch that have a label.
pub(super) fn groups(frame: &Frame<'_, '_>, label: &[u8], labels: usize) -> Vec<Group> {
    let mut builder = Builder { frame, label, labels, groups: BTreeMap::new(), renames: BTreeMap::new() };
    frame.parts().iter().for_each(|part| builder.part(part));
    builder.locations();
    builder.channels();
    builder.groups.into_values().filter(|it| it.names > 0 || it.rename.is_some()).collect()
}

/// What begins the keys of groups of locations.
const LOCATION: u8 = 1;

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
        let fresh = || Group { names, cells: Vec::new(), rename, is_location: what == LOCATION };
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
            // What a process was given is what becomes of it, in all places.
            if self.frame.is_given(part, leaf) {
                continue;
            }
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
            self.add((LOCATION, [0; 3]), coordinates, (process.location, Guard::Always), None);
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
                    let rename = self.rename(field_node(self.frame.shapes, channel.site, field.field), field.coding);
                    for place in 0..lane.series.length {
                        let whole = lane.series.element(place);
                        let bits = Bits { word: whole.word, shift: whole.shift + field.shift, width: field.width };
                        let guard = Guard::Queued(channel.length, place);
                        let what = (3, [field.field, place as usize, 0]);
                        self.add(what, coordinates.clone(), (bits, guard), rename.clone());
                    }
                }
            }
        }
    }

    fn picks(&mut self, proctype: ProctypeId) -> Vec<Picked> {
        let all = Scalarsets::picks(self.frame.shapes.model().proctype(proctype)).into_iter();
        let picked = |pick: Pick| {
            let rename = self.rename(self.frame.target(proctype, &pick.target)?, TEXT)?;
            Some(Picked { proctype, pick, rename })
        };
        all.filter_map(picked).collect()
    }

    fn choices(&mut self, proctype: ProctypeId) -> Vec<Choice> {
        let definition = self.frame.shapes.model().proctype(proctype);
        let mut choices = Vec::new();
        for set in Scalarsets::choices(definition) {
            let Some((target, _)) = set.first().and_then(|first| Scalarsets::stored(definition, *first)) else {
                continue;
            };
            let Some(node) = self.frame.target(proctype, target) else { continue };
            let Some(rename) = self.rename(node, TEXT) else { continue };
            let one = |&statement: &StatementId| Some((Scalarsets::stored(definition, statement)?.1, statement));
            choices.push(Choice { proctype, statements: set.iter().filter_map(one).collect(), rename });
        }
        choices
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
