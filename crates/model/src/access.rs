//! What statements read and write: the ground on which reductions stand.

use crate::expr::{Access, Base, Expr, Pattern, Receive};
use crate::model::{Action, Model, Proctype, ProctypeId, StatementId};
use std::collections::BTreeSet;

/// Something in the state that a statement can touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A global variable, by its place in [`Model::globals`].
    Global(u32),
    /// A hidden variable, by its place in [`Model::hidden`].
    Hidden(u32),
    /// A local variable of the process itself.
    Local(u32),
    /// A local variable of another process.
    Remote(ProctypeId, u32),
    /// The contents of the channel that a variable holds: see `Channel`.
    Channel(ChannelVariable),
    /// Which processes there are.
    Processes,
    /// The location of another process.
    Locations,
    /// `_last`.
    Last,
    /// Priorities.
    Priorities,
    /// Whether anything else can move: `timeout`, `enabled`.
    Enabledness,
}

/// The variable through which a channel is used. Two variables may hold the same channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChannelVariable {
    /// A global variable.
    Global(u32),
    /// A hidden variable that holds the number of a channel.
    Hidden(u32),
    /// A local variable of the process.
    Local(u32),
}

/// What a statement reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// Objects whose value decides whether it can be executed or what it does.
    pub reads: BTreeSet<Object>,
    /// Objects that it may change.
    pub writes: BTreeSet<Object>,
}

/// Fills in what each statement of the model reads and writes.
pub(crate) fn annotate(model: &mut Model) {
    for index in 0..model.proctypes.len() {
        let accesses: Vec<Accesses> = {
            let proctype = &model.proctypes[index];
            (0..proctype.statements.len()).map(|id| of_statement(model, proctype, StatementId(id as u32))).collect()
        };
        for (statement, accesses) in model.proctypes[index].statements.iter_mut().zip(accesses) {
            statement.accesses = accesses;
        }
    }
}

fn of_statement(model: &Model, proctype: &Proctype, id: StatementId) -> Accesses {
    let mut accesses = Accesses::default();
    accesses.action(model, proctype, &proctype.statement(id).action);
    if let Some(provided) = &proctype.provided {
        accesses.read(model, provided);
    }
    if model.uses.priority {
        accesses.reads.insert(Object::Priorities);
        accesses.reads.insert(Object::Enabledness);
    }
    if model.last_offset.is_some() {
        accesses.writes.insert(Object::Last);
    }
    accesses
}

impl Accesses {
    fn action(&mut self, model: &Model, proctype: &Proctype, action: &Action) {
        match action {
            Action::Condition(value) | Action::Assert(value) | Action::PrintMtype(value, _) => self.read(model, value),
            Action::Else => {
                self.reads.insert(Object::Enabledness);
            }
            Action::Goto => {}
            Action::Assign(target, value) => {
                self.read(model, value);
                self.store(model, target);
            }
            Action::Input(target) => self.store(model, target),
            Action::Send(send) => {
                self.channel(model, &send.channel, true);
                send.arguments.iter().for_each(|argument| self.read(model, argument));
            }
            Action::Receive(receive) => self.receive(model, receive, !receive.keep),
            Action::Print(_, values) => values.iter().for_each(|value| self.read(model, value)),
            Action::SetPriority(process, priority) => {
                self.read(model, process);
                self.read(model, priority);
                self.writes.insert(Object::Priorities);
            }
            Action::DStep(d_step) => {
                for (statement, _) in d_step.nodes.iter().flat_map(|node| &node.edges) {
                    self.action(model, proctype, &proctype.statement(*statement).action);
                }
            }
            Action::End => {
                self.reads.insert(Object::Processes);
                self.writes.insert(Object::Processes);
            }
        }
    }

