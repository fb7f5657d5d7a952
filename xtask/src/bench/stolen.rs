//! What others take from a virtual machine while something is measured.

use std::fs;
use std::time::Instant;

/// Ticks of a second in the counters of the kernel.
const TICKS: f64 = 100.0;

/// When a measurement began.
pub(super) struct Watch {
    begun: Instant,
    ticks: u64,
}

impl Watch {
    pub(super) fn begin() -> Watch {
        Watch { begun: Instant::now(), ticks: ticks() }
    }

    /// The share of the time of all cores that the host gave to others; 0 where nobody tells.
    pub(super) fn stolen(&self) -> f64 {
        let cores = std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64);
        let seconds = ticks().saturating_sub(self.ticks) as f64 / TICKS;
        seconds / (self.begun.elapsed().as_secs_f64() * cores).max(f64::EPSILON)
    }
}

/// Ticks in which a core had something to do, and did not run.
fn ticks() -> u64 {
    fs::read_to_string("/proc/stat").ok().and_then(|text| of_all_cores(&text)).unwrap_or(0)
}

/// The eighth counter of the line of all cores.
fn of_all_cores(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("cpu "))?.split_whitespace().nth(7)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::of_all_cores;

    #[test]
    fn the_counter_is_found() {
        let text = "cpu  162794 0 12135 102053 1485 0 112 18540 0 0\ncpu0 83502 0 5782 49364 208 0 38 9306 0 0\n";
        assert_eq!(of_all_cores(text), Some(18540));
        assert_eq!(of_all_cores("intr 1 2 3"), None);
    }
}
