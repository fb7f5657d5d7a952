//! Live variables against their definition.

#[path = "../../../tests/support.rs"]
mod support;

use spinor_model::expr::Pattern;
use spinor_model::model::{Action, Model};
use spinor_model::ranges::Ranges;
use spinor_model::{Access, Base, Expr, Liveness, LocationId, Proctype, ProctypeId, StatementId};
use spinor_syntax::diagnostic::has_errors;
use std::collections::HashSet;

struct NoFiles;

impl spinor_syntax::Loader for NoFiles {
    fn load(&self, path: &str, _from: &str) -> Result<(String, String), String> {
        Err(format!("no file {path}"))
    }
}

fn model(text: &str) -> Model {
    let (model, diagnostics) = spinor_model::compile("test", text, &[], &NoFiles);
    assert!(!has_errors(&diagnostics), "{diagnostics:?}");
    model
}

/// The names of the dead leaves, location by location.
fn dead(text: &str) -> Vec<Vec<String>> {
    let model = model(text);
    let ranges = Ranges::new(&model);
    let liveness = Liveness::new(&model, &ranges);
    let name = |&leaf: &usize| ranges.locals[0][leaf].name.clone();
    let locations = (0..model.proctypes[0].locations.len()).map(|id| LocationId(id as u16));
    locations.map(|id| liveness.dead(ProctypeId(0), id).iter().map(name).collect()).collect()
}

#[test]
fn between_the_last_use_and_the_next_assignment() {
    let text = "byte g; active proctype P() { byte x = 1, y; y = x; g = y; x = 2; y = 3; g = x + y }";
    assert_eq!(dead(text), [&["y"][..], &["x"], &["x", "y"], &["y"], &[], &["x", "y"]]);
}

#[test]
fn an_element_does_not_overwrite_an_array() {
    let text = "byte g; active proctype P() { byte a[2], i; a[0] = 1; i = 1; a[i] = 2; g = a[0] }";
    assert_eq!(dead(text), [&["i"][..], &["i"], &[], &["i"], &["a[]", "i"]]);
}

#[test]
fn others_look_at_a_variable() {
    let text = "byte g; active proctype P() { byte x; x = 1; g = 2 } active proctype Q() { P:x == 1 }";
    assert!(dead(text).iter().all(Vec::is_empty));
    let text = "byte g; active proctype P() { byte x; x = 1; g = 2 } ltl { [] (P:x < 2) }";
    assert!(dead(text).iter().all(Vec::is_empty));
}

#[test]
fn inside_of_a_d_step() {
    let text = "byte g; active proctype P() { byte x, y; x = 1; d_step { y = 1; g = x + y; x = 0 }; g = x }";
    assert_eq!(dead(text), [&["x", "y"][..], &["y"], &["y"], &["x", "y"]]);
}

#[test]
fn globals_that_nobody_reads() {
    let text =
        "byte a, b, c, d, e; chan q = [1] of { byte }; active proctype P() { byte x; a = 1; b = a; printf(\"%d\", b);
        q ! a; q ? c; q ? x; d++; e = 1 / e }";
    let model = model(text);
    let ranges = Ranges::new(&model);
    let liveness = Liveness::new(&model, &ranges);
    let unread = liveness.unread(Base::Global, ProctypeId(0)).iter();
    let names: Vec<&str> = unread.map(|&leaf| &*ranges.globals[leaf].name).collect();
    assert_eq!(names, ["b", "c", "d"]);
}

/// Counters, unless their values decide what is at fault.
#[test]
fn arrays_that_nobody_reads() {
    let text = "byte a[2], b[2], c[2], d[2], e[2], f[2]; active proctype P() { byte i; a[i]++; a[1 - i] = a[i] * 2;
        b[b[0]]++; c[i] = c[i] / 2; d[i] = d[i] && f[i + 1]; e[i]++; e[0] == 1 }";
    let model = model(text);
    let ranges = Ranges::new(&model);
    let liveness = Liveness::new(&model, &ranges);
    let unread = liveness.unread(Base::Global, ProctypeId(0)).iter();
    let names: Vec<&str> = unread.map(|&leaf| &*ranges.globals[leaf].name).collect();
    assert_eq!(names, ["a[]"]);
}

/// Where control is: at a location, or inside of a `d_step` that leads to a location.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum At {
    Location(LocationId),
    Inside(StatementId, u32, Option<LocationId>),
}

/// Whether some way from a location reads a leaf before it is written: one search for each question.
struct Naive<'a> {
    model: &'a Model,
    ranges: &'a Ranges,
    id: ProctypeId,
    leaf: usize,
}

