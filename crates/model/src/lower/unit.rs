//! The top level, and what can only be said once everything is known.

use super::declaration::Owner;
use super::flow::{ATOM, Flow, Kind, LAST_ATOM};
use super::statement::{BodyState, Node};
use super::{Lowerer, automaton};
use crate::expr::Expr;
use crate::model::{
    Action, Active, Edge, Initial, Location, LocationId, LtlBlock, Model, Proctype, ProctypeId, Role, Statement,
    StatementId, Trace, Uses,
};
use crate::temporal::Temporal;
use spinor_syntax::ast::{self, Unit};
use spinor_syntax::{Diagnostic, Place};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A proctype that was lowered, with its graph: remote references may change it until the end.
pub(super) struct Lowered {
    pub(super) flow: Flow,
    body: super::flow::Seq,
}

/// The head of a proctype, an `init`, a claim or a trace.
struct Head {
    name: Arc<str>,
    role: Role,
    place: Place,
}

/// Whether a part of an expression asks if a process can move that is not always the same.
fn asks_for_another(part: &Expr) -> bool {
    match part {
        Expr::Enabled(pid) => pid.constant().is_none(),
        Expr::Constant(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) => false,
        Expr::Run(_) | Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::PcValue(_) => false,
        Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Remote { .. } | Expr::Timeout => false,
        Expr::NonProgress | Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority => false,
    }
}

/// The end of a `notrace` that cannot come to it: there it is once an event did not match.
fn nowhere(statements: &[Statement]) -> Option<Location> {
    let end = statements.iter().position(|statement| statement.action == Action::End)?;
    let statement = StatementId(end as u32);
    Some(Location {
        number: 0,
        labels: Vec::new(),
        is_end: true,
        is_progress: false,
        is_accept: false,
        edges: vec![Edge { statement, target: None, atomic: false, escape: None }],
        place: statements[end].place,
    })
}

impl<'a> Lowerer<'a> {
    pub(super) fn unit(&mut self, unit: &'a Unit) {
        match unit {
            Unit::Variables(declaration) => self.variables(declaration, Owner::Global),
            Unit::Typedef(typedef) => self.typedef(typedef),
            Unit::Mtype(declaration) => self.mtype(declaration),
            Unit::Subrange(range) => self.subrange(range),
            Unit::Ltl(ltl) => self.ltl(ltl),
            Unit::Proctype(proctype) => self.proctype(proctype),
            Unit::Init(init) => {
                let priority = init.priority.as_ref().map(|priority| self.declared_priority(priority));
                let head = Head { name: ":init:".into(), role: Role::Init, place: init.place };
                let id = self.lower_body(head, &[], None, false, &init.body);
                self.model.active.push(Active { proctype: id, priority: priority.unwrap_or(1) });
            }
            Unit::Never(never) => {
                let count = self.model.claims().count();
                let name = match &never.name {
                    Some(name) => name.text.clone(),
                    None => format!("never_{count}").into(),
                };
                let head = Head { name, role: Role::Never, place: never.place };
                self.lower_body(head, &[], None, false, &never.body);
            }
            Unit::Trace(trace) => {
                if self.model.trace.is_some() {
                    self.error(trace.place, "there can be only one trace or notrace");
                }
                let role = if trace.negated { Role::NoTrace } else { Role::Trace };
                let head = Head { name: ":trace:".into(), role, place: trace.place };
                self.lower_body(head, &[], None, false, &trace.body);
            }
        }
    }

    fn ltl(&mut self, ltl: &ast::Ltl) {
        let name = match &ltl.name {
            Some(name) => name.text.clone(),
            None => format!("ltl_{}", self.model.ltl.len()).into(),
        };
        if self.model.ltl.iter().any(|known| known.name == name) {
            self.error(ltl.place, format!("there are two ltl blocks called '{name}'"));
        }
        let temporal = Temporal::Constant(true);
        let (formula, place) = (ltl.formula.clone(), ltl.place);
        self.model.ltl.push(LtlBlock { name, formula, temporal, atoms: Vec::new(), place });
    }

    fn declared_priority(&mut self, priority: &ast::Expr) -> u8 {
        self.model.uses.priority = true;
        self.priority(priority)
    }

