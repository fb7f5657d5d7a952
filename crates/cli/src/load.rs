//! Reading a model and showing what is wrong with it.

use crate::args::{ModelArgs, ReadingArgs};
use crate::files::Files;
use crate::output::{complain, is_terminal};
use spinor_ltl::{Hoa, ParseError, read_hoa};
use spinor_model::Model;
use spinor_report::diagnostics;
use spinor_syntax::diagnostic::has_errors;
use spinor_syntax::token::TokenKind;
use spinor_syntax::{Define, Diagnostic, Loader, Place, Severity, SourceMap, plural};
use std::fmt::Write as _;
use std::path::Path;

/// Errors beyond this are counted, not shown.
const SHOWN: usize = 40;

/// The names of what a model with formulas is made of; those of files do not begin so.
const MODEL: &str = "--model";
const FORMULAS: &str = spinor_report::trail::ADDED;
const FORMULA_FILE: &str = "--ltl-file";
const CLAIM: &str = "--claim";
const AUTOMATON: &str = "--claim, an automaton";

/// A text to be read together with others, and the name beside which its includes are looked up.
struct Part {
    /// What `#include` calls it.
    mark: &'static str,
    name: String,
    text: String,
}

/// A model with formulas behind it, for which its macros go.
struct WithFormulas<'a> {
    parts: Vec<Part>,
    files: &'a Files,
}

impl Loader for WithFormulas<'_> {
    fn load(&self, path: &str, from: &str) -> Result<(String, String), String> {
        match self.parts.iter().find(|part| part.mark == path) {
            Some(part) => Ok((part.text.clone(), part.name.clone())),
            None => self.files.load(path, from),
        }
    }
}

/// The model, or nothing after its errors were shown.
pub(crate) fn load(args: &ModelArgs) -> Option<Model> {
    load_with(&args.model, &args.reading, &Formulas::default(), &Files::default())
}

/// Whether something came with an option, behind the model itself.
pub(crate) fn is_added(model: &Model, place: Place) -> bool {
    let file = place.at.file.0 as usize;
    // What is put around a formula stands in the first file.
    model.sources.files().position(|it| it.name == FORMULAS).is_some_and(|first| file == 0 || file >= first)
}

/// Whether a claim was an automaton in the HOA format: its acceptance is its own.
pub(crate) fn is_automaton(model: &Model, claim: Place) -> bool {
    model.sources.files().nth(claim.at.file.0 as usize).is_some_and(|it| it.name == AUTOMATON)
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
    fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.file.is_none() && self.claim.is_none()
    }

    /// Those that were typed, as `ltl` blocks.
    fn typed(&self) -> String {
        let mut out = String::new();
        for (index, text) in self.texts.iter().enumerate() {
            let number = if index == 0 { String::new() } else { (index + 1).to_string() };
            let _ = writeln!(out, "ltl formula{number} {{ {text} }}");
        }
        out
    }
}

/// A never claim; an automaton is written as one.
fn claim(file: &Path, files: &Files) -> Result<Part, String> {
    let text = files.read(file)?;
    if !text.trim_start().starts_with("HOA:") {
        return Ok(Part { mark: CLAIM, name: file.to_string_lossy().into_owned(), text });
    }
    let located = |error: ParseError| {
        let line = text[..error.span.start.min(text.len())].lines().count().max(1);
        format!("{}:{line}: {}", file.display(), error.message)
    };
    let Hoa { automaton, atoms, .. } = read_hoa(&text).map_err(located)?;
    let text = automaton.never_claim("automaton", &|atom| format!("({})", atoms[usize::from(atom.0)]));
    let text = text.map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(Part { mark: CLAIM, name: AUTOMATON.into(), text })
}

/// The same with formulas besides those of the model.
pub(crate) fn load_with(path: &Path, args: &ReadingArgs, formulas: &Formulas<'_>, files: &Files) -> Option<Model> {
    match read(path, args, formulas, files) {
        Ok((model, diagnostics)) => {
            show(&model, &diagnostics, args.no_warnings);
            (!has_errors(&diagnostics)).then_some(model)
        }
        Err(error) => {
            complain(&format!("error: {error}"));
            None
        }
    }
}

fn read(
    path: &Path,
    args: &ReadingArgs,
    formulas: &Formulas<'_>,
    files: &Files,
) -> Result<(Model, Vec<Diagnostic>), String> {
    let text = files.read(path)?;
    let name = path.to_string_lossy().into_owned();
    let defines = args.macros.defines();
    if formulas.is_empty() {
        return Ok(spinor_model::compile(&name, &text, defines, files));
    }
    let model = Part { mark: MODEL, name: name.clone(), text };
    let typed = Part { mark: FORMULAS, name: FORMULAS.into(), text: formulas.typed() };
    let mut loader = WithFormulas { parts: vec![model, typed], files };
    let mut all = format!("#include \"{MODEL}\"\n#include \"{FORMULAS}\"\n");
    if let Some(file) = formulas.file {
        let name = file.to_string_lossy().into_owned();
        loader.parts.push(Part { mark: FORMULA_FILE, name, text: files.read(file)? });
        let words = words(&all, FORMULA_FILE, defines, &loader);
        let include = format!("#include \"{FORMULA_FILE}\"\n");
        match &words[..] {
            [] => return Err(format!("'{}': there is no formula in it", file.display())),
            words if words.contains(&TokenKind::Name("ltl".into())) => all.push_str(&include),
            _ => all.push_str(&format!("ltl formula_file {{\n{include}}}\n")),
        }
    }
    if let Some(file) = formulas.claim {
        loader.parts.push(claim(file, files)?);
        if !words(&all, CLAIM, defines, &loader).contains(&TokenKind::Name("never".into())) {
            return Err(format!("'{}': there is no never claim in it", file.display()));
        }
        all.push_str(&format!("#include \"{CLAIM}\"\n"));
    }
    let (model, diagnostics) = spinor_model::compile("--", &all, defines, &loader);
    Ok((Model { name, ..model }, diagnostics))
}

/// The words of a part behind others, as the preprocessor leaves them.
fn words(before: &str, mark: &str, defines: &[Define], loader: &dyn Loader) -> Vec<TokenKind> {
    let words = |text: &str| {
        let mut sources = SourceMap::default();
        let main = sources.add("--", text);
        spinor_syntax::preprocess(&mut sources, main, defines, loader).0
    };
    let skipped = words(before).len() - 1;
    let all = words(&format!("{before}#include \"{mark}\"\n"));
    let kinds = all.into_iter().skip(skipped).map(|token| token.kind);
    kinds.filter(|kind| *kind != TokenKind::End).collect()
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
