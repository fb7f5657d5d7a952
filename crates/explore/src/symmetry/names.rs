//! Who can change places in the states of one shape: the names that processes and channels have there.
//!
//! An *index* stands for all that goes by one name: a process, or processes of several types that were given the same
//! name (`run Sender(i); run Receiver(i)`), and the channels that are known by it; or a channel that several know.

use spinor_exec::{ChannelPlace, Place, Shape, Shapes};
use spinor_model::ranges::Leaf;
use spinor_model::symmetry::{Node, Reason, Scalarsets};
use spinor_model::{Base, ProctypeId, Scalar};
use std::collections::{BTreeMap, HashMap};

/// The sort of the numbers of channels; not among those of [`spinor_model::symmetry::Sorts`].
pub(super) const CHANNELS: usize = usize::MAX;

/// A name: whose it is, and which of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) index: usize,
    pub(super) variant: usize,
}

/// The indexes of a shape and their names.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The processes of each index, by type.
    pub(super) members: Vec<Vec<(ProctypeId, usize)>>,
    /// The index of each process.
    of_pid: Vec<Option<usize>>,
    /// Whose name a number is, by sort.
    by_number: HashMap<(usize, i32), Name>,
    /// The number of a name, by sort, index and variant.
    by_name: BTreeMap<(usize, usize, usize), i32>,
    variants: usize,
    /// For each channel the first that is like it.
    pub(super) like: Vec<usize>,
    /// The types of processes that stay where they are, and why.
    pub(super) refused: Vec<(ProctypeId, Reason)>,
}

/// A process, by its type and its number among those of its type.
type Member = (ProctypeId, usize);

/// Numbers that tell the processes of a type apart.
struct Source {
    sort: usize,
    /// For each process of the type.
    numbers: Vec<i32>,
}

impl Names {
    /// The names in states of a shape whose processes were given the same as in one of them.
    pub(super) fn new(sets: &Scalarsets, shapes: &Shapes<'_>, shape: &Shape, state: &[u64]) -> Names {
        let mut families: BTreeMap<ProctypeId, Vec<usize>> = BTreeMap::new();
        for (pid, process) in shape.processes.iter().enumerate() {
            families.entry(process.proctype).or_default().push(pid);
        }
        families.retain(|_, pids| pids.len() > 1);
        let mut names = Names::default();
        families.retain(|&family, _| {
            let data = sets.sorts.why_data(Node::Own(family));
            let why = data;
            names.refused.extend(why.map(|why| (family, why.clone())));
            why.is_none()
        });
        let given: Vec<(ProctypeId, Source)> =
            families.iter().flat_map(|(&family, pids)| given_names(sets, shapes, shape, state, family, pids)).collect();
        names.make_indexes(shape, &families, &given);
        names.register_own(sets, &families);
        for (family, source) in &given {
            let pids = &families[family];
            let numbers = pids.iter().zip(&source.numbers);
            let entries = numbers.filter_map(|(&pid, &number)| Some((names.of_pid[pid]?, number))).collect();
            // What is ambiguous is no name, only a variable that may hold one.
            names.register(source.sort, entries);
        }
        names.compare_channels(sets, shapes, shape);
        names.register_channels(sets, shapes, shape);
        names.make_channels_indexes(sets);
        names
    }

    /// Processes that were given the same name go together.
    fn make_indexes(
        &mut self,
        shape: &Shape,
        families: &BTreeMap<ProctypeId, Vec<usize>>,
        given: &[(ProctypeId, Source)],
    ) {
        let mut first: HashMap<(usize, i32), Member> = HashMap::new();
        let mut leader: HashMap<Member, Member> = HashMap::new();
        for (family, source) in given {
            let taken = |number: &i32| first.get(&(source.sort, *number)).copied();
            let others: Vec<Option<Member>> = source.numbers.iter().map(taken).collect();
            let is_other = |it: &Option<Member>| it.is_none_or(|(other, _)| other != *family);
            if leader.keys().any(|member| member.0 == *family) || !others.iter().all(is_other) {
                continue;
            }
            for (n, (&number, other)) in source.numbers.iter().zip(others).enumerate() {
                match other {
                    Some(other) => drop(leader.insert((*family, n), *leader.get(&other).unwrap_or(&other))),
                    None => drop(first.insert((source.sort, number), (*family, n))),
                }
            }
        }
        self.of_pid = vec![None; shape.processes.len()];
        let mut index: HashMap<Member, usize> = HashMap::new();
        for (&family, pids) in families {
            for (n, &pid) in pids.iter().enumerate() {
                let member = (family, n);
                let next = self.members.len();
                let mut at = *index.entry(*leader.get(&member).unwrap_or(&member)).or_insert(next);
                if at < next && self.members[at].iter().any(|other| other.0 == family) {
                    // Two of a type would go by one name: they are not bound together.
                    at = next;
                }
                if at == next {
                    self.members.push(Vec::new());
                }
                self.members[at].push((family, pid));
                self.of_pid[pid] = Some(at);
            }
        }
    }

