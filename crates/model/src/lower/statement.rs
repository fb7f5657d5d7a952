//! Statements, added to the control-flow graph in SPIN's order.
//!
//! A statement is *prepared*, which builds the sequences inside of it, and then *added* to the
//! sequence around it. SPIN's parser works in the same two steps; the numbers of statements in
//! trails depend on it.

use super::Lowerer;
use super::declaration::Owner;
use super::flow::{D_ATOM, Flow, Idle, Jump, Kind, Loop, Seq};
use super::labels::Opening;
use super::reference::Use;
use crate::expr::{Access, Base, BinaryOp, Expr, Receive, Send};
use crate::model::{Action, Event, Exclusive, Initial, Statement, StatementId};
use crate::types::{Type, Variable};
use spinor_syntax::ast::{self, ExprKind, Initialiser, Stmt, StmtKind, VarRef};
use spinor_syntax::{Diagnostic, Place};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The body that is being lowered.
#[derive(Debug, Default)]
pub(super) struct BodyState {
    pub(super) flow: Flow,
    pub(super) statements: Vec<Statement>,
    pub(super) parameters: Vec<Access>,
    pub(super) locals: Vec<Variable>,
    pub(super) locals_size: u32,
    pub(super) locals_init: Vec<Initial>,
    pub(super) exclusive: Vec<Exclusive>,
    /// Still at the top: declarations give initial values, not steps.
    pub(super) at_top: bool,
    /// A claim: repeated skips are kept.
    pub(super) is_claim: bool,
    /// A trace: what its statements wait for.
    pub(super) events: Option<BTreeMap<StatementId, Event>>,
    /// The loops around the present statement.
    pub(super) loops: Vec<Loop>,
    /// The inlines around the present statement.
    pub(super) inlines: Vec<u32>,
}

/// A statement that is ready to be added.
pub(super) enum Node {
    Step(Action, Idle),
    Event(Event),
    Else,
    Goto(Jump, Arc<str>),
    If(Vec<Seq>),
    Do(Vec<Seq>, Loop),
    Unless(Seq, Seq),
    Atomic(Seq),
    DStep(Seq),
    Block(Seq),
    Labelled(ast::Name, Box<Node>, Place, Arc<str>),
    End,
}

impl Node {
    /// The loop that a label stands in front of.
    fn labelled_loop(&self) -> Option<Loop> {
        let Node::Labelled(_, inner, ..) = self else { return None };
        match **inner {
            Node::Do(_, exit) => Some(exit),
            _ => inner.labelled_loop(),
        }
    }
}

impl<'a> Lowerer<'a> {
    pub(super) fn flow(&mut self) -> &mut Flow {
        &mut self.state().flow
    }

    pub(super) fn state(&mut self) -> &mut BodyState {
        self.body.as_mut().expect("inside a body")
    }

    /// The statements of a sequence, into the sequence that is open.
    pub(super) fn steps(&mut self, steps: &'a [Stmt]) {
        for step in steps {
            self.step(step);
        }
    }

