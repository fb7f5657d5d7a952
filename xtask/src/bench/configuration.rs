//! The ways to search a model that are compared.

use super::pan::{self, Variant};
use super::sample::Sample;
use super::table::Outcome;
use crate::facts::Facts;

/// Who searches, and how.
pub(crate) enum Side {
    /// SPIN's verifier.
    Spin(Variant),
    /// Spinor with these options.
    Spinor(&'static [&'static str]),
    /// The same twice at a time, to see what a second core of this machine is good for.
    Twice(&'static [&'static str]),
}

/// One way to search.
pub(crate) struct Configuration {
    /// Its name in options and records.
    pub(crate) name: &'static str,
    /// Who searches.
    pub(crate) side: Side,
    /// Whether it must find every state. One that may miss states must still invent none.
    is_exact: bool,
}

/// The configurations in the order of a round: those that are compared run close together.
const CONFIGURATIONS: &[Configuration] = &[
    Configuration { name: "spin", side: Side::Spin(Variant::Exact), is_exact: true },
    spinor("exact", &["--store", "exact", "--threads", "1"], true),
    Configuration { name: "twice", side: Side::Twice(&["--store", "exact", "--threads", "1"]), is_exact: true },
    spinor("exact-2", &["--store", "exact", "--threads", "2"], true),
    spinor("dfs", &["--store", "exact", "--threads", "1", "--search", "dfs"], true),
    spinor("tree", &["--store", "tree", "--threads", "1"], true),
    spinor("collapse", &["--store", "collapse", "--threads", "1"], true),
    spinor("hash-compact", &["--store", "hash-compact", "--threads", "1"], false),
    spinor("bitstate", &["--store", "bitstate", "--bitstate-memory", pan::BITSTATE_MEMORY, "--threads", "1"], false),
    Configuration { name: "spin-bitstate", side: Side::Spin(Variant::Bitstate), is_exact: false },
];

const fn spinor(name: &'static str, options: &'static [&'static str], is_exact: bool) -> Configuration {
    Configuration { name, side: Side::Spinor(options), is_exact }
}

/// What the tables cannot do without.
pub(crate) const NEEDED: &[&str] = &["spin", "exact"];

/// The configurations by these names and what they are compared with; all if no name is given.
pub(crate) fn chosen(names: &[String]) -> Result<Vec<&'static Configuration>, String> {
    if let Some(name) = names.iter().find(|name| !CONFIGURATIONS.iter().any(|it| it.name == **name)) {
        let known: Vec<&str> = CONFIGURATIONS.iter().map(|it| it.name).collect();
        return Err(format!("no configuration `{name}`, there are: {}", known.join(" ")));
    }
    let is_chosen = |it: &&Configuration| {
        let counterpart = it.name.strip_prefix("spin-").unwrap_or(it.name);
        names.is_empty() || NEEDED.contains(&it.name) || names.iter().any(|name| name == it.name || name == counterpart)
    };
    Ok(CONFIGURATIONS.iter().filter(is_chosen).collect())
}

/// Compares the counts of a search with the truth.
pub(crate) fn check(configuration: &Configuration, truth: &Facts, sample: &Sample) -> Result<(), Outcome> {
    let name = configuration.name;
    if let Some(reason) = &sample.stopped {
        return Err(Outcome::Failed(format!("{name}: {reason}")));
    }
    let is_right = if configuration.is_exact {
        (sample.stored, sample.transitions) == (truth.stored, truth.transitions)
    } else {
        sample.stored <= truth.stored && sample.transitions <= truth.transitions
    };
    if is_right {
        return Ok(());
    }
    let (stored, transitions) = (sample.stored, sample.transitions);
    Err(Outcome::Different(format!(
        "{name}: {stored} states, {transitions} transitions instead of {}, {}",
        truth.stored, truth.transitions
    )))
}

#[cfg(test)]
mod tests {
    use super::{CONFIGURATIONS, check, chosen};
    use crate::bench::sample::Sample;
    use crate::bench::table::Outcome;
    use crate::facts::{Facts, Findings};

    fn names(asked: &[&str]) -> Vec<&'static str> {
        let asked: Vec<String> = asked.iter().map(ToString::to_string).collect();
        chosen(&asked).expect("known names").iter().map(|it| it.name).collect()
    }

    #[test]
    fn a_configuration_comes_with_what_it_is_compared_with() {
        assert_eq!(names(&["tree"]), ["spin", "exact", "tree"]);
        assert_eq!(names(&["bitstate"]), ["spin", "exact", "bitstate", "spin-bitstate"]);
        assert_eq!(names(&[]).len(), CONFIGURATIONS.len());
        assert!(chosen(&["tre".to_owned()]).is_err());
    }

    #[test]
    fn a_lossy_store_may_miss_states_but_not_invent_them() {
        let truth = Facts { stored: 10, transitions: 20, depth: None, findings: Findings::Unknown };
        let judge = |name: &str, stored: u64| {
            let configuration = CONFIGURATIONS.iter().find(|it| it.name == name).expect("a known name");
            check(configuration, &truth, &Sample { stored, transitions: 20, ..Sample::default() })
        };
        assert!(judge("tree", 10).is_ok() && judge("bitstate", 9).is_ok());
        assert!(matches!(judge("tree", 9), Err(Outcome::Different(_))));
        assert!(matches!(judge("bitstate", 11), Err(Outcome::Different(_))));
    }
}
