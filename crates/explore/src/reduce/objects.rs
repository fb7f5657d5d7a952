//! The objects of a shape: what steps of different processes can have in common.

use super::uses::{OBJECTS, READ, WRITE};
use spinor_exec::{Place, Shape};
use spinor_model::access::{Object, Use, uses_of, uses_of_action};
use spinor_model::model::{Initial, Model};
use spinor_model::ranges::{Leaf, Ranges};
use spinor_model::{Access, Base, LabelRef, LocationId, ProctypeId};
use std::collections::{BTreeMap, BTreeSet};

/// Arrays with more elements are one object.
const MOST_ELEMENTS: usize = 64;

/// What of processes is seen from outside: by remote references, or by a property.
#[derive(Clone, Debug, Default)]
pub(super) struct Exposed {
    /// Variables, by their number among those of the proctype.
    variables: BTreeSet<(u16, u32)>,
    locations: BTreeSet<(u16, u16)>,
}

impl Exposed {
    pub(super) fn new(model: &Model, watched: &BTreeSet<Object>) -> Exposed {
        let mut exposed = Exposed::default();
        for proctype in &model.proctypes {
            proctype.provided.iter().for_each(|it| uses_of(it, &mut |it| exposed.add(model, it)));
            for statement in &proctype.statements {
                uses_of_action(proctype, &statement.action, &mut |it| exposed.add(model, it));
            }
            for initial in &proctype.locals_init {
                if let Some((_, value)) = initial.value() {
                    uses_of(value, &mut |it| exposed.add(model, it));
                }
            }
        }
        for object in watched {
            match *object {
                Object::Remote(owner, variable) => _ = exposed.variables.insert((owner.0, variable)),
                Object::Label(label) => exposed.label(model, label),
                Object::Location(owner, at) => _ = exposed.locations.insert((owner.0, at.0)),
                Object::Global(_) | Object::Hidden(_) | Object::Local(_) | Object::Channel(_) => {}
                Object::Processes | Object::Locations | Object::Last => {}
                Object::Priorities | Object::Enabledness => {}
            }
        }
        exposed
    }

    fn add(&mut self, model: &Model, it: Use<'_>) {
        match it {
            Use::Remote(owner, _, access) => _ = self.variables.insert((owner.0, access.variable)),
            Use::Label(label, _) => self.label(model, label),
            Use::Read(_) | Use::Write(_) | Use::Channel(..) | Use::Create(_) | Use::End | Use::Count => {}
            Use::Locations | Use::Last | Use::Priority | Use::SetPriority | Use::Enabledness | Use::Siblings => {}
        }
    }

    fn label(&mut self, model: &Model, label: LabelRef) {
        let label = &model.labels[label.0 as usize];
        self.locations.extend(label.location.map(|location| (label.proctype.0, location.0)));
    }

    pub(super) fn has_location(&self, proctype: ProctypeId, location: LocationId) -> bool {
        self.locations.contains(&(proctype.0, location.0))
    }

    fn has_variable(&self, proctype: ProctypeId, variable: u32) -> bool {
        self.variables.contains(&(proctype.0, variable))
    }
}

/// The bits of a variable, if others can know of it.
#[derive(Clone, Copy, Debug)]
enum Numbers {
    /// Nobody else can, or it never changes.
    Private,
    /// All elements have the same bits.
    Together(u32),
    /// Each element has its own, in the order of the leaf.
    Apart(u32),
}

/// The numbering of uses of one shape.
#[derive(Debug)]
pub(super) struct Objects {
    globals: Vec<Numbers>,
    hidden: Vec<Numbers>,
    /// The variables of each process.
    locals: Vec<Vec<Numbers>>,
    /// Where a process stands, if that is exposed.
    locations: Vec<Option<u32>>,
    /// The byte of each channel.
    pub(super) channels: Vec<u32>,
    /// The process that takes each channel with it when it ends.
    pub(super) owners: Vec<Option<usize>>,
    /// Words of a set of uses.
    pub(super) words: usize,
}

