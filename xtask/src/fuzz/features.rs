//! The constructs a random program may use, and how often.
//!
//! Each program draws its own subset: programs with few constructs reach deeper
//! into each than programs that have a little of everything (Groce et al.,
//! "Swarm testing", ISSTA 2012).

use rand::Rng;
use rand::rngs::SmallRng;

/// Declares the features with their names, so that the two cannot drift apart.
macro_rules! features {
    ($($feature:ident $name:literal $chance:literal,)*) => {
        /// One construct of the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Feature {
            $(#[doc = $name] $feature,)*
        }

        /// Each feature, its name, and the percentage of programs that have it.
        const TABLE: &[(Feature, &str, u32)] = &[$((Feature::$feature, $name, $chance),)*];
    };
}

features! {
    // Data.
    Wide "wide" 40,
    Unsigned "unsigned" 25,
    Mtype "mtype" 35,
    NamedMtype "named-mtype" 10,
    Arrays "arrays" 35,
    ArrayLists "array-lists" 10,
    Structs "structs" 25,
    Overflow "overflow" 15,
    Hidden "hidden" 0,
    // Declarations.
    Initials "initials" 60,
    MiddleDeclarations "middle-declarations" 30,
    Parameters "parameters" 40,
    // Channels.
    Buffered "buffered" 50,
    Rendezvous "rendezvous" 40,
    ChannelArrays "channel-arrays" 20,
    ChannelFields "channel-fields" 8,
    LocalChannels "local-channels" 20,
    ChannelParameters "channel-parameters" 30,
    ChannelMessages "channel-messages" 20,
    StructMessages "struct-messages" 15,
    Sorted "sorted" 20,
    Random "random" 30,
    Copy "copy" 25,
    Poll "poll" 25,
    Eval "eval" 30,
    Lengths "lengths" 35,
    // Control.
    Atomic "atomic" 50,
    DStep "d_step" 40,
    Blocks "blocks" 25,
    NestedIf "nested-if" 30,
    Loops "loops" 60,
    Unless "unless" 25,
    Goto "goto" 30,
    EndLabels "end-labels" 25,
    ProgressLabels "progress-labels" 10,
    For "for" 25,
    Select "select" 15,
    Assert "assert" 40,
    Printf "printf" 20,
    Timeout "timeout" 20,
    ElseWithChannels "else-with-channels" 10,
    Inline "inline" 25,
    Macros "macros" 25,
    Conditional "conditional" 30,
    // Processes.
    Several "several" 40,
    Init "init" 30,
    Run "run" 30,
    Pid "_pid" 30,
    NrPr "_nr_pr" 20,
    Last "_last" 10,
    Priority "priority" 12,
    Provided "provided" 15,
    Enabled "enabled" 10,
    RemoteLabels "remote-labels" 20,
    RemoteVariables "remote-variables" 20,
}

/// A set of features.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Features(u64);

impl Features {
    /// The features of a comma-separated list of names.
    pub(crate) fn parse(list: &str) -> Result<Self, String> {
        let mut set = Self(0);
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let entry = TABLE.iter().find(|(_, known, _)| *known == name);
            let names: Vec<&str> = TABLE.iter().map(|(_, known, _)| *known).collect();
            let (feature, ..) = entry.ok_or_else(|| format!("no feature `{name}`; there are: {}", names.join(", ")))?;
            set.insert(*feature);
        }
        Ok(set.without_conflicts())
    }

    /// A random set, each feature with its own chance.
    pub(crate) fn draw(rng: &mut SmallRng) -> Self {
        let mut set = Self(0);
        for (feature, _, chance) in TABLE {
            if rng.random_ratio(*chance, 100) {
                set.insert(*feature);
            }
        }
        set.without_conflicts()
    }

    /// The same without what makes every step depend on every other, and with several processes.
    pub(crate) fn reducible(mut self) -> Self {
        for feature in [Feature::Last, Feature::Priority, Feature::Enabled] {
            self.0 &= !(1 << feature as u32);
        }
        self.insert(Feature::Several);
        self
    }

    /// Whether the feature is in the set.
    pub(crate) fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u32) != 0
    }

    /// Whether programs with these features have channels.
    pub(crate) fn has_channels(self) -> bool {
        self.has(Feature::Buffered) || self.has(Feature::Rendezvous)
    }

    fn insert(&mut self, feature: Feature) {
        self.0 |= 1 << feature as u32;
    }

    /// SPIN's verifier has neither priorities nor `enabled` beside rendezvous.
    fn without_conflicts(mut self) -> Self {
        if self.has(Feature::Priority) || self.has(Feature::Enabled) {
            self.0 &= !(1 << Feature::Rendezvous as u32);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::{Feature, Features, TABLE};

    #[test]
    fn names_lead_to_features() {
        let set = Features::parse("atomic, d_step").expect("both exist");
        assert!(set.has(Feature::Atomic) && set.has(Feature::DStep) && !set.has(Feature::Goto));
        assert!(Features::parse("atomics").is_err());
    }

    #[test]
    fn the_set_is_large_enough() {
        assert!(TABLE.len() <= 64);
    }
}
