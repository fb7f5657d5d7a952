//! The first state, as far as it is known: global variables and the numbers of channels.

use super::step::zero;
use super::{Interval, Ranges, Values};
use crate::eval;
use crate::expr::{Access, Base, Expr};
use crate::model::{Initial, Model, ProctypeId};
use std::collections::HashMap;

/// Values of numbers in the first state that are not those of a vector of zeros.
pub(super) type Starts = HashMap<(Base, u32), Values>;

/// Executes the initialisation of the global variables.
pub(super) fn globals(model: &Model, ranges: &mut Ranges) {
    let mut channels = 0;
    for initial in &model.globals_init {
        let (target, values) = match initial {
            Initial::Channel(target, _) => {
                channels += 1;
                (target, Values::single(channels))
            }
            Initial::Value(target, value) => (target, value_of(ranges, value, &target.ty)),
        };
        ranges.starts.insert((target.base, target.offset), values);
    }
}

fn value_of(ranges: &Ranges, expr: &Expr, ty: &crate::types::Scalar) -> Values {
    let known = constant(ranges, expr).map(|value| Values::single(value).convert(ty));
    known.unwrap_or_else(|| Interval::of_type(ty).into())
}

/// The value of an expression in the state as it is built; nothing if it is out of the ordinary.
fn constant(ranges: &Ranges, expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Constant(value) => Some(*value),
        Expr::Load(Access { base, offset, indexes, ty, .. }) => {
            let values = ranges.starts.get(&(*base, *offset)).cloned().unwrap_or_else(|| zero(ty));
            indexes.is_empty().then(|| values.range().constant()).flatten()
        }
        Expr::Unary(op, operand) => Some(eval::unary(*op, constant(ranges, operand)?)),
        Expr::Binary(op, left, right) => eval::binary(*op, constant(ranges, left)?, constant(ranges, right)?),
        Expr::Conditional(_) | Expr::Run(_) | Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) => None,
        Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } => None,
        Expr::Remote { .. } | Expr::Timeout | Expr::NonProgress | Expr::Pid | Expr::ProcessCount => None,
        Expr::Last | Expr::OwnPriority => None,
    }
}

/// Channels that are created before the first step have their numbers from the order of creation.
pub(super) fn channel_ids(model: &Model, ranges: &mut Ranges) {
    ranges.sites.iter_mut().for_each(|site| site.ids = Interval::EMPTY);
    let mut created = 0;
    count(ranges, None, &model.globals_init, &mut created);
    let globals = created;
    for active in &model.active {
        count(ranges, Some(active.proctype), &model.proctype(active.proctype).locals_init, &mut created);
    }
    for site in &mut ranges.sites {
        if site.owner.is_some_and(|owner| ranges.bounds.is_run[usize::from(owner.0)]) {
            site.ids = site.ids.join(Interval::new(globals + 1, 255));
        }
    }
}

fn count(ranges: &mut Ranges, owner: Option<ProctypeId>, initials: &[Initial], created: &mut i32) {
    for (target, _) in initials.iter().filter_map(Initial::channel) {
        *created += 1;
        let leaf = ranges.element(target.base, owner.unwrap_or(ProctypeId(0)), target.offset).0;
        let site = ranges.sites.iter_mut().find(|site| site.owner == owner && site.leaf == leaf).expect("a site");
        site.ids = site.ids.join(Interval::single(*created));
    }
}
