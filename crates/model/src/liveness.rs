//! Live variables: which numbers of a process may still be read, location by location.
//!
//! A number is live at a location if some way from there reads it before all of it is overwritten.
//! States that are equal but for numbers that are not live are bisimilar (Bozga, Fernandez, Ghirvu,
//! "State space reduction based on live variables analysis", SAS 1999), so these may be set to any
//! value. Values that are computed for nothing count as read: what reads them could be at fault.

use crate::expr::{Access, Base, BinaryOp, Expr, Pattern};
use crate::model::{Action, DStep, Initial, LocationId, Model, Proctype, ProctypeId, StatementId};
use crate::observed::Observed;
use crate::ranges::Ranges;

/// The numbers that are not live.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// For each location of each proctype.
    dead: Vec<Vec<Vec<usize>>>,
    unread_globals: Vec<usize>,
    unread_locals: Vec<Vec<usize>>,
}

impl Liveness {
    /// Analyses a model without errors.
    #[must_use]
    pub fn new(model: &Model, ranges: &Ranges) -> Liveness {
        let observed = Observed::new(model);
        let ids = (0..model.proctypes.len()).map(|id| ProctypeId(id as u16));
        let dead = ids.clone().map(|id| dead(&Subject { model, ranges, observed: &observed, id })).collect();
        let unread_locals = ids.map(|id| unread(model, ranges, &observed, Some(id))).collect();
        Liveness { dead, unread_globals: unread(model, ranges, &observed, None), unread_locals }
    }

    /// The leaves of a part, as in [`Ranges::part`], that nobody ever reads, but to compute them anew.
    #[must_use]
    pub fn unread(&self, base: Base, proctype: ProctypeId) -> &[usize] {
        match base {
            Base::Global => &self.unread_globals,
            Base::Hidden => &[],
            Base::Local => &self.unread_locals[usize::from(proctype.0)],
        }
    }

    /// The leaves, as in [`Ranges::locals`], that nobody reads before they are written again when a
    /// process is at a location.
    #[must_use]
    pub fn dead(&self, proctype: ProctypeId, location: LocationId) -> &[usize] {
        &self.dead[usize::from(proctype.0)][usize::from(location.0)]
    }
}

fn dead(subject: &Subject<'_>) -> Vec<Vec<usize>> {
    let flow = Flow::new(subject);
    let live = flow.solve(&subject.always());
    let leaves = subject.ranges.locals[usize::from(subject.id.0)].len();
    let locations = subject.proctype().locations.len();
    live[..locations].iter().map(|live| (0..leaves).filter(|&leaf| !live.contains(leaf)).collect()).collect()
}

/// A set of leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Leaves(Vec<u64>);

impl Leaves {
    fn insert(&mut self, leaf: usize) {
        if self.0.len() <= leaf / 64 {
            self.0.resize(leaf / 64 + 1, 0);
        }
        self.0[leaf / 64] |= 1 << (leaf % 64);
    }

    fn contains(&self, leaf: usize) -> bool {
        self.0.get(leaf / 64).is_some_and(|word| word >> (leaf % 64) & 1 == 1)
    }

    fn meets(&self, other: &Leaves) -> bool {
        self.0.iter().zip(&other.0).any(|(left, right)| left & right != 0)
    }

    /// Adds those of `other` that are not in `except`; whether there was anything to add.
    fn add(&mut self, other: &Leaves, except: &Leaves) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut changed = false;
        for (index, &word) in other.0.iter().enumerate() {
            let all = self.0[index] | word & !except.0.get(index).copied().unwrap_or(0);
            changed |= all != self.0[index];
            self.0[index] = all;
        }
        changed
    }
}

/// The numbers of one part, as a proctype names them.
#[derive(Clone, Copy)]
struct Part<'a> {
    ranges: &'a Ranges,
    id: ProctypeId,
    base: Base,
}

