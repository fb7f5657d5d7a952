//! Whether a permutation is an automorphism: the one place that decides.
//!
//! Detection proposes, and may err; nothing of it is believed here but the action that it proposes: which process takes
//! the place of which, and what becomes of the numbers in each variable, field, index and channel ([`Frame`]). The
//! *instantiated* program, all processes of the shape with their pids and what they were given put in, must be itself when
//! everything is renamed: whatever process `p` evaluates in a state `s`, the process in its place evaluates to the renamed
//! value in the image of `s`. That is shown expression by expression, for all values that variables can have ([`Value`]):
//! sets that the action maps to themselves. What is not listed here is refused. `docs/symmetry.md` has the theorem, and its
//! premises by the numbers that are named below.

mod ends;
mod storage;

use super::act::{Act, Value};
use super::frame::{Frame, Part};
use super::names::value;
use spinor_model::expr::{Access, BinaryOp, Pattern, Receive, Send, UnaryOp};
use spinor_model::model::{Action, DStep, Edge, Location, Proctype, Statement};
use spinor_model::ranges::{Interval, Leaf, Values};
use spinor_model::symmetry::{Dimension, Node, Pick, Place as TextPlace, Reason, Scalarsets, dimensions};
use spinor_model::{Base, Expr, ProctypeId, Scalar};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

pub(super) type Verified<T = ()> = Result<T, String>;

/// Whether a permutation of indexes is an automorphism of the states of a frame; why not.
pub(super) fn verify(frame: &Frame<'_, '_>, image: &[usize]) -> Verified {
    let candidate = Candidate::new(frame, image)?;
    candidate.respects_model()?;
    candidate.respects_storage()?;
    candidate.respects_channels()?;
    candidate.respects_given()?;
    candidate.respects_text()?;
    candidate.respects_known()?;
    candidate.respects_ends()
}

/// A permutation that is looked into.
struct Candidate<'a, 'f, 'm> {
    frame: &'a Frame<'f, 'm>,
    /// What becomes of names, by sort.
    acts: BTreeMap<usize, Act>,
    /// Which process takes the place of each.
    pids: Vec<usize>,
    /// The same for pids as numbers.
    slots: Act,
    /// The variables that are named somewhere.
    used: RefCell<BTreeSet<(bool, u16, usize)>>,
}

/// Who evaluates something: a process, or an observer who is none.
#[derive(Clone, Copy)]
struct At {
    /// The process, and who takes its place.
    pid: Option<(usize, usize)>,
    proctype: ProctypeId,
    place: TextPlace,
}

impl<'a, 'f, 'm> Candidate<'a, 'f, 'm> {
    /// Premise 1: renaming is a permutation of processes, of channels, and of the numbers of each sort.
    fn new(frame: &'a Frame<'f, 'm>, image: &'a [usize]) -> Verified<Self> {
        for (from, &to) in image.iter().enumerate() {
            let types = |index: usize| frame.names.members[index].iter().map(|member| member.0);
            if !types(from).eq(types(to)) {
                return Err("processes of other types go by the same names".into());
            }
        }
        let act = |sort: usize| {
            let act = frame.act_on(sort, image).ok_or("they are not known by the same kinds of names")?;
            Ok((sort, act))
        };
        let acts = frame.sorts().into_iter().map(act).collect::<Verified<_>>()?;
        let processes = &frame.shape.processes;
        let pids: Vec<usize> = (0..processes.len()).map(|pid| frame.pid_after(pid, image)).collect();
        let slots = Act::new(pids.iter().enumerate().map(|(from, &to)| (from as i32, to as i32)));
        let slots = slots.ok_or("one would take the place of two")?;
        if pids.iter().enumerate().any(|(from, &to)| processes[from].proctype != processes[to].proctype) {
            return Err("processes of other types would change places".into());
        }
        Ok(Candidate { frame, acts, pids, slots, used: RefCell::default() })
    }

    /// What becomes of what a node holds.
    fn act(&self, node: Node) -> Act {
        let found = self.frame.sort_of(node).and_then(|(sort, more)| Some(self.acts.get(&sort)?.shifted(more)));
        found.unwrap_or_default()
    }

    fn channels(&self) -> Act {
        self.act(Node::Channel)
    }

    fn index_act(&self, part: &Part<'_>, leaf: usize, dimension: usize) -> Act {
        self.act(Node::Index(part.base, part.proctype, leaf, dimension))
    }

