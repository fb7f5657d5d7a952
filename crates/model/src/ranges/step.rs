//! What one step does to what is known.

use super::env::{Env, Widening};
use super::eval::{Scope, is_plain};
use super::{ChannelSet, Interval, Values};
use crate::expr::{Access, Base, Expr, Pattern, Receive, Send};
use crate::model::{Action, DStep, Edge, Initial, Location, LocationId, ProctypeId};
use crate::types::Scalar;
use std::collections::HashSet;

/// What a step adds to the solution.
#[derive(Debug)]
pub(super) enum Effect<'m> {
    /// A value is stored in a variable.
    Store { base: Base, proctype: ProctypeId, leaf: usize, values: Values, channels: ChannelSet },
    /// A message is sent.
    Message { site: usize, field: usize, values: Values, channels: ChannelSet },
    /// A process is created.
    Start { proctype: ProctypeId, arguments: Vec<Values> },
    /// A process comes to a location.
    Arrive { proctype: ProctypeId, location: LocationId, env: Env<'m> },
}

/// Executes steps of one proctype and gathers their effects.
pub(super) struct Stepper<'a, 'm> {
    pub(super) scope: Scope<'a, 'm>,
    pub(super) effects: Vec<Effect<'m>>,
    /// Whether risks are looked for.
    pub(super) is_wary: bool,
    /// A statement was a risk.
    pub(super) is_risk: bool,
}

impl<'a, 'm> Stepper<'a, 'm> {
    pub(super) fn new(scope: Scope<'a, 'm>) -> Stepper<'a, 'm> {
        Stepper { scope, effects: Vec::new(), is_wary: false, is_risk: false }
    }

    /// The creation of a process, up to its first location.
    pub(super) fn create(&mut self, arguments: &[Values]) {
        let Scope { model, ranges, proctype: id, .. } = self.scope;
        let proctype = model.proctype(id);
        let slots = &ranges.slots[usize::from(id.0)];
        let start = |&(base, offset): &(Base, u32)| match base {
            Base::Local => zero(&ranges.part(base, id)[ranges.element(base, id, offset).0].ty),
            Base::Global | Base::Hidden => ranges.start(base, id, offset),
        };
        let mut env = Env { slots: slots.places.iter().map(start).collect(), facts: Vec::new() };
        self.store_unset();
        for (parameter, values) in proctype.parameters.iter().zip(arguments) {
            // The channels were stored by the one who runs it.
            if !self.store_as(&mut env, parameter, values.clone(), ChannelSet::default()) {
                return;
            }
        }
        let all = proctype.locals_init.iter().try_fold(env, |env, initial| self.initialise(env, initial));
        if let Some(env) = all {
            self.arrive(proctype.start, env, false);
        }
    }

    /// Variables without an initial value, and those that somebody might look at before they have
    /// theirs: initial values that need more than is followed here, or what is not followed.
    fn store_unset(&mut self) {
        let Scope { model, ranges, proctype: id, .. } = self.scope;
        let proctype = model.proctype(id);
        let all = |is_it: fn(&Expr) -> bool| {
            proctype.locals_init.iter().all(|initial| match initial {
                Initial::Value(target, value) => target.indexes.is_empty() && is_it(value),
                Initial::Channel(..) => true,
            })
        };
        let (is_constant, is_plain) = (all(|value| value.constant().is_some()), all(is_plain));
        let set: HashSet<u32> = proctype.locals_init.iter().map(|initial| target(initial).offset).collect();
        for (leaf, it) in ranges.part(Base::Local, id).iter().enumerate() {
            let is_slot = ranges.slots[usize::from(id.0)].find(Base::Local, it.offsets[0]).is_some();
            let is_parameter = proctype.parameters.iter().any(|parameter| parameter.offset == it.offsets[0]);
            let is_set = it.offsets.iter().all(|offset| set.contains(offset));
            if is_parameter || is_set && (is_constant || is_plain && is_slot) {
                continue;
            }
            let (values, channels) = (zero(&it.ty), ChannelSet::none());
            self.effects.push(Effect::Store { base: Base::Local, proctype: id, leaf, values, channels });
        }
    }

