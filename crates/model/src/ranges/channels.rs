//! Sets of channels.

/// Which channels a variable may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelSet {
    /// Creation sites, by their place in [`super::Ranges::sites`]; one bit each.
    sites: Vec<u64>,
    /// Any channel whatever: a number that was not followed.
    pub unknown: bool,
    /// No channel: 0.
    pub none: bool,
}

impl ChannelSet {
    /// Any channel, or none.
    #[must_use]
    pub fn unknown() -> ChannelSet {
        ChannelSet { sites: Vec::new(), unknown: true, none: true }
    }

    /// No channel: what a variable holds that was never assigned.
    #[must_use]
    pub fn none() -> ChannelSet {
        ChannelSet { none: true, ..ChannelSet::default() }
    }

    /// The channels that one site creates.
    #[must_use]
    pub fn site(site: usize) -> ChannelSet {
        let mut set = ChannelSet::default();
        set.insert(site);
        set
    }

    /// Adds a site.
    pub fn insert(&mut self, site: usize) {
        if self.sites.len() <= site / 64 {
            self.sites.resize(site / 64 + 1, 0);
        }
        self.sites[site / 64] |= 1 << (site % 64);
    }

    /// Adds all of another set.
    pub fn join(&mut self, other: &ChannelSet) {
        if self.sites.len() < other.sites.len() {
            self.sites.resize(other.sites.len(), 0);
        }
        self.sites.iter_mut().zip(&other.sites).for_each(|(mine, more)| *mine |= more);
        self.unknown |= other.unknown;
        self.none |= other.none;
    }

    /// Whether a channel of a site may be meant.
    #[must_use]
    pub fn contains(&self, site: usize) -> bool {
        self.unknown || self.sites.get(site / 64).is_some_and(|word| word >> (site % 64) & 1 == 1)
    }

    /// The sites that were followed here; all of them may be meant if `unknown`.
    pub fn sites(&self) -> impl Iterator<Item = usize> + '_ {
        let bits = |(word, &bits): (usize, &u64)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word * 64 + bit)
        };
        self.sites.iter().enumerate().flat_map(bits)
    }

    /// The only site that can be meant.
    #[must_use]
    pub fn only(&self) -> Option<usize> {
        let mut sites = self.sites();
        let first = sites.next().filter(|_| !self.unknown)?;
        sites.next().is_none().then_some(first)
    }

    /// Whether all that is meant here is meant by another set.
    #[must_use]
    pub fn is_within(&self, other: &ChannelSet) -> bool {
        let flags = (!self.unknown || other.unknown) && (!self.none || other.none);
        flags && self.sites().all(|site| other.contains(site))
    }

    /// Whether nothing was ever stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.unknown && !self.none && self.sites().next().is_none()
    }
}