    fn step(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            _ if self.refuses(stmt) => {}
            StmtKind::Variables(declaration) => self.local_variables(declaration),
            StmtKind::Exclusive { send, channels } => self.exclusive(*send, channels, stmt.place),
            StmtKind::Error => {}
            _ => {
                if let Some(node) = self.prepare(stmt) {
                    self.add(node, stmt.place, spinor_syntax::print::statement(stmt));
                }
                self.state().at_top = false;
            }
        }
    }

    fn exclusive(&mut self, send: bool, channels: &[VarRef], place: Place) {
        for channel in channels {
            if let Some(channel) = self.channel(channel) {
                self.state().exclusive.push(Exclusive { send, channel, place });
            }
        }
    }

    fn local_variables(&mut self, declaration: &'a ast::VariableDecl) {
        if self.state().at_top {
            return self.variables(declaration, Owner::Local);
        }
        self.variables(declaration, Owner::LateLocal);
        for declarator in &declaration.variables {
            self.late_value(declarator);
        }
    }

    /// A variable that is declared late gets its value by a step. Of an array SPIN sets the first
    /// element only, and of a structure nothing; it is a step all the same.
    fn late_value(&mut self, declarator: &'a ast::Declarator) {
        let Some(id) = self.scopes.lookup(&declarator.name.text) else { return };
        let symbol = self.scopes.get(id);
        if symbol.base != Base::Local {
            // The declaration failed: the name is that of a global variable.
            return;
        }
        let (variable, index) = (symbol.variable.clone(), symbol.index);
        let name = &declarator.name.text;
        let value = match &declarator.initialiser {
            Some(Initialiser::Value(value)) => {
                let lowered = self.expression(value);
                self.refuse_run(&lowered, value.place, "an initial value");
                lowered
            }
            Some(Initialiser::List(values)) => {
                if values.len() > 1 {
                    let message =
                        format!("array '{name}' can be given a list of values at the start of the proctype only");
                    self.error(values[1].place, message);
                }
                self.expression(&values[0])
            }
            Some(Initialiser::Channel(_)) | None => Expr::Constant(0),
        };
        let (action, text) = match &variable.ty {
            Type::Struct(_) => (Action::Goto, format!("{name} = 0")),
            Type::Scalar(ty) => {
                let text = match &declarator.initialiser {
                    Some(Initialiser::Value(value)) => format!("{name} = {}", spinor_syntax::print::expression(value)),
                    Some(Initialiser::List(values)) => {
                        format!("{name}[0] = {}", spinor_syntax::print::expression(&values[0]))
                    }
                    _ if variable.length.is_some() => format!("{name}[0] = 0"),
                    _ => format!("{name} = 0"),
                };
                let value = if value.constant() == Some(0) { Expr::Constant(ty.default_value()) } else { value };
                let access = super::declaration::direct(Base::Local, variable.offset, ty, index, name);
                (Action::Assign(access, value), text)
            }
        };
        self.add(Node::Step(action, Idle::No), declarator.name.place, text.into());
    }

    /// Builds what is inside of a statement. `None` if there is nothing to add.
    fn prepare(&mut self, stmt: &'a Stmt) -> Option<Node> {
        let place = stmt.place;
        Some(match &stmt.kind {
            StmtKind::Variables(_) | StmtKind::Exclusive { .. } => {
                self.error(place, "a declaration cannot stand here");
                return None;
            }
            StmtKind::Labelled(name, inner) => return self.prepare_labelled(name, inner, place),
            StmtKind::Send { channel, arguments, .. } if self.state().events.is_some() => {
                self.sent(channel, arguments, place)?
            }
            StmtKind::Receive { channel, arguments, .. } if self.state().events.is_some() => {
                self.received(channel, arguments, place)?
            }
            StmtKind::Assign(variable, value) => Node::Step(self.assign(variable, value)?, Idle::No),
            StmtKind::Send { channel, arguments, sorted } => {
                Node::Step(self.send(channel, arguments, *sorted, place)?, Idle::No)
            }
            StmtKind::Receive { channel, arguments, .. } if self.is_input(channel) => {
                Node::Step(self.input(arguments, place)?, Idle::No)
            }
            StmtKind::Receive { channel, arguments, random, keep } => {
                let receive = self.receive_statement(channel, arguments, place)?;
                let receive = Receive { random: *random, keep: *keep, ..receive };
                Node::Step(Action::Receive(receive), Idle::No)
            }
            StmtKind::Expr(condition) => {
                let idle = match condition.kind {
                    ExprKind::Number(1) => Idle::Skip,
                    ExprKind::Number(0) => Idle::Blocked,
                    _ => Idle::No,
                };
                let condition = self.expression(condition);
                self.refuse_compound_run(&condition, place);
                Node::Step(Action::Condition(condition), idle)
            }
            StmtKind::Else => Node::Else,
            StmtKind::Goto(label) => self.goto(label),
            StmtKind::Break => self.break_out(place)?,
            StmtKind::If(branches) => Node::If(self.branches(branches)),
            StmtKind::Do(branches) => {
                let exit = self.enter_loop();
                let options = self.branches(branches);
                self.state().loops.pop();
                Node::Do(options, exit)
            }
            StmtKind::ForRange { variable, low, high, body } => self.for_range(variable, low, high, body, place)?,
            StmtKind::ForIn { variable, collection, body } => self.for_in(variable, collection, body, place)?,
            StmtKind::Select { variable, low, high } => self.select(variable, low, high, place)?,
            StmtKind::SelectLoop(parts) => {
                self.step(&parts[0]);
                return self.prepare(&parts[1]);
            }
            StmtKind::Atomic(body) => {
                let seq = self.block(body, Opening::Atomic);
                self.flow().make_atomic(seq, 0);
                Node::Atomic(seq)
            }
            StmtKind::DStep(body) => self.d_step(body),
            StmtKind::Block(body) => Node::Block(self.block(body, Opening::Block)),
            StmtKind::Inline { name, id, body } => self.inline(name, *id, body, place),
            StmtKind::Unless(main, escape) => self.unless(main, escape)?,
            StmtKind::Assert(condition) => Node::Step(Action::Assert(self.expression(condition)), Idle::No),
            StmtKind::Print { format, arguments } => self.print(format, arguments),
            StmtKind::PrintMtype(value) => self.print_mtype(value),
            StmtKind::SetPriority(process, priority) => {
                self.model.uses.priority = true;
                Node::Step(Action::SetPriority(self.expression(process), self.expression(priority)), Idle::No)
            }
            StmtKind::EmbeddedC(_) | StmtKind::Error => return None,
        })
    }

    fn prepare_labelled(&mut self, name: &ast::Name, inner: &'a Stmt, place: Place) -> Option<Node> {
        if let StmtKind::SelectLoop(parts) = &inner.kind {
            // The text that SPIN puts there begins with the assignment: that is what is labelled.
            let first = self.prepare(&parts[0])?;
            let text = spinor_syntax::print::statement(&parts[0]);
            self.add(Node::Labelled(name.clone(), Box::new(first), place, text.clone()), place, text);
            return self.prepare(&parts[1]);
        }
        if self.refuses(inner) {
            return None;
        }
        let node = self.prepare(inner)?;
        let text = spinor_syntax::print::statement(inner);
        Some(Node::Labelled(name.clone(), Box::new(node), inner.place, text))
    }

    /// Whether it holds must not depend on more than whether there is room for a process: who asks would create it.
    fn refuse_compound_run(&mut self, condition: &Expr, place: Place) {
        if condition.run().is_none() {
            self.refuse_run(condition, place, "a compound condition: give its value to a variable first");
        }
    }

    pub(super) fn refuse_run(&mut self, expr: &Expr, place: Place, what: &str) {
        if expr.has_run() {
            self.error(place, format!("'run' cannot be used in {what}"));
        }
    }

    /// Who asks whether a message can be sent or received must know on which channel.
    fn refuse_run_in_index(&mut self, channel: &Access, place: Place) {
        if !channel.runs().is_empty() {
            self.error(place, "'run' cannot be used to choose a channel");
        }
    }

    fn assign(&mut self, variable: &VarRef, value: &ast::Expr) -> Option<Action> {
        let plain = variable.index.is_none() && variable.field.is_none();
        let predefined = plain && self.scopes.lookup(&variable.name.text).is_none();
        if predefined && &*variable.name.text == "_" {
            // Executable whatever the value, which is still computed.
            let value = self.expression(value);
            let always = Expr::Binary(BinaryOp::Or, Box::new(value), Box::new(Expr::Constant(1)));
            return Some(Action::Condition(always));
        }
        if predefined && &*variable.name.text == "_priority" {
            return Some(Action::SetPriority(Expr::Pid, self.expression(value)));
        }
        if predefined && Self::is_predefined(&variable.name.text) {
            self.error(variable.name.place, format!("'{}' cannot be assigned", variable.name.text));
            return None;
        }
        if let (true, Some(_)) = (plain, self.constants.get(&variable.name.text)) {
            self.error(variable.name.place, format!("'{}' is an mtype name, not a variable", variable.name.text));
            return None;
        }
        let access = self.scalar(variable, Use::Write);
        let lowered = self.expression(value);
        let access = access?;
        self.warn_truncation(&access.ty, &lowered, value.place);
        Some(Action::Assign(access, lowered))
    }

    fn send(&mut self, channel: &VarRef, arguments: &[ast::Expr], sorted: bool, place: Place) -> Option<Action> {
        let access = self.channel(channel);
        access.iter().for_each(|access| self.refuse_run_in_index(access, place));
        let arguments = self.arguments(arguments);
        for argument in &arguments {
            self.refuse_run(argument, place, "a message");
        }
        self.check_message(channel, true, arguments.len(), place);
        Some(Action::Send(Send { channel: access?, arguments, sorted }))
    }

    fn is_input(&self, channel: &VarRef) -> bool {
        // Models declare it as a channel without an initial value, or not at all.
        let symbol = self.scopes.lookup(&channel.name.text).map(|id| self.scopes.get(id));
        &*channel.name.text == "STDIN" && symbol.is_none_or(|symbol| symbol.channel.is_none())
    }

    fn input(&mut self, arguments: &[ast::ReceiveArg], place: Place) -> Option<Action> {
        self.model.uses.stdin = true;
        let [ast::ReceiveArg::Variable(variable)] = arguments else {
            self.error(place, "STDIN gives one character: name one variable for it");
            return None;
        };
        self.scalar(variable, Use::Write).map(Action::Input)
    }

    fn receive_statement(&mut self, channel: &VarRef, arguments: &[ast::ReceiveArg], place: Place) -> Option<Receive> {
        let receive = self.receive(channel, arguments)?;
        self.refuse_run_in_index(&receive.channel, place);
        self.check_message(channel, false, receive.patterns.len(), place);
        let mut seen: Vec<(Base, u32)> = Vec::new();
        for pattern in &receive.patterns {
            if let Some(access) = pattern.stored() {
                let target = (access.base, access.offset);
                if access.indexes.is_empty() && seen.contains(&target) {
                    let message = format!("'{}' takes two fields of one message: the last one stays", access.name);
                    self.report(Diagnostic::warning(place, message));
                }
                seen.push(target);
            }
        }
        Some(receive)
    }

    fn goto(&mut self, label: &ast::Name) -> Node {
        let jump = Jump::Label { name: label.text.clone(), scope: self.scopes.path.clone(), place: label.place };
        Node::Goto(jump, format!("goto {}", label.text).into())
    }

    fn break_out(&mut self, place: Place) -> Option<Node> {
        match self.state().loops.last() {
            Some(&exit) => Some(Node::Goto(Jump::Break(exit), "break".into())),
            None => {
                self.error(place, "'break' outside of a loop");
                None
            }
        }
    }

    pub(super) fn enter_loop(&mut self) -> Loop {
        let exit = self.flow().new_loop();
        self.state().loops.push(exit);
        exit
    }

    fn branches(&mut self, branches: &'a [ast::Branch]) -> Vec<Seq> {
        let mut options = Vec::new();
        for branch in branches {
            self.flow().open();
            self.state().at_top = false;
            self.steps(&branch.steps);
            let option = self.close_non_empty(branch.place);
            options.push(option);
        }
        if !self.state().is_claim {
            options.iter().for_each(|&option| self.flow().prune_skips(option));
        }
        options
    }

    /// Closes the sequence; if errors left it empty, a skip keeps the graph whole.
    fn close_non_empty(&mut self, place: Place) -> Seq {
        let seq = self.flow().current();
        if self.flow().sequences[seq].first.is_none() {
            self.add(Node::Step(Action::Condition(Expr::Constant(1)), Idle::Skip), place, "(1)".into());
        }
        self.flow().close()
    }

    fn block(&mut self, body: &'a [Stmt], opening: Opening) -> Seq {
        self.flow().open();
        self.state().at_top = false;
        self.scopes.enter();
        self.steps(body);
        self.scopes.leave();
        let place = body.first().map_or(self.model_place(), |stmt| stmt.place);
        let seq = self.close_non_empty(place);
        self.refuse_first_label(seq, opening);
        seq
    }

    fn d_step(&mut self, body: &'a [Stmt]) -> Node {
        let nested = self.flow().d_step.is_some();
        if !nested {
            self.flow().enter_d_step();
        }
        let seq = self.block(body, Opening::DStep);
        if nested {
            return Node::Block(seq);
        }
        self.flow().make_atomic(seq, D_ATOM);
        let inside = self.flow().d_step.take();
        self.check_d_step(inside);
        Node::DStep(seq)
    }

    /// What a `d_step` cannot contain.
    fn check_d_step(&mut self, inside: Option<u32>) {
        let state = self.state();
        let mut errors = Vec::new();
        for element in state.flow.elements.iter().filter(|element| element.d_step == inside) {
            if let Kind::Unless(..) = element.kind {
                errors.push((element.place, "'unless' cannot be used inside a d_step"));
            }
            let Some(id) = element.kind.statement() else { continue };
            if state.statements[id.0 as usize].runs {
                errors.push((element.place, "'run' cannot be used in a d_step: use atomic"));
            }
        }
        errors.into_iter().for_each(|(place, message)| self.error(place, message));
    }

    fn inline(&mut self, name: &ast::Name, id: u32, body: &'a [Stmt], place: Place) -> Node {
        self.calls.push((name.text.clone(), place));
        self.state().inlines.push(id);
        let seq = self.block(body, Opening::Inline);
        self.state().inlines.pop();
        self.calls.pop();
        Node::Block(seq)
    }

    fn unless(&mut self, main: &'a Stmt, escape: &'a Stmt) -> Option<Node> {
        let main_node = self.prepare(main);
        // A `break` in the escape leaves the loop around the statement; but in SPIN the loop that
        // is the main statement, if that has a label.
        let labelled_loop = main_node.as_ref().and_then(Node::labelled_loop);
        self.state().loops.extend(labelled_loop);
        let escape_node = self.prepare(escape);
        if labelled_loop.is_some() {
            self.state().loops.pop();
        }
        let (main_node, escape_node) = (main_node?, escape_node?);
        let escape_seq = match escape_node {
            Node::Block(seq) => seq,
            node => self.part_of_unless(node, escape, Opening::Escape),
        };
        match main_node {
            Node::Block(seq) => Some(Node::Unless(seq, escape_seq)),
            // A label in front of a block belongs to the whole statement.
            Node::Labelled(name, inner, place, text)
                if matches!(*inner, Node::Block(_) | Node::Atomic(_) | Node::DStep(_)) =>
            {
                let (Node::Block(seq) | Node::Atomic(seq) | Node::DStep(seq)) = *inner else { unreachable!() };
                let whole = self.alone(Node::Unless(seq, escape_seq), main);
                let lifted = match *inner {
                    Node::Atomic(_) => Node::Atomic(whole),
                    Node::DStep(_) => Node::DStep(whole),
                    _ => Node::Block(whole),
                };
                Some(Node::Labelled(name, Box::new(lifted), place, text))
            }
            node => {
                let main_seq = self.part_of_unless(node, main, Opening::Main);
                Some(Node::Unless(main_seq, escape_seq))
            }
        }
    }

    fn part_of_unless(&mut self, node: Node, stmt: &Stmt, opening: Opening) -> Seq {
        let seq = self.alone(node, stmt);
        self.refuse_first_label(seq, opening);
        seq
    }

    /// A sequence of one statement.
    fn alone(&mut self, node: Node, stmt: &Stmt) -> Seq {
        self.flow().open();
        self.add(node, stmt.place, spinor_syntax::print::statement(stmt));
        self.flow().close()
    }

    fn print(&mut self, format: &Arc<str>, arguments: &[ast::Expr]) -> Node {
        self.printing = true;
        let values: Vec<Expr> = arguments.iter().map(|argument| self.expression(argument)).collect();
        self.printing = false;
        // What is only shown does not matter to a search, unless showing it can be a fault.
        self.model.uses.reads_hidden |= values.iter().any(|value| value.can_fail() && value.loads_hidden());
        let (format, values) = self.name_constants(format, arguments, values);
        Node::Step(Action::Print(format, values), Idle::Print)
    }

    /// Writes the names of `mtype` constants where `%e` shows them: their values alone do not tell the set.
    fn name_constants(&self, format: &str, arguments: &[ast::Expr], values: Vec<Expr>) -> (Arc<str>, Vec<Expr>) {
        let mut given = arguments.iter().zip(values);
        let (mut text, mut left) = (String::new(), Vec::new());
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            text.push(c);
            let Some(kind) = (if c == '%' || c == '\\' { chars.next() } else { None }) else { continue };
            if c == '\\' || kind == '%' {
                text.push(kind);
                continue;
            }
            let Some((argument, value)) = given.next() else {
                text.push(kind);
                continue;
            };
            match self.mtype_constant(argument).filter(|_| kind == 'e') {
                Some(name) => {
                    text.pop();
                    text.push_str(name);
                }
                None => {
                    text.push(kind);
                    left.push(value);
                }
            }
        }
        left.extend(given.map(|(_, value)| value));
        (text.into(), left)
    }

    /// The name of an `mtype` constant, if an expression is one.
    fn mtype_constant<'e>(&self, expr: &'e ast::Expr) -> Option<&'e Arc<str>> {
        match &expr.kind {
            ExprKind::Variable(it) if it.index.is_none() && it.field.is_none() => {
                self.constants.contains_key(&it.name.text).then_some(&it.name.text)
            }
            _ => None,
        }
    }

    fn print_mtype(&mut self, value: &ast::Expr) -> Node {
        let constant = match &value.kind {
            ExprKind::Variable(reference) => self.constants.get(&reference.name.text).cloned(),
            _ => None,
        };
        self.printing = true;
        let lowered = self.expression(value);
        self.printing = false;
        self.refuse_run(&lowered, value.place, "printm");
        self.model.uses.reads_hidden |= lowered.can_fail() && lowered.loads_hidden();
        let set = match &constant {
            Some((_, set)) => set.clone(),
            None => lowered.variable().and_then(|access| access.ty.mtype_set()).cloned(),
        };
        Node::Step(Action::PrintMtype(lowered, set), Idle::Print)
    }

    pub(super) fn model_place(&self) -> Place {
        Place::plain(spinor_syntax::Span { file: spinor_syntax::FileId(0), start: 0, end: 0 })
    }
}
