//! The files of a model: on the disk, or as another process sent them.

use spinor_syntax::Loader;
use spinor_syntax::source::sibling;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Texts by the names of their files.
pub(crate) type Texts = BTreeMap<String, String>;

/// Where files are read, and which were.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// All that there are, if they were sent.
    sent: Option<Texts>,
    read: RefCell<Texts>,
}

impl Files {
    /// Those that another process sent.
    pub(crate) fn sent(texts: Texts) -> Files {
        Files { sent: Some(texts), ..Files::default() }
    }

    /// Those that were read so far.
    pub(crate) fn read_so_far(&self) -> Texts {
        self.read.borrow().clone()
    }

    /// The text of a file.
    pub(crate) fn read(&self, path: &Path) -> Result<String, String> {
        let name = path.to_string_lossy().into_owned();
        let text = match &self.sent {
            Some(texts) => texts.get(&name).cloned().ok_or_else(|| format!("'{name}' was not sent")),
            // Old models have comments in all sorts of encodings.
            None => fs::read(path)
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .map_err(|error| format!("cannot read '{name}': {error}")),
        }?;
        self.read.borrow_mut().insert(name, text.clone());
        Ok(text)
    }

    fn exists(&self, path: &Path) -> bool {
        match &self.sent {
            Some(texts) => texts.contains_key(&*path.to_string_lossy()),
            None => path.exists(),
        }
    }
}

impl Loader for Files {
    fn load(&self, path: &str, from: &str) -> Result<(String, String), String> {
        let beside = sibling(path, from);
        let found = if self.exists(&beside) { beside } else { Path::new(path).to_path_buf() };
        let text = self.read(&found)?;
        Ok((text, found.to_string_lossy().into_owned()))
    }
}
