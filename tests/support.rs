//! What tests of several crates need: the models of the repository, compiled.
#![allow(dead_code, reason = "each crate's tests need a part of it")]

use spinor_model::Model;
use spinor_syntax::{Define, Loader, diagnostic::has_errors};
use std::fs;
use std::path::{Path, PathBuf};

/// Finds included files beside the model.
struct Beside(PathBuf);

impl Loader for Beside {
    fn load(&self, path: &str, _from: &str) -> Result<(String, String), String> {
        let text = fs::read_to_string(self.0.join(path)).map_err(|error| error.to_string())?;
        Ok((text, path.to_string()))
    }
}

/// A file or folder of the repository.
pub(crate) fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// The text of a file of the repository.
pub(crate) fn text(name: &str) -> String {
    fs::read_to_string(place(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The models in a folder of the repository, sorted.
pub(crate) fn models(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(place(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut models: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    models.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    models.sort();
    models
}

/// A model without errors.
pub(crate) fn compile(path: &Path) -> Model {
    compile_with(path, &[])
}

/// A model without errors, with values for names that it leaves open.
pub(crate) fn compile_with(path: &Path, defines: &[(&str, &str)]) -> Model {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let beside = Beside(path.parent().map_or_else(PathBuf::new, Path::to_path_buf));
    made((&path.to_string_lossy(), &text), defines, &beside)
}

/// A model without errors that is in no file.
pub(crate) fn compile_text(text: &str) -> Model {
    made(("m.pml", text), &[], &Beside(PathBuf::new()))
}

fn made((name, text): (&str, &str), defines: &[(&str, &str)], beside: &Beside) -> Model {
    let define = |&(name, value): &(&str, &str)| Define::Define { name: name.into(), value: value.into() };
    let defines: Vec<Define> = defines.iter().map(define).collect();
    let (model, diagnostics) = spinor_model::compile(name, text, &defines, beside);
    assert!(!has_errors(&diagnostics), "{name}: {diagnostics:#?}");
    model
}
