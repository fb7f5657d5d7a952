//! Type inference: what each statement says about the sorts of numbers.

use super::choice::picks;
use super::quiet::{choices, quiet, reachable};
use super::{Dimension, Node, Observer, Reason, Scalarsets, dimensions};
use crate::expr::{Access, Base, BinaryOp, Expr, Pattern, Receive, Send, UnaryOp};
use crate::model::{Action, Model, Proctype, ProctypeId, StatementId};
use crate::ranges::{Interval, Ranges};
use crate::types::Scalar;
use spinor_syntax::Place;
use std::collections::BTreeSet;

/// Statements that are not symmetric.
type Blamed = BTreeSet<(ProctypeId, StatementId)>;

/// Goes through all statements but those that have been passed by, and tells which are to blame for what is not
/// symmetric.
pub(super) fn infer(
    model: &Model,
    ranges: &Ranges,
    observers: &[Observer<'_>],
    passed: &Blamed,
) -> (Scalarsets, Blamed) {
    let mut it = Inference {
        model,
        ranges,
        found: Scalarsets::default(),
        blamed: Blamed::new(),
        proctype: ProctypeId(0),
        statement: None,
        choices: BTreeSet::new(),
        place: model.proctypes.first().map_or(Place::plain(NOWHERE), |first| first.place),
    };
    for (index, proctype) in model.proctypes.iter().enumerate() {
        let id = ProctypeId(index as u16);
        it.stores(id, proctype);
        let is_passed = |statement| passed.contains(&(id, statement));
        let quiet = if proctype.is_process() { quiet(proctype, is_passed) } else { Vec::new() };
        if proctype.is_process() {
            it.body(id, proctype, &reachable(proctype, &quiet));
        }
        it.found.quiet.push(quiet);
    }
    it.found.prelude = passed.iter().map(|&(id, statement)| (id, it.prelude(id, statement))).collect();
    for observer in observers {
        (it.statement, it.place) = (None, observer.place);
        it.condition(observer.expr);
    }
    let reason = it.reason("numbers of channels are kept in variables of other types");
    it.found.sorts.keep_channels_apart(reason);
    (it.found, it.blamed)
}

const NOWHERE: spinor_syntax::Span = spinor_syntax::Span { file: spinor_syntax::FileId(0), start: 0, end: 0 };

/// What is known of the value of an expression.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A plain number.
    Data,
    Constant(i32),
    /// A number of the sort of a node, and so much more.
    Of(usize, i32),
}

struct Inference<'a> {
    model: &'a Model,
    ranges: &'a Ranges,
    found: Scalarsets,
    blamed: Blamed,
    proctype: ProctypeId,
    /// What is looked at; none for a `provided` clause or an observer.
    statement: Option<StatementId>,
    /// The statements of the proctype of which one is chosen to store a number.
    choices: BTreeSet<StatementId>,
    place: Place,
}

impl<'a> Inference<'a> {
    /// The local variables that statements of a proctype store to, whether these come before its processes rest or after.
    fn stores(&mut self, id: ProctypeId, proctype: &Proctype) {
        let mut store = |target: &Access| match target.base {
            Base::Local => {
                self.found.assigned.insert((id, self.ranges.element(Base::Local, id, target.offset).0));
            }
            Base::Global | Base::Hidden => {}
        };
        for statement in &proctype.statements {
            match &statement.action {
                Action::Assign(target, _) | Action::Input(target) => store(target),
                Action::Receive(receive) => receive.patterns.iter().for_each(|pattern| match pattern {
                    Pattern::Store(target) => store(target),
                    Pattern::Match(_) | Pattern::Ignore => {}
                }),
                // What is inside of a `d_step` are statements of their own.
                Action::Condition(_) | Action::Else | Action::Send(_) | Action::Assert(_) | Action::Print(..) => {}
                Action::PrintMtype(..) | Action::SetPriority(..) | Action::DStep(_) | Action::Goto | Action::End => {}
            }
        }
    }