impl Part<'_> {
    /// What a statement reads, without the inside of a `d_step`.
    fn action(self, action: &Action, reads: &mut Leaves) {
        match action {
            // What is printed is of no use to a search, unless it cannot be computed.
            Action::Print(_, values) => {
                let values = values.iter().filter(|value| value.can_fail());
                values.for_each(|value| self.value(value, reads));
            }
            Action::PrintMtype(value, _) if !value.can_fail() => {}
            Action::PrintMtype(..) | Action::Condition(_) | Action::Else | Action::Assign(..) | Action::Send(_) => {
                action.visit(&mut |expr| self.expr(expr, reads));
            }
            Action::Receive(_) | Action::Input(_) | Action::Assert(_) | Action::SetPriority(..) => {
                action.visit(&mut |expr| self.expr(expr, reads));
            }
            Action::DStep(_) | Action::Goto | Action::End => {}
        }
        let channel = action.send().map(|send| &send.channel);
        let channel = channel.or(action.receive().map(|receive| &receive.channel));
        channel.into_iter().for_each(|channel| self.access(channel, reads));
    }

    fn value(self, value: &Expr, reads: &mut Leaves) {
        value.visit(&mut |expr| self.expr(expr, reads));
    }

    /// What an expression reads itself, without those within it.
    fn expr(self, expr: &Expr, reads: &mut Leaves) {
        match expr {
            Expr::Load(access) | Expr::Len(access) | Expr::ChannelTest(_, access) => self.access(access, reads),
            Expr::Poll(receive) => self.access(&receive.channel, reads),
            Expr::Constant(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) | Expr::Run(_) => {}
            Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } => {}
            // What others look at is always live.
            Expr::Remote { .. } | Expr::Timeout | Expr::NonProgress | Expr::Pid | Expr::ProcessCount => {}
            Expr::Last | Expr::OwnPriority => {}
        }
    }

    fn access(self, access: &Access, out: &mut Leaves) {
        if access.base == self.base {
            out.insert(self.ranges.element(self.base, self.id, access.offset).0);
        }
    }

    /// What a proctype reads besides its statements.
    fn clauses(self, proctype: &Proctype, reads: &mut Leaves) {
        proctype.provided.iter().for_each(|condition| self.value(condition, reads));
        for promise in &proctype.exclusive {
            self.access(&promise.channel, reads);
            promise.channel.visit(&mut |expr| self.expr(expr, reads));
        }
    }

    fn initial(self, initial: &Initial, reads: &mut Leaves) {
        if let Some((_, value)) = initial.value() {
            self.value(value, reads);
        }
    }

    /// What a statement needs of numbers for anything but themselves: `x = x + 1` and `a[i]++` need no `x` and no
    /// `a`, if these cannot decide whether it is at fault.
    fn needs(self, action: &Action, reads: &mut Leaves) {
        let Some((target, value)) = action.assignment() else { return self.action(action, reads) };
        let (mut own, mut all) = (Leaves::default(), Leaves::default());
        self.action(action, &mut all);
        self.access(target, &mut own);
        if target.ty.declared_range().is_some() || !self.is_harmless(target, value, &own) {
            own = Leaves::default();
        }
        reads.add(&all, &own);
    }

    /// Whether the numbers of a target do not decide whether its assignment is at fault: nothing is divided, everything
    /// is computed, and no index is made of them.
    fn is_harmless(self, target: &Access, value: &Expr, own: &Leaves) -> bool {
        if target.indexes.is_empty() && !value.can_fail() {
            return true;
        }
        let mut indexes = Leaves::default();
        target.visit(&mut |expr| self.expr(expr, &mut indexes));
        let mut is_total = true;
        value.visit(&mut |expr| match expr {
            Expr::Load(access) => access.visit(&mut |expr| self.expr(expr, &mut indexes)),
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::And | BinaryOp::Or, ..) => is_total = false,
            Expr::Binary(..) | Expr::Constant(_) | Expr::Unary(..) | Expr::Pid | Expr::ProcessCount => {}
            Expr::Conditional(_) | Expr::Run(_) | Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) => {
                is_total = false;
            }
            Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) | Expr::AtLabel { .. } => is_total = false,
            Expr::Remote { .. } | Expr::Timeout | Expr::NonProgress | Expr::Last | Expr::OwnPriority => {
                is_total = false;
            }
        });
        is_total && !indexes.meets(own)
    }
}

/// The leaves of a part that nobody needs. Initial values are computed before anything can be cleared,
/// but with what is unread already gone.
fn unread(model: &Model, ranges: &Ranges, observed: &Observed, owner: Option<ProctypeId>) -> Vec<usize> {
    let mut reads = Leaves::default();
    let base = if owner.is_some() { Base::Local } else { Base::Global };
    for (index, proctype) in model.proctypes.iter().enumerate() {
        let id = ProctypeId(index as u16);
        if owner.is_some_and(|owner| owner != id) {
            continue;
        }
        let part = Part { ranges, id, base };
        part.clauses(proctype, &mut reads);
        proctype.statements.iter().for_each(|statement| part.needs(&statement.action, &mut reads));
        proctype.locals_init.iter().chain(&model.globals_init).for_each(|initial| part.initial(initial, &mut reads));
    }
    let is_observed = |variable: u32| match owner {
        Some(owner) => observed.variable(model, owner, variable),
        None => observed.name(&model.globals[variable as usize].name),
    };
    let leaves = ranges.part(base, owner.unwrap_or(ProctypeId(0)));
    let is_unread = |&leaf: &usize| !reads.contains(leaf) && !is_observed(leaves[leaf].variable);
    (0..leaves.len()).filter(is_unread).collect()
}

/// A proctype that is analysed.
struct Subject<'a> {
    model: &'a Model,
    ranges: &'a Ranges,
    observed: &'a Observed,
    id: ProctypeId,
}

/// What a statement does to variables before it leads on.
#[derive(Clone, Debug, Default)]
struct Effect {
    reads: Leaves,
    /// What is surely overwritten.
    kills: Leaves,
}

