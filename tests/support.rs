//! What tests of several crates need: the models of the repository, compiled.

use spinor_model::Model;
use spinor_syntax::{Loader, diagnostic::has_errors};
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

/// The models in a folder of the repository, sorted.
pub(crate) fn models(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut models: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    models.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    models.sort();
    models
}

/// A model without errors.
pub(crate) fn compile(path: &Path) -> Model {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let beside = Beside(path.parent().map_or_else(PathBuf::new, Path::to_path_buf));
    let (model, diagnostics) = spinor_model::compile(&path.to_string_lossy(), &text, &[], &beside);
    assert!(!has_errors(&diagnostics), "{}: {diagnostics:#?}", path.display());
    model
}