    /// Premise 2: what looks at processes in ways that are not followed.
    fn respects_model(&self) -> Verified {
        let model = self.frame.shapes.model();
        let refused = [
            (model.uses.priority, "priorities are not looked into"),
            (model.uses.reads_hidden, "hidden variables are read"),
            (model.uses.stdin, "STDIN is read"),
            (model.last_offset.is_some(), "`_last` names a process"),
            (model.trace.is_some(), "a trace speaks of channels one by one"),
        ];
        match refused.iter().find(|it| it.0) {
            Some((_, why)) => Err(format!("{}: {why}", model.line(model.proctypes[0].place))),
            None => Ok(()),
        }
    }

    /// Premise 7: the text of each process, from where it is at rest, is that of the process in its place; and observers see
    /// the same.
    fn respects_text(&self) -> Verified {
        let model = self.frame.shapes.model();
        for (pid, &to) in self.pids.iter().enumerate() {
            let proctype = self.frame.shape.processes[pid].proctype;
            let definition = model.proctype(proctype);
            let at = At { pid: Some((pid, to)), proctype, place: definition.place };
            definition.provided.iter().try_for_each(|it| self.truth(at, it))?;
            let quiet = &self.frame.sets.quiet[usize::from(proctype.0)];
            let picks = Scalarsets::picks(definition);
            picks.iter().filter(|it| it.is_quiet(quiet)).try_for_each(|it| self.pick(at, it))?;
            for (location, _) in definition.locations.iter().zip(quiet).filter(|(_, quiet)| **quiet) {
                self.location(at, definition, location, quiet, &picks)?;
            }
        }
        for (observer, place) in &self.frame.sets.observers {
            self.truth(At { pid: None, proctype: ProctypeId(0), place: *place }, observer)?;
        }
        Ok(())
    }

    /// The edges of a location are the same, but for the order of those that only differ in the number that they choose.
    fn location(&self, at: At, definition: &Proctype, location: &Location, quiet: &[bool], picks: &[Pick]) -> Verified {
        for edge in &location.edges {
            let statement = definition.statement(edge.statement);
            let at = At { place: statement.place, ..at };
            if edge.target.is_some_and(|target| !quiet[usize::from(target.0)]) {
                return Err(self.told(at, "what follows is not symmetric"));
            }
            // What a loop picks is looked into as a whole.
            let is_picked = picks.iter().any(|it| it.parts.contains(&edge.statement));
            if !is_picked && !self.is_chosen(at, definition, location, edge)? {
                self.action(at, definition, statement)?;
            }
        }
        Ok(())
    }

    /// Any number of a set is picked, whose image is the set.
    fn pick(&self, at: At, pick: &Pick) -> Verified {
        let (act, leaf) = self.target(at, &pick.target)?;
        let (low, high) = pick.target.ty.bounds();
        let is_one = |number: i32| (pick.low..=pick.high).contains(&number);
        let fits = |number: &i32| leaf.is_some_and(|it| it.values.contains(*number));
        if low > pick.low || high < pick.high || !(pick.low..=pick.high).all(|it| fits(&it)) {
            return Err(self.told(at, "it may be cut to a type"));
        }
        match act.leaves(is_one) {
            Some(number) => Err(self
                .told(at, &format!("one of some numbers is picked, and {number} goes out of these or comes to them"))),
            None => Ok(()),
        }
    }

    /// Whether an edge stores a number, and another of the same location, which leads where this one leads, stores what
    /// becomes of the number. There are as many of these as of those, so each is the image of one.
    fn is_chosen(&self, at: At, definition: &Proctype, location: &Location, edge: &Edge) -> Verified<bool> {
        let stored = |edge: &Edge| Scalarsets::stored(definition, edge.statement);
        let Some((target, number)) = stored(edge) else { return Ok(false) };
        let (act, leaf) = self.target(at, target)?;
        let (low, high) = target.ty.bounds();
        let is_meant = |it: &&Edge| {
            Scalarsets::is_alternative(definition, edge, it) && stored(it).is_some_and(|it| it.1 == act.of(number))
        };
        let fits = |number: i32| (low..=high).contains(&number) && leaf.is_some_and(|it| it.values.contains(number));
        Ok(location.edges.iter().any(|it| is_meant(&it)) && fits(number) && fits(act.of(number)))
    }

