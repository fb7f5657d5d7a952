//! `for` and `select`, as the loops that SPIN makes of them.

use super::Lowerer;
use super::flow::{Idle, Jump, Loop};
use super::reference::Use;
use super::scope::Symbol;
use super::statement::Node;
use crate::expr::{Access, Base, BinaryOp, Expr, Pattern, Receive, Send};
use crate::model::Action;
use crate::types::{Scalar, Type, Variable};
use spinor_syntax::Place;
use spinor_syntax::ast::{self, Stmt, VarRef};
use std::sync::Arc;

impl<'a> Lowerer<'a> {
    pub(super) fn for_range(
        &mut self,
        variable: &VarRef,
        low: &ast::Expr,
        high: &ast::Expr,
        body: &'a [Stmt],
        place: Place,
    ) -> Option<Node> {
        let name = spinor_syntax::print::variable(variable);
        let (low_text, high_text) = (spinor_syntax::print::expression(low), spinor_syntax::print::expression(high));
        let exit = self.enter_loop();
        let (first, last) = self.bounds(low, high);
        let index = self.loop_index(variable)?;
        self.assign_step(&index, first, place, format!("{name} = {low_text}"));
        self.open_loop_body(BinaryOp::LessEqual, &index, last, place, format!("(({name}<={high_text}))"));
        Some(self.finish_loop(&index, &name, Some(body), exit, place))
    }

    fn bounds(&mut self, low: &ast::Expr, high: &ast::Expr) -> (Expr, Expr) {
        let lowered = (self.expression(low), self.expression(high));
        self.refuse_run(&lowered.0, low.place, "the bounds of a loop");
        self.refuse_run(&lowered.1, high.place, "the bounds of a loop");
        if let Some((first, last)) = lowered.0.constant().zip(lowered.1.constant())
            && first > last
        {
            self.error(low.place.to(high.place), format!("the range {first} .. {last} is empty"));
        }
        lowered
    }

    fn loop_index(&mut self, variable: &VarRef) -> Option<Access> {
        let index = self.scalar(variable, Use::Write);
        self.scalar(variable, Use::Read);
        if index.is_none() {
            self.state().loops.pop();
        }
        index
    }

    fn assign_step(&mut self, target: &Access, value: Expr, place: Place, text: String) {
        self.add(Node::Step(Action::Assign(target.clone(), value), Idle::No), place, text.into());
    }

    fn open_loop_body(&mut self, op: BinaryOp, index: &Access, limit: Expr, place: Place, text: String) {
        self.flow().open();
        self.state().at_top = false;
        let test = Expr::Binary(op, Box::new(Expr::Load(index.clone())), Box::new(limit));
        self.add(Node::Step(Action::Condition(test), Idle::No), place, text.into());
    }

    /// The rest of a loop: body, step, and how it is left. Without a body it is a `select`,
    /// which may be left at any time, and has that option first.
    fn finish_loop(&mut self, index: &Access, name: &str, body: Option<&'a [Stmt]>, exit: Loop, place: Place) -> Node {
        if let Some(body) = body {
            self.scopes.enter();
            self.steps(body);
            self.scopes.leave();
        }
        let next = Expr::Binary(BinaryOp::Add, Box::new(Expr::Load(index.clone())), Box::new(Expr::Constant(1)));
        self.assign_step(index, next, place, format!("{name} = ({name}+1)"));
        let repeat = self.flow().close();
        self.flow().open();
        if body.is_some() {
            self.add(Node::Else, place, "else".into());
        }
        self.add(Node::Goto(Jump::Break(exit), "break".into()), place, "break".into());
        let leave = self.flow().close();
        self.state().loops.pop();
        Node::Do(vec![leave, repeat], exit)
    }

    pub(super) fn select(
        &mut self,
        variable: &VarRef,
        low: &ast::Expr,
        high: &ast::Expr,
        place: Place,
    ) -> Option<Node> {
        let name = spinor_syntax::print::variable(variable);
        let (low_text, high_text) = (spinor_syntax::print::expression(low), spinor_syntax::print::expression(high));
        let exit = self.enter_loop();
        let (first, last) = self.bounds(low, high);
        let index = self.loop_index(variable)?;
        self.assign_step(&index, first, place, format!("{name} = {low_text}"));
        self.open_loop_body(BinaryOp::Less, &index, last, place, format!("(({name}<{high_text}))"));
        Some(self.finish_loop(&index, &name, None, exit, place))
    }

