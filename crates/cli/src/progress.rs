//! A live line on a terminal, and Ctrl-C.

use crate::output::{complain, is_terminal};
use indicatif::{ProgressBar, ProgressStyle};
use spinor_explore::{Observer, Progress};
use spinor_report::text::{bytes, group};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time between two updates of the line.
const REFRESH: Duration = Duration::from_millis(250);

/// Shows progress on a terminal, and ends the search on Ctrl-C.
pub(crate) struct Watcher {
    bar: Option<ProgressBar>,
    interrupted: Arc<AtomicBool>,
    begun: Instant,
    shown: Instant,
    /// States stored when the line was shown.
    stored: u64,
}

impl Watcher {
    pub(crate) fn new(quiet: bool) -> Watcher {
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = interrupted.clone();
        // The search looks at the flag between two states. Whoever asks twice does not want to wait.
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(crate::Exit::Interrupted as i32);
            }
        });
        let bar = (!quiet && is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{spinner} {msg}").unwrap_or(ProgressStyle::default_spinner());
            ProgressBar::new_spinner().with_style(style)
        });
        Watcher { bar, interrupted, begun: Instant::now(), shown: Instant::now(), stored: 0 }
    }

    fn show(&mut self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        // Another search of a swarm begins with nothing.
        let added = progress.stored.saturating_sub(self.stored);
        let now = added as f64 / self.shown.elapsed().as_secs_f64();
        let overall = progress.stored as f64 / self.begun.elapsed().as_secs_f64();
        let errors = if progress.errors > 0 { format!(", {} errors", group(progress.errors)) } else { String::new() };
        bar.set_message(format!(
            "{} states, {}/s now, {}/s overall, depth {}, {} waiting, {}, table {:.0}% full{errors}",
            group(progress.stored),
            group(now as u64),
            group(overall as u64),
            group(progress.depth as u64),
            group(progress.waiting as u64),
            bytes(progress.memory),
            progress.fill * 100.0,
        ));
        bar.tick();
        (self.shown, self.stored) = (Instant::now(), progress.stored);
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Watcher {
    fn observe(&mut self, progress: &Progress) -> bool {
        if self.bar.is_some() && self.shown.elapsed() >= REFRESH {
            self.show(progress);
        }
        !self.interrupted.load(Ordering::Relaxed)
    }

    fn note(&mut self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| complain(text)),
            None => complain(text),
        }
    }
}