    fn action(&self, at: At, definition: &Proctype, statement: &Statement) -> Verified {
        match &statement.action {
            Action::Condition(condition) | Action::Assert(condition) => self.truth(at, condition),
            Action::Assign(target, value) => {
                let (act, leaf) = self.target(at, target)?;
                let stored = self.value(at, value)?;
                leaf.map_or(Ok(()), |leaf| self.copied(at, &stored, (&act, &leaf.values, &target.ty), value))
            }
            Action::Send(send) => self.send(at, send),
            Action::Receive(receive) => self.receive(at, receive, true),
            // What is printed is of interest only if it is at fault.
            Action::Print(_, values) => {
                values.iter().filter(|it| it.can_fail()).try_for_each(|it| self.value(at, it).map(drop))
            }
            Action::PrintMtype(value, _) if value.can_fail() => self.value(at, value).map(drop),
            Action::PrintMtype(..) => Ok(()),
            Action::DStep(d_step) => self.d_step(at, definition, d_step),
            Action::Input(_) => Err(self.told(at, "STDIN is read")),
            Action::SetPriority(..) => Err(self.told(at, "priorities are not looked into")),
            // Whether others can be executed, which is the same; and ends, which are looked into apart.
            Action::Else | Action::Goto | Action::End => Ok(()),
        }
    }

    /// The first that is executable is taken, which is the same one.
    fn d_step(&self, at: At, definition: &Proctype, d_step: &DStep) -> Verified {
        let mut edges = d_step.nodes.iter().flat_map(|node| &node.edges);
        edges.try_for_each(|(inside, _)| {
            let inside = definition.statement(*inside);
            self.action(At { place: inside.place, ..at }, definition, inside)
        })
    }

    /// What becomes of what a target holds, and the target; no leaf for a hidden variable, which nobody reads.
    fn target(&self, at: At, target: &Access) -> Verified<(Act, Option<&Leaf>)> {
        match target.base {
            Base::Hidden => {
                target.indexes.iter().try_for_each(|index| match self.value(at, &index.value)?.is_plain() {
                    true => Ok(()),
                    false => Err(self.told(at, "it is an index of a hidden variable")),
                })?;
                Ok((Act::default(), None))
            }
            Base::Global | Base::Local => {
                self.variable(at, target, at.proctype, true)?;
                let act = self.frame.target(at.proctype, target).map(|node| self.act(node));
                Ok((act.unwrap_or_default(), Some(self.frame.shapes.ranges().leaf(at.proctype, target))))
            }
        }
    }

    /// A value that is stored is renamed as what is stored there is, and not cut.
    fn copied(&self, at: At, value: &Value, (act, held, ty): (&Act, &Values, &Scalar), expr: &Expr) -> Verified {
        let (low, high) = ty.bounds();
        let Interval { low: least, high: most } = value.domain.range();
        let fits = value.domain.is_empty() || low <= least && most <= high;
        let is_number = value.is_plain() && act.moves(held).is_none();
        if !(fits || is_number) {
            return Err(self.told(at, "it may be cut to a type"));
        }
        if value.agrees(act) { Ok(()) } else { Err(self.told(at, &more_is_done(expr))) }
    }

    fn send(&self, at: At, send: &Send) -> Verified {
        let sites = self.channel(at, &send.channel)?;
        for (index, argument) in send.arguments.iter().enumerate() {
            let value = self.value(at, argument)?;
            for &site in &sites {
                let Some(field) = self.frame.shapes.ranges().sites[site].fields.get(index) else { continue };
                let act = self.act(self.frame.field(site, index));
                if send.sorted && (act.moves(&field.values).is_some() || !value.is_plain()) {
                    return Err(self.told(at, "messages are sorted by it"));
                }
                self.copied(at, &value, (&act, &field.values, &field.ty), argument)?;
            }
        }
        Ok(())
    }

    fn receive(&self, at: At, receive: &Receive, stores: bool) -> Verified {
        let sites = self.channel(at, &receive.channel)?;
        for (index, pattern) in receive.patterns.iter().enumerate() {
            for &site in &sites {
                let Some(field) = self.frame.shapes.ranges().sites[site].fields.get(index) else { continue };
                let held = Value::renamed(field.values.clone(), &self.act(self.frame.field(site, index)));
                match pattern {
                    Pattern::Match(expr) if self.value(at, expr)?.keeps_equality(&held) => {}
                    Pattern::Match(expr) => return Err(self.told(at, &more_is_done(expr))),
                    Pattern::Store(target) if stores => {
                        let (act, leaf) = self.target(at, target)?;
                        let Some(leaf) = leaf else { continue };
                        let told = Expr::Load(target.clone());
                        self.copied(at, &held, (&act, &leaf.values, &target.ty), &told)?;
                    }
                    Pattern::Store(_) | Pattern::Ignore => {}
                }
            }
        }
        Ok(())
    }

