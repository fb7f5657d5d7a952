//! Sets of processes.

/// A set of pids. A model has at most 255 processes at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Processes([u64; 4]);

impl Processes {
    /// The set of one process.
    #[must_use]
    pub fn single(pid: usize) -> Processes {
        let mut set = Processes::default();
        set.insert(pid);
        set
    }

    /// Adds a process.
    pub fn insert(&mut self, pid: usize) {
        self.0[pid / 64] |= 1 << (pid % 64);
    }

    /// Adds all of another set.
    pub fn join(&mut self, other: &Processes) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, more)| *mine |= more);
    }

    /// The first process that is not in another set.
    #[must_use]
    pub fn first_beyond(&self, other: &Processes) -> Option<usize> {
        let words = self.0.iter().zip(other.0).enumerate();
        let mut new = words.map(|(at, (mine, other))| (at, mine & !other));
        new.find(|(_, word)| *word != 0).map(|(at, word)| at * 64 + word.trailing_zeros() as usize)
    }

    /// Whether a process is in the set.
    #[must_use]
    pub fn contains(&self, pid: usize) -> bool {
        self.0[pid / 64] >> (pid % 64) & 1 == 1
    }

    /// Whether another set has all of them.
    #[must_use]
    pub fn is_within(&self, other: &Processes) -> bool {
        self.first_beyond(other).is_none()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Processes::default()
    }

    /// The pids in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let mut words = self.0;
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < words.len() && words[at] == 0 {
                at += 1;
            }
            let word = words.get_mut(at)?;
            let bit = word.trailing_zeros() as usize;
            *word &= *word - 1;
            Some(at * 64 + bit)
        })
    }
}

impl FromIterator<usize> for Processes {
    fn from_iter<T: IntoIterator<Item = usize>>(pids: T) -> Processes {
        let mut set = Processes::default();
        pids.into_iter().for_each(|pid| set.insert(pid));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::Processes;

    #[test]
    fn pids_come_in_order() {
        let pids = [0, 1, 63, 64, 200, 254];
        let mut set = Processes::default();
        pids.iter().rev().for_each(|&pid| set.insert(pid));
        assert_eq!(set.iter().collect::<Vec<_>>(), pids);
        assert_eq!(set.len(), pids.len());
        assert!(!set.is_empty() && set.contains(64) && !set.contains(65));
        assert_eq!(set.first_beyond(&Processes::single(0)), Some(1));
        assert_eq!(set.first_beyond(&set), None);
    }
}
