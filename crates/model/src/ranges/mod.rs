//! Which values variables and messages can have.
//!
//! Every value that the interpreter stores lies in the range found here. One exception: while a
//! process or the system is being created, a variable of a declared range holds the smallest value
//! of its type until its initial value is set.
//!
//! `_last` and priorities are no variables of the model and have no leaf.

mod channels;
mod env;
mod eval;
mod interval;
mod leaves;
mod print;
mod processes;
mod risk;
mod solve;
mod start;
mod step;
mod thresholds;
mod usage;
mod values;

pub use channels::ChannelSet;
pub use interval::Interval;
pub use print::text;
pub use values::Values;

use crate::expr::{Access, Base, Expr};
use crate::model::{ChannelTypeId, Initial, Model, ProctypeId, StatementId};
use crate::types::Scalar;
use env::Env;
use eval::Scope;
use leaves::Places;
use processes::Bounds;
use std::sync::Arc;
use usage::Slots;

/// One number, or all the numbers of an array that are reached by the same path: `nodes[].next[]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The path.
    pub name: String,
    /// The type.
    pub ty: Scalar,
    /// The variable's number among those of its part.
    pub variable: u32,
    /// Where each element is in its part of the reference vector; the last index is the fastest.
    pub offsets: Vec<u32>,
    /// How many elements each array on the path has.
    pub lengths: Vec<u32>,
    /// All that any element holds, the initial values included.
    pub range: Interval,
    /// The same one by one, if they are few.
    pub values: Values,
    /// Some statement stores to it, or some `run` passes it.
    pub is_written: bool,
    /// Some expression, index or operation on a channel needs it.
    pub is_read: bool,
    /// The channels that a `chan` may hold.
    pub channels: ChannelSet,
}

/// A place where channels are created: `chan c = [n] of { .. }`, all elements of an array together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The proctype that has the variable; none for a global one.
    pub owner: Option<ProctypeId>,
    /// The variable, among the leaves of its part.
    pub leaf: usize,
    /// What is created.
    pub kind: ChannelTypeId,
    /// What messages hold.
    pub fields: Vec<Field>,
    /// The name of the variable.
    pub name: String,
    /// The numbers that the channels have at run time.
    pub ids: Interval,
}

/// A field of the messages in the channels of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The type.
    pub ty: Scalar,
    /// All that is sent, [`Interval::EMPTY`] if nothing is.
    pub range: Interval,
    /// The values one by one, if they are few.
    pub values: Values,
    /// The channels that it may hold.
    pub channels: ChannelSet,
}

impl Field {
    fn new(ty: &Scalar) -> Field {
        let (range, values) = (Interval::EMPTY, Values::empty());
        Field { ty: ty.clone(), range, values, channels: ChannelSet::default() }
    }
}

/// The values that variables and messages can have.
#[derive(Clone, Debug)]
pub struct Ranges {
    /// The global variables.
    pub globals: Vec<Leaf>,
    /// The hidden ones.
    pub hidden: Vec<Leaf>,
    /// Parameters and local variables of each proctype.
    pub locals: Vec<Vec<Leaf>>,
    /// Where channels are created.
    pub sites: Vec<Site>,
    /// Global, hidden, and each proctype.
    places: Vec<Places>,
    bounds: Bounds,
    /// What is followed from location to location of each proctype.
    slots: Vec<Slots>,
    /// The only process that writes each global and each hidden leaf.
    owners: [Vec<Option<ProctypeId>>; 2],
    starts: start::Starts,
    /// The locations of each proctype at which a process can always move.
    never_blocks: Vec<Vec<bool>>,
    /// The sites whose channels may cease to be.
    mortal: Vec<bool>,
    /// The sites whose channels may take their numbers.
    successors: ChannelSet,
    /// The constants of the text, in order.
    thresholds: Arc<[i32]>,
    /// The statements of each proctype that can show something wrong.
    risks: Vec<Vec<bool>>,
}

impl Ranges {
    /// The ranges of a model without errors.
    #[must_use]
    pub fn new(model: &Model) -> Ranges {
        let mut ranges = Ranges::empty(model);
        usage::annotate(model, &mut ranges);
        start::channel_ids(model, &mut ranges);
        ranges.mark_stale(model);
        ranges.thresholds = thresholds::thresholds(model).into();
        ranges = solve::solve(model, ranges);
        ranges.finish();
        ranges
    }