    /// The places where the channels may have been created that an access means, and those of channels like them.
    fn channel(&self, at: At, access: &Access) -> Verified<BTreeSet<usize>> {
        if access.ty != Scalar::Chan || access.base == Base::Hidden {
            return Err(self.told(at, "it is not known which channel is meant"));
        }
        if !self.variable(at, access, at.proctype, true)?.agrees(&self.channels()) {
            return Err(self.told(at, "the numbers of channels are those of others"));
        }
        let frame = self.frame;
        let set = frame.shapes.ranges().channels(at.proctype, access);
        let channels = || frame.shape.channels.iter().zip(&frame.names.like);
        let meant: BTreeSet<usize> =
            channels().filter(|(channel, _)| set.contains(channel.site)).map(|(_, like)| *like).collect();
        Ok(channels().filter(|(_, like)| meant.contains(like)).map(|(channel, _)| channel.site).collect())
    }

    /// An expression is asked for being 0.
    fn truth(&self, at: At, expr: &Expr) -> Verified {
        match self.value(at, expr)?.keeps_truth() {
            true => Ok(()),
            false => Err(self.told(at, "it is asked for being 0")),
        }
    }

    /// What an expression is, here and in the image of the state.
    fn value(&self, at: At, expr: &Expr) -> Verified<Value> {
        let one_of_two = || Value::plain(Interval::BOOL);
        Ok(match expr {
            Expr::Constant(number) => Value::one(*number, *number),
            Expr::Pid => {
                let (pid, to) = at.pid.ok_or_else(|| self.told(at, "an observer has no pid"))?;
                Value::one(pid as i32, to as i32)
            }
            Expr::Load(access) => self.variable(at, access, at.proctype, true)?,
            Expr::Unary(UnaryOp::Not, operand) => {
                self.truth(at, operand)?;
                one_of_two()
            }
            Expr::Unary(op @ (UnaryOp::Negate | UnaryOp::Complement), operand) => match self.value(at, operand)? {
                operand if operand.is_plain() => self.plain(at, expr),
                operand => operand.unary(*op).ok_or_else(|| self.told(at, &more_is_done(expr)))?,
            },
            Expr::Binary(op, left, right) => self.binary(at, *op, (left, right), expr)?,
            Expr::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                self.truth(at, condition)?;
                let both = self.value(at, yes)?.or(self.value(at, no)?);
                both.ok_or_else(|| self.told(at, "it is chosen instead of another number"))?
            }
            Expr::Len(access) => {
                self.channel(at, access)?;
                self.plain(at, expr)
            }
            Expr::ChannelTest(_, access) => {
                self.channel(at, access)?;
                one_of_two()
            }
            Expr::Poll(receive) => {
                self.receive(at, receive, false)?;
                one_of_two()
            }
            Expr::AtLabel { pid, label } => {
                self.watched(at, self.frame.shapes.model().labels[label.0 as usize].proctype, pid.as_deref())?;
                one_of_two()
            }
            Expr::Remote { proctype, pid, access } => {
                self.watched(at, *proctype, pid.as_deref())?;
                // 0 if there is nobody.
                let held = self.variable(at, access, *proctype, false)?;
                held.or(Value::one(0, 0)).ok_or_else(|| self.told(at, "it is 0 where there is nobody"))?
            }
            // The same for all states of a shape, and whether anybody can move: what ends do to these is looked into
            // apart.
            Expr::ProcessCount => Value::plain(Interval { low: 0, high: 255 }),
            Expr::Timeout | Expr::NonProgress => one_of_two(),
            Expr::Run(_) => return Err(self.told(at, "processes are created")),
            Expr::Enabled(_) => return Err(self.told(at, "`enabled` is not looked into")),
            Expr::PcValue(_) => return Err(self.told(at, "`pc_value` is not looked into")),
            Expr::GetPriority(_) | Expr::OwnPriority => return Err(self.told(at, "priorities are not looked into")),
            Expr::Last => return Err(self.told(at, "`_last` names a process")),
        })
    }

    /// What is computed from numbers that are the same here and there.
    fn plain(&self, at: At, expr: &Expr) -> Value {
        Value::plain(self.frame.shapes.ranges().of(self.frame.shapes.model(), at.proctype, expr))
    }

    fn binary(&self, at: At, op: BinaryOp, (left, right): (&Expr, &Expr), expr: &Expr) -> Verified<Value> {
        match op {
            BinaryOp::And | BinaryOp::Or => {
                self.truth(at, left)?;
                self.truth(at, right)?;
                Ok(Value::plain(Interval::BOOL))
            }
            BinaryOp::Equal | BinaryOp::NotEqual => {
                let (one, other) = (self.value(at, left)?, self.value(at, right)?);
                if one.keeps_equality(&other) {
                    return Ok(Value::plain(Interval::BOOL));
                }
                // What is spelled out or computed says more than a variable.
                let told = if one.only().is_some() { left } else { right };
                Err(self.told(at, &more_is_done(told)))
            }
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight => {
                let (one, other) = (self.value(at, left)?, self.value(at, right)?);
                let are_known = one.only().is_some() && other.only().is_some();
                if one.is_plain() && other.is_plain() && !are_known {
                    return Ok(self.plain(at, expr));
                }
                one.binary(op, &other).ok_or_else(|| self.told(at, &more_is_done(expr)))
            }
        }
    }

    /// Premise 8: who looks into a process means, in the image, the process in its place; a number that is no pid stays one.
    fn watched(&self, at: At, of: ProctypeId, pid: Option<&Expr>) -> Verified {
        let Some(pid) = pid else {
            let first = self.frame.shape.processes.iter().position(|it| it.proctype == of);
            return match first.is_none_or(|first| self.pids[first] == first) {
                true => Ok(()),
                false => Err(self.told(at, "the first of its processes is meant")),
            };
        };
        if self.value(at, pid)?.agrees(&self.slots) {
            return Ok(());
        }
        Err(self.told(at, &format!("{}, and others look into it", more_is_done(pid))))
    }

    /// What a variable of a process of some type holds, that of who asks or any. Its indexes name elements that go where they
    /// go.
    fn variable(&self, at: At, access: &Access, owner: ProctypeId, is_own: bool) -> Verified<Value> {
        let ranges = self.frame.shapes.ranges();
        let (leaf, element) = ranges.element(access.base, owner, access.offset);
        let it = &ranges.part(access.base, owner)[leaf];
        let (is_local, proctype) = match access.base {
            Base::Local => (true, owner),
            Base::Global => (false, ProctypeId(0)),
            Base::Hidden => return Err(self.told(at, "hidden variables are read")),
        };
        self.used.borrow_mut().insert((is_local, proctype.0, leaf));
        let dimensions = dimensions(it, element, access).ok_or_else(|| self.told(at, "an index of it is not known"))?;
        for (dimension, index) in dimensions.into_iter().enumerate() {
            let act = self.act(Node::Index(access.base, proctype, leaf, dimension));
            let (value, why) = match index {
                Dimension::Computed(expr) => (self.value(at, expr)?, more_is_done(expr)),
                Dimension::Spelled(number) => (Value::one(number, number), format!("{number} is spelled out")),
            };
            if !value.agrees(&act) {
                return Err(self.told(at, &format!("{why}, as an index of `{}`", it.name)));
            }
        }
        let is_channel = it.ty == Scalar::Chan;
        let act = self.act(if is_channel { Node::Channel } else { Node::Value(access.base, proctype, leaf) });
        let own = at.pid.filter(|_| is_local && is_own);
        Ok(match own.map(|(pid, to)| (self.frame.part_of(pid), self.frame.part_of(to))) {
            // What a process was given is put in.
            Some((part, other)) if it.offsets.len() == 1 && self.frame.is_given(&part, leaf) => {
                let held = |part: &Part<'_>| value(&part.places[leaf], 0, self.frame.given);
                Value::one(held(&part), held(&other))
            }
            _ => Value::renamed(it.values.clone(), &act),
        })
    }

    fn told(&self, at: At, why: &str) -> String {
        Reason { place: at.place, why: why.into() }.text(self.frame.shapes.model())
    }
}

/// What is done with a number that is not done to names.
fn more_is_done(expr: &Expr) -> String {
    match expr {
        Expr::Constant(number) => format!("{number} is spelled out"),
        Expr::Binary(BinaryOp::Remainder, ..) => "the next one is computed".into(),
        Expr::Binary(BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual, ..) => {
            "it is compared by size".into()
        }
        Expr::Binary(..) | Expr::Unary(..) => "it is computed with".into(),
        Expr::Pid => "it is a pid, and more is done with it".into(),
        Expr::Load(access) => format!("`{}` is no name of them, or another one", access.name),
        Expr::Run(_)
        | Expr::Len(_)
        | Expr::ChannelTest(..)
        | Expr::Poll(_)
        | Expr::Enabled(_)
        | Expr::PcValue(_)
        | Expr::GetPriority(_)
        | Expr::AtLabel { .. }
        | Expr::Remote { .. }
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::ProcessCount
        | Expr::Last
        | Expr::OwnPriority
        | Expr::Conditional(_) => "it is no name of them".into(),
    }
}