impl Objects {
    pub(super) fn new(model: &Model, ranges: &Ranges, shape: &Shape, exposed: &Exposed) -> Objects {
        let mut next = OBJECTS;
        let channels = shape.channels.iter().map(|_| take(&mut next, 8)).collect();
        let globals = ranges.globals.iter().zip(&shape.globals).map(|it| numbers(it, &mut next)).collect();
        let hidden = ranges.hidden.iter().map(|_| Numbers::Together(take(&mut next, 2))).collect();
        let (mut locals, mut locations) = (Vec::new(), Vec::new());
        for process in &shape.processes {
            let leaves = ranges.locals[usize::from(process.proctype.0)].iter().zip(&process.leaves);
            let each = |it: (&Leaf, &Place)| match exposed.has_variable(process.proctype, it.0.variable) {
                true => numbers(it, &mut next),
                false => Numbers::Private,
            };
            locals.push(leaves.map(each).collect());
            let is_seen = exposed.locations.iter().any(|it| it.0 == process.proctype.0);
            locations.push(is_seen.then(|| take(&mut next, 2)));
        }
        let words = next.div_ceil(64) as usize;
        Objects { globals, hidden, locals, locations, channels, owners: owners(model, shape), words }
    }

    /// The bits of the elements that an access may mean. `slot` is the process whose variable it is, if it
    /// is one of the shape.
    pub(super) fn of_access(
        &self,
        ranges: &Ranges,
        (proctype, slot): (ProctypeId, Option<usize>),
        access: &Access,
        element: Option<usize>,
    ) -> Vec<u32> {
        let (leaf, first_element) = ranges.element(access.base, proctype, access.offset);
        let element = element.or_else(|| access.indexes.is_empty().then_some(first_element));
        let numbers = match (access.base, slot) {
            (Base::Global, _) => self.globals[leaf],
            (Base::Hidden, _) => self.hidden[leaf],
            (Base::Local, Some(slot)) => self.locals[slot][leaf],
            (Base::Local, None) => Numbers::Private,
        };
        match numbers {
            Numbers::Private => Vec::new(),
            Numbers::Together(bit) => vec![bit],
            Numbers::Apart(first) => match element {
                Some(element) => vec![first + 2 * element as u32],
                None => {
                    let length = ranges.part(access.base, proctype)[leaf].offsets.len();
                    (0..length as u32).map(|element| first + 2 * element).collect()
                }
            },
        }
    }

    /// The bit of a single number, if it has one of its own.
    pub(super) fn of_number(
        &self,
        ranges: &Ranges,
        (proctype, slot): (ProctypeId, Option<usize>),
        access: &Access,
        element: Option<usize>,
    ) -> Option<u32> {
        let bits = self.of_access(ranges, (proctype, slot), access, element);
        let is_alone = ranges.leaf(proctype, access).offsets.len() <= MOST_ELEMENTS && access.base != Base::Hidden;
        (is_alone && bits.len() == 1).then(|| bits[0])
    }

    /// The first bit that belongs to a variable.
    pub(super) fn first_variable(&self) -> u32 {
        OBJECTS + 8 * self.channels.len() as u32
    }

    /// The bits of all elements of a global or hidden variable.
    pub(super) fn of_variable(&self, ranges: &Ranges, base: Base, variable: u32) -> Vec<u32> {
        let (numbers, leaves) = match base {
            Base::Global => (&self.globals, &ranges.globals),
            Base::Hidden => (&self.hidden, &ranges.hidden),
            Base::Local => return Vec::new(),
        };
        let of_it = numbers.iter().zip(leaves).filter(|(_, leaf)| leaf.variable == variable);
        of_it.flat_map(|(numbers, leaf)| numbers.all(leaf)).collect()
    }