    fn proctype(&mut self, proctype: &'a ast::Proctype) {
        let name = proctype.name.text.clone();
        let expected = ProctypeId(self.model.proctypes.len() as u16);
        if self.proctypes.get(&name) != Some(&expected) {
            self.error(proctype.name.place, format!("proctype '{name}' is declared twice"));
        }
        let instances = match &proctype.active {
            Some(count) => self.instances(count),
            None => 0,
        };
        let priority = proctype.priority.as_ref().map_or(1, |priority| self.declared_priority(priority));
        let head = Head { name, role: Role::Process, place: proctype.name.place };
        let id = self.lower_body(
            head,
            &proctype.parameters,
            proctype.provided.as_ref(),
            proctype.deterministic,
            &proctype.body,
        );
        for _ in 0..instances {
            self.model.active.push(Active { proctype: id, priority });
        }
        if self.model.active.len() > 255 {
            self.error(proctype.name.place, "there can be at most 255 processes");
            self.model.active.truncate(255);
        }
    }

    /// The number in `active [n]`, which SPIN also takes from a variable with a constant value.
    fn instances(&mut self, count: &ast::Expr) -> i32 {
        let value = self.constant_value(count).or_else(|| self.initial_constant(count));
        match value {
            Some(n) if (0..=255).contains(&n) => n,
            Some(n) => {
                self.error(count.place, format!("there can be at most 255 processes, not {n}"));
                0
            }
            None => {
                self.error(count.place, "the number of processes must be a constant");
                0
            }
        }
    }

    /// The constant with which a variable begins, if it has such a value.
    pub(super) fn initial_constant(&self, expr: &ast::Expr) -> Option<i32> {
        let ast::ExprKind::Variable(reference) = &expr.kind else { return None };
        let symbol = self.scopes.get(self.scopes.lookup(&reference.name.text)?);
        let of_body = self.body.iter().flat_map(|body| &body.locals_init);
        let mut all = self.globals_init.iter().map(|(_, initial)| initial).chain(of_body);
        all.find_map(|initial| match initial {
            Initial::Value(access, Expr::Constant(value)) => {
                (access.base == symbol.base && access.variable == symbol.index).then_some(*value)
            }
            Initial::Value(..) | Initial::Channel(..) => None,
        })
    }

    fn lower_body(
        &mut self,
        head: Head,
        parameters: &'a [ast::VariableDecl],
        provided: Option<&'a ast::Expr>,
        deterministic: bool,
        body: &'a ast::Body,
    ) -> ProctypeId {
        let is_claim = head.role == Role::Never;
        let uses = self.model.uses;
        let events = head.role.is_trace().then(BTreeMap::new);
        self.body = Some(BodyState { at_top: true, is_claim, events, ..BodyState::default() });
        self.scopes.enter();
        for parameter in parameters {
            self.variables(parameter, Owner::Parameter);
        }
        let provided = provided.map(|condition| {
            self.model.uses.provided = true;
            let lowered = self.expression(condition);
            self.refuse_run(&lowered, condition.place, "a provided clause");
            lowered
        });
        self.flow().open();
        self.steps(&body.steps);
        self.add(Node::End, body.end, "-end-".into());
        let seq = self.flow().close();
        self.scopes.leave();
        let state = self.body.take().expect("set above");
        if is_claim {
            // What a claim uses does not change what the processes do, but for priorities: once
            // they are mentioned they are part of the state.
            let Uses { reads_hidden, priority, .. } = self.model.uses;
            self.model.uses = Uses { reads_hidden, priority, ..uses };
        }
        self.model.proctypes.push(Proctype {
            name: head.name,
            role: head.role,
            deterministic,
            parameters: state.parameters,
            locals: state.locals,
            locals_size: state.locals_size,
            locals_init: state.locals_init,
            provided,
            start: LocationId(0),
            locations: Vec::new(),
            statements: state.statements,
            exclusive: state.exclusive,
            place: head.place,
        });
        self.lowered.push(Lowered { flow: state.flow, body: seq });
        let proctype = ProctypeId(self.model.proctypes.len() as u16 - 1);
        if let Some(events) = state.events {
            // Where it is kept is known when all global variables are.
            self.model.trace = Some(Trace { proctype, offset: 0, events });
        }
        proctype
    }

