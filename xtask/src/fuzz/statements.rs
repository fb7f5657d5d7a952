//! Random statements without inner sequences, and the table of all writers.

use super::channels::interfere;
use super::features::Feature;
use super::generate::Generator;
use super::program::{Declaration, Expr, Initial, Sequence, Step, Stmt, Wrapper};
use super::scope::{Body, Mode, Type, Variable};

/// Writes one statement or a few that belong together; nothing where the point
/// of the program does not allow it.
type Write = fn(&mut Generator, &mut Body) -> Option<Vec<Step>>;

/// One kind of statement.
struct Writer {
    /// The feature it needs.
    feature: Option<Feature>,
    /// How often it is chosen.
    weight: usize,
    /// The last mode in which it may stand, in the order of their strictness.
    until: Mode,
    write: Write,
}

const fn writer(feature: Option<Feature>, weight: usize, until: Mode, write: Write) -> Writer {
    Writer { feature, weight, until, write }
}

const WRITERS: &[Writer] = &[
    writer(None, 30, Mode::DStep, Generator::assign),
    writer(None, 6, Mode::DStep, Generator::count),
    writer(None, 2, Mode::Atomic, Generator::condition_step),
    writer(None, 2, Mode::DStep, Generator::skip),
    writer(None, 14, Mode::DStep, Generator::choice),
    writer(Some(Feature::Priority), 6, Mode::DStep, Generator::set_priority),
    writer(Some(Feature::Loops), 10, Mode::Plain, Generator::endless),
    writer(Some(Feature::Loops), 4, Mode::DStep, Generator::counted),
    writer(Some(Feature::Atomic), 10, Mode::Plain, Generator::atomic),
    writer(Some(Feature::DStep), 10, Mode::Atomic, Generator::d_step),
    writer(Some(Feature::Blocks), 6, Mode::DStep, Generator::block),
    writer(Some(Feature::Unless), 8, Mode::Atomic, Generator::unless),
    writer(Some(Feature::Goto), 7, Mode::Atomic, Generator::goto),
    writer(Some(Feature::Loops), 4, Mode::Atomic, Generator::leave),
    writer(Some(Feature::For), 6, Mode::DStep, Generator::for_loop),
    writer(Some(Feature::Select), 5, Mode::Atomic, Generator::select),
    writer(Some(Feature::Assert), 7, Mode::DStep, Generator::assert),
    writer(Some(Feature::Printf), 5, Mode::DStep, Generator::printf),
    writer(Some(Feature::Timeout), 3, Mode::Atomic, Generator::timeout),
    writer(Some(Feature::MiddleDeclarations), 8, Mode::DStep, Generator::declare),
    writer(Some(Feature::Buffered), 16, Mode::Atomic, Generator::send),
    writer(Some(Feature::Buffered), 12, Mode::Atomic, Generator::receive),
    writer(Some(Feature::Rendezvous), 10, Mode::Atomic, Generator::send),
    writer(Some(Feature::Rendezvous), 10, Mode::Atomic, Generator::receive),
    writer(Some(Feature::Run), 6, Mode::Atomic, Generator::run),
    writer(Some(Feature::Inline), 8, Mode::DStep, Generator::inline_call),
];

impl Generator {
    /// A sequence between braces: names may be used again after it.
    pub(crate) fn sequence(&mut self, body: &mut Body, count: usize) -> Sequence {
        let taken = body.taken.len();
        let steps = self.statements(body, count, false);
        body.taken.truncate(taken);
        steps
    }

    /// At least one and at most `count` statements. SPIN takes no label on the
    /// first statement between braces.
    pub(crate) fn statements(&mut self, body: &mut Body, count: usize, label_first: bool) -> Sequence {
        let visible = body.scope.len();
        let mut steps = Sequence::new();
        for _ in 0..count.max(1) {
            if body.budget == 0 && !steps.is_empty() {
                break;
            }
            let mut next = self.statement(body);
            if label_first || !steps.is_empty() {
                self.set_label(body, &mut next[0]);
            }
            append(&mut steps, next);
            if matches!(steps.last(), Some(Step { stmt: Stmt::Word(word), .. }) if word != "skip") {
                break;
            }
        }
        body.scope.truncate(visible);
        if matches!(steps.last(), Some(Step { stmt: Stmt::Declare(_), .. })) {
            steps.push(Stmt::skip().into());
        }
        steps
    }