impl Subject<'_> {
    fn proctype(&self) -> &Proctype {
        self.model.proctype(self.id)
    }

    fn part(&self) -> Part<'_> {
        Part { ranges: self.ranges, id: self.id, base: Base::Local }
    }

    /// What may be looked at wherever the process is, and what no statement stores to: that is the same as long as the
    /// process lives, and tells it from others of its type.
    fn always(&self) -> Leaves {
        let mut always = Leaves::default();
        let mut stored = Leaves::default();
        self.proctype().statements.iter().for_each(|statement| self.touched(&statement.action, &mut stored));
        let leaves = &self.ranges.locals[usize::from(self.id.0)];
        let is_observed = |variable: u32| self.observed.variable(self.model, self.id, variable);
        let is_kept = |leaf: &usize| is_observed(leaves[*leaf].variable) || !stored.contains(*leaf);
        (0..leaves.len()).filter(is_kept).for_each(|leaf| always.insert(leaf));
        self.part().clauses(self.proctype(), &mut always);
        always
    }

    fn effect(&self, action: &Action) -> Effect {
        let mut effect = Effect::default();
        self.part().action(action, &mut effect.reads);
        targets(action, &mut |target| self.store(target, &mut effect.kills));
        effect
    }

    /// The leaves that an action stores to, in whole or in part.
    fn touched(&self, action: &Action, leaves: &mut Leaves) {
        targets(action, &mut |target| self.part().access(target, leaves));
    }

    /// A leaf of several elements keeps the others.
    fn store(&self, target: &Access, kills: &mut Leaves) {
        if target.base == Base::Local && self.ranges.leaf(self.id, target).offsets.len() == 1 {
            self.part().access(target, kills);
        }
    }
}

/// The variables that an action stores to, without the inside of a `d_step`.
fn targets(action: &Action, visit: &mut dyn FnMut(&Access)) {
    match action {
        Action::Assign(target, _) | Action::Input(target) => visit(target),
        Action::Receive(receive) => receive.patterns.iter().for_each(|pattern| match pattern {
            Pattern::Store(target) => visit(target),
            Pattern::Match(_) | Pattern::Ignore => {}
        }),
        Action::Condition(_) | Action::Else | Action::Send(_) | Action::Assert(_) | Action::Print(..) => {}
        Action::PrintMtype(..) | Action::SetPriority(..) | Action::DStep(_) | Action::Goto | Action::End => {}
    }
}

/// The control flow of a proctype: its locations, and behind them the control states of its `d_step`s.
struct Flow {
    edges: Vec<Step>,
    /// The edges that lead to each node.
    into: Vec<Vec<usize>>,
}

struct Step {
    from: usize,
    effect: Effect,
}

impl Flow {
    fn new(subject: &Subject<'_>) -> Flow {
        let proctype = subject.proctype();
        let mut flow = Flow { edges: Vec::new(), into: vec![Vec::new(); proctype.locations.len()] };
        for (from, location) in proctype.locations.iter().enumerate() {
            for edge in &location.edges {
                flow.statement(subject, from, edge.statement, edge.target.map(|target| usize::from(target.0)));
            }
        }
        flow
    }

    fn statement(&mut self, subject: &Subject<'_>, from: usize, id: StatementId, to: Option<usize>) {
        let action = &subject.proctype().statement(id).action;
        match action.d_step() {
            Some(d_step) => self.d_step(subject, from, d_step, to),
            None => self.add(from, to, subject.effect(action)),
        }
    }

    fn d_step(&mut self, subject: &Subject<'_>, from: usize, d_step: &DStep, to: Option<usize>) {
        let first = self.into.len();
        self.into.resize(first + d_step.nodes.len(), Vec::new());
        self.add(from, Some(first), Effect::default());
        for (node, it) in d_step.nodes.iter().enumerate() {
            for &(id, target) in &it.edges {
                let target = target.map_or(to, |target| Some(first + target as usize));
                self.statement(subject, first + node, id, target);
            }
        }
    }

    /// The end of a process leads nowhere.
    fn add(&mut self, from: usize, to: Option<usize>, effect: Effect) {
        if let Some(to) = to {
            self.into[to].push(self.edges.len());
        }
        self.edges.push(Step { from, effect });
    }

    /// What is live at each node: the least solution, found backwards.
    fn solve(&self, always: &Leaves) -> Vec<Leaves> {
        let none = Leaves::default();
        let mut live = vec![always.clone(); self.into.len()];
        for Step { from, effect } in &self.edges {
            live[*from].add(&effect.reads, &none);
        }
        let mut waiting: Vec<usize> = (0..live.len()).collect();
        while let Some(node) = waiting.pop() {
            let here = live[node].clone();
            for &edge in &self.into[node] {
                let Step { from, effect, .. } = &self.edges[edge];
                if live[*from].add(&here, &effect.kills) {
                    waiting.push(*from);
                }
            }
        }
        live
    }
}
