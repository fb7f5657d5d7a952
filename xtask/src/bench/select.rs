//! Which models are measured.

use clap::ValueEnum;

use super::Options;
use crate::corpus::{Corpus, Model, Truth};
use crate::facts::Facts;
use crate::known;

/// Where models for measurements are; those of other folders are run only by name.
const SOURCES: &[&str] = &["beem/", "spin-examples/"];

/// States that divide the groups: below, a search takes less time than a C compiler.
const DIVIDE: u64 = 300_000;

/// Below this many states nothing but the start of a program is measured.
const LEAST: u64 = 1_000;

/// Above this many states a run of all models does not end in a coffee break.
const GREATEST: u64 = 12_000_000;

/// What is compared, and so on which models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Group {
    /// Searches, on large models.
    Large,
    /// The time from the command to the verdict, on small models.
    Small,
}

/// A model and the counts that a search of it must have.
pub(crate) struct Subject<'a> {
    /// The model.
    pub(crate) model: &'a Model,
    /// What SPIN found.
    pub(crate) truth: &'a Facts,
}

/// The models of a group, the smallest first.
pub(crate) fn subjects<'a>(corpus: &'a Corpus, group: Group, options: &Options) -> Result<Vec<Subject<'a>>, String> {
    let known = corpus.models.iter().filter_map(|model| match &model.truth {
        Truth::Table(truth) if known::spin_fault(&model.name).is_none() => Some(Subject { model, truth }),
        _ => None,
    });
    let mut chosen: Vec<Subject<'a>> = if options.models.is_empty() {
        known.filter(|subject| is_in(subject, group, options)).collect()
    } else {
        let known: Vec<_> = known.collect();
        let missing = options.models.iter().find(|name| !known.iter().any(|it| is_named(&it.model.name, name)));
        if let Some(name) = missing {
            return Err(format!("no model `{name}` with counts in the table of truth"));
        }
        known.into_iter().filter(|it| options.models.iter().any(|name| is_named(&it.model.name, name))).collect()
    };
    chosen.sort_by_key(|subject| subject.truth.stored);
    Ok(chosen)
}

fn is_in(subject: &Subject<'_>, group: Group, options: &Options) -> bool {
    let (least, greatest) = match group {
        Group::Large => (DIVIDE + 1, GREATEST),
        Group::Small => (LEAST, DIVIDE),
    };
    let bounds = options.min_states.unwrap_or(least)..=options.max_states.unwrap_or(greatest);
    let name = &subject.model.name;
    SOURCES.iter().any(|source| name.starts_with(source)) && bounds.contains(&subject.truth.stored)
}

/// Whether a model has this name: with its folders or without, with its ending or without.
fn is_named(model: &str, name: &str) -> bool {
    let without_ending = |text: &str| text.strip_suffix(".pml").unwrap_or(text).to_owned();
    let (model, name) = (without_ending(model), without_ending(name));
    model.strip_suffix(&name).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::is_named;

    #[test]
    fn a_model_has_short_and_long_names() {
        for name in ["peterson.4", "peterson.4.pml", "beem/peterson.4", "beem/peterson.4.pml"] {
            assert!(is_named("beem/peterson.4.pml", name), "{name}");
        }
        assert!(!is_named("beem/peterson.4.pml", "peterson"));
        assert!(is_named("spin-examples/LTL/pftp.pml", "LTL/pftp"));
        assert!(!is_named("spin-examples/LTL/pftp.pml", "ftp"));
    }
}