    /// Whether there is exactly one process of a type, from the start.
    #[must_use]
    pub fn is_single(&self, proctype: ProctypeId) -> bool {
        self.bounds.is_single[usize::from(proctype.0)]
    }

    /// Whether a statement may fail as an assertion, or be at fault. A process that is created may be one too
    /// many: that is a risk, too.
    #[must_use]
    pub fn is_risk(&self, proctype: ProctypeId, statement: StatementId) -> bool {
        self.risks[usize::from(proctype.0)][statement.0 as usize]
    }

    /// A channel dies with its process, and the next channel to be created takes its number: who
    /// still has the number has the new channel then.
    fn mark_stale(&mut self, model: &Model) {
        let is_run = |site: &Site| site.owner.is_some_and(|owner| self.bounds.is_run[usize::from(owner.0)]);
        let new = self.sites.iter().enumerate().filter(|(_, site)| is_run(site));
        let mut set = ChannelSet::default();
        new.for_each(|(index, _)| set.insert(index));
        let is_mortal = |site: &Site| site.owner.is_some_and(|owner| processes::is_mortal(model.proctype(owner)));
        self.mortal = self.sites.iter().map(is_mortal).collect();
        self.successors = set;
    }

    fn finish(&mut self) {
        for leaf in self.globals.iter_mut().chain(&mut self.hidden).chain(self.locals.iter_mut().flatten()) {
            if leaf.values.is_empty() {
                // Of a proctype that is never created: nobody is to rely on that.
                leaf.values = Interval::of_type(&leaf.ty).into();
            }
            leaf.range = leaf.values.range();
        }
        for field in self.sites.iter_mut().flat_map(|site| &mut site.fields) {
            field.range = field.values.range();
        }
    }

    /// All leaves and sites, nothing stored anywhere.
    fn empty(model: &Model) -> Ranges {
        let globals = leaves::leaves(&model.globals);
        let hidden = leaves::leaves(&model.hidden);
        let locals: Vec<_> = model.proctypes.iter().map(|proctype| leaves::leaves(&proctype.locals)).collect();
        let mut places = vec![leaves::places(&globals), leaves::places(&hidden)];
        places.extend(locals.iter().map(|part| leaves::places(part)));
        let ids = (0..model.proctypes.len()).map(|id| ProctypeId(id as u16));
        let mut ranges = Ranges {
            globals,
            hidden,
            locals,
            sites: Vec::new(),
            places,
            bounds: Bounds::new(model),
            slots: Vec::new(),
            owners: [Vec::new(), Vec::new()],
            starts: start::Starts::new(),
            never_blocks: ids.map(|id| processes::never_blocks(model, id)).collect(),
            mortal: Vec::new(),
            successors: ChannelSet::default(),
            thresholds: Arc::from([]),
            risks: Vec::new(),
        };
        ranges.add_sites(model, None, &model.globals_init);
        for (index, proctype) in model.proctypes.iter().enumerate() {
            ranges.add_sites(model, Some(ProctypeId(index as u16)), &proctype.locals_init);
        }
        ranges
    }

    fn add_sites(&mut self, model: &Model, owner: Option<ProctypeId>, initials: &[Initial]) {
        for (access, kind) in initials.iter().filter_map(Initial::channel) {
            let (leaf, _) = self.element(access.base, owner.unwrap_or(ProctypeId(0)), access.offset);
            if self.sites.iter().any(|site| site.owner == owner && site.leaf == leaf) {
                continue;
            }
            let types = &model.channel_types[usize::from(kind.0)].fields;
            let fields = types.iter().map(Field::new).collect();
            let name = self.part(access.base, owner.unwrap_or(ProctypeId(0)))[leaf].name.clone();
            self.sites.push(Site { owner, leaf, kind, fields, name, ids: Interval { low: 1, high: 255 } });
        }
    }

    /// The leaves of a part.
    #[must_use]
    pub fn part(&self, base: Base, proctype: ProctypeId) -> &[Leaf] {
        match base {
            Base::Global => &self.globals,
            Base::Hidden => &self.hidden,
            Base::Local => &self.locals[usize::from(proctype.0)],
        }
    }

    fn part_mut(&mut self, base: Base, proctype: ProctypeId) -> &mut [Leaf] {
        match base {
            Base::Global => &mut self.globals,
            Base::Hidden => &mut self.hidden,
            Base::Local => &mut self.locals[usize::from(proctype.0)],
        }
    }