    /// A remote reference needs its label at a place where a process can stand: a jump that has
    /// the label becomes a skip followed by the jump. SPIN numbers that as one statement more.
    pub(super) fn refer_to_label(&mut self, proctype: ProctypeId, name: &str) {
        let index = usize::from(proctype.0);
        let Some(Lowered { flow, .. }) = self.lowered.get_mut(index) else { return };
        let Some(label) = flow.labels.iter().rev().find(|label| *label.name == *name) else { return };
        let element = label.element;
        let Kind::Goto(old, jump) = flow.elements[element].kind.clone() else { return };
        let place = flow.elements[element].place;
        let statements = &mut self.model.proctypes[index].statements;
        let jump_statement = Statement { number: self.next_statement, ..statements[old.0 as usize].clone() };
        self.next_statement += 1;
        statements.push(jump_statement);
        let moved = StatementId(statements.len() as u32 - 1);
        let skip = &mut statements[old.0 as usize];
        skip.action = Action::Condition(Expr::Constant(1));
        skip.text = "(1)".into();
        let behind = flow.new_element(Kind::Goto(moved, jump), place);
        flow.elements[behind].next = flow.elements[element].next;
        flow.elements[behind].status = flow.elements[element].status;
        flow.elements[element].next = Some(behind);
        flow.elements[element].kind = Kind::Step(old);
        for sequence in &mut flow.sequences {
            if sequence.last == Some(element) {
                sequence.last = Some(behind);
            }
        }
    }

    pub(super) fn finish(mut self) -> (Model, Vec<Diagnostic>) {
        self.globals_init.sort_by_key(|(rank, _)| *rank);
        let initials = std::mem::take(&mut self.globals_init);
        self.model.globals_init = initials.into_iter().map(|(_, initial)| initial).collect();
        if self.uses_last {
            self.model.last_offset = Some(self.model.globals_size);
            self.model.globals_size += 1;
        }
        if let Some(trace) = &mut self.model.trace {
            trace.offset = self.model.globals_size;
            self.model.globals_size += 2;
        }
        self.formulas();
        self.automata();
        if crate::passing::can_pass_labels(&self.model) {
            self.model.passed_offset = Some(self.model.globals_size);
            self.model.globals_size += 1;
        }
        self.check_trace();
        self.check_enabled();
        self.warn_count();
        self.check_runs();
        self.check_messages();
        self.warn_unused();
        if self.model.active.is_empty() && !spinor_syntax::diagnostic::has_errors(&self.diagnostics) {
            let place = self.model.proctypes.first().map_or(self.model_place(), |proctype| proctype.place);
            let diagnostic = Diagnostic::error(place, "nothing runs: there is no init and no active proctype");
            self.report(diagnostic.hint("write init { run P() } or active proctype P() { ... }"));
        }
        crate::access::annotate(&mut self.model);
        (self.model, self.diagnostics)
    }

    fn automata(&mut self) {
        for index in 0..self.lowered.len() {
            let body = self.lowered[index].body;
            let role = self.model.proctypes[index].role;
            match automaton::build(&mut self.lowered[index].flow, body, role) {
                Ok(built) => {
                    self.resolve_labels(index, &built);
                    self.warn_labels(index, &built.heads, &built.location_of);
                    // A claim that waits for something has loops that do nothing, and labels as they come; a trace too.
                    if self.model.proctypes[index].is_process() {
                        self.warn_flow(&self.lowered[index].flow, &built).into_iter().for_each(|it| self.report(it));
                    }
                    let proctype = &mut self.model.proctypes[index];
                    for (statement, d_step) in built.d_steps {
                        proctype.statements[statement.0 as usize].action = Action::DStep(Box::new(d_step));
                    }
                    proctype.start = built.start;
                    proctype.locations = built.locations;
                    if proctype.role == Role::NoTrace && proctype.closing().is_none() {
                        proctype.locations.extend(nowhere(&proctype.statements));
                    }
                }
                Err(diagnostic) => self.report(diagnostic),
            }
        }
    }