    pub(super) fn for_in(
        &mut self,
        variable: &VarRef,
        collection: &VarRef,
        body: &'a [Stmt],
        place: Place,
    ) -> Option<Node> {
        let id = self.lookup(&collection.name)?;
        let symbol = self.scopes.get(id);
        let (length, ty, channel) = (symbol.variable.length, symbol.variable.ty.clone(), symbol.channel);
        self.scopes.get_mut(id).read = true;
        let name = spinor_syntax::print::variable(variable);
        if let (true, Some(channel)) = (ty == Type::Scalar(Scalar::Chan), channel)
            && self.is_struct(variable)
        {
            return self.for_in_channel(variable, collection, channel, body, place);
        }
        let Some(length) = length else {
            let message = format!("'{}' is neither an array nor a channel of one structure", collection.name.text);
            self.error(collection.name.place, message);
            return None;
        };
        let exit = self.enter_loop();
        let index = self.loop_index(variable)?;
        let last = length as i32 - 1;
        self.assign_step(&index, Expr::Constant(0), place, format!("{name} = 0"));
        let text = format!("(({name}<={last}))");
        self.open_loop_body(BinaryOp::LessEqual, &index, Expr::Constant(last), place, text);
        Some(self.finish_loop(&index, &name, Some(body), exit, place))
    }

    fn is_struct(&mut self, variable: &VarRef) -> bool {
        let symbol = self.scopes.lookup(&variable.name.text).map(|id| self.scopes.get(id));
        symbol.is_some_and(|symbol| symbol.variable.ty.structure().is_some() && variable.field.is_none())
    }

    /// `for (m in c)`: each message in turn is taken out, looked at and put back.
    fn for_in_channel(
        &mut self,
        variable: &VarRef,
        collection: &VarRef,
        channel: crate::model::ChannelTypeId,
        body: &'a [Stmt],
        place: Place,
    ) -> Option<Node> {
        let capacity = self.model.channel_types[usize::from(channel.0)].capacity;
        if capacity == 0 {
            self.error(collection.place(), "a rendezvous channel holds no messages");
            return None;
        }
        let source = self.channel(collection)?;
        let fields = self.reference(variable, Use::Write)?.scalars;
        self.reference(variable, Use::Read);
        let exit = self.enter_loop();
        let counter = self.loop_counter(if capacity > 255 { Scalar::Short } else { Scalar::Byte }, place);
        self.assign_step(&counter, Expr::Constant(0), place, "_count = 0".into());
        let length = Expr::Len(source.clone());
        let text = format!("((_count<len({})))", spinor_syntax::print::variable(collection));
        self.open_loop_body(BinaryOp::Less, &counter, length, place, text);
        let name = spinor_syntax::print::variable(collection);
        let message = spinor_syntax::print::variable(variable);
        let patterns = fields.iter().cloned().map(Pattern::Store).collect();
        let receive = Receive { channel: source.clone(), patterns, random: false, keep: false };
        self.add(Node::Step(Action::Receive(receive), Idle::No), place, format!("{name}?{message}").into());
        let arguments = fields.into_iter().map(Expr::Load).collect();
        let send = Send { channel: source, arguments, sorted: false };
        self.add(Node::Step(Action::Send(send), Idle::No), place, format!("{name}!{message}").into());
        Some(self.finish_loop(&counter, "_count", Some(body), exit, place))
    }

    /// A variable of our own, which is part of the state as SPIN's is.
    fn loop_counter(&mut self, ty: Scalar, place: Place) -> Access {
        let state = self.state();
        let (offset, index) = (state.locals_size, state.locals.len() as u32);
        state.locals_size += ty.size();
        let name: Arc<str> = format!("_count{index}").into();
        let variable = Variable { name: name.clone(), ty: Type::Scalar(ty.clone()), length: None, offset };
        state.locals.push(variable.clone());
        self.scopes.symbols.push(Symbol {
            variable: Arc::new(variable),
            base: Base::Local,
            index,
            place,
            parameter: false,
            channel: None,
            read: true,
            written: true,
        });
        super::declaration::direct(Base::Local, offset, &ty, index, &name)
    }
}