impl Naive<'_> {
    fn is_live(&self, from: LocationId) -> bool {
        let mut seen = HashSet::from([At::Location(from)]);
        let mut waiting = vec![At::Location(from)];
        while let Some(at) = waiting.pop() {
            for (id, next) in self.steps(at) {
                let action = &self.model.proctype(self.id).statement(id).action;
                if self.reads(action) {
                    return true;
                }
                let next = next.filter(|_| !self.writes(action));
                waiting.extend(next.filter(|&next| seen.insert(next)));
            }
        }
        false
    }

    fn steps(&self, at: At) -> Vec<(StatementId, Option<At>)> {
        let proctype = self.model.proctype(self.id);
        match at {
            At::Location(location) => {
                let edges = &proctype.location(location).edges;
                let next = |target: Option<LocationId>, id: StatementId| match proctype.statement(id).action {
                    Action::DStep(_) => Some(At::Inside(id, 0, target)),
                    _ => target.map(At::Location),
                };
                edges.iter().map(|edge| (edge.statement, next(edge.target, edge.statement))).collect()
            }
            At::Inside(id, node, end) => {
                let Action::DStep(d_step) = &proctype.statement(id).action else { return Vec::new() };
                let next = |target: Option<u32>| match target {
                    Some(target) => Some(At::Inside(id, target, end)),
                    None => end.map(At::Location),
                };
                d_step.nodes[node as usize].edges.iter().map(|&(inner, target)| (inner, next(target))).collect()
            }
        }
    }

    fn is_it(&self, access: &Access) -> bool {
        access.base == Base::Local && self.ranges.element(Base::Local, self.id, access.offset).0 == self.leaf
    }

    fn reads(&self, action: &Action) -> bool {
        let mut values: Vec<&Expr> = Vec::new();
        let mut accesses: Vec<&Access> = Vec::new();
        match action {
            Action::Condition(value) | Action::Assert(value) => values.push(value),
            Action::Assign(target, value) => {
                values.push(value);
                values.extend(target.indexes.iter().map(|index| &index.value));
            }
            Action::Send(send) => {
                values.extend(&send.arguments);
                accesses.push(&send.channel);
            }
            Action::Receive(receive) => {
                accesses.push(&receive.channel);
                for pattern in &receive.patterns {
                    match pattern {
                        Pattern::Match(value) => values.push(value),
                        Pattern::Store(target) => values.extend(target.indexes.iter().map(|index| &index.value)),
                        Pattern::Ignore => {}
                    }
                }
            }
            Action::Print(_, printed) => values.extend(printed.iter().filter(|value| value.can_fail())),
            Action::PrintMtype(value, _) => values.extend(Some(value).filter(|value| value.can_fail())),
            Action::SetPriority(process, priority) => values.extend([process, priority]),
            Action::Input(target) => values.extend(target.indexes.iter().map(|index| &index.value)),
            Action::Else | Action::DStep(_) | Action::Goto | Action::End => {}
        }
        let indexes = accesses.iter().flat_map(|access| &access.indexes).map(|index| &index.value);
        values.extend(indexes.collect::<Vec<_>>());
        accesses.iter().any(|access| self.is_it(access)) || values.iter().any(|value| self.is_in(value))
    }

    fn is_in(&self, value: &Expr) -> bool {
        let mut found = false;
        value.visit(&mut |part| {
            found |= match part {
                Expr::Load(access) | Expr::Len(access) | Expr::ChannelTest(_, access) => self.is_it(access),
                Expr::Poll(receive) => self.is_it(&receive.channel),
                _ => false,
            }
        });
        found
    }

    fn writes(&self, action: &Action) -> bool {
        let is_whole = self.ranges.locals[usize::from(self.id.0)][self.leaf].offsets.len() == 1;
        is_whole && self.stores(action)
    }

    /// Whether an action stores to it, or to an element of it.
    fn stores(&self, action: &Action) -> bool {
        match action {
            Action::Assign(target, _) | Action::Input(target) => self.is_it(target),
            Action::Receive(receive) => {
                receive.patterns.iter().any(|it| matches!(it, Pattern::Store(target) if self.is_it(target)))
            }
            _ => false,
        }
    }

    /// Whether nothing stores to it: it tells its process from others, and is kept.
    fn is_given(&self) -> bool {
        !self.model.proctype(self.id).statements.iter().any(|statement| self.stores(&statement.action))
    }
}

/// Models in which others look at variables are left out: that has a test of its own.
#[test]
fn as_defined_on_small_models() {
    let mut compared = 0;
    for path in support::models("tests/micro") {
        let model = support::compile(&path);
        let looks = |it: &Proctype| {
            it.provided.is_some() || !it.exclusive.is_empty() || format!("{:?}", it.statements).contains("Remote {")
        };
        if model.proctypes.iter().any(looks) || !model.ltl.is_empty() {
            continue;
        }
        let ranges = Ranges::new(&model);
        let liveness = Liveness::new(&model, &ranges);
        for (index, proctype) in model.proctypes.iter().enumerate() {
            let id = ProctypeId(index as u16);
            for (location, leaf) in (0..proctype.locations.len())
                .flat_map(|location| (0..ranges.locals[index].len()).map(move |leaf| (location, leaf)))
            {
                let location = LocationId(location as u16);
                let naive = Naive { model: &model, ranges: &ranges, id, leaf };
                let is_live = naive.is_given() || naive.is_live(location);
                let is_dead = liveness.dead(id, location).contains(&leaf);
                assert_eq!(is_dead, !is_live, "{} {location:?} {}", path.display(), ranges.locals[index][leaf].name);
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared}");
}