    /// Two processes that begin with asking whether the other can move would ask for ever.
    fn check_enabled(&mut self) {
        let asks = |proctype: &Proctype| {
            let start = proctype.locations.get(usize::from(proctype.start.0));
            let edges = start.map_or(&[][..], |location| &location.edges);
            edges.iter().find_map(|edge| {
                let statement = proctype.statement(edge.statement);
                let mut asks = false;
                statement.action.visit(&mut |part| asks |= asks_for_another(part));
                asks.then_some(statement.place)
            })
        };
        let count = |id: usize| self.model.active.iter().filter(|active| usize::from(active.proctype.0) == id).count();
        let all = self.model.proctypes.iter().enumerate().filter(|(id, it)| it.is_process() && count(*id) > 1);
        let places: Vec<Place> = all.filter_map(|(_, proctype)| asks(proctype)).collect();
        for place in places {
            let diagnostic = Diagnostic::error(place, "processes that ask each other with enabled() ask for ever");
            self.report(diagnostic.hint("ask in a never claim"));
        }
    }

    /// SPIN counts a claim as a process.
    fn warn_count(&mut self) {
        let has_claim = !self.model.ltl.is_empty() || self.model.claims().next().is_some();
        if let Some(place) = self.count_place.filter(|_| has_claim) {
            let message = "'_nr_pr' is the number of processes; beside a claim SPIN counts that, too";
            self.report(Diagnostic::warning(place, message));
        }
    }

    fn resolve_labels(&mut self, proctype: usize, built: &automaton::Automaton) {
        for (index, label) in self.model.labels.iter_mut().enumerate() {
            if usize::from(label.proctype.0) != proctype {
                continue;
            }
            let flow = &self.lowered[proctype].flow;
            match flow.labels.iter().rev().find(|known| known.name == label.name) {
                Some(known) => {
                    label.location = built.location_of.get(&known.element).copied();
                    let inside = flow.elements[known.element].status & (ATOM | LAST_ATOM) != 0;
                    let seldom = match (label.location, inside) {
                        (None, _) => "is never true: no process stands there",
                        (Some(_), true) => "is seldom true: the label is inside an atomic sequence",
                        (Some(_), false) => continue,
                    };
                    let owner = &self.model.proctypes[proctype].name;
                    let message = format!("'{owner}@{}' {seldom}", label.name);
                    self.diagnostics.push(Diagnostic::warning(self.label_places[index], message));
                }
                None => {
                    let owner = &self.model.proctypes[proctype].name;
                    let message = format!("proctype '{owner}' has no label '{}'", label.name);
                    self.diagnostics.push(Diagnostic::error(self.label_places[index], message));
                }
            }
        }
    }

    fn check_runs(&mut self) {
        for run in std::mem::take(&mut self.runs) {
            let Some(proctype) = self.model.proctypes.get(usize::from(run.proctype.0)) else { continue };
            let wanted = proctype.parameters.len();
            if wanted != run.arguments {
                let message = format!(
                    "proctype '{}' takes {} but is given {}",
                    proctype.name,
                    spinor_syntax::plural(wanted, "argument"),
                    run.arguments
                );
                let declared = proctype.place.spelling;
                self.report(Diagnostic::error(run.place, message).label(declared, "declared here"));
            }
        }
    }

    /// Counts the fields of messages where the channel is known for certain.
    fn check_messages(&mut self) {
        for check in std::mem::take(&mut self.messages) {
            let symbol = self.scopes.get(check.symbol);
            let Some(channel) = symbol.channel.filter(|_| !symbol.written) else { continue };
            let wanted = self.model.channel_types[usize::from(channel.0)].fields.len();
            if wanted != check.fields {
                let message = format!(
                    "messages of channel '{}' have {} but here are {}",
                    symbol.variable.name,
                    spinor_syntax::plural(wanted, "field"),
                    check.fields
                );
                let declared = symbol.place.spelling;
                let diagnostic = match check.is_send && check.fields > wanted {
                    true => Diagnostic::error(check.place, message),
                    false => Diagnostic::warning(check.place, message).hint("executing this is a fault"),
                };
                self.report(diagnostic.label(declared, "declared here"));
            }
        }
    }
}