    /// The bits of all elements of a variable of each process of a type.
    pub(super) fn of_local(&self, ranges: &Ranges, shape: &Shape, owner: ProctypeId, variable: u32) -> Vec<u32> {
        let leaves = &ranges.locals[usize::from(owner.0)];
        let slots = shape.processes.iter().enumerate().filter(|(_, process)| process.proctype == owner);
        let of_slot = |(slot, _): (usize, _)| {
            let of_it = self.locals[slot].iter().zip(leaves).filter(|(_, leaf)| leaf.variable == variable);
            of_it.flat_map(|(numbers, leaf)| numbers.all(leaf)).collect::<Vec<_>>()
        };
        slots.flat_map(of_slot).collect()
    }

    /// The bits of where a process stands.
    pub(super) fn location(&self, slot: usize) -> Option<u32> {
        self.locations[slot]
    }

    /// All bits that say that something was changed, for one variable.
    pub(super) fn write_bit(bit: u32) -> u32 {
        bit + WRITE
    }

    pub(super) fn read_bit(bit: u32) -> u32 {
        bit + READ
    }
}

impl Numbers {
    fn all(self, leaf: &Leaf) -> Vec<u32> {
        match self {
            Numbers::Private => Vec::new(),
            Numbers::Together(bit) => vec![bit],
            Numbers::Apart(first) => (0..leaf.offsets.len() as u32).map(|element| first + 2 * element).collect(),
        }
    }
}

fn take(next: &mut u32, bits: u32) -> u32 {
    // No object crosses the end of a word.
    if *next / 64 != (*next + bits - 1) / 64 {
        *next = next.div_ceil(64) * 64;
    }
    *next += bits;
    *next - bits
}

fn numbers((leaf, place): (&Leaf, &Place), next: &mut u32) -> Numbers {
    match place {
        Place::Known(_) => Numbers::Private,
        Place::Stored { .. } if leaf.offsets.len() > MOST_ELEMENTS => Numbers::Together(take(next, 2)),
        Place::Stored { .. } => {
            let first = next.next_multiple_of(2);
            *next = first + 2 * leaf.offsets.len() as u32;
            Numbers::Apart(first)
        }
    }
}

/// Channels lie behind the process that created them, those of the system in front of all.
fn owners(model: &Model, shape: &Shape) -> Vec<Option<usize>> {
    let created = |initials: &[Initial]| initials.iter().filter(|it| it.channel().is_some()).count();
    let mut owners = vec![None; created(&model.globals_init)];
    for (slot, process) in shape.processes.iter().enumerate() {
        let count = created(&model.proctype(process.proctype).locals_init);
        owners.extend(std::iter::repeat_n(Some(slot), count));
    }
    debug_assert_eq!(owners.len(), shape.channels.len());
    owners
}

/// Names of uses, for people.
pub(super) fn names(model: &Model, ranges: &Ranges, shape: &Shape, objects: &Objects) -> BTreeMap<u32, String> {
    let mut names = BTreeMap::new();
    let mut variable = |prefix: &str, leaf: &Leaf, numbers: Numbers| {
        for (element, bit) in numbers.all(leaf).into_iter().enumerate() {
            let name = match numbers {
                Numbers::Apart(_) if leaf.offsets.len() > 1 => format!("{prefix}{}#{element}", leaf.name),
                _ => format!("{prefix}{}", leaf.name),
            };
            names.insert(bit + READ, format!("{name}:r"));
            names.insert(bit + WRITE, format!("{name}:w"));
        }
    };
    ranges.globals.iter().zip(&objects.globals).for_each(|(leaf, it)| variable("", leaf, *it));
    ranges.hidden.iter().zip(&objects.hidden).for_each(|(leaf, it)| variable("", leaf, *it));
    for (slot, process) in shape.processes.iter().enumerate() {
        let leaves = ranges.locals[usize::from(process.proctype.0)].iter().zip(&objects.locals[slot]);
        leaves
            .for_each(|(leaf, it)| variable(&format!("{}[{slot}].", model.proctype(process.proctype).name), leaf, *it));
    }
    for (slot, bit) in objects.locations.iter().enumerate() {
        names.extend(bit.map(|bit| (bit + READ, format!("location[{slot}]:r"))));
        names.extend(bit.map(|bit| (bit + WRITE, format!("location[{slot}]:w"))));
    }
    names
}