    /// The leaf and the element at an offset where a number begins.
    ///
    /// # Panics
    /// If no number begins there.
    #[must_use]
    pub fn element(&self, base: Base, proctype: ProctypeId, offset: u32) -> (usize, usize) {
        let places = &self.places[part_number(base, proctype)];
        let at = places.binary_search_by_key(&offset, |place| place.0).expect("a number begins there");
        (places[at].1 as usize, places[at].2 as usize)
    }

    /// The leaf that an access in a process of `proctype` means.
    #[must_use]
    pub fn leaf(&self, proctype: ProctypeId, access: &Access) -> &Leaf {
        &self.part(access.base, proctype)[self.element(access.base, proctype, access.offset).0]
    }

    /// The range of an expression that a process of `proctype` evaluates anywhere. All numbers if it has no value: it is
    /// always at fault, or never evaluated, and nobody is to rely on that.
    #[must_use]
    pub fn of(&self, model: &Model, proctype: ProctypeId, expr: &Expr) -> Interval {
        let range = Scope::new(model, self, proctype).eval(&self.anywhere(proctype), expr).range();
        if range.is_empty() { Interval::FULL } else { range }
    }

    /// Whether an expression over what all processes see is never at fault, wherever it is evaluated.
    #[must_use]
    pub fn is_sure(&self, model: &Model, expr: &Expr) -> bool {
        let proctype = ProctypeId(0);
        Scope::new(model, self, proctype).is_safe(&self.anywhere(proctype), expr)
    }

    /// What is known of variables without knowing where a process stands.
    fn anywhere<'m>(&self, proctype: ProctypeId) -> Env<'m> {
        let places = &self.slots[usize::from(proctype.0)].places;
        let leaf = |&(base, offset): &(Base, u32)| &self.part(base, proctype)[self.element(base, proctype, offset).0];
        Env { slots: places.iter().map(|place| leaf(place).values.clone()).collect(), facts: Vec::new() }
    }

    /// The channels that an operation on `access` in a process of `proctype` may mean.
    #[must_use]
    pub fn channels(&self, proctype: ProctypeId, access: &Access) -> ChannelSet {
        if access.ty != Scalar::Chan {
            return ChannelSet::unknown();
        }
        let (index, _) = self.element(access.base, proctype, access.offset);
        let leaf = &self.part(access.base, proctype)[index];
        let mut set = leaf.channels.clone();
        if self.home(proctype, access).is_none() && set.sites().any(|site| self.mortal[site]) {
            set.join(&self.successors);
        }
        set
    }

    /// The site of a variable that always holds what it created. A process outlives neither its variables nor
    /// the channels that they created.
    fn home(&self, proctype: ProctypeId, access: &Access) -> Option<usize> {
        let (index, _) = self.element(access.base, proctype, access.offset);
        let leaf = &self.part(access.base, proctype)[index];
        let owner = (access.base == Base::Local).then_some(proctype);
        let is_home = |site: &usize| self.sites[*site].owner == owner && self.sites[*site].leaf == index;
        leaf.channels.only().filter(|site| !leaf.is_written && is_home(site))
    }

    /// What a field of the messages of a kind of channel can hold, whichever site created it.
    #[must_use]
    pub fn message_field(&self, kind: ChannelTypeId, field: usize) -> Interval {
        let sites = self.sites.iter().filter(|site| site.kind == kind);
        sites.fold(Interval::EMPTY, |all, site| all.join(site.fields[field].range))
    }

    /// What a global or hidden number begins with.
    fn start(&self, base: Base, proctype: ProctypeId, offset: u32) -> Values {
        let ty = || &self.part(base, proctype)[self.element(base, proctype, offset).0].ty;
        self.starts.get(&(base, offset)).cloned().unwrap_or_else(|| step::zero(ty()))
    }

    /// The site that a local variable creates channels at.
    fn site_of(&self, proctype: ProctypeId, leaf: usize) -> usize {
        let is_it = |site: &Site| site.owner == Some(proctype) && site.leaf == leaf;
        self.sites.iter().position(is_it).expect("a channel is created there")
    }
}

fn part_number(base: Base, proctype: ProctypeId) -> usize {
    match base {
        Base::Global => 0,
        Base::Hidden => 1,
        Base::Local => 2 + usize::from(proctype.0),
    }
}

#[cfg(test)]
mod tests;