    /// One statement, or a few that belong together.
    pub(crate) fn statement(&mut self, body: &mut Body) -> Vec<Step> {
        body.budget = body.budget.saturating_sub(1);
        let fits = |writer: &&Writer| {
            body.mode as u8 <= writer.until as u8 && writer.feature.is_none_or(|feature| self.has(feature))
        };
        let writers: Vec<&Writer> = WRITERS.iter().filter(fits).collect();
        let total: usize = writers.iter().map(|writer| writer.weight).sum();
        for _ in 0..4 {
            let mut ticket = self.below(total);
            for writer in &writers {
                if ticket >= writer.weight {
                    ticket -= writer.weight;
                    continue;
                }
                if let Some(steps) = (writer.write)(self, body) {
                    return steps;
                }
                break;
            }
        }
        vec![Stmt::skip().into()]
    }

    fn skip(&mut self, _: &mut Body) -> Option<Vec<Step>> {
        Some(vec![Stmt::skip().into()])
    }

    fn leave(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        body.in_loop.then(|| vec![Stmt::Word("break".to_owned()).into()])
    }

    fn assign(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let place = self.place(body, true, |ty| !matches!(ty, Type::Struct(_)))?;
        let value = self.stored_value(body, place.ty);
        Some(vec![Stmt::Assign(place.expr, value).into()])
    }

    /// `x++`, with a guard in front where the variable has many values.
    fn count(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let strict = body.mode == Mode::DStep;
        let accept = |ty: Type| ty.wraps_soon() || (!strict && ty.is_number());
        let place = self.place(body, true, accept)?;
        let operator = *self.pick(&["++", "++", "--"]);
        let step = Step::from(Stmt::Count(place.expr.clone(), operator));
        if place.ty.wraps_soon() {
            return Some(vec![step]);
        }
        let bound = if operator == "++" {
            Expr::binary(place.expr, "<", self.number(1, 3))
        } else {
            Expr::binary(place.expr, ">", Expr::Number(0))
        };
        Some(vec![Stmt::Guard(bound).into(), step])
    }

    fn condition_step(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        Some(vec![Stmt::Guard(self.guard(body)).into()])
    }

    fn timeout(&mut self, _: &mut Body) -> Option<Vec<Step>> {
        Some(vec![Stmt::Guard(Expr::name("timeout")).into()])
    }

    fn assert(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let condition = self.condition(body, 1);
        Some(vec![Stmt::Call("assert".to_owned(), vec![condition]).into()])
    }

    fn printf(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let is_mtype = |ty| matches!(ty, Type::Mtype(_));
        if self.chance(30)
            && let Some(place) = self.place(body, false, is_mtype)
        {
            return Some(vec![Stmt::Call("printm".to_owned(), vec![place.expr]).into()]);
        }
        let value = self.value(body, 1);
        let args = vec![Expr::name("\"%d\\n\""), value];
        Some(vec![Stmt::Call("printf".to_owned(), args).into()])
    }

    fn goto(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        if !body.has_labels {
            return None;
        }
        // A jump back inside `atomic` could go round without a stored state.
        let back = body.mode == Mode::Plain && !body.labels.is_empty() && self.chance(50);
        let label = if back {
            self.pick(&body.labels).clone()
        } else {
            let label = self.fresh_label("L");
            body.pending.push(label.clone());
            label
        };
        Some(vec![Stmt::Word(format!("goto {label}")).into()])
    }

    /// Puts a label on a statement: one that is waited for, or a new one.
    fn set_label(&mut self, body: &mut Body, step: &mut Step) {
        // SPIN takes a label on a d_step for one inside it, and a label on a jump
        // may close a circle of jumps.
        let is_jump = matches!(&step.stmt, Stmt::Word(word) if word != "skip");
        let takes_label = !is_jump && !matches!(step.stmt, Stmt::Declare(_)) && !starts_with_d_step(&step.stmt);
        if !body.has_labels || body.mode == Mode::DStep || !takes_label {
            return;
        }
        let label = if !body.pending.is_empty() && self.chance(40) {
            body.pending.remove(0)
        } else if self.has(Feature::EndLabels) && self.chance(15) {
            self.fresh_label("end")
        } else if self.has(Feature::ProgressLabels) && self.chance(15) {
            self.fresh_label("progress")
        } else if (self.has(Feature::Goto) || self.has(Feature::RemoteLabels)) && self.chance(20) {
            self.fresh_label("L")
        } else {
            return;
        };
        body.labels.push(label.clone());
        step.label = Some(label);
    }

    /// A variable of the block.
    fn declare(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let ty = self.number_type();
        let initial = self.chance(70).then(|| Initial::Value(self.stored_value(body, ty)));
        let name = self.block_name(body);
        let (word, suffix) = ty.text();
        self.enter(body, &name, ty);
        Some(vec![Stmt::Declare(Declaration { ty: word, name, suffix, initial }).into()])
    }

