//! What is the same in all states of a shape.
//!
//! Channels are known by numbers, and which one a statement means decides what code and which
//! dependences it has. Variables that tell are made a part of the shape if they never change.

use super::shape::{Place, Shape};
use super::shapes::Shapes;
use spinor_model::expr::Pattern;
use spinor_model::model::{Action, Model, Role};
use spinor_model::ranges::Ranges;
use spinor_model::{Access, Base, Expr, ProctypeId, Scalar, eval};

/// Which leaves are never assigned and hold channels, or tell which element of an array of channels
/// is meant: their values belong to the shape.
#[derive(Debug)]
pub(super) struct Static {
    pub(super) globals: Vec<bool>,
    pub(super) locals: Vec<Vec<bool>>,
}

impl Static {
    pub(super) fn new(model: &Model, ranges: &Ranges) -> Static {
        let is_channel = |leaf: &spinor_model::ranges::Leaf| leaf.ty == Scalar::Chan;
        let mut it = Static {
            globals: ranges.globals.iter().map(is_channel).collect(),
            locals: ranges.locals.iter().map(|leaves| leaves.iter().map(is_channel).collect()).collect(),
        };
        it.add_selectors(model, ranges);
        for (index, proctype) in model.proctypes.iter().enumerate() {
            for statement in &proctype.statements {
                targets(&statement.action, &mut |access| it.assigned(ranges, ProctypeId(index as u16), access));
            }
        }
        it
    }

    /// Parameters that are indexes of channels, if the values that they begin with are few.
    fn add_selectors(&mut self, model: &Model, ranges: &Ranges) {
        for (index, definition) in model.proctypes.iter().enumerate() {
            let proctype = ProctypeId(index as u16);
            for (position, parameter) in definition.parameters.iter().enumerate() {
                let (leaf, _) = ranges.element(Base::Local, proctype, parameter.offset);
                let is_scalar = ranges.locals[index][leaf].offsets.len() == 1;
                let selects = |action: &Action| is_index_of_channel(action, parameter);
                self.locals[index][leaf] |= is_scalar
                    && parameter.ty.size() == 1
                    && definition.statements.iter().any(|statement| selects(&statement.action))
                    && is_given_by_text(model, proctype, position);
            }
        }
    }

    fn assigned(&mut self, ranges: &Ranges, proctype: ProctypeId, access: &Access) {
        let (leaf, _) = ranges.element(access.base, proctype, access.offset);
        match access.base {
            Base::Global => self.globals[leaf] = false,
            Base::Local => self.locals[usize::from(proctype.0)][leaf] = false,
            Base::Hidden => {}
        }
    }
}

/// The variables that a statement stores to.
fn targets(action: &Action, visit: &mut dyn FnMut(&Access)) {
    match action {
        Action::Assign(target, _) | Action::Input(target) => visit(target),
        Action::Receive(receive) => {
            receive.patterns.iter().filter_map(Pattern::stored).for_each(visit);
        }
        Action::Condition(_) | Action::Else | Action::Send(_) | Action::Assert(_) | Action::Print(..) => {}
        // What stands inside of a `d_step` is a statement of its own.
        Action::PrintMtype(..) | Action::SetPriority(..) | Action::DStep(_) | Action::Goto | Action::End => {}
    }
}

/// Whether a statement uses a channel of an array, with this variable in its index.
fn is_index_of_channel(action: &Action, variable: &Access) -> bool {
    let channel = action.send().map(|send| &send.channel);
    let Some(channel) = channel.or(action.receive().map(|receive| &receive.channel)) else { return false };
    let mut found = false;
    channel.visit(&mut |part| {
        found |= part.variable().is_some_and(|it| it.base == Base::Local && it.offset == variable.offset);
    });
    found
}

/// Whether the values of a parameter are constants in the text, or given by `init` as a model starts.
/// Others could be so many that there would be a shape for every few states.
fn is_given_by_text(model: &Model, proctype: ProctypeId, position: usize) -> bool {
    let mut given = true;
    for creator in model.proctypes.iter().filter(|it| it.role != Role::Init) {
        for statement in creator.statements.iter().filter(|it| it.runs) {
            for run in statement.action.runs() {
                let argument = run.arguments.get(position).filter(|_| run.proctype == proctype);
                given &= argument.is_none_or(|it| it.constant().is_some());
            }
        }
    }
    given
}

impl Shapes<'_> {
    /// The value of an expression of a process, if the shape tells.
    #[must_use]
    pub fn constant(&self, shape: &Shape, pid: usize, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Constant(value) => Some(*value),
            Expr::Pid => Some(pid as i32),
            Expr::Load(access) => self.constant_variable(shape, pid, access),
            Expr::Unary(op, operand) => Some(eval::unary(*op, self.constant(shape, pid, operand)?)),
            Expr::Binary(op, left, right) => {
                eval::binary(*op, self.constant(shape, pid, left)?, self.constant(shape, pid, right)?)
            }
            Expr::Conditional(_) | Expr::Run(_) | Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) => None,
            Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } => None,
            Expr::Remote { .. } | Expr::Timeout | Expr::NonProgress | Expr::ProcessCount => None,
            Expr::Last | Expr::OwnPriority => None,
        }
    }

    /// The value of a variable of a process, if the shape tells.
    #[must_use]
    pub fn constant_variable(&self, shape: &Shape, pid: usize, access: &Access) -> Option<i32> {
        let proctype = shape.processes[pid].proctype;
        let (leaf, _) = self.ranges().element(access.base, proctype, access.offset);
        let place = match access.base {
            Base::Global => &shape.globals[leaf],
            Base::Local => &shape.processes[pid].leaves[leaf],
            Base::Hidden => return None,
        };
        match place {
            Place::Known(values) => Some(values[self.constant_element(shape, pid, access)?]),
            Place::Stored { .. } => None,
        }
    }

    /// Which element of its leaf an access means, if the shape tells and there is such an element.
    #[must_use]
    pub fn constant_element(&self, shape: &Shape, pid: usize, access: &Access) -> Option<usize> {
        self.element(shape.processes[pid].proctype, access, |index| self.constant(shape, pid, index))
    }

    /// Which element of its leaf an access means, if its indexes have values and there is such an element.
    pub fn element(
        &self,
        proctype: ProctypeId,
        access: &Access,
        value: impl Fn(&Expr) -> Option<i32>,
    ) -> Option<usize> {
        let mut offset = access.offset;
        for index in &access.indexes {
            let value = u32::try_from(value(&index.value)?).ok()?;
            offset += (value < index.length).then_some(value * index.stride)?;
        }
        Some(self.ranges().element(access.base, proctype, offset).1)
    }
}
