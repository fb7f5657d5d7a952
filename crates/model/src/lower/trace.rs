//! `trace` and `notrace`: sends and receives as events that are waited for.

use super::Lowerer;
use super::statement::Node;
use crate::expr::{Access, Base, Expr, Pattern};
use crate::model::{Action, Event, StatementId};
use spinor_syntax::Place;
use spinor_syntax::ast::{self, ExprKind, Stmt, StmtKind, VarRef};

impl Lowerer<'_> {
    /// Whether the body is one of a trace, and a statement has no place in it.
    pub(super) fn refuses(&mut self, stmt: &Stmt) -> bool {
        let is_trace = self.state().events.is_some();
        let has_a_place = match &stmt.kind {
            StmtKind::Send { sorted, .. } => !sorted,
            StmtKind::Receive { random, keep, .. } => !random && !keep,
            StmtKind::Labelled(..) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::If(_) | StmtKind::Do(_) => true,
            StmtKind::Block(_) | StmtKind::Inline { .. } | StmtKind::Error => true,
            _ => false,
        };
        if is_trace && !has_a_place {
            self.error(stmt.place, "a trace has plain sends and receives only, with if, do, goto and break");
        }
        is_trace && !has_a_place
    }

    /// A send as an event, where `_` stands for any value.
    pub(super) fn sent(&mut self, channel: &VarRef, arguments: &[ast::Expr], place: Place) -> Option<Node> {
        let is_any = |it: &ast::Expr| matches!(&it.kind, ExprKind::Variable(it) if &*it.name.text == "_");
        let mut fields = Vec::new();
        for argument in arguments {
            let value = if is_any(argument) { None } else { Some(self.expression(argument)) };
            fields.push(self.wanted(value, argument.place));
        }
        self.event(true, channel, fields, place)
    }

    /// A receive as an event.
    pub(super) fn received(&mut self, channel: &VarRef, arguments: &[ast::ReceiveArg], place: Place) -> Option<Node> {
        let receive = self.receive(channel, arguments)?;
        let value = |pattern: &Pattern| match pattern {
            Pattern::Match(value) => Some(value.clone()),
            Pattern::Store(access) => Some(Expr::Load(access.clone())),
            Pattern::Ignore => None,
        };
        let fields = receive.patterns.iter().map(|pattern| self.wanted(value(pattern), place)).collect();
        self.event(false, channel, fields, place)
    }

    fn wanted(&mut self, value: Option<Expr>, place: Place) -> Option<i32> {
        let wanted = value?.constant();
        if wanted.is_none() {
            self.error(place, "a trace compares messages with constants only; _ stands for any value");
        }
        wanted
    }

    fn event(&mut self, is_send: bool, channel: &VarRef, fields: Vec<Option<i32>>, place: Place) -> Option<Node> {
        let access = self.channel(channel)?;
        if !is_known(&access) {
            self.error(place, "a trace watches global channels only, and elements of arrays by constant indexes");
            return None;
        }
        self.check_message(channel, true, fields.len(), place);
        Some(Node::Event(Event { is_send, channel: access, fields }))
    }

    /// Adds an event as a statement that does nothing.
    pub(super) fn wait_for(&mut self, event: Event, statement: StatementId) {
        self.state().events.get_or_insert_default().insert(statement, event);
    }

    /// A trace moves with events only: a jump in the place of a guard would be a step without one.
    pub(super) fn check_trace(&mut self) {
        let Some(trace) = &self.model.trace else { return };
        let automaton = self.model.proctype(trace.proctype);
        let edges = automaton.locations.iter().flat_map(|location| &location.edges);
        let is_jump =
            |id: &StatementId| !trace.events.contains_key(id) && automaton.statement(*id).action != Action::End;
        let jump = edges.map(|edge| edge.statement).find(is_jump).map(|id| automaton.statement(id).place);
        if let Some(place) = jump {
            self.error(place, "a step of a trace begins with a send or a receive");
        }
    }
}

/// Whether the text tells which variable holds the channel.
fn is_known(access: &Access) -> bool {
    access.base == Base::Global && access.indexes.iter().all(|index| index.value.constant().is_some())
}
