//! Takes a program apart as long as what is wrong with it stays.
//!
//! Every way to make a program smaller by one thing has a number. The shrinker
//! tries one number after another; an edit that keeps the fault is kept, and the
//! same number is tried again on the smaller program. It ends when a whole round
//! has changed nothing.

use super::program::{Declaration, Expr, Initial, Process, Program, Sequence, Start, Step, Stmt, Wrapper};

/// The most programs that are tried for one fault.
const MAX_TRIES: usize = 3_000;

/// The smallest program found for which `is_faulty` still holds.
pub(crate) fn shrink(mut program: Program, mut is_faulty: impl FnMut(&Program) -> bool) -> Program {
    let mut tries = 0;
    loop {
        let mut changed = false;
        let mut number = 0;
        while let Some(candidate) = edited(&program, number) {
            tries += 1;
            if tries > MAX_TRIES {
                return program;
            }
            if is_faulty(&candidate) {
                program = candidate;
                changed = true;
            } else {
                number += 1;
            }
        }
        if !changed {
            return program;
        }
    }
}

/// The program after one edit; nothing if there are not so many edits.
fn edited(program: &Program, number: usize) -> Option<Program> {
    let mut candidate = program.clone();
    let mut editor = Editor { left: number, done: false };
    editor.program(&mut candidate);
    editor.done.then_some(candidate)
}

/// Walks over a program and makes the edit whose turn it is.
struct Editor {
    /// How many edits to pass over.
    left: usize,
    /// Whether the edit has been made.
    done: bool,
}

impl Editor {
    /// Whether it is the turn of this edit.
    fn turn(&mut self) -> bool {
        if self.done {
            return false;
        }
        if self.left == 0 {
            self.done = true;
            return true;
        }
        self.left -= 1;
        false
    }

    /// Large things first: whole processes, then bodies, then what is unused.
    fn program(&mut self, program: &mut Program) {
        self.remove_each(&mut program.processes);
        for process in &mut program.processes {
            self.process(process);
        }
        self.remove_each(&mut program.inlines);
        for inline in &mut program.inlines {
            self.sequence(&mut inline.body);
        }
        self.remove_each(&mut program.globals);
        for global in &mut program.globals {
            self.declaration(global);
        }
        self.remove_each(&mut program.typedefs);
        for typedef in &mut program.typedefs {
            self.remove_each(&mut typedef.fields);
        }
        self.remove_each(&mut program.mtypes);
        self.remove_each(&mut program.macros);
    }

    fn remove_each<T>(&mut self, items: &mut Vec<T>) {
        for index in 0..items.len() {
            if self.turn() {
                items.remove(index);
                return;
            }
        }
    }

    fn process(&mut self, process: &mut Process) {
        self.sequence(&mut process.body);
        if let Start::Active(count) = &mut process.start
            && *count > 1
            && self.turn()
        {
            *count -= 1;
        }
        if process.priority.is_some() && self.turn() {
            process.priority = None;
        }
        if process.provided.is_some() && self.turn() {
            process.provided = None;
        }
        if let Some(provided) = &mut process.provided {
            self.expr(provided);
        }
        if !process.parameters.is_empty() && self.turn() {
            process.parameters.clear();
        }
    }

    fn declaration(&mut self, declaration: &mut Declaration) {
        if declaration.initial.is_some() && self.turn() {
            declaration.initial = None;
        }
        match &mut declaration.initial {
            Some(Initial::Value(value)) => self.expr(value),
            Some(Initial::Channel(capacity, _)) if *capacity > 1 && self.turn() => *capacity = 1,
            _ => {}
        }
        if declaration.ty != "byte" && declaration.ty != "chan" && declaration.suffix.is_empty() && self.turn() {
            declaration.ty = "byte".to_owned();
        }
        if declaration.ty == "unsigned" && self.turn() {
            declaration.ty = "byte".to_owned();
            declaration.suffix.clear();
        }
    }

    fn sequence(&mut self, steps: &mut Sequence) {
        let half = steps.len() / 2;
        if half > 1 && self.turn() {
            steps.drain(..half);
        }
        if half > 1 && self.turn() {
            steps.truncate(half);
        }
        self.remove_each(steps);
        for index in 0..steps.len() {
            if let Some(inner) = self.unwrapped(&steps[index]) {
                steps.splice(index..=index, inner);
                return;
            }
        }
        for step in steps {
            self.step(step);
        }
    }

