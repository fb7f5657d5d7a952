//! Expressions: names resolved, constants folded.

use super::reference::Use;
use super::{Lowerer, RunCheck};
use crate::eval;
use crate::expr::{Access, Base, BinaryOp, Expr, Pattern, Receive, Run, UnaryOp};
use crate::model::{LabelRef, ProctypeId, RemoteLabel};
use crate::types::Scalar;
use spinor_syntax::ast::{self, ExprKind, ReceiveArg, VarRef};
use spinor_syntax::{Diagnostic, Place};

/// What stands for an expression that has an error.
const BROKEN: Expr = Expr::Constant(1);

impl Lowerer<'_> {
    pub(super) fn expression(&mut self, expr: &ast::Expr) -> Expr {
        match &expr.kind {
            &ExprKind::Number(n) => Expr::Constant(n),
            ExprKind::Variable(reference) => self.variable_value(reference),
            ExprKind::Unary(op, operand) => {
                let operand = self.expression(operand);
                match operand.constant() {
                    Some(value) => Expr::Constant(eval::unary(*op, value)),
                    None => Expr::Unary(*op, Box::new(operand)),
                }
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.place),
            ExprKind::Conditional(condition, then, otherwise) => {
                let parts = [condition, then, otherwise].map(|part| self.expression(part));
                Expr::Conditional(Box::new(parts))
            }
            ExprKind::Run { proctype, arguments, priority } => self.run(proctype, arguments, priority.as_deref()),
            ExprKind::Len(channel) => self.channel(channel).map_or(BROKEN, Expr::Len),
            ExprKind::ChannelTest(test, channel) => {
                self.channel(channel).map_or(BROKEN, |channel| Expr::ChannelTest(*test, channel))
            }
            ExprKind::Poll { channel, arguments, random } => self.poll(channel, arguments, *random),
            ExprKind::Enabled(pid) => {
                self.model.uses.enabled = true;
                Expr::Enabled(Box::new(self.expression(pid)))
            }
            ExprKind::PcValue(pid) => Expr::PcValue(Box::new(self.expression(pid))),
            ExprKind::GetPriority(pid) => {
                self.model.uses.priority = true;
                Expr::GetPriority(Box::new(self.expression(pid)))
            }
            ExprKind::RemoteLabel { proctype, pid, label } => self.remote_label(proctype, pid.as_deref(), label),
            ExprKind::RemoteVariable { proctype, pid, variable } => {
                self.remote_variable(proctype, pid.as_deref(), variable)
            }
            ExprKind::Timeout => {
                self.model.uses.timeout = true;
                Expr::Timeout
            }
            ExprKind::NonProgress => {
                self.model.uses.non_progress = true;
                Expr::NonProgress
            }
            ExprKind::Temporal(..) => {
                self.error(expr.place, "an operator of temporal logic can only be used in an ltl block");
                BROKEN
            }
            ExprKind::EmbeddedC(_) | ExprKind::Error => BROKEN,
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr, place: Place) -> Expr {
        let (left, right) = (self.expression(left), self.expression(right));
        if let Some((a, b)) = left.constant().zip(right.constant()) {
            match eval::binary(op, a, b) {
                Some(value) => return Expr::Constant(value),
                None => {
                    let diagnostic = Diagnostic::warning(place, "division by zero");
                    self.report(diagnostic.hint("executing this is a fault"));
                }
            }
        }
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    fn variable_value(&mut self, reference: &VarRef) -> Expr {
        let plain = reference.index.is_none() && reference.field.is_none();
        if let (true, Some(&(value, _))) = (plain, self.constants.get(&reference.name.text)) {
            return Expr::Constant(value);
        }
        if self.scopes.lookup(&reference.name.text).is_none()
            && let Some(predefined) = self.predefined(reference)
        {
            return predefined;
        }
        self.scalar(reference, Use::Read).map_or(BROKEN, Expr::Load)
    }

    fn predefined(&mut self, reference: &VarRef) -> Option<Expr> {
        Some(match &*reference.name.text {
            "_pid" => Expr::Pid,
            "_nr_pr" => {
                self.count_place.get_or_insert(reference.name.place);
                Expr::ProcessCount
            }
            "_last" => Expr::Last,
            "_priority" => Expr::OwnPriority,
            "_" => {
                self.error(reference.name.place, "'_' has no value: it can only be written");
                BROKEN
            }
            _ => return None,
        })
    }

    /// The values of an argument list; a structure stands for its fields.
    pub(super) fn arguments(&mut self, arguments: &[ast::Expr]) -> Vec<Expr> {
        let mut values = Vec::new();
        for argument in arguments {
            match self.struct_argument(argument) {
                Some(fields) => values.extend(fields.into_iter().map(Expr::Load)),
                None => values.push(self.expression(argument)),
            }
        }
        values
    }

    fn struct_argument(&mut self, argument: &ast::Expr) -> Option<Vec<Access>> {
        let ExprKind::Variable(reference) = &argument.kind else { return None };
        if self.constants.contains_key(&reference.name.text) || self.scopes.lookup(&reference.name.text).is_none() {
            return None;
        }
        let known = self.diagnostics.len();
        let resolved = self.reference(reference, Use::Read);
        let structure = resolved.filter(|resolved| resolved.is_struct);
        if structure.is_none() {
            // `expression` will say it again.
            self.diagnostics.truncate(known);
        }
        structure.map(|resolved| resolved.scalars)
    }

    fn run(&mut self, name: &ast::Name, arguments: &[ast::Expr], priority: Option<&ast::Expr>) -> Expr {
        let arguments = self.arguments(arguments);
        let priority = match priority {
            Some(priority) => {
                self.model.uses.priority = true;
                self.priority(priority)
            }
            None => 1,
        };
        let Some(&proctype) = self.proctypes.get(&name.text) else {
            let mut diagnostic = Diagnostic::error(name.place, format!("there is no proctype '{}'", name.text));
            let known = self.proctypes.keys().map(|known| &**known);
            if let Some(near) = super::scope::nearest(&name.text, known) {
                diagnostic = diagnostic.hint(format!("did you mean '{near}'?"));
            }
            self.report(diagnostic);
            return BROKEN;
        };
        if self.body.is_none() {
            self.error(name.place, "'run' can only be used inside a proctype");
        }
        self.runs.push(RunCheck { proctype, arguments: arguments.len(), place: name.place });
        Expr::Run(Box::new(Run { proctype, arguments, priority }))
    }

    pub(super) fn priority(&mut self, priority: &ast::Expr) -> u8 {
        match self.constant(priority, "a priority") {
            Some(n) if (1..=255).contains(&n) => n as u8,
            Some(n) => {
                self.error(priority.place, format!("priorities are 1 to 255, not {n}"));
                1
            }
            None => 1,
        }
    }

    fn poll(&mut self, channel: &VarRef, arguments: &[ReceiveArg], random: bool) -> Expr {
        match self.receive(channel, arguments) {
            Some(receive) => Expr::Poll(Box::new(Receive { random, keep: true, ..receive })),
            None => BROKEN,
        }
    }

    /// Channel and patterns of a receive.
    pub(super) fn receive(&mut self, channel: &VarRef, arguments: &[ReceiveArg]) -> Option<Receive> {
        let access = self.channel(channel);
        let patterns: Vec<Pattern> = arguments.iter().flat_map(|argument| self.patterns(argument)).collect();
        Some(Receive { channel: access?, patterns, random: false, keep: false })
    }

    fn patterns(&mut self, argument: &ReceiveArg) -> Vec<Pattern> {
        match argument {
            ReceiveArg::Eval(value) => vec![Pattern::Match(self.expression(value))],
            &ReceiveArg::Constant(value, _) => vec![Pattern::Match(Expr::Constant(value))],
            ReceiveArg::Variable(reference) => {
                let plain = reference.index.is_none() && reference.field.is_none();
                if let (true, Some(&(value, _))) = (plain, self.constants.get(&reference.name.text)) {
                    return vec![Pattern::Match(Expr::Constant(value))];
                }
                if plain && &*reference.name.text == "_" {
                    return vec![Pattern::Ignore];
                }
                if plain && &*reference.name.text == "_pid" {
                    let message = "'_pid' cannot be assigned: it is compared with the field, as eval(_pid) is";
                    self.report(Diagnostic::warning(reference.name.place, message));
                    return vec![Pattern::Match(Expr::Pid)];
                }
                if Self::is_predefined(&reference.name.text) {
                    self.error(reference.name.place, format!("'{}' cannot be assigned", reference.name.text));
                    return vec![Pattern::Ignore];
                }
                let resolved = self.reference(reference, Use::Write);
                resolved.map_or_else(Vec::new, |it| it.scalars.into_iter().map(Pattern::Store).collect())
            }
        }
    }

    /// Remembers to compare the number of fields with what the channel carries.
    pub(super) fn check_message(&mut self, channel: &VarRef, is_send: bool, fields: usize, place: Place) {
        if channel.field.is_none()
            && let Some(symbol) = self.scopes.lookup(&channel.name.text)
        {
            self.messages.push(super::MessageCheck { symbol, is_send, fields, place });
        }
    }

    fn remote_process(&mut self, name: &ast::Name) -> Option<ProctypeId> {
        let known = self.proctypes.get(&name.text).copied();
        if known.is_none() {
            self.error(name.place, format!("there is no proctype '{}'", name.text));
        }
        known
    }

    fn remote_label(&mut self, name: &ast::Name, pid: Option<&ast::Expr>, label: &ast::Name) -> Expr {
        let Some(proctype) = self.remote_process(name) else { return BROKEN };
        if self.body.is_some() && usize::from(proctype.0) == self.model.proctypes.len() {
            self.error(name.place, format!("a label of '{}' cannot be asked for inside of it", name.text));
        }
        let pid = pid.map(|pid| Box::new(self.expression(pid)));
        self.refer_to_label(proctype, &label.text);
        let index = self.model.labels.len() as u32;
        self.model.labels.push(RemoteLabel { proctype, name: label.text.clone(), location: None });
        self.label_places.push(label.place);
        Expr::AtLabel { pid, label: LabelRef(index) }
    }

    fn remote_variable(&mut self, name: &ast::Name, pid: Option<&ast::Expr>, variable: &VarRef) -> Expr {
        let Some(proctype) = self.remote_process(name) else { return BROKEN };
        let pid = pid.map(|pid| Box::new(self.expression(pid)));
        let is_own = usize::from(proctype.0) == self.model.proctypes.len();
        let own = self.body.as_ref().filter(|_| is_own).map(|body| &body.locals);
        let known = self.model.proctypes.get(usize::from(proctype.0)).map(|owner| &owner.locals);
        let Some(locals) = known.or(own) else {
            let diagnostic = Diagnostic::error(name.place, format!("proctype '{}' is declared later", name.text));
            self.report(diagnostic.hint("move this after the proctype"));
            return BROKEN;
        };
        let Some(index) = locals.iter().position(|local| local.name == variable.name.text) else {
            let message = format!("proctype '{}' has no variable '{}'", name.text, variable.name.text);
            self.error(variable.name.place, message);
            return BROKEN;
        };
        let local = locals[index].clone();
        self.remote_reads.push((proctype, index as u32));
        let mut access = super::declaration::direct(Base::Local, 0, &Scalar::Int, index as u32, &local.name);
        match self.follow(variable, &local, &mut access) {
            Some(resolved) if !resolved.is_struct => {
                let access = resolved.scalars.into_iter().next().expect("one number");
                Expr::Remote { proctype, pid, access }
            }
            Some(_) => {
                self.error(variable.name.place, "a remote reference must name a number");
                BROKEN
            }
            None => BROKEN,
        }
    }

    /// The value of an expression that must be constant. `None` after a diagnostic.
    pub(super) fn constant(&mut self, expr: &ast::Expr, what: &str) -> Option<i32> {
        let value = self.constant_value(expr);
        if value.is_none() {
            self.error(expr.place, format!("{what} must be a constant"));
        }
        value
    }

    /// The value of an expression, if it is constant.
    pub(super) fn constant_value(&self, expr: &ast::Expr) -> Option<i32> {
        match &expr.kind {
            &ExprKind::Number(n) => Some(n),
            ExprKind::Variable(reference) if reference.index.is_none() && reference.field.is_none() => {
                self.constants.get(&reference.name.text).map(|&(value, _)| value)
            }
            ExprKind::Unary(UnaryOp::Negate, operand) => Some(self.constant_value(operand)?.wrapping_neg()),
            ExprKind::Binary(op, left, right) => {
                eval::binary(*op, self.constant_value(left)?, self.constant_value(right)?)
            }
            _ => None,
        }
    }
}