    fn receive(&mut self, model: &Model, receive: &Receive, removes: bool) {
        self.channel(model, &receive.channel, removes);
        for pattern in &receive.patterns {
            match pattern {
                Pattern::Match(value) => self.read(model, value),
                Pattern::Store(access) => self.store(model, access),
                Pattern::Ignore => {}
            }
        }
    }

    fn channel(&mut self, model: &Model, channel: &Access, writes: bool) {
        self.load(model, channel);
        let object = Object::Channel(match channel.base {
            Base::Local => ChannelVariable::Local(channel.variable),
            Base::Global => ChannelVariable::Global(channel.variable),
            Base::Hidden => ChannelVariable::Hidden(channel.variable),
        });
        self.reads.insert(object);
        if writes {
            self.writes.insert(object);
        }
    }

    fn load(&mut self, model: &Model, access: &Access) {
        self.reads.insert(object(access));
        access.indexes.iter().for_each(|index| self.read(model, &index.value));
    }

    fn store(&mut self, model: &Model, access: &Access) {
        self.writes.insert(object(access));
        access.indexes.iter().for_each(|index| self.read(model, &index.value));
    }

    fn read(&mut self, model: &Model, expr: &Expr) {
        let mut inner = Vec::new();
        expr.visit(&mut |part| inner.push(part.clone()));
        inner.iter().for_each(|part| self.read_one(model, part));
    }

    fn read_one(&mut self, model: &Model, expr: &Expr) {
        match expr {
            Expr::Load(access) => {
                self.reads.insert(object(access));
            }
            Expr::Len(channel) | Expr::ChannelTest(_, channel) => self.channel(model, channel, false),
            Expr::Poll(receive) => {
                self.channel(model, &receive.channel, false);
            }
            Expr::Run(_) => {
                self.reads.insert(Object::Processes);
                self.writes.insert(Object::Processes);
            }
            Expr::Enabled(_) | Expr::Timeout => {
                self.reads.insert(Object::Enabledness);
            }
            Expr::PcValue(_) | Expr::AtLabel { .. } | Expr::NonProgress => {
                self.reads.insert(Object::Locations);
                self.reads.insert(Object::Processes);
            }
            Expr::Remote { proctype, access, .. } => {
                self.reads.insert(Object::Remote(*proctype, access.variable));
                self.reads.insert(Object::Processes);
            }
            Expr::GetPriority(_) | Expr::OwnPriority => {
                self.reads.insert(Object::Priorities);
            }
            Expr::ProcessCount => {
                self.reads.insert(Object::Processes);
            }
            Expr::Last => {
                self.reads.insert(Object::Last);
            }
            Expr::Constant(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) | Expr::Pid => {}
        }
    }
}

fn object(access: &Access) -> Object {
    match access.base {
        Base::Global => Object::Global(access.variable),
        Base::Hidden => Object::Hidden(access.variable),
        Base::Local => Object::Local(access.variable),
    }
}

impl Object {
    /// How the object is shown to people.
    #[must_use]
    pub fn name(self, model: &Model, proctype: &Proctype) -> String {
        match self {
            Object::Global(index) => model.globals[index as usize].name.to_string(),
            Object::Hidden(index) => model.hidden[index as usize].name.to_string(),
            Object::Local(index) => proctype.locals[index as usize].name.to_string(),
            Object::Remote(owner, index) => {
                let owner = model.proctype(owner);
                format!("{}:{}", owner.name, owner.locals[index as usize].name)
            }
            Object::Channel(ChannelVariable::Global(index)) => format!("*{}", model.globals[index as usize].name),
            Object::Channel(ChannelVariable::Hidden(index)) => format!("*{}", model.hidden[index as usize].name),
            Object::Channel(ChannelVariable::Local(index)) => format!("*{}", proctype.locals[index as usize].name),
            Object::Processes => "processes".into(),
            Object::Locations => "locations".into(),
            Object::Last => "_last".into(),
            Object::Priorities => "priorities".into(),
            Object::Enabledness => "enabledness".into(),
        }
    }
}