    /// The parts of a compound statement that can stand in its place.
    fn unwrapped(&mut self, step: &Step) -> Option<Sequence> {
        let parts: Vec<&Sequence> = match &step.stmt {
            Stmt::Wrap(_, inner) | Stmt::For(_, inner) => vec![inner],
            Stmt::Unless(main, escape) => vec![main, escape],
            Stmt::If(options) | Stmt::Do(options) => options.iter().collect(),
            _ => vec![],
        };
        parts.into_iter().find(|_| self.turn()).cloned()
    }

    fn step(&mut self, step: &mut Step) {
        if step.label.is_some() && self.turn() {
            step.label = None;
        }
        let is_skip = matches!(&step.stmt, Stmt::Word(word) if word == "skip");
        if !is_skip && self.turn() {
            step.stmt = Stmt::skip();
        }
        self.inside(&mut step.stmt);
    }

    fn inside(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Word(_) => {}
            Stmt::Declare(declaration) => self.declaration(declaration),
            Stmt::Guard(value) => self.expr(value),
            Stmt::Count(place, _) => self.children(place),
            Stmt::Assign(place, value) => {
                self.children(place);
                self.expr(value);
            }
            Stmt::Send(channel, operator, args) => {
                if *operator == "!!" && self.turn() {
                    *operator = "!";
                }
                self.children(channel);
                self.exprs(args);
            }
            Stmt::Receive(channel, form, args) => {
                if form.0 != "?" && self.turn() {
                    *form = ("?", "");
                }
                self.children(channel);
                self.exprs(args);
            }
            Stmt::If(options) | Stmt::Do(options) => {
                if options.len() > 1 {
                    self.remove_each(options);
                }
                options.iter_mut().for_each(|option| self.sequence(option));
            }
            Stmt::Wrap(wrapper, inner) => {
                if *wrapper != Wrapper::Block && self.turn() {
                    *wrapper = Wrapper::Block;
                }
                self.sequence(inner);
            }
            Stmt::Unless(main, escape) => {
                self.sequence(main);
                self.sequence(escape);
            }
            Stmt::For(_, inner) => self.sequence(inner),
            Stmt::Call(_, args) => self.exprs(args),
        }
    }

    fn exprs(&mut self, values: &mut [Expr]) {
        values.iter_mut().for_each(|value| self.expr(value));
    }

    /// Replaces an expression by a number or by a part of it.
    fn expr(&mut self, value: &mut Expr) {
        if matches!(value, Expr::Number(0 | 1)) {
            return;
        }
        for number in [0, 1] {
            if self.turn() {
                *value = Expr::Number(number);
                return;
            }
        }
        let parts: Vec<Expr> = match value {
            Expr::Unary(_, inner) | Expr::Paren(inner) => vec![(**inner).clone()],
            Expr::Binary(_, left, right) => vec![(**left).clone(), (**right).clone()],
            Expr::Conditional(parts) => parts.to_vec(),
            Expr::Call(_, args) => args.clone(),
            _ => vec![],
        };
        if let Some(part) = parts.into_iter().find(|_| self.turn()) {
            *value = part;
            return;
        }
        self.children(value);
    }

    /// Edits the parts of an expression that itself has to stay.
    fn children(&mut self, value: &mut Expr) {
        match value {
            Expr::Number(_) | Expr::Name(_) => {}
            Expr::Index(base, index) => {
                self.children(base);
                self.expr(index);
            }
            Expr::Field(inner, _) => self.children(inner),
            Expr::Unary(_, inner) | Expr::Paren(inner) => self.expr(inner),
            Expr::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            Expr::Conditional(parts) => self.exprs(&mut **parts),
            Expr::Call(_, args) | Expr::Run(_, args, _) => self.exprs(args),
            Expr::Poll(channel, _, args) => {
                self.children(channel);
                self.exprs(args);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shrink;
    use crate::fuzz::generate::generate;
    use crate::fuzz::print::print;

    #[test]
    fn shrinking_ends_in_the_smallest_program() {
        let program = generate(7, 3, None);
        let small = shrink(program, |_| true);
        assert_eq!(print(&small), "");
    }

    #[test]
    fn shrinking_keeps_what_matters() {
        let found = (0..50).map(|index| generate(1, index, None)).find(|program| print(program).contains("unless"));
        let small = shrink(found.expect("some program has it"), |candidate| print(candidate).contains("unless"));
        assert!(print(&small).lines().count() <= 7, "{}", print(&small));
    }
}