    fn body(&mut self, id: ProctypeId, proctype: &'a Proctype, statements: &BTreeSet<StatementId>) {
        (self.proctype, self.statement, self.place) = (id, None, proctype.place);
        let picked = picks(proctype).into_iter().flat_map(|it| it.parts);
        self.choices = choices(proctype).into_iter().flatten().chain(picked).collect();
        if let Some(condition) = &proctype.provided {
            self.condition(condition);
        }
        for &statement in statements {
            let it = proctype.statement(statement);
            (self.statement, self.place) = (Some(statement), it.place);
            self.action(&it.action);
        }
    }

    fn prelude(&self, id: ProctypeId, statement: StatementId) -> Reason {
        let it = self.model.proctype(id).statement(statement);
        let why = if it.runs { "processes are created".into() } else { format!("`{}`", it.text) };
        Reason { place: it.place, why }
    }

    fn reason(&self, why: impl Into<String>) -> Reason {
        Reason { place: self.place, why: why.into() }
    }

    fn blame(&mut self) {
        self.blamed.extend(self.statement.map(|statement| (self.proctype, statement)));
    }

    /// More is done with a number than a name allows.
    fn spoil(&mut self, kind: Kind, why: &str) {
        if let Kind::Of(node, _) = kind {
            let reason = self.reason(why);
            self.found.sorts.make_data(node, reason);
            self.blame();
        }
    }

    fn unify(&mut self, one: Kind, other: Kind, why: &str) -> Kind {
        match (one, other) {
            (Kind::Of(left, plus), Kind::Of(right, extra)) => {
                let reason = self.reason(why);
                let was_data = self.found.sorts.is_data(left) || self.found.sorts.is_data(right);
                self.found.sorts.unify((left, plus), (right, extra), reason);
                if !was_data && self.found.sorts.is_data(left) {
                    self.blame();
                }
                one
            }
            (Kind::Of(node, plus), Kind::Constant(value)) | (Kind::Constant(value), Kind::Of(node, plus)) => {
                let reason = self.reason(format!("{value} is spelled out"));
                self.found.sorts.fix(node, value.wrapping_sub(plus), reason);
                // Whether some process has that name is not known here: `init` is to rest after such a statement.
                self.blame();
                Kind::Of(node, plus)
            }
            (name @ Kind::Of(..), Kind::Data) | (Kind::Data, name @ Kind::Of(..)) => {
                self.spoil(name, why);
                Kind::Data
            }
            (Kind::Data | Kind::Constant(_), Kind::Data | Kind::Constant(_)) => Kind::Data,
        }
    }

    fn value(&mut self, base: Base, proctype: ProctypeId, leaf: usize) -> Kind {
        let proctype = if base == Base::Local { proctype } else { ProctypeId(0) };
        let is_channel = self.ranges.part(base, proctype)[leaf].ty == Scalar::Chan;
        let node = if is_channel { Node::Channel } else { Node::Value(base, proctype, leaf) };
        Kind::Of(self.found.sorts.node(node), 0)
    }

    fn field(&mut self, site: usize, field: usize) -> Kind {
        let is_channel = self.ranges.sites[site].fields[field].ty == Scalar::Chan;
        let node = if is_channel { Node::Channel } else { Node::Field(site, field) };
        Kind::Of(self.found.sorts.node(node), 0)
    }

    /// The sort of a variable of a process of type `owner`; its indexes belong to the process that asks.
    fn variable(&mut self, owner: ProctypeId, access: &Access) -> Kind {
        let (leaf, element) = self.ranges.element(access.base, owner, access.offset);
        let part = &self.ranges.part(access.base, owner)[leaf];
        let owner = if access.base == Base::Local { owner } else { ProctypeId(0) };
        self.found.mentioned.insert((access.base, owner, leaf));
        let Some(dimensions) = dimensions(part, element, access) else { return self.never() };
        for (dimension, at) in dimensions.into_iter().enumerate() {
            let sort = Kind::Of(self.found.sorts.node(Node::Index(access.base, owner, leaf, dimension)), 0);
            let index = match at {
                Dimension::Computed(value) => self.expr(value),
                Dimension::Spelled(number) => Kind::Constant(number),
            };
            self.unify(index, sort, &format!("it is an index of `{}`, and more is done with it", part.name));
        }
        self.value(access.base, owner, leaf)
    }