    /// Pids are names wherever they are used.
    fn register_own(&mut self, sets: &Scalarsets, families: &BTreeMap<ProctypeId, Vec<usize>>) {
        for (&family, pids) in families {
            let Some((sort, more)) = sets.sorts.sort(Node::Own(family)) else { continue };
            let entries = pids.iter().filter_map(|&pid| Some((self.of_pid[pid]?, pid as i32 - more))).collect();
            if !self.register(sort, entries) {
                self.freeze(pids);
            }
        }
    }

    /// Nobody of these can change places.
    fn freeze(&mut self, pids: &[usize]) {
        for &pid in pids {
            self.of_pid[pid] = None;
        }
        for members in &mut self.members {
            members.retain(|(_, pid)| !pids.contains(pid));
        }
    }

    /// Adds names of one kind, unless one of the numbers is the name of another index. Whether it did, or had them
    /// already.
    fn register(&mut self, sort: usize, entries: Vec<(usize, i32)>) -> bool {
        let known = |&(index, number): &(usize, i32)| {
            self.by_number.get(&(sort, number)).map(|name| (name.index == index).then_some(name.variant))
        };
        let before: Vec<Option<Option<usize>>> = entries.iter().map(known).collect();
        if before.iter().any(Option::is_some) {
            return before.iter().all(|it| it.is_some_and(|variant| variant.is_some() && Some(variant) == before[0]));
        }
        let variant = self.variants;
        self.variants += 1;
        for (index, number) in entries {
            self.by_number.insert((sort, number), Name { index, variant });
            self.by_name.insert((sort, index, variant), number);
        }
        true
    }

    /// Channels are alike if they hold the same messages, and names in the same fields of them.
    fn compare_channels(&mut self, sets: &Scalarsets, shapes: &Shapes<'_>, shape: &Shape) {
        let names_in = |channel: &ChannelPlace, field: usize| {
            let sort = sort_of(sets, field_node(shapes, channel.site, field));
            sort.filter(|(sort, _)| *sort == CHANNELS || self.names(*sort).next().is_some())
        };
        let fields = |channel: &ChannelPlace| -> Vec<_> {
            let lanes = channel.lanes.iter().enumerate();
            let fields = lanes.flat_map(|(lane, it)| it.fields.iter().map(move |field| (lane, *field)));
            fields
                .map(|(lane, it)| (lane, it.field, it.shift, it.width, it.coding, names_in(channel, it.field)))
                .collect()
        };
        let all: Vec<_> = shape.channels.iter().map(|channel| (channel.kind, fields(channel))).collect();
        let first = |it: &_| all.iter().position(|other| other == it).unwrap_or_default();
        self.like = all.iter().map(first).collect();
    }

    /// Channels that are elements of an array by name, or that processes have for their own.
    fn register_channels(&mut self, sets: &Scalarsets, shapes: &Shapes<'_>, shape: &Shape) {
        if sets.sorts.why_data(Node::Channel).is_some() {
            return;
        }
        let ranges = shapes.ranges();
        let channels = |leaf: &usize| ranges.globals[*leaf].ty == Scalar::Chan;
        for leaf in (0..ranges.globals.len()).filter(channels) {
            let Place::Known(values) = &shape.globals[leaf] else { continue };
            let node = |dimension| Node::Index(Base::Global, ProctypeId(0), leaf, dimension);
            if let [length] = ranges.globals[leaf].lengths[..] {
                let named = |n: u32| Some((self.name(sets, node(0), n as i32)?.index, values[n as usize]));
                let entries: Vec<(usize, i32)> = (0..length).filter_map(named).collect();
                self.register_distinct(entries);
            }
        }
        let types: Vec<ProctypeId> = self.members.iter().flatten().map(|member| member.0).collect();
        for (index, leaves) in ranges.locals.iter().enumerate() {
            let family = ProctypeId(index as u16);
            if !types.contains(&family) {
                continue;
            }
            for (leaf, it) in leaves.iter().enumerate().filter(|(_, it)| it.ty == Scalar::Chan) {
                for element in 0..it.offsets.len() {
                    let of = |(index, members): (usize, &Vec<(ProctypeId, usize)>)| {
                        let &(_, pid) = members.iter().find(|member| member.0 == family)?;
                        let Place::Known(values) = &shape.processes[pid].leaves[leaf] else { return None };
                        Some((index, values[element]))
                    };
                    let entries = self.members.iter().enumerate().filter_map(of).collect();
                    self.register_distinct(entries);
                }
            }
        }
    }

