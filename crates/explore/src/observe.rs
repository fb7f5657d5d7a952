//! Who watches a search.

/// Where a search is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// States stored.
    pub stored: u64,
    /// The present depth.
    pub depth: usize,
    /// States that wait to be expanded.
    pub waiting: usize,
    /// Bytes reserved.
    pub memory: usize,
    /// The share of the table of states that is filled.
    pub fill: f64,
    /// Violations so far.
    pub errors: u64,
}

/// Somebody who is told where the search is, and can end it.
pub trait Observer {
    /// Called now and then; `false` ends the search.
    fn observe(&mut self, progress: &Progress) -> bool;

    /// Called when something happens that the user should know at once.
    fn note(&mut self, _text: &str) {}
}

/// Nobody.
#[derive(Debug)]
pub struct Quiet;

impl Observer for Quiet {
    fn observe(&mut self, _: &Progress) -> bool {
        true
    }
}
