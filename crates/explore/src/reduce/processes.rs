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

    /// Whether a process is in the set.
    #[must_use]
    pub fn contains(&self, pid: usize) -> bool {
        self.0[pid / 64] >> (pid % 64) & 1 == 1
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
        let words = self.0;
        (0..256).filter(move |pid| words[pid / 64] >> (pid % 64) & 1 == 1)
    }
}