    /// Channels that belong to no process, or to several, can still change places, if processes do: each is an index.
    fn make_channels_indexes(&mut self, sets: &Scalarsets) {
        if sets.sorts.why_data(Node::Channel).is_some() || self.members.iter().all(Vec::is_empty) {
            return;
        }
        let mut kinds: BTreeMap<usize, Vec<i32>> = BTreeMap::new();
        for (number, &like) in (1..).zip(&self.like) {
            if self.channel(number).is_none() {
                kinds.entry(like).or_default().push(number);
            }
        }
        for numbers in kinds.into_values().filter(|numbers| numbers.len() > 1) {
            let first = self.members.len();
            self.members.resize(first + numbers.len(), Vec::new());
            self.register(CHANNELS, (first..).zip(numbers).collect());
        }
    }

    /// Adds names of channels, if they are different channels of one kind.
    fn register_distinct(&mut self, entries: Vec<(usize, i32)>) {
        let kind = |number: i32| usize::try_from(number - 1).ok().and_then(|it| self.like.get(it));
        let kinds: Vec<Option<&usize>> = entries.iter().map(|entry| kind(entry.1)).collect();
        let is_one = kinds.first().is_some_and(|first| first.is_some() && kinds.iter().all(|it| it == first));
        let mut numbers: Vec<i32> = entries.iter().map(|entry| entry.1).collect();
        numbers.sort_unstable();
        numbers.dedup();
        if is_one && numbers.len() == entries.len() && !numbers.iter().any(|it| self.channel(*it).is_some()) {
            self.register(CHANNELS, entries);
        }
    }

    /// How many indexes there are.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// The index of a process.
    pub(super) fn of_pid(&self, pid: usize) -> Option<usize> {
        self.of_pid[pid]
    }

    /// Whose name a channel is.
    pub(super) fn channel(&self, number: i32) -> Option<Name> {
        self.by_number.get(&(CHANNELS, number)).copied()
    }

    /// Whose name a number is in some place.
    pub(super) fn name(&self, sets: &Scalarsets, node: Node, number: i32) -> Option<Name> {
        let (sort, more) = sort_of(sets, node)?;
        self.by_number.get(&(sort, number.wrapping_sub(more))).copied()
    }

    /// All names of a sort, with their numbers.
    pub(super) fn names(&self, sort: usize) -> impl Iterator<Item = (Name, i32)> {
        let all = self.by_name.range((sort, 0, 0)..=(sort, usize::MAX, usize::MAX));
        all.map(|(&(_, index, variant), &number)| (Name { index, variant }, number))
    }

    /// The number of a name.
    pub(super) fn number(&self, sort: usize, name: Name) -> Option<i32> {
        self.by_name.get(&(sort, name.index, name.variant)).copied()
    }

    /// The sorts that have names.
    pub(super) fn sorts(&self) -> Vec<usize> {
        let mut sorts: Vec<usize> = self.by_name.keys().map(|key| key.0).collect();
        sorts.dedup();
        sorts
    }
}

/// A field of the messages of a site.
pub(super) fn field_node(shapes: &Shapes<'_>, site: usize, field: usize) -> Node {
    let is_channel = shapes.ranges().sites[site].fields[field].ty == Scalar::Chan;
    if is_channel { Node::Channel } else { Node::Field(site, field) }
}

/// The sort of what a node holds, and what its numbers are more than those of the sort.
pub(super) fn sort_of(sets: &Scalarsets, node: Node) -> Option<(usize, i32)> {
    match node {
        Node::Channel => sets.sorts.why_data(Node::Channel).is_none().then_some((CHANNELS, 0)),
        Node::Value(..) | Node::Index(..) | Node::Field(..) | Node::Own(_) => sets.sorts.sort(node),
    }
}

/// Variables that are never assigned, hold names, and tell the processes of a type apart: what they were given, or
/// began with.
fn given_names(
    sets: &Scalarsets,
    shapes: &Shapes<'_>,
    shape: &Shape,
    state: &[u64],
    family: ProctypeId,
    pids: &[usize],
) -> Vec<(ProctypeId, Source)> {
    let source = |(leaf, it): (usize, &Leaf)| {
        let (sort, more) = sort_of(sets, Node::Value(Base::Local, family, leaf))?;
        let may_name = it.offsets.len() == 1 && it.ty != Scalar::Chan && !sets.assigned.contains(&(family, leaf));
        if !may_name || shapes.is_unread(Base::Local, family, leaf) {
            return None;
        }
        let number = |&pid: &usize| value(&shape.processes[pid].leaves[leaf], 0, state).wrapping_sub(more);
        let numbers: Vec<i32> = pids.iter().map(number).collect();
        let mut distinct = numbers.clone();
        distinct.sort_unstable();
        distinct.dedup();
        (distinct.len() == pids.len()).then_some((family, Source { sort, numbers }))
    };
    shapes.ranges().locals[usize::from(family.0)].iter().enumerate().filter_map(source).collect()
}

/// What an element of a place holds in a state.
pub(super) fn value(place: &Place, element: usize, state: &[u64]) -> i32 {
    match place {
        Place::Known(values) => values[element],
        Place::Stored { coding, series } => coding.value(series.element(element as u32).get(state)),
    }
}
