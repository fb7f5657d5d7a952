//! The search for the solution.
//!
//! It grows from what is there at the start until no step adds to it; numbers that keep growing
//! jump to the next constant of the text. What jumped too far is then cut back: a solution that
//! is computed from a larger one is kept if it holds by itself.

use super::env::{Env, Widening};
use super::eval::Scope;
use super::risk::atomic_loops;
use super::step::{Effect, Stepper, zero};
use super::{ChannelSet, Interval, Leaf, Ranges, Values};
use crate::expr::Base;
use crate::model::{LocationId, Model, ProctypeId, Role};
use crate::types::Scalar;

/// Rounds after which growing numbers go to the bounds of their types at once.
const PATIENCE: usize = 150;
/// How often the solution is cut back.
const CUTS: usize = 4;

/// What is known of the whole model.
#[derive(Clone)]
struct Solution<'m> {
    ranges: Ranges,
    /// For each location of each proctype; nothing where no process comes.
    envs: Vec<Vec<Option<Env<'m>>>>,
    /// The values of the parameters of each proctype; nothing for those never created.
    arguments: Vec<Option<Vec<Values>>>,
}

/// Finds the values of all leaves and messages. `ranges` has none yet.
pub(super) fn solve(model: &Model, ranges: Ranges) -> Ranges {
    let base = Solution::base(model, ranges);
    let mut solution = base.clone();
    let mut round = 0;
    while solution.grow(model, round) {
        round += 1;
    }
    for _ in 0..CUTS {
        let cut = solution.cut(model, &base);
        if !cut.holds(model) {
            break;
        }
        solution = cut;
    }
    let risks = solution.risks(model);
    Ranges { risks, ..solution.ranges }
}

impl<'m> Solution<'m> {
    /// What holds at the start.
    fn base(model: &'m Model, mut ranges: Ranges) -> Solution<'m> {
        start_globals(model, &mut ranges);
        let envs = model.proctypes.iter().map(|proctype| vec![None; proctype.locations.len()]).collect();
        let arguments = vec![None; model.proctypes.len()];
        let mut solution = Solution { ranges, envs, arguments };
        for (index, proctype) in model.proctypes.iter().enumerate() {
            let id = ProctypeId(index as u16);
            let is_active = model.active.iter().any(|active| active.proctype == id);
            if is_active || proctype.role == Role::Never {
                solution.start_active(model, id);
            }
        }
        solution
    }

    /// Parameters of a process that is there from the start hold what a vector of zeros means.
    fn start_active(&mut self, model: &Model, id: ProctypeId) {
        let parameters = &model.proctype(id).parameters;
        self.arguments[usize::from(id.0)] = Some(parameters.iter().map(|parameter| zero(&parameter.ty)).collect());
        for parameter in parameters.iter().filter(|parameter| parameter.ty == Scalar::Chan) {
            let (leaf, _) = self.ranges.element(Base::Local, id, parameter.offset);
            self.ranges.locals[usize::from(id.0)][leaf].channels.join(&ChannelSet::none());
        }
    }

    /// One round over all steps. Returns whether anything was added.
    fn grow(&mut self, model: &'m Model, round: usize) -> bool {
        let mut changed = false;
        for (id, location) in steps(model) {
            for effect in self.effects(model, id, location) {
                changed |= self.add(effect, Some(round));
            }
        }
        changed
    }

    /// What all steps give, if all that is known here is possible.
    fn cut(&self, model: &'m Model, base: &Solution<'m>) -> Solution<'m> {
        let mut next = base.clone();
        for (id, location) in steps(model) {
            for effect in self.effects(model, id, location) {
                next.add(effect, None);
            }
        }
        next
    }

    /// Whether no step leads out of it.
    fn holds(&self, model: &'m Model) -> bool {
        steps(model).all(|(id, location)| self.effects(model, id, location).iter().all(|effect| self.covers(effect)))
    }

