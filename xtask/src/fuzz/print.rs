//! Writes a program as text.

use std::fmt::Write;

use super::program::{
    Declaration, Expr, Initial, Inline, Mtype, Process, Program, Sequence, Start, Step, Stmt, Typedef, Wrapper,
};

/// The text of a program.
pub(crate) fn print(program: &Program) -> String {
    let mut out = String::new();
    for (head, body) in &program.macros {
        line(&mut out, &format!("#define {head} {}", expr(body)));
    }
    for mtype in &program.mtypes {
        line(&mut out, &print_mtype(mtype));
    }
    for typedef in &program.typedefs {
        line(&mut out, &print_typedef(typedef));
    }
    for global in &program.globals {
        line(&mut out, &format!("{};", declaration(global)));
    }
    for inline in &program.inlines {
        print_inline(&mut out, inline);
    }
    for process in &program.processes {
        print_process(&mut out, process);
    }
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn print_mtype(mtype: &Mtype) -> String {
    let name = mtype.name.as_ref().map_or(String::new(), |name| format!(":{name}"));
    format!("mtype{name} = {{ {} }};", mtype.members.join(", "))
}

fn print_typedef(typedef: &Typedef) -> String {
    let fields: Vec<String> = typedef.fields.iter().map(declaration).collect();
    format!("typedef {} {{ {} }};", typedef.name, fields.join("; "))
}

fn declaration(decl: &Declaration) -> String {
    let initial = match &decl.initial {
        None => String::new(),
        Some(Initial::Value(value)) => format!(" = {}", expr(value)),
        Some(Initial::List(values)) => format!(" = {{ {} }}", list(values)),
        Some(Initial::Channel(capacity, types)) => {
            format!(" = [{capacity}] of {{ {} }}", types.join(", "))
        }
    };
    format!("{} {}{}{initial}", decl.ty, decl.name, decl.suffix)
}

fn print_inline(out: &mut String, inline: &Inline) {
    line(out, &format!("inline {}({}) {{", inline.name, inline.parameters.join(", ")));
    sequence(out, &inline.body, 1);
    line(out, "}");
}

fn print_process(out: &mut String, process: &Process) {
    let parameters: Vec<String> = process.parameters.iter().map(declaration).collect();
    let mut head = match process.start {
        Start::Init => "init".to_owned(),
        Start::Active(1) => format!("active proctype {}({})", process.name, parameters.join("; ")),
        Start::Active(n) => {
            format!("active [{n}] proctype {}({})", process.name, parameters.join("; "))
        }
        Start::Run => format!("proctype {}({})", process.name, parameters.join("; ")),
    };
    if let Some(priority) = process.priority {
        write!(head, " priority {priority}").expect("a string takes all text");
    }
    if let Some(provided) = &process.provided {
        write!(head, " provided ({})", expr(provided)).expect("a string takes all text");
    }
    line(out, &format!("{head} {{"));
    sequence(out, &process.body, 1);
    line(out, "}");
}

/// A sequence, one statement to a line, separated by semicolons.
fn sequence(out: &mut String, steps: &[Step], depth: usize) {
    if steps.is_empty() {
        line(out, &format!("{}skip", indent(depth)));
    }
    for (index, step) in steps.iter().enumerate() {
        out.push_str(&indent(depth));
        print_step(out, step, depth);
        out.push_str(if index + 1 < steps.len() { ";\n" } else { "\n" });
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

/// A statement without the line break after it; its first line is indented.
fn print_step(out: &mut String, step: &Step, depth: usize) {
    if let Some(label) = &step.label {
        out.push_str(&format!("{label}: "));
    }
    match &step.stmt {
        Stmt::Declare(decl) => out.push_str(&declaration(decl)),
        Stmt::Word(word) => out.push_str(word),
        Stmt::Guard(value) => out.push_str(&expr(value)),
        Stmt::Assign(place, value) => out.push_str(&format!("{} = {}", expr(place), expr(value))),
        Stmt::Count(place, operator) => out.push_str(&format!("{}{operator}", expr(place))),
        Stmt::Send(channel, operator, args) => {
            out.push_str(&format!("{}{operator}{}", expr(channel), message(args)));
        }
        Stmt::Receive(channel, (open, close), args) => {
            out.push_str(&format!("{}{open}{}{close}", expr(channel), message(args)));
        }
        Stmt::Call(name, args) => out.push_str(&call(name, args)),
        Stmt::If(options) => print_options(out, ("if", "fi"), options, depth),
        Stmt::Do(options) => print_options(out, ("do", "od"), options, depth),
        Stmt::Wrap(wrapper, steps) => {
            out.push_str(match wrapper {
                Wrapper::Atomic => "atomic ",
                Wrapper::DStep => "d_step ",
                Wrapper::Block => "",
            });
            braces(out, steps, depth);
        }
        Stmt::Unless(main, escape) => {
            braces(out, main, depth);
            out.push_str(" unless ");
            braces(out, escape, depth);
        }
        Stmt::For(head, steps) => {
            out.push_str(&format!("for ({head}) "));
            braces(out, steps, depth);
        }
    }
}

fn braces(out: &mut String, steps: &[Step], depth: usize) {
    line(out, "{");
    sequence(out, steps, depth + 1);
    out.push_str(&format!("{}}}", indent(depth)));
}

fn print_options(out: &mut String, (open, close): (&str, &str), options: &[Sequence], depth: usize) {
    line(out, open);
    for option in options {
        out.push_str(&format!("{}:: ", indent(depth)));
        match option.split_first() {
            None => line(out, "skip"),
            Some((guard, rest)) => {
                print_step(out, guard, depth + 1);
                line(out, if rest.is_empty() { "" } else { " ->" });
                if !rest.is_empty() {
                    sequence(out, rest, depth + 2);
                }
            }
        }
    }
    out.push_str(&format!("{}{close}", indent(depth)));
}

fn call(name: &str, args: &[Expr]) -> String {
    format!("{name}({})", list(args))
}

/// A message; one that begins with a symbolic name is written like a call.
fn message(args: &[Expr]) -> String {
    match args {
        [Expr::Name(name), rest @ ..] if name.starts_with('m') && !rest.is_empty() => {
            format!("{name}({})", list(rest))
        }
        _ => list(args),
    }
}

fn list(values: &[Expr]) -> String {
    values.iter().map(expr).collect::<Vec<_>>().join(", ")
}

/// The text of an expression.
pub(crate) fn expr(value: &Expr) -> String {
    match value {
        Expr::Number(number) => number.to_string(),
        Expr::Name(name) => name.clone(),
        Expr::Index(base, index) => format!("{}[{}]", expr(base), expr(index)),
        Expr::Field(base, field) => format!("{}.{field}", expr(base)),
        Expr::Unary(operator, inner) => format!("{operator}{}", expr(inner)),
        Expr::Binary(operator, left, right) => {
            format!("{} {operator} {}", expr(left), expr(right))
        }
        Expr::Paren(inner) => format!("({})", expr(inner)),
        Expr::Conditional(parts) => {
            let [condition, then, otherwise] = &**parts;
            format!("({} -> {} : {})", expr(condition), expr(then), expr(otherwise))
        }
        Expr::Call(name, args) => call(name, args),
        Expr::Run(name, args, None) => format!("run {}", call(name, args)),
        Expr::Run(name, args, Some(priority)) => {
            format!("run {} priority {priority}", call(name, args))
        }
        Expr::Poll(channel, operator, args) => {
            format!("{}{operator}[{}]", expr(channel), list(args))
        }
    }
}
