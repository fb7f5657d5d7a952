//! Searches of large models: every configuration in turn, round by round.

use std::collections::BTreeMap;
use std::thread;

use super::configuration::{Configuration, NEEDED, Side, check};
use super::pan;
use super::sample::Sample;
use super::select::Subject;
use super::statistics::median;
use super::stolen::Watch;
use super::table::{Outcome, Row};
use crate::scratch::Scratch;
use crate::spin;
use crate::spinor::{Failure, Spinor};

/// Seconds for one search.
const SECONDS: u64 = 900;

/// Depth of SPIN's search stack.
const DEPTH: u64 = 3_000_000;

/// The share of the time of all cores that others may take from a search, and how often it is repeated at most.
const STOLEN: f64 = 0.02;
const TRIES: usize = 5;

/// The samples of each configuration, one a round.
#[derive(Default)]
pub(crate) struct Series {
    /// By the names of the configurations.
    pub(crate) samples: BTreeMap<&'static str, Vec<Sample>>,
}

impl Series {
    fn of(&self, name: &str) -> &[Sample] {
        self.samples.get(name).map_or(&[], Vec::as_slice)
    }

    /// States per second, one a round.
    pub(crate) fn rates(&self, name: &str, rate: fn(&Sample) -> f64) -> Vec<f64> {
        self.of(name).iter().map(rate).collect()
    }

    /// The median of a value.
    pub(crate) fn middle(&self, name: &str, value: fn(&Sample) -> Option<f64>) -> Option<f64> {
        median(&self.of(name).iter().filter_map(value).collect::<Vec<f64>>())
    }

    /// How steps were computed in the search that is compared with SPIN's.
    pub(crate) fn engine(&self) -> Option<&str> {
        self.of("exact").first()?.engine.as_deref()
    }
}

/// What is run for every model.
pub(crate) struct Plan<'a> {
    /// The program under test.
    pub(crate) spinor: &'a Spinor,
    /// Further options of each search of Spinor.
    pub(crate) extra: &'a [String],
    /// The ways to search.
    pub(crate) configurations: Vec<&'static Configuration>,
    /// How often each is run.
    pub(crate) runs: usize,
}

impl Plan<'_> {
    /// Measures one model. Counts are compared after every search, and wrong ones end it: the time
    /// of a wrong search means nothing.
    pub(crate) fn measure(&self, subject: &Subject<'_>) -> Row<Series> {
        let mut series = Series::default();
        let outcome = self.rounds(subject, &mut series).map_or_else(|outcome| outcome, |()| Outcome::Same);
        Row { model: subject.model.name.clone(), states: subject.truth.stored, outcome, measured: series }
    }

    fn rounds(&self, subject: &Subject<'_>, series: &mut Series) -> Result<(), Outcome> {
        let bench = Bench { plan: self, subject, scratch: Scratch::new("bench").map_err(Outcome::Failed)? };
        bench.build()?;
        let mut left = self.configurations.clone();
        for _ in 0..self.runs {
            let mut accepted = Vec::new();
            for configuration in left {
                if let Some(sample) = bench.search(configuration)? {
                    check(configuration, subject.truth, &sample)?;
                    series.samples.entry(configuration.name).or_default().push(sample);
                    accepted.push(configuration);
                }
            }
            left = accepted;
        }
        Ok(())
    }
}

/// What the searches of one model share.
struct Bench<'a> {
    plan: &'a Plan<'a>,
    subject: &'a Subject<'a>,
    scratch: Scratch,
}

impl Bench<'_> {
    fn build(&self) -> Result<(), Outcome> {
        let fail = |error: spin::Unusable| Outcome::Failed(error.to_string());
        spin::generate(&self.subject.model.path, self.scratch.path()).map_err(fail)?;
        for configuration in &self.plan.configurations {
            if let Side::Spin(variant) = configuration.side {
                pan::compile(self.scratch.path(), variant).map_err(fail)?;
            }
        }
        Ok(())
    }

    /// One search; nothing if Spinor does not do what the configuration asks for. It is repeated while the machine is not
    /// ours alone, a few times at most; the one that was disturbed least counts.
    fn search(&self, configuration: &Configuration) -> Result<Option<Sample>, Outcome> {
        let mut best: Option<Sample> = None;
        for _ in 0..TRIES {
            let watch = Watch::begin();
            let Some(sample) = self.search_once(configuration)? else { return Ok(None) };
            let sample = Sample { stolen: watch.stolen(), ..sample };
            let is_better = best.as_ref().is_none_or(|best| sample.stolen < best.stolen);
            best = if is_better { Some(sample) } else { best };
            if best.as_ref().is_some_and(|best| best.stolen <= STOLEN) {
                break;
            }
        }
        Ok(best)
    }

    fn search_once(&self, configuration: &Configuration) -> Result<Option<Sample>, Outcome> {
        let fail = |message: &str| Outcome::Failed(format!("{}: {message}", configuration.name));
        let outcome = match configuration.side {
            Side::Spin(variant) => {
                let sample = pan::search(self.scratch.path(), variant, DEPTH, SECONDS);
                return sample.map(Some).map_err(|error| fail(&error.to_string()));
            }
            Side::Spinor(options) => self.search_ours(options),
            Side::Twice(options) => self.search_twice(options),
        };
        match outcome {
            Ok(sample) => Ok(Some(sample)),
            Err(Failure::Refused(message)) if !NEEDED.contains(&configuration.name) => {
                eprintln!("{}: left out: {message}", configuration.name);
                Ok(None)
            }
            Err(failure) => Err(fail(failure.message())),
        }
    }

    /// Two searches at the same time, as one that takes half as long as the slower one.
    fn search_twice(&self, options: &[&str]) -> Result<Sample, Failure> {
        let (one, other) = thread::scope(|scope| {
            let other = scope.spawn(|| self.search_ours(options));
            (self.search_ours(options), other.join().expect("a search does not panic"))
        });
        let (one, other) = (one?, other?);
        let slower = if one.rate() < other.rate() { one } else { other };
        Ok(Sample { search_s: slower.search_s / 2.0, code_s: slower.code_s / 2.0, ..slower })
    }

    fn search_ours(&self, options: &[&str]) -> Result<Sample, Failure> {
        let all: Vec<&str> = options.iter().copied().chain(self.plan.extra.iter().map(String::as_str)).collect();
        let (report, cost) = self.plan.spinor.measure(&self.subject.model.path, &all, SECONDS)?;
        let lacking = || Failure::Broken("the report lacks a field".to_owned());
        let sample = Sample::of_spinor(&report, &cost).ok_or_else(lacking)?;
        // Another store may give the right counts: its figures would go by a wrong name.
        let asked = option_value(&all, "--store");
        if asked.is_some() && sample.store.as_deref() != asked {
            let used = sample.store.as_deref().unwrap_or("unknown");
            return Err(Failure::Refused(format!("the store was `{used}`")));
        }
        Ok(sample)
    }
}

/// The last value of an option: a further option replaces that of the configuration.
fn option_value<'a>(options: &[&'a str], name: &str) -> Option<&'a str> {
    let at = options.iter().rposition(|option| *option == name)?;
    options.get(at + 1).copied()
}

#[cfg(test)]
mod tests {
    use super::option_value;

    #[test]
    fn an_option_is_followed_by_its_value() {
        let options = ["--store", "tree", "--threads", "1"];
        assert_eq!(option_value(&options, "--store"), Some("tree"));
        assert_eq!(option_value(&options, "--search"), None);
    }
}
