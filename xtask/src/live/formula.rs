//! Random formulas over the variables of a program.

use rand::Rng as _;
use rand::rngs::SmallRng;
use spinor_model::{Model, Proctype, Role, Scalar, Type};

/// Some propositions, as text.
pub(super) fn propositions(model: &Model, rng: &mut SmallRng) -> Vec<String> {
    (0..rng.random_range(1..4)).map(|_| proposition(model, rng)).collect()
}

/// A formula, as text.
pub(super) fn random(model: &Model, atoms: &[String], rng: &mut SmallRng) -> String {
    let operators = rng.random_range(1..6);
    // Fairness is about what comes again and again.
    let atom = &atoms[0];
    match rng.random_range(0..5) {
        0 => format!("([] <> ({atom}))"),
        1 => format!("(<> ({atom}))"),
        2 if model.globals.iter().any(|it| *it.name == *"g") => guarded(atoms, operators, rng),
        _ => formula(atoms, operators, rng),
    }
}

/// One that asks for a quotient where the divisor is not zero, or elsewhere.
fn guarded(atoms: &[String], operators: u32, rng: &mut SmallRng) -> String {
    let variable = ["g", "h"][rng.random_range(0..2)];
    let (guard, quotient) = (format!("({variable} != 0)"), format!("(2 / {variable} > 1)"));
    let rest = formula(atoms, operators, rng);
    match rng.random_range(0..5) {
        0 => format!("([] ({guard} -> ({quotient} || {rest})))"),
        1 => format!("([] (!{guard} || ({quotient} && {rest})))"),
        2 => format!("(<> ({guard} && {rest} && {quotient}))"),
        3 => format!("([] ({guard} -> ({rest} U {quotient})))"),
        _ => format!("([] ({guard} && {quotient} -> (X {rest})))"),
    }
}

fn formula(atoms: &[String], operators: u32, rng: &mut SmallRng) -> String {
    if operators == 0 {
        return format!("({})", atoms[rng.random_range(0..atoms.len())]);
    }
    let choice = rng.random_range(0..14);
    if choice < 7 {
        let operand = formula(atoms, operators - 1, rng);
        let operator = ["!", "[]", "[]", "<>", "<>", "[] <>", "X"][choice];
        return format!("({operator} {operand})");
    }
    let left = rng.random_range(0..operators);
    let (left, right) = (formula(atoms, left, rng), formula(atoms, operators - 1 - left, rng));
    let operator = ["&&", "||", "->", "<->", "U", "W", "V"][choice - 7];
    format!("({left} {operator} {right})")
}

/// Something that a state tells.
fn proposition(model: &Model, rng: &mut SmallRng) -> String {
    let mut known: Vec<String> = Vec::new();
    for variable in &model.globals {
        let name = &variable.name;
        match (&variable.ty, variable.length) {
            (Type::Scalar(Scalar::Chan), None) => known.push(format!("len({name}) > 0")),
            (Type::Scalar(Scalar::Chan), Some(_)) | (Type::Struct(_), _) => {}
            (Type::Scalar(_), None) => {
                known.push(format!("{name} == {}", rng.random_range(0..4)));
                known.push(format!("{name} < {}", rng.random_range(0..4)));
            }
            (Type::Scalar(_), Some(length)) => known.push(format!("{name}[{}] > 0", rng.random_range(0..length))),
        }
    }
    // At fault where it is 0.
    let divisors = model.globals.iter().filter(|it| matches!(&*it.name, "g" | "h"));
    known.extend(divisors.filter(|_| rng.random_ratio(1, 4)).map(|it| format!("2 / {} > 1", it.name)));
    known.push(format!("_nr_pr > {}", rng.random_range(0..3)));
    known.push("np_".into());
    let process = model.proctypes.iter().find(|it| it.role == Role::Process);
    let at = |it: &Proctype, label: &str| format!("{}@{label}", it.name);
    let labels = process.iter().flat_map(|it| it.locations.iter().flat_map(|location| &location.labels));
    known.extend(labels.zip(process.iter().cycle()).map(|(label, it)| at(it, label)));
    known.swap_remove(rng.random_range(0..known.len()))
}