    fn load(&mut self, access: &Access) -> Kind {
        self.variable(self.proctype, access)
    }

    /// What an expression says, and the sort of its value.
    fn expr(&mut self, expr: &Expr) -> Kind {
        match expr {
            Expr::Constant(value) => Kind::Constant(*value),
            Expr::Load(access) => self.load(access),
            Expr::Pid => self.own(self.proctype),
            Expr::Unary(UnaryOp::Not, operand) => self.truth(operand),
            Expr::Unary(_, operand) => self.plain(operand, "it is computed with"),
            Expr::Binary(op, left, right) => self.binary(*op, left, right),
            Expr::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                self.condition(condition);
                let (yes, no) = (self.expr(yes), self.expr(no));
                self.unify(yes, no, "it is chosen instead of another number")
            }
            Expr::Len(access) | Expr::ChannelTest(_, access) => {
                self.channel(access);
                Kind::Data
            }
            Expr::Poll(receive) => {
                self.receive(receive, false);
                Kind::Data
            }
            Expr::AtLabel { pid, label } => {
                let of = self.model.labels[label.0 as usize].proctype;
                self.watch(of, pid.as_deref());
                Kind::Data
            }
            Expr::Remote { proctype, pid, access } => {
                self.watch(*proctype, pid.as_deref());
                self.variable(*proctype, access)
            }
            Expr::Timeout | Expr::NonProgress | Expr::ProcessCount => Kind::Data,
            Expr::Run(_) | Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) => self.never(),
            Expr::OwnPriority | Expr::Last => self.never(),
        }
    }

    /// What is never symmetric.
    fn never(&mut self) -> Kind {
        self.blame();
        Kind::Data
    }

    fn own(&mut self, proctype: ProctypeId) -> Kind {
        Kind::Of(self.found.sorts.node(Node::Own(proctype)), 0)
    }

    /// Somebody looks into a process.
    fn watch(&mut self, of: ProctypeId, pid: Option<&Expr>) {
        match pid {
            Some(pid) => {
                let (pid, own) = (self.expr(pid), self.own(of));
                self.unify(pid, own, "it is a pid, and more is done with it");
            }
            None => self.blame(),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Kind {
        match op {
            BinaryOp::And | BinaryOp::Or => {
                self.condition(left);
                self.condition(right);
                Kind::Data
            }
            BinaryOp::Equal | BinaryOp::NotEqual => {
                let (left, right) = (self.expr(left), self.expr(right));
                self.unify(left, right, "it is compared with a number");
                Kind::Data
            }
            BinaryOp::Add | BinaryOp::Subtract => {
                let (one, other) = (self.expr(left), self.expr(right));
                match (op, one, other) {
                    (BinaryOp::Add, Kind::Of(node, plus), Kind::Constant(value))
                    | (BinaryOp::Add, Kind::Constant(value), Kind::Of(node, plus)) => {
                        Kind::Of(node, plus.wrapping_add(value))
                    }
                    (_, Kind::Of(node, plus), Kind::Constant(value)) => Kind::Of(node, plus.wrapping_sub(value)),
                    _ => {
                        self.spoil(one, "it is computed with");
                        self.spoil(other, "it is computed with");
                        Kind::Data
                    }
                }
            }
            BinaryOp::Remainder => self.remainder(left, right),
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                self.plain(left, "it is compared by size");
                self.plain(right, "it is compared by size")
            }
            BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight => {
                self.plain(left, "it is computed with");
                self.plain(right, "it is computed with")
            }
        }
    }

    /// `(x + c) % n` where `x` has `n` values in a row is a rotation of these.
    fn remainder(&mut self, left: &Expr, right: &Expr) -> Kind {
        let (one, other) = (self.expr(left), self.expr(right));
        if let (Kind::Of(node, plus), Kind::Constant(modulus)) = (one, other) {
            let Interval { low, high } = self.ranges.of(self.model, self.proctype, left);
            if low >= 0 && i64::from(high) - i64::from(low) + 1 == i64::from(modulus) {
                let reason = self.reason("the next one is computed");
                self.found.sorts.rotate(node, (low.wrapping_sub(plus), modulus), reason);
                self.blame();
                return Kind::Of(node, plus.wrapping_sub(low));
            }
        }
        self.spoil(one, "it is computed with");
        self.spoil(other, "it is computed with");
        Kind::Data
    }

    fn plain(&mut self, expr: &Expr, why: &str) -> Kind {
        let kind = self.expr(expr);
        self.spoil(kind, why);
        Kind::Data
    }

    /// An expression that is asked whether it is 0.
    fn condition(&mut self, expr: &Expr) {
        self.truth(expr);
    }

    fn truth(&mut self, expr: &Expr) -> Kind {
        let kind = self.expr(expr);
        if let Kind::Of(..) = kind {
            self.unify(kind, Kind::Constant(0), "it is asked for being 0");
        }
        Kind::Data
    }

    fn action(&mut self, action: &Action) {
        let is_choice = self.statement.is_some_and(|it| self.choices.contains(&it));
        match action {
            Action::Condition(_) if is_choice => {}
            Action::Condition(value) | Action::Assert(value) => self.condition(value),
            Action::Assign(target, _) if is_choice => {
                self.load(target);
            }
            Action::Assign(target, value) => {
                let range = self.ranges.of(self.model, self.proctype, value);
                let (to, from) = (self.load(target), self.expr(value));
                self.copy(to, from, (range, &target.ty));
            }
            Action::Send(send) => self.send(send),
            Action::Receive(receive) => self.receive(receive, true),
            Action::Print(_, values) => values.iter().for_each(|value| self.printed(value)),
            Action::PrintMtype(value, _) => self.printed(value),
            Action::Input(_) | Action::SetPriority(..) => self.blame(),
            // What is inside of a `d_step` are statements of their own.
            Action::DStep(_) | Action::Else | Action::Goto | Action::End => {}
        }
    }

    /// What is printed matters only if it can be at fault.
    fn printed(&mut self, expr: &Expr) {
        if expr.can_fail() {
            self.expr(expr);
        }
    }

    /// A number is copied to a place of a type, which must not cut names off.
    fn copy(&mut self, to: Kind, from: Kind, (range, ty): (Interval, &Scalar)) {
        let (low, high) = ty.bounds();
        if range.low < low || range.high > high {
            self.spoil(from, "it may be cut to a type");
            self.spoil(to, "what it is given may be cut to its type");
        }
        self.unify(to, from, "it is given a number");
    }

    /// The places where the channels of a variable may have been created.
    fn channel(&mut self, access: &Access) -> Vec<usize> {
        self.load(access);
        let set = self.ranges.channels(self.proctype, access);
        if access.ty != Scalar::Chan || set.unknown {
            self.blame();
            return Vec::new();
        }
        set.sites().collect()
    }

    fn send(&mut self, send: &Send) {
        let sites = self.channel(&send.channel);
        for (index, argument) in send.arguments.iter().enumerate() {
            let range = self.ranges.of(self.model, self.proctype, argument);
            let from = self.expr(argument);
            for &site in &sites {
                let Some(field) = self.ranges.sites[site].fields.get(index) else { continue };
                let to = self.field(site, index);
                self.copy(to, from, (range, &field.ty));
                if send.sorted {
                    self.spoil(to, "messages are sorted by it");
                }
            }
        }
    }

    fn receive(&mut self, receive: &Receive, stores: bool) {
        let sites = self.channel(&receive.channel);
        for (index, pattern) in receive.patterns.iter().enumerate() {
            let to = match pattern {
                Pattern::Match(value) => self.expr(value),
                Pattern::Store(target) if stores => self.load(target),
                Pattern::Store(_) | Pattern::Ignore => continue,
            };
            for &site in &sites {
                let Some(field) = self.ranges.sites[site].fields.get(index) else { continue };
                let from = self.field(site, index);
                match pattern {
                    Pattern::Store(target) => self.copy(to, from, (field.range, &target.ty)),
                    Pattern::Match(_) | Pattern::Ignore => {
                        self.unify(to, from, "it is compared with a field of a message");
                    }
                }
            }
        }
    }
}
