//! Who sees that a process has ended: premise 9.

use super::{Candidate, Verified};
use spinor_model::expr::{Access, Pattern};
use spinor_model::model::{Action, Initial};
use spinor_model::symmetry::{Place, Reason};
use spinor_model::{Expr, ProctypeId};

impl Candidate<'_, '_, '_> {
    /// Premise 9: processes end as the youngest, which is not symmetric. Where one that can do so changes places, or is
    /// younger than one that does, nobody may see an end. Who stands at its end then does the same as one that is gone.
    /// Those below one that never ends do not end either.
    pub(super) fn respects_ends(&self) -> Verified {
        let never_ends = |pid: &usize| !self.can_end(self.frame.shape.processes[*pid].proctype);
        let last = (0..self.pids.len()).rev().find(never_ends);
        let is_below = |pid: usize| last.is_some_and(|last| pid <= last);
        if self.pids.iter().enumerate().all(|(pid, &to)| pid == to || is_below(pid) && is_below(to)) {
            return Ok(());
        }
        let model = self.frame.shapes.model();
        // Channels go with a process when all that are younger have gone, and nobody is older than the first.
        for pid in (1..self.pids.len()).filter(|&pid| !is_below(pid)) {
            let definition = model.proctype(self.frame.shape.processes[pid].proctype);
            let is_channel = |it: &Initial| match it {
                Initial::Channel(..) => true,
                Initial::Value(..) => false,
            };
            if definition.locals_init.iter().any(is_channel) {
                let line = model.line(definition.place);
                return Err(format!(
                    "{line}: its processes end in the order of their age, and their channels with them"
                ));
            }
        }
        self.look_at_ends()
    }

    fn can_end(&self, proctype: ProctypeId) -> bool {
        let definition = self.frame.shapes.model().proctype(proctype);
        let quiet = &self.frame.sets.quiet[usize::from(proctype.0)];
        let edges = definition.locations.iter().zip(quiet).filter(|(_, quiet)| **quiet).flat_map(|(it, _)| &it.edges);
        let mut statements = edges.map(|edge| definition.statement(edge.statement));
        statements.any(|statement| statement.action == Action::End)
    }

    /// Who sees that a process has ended.
    fn look_at_ends(&self) -> Verified {
        let model = self.frame.shapes.model();
        let mut types: Vec<ProctypeId> = self.frame.shape.processes.iter().map(|it| it.proctype).collect();
        types.sort_unstable();
        types.dedup();
        let mut seen = None;
        let mut look = |expr: &Expr, place: Place| {
            expr.visit(&mut |part| {
                let why = sees_ends(part).map(|why| Reason { place, why: why.into() }.text(model));
                seen = seen.take().or(why);
            });
        };
        for proctype in types {
            let definition = model.proctype(proctype);
            definition.provided.iter().for_each(|it| look(it, definition.place));
            for statement in self.frame.sets.at_rest(model, proctype) {
                let statement = definition.statement(statement);
                expressions(&statement.action, &mut |expr| look(expr, statement.place));
            }
        }
        self.frame.sets.observers.iter().for_each(|(observer, place)| look(observer, *place));
        seen.map_or(Ok(()), |why| Err(format!("{why}, and processes end in the order of their age")))
    }
}

/// Why an expression has another value when a process is gone that stood at its end.
fn sees_ends(expr: &Expr) -> Option<&'static str> {
    match expr {
        Expr::ProcessCount => Some("processes are counted"),
        Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::PcValue(_) | Expr::Enabled(_) => {
            Some("it is looked into a process")
        }
        Expr::GetPriority(_) | Expr::Last | Expr::Run(_) => Some("a process is named"),
        Expr::Timeout => Some("there is no timeout as long as a process can end"),
        Expr::NonProgress => Some("it is asked where processes stand"),
        Expr::Constant(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) => None,
        Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Pid | Expr::OwnPriority => None,
    }
}

/// The expressions of an action, without the inside of a `d_step`.
fn expressions(action: &Action, visit: &mut dyn FnMut(&Expr)) {
    let access = |access: &Access, visit: &mut dyn FnMut(&Expr)| access.indexes.iter().for_each(|it| visit(&it.value));
    match action {
        Action::Condition(expr) | Action::Assert(expr) | Action::PrintMtype(expr, _) => visit(expr),
        Action::Assign(target, expr) => {
            access(target, visit);
            visit(expr);
        }
        Action::Send(send) => {
            access(&send.channel, visit);
            send.arguments.iter().for_each(visit);
        }
        Action::Receive(receive) => {
            access(&receive.channel, visit);
            receive.patterns.iter().for_each(|pattern| match pattern {
                Pattern::Match(expr) => visit(expr),
                Pattern::Store(target) => access(target, visit),
                Pattern::Ignore => {}
            });
        }
        Action::Input(target) => access(target, visit),
        Action::Print(_, values) => values.iter().for_each(visit),
        Action::SetPriority(pid, priority) => [pid, priority].into_iter().for_each(visit),
        Action::Else | Action::DStep(_) | Action::Goto | Action::End => {}
    }
}
