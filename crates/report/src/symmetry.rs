//! What is symmetric in a model.

use serde_json::{Value, json};
use spinor_explore::symmetry::{ClassReport, PromiseReport, SymmetryReport};
use spinor_syntax::plural;
use std::fmt::Write as _;

/// For people: classes, what was refused and why.
#[must_use]
pub fn text(report: &SymmetryReport) -> String {
    let mut out = String::new();
    for class in &report.classes {
        let turn = if class.is_full { "can change places" } else { "can move together" };
        let _ = writeln!(out, "{} {turn}", members(class));
    }
    if report.classes.is_empty() {
        out.push_str("no processes can change places\n");
    }
    for refused in &report.refused {
        let _ = writeln!(out, "refused: {refused}");
    }
    for promise in report.promises.iter().filter(|it| it.broken.is_none()) {
        let _ = writeln!(out, "kept: the promise of {} that `{}` is symmetric", promise.line, promise.proctype);
    }
    for broken in report.broken() {
        let _ = writeln!(out, "broken: {broken}");
    }
    for before in &report.prelude {
        let _ = writeln!(out, "symmetric only after {before}");
    }
    if report.order > 1 {
        let _ = writeln!(out, "{}", summary(report));
        if let Some(idle) = &report.idle {
            let _ = writeln!(out, "not worth it: {idle}");
        }
    }
    out
}

/// What a search made of it; nothing if there was nothing to make.
#[must_use]
pub fn line(report: &SymmetryReport) -> String {
    match &report.idle {
        _ if report.order <= 1 => String::new(),
        Some(idle) => format!("symmetry: switched off, it is not worth it: {idle}\n"),
        None => format!("symmetry: {}\n", summary(report)),
    }
}

fn summary(report: &SymmetryReport) -> String {
    let all = report.classes.iter().map(members).collect::<Vec<_>>().join("; ");
    format!("{all}: {}, representatives {}", plural(report.order as usize, "permutation"), report.strategy)
}

fn members(class: &ClassReport) -> String {
    let one = |index: &Vec<(String, usize)>| {
        index.iter().map(|(name, pid)| format!("{name} ({pid})")).collect::<Vec<_>>().join(" with ")
    };
    let mut all: Vec<String> = class.members.iter().map(one).collect();
    all.extend((class.channels > 0).then(|| plural(class.channels, "channel")));
    all.join(", ")
}

/// For programs.
#[must_use]
pub fn json(report: &SymmetryReport) -> Value {
    let member = |(name, pid): &(String, usize)| json!({ "proctype": name, "pid": pid });
    let index = |index: &Vec<(String, usize)>| index.iter().map(member).collect::<Vec<_>>();
    let class = |class: &ClassReport| json!({ "full": class.is_full, "members": class.members.iter().map(index).collect::<Vec<_>>(), "channels": class.channels });
    let promise = |it: &PromiseReport| json!({ "proctype": it.proctype, "line": it.line, "broken": it.broken });
    json!({
        "classes": report.classes.iter().map(class).collect::<Vec<_>>(),
        "refused": report.refused,
        "after": report.prelude,
        "order": report.order,
        "strategy": report.strategy.to_string(),
        "used": report.is_used(),
        "idle": report.idle,
        "promises": report.promises.iter().map(promise).collect::<Vec<_>>(),
    })
}