    /// Nothing if an initial value is always at fault.
    fn initialise(&mut self, mut env: Env<'m>, initial: &'m Initial) -> Option<Env<'m>> {
        match initial {
            Initial::Value(target, value) => self.assign(env, target, value),
            Initial::Channel(target, _) => {
                let leaf = self.scope.ranges.element(target.base, self.scope.proctype, target.offset).0;
                let site = self.scope.ranges.site_of(self.scope.proctype, leaf);
                let ids = self.scope.ranges.sites[site].ids.into();
                self.store_as(&mut env, target, ids, ChannelSet::site(site)).then_some(env)
            }
        }
    }

    /// All edges of a location.
    pub(super) fn location(&mut self, location: &'m Location, env: &Env<'m>) {
        (0..location.edges.len()).for_each(|edge| self.edge(location, edge, env));
    }

    /// One of them.
    pub(super) fn edge(&mut self, location: &'m Location, index: usize, env: &Env<'m>) {
        let proctype = self.scope.model.proctype(self.scope.proctype);
        let edge = &location.edges[index];
        let action = &proctype.statement(edge.statement).action;
        let mut env = Some(env.clone());
        if *action == Action::Else {
            for earlier in &location.edges[..index] {
                env = env.and_then(|env| self.not_taken(env, &proctype.statement(earlier.statement).action));
            }
        }
        if let Some(env) = env.and_then(|env| self.act(env, action)) {
            self.leave(edge, action, env);
        }
    }

    fn leave(&mut self, edge: &Edge, action: &Action, env: Env<'m>) {
        let Some(target) = edge.target else { return };
        // After a rendezvous the receiver goes on.
        let stays = edge.atomic && !action.send().is_some_and(|send| self.may_be_rendezvous(send));
        self.arrive(target, env, stays);
    }

    /// `stays`: no other process moves as long as this one can.
    fn arrive(&mut self, location: LocationId, mut env: Env<'m>, stays: bool) {
        let Scope { ranges, proctype, .. } = self.scope;
        if !stays || !ranges.never_blocks[usize::from(proctype.0)][usize::from(location.0)] {
            env.facts.retain(|(access, _)| self.scope.is_own(access));
        }
        self.effects.push(Effect::Arrive { proctype, location, env });
    }

    fn may_be_rendezvous(&self, send: &Send) -> bool {
        let Scope { model, ranges, proctype, .. } = self.scope;
        let set = ranges.channels(proctype, &send.channel);
        let capacity = |site: usize| model.channel_types[usize::from(ranges.sites[site].kind.0)].capacity;
        (0..ranges.sites.len()).any(|site| set.contains(site) && capacity(site) == 0)
    }

    /// What is known after a statement was tried and was not executable.
    fn not_taken(&self, env: Env<'m>, action: &'m Action) -> Option<Env<'m>> {
        match action {
            Action::Condition(condition) if !condition.has_run() => self.scope.refine(&env, condition, false),
            Action::DStep(d_step) => {
                let proctype = self.scope.model.proctype(self.scope.proctype);
                let first = d_step.nodes.first().map_or(&[][..], |node| &node.edges);
                let actions = first.iter().map(|(id, _)| &proctype.statement(*id).action);
                actions.filter(|it| it.condition().is_some()).try_fold(env, |env, it| self.not_taken(env, it))
            }
            // Not executable, or it is not known why.
            Action::Condition(_) | Action::Else | Action::Assign(..) | Action::Send(_) | Action::Receive(_) => {
                Some(env)
            }
            Action::Input(_) | Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) => Some(env),
            Action::SetPriority(..) | Action::Goto | Action::End => Some(env),
        }
    }

    /// Executes a statement; nothing if it never can be.
    fn act(&mut self, env: Env<'m>, action: &'m Action) -> Option<Env<'m>> {
        self.is_risk |= self.is_wary && self.scope.is_risk(&env, action);
        self.runs(&env, action);
        match action {
            Action::Condition(condition) => return self.scope.refine(&env, condition, true),
            Action::Assign(target, value) => return self.assign(env, target, value),
            Action::Input(target) => {
                let (_, mut env) = self.scope.address(env, target).end?;
                let character = Interval::new(-1, 255).into();
                return self.store_as(&mut env, target, character, ChannelSet::unknown()).then_some(env);
            }
            Action::Send(send) => return self.send(&env, send).then_some(env),
            Action::Receive(receive) => return self.receive(env, receive),
            Action::DStep(d_step) => return self.d_step(env, d_step),
            // A failed assertion is reported, and the process goes on.
            Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) | Action::SetPriority(..) => {}
            Action::Else | Action::Goto | Action::End => {}
        }
        Some(env)
    }

    /// The processes that a statement creates.
    fn runs(&mut self, env: &Env<'m>, action: &'m Action) {
        action.runs().into_iter().for_each(|run| self.run(env, run.proctype, &run.arguments));
    }

    fn run(&mut self, env: &Env<'m>, proctype: ProctypeId, arguments: &'m [Expr]) {
        let parameters = &self.scope.model.proctype(proctype).parameters;
        let values: Vec<Values> = arguments.iter().map(|argument| self.scope.eval(env, argument)).collect();
        if values.iter().any(Values::is_empty) {
            return;
        }
        for (parameter, argument) in parameters.iter().zip(arguments) {
            if parameter.ty == Scalar::Chan {
                let (leaf, _) = self.scope.ranges.element(Base::Local, proctype, parameter.offset);
                let channels = self.scope.channels_of(argument);
                let values = Values::empty();
                self.effects.push(Effect::Store { base: Base::Local, proctype, leaf, values, channels });
            }
        }
        self.effects.push(Effect::Start { proctype, arguments: values });
    }

    /// Nothing if it is always at fault.
    fn assign(&mut self, env: Env<'m>, target: &'m Access, value: &'m Expr) -> Option<Env<'m>> {
        let (values, env) = self.scope.evaluate(env, value).end?;
        let (_, mut env) = self.scope.address(env, target).end?;
        let channels = if target.ty == Scalar::Chan { self.scope.channels_of(value) } else { ChannelSet::default() };
        self.store_as(&mut env, target, values, channels).then_some(env)
    }

    /// `false` if the variable can hold none of the values.
    fn store_as(&mut self, env: &mut Env<'m>, target: &'m Access, values: Values, channels: ChannelSet) -> bool {
        let Scope { ranges, proctype, .. } = self.scope;
        let values = values.convert(&target.ty);
        if values.is_empty() {
            return false;
        }
        let (leaf, _) = ranges.element(target.base, proctype, target.offset);
        self.forget(env, target, leaf);
        match self.scope.slot(target) {
            Some(slot) => env.slots[slot] = values.clone(),
            None if self.scope.is_followed(target) && !self.indexed_by(target, target.base, leaf) => {
                env.set_fact(target, values.clone());
            }
            None => {}
        }
        self.effects.push(Effect::Store { base: target.base, proctype, leaf, values, channels });
        true
    }

    /// Drops what a store makes uncertain.
    fn forget(&self, env: &mut Env<'m>, target: &Access, leaf: usize) {
        let Scope { ranges, proctype, .. } = self.scope;
        env.facts.retain(|(access, _)| {
            let same_leaf =
                access.base == target.base && ranges.element(access.base, proctype, access.offset).0 == leaf;
            let apart = access.indexes.is_empty() && target.indexes.is_empty() && access.offset != target.offset;
            (!same_leaf || apart) && !self.indexed_by(access, target.base, leaf)
        });
    }

    /// Whether the indexes of an access depend on a leaf.
    fn indexed_by(&self, access: &Access, base: Base, leaf: usize) -> bool {
        let Scope { ranges, proctype, .. } = self.scope;
        let mut found = false;
        access.visit(&mut |expr| {
            if let Some(inner) = expr.variable() {
                found |= inner.base == base && ranges.element(base, proctype, inner.offset).0 == leaf;
            }
        });
        found
    }

    /// `false` if an argument is always at fault.
    fn send(&mut self, env: &Env<'m>, send: &'m Send) -> bool {
        let Scope { model, ranges, proctype, .. } = self.scope;
        let set = ranges.channels(proctype, &send.channel);
        let values: Vec<Values> = send.arguments.iter().map(|argument| self.scope.eval(env, argument)).collect();
        if values.iter().any(Values::is_empty) {
            return false;
        }
        for (site, it) in ranges.sites.iter().enumerate() {
            // A wrong number of fields is a fault.
            if !set.contains(site) || it.fields.len() != values.len() {
                continue;
            }
            let types = &model.channel_types[usize::from(it.kind.0)].fields;
            for (field, (ty, argument)) in types.iter().zip(&send.arguments).enumerate() {
                let values = values[field].convert(ty);
                let channels =
                    if *ty == Scalar::Chan { self.scope.channels_of(argument) } else { ChannelSet::unknown() };
                self.effects.push(Effect::Message { site, field, values, channels });
            }
        }
        true
    }

    fn receive(&mut self, mut env: Env<'m>, receive: &'m Receive) -> Option<Env<'m>> {
        let sites = self.sources(&env, receive);
        let ranges = self.scope.ranges;
        let field = |index: usize| {
            let fields = sites.iter().map(|&site| &ranges.sites[site].fields[index]);
            fields.fold((Values::empty(), ChannelSet::default()), |(values, mut channels), field| {
                channels.join(&field.channels);
                (values.join(&field.values), channels)
            })
        };
        if sites.is_empty() {
            return None;
        }
        for (index, pattern) in receive.patterns.iter().enumerate() {
            if let Some(value) = pattern.wanted() {
                env = self.scope.matched(env, value, &field(index).0)?;
            }
        }
        for (index, pattern) in receive.patterns.iter().enumerate() {
            if let Some(target) = pattern.stored() {
                let (values, channels) = field(index);
                env = self.scope.address(env, target).end?.1;
                if !self.store_as(&mut env, target, values, channels) {
                    return None;
                }
            }
        }
        Some(env)
    }

    /// The sites from which a message can come.
    fn sources(&self, env: &Env<'m>, receive: &'m Receive) -> Vec<usize> {
        let Scope { ranges, proctype, .. } = self.scope;
        let set = ranges.channels(proctype, &receive.channel);
        let fits = |&site: &usize| {
            let fields = &ranges.sites[site].fields;
            set.contains(site)
                && fields.len() == receive.patterns.len()
                && fields.iter().zip(&receive.patterns).all(|(field, pattern)| match pattern {
                    Pattern::Match(value) => !field.values.meet(&self.scope.eval(env, value)).is_empty(),
                    Pattern::Store(_) | Pattern::Ignore => !field.values.is_empty(),
                })
        };
        (0..ranges.sites.len()).filter(fits).collect()
    }

    /// The inside of a `d_step`: no other process moves, and the first that can be executed is.
    fn d_step(&mut self, env: Env<'m>, d_step: &'m DStep) -> Option<Env<'m>> {
        let slots = &self.scope.ranges.slots[usize::from(self.scope.proctype.0)];
        let widening = Widening { thresholds: &self.scope.ranges.thresholds, bounds: &slots.bounds };
        let mut envs: Vec<Option<Env<'m>>> = vec![None; d_step.nodes.len()];
        let mut end: Option<Env<'m>> = None;
        envs[0] = Some(env);
        let mut waiting = vec![0];
        while let Some(node) = waiting.pop() {
            for (target, env) in self.d_step_node(d_step, node, envs[node].clone()) {
                let known = target.map_or(&mut end, |target| &mut envs[target as usize]);
                if join_into(known, env, &widening) {
                    waiting.extend(target.map(|target| target as usize));
                }
            }
        }
        end
    }

    fn d_step_node(&mut self, d_step: &'m DStep, node: usize, env: Option<Env<'m>>) -> Vec<(Option<u32>, Env<'m>)> {
        let proctype = self.scope.model.proctype(self.scope.proctype);
        let mut out = Vec::new();
        let whole = env.clone();
        let mut left = env;
        for &(id, target) in &d_step.nodes[node].edges {
            let action = &proctype.statement(id).action;
            // While a rendezvous is offered nothing but receives is looked at.
            let from = if action.receive().is_some() { &whole } else { &left };
            if let Some(env) = from.clone().and_then(|env| self.act(env, action)) {
                out.push((target, env));
            }
            left = left.and_then(|env| self.not_taken(env, action));
        }
        out
    }
}

fn join_into<'m>(known: &mut Option<Env<'m>>, env: Env<'m>, widening: &Widening<'_>) -> bool {
    match known {
        Some(known) => known.join(&env, Some(widening)),
        None => {
            *known = Some(env);
            true
        }
    }
}

/// The variable that an initial value is for.
fn target(initial: &Initial) -> &Access {
    let (Initial::Value(access, _) | Initial::Channel(access, _)) = initial;
    access
}

/// What a type holds in a vector of zeros.
pub(super) fn zero(ty: &Scalar) -> Values {
    Values::single(ty.zero())
}
