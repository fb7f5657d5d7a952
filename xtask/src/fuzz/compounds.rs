//! Random statements with inner sequences.

use super::features::Feature;
use super::generate::Generator;
use super::print::expr;
use super::program::{Declaration, Expr, Sequence, Step, Stmt, Wrapper};
use super::scope::{Body, Mode, Type};
use super::statements::append;

/// How deep statements nest.
const MAX_DEPTH: usize = 3;

impl Generator {
    /// Writes an inner part in another mode, one level deeper.
    fn inner<R>(&mut self, body: &mut Body, mode: Mode, write: impl FnOnce(&mut Self, &mut Body) -> R) -> Option<R> {
        if body.depth >= MAX_DEPTH {
            return None;
        }
        let outer = body.mode;
        body.mode = mode;
        body.depth += 1;
        let result = write(self, body);
        body.depth -= 1;
        body.mode = outer;
        Some(result)
    }

    /// `if`
    pub(crate) fn choice(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let mode = body.mode;
        let options = self.inner(body, mode, |this, body| {
            let count = 1 + this.below(3);
            let mut options: Vec<Sequence> = (0..count).map(|_| this.option(body)).collect();
            this.add_else(body, &mut options);
            options
        })?;
        Some(vec![Stmt::If(options).into()])
    }

    /// An option: a first statement and a few after it.
    fn option(&mut self, body: &mut Body) -> Sequence {
        let visible = body.scope.len();
        let mut steps = self.first_step(body);
        let count = self.below(3);
        if count > 0 && body.budget > 0 {
            let rest = self.statements(body, count, true);
            append(&mut steps, rest);
        }
        body.scope.truncate(visible);
        // SPIN refuses a loop that does nothing.
        if steps.len() == 1 && is_idle(&steps[0].stmt) {
            steps.extend(self.statements(body, 1, true));
        }
        steps
    }

    fn first_step(&mut self, body: &mut Body) -> Vec<Step> {
        if body.mode == Mode::DStep {
            return vec![Stmt::Guard(self.condition(body, 1)).into()];
        }
        if self.features.has_channels() && self.chance(30) {
            let operation = if self.chance(60) { self.receive(body) } else { self.send(body) };
            if let Some(steps) = operation {
                return steps;
            }
        }
        if self.has(Feature::NestedIf)
            && self.chance(25)
            && let Some(steps) = self.choice(body)
        {
            return steps;
        }
        if self.chance(65) {
            return vec![Stmt::Guard(self.guard(body)).into()];
        }
        let mut steps = self.statement(body);
        if matches!(steps[0].stmt, Stmt::Declare(_)) {
            steps.push(Stmt::skip().into());
        }
        steps
    }

    /// Adds `else`: always where nothing may block, seldom beside channels.
    fn add_else(&mut self, body: &mut Body, options: &mut Vec<Sequence>) {
        keep_one_else(options);
        if options.iter().any(|option| begins_with_else(&option[0].stmt)) {
            return;
        }
        let has_channels = options.iter().any(|option| uses_channels(&option[0].stmt));
        let wanted =
            body.mode == Mode::DStep || (self.chance(45) && (!has_channels || self.has(Feature::ElseWithChannels)));
        if wanted {
            let mut option: Sequence = vec![Stmt::Word("else".to_owned()).into()];
            if self.chance(60) {
                option.extend(self.statements(body, 1, true));
            }
            options.push(option);
        }
    }

    /// `do`, mostly with a way out.
    pub(crate) fn endless(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let was_in_loop = body.in_loop;
        let options = self.inner(body, Mode::Plain, |this, body| {
            body.in_loop = true;
            let count = 1 + this.below(3);
            let mut options: Vec<Sequence> = (0..count).map(|_| this.option(body)).collect();
            if this.chance(85) {
                let way_out = this.below(4);
                this.add_break(body, &mut options, way_out);
            }
            options
        });
        body.in_loop = was_in_loop;
        Some(vec![Stmt::Do(options?).into()])
    }

