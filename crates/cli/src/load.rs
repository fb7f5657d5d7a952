//! Reading a model and showing what is wrong with it.

use crate::args::ModelArgs;
use crate::output::{complain, is_terminal};
use spinor_ltl::{Hoa, ParseError, read_hoa};
use spinor_model::Model;
use spinor_report::diagnostics;
use spinor_syntax::diagnostic::has_errors;
use spinor_syntax::source::sibling;
use spinor_syntax::{Define, Diagnostic, Loader, Severity, plural};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Errors beyond this are counted, not shown.
const SHOWN: usize = 40;

/// Reads files from the disk.
struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str, from: &str) -> Result<(String, String), String> {
        let beside = sibling(path, from);
        let found = if beside.exists() { beside } else { Path::new(path).to_path_buf() };
        let text = read(&found)?;
        Ok((text, found.to_string_lossy().into_owned()))
    }
}

fn read(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| format!("cannot read '{}': {error}", path.display()))?;
    // Old models have comments in all sorts of encodings.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A model with formulas behind it, which its macros go for.
struct WithFormulas {
    name: String,
    text: String,
    formulas: String,
}

/// The names of what a model with formulas is made of; those of files do not begin so.
const MODEL: &str = "--model";
const FORMULAS: &str = "--ltl";

impl Loader for WithFormulas {
    fn load(&self, path: &str, from: &str) -> Result<(String, String), String> {
        match path {
            MODEL => Ok((self.text.clone(), self.name.clone())),
            FORMULAS => Ok((self.formulas.clone(), FORMULAS.into())),
            _ => Disk.load(path, from),
        }
    }
}

/// The model, or nothing after its errors were shown.
pub(crate) fn load(args: &ModelArgs) -> Option<Model> {
    load_with(args, &Formulas::default())
}

/// Formulas besides those of the model.
#[derive(Debug, Default)]
pub(crate) struct Formulas<'a> {
    /// As they were typed.
    pub(crate) texts: &'a [String],
    /// In a file.
    pub(crate) file: Option<&'a Path>,
    /// A never claim or an automaton in a file.
    pub(crate) claim: Option<&'a Path>,
}

impl Formulas<'_> {
    /// As `ltl` blocks.
    fn blocks(&self) -> Result<String, String> {
        let mut out = String::new();
        for (index, text) in self.texts.iter().enumerate() {
            let number = if index == 0 { String::new() } else { (index + 1).to_string() };
            let _ = writeln!(out, "ltl formula{number} {{ {text} }}");
        }
        if let Some(file) = self.file {
            let text = read(file)?;
            let is_block = text.split_whitespace().any(|word| word == "ltl");
            out.push_str(&if is_block { text } else { format!("ltl formula_file {{ {text} }}\n") });
        }
        if let Some(file) = self.claim {
            out.push_str(&claim(file)?);
        }
        Ok(out)
    }
}

/// A never claim; an automaton is written as one.
fn claim(file: &Path) -> Result<String, String> {
    let text = read(file)?;
    if !text.trim_start().starts_with("HOA:") {
        return Ok(text);
    }
    let located = |error: ParseError| {
        let line = text[..error.span.start.min(text.len())].lines().count().max(1);
        format!("{}:{line}: {}", file.display(), error.message)
    };
    let Hoa { automaton, atoms, .. } = read_hoa(&text).map_err(located)?;
    Ok(automaton.never_claim("automaton", &|atom| format!("({})", atoms[usize::from(atom.0)])))
}

/// The same with formulas besides those of the model.
pub(crate) fn load_with(args: &ModelArgs, formulas: &Formulas<'_>) -> Option<Model> {
    let (text, formulas) = match read(&args.model).and_then(|text| Ok((text, formulas.blocks()?))) {
        Ok(texts) => texts,
        Err(error) => {
            complain(&format!("error: {error}"));
            return None;
        }
    };
    let name = args.model.to_string_lossy().into_owned();
    let (model, diagnostics) = if formulas.is_empty() {
        spinor_model::compile(&name, &text, &defines(args), &Disk)
    } else {
        let all = format!("#include \"{MODEL}\"\n#include \"{FORMULAS}\"\n");
        let loader = WithFormulas { name: name.clone(), text, formulas };
        let (model, diagnostics) = spinor_model::compile("--", &all, &defines(args), &loader);
        (Model { name, ..model }, diagnostics)
    };
    show(&model, &diagnostics, args.no_warnings);
    (!has_errors(&diagnostics)).then_some(model)
}

fn defines(args: &ModelArgs) -> Vec<Define> {
    let define = |text: &String| {
        let (name, value) = text.split_once('=').unwrap_or((text, "1"));
        Define::Define { name: name.into(), value: value.into() }
    };
    let undefine = |name: &String| Define::Undef(name.clone());
    args.define.iter().map(define).chain(args.undefine.iter().map(undefine)).collect()
}

fn show(model: &Model, diagnostics: &[Diagnostic], no_warnings: bool) {
    let colour = is_terminal();
    let errors = diagnostics.iter().filter(|it| it.severity == Severity::Error).count();
    let wanted = |it: &&Diagnostic| it.severity == Severity::Error || !no_warnings;
    for diagnostic in diagnostics.iter().filter(wanted).take(SHOWN) {
        complain(&diagnostics::render(&model.sources, diagnostic, colour));
    }
    let shown = diagnostics.iter().filter(wanted).count();
    if shown > SHOWN {
        complain(&format!("... and {} more", shown - SHOWN));
    }
    if errors > 0 {
        complain(&format!("{}: {}, not checked", model.name, plural(errors, "error")));
    }
}
