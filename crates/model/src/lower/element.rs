//! Prepared statements become elements of the control-flow graph.

use super::Lowerer;
use super::flow::{El, Idle, Kind, Label, Loop, Seq};
use super::statement::Node;
use crate::access::Accesses;
use crate::expr::Expr;
use crate::model::{Action, Statement, StatementId};
use spinor_syntax::ast;
use spinor_syntax::{Diagnostic, Place};
use std::sync::Arc;

impl Lowerer<'_> {
    /// Adds a prepared statement to the sequence that is open, and returns its element.
    pub(super) fn add(&mut self, node: Node, place: Place, text: Arc<str>) -> El {
        let (element, add_to_sequence) = self.make(node, place, text);
        if add_to_sequence {
            self.append(element);
        }
        element
    }

    /// Appends an element. A jump with a label that means something to the checker gets a skip in
    /// front of it, which carries the label: a jump is no place to stand at.
    fn append(&mut self, element: El) {
        let flow = self.flow();
        let seq = flow.current();
        let special = flow.labels_of(element).any(Label::is_special);
        if matches!(flow.elements[element].kind, Kind::Goto(..)) && special {
            let place = flow.elements[element].place;
            let skip = Node::Step(Action::Condition(Expr::Constant(1)), Idle::Skip);
            let (skip, _) = self.make(skip, place, "(1)".into());
            let flow = self.flow();
            // SPIN moves the outermost label only, and drops others that mean something.
            let mut is_outermost = true;
            for label in flow.labels.iter_mut().rev().filter(|label| label.element == element) {
                if std::mem::take(&mut is_outermost) || label.is_special() {
                    label.element = skip;
                }
            }
            flow.append(skip, seq);
        }
        self.flow().append(element, seq);
    }

    /// Makes the element of a statement; selections add themselves.
    fn make(&mut self, node: Node, place: Place, text: Arc<str>) -> (El, bool) {
        match node {
            Node::Labelled(name, inner, place, text) => {
                let (element, add) = self.make(*inner, place, text);
                self.set_label(&name, element);
                (element, add)
            }
            Node::Step(action, idle) => {
                let statement = self.statement(action, place, text);
                let element = self.flow().new_element(Kind::Step(statement), place);
                self.flow().elements[element].idle = idle;
                (element, true)
            }
            Node::Event(event) => {
                let statement = self.statement(Action::Goto, place, text);
                self.wait_for(event, statement);
                (self.flow().new_element(Kind::Step(statement), place), true)
            }
            Node::Else => {
                let statement = self.statement(Action::Else, place, "else".into());
                (self.flow().new_element(Kind::Else(statement), place), true)
            }
            Node::End => {
                let statement = self.statement(Action::End, place, "-end-".into());
                (self.flow().new_element(Kind::End(statement), place), true)
            }
            Node::Goto(jump, text) => {
                let statement = self.statement(Action::Goto, place, text);
                (self.flow().new_element(Kind::Goto(statement, jump), place), true)
            }
            Node::DStep(seq) => {
                let action = Action::DStep(Box::new(crate::model::DStep { nodes: Vec::new(), is_else: false }));
                let statement = self.statement(action, place, "D_STEP".into());
                (self.flow().new_element(Kind::DStep(statement, seq), place), true)
            }
            Node::Atomic(seq) => (self.container(Kind::Atomic(seq), place), true),
            Node::Block(seq) => (self.container(Kind::Block(seq), place), true),
            Node::If(options) => (self.selection(options, None, place), false),
            Node::Do(options, exit) => (self.selection(options, Some(exit), place), false),
            Node::Unless(main, escape) => (self.make_unless(main, escape, place), false),
        }
    }

    fn container(&mut self, kind: Kind, place: Place) -> El {
        self.next_statement += 1;
        self.flow().new_element(kind, place)
    }

    fn join(&mut self, place: Place) -> El {
        let statement = self.statement(Action::Goto, place, ".(goto)".into());
        self.flow().new_element(Kind::Join(statement), place)
    }

    fn selection(&mut self, mut options: Vec<Seq>, exit: Option<Loop>, place: Place) -> El {
        let element = self.container(Kind::If(Vec::new()), place);
        let join = self.join(place);
        self.move_else(&mut options, place);
        let seq = self.flow().current();
        for &option in &options {
            self.flow().append(join, option);
        }
        match exit {
            None => {
                self.flow().elements[element].kind = Kind::If(options);
                self.flow().append(element, seq);
                self.flow().append(join, seq);
            }
            Some(exit) => {
                self.flow().elements[element].kind = Kind::Do(options);
                self.flow().append(join, seq);
                let statement = self.statement(Action::Goto, place, "break".into());
                let end = self.flow().new_element(Kind::Exit(statement), place);
                self.flow().exits[exit] = Some(end);
                self.flow().append(element, seq);
                self.flow().append(end, seq);
            }
        }
        element
    }

    /// An `else` is tried last, wherever it stands.
    fn move_else(&mut self, options: &mut Vec<Seq>, place: Place) {
        let flow = self.flow();
        let is_else = |&option: &Seq| {
            let first = flow.sequences[option].first;
            first.is_some_and(|first| matches!(flow.elements[first].kind, Kind::Else(_)))
        };
        let (last, first): (Vec<Seq>, Vec<Seq>) = options.iter().copied().partition(is_else);
        let (many, with_channels) = (last.len() > 1, !last.is_empty() && self.any_channel_guard(&first));
        *options = first;
        options.extend(last);
        if many {
            self.error(place, "there can be only one 'else'");
        }
        if with_channels {
            let message = "'else' next to a send or receive depends on what other processes can do";
            self.report(Diagnostic::warning(place, message));
        }
    }

    fn any_channel_guard(&mut self, options: &[Seq]) -> bool {
        let state = self.state();
        options.iter().filter_map(|&option| state.flow.sequences[option].first).any(|first| {
            let statement = state.flow.elements[first].kind.statement();
            statement.map(|id| &state.statements[id.0 as usize].action).is_some_and(|action| {
                let waits = action.condition().is_some_and(tests_channel);
                waits || action.send().is_some() || action.receive().is_some()
            })
        })
    }

    fn make_unless(&mut self, main: Seq, escape: Seq, place: Place) -> El {
        let element = self.container(Kind::Unless(main, escape), place);
        let join = self.join(place);
        let flow = self.flow();
        flow.append(join, main);
        flow.append(join, escape);
        flow.attach_escape(main, escape);
        let seq = flow.current();
        flow.append(element, seq);
        flow.append(join, seq);
        element
    }

    fn statement(&mut self, action: Action, place: Place, text: Arc<str>) -> StatementId {
        let number = self.next_statement;
        self.next_statement += 1;
        let runs = !action.runs().is_empty();
        let accesses = Accesses::default();
        let statements = &mut self.state().statements;
        statements.push(Statement { action, number, text, place, runs, accesses });
        StatementId(statements.len() as u32 - 1)
    }

    fn set_label(&mut self, name: &ast::Name, element: El) {
        let inline = self.state().inlines.last().copied().unwrap_or(0);
        let scope = self.scopes.path.clone();
        let known = self
            .flow()
            .labels
            .iter()
            .find(|label| label.name == name.text && label.scope == scope && label.inline == inline);
        if let Some(earlier) = known {
            let first = earlier.place.spelling;
            let diagnostic = Diagnostic::error(name.place, format!("label '{}' is set twice", name.text));
            self.report(diagnostic.label(first, "first set here"));
        }
        self.flow().labels.push(Label { name: name.text.clone(), scope, inline, element, place: name.place });
    }
}

fn tests_channel(condition: &Expr) -> bool {
    let mut found = false;
    condition.visit(&mut |expr| {
        found |= expr.is_channel_test();
    });
    found
}