    fn add_break(&mut self, body: &mut Body, options: &mut Vec<Sequence>, way: usize) {
        let leave = Step::from(Stmt::Word("break".to_owned()));
        keep_one_else(options);
        let excludes_else = |option: &Sequence| uses_channels(&option[0].stmt) || begins_with_else(&option[0].stmt);
        let can_have_else = !options.iter().any(excludes_else);
        match way {
            0 if can_have_else => {
                options.push(vec![Stmt::Word("else".to_owned()).into(), leave]);
            }
            1 => {
                let last = options.last_mut().expect("there is an option");
                let can_follow = !matches!(&last[last.len() - 1].stmt, Stmt::Word(w) if w != "skip");
                if can_follow {
                    last.push(leave);
                }
            }
            2 => options.push(vec![leave]),
            _ => options.push(vec![Stmt::Guard(self.guard(body)).into(), leave]),
        }
    }

    /// `i = 0; do :: i < 2 -> ...; i++ :: else -> break od`
    pub(crate) fn counted(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let name = self.counter(body)?;
        let mode = body.mode;
        let mut option = self.with_frozen(body, &name, |this, body| {
            this.inner(body, mode, |this, body| this.statements(body, 2, true))
        })?;
        let counter = Expr::name(name.as_str());
        let bound = Expr::binary(counter.clone(), "<", self.number(1, 3));
        option.insert(0, Stmt::Guard(bound).into());
        option.insert(1, Stmt::Count(counter.clone(), "++").into());
        let leave: Sequence = ["else", "break"].map(|w| Stmt::Word(w.to_owned()).into()).into();
        Some(vec![Stmt::Assign(counter, Expr::Number(0)).into(), Stmt::Do(vec![option, leave]).into()])
    }

    /// `for` over numbers or over an array; it has its own variable or takes one.
    pub(crate) fn for_loop(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        if body.depth >= MAX_DEPTH {
            return None;
        }
        let mut steps = Vec::new();
        let name = match self.counter(body) {
            Some(name) => name,
            None => {
                let name = self.block_name(body);
                self.enter(body, &name, Type::Byte);
                let (ty, suffix) = Type::Byte.text();
                let decl = Declaration { ty, name: name.clone(), suffix, initial: None };
                steps.push(Stmt::Declare(decl).into());
                name
            }
        };
        let head = self.for_head(body, &name);
        let mode = body.mode;
        let inner =
            self.with_frozen(body, &name, |this, body| this.inner(body, mode, |this, body| this.sequence(body, 2)))?;
        steps.push(Stmt::For(head, inner).into());
        Some(steps)
    }

    fn for_head(&mut self, body: &Body, name: &str) -> String {
        let arrays: Vec<String> = (body.scope.iter().chain(&self.globals))
            .filter(|variable| variable.length.is_some() && variable.ty.is_number())
            .map(|variable| variable.name.clone())
            .collect();
        if !arrays.is_empty() && self.chance(30) {
            return format!("{name} in {}", self.pick(&arrays));
        }
        format!("{name} : {}", self.range(body))
    }

    /// The bounds of a `for` or `select`. SPIN refuses constants that are the
    /// wrong way round, but not variables.
    pub(crate) fn range(&mut self, body: &Body) -> String {
        let low = self.bound(body, 0);
        let high = self.bound(body, 1);
        format!("{} .. {}", expr(&low), expr(&high))
    }

    fn bound(&mut self, body: &Body, least: i64) -> Expr {
        match self.place(body, false, Type::is_natural) {
            Some(place) if self.chance(25) => Expr::Paren(Box::new(Expr::binary(place.expr, "%", Expr::Number(2)))),
            _ => self.number(least, least + 1),
        }
    }

    fn with_frozen<R>(&mut self, body: &mut Body, name: &str, write: impl FnOnce(&mut Self, &mut Body) -> R) -> R {
        body.frozen.push(name.to_owned());
        let result = write(self, body);
        body.frozen.pop();
        result
    }

    /// `atomic`
    pub(crate) fn atomic(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let steps = self.inner(body, Mode::Atomic, |this, body| this.sequence(body, 3))?;
        Some(vec![Stmt::Wrap(Wrapper::Atomic, steps).into()])
    }

