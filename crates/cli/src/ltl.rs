//! `spinor ltl`.

use crate::Exit;
use crate::args::{AcceptanceArg, LtlArgs};
use crate::output::{complain, is_terminal, printed};
use serde_json::{Value, json};
use spinor_ltl::{Acceptance, Atom, Automaton, Limits, ParseError, Parsed, Stutter, TooLarge, parse, translate};
use spinor_report::diagnostics;
use spinor_syntax::{Diagnostic, Place, SourceMap, Span};

pub(crate) fn run(args: &LtlArgs) -> Exit {
    match text(args) {
        Ok(text) => printed(&text, Exit::Holds),
        Err(errors) => {
            show(&args.formula, &errors);
            Exit::Usage
        }
    }
}

/// What is printed, or what is wrong with the formula.
fn text(args: &LtlArgs) -> Result<String, Vec<ParseError>> {
    let Parsed { mut formula, atoms } = parse(&args.formula)?;
    let whole = 0..args.formula.len();
    let too_large = |error: TooLarge| {
        let hint = Some("split it into several formulas".to_string());
        vec![ParseError { span: whole.clone(), message: error.to_string(), hint }]
    };
    if args.negate {
        formula = formula.not();
    }
    let automaton = translate(&formula, Limits::default()).map_err(too_large)?;
    let title = if args.negate { format!("!({})", args.formula) } else { args.formula.clone() };
    let name = |atom: Atom| atoms[atom.0 as usize].clone();
    if args.json {
        let stutter = formula.stutter(Limits::default()).unwrap_or(Stutter::Unknown);
        let facts = facts(&title, &atoms, &automaton, stutter).map_err(too_large)?;
        return Ok(format!("{facts:#}\n"));
    }
    if !args.dot && !args.hoa {
        return automaton.never_claim(&title, &name).map_err(too_large);
    }
    let automaton = match args.acceptance {
        AcceptanceArg::State => automaton.to_buchi(Acceptance::State).map_err(too_large)?,
        AcceptanceArg::Transition => automaton.to_buchi(Acceptance::Transition).map_err(too_large)?,
        AcceptanceArg::Generalised => automaton,
    };
    Ok(if args.dot { automaton.dot(&title, &name) } else { automaton.hoa(&title, &name) })
}

fn facts(title: &str, atoms: &[String], automaton: &Automaton, stutter: Stutter) -> Result<Value, TooLarge> {
    let size = |automaton: &Automaton| {
        json!({
            "states": automaton.states.len(),
            "edges": automaton.edges(),
            "marks": automaton.marks,
            "deterministic": automaton.is_deterministic(),
        })
    };
    Ok(json!({
        "formula": title,
        "atoms": atoms,
        "strength": automaton.strength().text(),
        "stutter": stutter.text(),
        "generalised": size(automaton),
        "transition": size(&automaton.to_buchi(Acceptance::Transition)?),
        "state": size(&automaton.to_buchi(Acceptance::State)?),
    }))
}

/// Shows errors with their places in the formula.
fn show(formula: &str, errors: &[ParseError]) {
    let mut sources = SourceMap::default();
    let file = sources.add("formula", formula);
    for error in errors {
        let span = Span { file, start: error.span.start as u32, end: error.span.end as u32 };
        let mut diagnostic = Diagnostic::error(Place::plain(span), error.message.as_str());
        diagnostic.hint.clone_from(&error.hint);
        complain(&diagnostics::render(&sources, &diagnostic, is_terminal()));
    }
}
