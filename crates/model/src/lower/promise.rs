//! Promises in comments: `/*@ symmetric P, Q */`.

use super::Lowerer;
use crate::model::{Promise, Role};
use spinor_syntax::{Diagnostic, Place};

impl Lowerer<'_> {
    /// Finds out what is promised; a comment for another tool is none of ours.
    pub(super) fn promises(&mut self) {
        for span in self.model.sources.notes().to_vec() {
            let text = self.model.sources.text(span);
            let text = text.strip_prefix("/*@").and_then(|it| it.strip_suffix("*/")).or(text.strip_prefix("//@"));
            let words = text.unwrap_or_default().split(|it: char| it == ',' || it.is_whitespace());
            let mut words = words.filter(|word| !word.is_empty()).map(str::to_string);
            if words.next().as_deref() != Some("symmetric") {
                continue;
            }
            let (names, place): (Vec<String>, Place) = (words.collect(), Place::plain(span));
            if names.is_empty() {
                let hint = "write the names of proctypes: /*@ symmetric P */";
                self.report(Diagnostic::error(place, "this promise names no proctype").hint(hint));
            }
            names.iter().for_each(|name| self.promise(name, place));
        }
    }

    fn promise(&mut self, name: &str, place: Place) {
        let known = self.proctypes.get(name).copied();
        match known.filter(|id| self.model.proctypes.get(usize::from(id.0)).is_some_and(|it| it.role == Role::Process))
        {
            Some(proctype) => self.model.promises.push(Promise { proctype, place }),
            None => self.report(Diagnostic::error(place, format!("there is no proctype '{name}'"))),
        }
    }
}