    /// `d_step`: it ends in a simple statement, because SPIN reads the end of a
    /// loop at the end of a `d_step` as a jump out of it.
    pub(crate) fn d_step(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let steps = self.inner(body, Mode::DStep, |this, body| {
            let mut steps = Sequence::new();
            if this.has(Feature::Buffered) && this.chance(35) {
                steps.extend(this.guarded_operation(body).unwrap_or_default());
            } else if this.chance(20) {
                steps.push(Stmt::Guard(this.guard(body)).into());
            }
            steps.extend(this.sequence(body, 3));
            // SPIN lets a `d_step` that begins with a print or an assertion take the offer of
            // a rendezvous, whatever it is.
            if this.has(Feature::Rendezvous) && !matches!(steps[0].stmt, Stmt::Guard(_) | Stmt::Assign(..)) {
                steps.insert(0, Stmt::skip().into());
            }
            if !steps.last().is_some_and(|step| step.stmt.is_simple()) {
                steps.push(Stmt::skip().into());
            }
            steps
        })?;
        Some(vec![Stmt::Wrap(Wrapper::DStep, steps).into()])
    }

    /// A block with a scope of its own.
    pub(crate) fn block(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let mode = body.mode;
        let steps = self.inner(body, mode, |this, body| this.sequence(body, 3))?;
        Some(vec![Stmt::Wrap(Wrapper::Block, steps).into()])
    }

    /// `unless`, its escape mostly with a guard.
    pub(crate) fn unless(&mut self, body: &mut Body) -> Option<Vec<Step>> {
        let mode = body.mode;
        let (main, escape) = self.inner(body, mode, |this, body| {
            let main = this.sequence(body, 3);
            let mut escape = this.option(body);
            // After an offer that nobody takes SPIN forgets that another option of
            // the escape was executable, and goes on with the main sequence.
            let offers = this.has(Feature::Rendezvous) && !matches!(escape[0].stmt, Stmt::Guard(_));
            if offers || begins_with_else(&escape[0].stmt) {
                escape.insert(0, Stmt::Guard(this.guard(body)).into());
            }
            (main, escape)
        })?;
        Some(vec![Stmt::Unless(main, escape).into()])
    }
}

/// Whether a statement alone in a loop does nothing.
fn is_idle(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Word(word) => word == "skip",
        Stmt::Guard(guard) => matches!(guard, Expr::Number(_)),
        _ => false,
    }
}

/// Whether a first statement has an `else` among its own first statements. Of an
/// inline nothing is known.
fn begins_with_else(stmt: &Stmt) -> bool {
    let first = |steps: &Sequence| steps.first().is_some_and(|step| begins_with_else(&step.stmt));
    match stmt {
        Stmt::Word(word) => word == "else",
        Stmt::If(options) | Stmt::Do(options) => options.iter().any(first),
        Stmt::Wrap(_, steps) => first(steps),
        Stmt::Unless(main, escape) => first(main) || first(escape),
        Stmt::Call(name, _) => name.starts_with("step"),
        _ => false,
    }
}

/// Of the options that begin with an `else`, inside or not, leaves the first:
/// SPIN has one `else` at a point of the program.
fn keep_one_else(options: &mut Vec<Sequence>) {
    let mut seen = false;
    options.retain(|option| {
        let has_else = begins_with_else(&option[0].stmt);
        let keep = !(seen && has_else);
        seen |= has_else;
        keep
    });
}

/// Whether a first statement is, or begins with, a channel operation.
fn uses_channels(stmt: &Stmt) -> bool {
    let first = |steps: &Sequence| steps.first().is_some_and(|step| uses_channels(&step.stmt));
    match stmt {
        Stmt::Send(..) | Stmt::Receive(..) => true,
        Stmt::Guard(guard) => asks_channels(guard),
        Stmt::If(options) | Stmt::Do(options) => options.iter().any(first),
        Stmt::Wrap(_, steps) | Stmt::For(_, steps) => first(steps),
        Stmt::Unless(main, escape) => first(main) || first(escape),
        _ => false,
    }
}

/// Whether a condition has anything to do with channels.
fn asks_channels(value: &Expr) -> bool {
    match value {
        Expr::Poll(..) => true,
        Expr::Call(name, args) => {
            ["len", "empty", "nempty", "full", "nfull"].contains(&name.as_str()) || args.iter().any(asks_channels)
        }
        Expr::Unary(_, inner) | Expr::Paren(inner) => asks_channels(inner),
        Expr::Binary(_, left, right) => asks_channels(left) || asks_channels(right),
        Expr::Conditional(parts) => parts.iter().any(asks_channels),
        _ => false,
    }
}
