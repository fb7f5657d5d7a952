//! Calls the front end on a thread of its own, with a watchdog.

use std::cell::Cell;
use std::panic;
use std::sync::Once;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// How long the front end may take for one input.
const PATIENCE: Duration = Duration::from_secs(5);

/// The stack of the thread: that of a usual main thread.
const STACK: usize = 8 << 20;

/// The name by which the thread is known to the hook for panics.
const NAME: &str = "front end";

thread_local! {
    /// Where this thread panicked last.
    static PLACE: Cell<String> = const { Cell::new(String::new()) };
}

/// What the front end did with an input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// It returned.
    Fine,
    /// It panicked at this place.
    Panic(String),
    /// It did not return in time.
    Hang,
}

impl Reaction {
    /// A line about the failure, the same for the same failure.
    pub(crate) fn failure(&self) -> Option<&str> {
        match self {
            Self::Fine => None,
            Self::Panic(place) => Some(place),
            Self::Hang => Some("takes longer than 5 seconds"),
        }
    }
}

/// The thread that calls the front end, replaced after a hang.
pub(crate) struct Runner {
    front_end: fn(&str),
    inputs: Sender<String>,
    reactions: Receiver<Reaction>,
}

impl Runner {
    /// Starts the thread.
    pub(crate) fn new(front_end: fn(&str)) -> Self {
        catch_places();
        let (inputs, input) = mpsc::channel::<String>();
        let (reaction, reactions) = mpsc::channel();
        let work = move || {
            for text in input {
                if reaction.send(call(front_end, &text)).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new()
            .name(NAME.to_owned())
            .stack_size(STACK)
            .spawn(work)
            .expect("the system can start one more thread");
        Self { front_end, inputs, reactions }
    }

    /// Feeds one input and waits for the reaction.
    pub(crate) fn feed(&mut self, text: &str) -> Reaction {
        let sent = self.inputs.send(text.to_owned());
        assert!(sent.is_ok(), "the thread waits for inputs");
        match self.reactions.recv_timeout(PATIENCE) {
            Ok(reaction) => reaction,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                // The thread that hangs is left behind; there is no way to stop it.
                *self = Self::new(self.front_end);
                Reaction::Hang
            }
        }
    }
}

fn call(front_end: fn(&str), text: &str) -> Reaction {
    PLACE.take();
    match panic::catch_unwind(|| front_end(text)) {
        Ok(()) => Reaction::Fine,
        Err(_) => Reaction::Panic(PLACE.take()),
    }
}

/// Makes panics of the front end silent; their place is remembered instead.
fn catch_places() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name() == Some(NAME) {
                let location = info.location().map(ToString::to_string).unwrap_or_default();
                PLACE.set(format!("panic at {location}"));
            } else {
                usual(info);
            }
        }));
    });
}
