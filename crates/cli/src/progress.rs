//! A live line on a terminal, and Ctrl-C.

use crate::output::is_terminal;
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
        Watcher { bar, interrupted, begun: Instant::now(), shown: Instant::now() }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Watcher {
    fn observe(&mut self, progress: &Progress) -> bool {
        if let (Some(bar), true) = (&self.bar, self.shown.elapsed() >= REFRESH) {
            self.shown = Instant::now();
            let rate = progress.stored as f64 / self.begun.elapsed().as_secs_f64();
            bar.set_message(format!(
                "{} states, {}/s, depth {}, {} waiting, {}",
                group(progress.stored),
                group(rate as u64),
                group(progress.depth as u64),
                group(progress.waiting as u64),
                bytes(progress.memory)
            ));
            bar.tick();
        }
        !self.interrupted.load(Ordering::Relaxed)
    }
}
