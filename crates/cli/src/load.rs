//! Reading a model and showing what is wrong with it.

use crate::args::{ModelArgs, ReadingArgs};
use crate::files::Files;
use crate::output::{complain, is_terminal};
use spinor_ltl::{Hoa, ParseError, read_hoa};
use spinor_model::Model;
use spinor_report::diagnostics;
use spinor_syntax::diagnostic::has_errors;
use spinor_syntax::{Define, Diagnostic, Loader, Severity, plural};
use std::fmt::Write as _;
use std::path::Path;

/// Errors beyond this are counted, not shown.
const SHOWN: usize = 40;

/// A model with formulas behind it, which its macros go for.
struct WithFormulas<'a> {
    name: String,
    text: String,
    formulas: String,
    files: &'a Files,
}

/// The names of what a model with formulas is made of; those of files do not begin so.
const MODEL: &str = "--model";
const FORMULAS: &str = "--ltl";

impl Loader for WithFormulas<'_> {
    fn load(&self, path: &str, from: &str) -> Result<(String, String), String> {
        match path {
            MODEL => Ok((self.text.clone(), self.name.clone())),
            FORMULAS => Ok((self.formulas.clone(), FORMULAS.into())),
            _ => self.files.load(path, from),
        }
    }
}

/// The model, or nothing after its errors were shown.
pub(crate) fn load(args: &ModelArgs) -> Option<Model> {
    load_with(&args.model, &args.reading, &Formulas::default(), &Files::default())
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
    fn blocks(&self, files: &Files) -> Result<String, String> {
        let mut out = String::new();
        for (index, text) in self.texts.iter().enumerate() {
            let number = if index == 0 { String::new() } else { (index + 1).to_string() };
            let _ = writeln!(out, "ltl formula{number} {{ {text} }}");
        }
        if let Some(file) = self.file {
            let text = files.read(file)?;
            let is_block = text.split_whitespace().any(|word| word == "ltl");
            out.push_str(&if is_block { text } else { format!("ltl formula_file {{ {text} }}\n") });
        }
        if let Some(file) = self.claim {
            out.push_str(&claim(file, files)?);
        }
        Ok(out)
    }
}

/// A never claim; an automaton is written as one.
fn claim(file: &Path, files: &Files) -> Result<String, String> {
    let text = files.read(file)?;
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
pub(crate) fn load_with(path: &Path, args: &ReadingArgs, formulas: &Formulas<'_>, files: &Files) -> Option<Model> {
    let (text, formulas) = match files.read(path).and_then(|text| Ok((text, formulas.blocks(files)?))) {
        Ok(texts) => texts,
        Err(error) => {
            complain(&format!("error: {error}"));
            return None;
        }
    };
    let name = path.to_string_lossy().into_owned();
    let (model, diagnostics) = if formulas.is_empty() {
        spinor_model::compile(&name, &text, &defines(args), files)
    } else {
        let all = format!("#include \"{MODEL}\"\n#include \"{FORMULAS}\"\n");
        let loader = WithFormulas { name: name.clone(), text, formulas, files };
        let (model, diagnostics) = spinor_model::compile("--", &all, &defines(args), &loader);
        (Model { name, ..model }, diagnostics)
    };
    show(&model, &diagnostics, args.no_warnings);
    (!has_errors(&diagnostics)).then_some(model)
}

fn defines(args: &ReadingArgs) -> Vec<Define> {
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