    /// Brings a variable of a block into reach.
    pub(crate) fn enter(&mut self, body: &mut Body, name: &str, ty: Type) {
        body.taken.push(name.to_owned());
        body.scope.push(Variable::scalar(name, ty));
    }

    /// A name that is not in reach; blocks side by side share names.
    pub(crate) fn block_name(&mut self, body: &Body) -> String {
        let prefix = body.prefix;
        if prefix != "t" || self.chance(30) {
            return self.fresh(prefix);
        }
        (0..)
            .map(|number| format!("{prefix}0{number}"))
            .find(|name| !body.taken.contains(name))
            .expect("there are more numbers than variables")
    }

    fn select(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let counter = self.counter(body)?;
        let range = Expr::Name(format!("{counter} : {}", self.range(body)));
        Some(vec![Stmt::Call("select ".to_owned(), vec![range]).into()])
    }

    /// A local variable that can count and that no loop around uses.
    pub(crate) fn counter(&mut self, body: &Body) -> Option<String> {
        let names: Vec<String> = (body.scope.iter())
            .filter(|local| local.writable && local.length.is_none() && local.ty.can_count())
            .filter(|local| !body.frozen.contains(&local.name) && !local.name.starts_with('a'))
            .map(|local| local.name.clone())
            .collect();
        if names.is_empty() { None } else { Some(self.pick(&names).clone()) }
    }

    /// A new process, as long as there are few.
    fn run(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let heads: Vec<usize> = self.runnable();
        if heads.is_empty() || !body.has_labels {
            return None;
        }
        let head = *self.pick(&heads);
        let few = Expr::binary(Expr::name("_nr_pr"), "<", self.number(3, 5));
        let run = self.run_step(body, head);
        let otherwise: Sequence = vec![Stmt::Word("else".to_owned()).into()];
        Some(vec![Stmt::If(vec![vec![Stmt::Guard(few).into(), run], otherwise]).into()])
    }

    /// `run` of a process, its number perhaps stored.
    pub(crate) fn run_step(&mut self, body: &Body, head: usize) -> Step {
        let head = self.heads[head].clone();
        let args = (head.parameters.iter())
            .map(|parameter| match parameter.ty {
                Type::Channel(class) => self.channel_argument(body, class),
                // SPIN takes a variable of type mtype for a wrong argument.
                Type::Mtype(set) => Expr::name(self.mtypes[set][0].as_str()),
                ty => self.stored_value(body, ty),
            })
            .collect();
        let priority = self.has(Feature::Priority) && self.chance(50);
        let priority = priority.then(|| 1 + self.below(3) as u8);
        let run = Expr::Run(head.name, args, priority);
        match self.place(body, true, Type::can_count) {
            Some(place) if self.chance(25) => Stmt::Assign(place.expr, run).into(),
            _ => Stmt::Guard(run).into(),
        }
    }

    fn inline_call(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let strict = body.mode == Mode::DStep;
        let names: Vec<String> = (self.inlines.iter())
            .filter(|(_, is_strict)| *is_strict || !strict)
            .map(|(name, _)| name.clone())
            .collect();
        if names.is_empty() {
            return None;
        }
        // The body may receive into the variable: it must keep every value.
        let place = self.place(body, true, |ty| ty.holds(Type::Short, false))?;
        let mut value = self.plain_value(body);
        if interfere(&place.expr, &value) {
            value = self.number(0, 2);
        }
        let args = vec![place.expr, value];
        Some(vec![Stmt::Call(self.pick(&names).clone(), args).into()])
    }

    fn set_priority(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let pid = self.some_pid(body);
        let args = vec![pid, self.number(1, 3)];
        Some(vec![Stmt::Call("set_priority".to_owned(), args).into()])
    }
}

/// Adds statements; a loop and a `d_step` after it are kept apart, because SPIN
/// reads the end of the loop as a jump into the `d_step`.
pub(crate) fn append(steps: &mut Sequence, next: Vec<Step>) {
    let follows_simple = steps.last().is_none_or(|step| step.stmt.is_simple());
    if !follows_simple && starts_with_d_step(&next[0].stmt) {
        steps.push(Stmt::skip().into());
    }
    steps.extend(next);
}

fn starts_with_d_step(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Wrap(Wrapper::DStep, _) => true,
        Stmt::Wrap(_, steps) | Stmt::Unless(steps, _) => {
            steps.first().is_some_and(|step| starts_with_d_step(&step.stmt))
        }
        _ => false,
    }
}
