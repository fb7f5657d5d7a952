//! Which statements can show that something is wrong: fail as an assertion, or be at fault.
//!
//! What is not known to be harmless is a risk.

use super::Interval;
use super::env::Env;
use super::eval::Scope;
use crate::expr::{Access, Expr, Pattern, Receive, Send};
use crate::model::{Action, DStep, Edge, LocationId, Proctype};
use crate::types::Scalar;

impl<'m> Scope<'_, 'm> {
    /// Whether executing a statement, or asking whether it can be executed, may show something wrong. The inside
    /// of a `d_step` is asked about statement by statement.
    pub(super) fn is_risk(&self, env: &Env<'m>, action: &'m Action) -> bool {
        let is_safe = match action {
            Action::Condition(value) | Action::PrintMtype(value, _) => self.is_safe(env, value),
            Action::Assign(target, value) => self.is_safe(env, value) && self.can_hold(env, target, value),
            Action::Send(send) => self.is_safe_send(env, send),
            Action::Receive(receive) => self.is_safe_receive(env, receive, receive.keep),
            Action::Print(_, values) => values.iter().all(|value| self.is_safe(env, value)),
            Action::DStep(d_step) => !self.can_block(d_step),
            Action::Else | Action::Goto | Action::End => true,
            Action::Assert(_) | Action::Input(_) | Action::SetPriority(..) => false,
        };
        !is_safe
    }

    pub(super) fn is_safe(&self, env: &Env<'m>, expr: &'m Expr) -> bool {
        !self.evaluate(env.clone(), expr).fails
    }

    fn is_inside(&self, env: &Env<'m>, access: &'m Access) -> bool {
        !self.address(env.clone(), access).fails
    }

    /// Whether a variable can be given a value.
    fn can_hold(&self, env: &Env<'m>, target: &'m Access, value: &'m Expr) -> bool {
        let values = self.eval(env, value);
        let fits = match target.ty {
            Scalar::Range { low, high } => !values.is_empty() && values == values.within(Interval::new(low, high)),
            Scalar::Bit | Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Short | Scalar::Int => true,
            Scalar::Unsigned(_) | Scalar::Mtype(_) | Scalar::Chan => true,
        };
        fits && self.is_inside(env, target)
    }

    fn is_safe_send(&self, env: &Env<'m>, send: &'m Send) -> bool {
        let is_safe = |argument: &'m Expr| self.is_safe(env, argument);
        self.has_channel(env, &send.channel, Some(send.arguments.len())) && send.arguments.iter().all(is_safe)
    }

    /// A message that is only looked at must be in a buffer.
    pub(super) fn is_safe_receive(&self, env: &Env<'m>, receive: &'m Receive, looks: bool) -> bool {
        let sites = self.ranges.channels(self.proctype, &receive.channel);
        let is_buffer =
            |site: usize| self.model.channel_types[usize::from(self.ranges.sites[site].kind.0)].capacity > 0;
        self.has_channel(env, &receive.channel, Some(receive.patterns.len()))
            && (!looks || sites.sites().all(is_buffer))
            && receive.patterns.iter().all(|pattern| self.is_safe_pattern(env, pattern))
    }

    fn is_safe_pattern(&self, env: &Env<'m>, pattern: &'m Pattern) -> bool {
        match pattern {
            Pattern::Match(value) => self.is_safe(env, value),
            Pattern::Store(target) => target.ty.declared_range().is_none() && target.indexes.is_empty(),
            Pattern::Ignore => true,
        }
    }

    /// Whether a variable surely holds a channel that exists, with so many fields.
    pub(super) fn has_channel(&self, env: &Env<'m>, access: &'m Access, fields: Option<usize>) -> bool {
        let set = self.ranges.channels(self.proctype, access);
        let home = self.ranges.home(self.proctype, access);
        let fits = |number: usize| {
            let site = &self.ranges.sites[number];
            let is_there = site.owner.is_none() || home == Some(number);
            let takes_all = !site.fields.iter().any(|field| field.ty.declared_range().is_some());
            is_there && takes_all && fields.is_none_or(|fields| fields == site.fields.len())
        };
        !set.unknown && !set.none && set.sites().all(fits) && self.is_inside(env, access)
    }

    /// Whether a `d_step` may stop in the middle, or never.
    fn can_block(&self, d_step: &DStep) -> bool {
        let proctype = self.model.proctype(self.proctype);
        let goes_on = |action: &Action| match action {
            Action::Assign(..) | Action::Else | Action::Print(..) | Action::PrintMtype(..) | Action::Goto => true,
            Action::Condition(_) | Action::Send(_) | Action::Receive(_) | Action::Input(_) | Action::Assert(_) => false,
            Action::SetPriority(..) | Action::DStep(_) | Action::End => false,
        };
        let action = |edge: &(crate::model::StatementId, Option<u32>)| &proctype.statement(edge.0).action;
        let meets = |action: &Action| action.send().is_some() || action.receive().is_some();
        let nodes = d_step.nodes.iter().enumerate();
        nodes.into_iter().any(|(number, node)| {
            let goes_back = node.edges.iter().any(|edge| edge.1.is_some_and(|target| target as usize <= number));
            let stops = number > 0 && !node.edges.iter().any(|edge| goes_on(action(edge)));
            goes_back || stops || node.edges.iter().any(|edge| meets(action(edge)))
        })
    }
}

/// The locations from which an atomic sequence can come back to where it is.
pub(super) fn atomic_loops(proctype: &Proctype) -> Vec<bool> {
    let next = |at: LocationId| {
        let goes_on = |edge: &&Edge| edge.atomic;
        proctype.location(at).edges.iter().filter(goes_on).filter_map(|edge| edge.target)
    };
    let comes_back = |start: LocationId| {
        let mut seen = vec![false; proctype.locations.len()];
        let mut waiting: Vec<LocationId> = next(start).collect();
        while let Some(at) = waiting.pop() {
            if at == start {
                return true;
            }
            if !std::mem::replace(&mut seen[usize::from(at.0)], true) {
                waiting.extend(next(at));
            }
        }
        false
    };
    (0..proctype.locations.len() as u16).map(|at| comes_back(LocationId(at))).collect()
}