    /// What the steps of a location do; without one, the creation of the process.
    fn effects(&self, model: &'m Model, id: ProctypeId, location: Option<LocationId>) -> Vec<Effect<'m>> {
        let scope = Scope::new(model, &self.ranges, id);
        let mut stepper = Stepper::new(scope);
        match location {
            None => {
                if let Some(arguments) = &self.arguments[usize::from(id.0)] {
                    stepper.create(arguments);
                }
            }
            Some(at) => {
                if let Some(env) = &self.envs[usize::from(id.0)][usize::from(at.0)] {
                    stepper.location(model.proctype(id).location(at), env);
                }
            }
        }
        stepper.effects
    }

    /// For each statement of each proctype whether it can show something wrong.
    fn risks(&self, model: &'m Model) -> Vec<Vec<bool>> {
        let mut risks: Vec<Vec<bool>> = model.proctypes.iter().map(|it| vec![false; it.statements.len()]).collect();
        let loops: Vec<Vec<bool>> = model.proctypes.iter().map(atomic_loops).collect();
        for (id, location) in steps(model) {
            let Some(at) = location else { continue };
            let proctype = model.proctype(id);
            let is_suspect = proctype.deterministic || proctype.provided.is_some();
            let Some(env) = &self.envs[usize::from(id.0)][usize::from(at.0)] else { continue };
            for (index, edge) in proctype.location(at).edges.iter().enumerate() {
                let mut stepper = Stepper::new(Scope::new(model, &self.ranges, id));
                stepper.is_wary = true;
                stepper.edge(proctype.location(at), index, env);
                let is_risk = stepper.is_risk || is_suspect || loops[usize::from(id.0)][usize::from(at.0)];
                risks[usize::from(id.0)][edge.statement.0 as usize] |= is_risk;
            }
        }
        risks
    }

    /// Adds an effect; numbers grow faster from round to round.
    fn add(&mut self, effect: Effect<'m>, round: Option<usize>) -> bool {
        if self.covers(&effect) {
            return false;
        }
        let thresholds = self.ranges.thresholds.clone();
        let thresholds = if round.is_some_and(|round| round > PATIENCE) { &[][..] } else { &thresholds };
        let grown = |old: &Values, more: &Values, ty: &Scalar| match round {
            Some(_) => old.widen(more, thresholds, Interval::of_type(ty)),
            None => old.join(more),
        };
        match effect {
            Effect::Store { base, proctype, leaf, values, channels } => {
                let leaf = &mut self.ranges.part_mut(base, proctype)[leaf];
                leaf.values = grown(&leaf.values, &values, &leaf.ty);
                leaf.channels.join(&channels);
            }
            Effect::Message { site, field, values, channels } => {
                let field = &mut self.ranges.sites[site].fields[field];
                field.values = grown(&field.values, &values, &field.ty);
                field.channels.join(&channels);
            }
            Effect::Start { proctype, arguments } => match &mut self.arguments[usize::from(proctype.0)] {
                Some(known) => {
                    known.iter_mut().zip(&arguments).for_each(|(mine, more)| *mine = grown(mine, more, &Scalar::Int));
                }
                none => *none = Some(arguments),
            },
            Effect::Arrive { proctype, location, env } => {
                let bounds = &self.ranges.slots[usize::from(proctype.0)].bounds;
                let widening = Widening { thresholds, bounds };
                match &mut self.envs[usize::from(proctype.0)][usize::from(location.0)] {
                    Some(known) => _ = known.join(&env, round.is_some().then_some(&widening)),
                    none => *none = Some(env),
                }
            }
        }
        true
    }

    fn covers(&self, effect: &Effect<'m>) -> bool {
        match effect {
            Effect::Store { base, proctype, leaf, values, channels } => {
                let leaf = &self.ranges.part(*base, *proctype)[*leaf];
                values.is_within(&leaf.values) && channels.is_within(&leaf.channels)
            }
            Effect::Message { site, field, values, channels } => {
                let field = &self.ranges.sites[*site].fields[*field];
                values.is_within(&field.values) && channels.is_within(&field.channels)
            }
            Effect::Start { proctype, arguments } => self.arguments[usize::from(proctype.0)]
                .as_ref()
                .is_some_and(|known| arguments.iter().zip(known).all(|(more, mine)| more.is_within(mine))),
            Effect::Arrive { proctype, location, env } => self.envs[usize::from(proctype.0)][usize::from(location.0)]
                .as_ref()
                .is_some_and(|known| known.covers(env)),
        }
    }
}

/// The creation of each proctype and its locations.
fn steps(model: &Model) -> impl Iterator<Item = (ProctypeId, Option<LocationId>)> + '_ {
    model.proctypes.iter().enumerate().flat_map(|(index, proctype)| {
        let id = ProctypeId(index as u16);
        let locations = (0..proctype.locations.len()).map(|at| Some(LocationId(at as u16)));
        std::iter::once(None).chain(locations).map(move |location| (id, location))
    })
}

/// The initial values of the global and hidden variables.
fn start_globals(model: &Model, ranges: &mut Ranges) {
    super::start::globals(model, ranges);
    let starts = std::mem::take(&mut ranges.starts);
    for base in [Base::Global, Base::Hidden] {
        for leaf in ranges.part_mut(base, ProctypeId(0)) {
            start_leaf(leaf, |offset| starts.get(&(base, offset)).cloned());
        }
    }
    ranges.starts = starts;
    for (index, site) in ranges.sites.iter().enumerate().filter(|(_, site)| site.owner.is_none()) {
        let leaf = &mut ranges.globals[site.leaf];
        leaf.channels = ChannelSet::site(index);
    }
}

fn start_leaf(leaf: &mut Leaf, start: impl Fn(u32) -> Option<Values>) {
    for &offset in &leaf.offsets {
        leaf.values = leaf.values.join(&start(offset).unwrap_or_else(|| zero(&leaf.ty)));
    }
    if leaf.ty == Scalar::Chan {
        leaf.channels = if leaf.values == Values::single(0) { ChannelSet::none() } else { ChannelSet::unknown() };
    }
}
