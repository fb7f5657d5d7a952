//! What makes every step of a model matter to every other one.

use spinor_model::access::{Accesses, Object};
use spinor_model::expr::BinaryOp;
use spinor_model::model::{Action, Model};
use spinor_model::{Expr, Proctype, Role, StatementId};

/// Why steps cannot be independent, if they cannot.
///
/// A `timeout` that must hold for its statement is no obstacle. Of a persistent set some step can be done as
/// long as only others move, so none of these has such a statement on its way, and a state in which
/// nothing else can move is expanded as a whole.
pub(crate) fn obstacle(model: &Model) -> Option<&'static str> {
    let uses = &model.uses;
    let mut processes = model.proctypes.iter().filter(|proctype| proctype.is_process());
    let claims = || model.proctypes.iter().filter(|proctype| proctype.role == Role::Never);
    // That a claim ends is no write.
    let writes = |proctype: &Proctype| {
        proctype.statements.iter().flat_map(|it| &it.accesses.writes).any(|object| *object != Object::Processes)
    };
    let obstacles = [
        (uses.priority, "priorities make every step depend on every other"),
        (uses.enabled, "`enabled` makes every step matter to every other"),
        (model.last_offset.is_some(), "`_last` makes every step visible"),
        (model.trace.is_some(), "a trace makes sends and receives visible"),
        (uses.stdin, "what is read from STDIN depends on the order of steps"),
        (uses.reads_hidden, "hidden variables that are read are not part of the state"),
        (
            uses.timeout && !model.proctypes.iter().all(waits_for_timeouts),
            "a `timeout` that is not a conjunct of a guard asks whether anybody can move",
        ),
        (claims().any(writes), "the never claim writes, between any two steps"),
        (processes.any(sees_locations), "`pc_value` or `np_` makes every step matter to every other"),
    ];
    obstacles.into_iter().find(|(is_there, _)| *is_there).map(|(_, why)| why)
}

/// Whether each `timeout` of a proctype is a part of a condition that is false without it.
fn waits_for_timeouts(proctype: &Proctype) -> bool {
    let asks = |id: StatementId| {
        let statement = proctype.statement(id);
        let reads = statement.accesses.reads.contains(&Object::Enabledness);
        (reads && !statement.action.is_else()).then_some(&statement.action)
    };
    let is_guard = |action: &Action| match action {
        Action::Condition(condition) => is_false_without_timeout(condition),
        Action::DStep(d_step) => d_step.nodes.iter().flat_map(|node| &node.edges).all(|(id, _)| asks(*id).is_none()),
        Action::Else | Action::Assign(..) | Action::Send(_) | Action::Receive(_) | Action::Input(_) => false,
        Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) | Action::SetPriority(..) => false,
        Action::Goto | Action::End => false,
    };
    let provided = proctype.provided.as_ref().is_none_or(|condition| !has_timeout(condition));
    provided && (0..proctype.statements.len() as u32).filter_map(|id| asks(StatementId(id))).all(is_guard)
}

fn is_false_without_timeout(condition: &Expr) -> bool {
    match condition.binary() {
        Some((BinaryOp::And, left, right)) => is_false_without_timeout(left) || is_false_without_timeout(right),
        Some(_) | None => *condition == Expr::Timeout,
    }
}

fn has_timeout(expr: &Expr) -> bool {
    let mut found = false;
    expr.visit(&mut |part| found |= *part == Expr::Timeout);
    found
}

fn sees_locations(proctype: &Proctype) -> bool {
    let looks = |accesses: &Accesses| accesses.reads.contains(&Object::Locations);
    let provided = proctype.provided.as_ref().map(Accesses::of);
    provided.is_some_and(|it| looks(&it)) || proctype.statements.iter().any(|it| looks(&it.accesses))
}
