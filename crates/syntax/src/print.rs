//! Statements and expressions as SPIN prints them, so that displays can be compared.

use crate::ast::{Expr, ExprKind, ReceiveArg, Stmt, StmtKind, TemporalOp, VarRef};
use std::sync::Arc;

/// A statement on one line.
#[must_use]
pub fn statement(stmt: &Stmt) -> Arc<str> {
    let text = match &stmt.kind {
        StmtKind::Labelled(_, inner) => return statement(inner),
        StmtKind::Assign(target, value) => format!("{} = {}", variable(target), expression(value)),
        StmtKind::Send { channel, arguments, sorted } => {
            format!("{}{}{}", variable(channel), if *sorted { "!!" } else { "!" }, list(arguments))
        }
        StmtKind::Receive { channel, arguments, random, keep } => {
            let (open, close) = if *keep { ("<", ">") } else { ("", "") };
            let mark = if *random { "??" } else { "?" };
            format!("{}{mark}{open}{}{close}", variable(channel), patterns(arguments))
        }
        StmtKind::Expr(condition) => format!("({})", expression(condition)),
        StmtKind::Else => "else".into(),
        StmtKind::Goto(label) => format!("goto {}", label.text),
        StmtKind::Break => "break".into(),
        StmtKind::If(_) => "IF".into(),
        StmtKind::Do(_) => "DO".into(),
        StmtKind::ForRange { .. } | StmtKind::ForIn { .. } => "FOR".into(),
        StmtKind::Select { .. } | StmtKind::SelectLoop(_) => "SELECT".into(),
        StmtKind::Atomic(_) => "ATOMIC".into(),
        StmtKind::DStep(_) => "D_STEP".into(),
        StmtKind::Block(_) => "sub-sequence".into(),
        StmtKind::Inline { name, .. } => format!("{}(...)", name.text),
        StmtKind::Unless(..) => "unless".into(),
        StmtKind::Assert(condition) => format!("assert({})", expression(condition)),
        StmtKind::Print { format, arguments } if arguments.is_empty() => format!("printf('{format}')"),
        StmtKind::Print { format, arguments } => format!("printf('{format}',{})", list(arguments)),
        StmtKind::PrintMtype(value) => format!("printm({})", expression(value)),
        StmtKind::SetPriority(process, priority) => {
            format!("set_priority({},{})", expression(process), expression(priority))
        }
        StmtKind::Variables(_) | StmtKind::Exclusive { .. } => "declaration".into(),
        StmtKind::EmbeddedC(_) => "c_code".into(),
        StmtKind::Error => String::new(),
    };
    text.into()
}

/// An expression with all its parentheses.
#[must_use]
pub fn expression(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Number(n) => n.to_string(),
        ExprKind::Variable(reference) => variable(reference),
        ExprKind::Unary(op, operand) => format!("{}({})", op.text(), expression(operand)),
        ExprKind::Binary(op, left, right) => format!("({}{}{})", expression(left), op.text(), expression(right)),
        ExprKind::Conditional(condition, then, otherwise) => {
            format!("({} -> {} : {})", expression(condition), expression(then), expression(otherwise))
        }
        ExprKind::Run { proctype, arguments, .. } => format!("run {}({})", proctype.text, list(arguments)),
        ExprKind::Len(channel) => format!("len({})", variable(channel)),
        ExprKind::ChannelTest(test, channel) => format!("{}({})", test.text(), variable(channel)),
        ExprKind::Poll { channel, arguments, random } => {
            format!("{}{}[{}]", variable(channel), if *random { "??" } else { "?" }, patterns(arguments))
        }
        ExprKind::Enabled(pid) => format!("enabled({})", expression(pid)),
        ExprKind::PcValue(pid) => format!("pc_value({})", expression(pid)),
        ExprKind::GetPriority(pid) => format!("get_priority({})", expression(pid)),
        ExprKind::RemoteLabel { proctype, pid, label } => {
            format!("{}{}@{}", proctype.text, process(pid.as_deref()), label.text)
        }
        ExprKind::RemoteVariable { proctype, pid, variable: name } => {
            format!("{}{}:{}", proctype.text, process(pid.as_deref()), variable(name))
        }
        ExprKind::Timeout => "timeout".into(),
        ExprKind::NonProgress => "np_".into(),
        ExprKind::Temporal(op, left, right) => temporal(*op, left, right.as_deref()),
        ExprKind::EmbeddedC(_) => "c_expr".into(),
        ExprKind::Error => String::new(),
    }
}

fn temporal(op: TemporalOp, left: &Expr, right: Option<&Expr>) -> String {
    let symbol = match op {
        TemporalOp::Always => "[]",
        TemporalOp::Eventually => "<>",
        TemporalOp::Next => "X",
        TemporalOp::Until => "U",
        TemporalOp::WeakUntil => "W",
        TemporalOp::Release => "V",
        TemporalOp::Implies => "->",
        TemporalOp::Equivalent => "<->",
    };
    match right {
        None => format!("{symbol} ({})", expression(left)),
        Some(right) => format!("(({}) {symbol} ({}))", expression(left), expression(right)),
    }
}

/// A variable with its indexes and fields.
#[must_use]
pub fn variable(reference: &VarRef) -> String {
    let mut text = reference.name.text.to_string();
    if let Some(index) = &reference.index {
        text.push_str(&format!("[{}]", expression(index)));
    }
    if let Some(field) = &reference.field {
        text.push('.');
        text.push_str(&variable(field));
    }
    text
}

fn process(pid: Option<&Expr>) -> String {
    pid.map_or_else(String::new, |pid| format!("[{}]", expression(pid)))
}

fn list(values: &[Expr]) -> String {
    values.iter().map(expression).collect::<Vec<_>>().join(",")
}

fn patterns(arguments: &[ReceiveArg]) -> String {
    let text = |argument: &ReceiveArg| match argument {
        ReceiveArg::Variable(reference) => variable(reference),
        ReceiveArg::Eval(value) => format!("eval({})", expression(value)),
        ReceiveArg::Constant(value, _) => value.to_string(),
    };
    arguments.iter().map(text).collect::<Vec<_>>().join(",")
}
