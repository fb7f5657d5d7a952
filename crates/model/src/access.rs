//! What statements read and write: the ground on which reductions stand.

use crate::expr::{Access, Base, ChannelTest, Expr, Pattern, Receive};
use crate::model::{Action, LabelRef, LocationId, Model, Proctype, ProctypeId, StatementId};
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
    /// Whether another process stands at a label.
    Label(LabelRef),
    /// Whether a process of a type stands at a location.
    Location(ProctypeId, LocationId),
    /// The locations of other processes.
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
    uses_of_action(proctype, &proctype.statement(id).action, &mut |it| accesses.add(it));
    if let Some(provided) = &proctype.provided {
        uses_of(provided, &mut |it| accesses.add(it));
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

/// One way in which a statement needs or changes the state. Indexes are uses of their own.
#[derive(Clone, Copy, Debug)]
pub enum Use<'m> {
    /// The value of a variable decides something.
    Read(&'m Access),
    /// A variable may be changed.
    Write(&'m Access),
    /// The channel that a variable holds is used. That the variable is read is a use of its own.
    Channel(ChannelUse, &'m Access),
    /// A variable of another process is read; without a pid, of the first of its type.
    Remote(ProctypeId, Option<&'m Expr>, &'m Access),
    /// Whether a process stands at a label; without a pid, the first of its type.
    Label(LabelRef, Option<&'m Expr>),
    /// A process is created.
    Create(ProctypeId),
    /// The process ends.
    End,
    /// `_nr_pr`.
    Count,
    /// Where processes stand: `pc_value`, `np_`.
    Locations,
    /// `_last`.
    Last,
    /// Priorities are read.
    Priority,
    /// Priorities may be changed.
    SetPriority,
    /// Whether anything else can move: `timeout`, `enabled`.
    Enabledness,
    /// Whether another statement of the same location can be executed.
    Siblings,
}

/// What is done with a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelUse {
    /// `c!a`
    Send,
    /// `c!!a`
    SortedSend,
    /// `c?a`
    Receive,
    /// `c??a`
    RandomReceive,
    /// `c?<a>`
    Copy,
    /// `c??<a>`
    RandomCopy,
    /// `len(c)`
    Length,
    /// `full(c)` and the like.
    Test(ChannelTest),
    /// `c?[a]` and `c??[a]`
    Poll,
}

impl ChannelUse {
    /// Whether the contents of the channel may change.
    #[must_use]
    pub fn changes(self) -> bool {
        match self {
            ChannelUse::Send | ChannelUse::SortedSend | ChannelUse::Receive | ChannelUse::RandomReceive => true,
            ChannelUse::Copy | ChannelUse::RandomCopy | ChannelUse::Length | ChannelUse::Test(_) | ChannelUse::Poll => {
                false
            }
        }
    }
}

/// Calls `visit` for each use of an action, those inside of a `d_step` included.
pub fn uses_of_action<'m>(proctype: &'m Proctype, action: &'m Action, visit: &mut dyn FnMut(Use<'m>)) {
    match action {
        Action::Condition(value) | Action::Assert(value) | Action::PrintMtype(value, _) => uses_of(value, visit),
        Action::Else => visit(Use::Siblings),
        Action::Goto => {}
        Action::Assign(target, value) => {
            uses_of(value, visit);
            store(target, visit);
        }
        Action::Input(target) => store(target, visit),
        Action::Send(send) => {
            let kind = if send.sorted { ChannelUse::SortedSend } else { ChannelUse::Send };
            channel(kind, &send.channel, visit);
            send.arguments.iter().for_each(|argument| uses_of(argument, visit));
        }
        Action::Receive(receive) => receive_uses(receive, visit),
        Action::Print(_, values) => values.iter().for_each(|value| uses_of(value, visit)),
        Action::SetPriority(process, priority) => {
            uses_of(process, visit);
            uses_of(priority, visit);
            visit(Use::SetPriority);
        }
        Action::DStep(d_step) => {
            for (statement, _) in d_step.nodes.iter().flat_map(|node| &node.edges) {
                uses_of_action(proctype, &proctype.statement(*statement).action, visit);
            }
        }
        Action::End => visit(Use::End),
    }
}

/// Calls `visit` for each use of an expression.
pub fn uses_of<'m>(expr: &'m Expr, visit: &mut dyn FnMut(Use<'m>)) {
    match expr {
        Expr::Load(access) => load(access, visit),
        Expr::Len(access) => channel(ChannelUse::Length, access, visit),
        Expr::ChannelTest(test, access) => channel(ChannelUse::Test(*test), access, visit),
        Expr::Poll(receive) => {
            channel(ChannelUse::Poll, &receive.channel, visit);
            receive.patterns.iter().for_each(|pattern| match pattern {
                Pattern::Match(value) => uses_of(value, visit),
                Pattern::Store(access) => load(access, visit),
                Pattern::Ignore => {}
            });
        }
        Expr::Run(run) => {
            run.arguments.iter().for_each(|argument| uses_of(argument, visit));
            visit(Use::Create(run.proctype));
        }
        Expr::Enabled(pid) => {
            uses_of(pid, visit);
            visit(Use::Enabledness);
        }
        Expr::Timeout => visit(Use::Enabledness),
        Expr::PcValue(pid) => {
            uses_of(pid, visit);
            visit(Use::Locations);
        }
        Expr::NonProgress => visit(Use::Locations),
        Expr::AtLabel { pid, label } => {
            pid.iter().for_each(|pid| uses_of(pid, visit));
            visit(Use::Label(*label, pid.as_deref()));
        }
        Expr::Remote { proctype, pid, access } => {
            pid.iter().for_each(|pid| uses_of(pid, visit));
            access.indexes.iter().for_each(|index| uses_of(&index.value, visit));
            visit(Use::Remote(*proctype, pid.as_deref(), access));
        }
        Expr::GetPriority(pid) => {
            uses_of(pid, visit);
            visit(Use::Priority);
        }
        Expr::OwnPriority => visit(Use::Priority),
        Expr::ProcessCount => visit(Use::Count),
        Expr::Last => visit(Use::Last),
        Expr::Unary(_, operand) => uses_of(operand, visit),
        Expr::Binary(_, left, right) => {
            uses_of(left, visit);
            uses_of(right, visit);
        }
        Expr::Conditional(parts) => parts.iter().for_each(|part| uses_of(part, visit)),
        Expr::Constant(_) | Expr::Pid => {}
    }
}

fn receive_uses<'m>(receive: &'m Receive, visit: &mut dyn FnMut(Use<'m>)) {
    let kind = match (receive.keep, receive.random) {
        (false, false) => ChannelUse::Receive,
        (false, true) => ChannelUse::RandomReceive,
        (true, false) => ChannelUse::Copy,
        (true, true) => ChannelUse::RandomCopy,
    };
    channel(kind, &receive.channel, visit);
    for pattern in &receive.patterns {
        match pattern {
            Pattern::Match(value) => uses_of(value, visit),
            Pattern::Store(access) => store(access, visit),
            Pattern::Ignore => {}
        }
    }
}

fn channel<'m>(kind: ChannelUse, channel: &'m Access, visit: &mut dyn FnMut(Use<'m>)) {
    load(channel, visit);
    visit(Use::Channel(kind, channel));
}

fn load<'m>(access: &'m Access, visit: &mut dyn FnMut(Use<'m>)) {
    access.indexes.iter().for_each(|index| uses_of(&index.value, visit));
    visit(Use::Read(access));
}

fn store<'m>(access: &'m Access, visit: &mut dyn FnMut(Use<'m>)) {
    access.indexes.iter().for_each(|index| uses_of(&index.value, visit));
    visit(Use::Write(access));
}

impl Accesses {
    /// What an expression reads, in terms of variables.
    #[must_use]
    pub fn of(expr: &Expr) -> Accesses {
        let mut accesses = Accesses::default();
        uses_of(expr, &mut |it| accesses.add(it));
        accesses
    }

    fn add(&mut self, it: Use<'_>) {
        let (reads, writes): (Vec<Object>, Vec<Object>) = match it {
            Use::Read(access) => (vec![object(access)], vec![]),
            Use::Write(access) => (vec![], vec![object(access)]),
            Use::Channel(kind, access) => {
                let contents = Object::Channel(variable(access));
                (vec![contents], if kind.changes() { vec![contents] } else { vec![] })
            }
            Use::Remote(proctype, _, access) => {
                (vec![Object::Remote(proctype, access.variable), Object::Processes], vec![])
            }
            Use::Label(label, _) => (vec![Object::Label(label), Object::Processes], vec![]),
            Use::Create(_) | Use::End => (vec![Object::Processes], vec![Object::Processes]),
            Use::Count => (vec![Object::Processes], vec![]),
            Use::Locations => (vec![Object::Locations, Object::Processes], vec![]),
            Use::Last => (vec![Object::Last], vec![]),
            Use::Priority => (vec![Object::Priorities], vec![]),
            Use::SetPriority => (vec![], vec![Object::Priorities]),
            Use::Enabledness | Use::Siblings => (vec![Object::Enabledness], vec![]),
        };
        self.reads.extend(reads);
        self.writes.extend(writes);
    }
}

fn variable(access: &Access) -> ChannelVariable {
    match access.base {
        Base::Local => ChannelVariable::Local(access.variable),
        Base::Global => ChannelVariable::Global(access.variable),
        Base::Hidden => ChannelVariable::Hidden(access.variable),
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
            Object::Label(label) => {
                let label = &model.labels[label.0 as usize];
                format!("{}@{}", model.proctype(label.proctype).name, label.name)
            }
            Object::Location(owner, at) => {
                let owner = model.proctype(owner);
                format!("{}@{}", owner.name, owner.location(at).number)
            }
            Object::Locations => "locations".into(),
            Object::Last => "_last".into(),
            Object::Priorities => "priorities".into(),
            Object::Enabledness => "enabledness".into(),
        }
    }
}
