//! Writing to standard output and error. A reader that went away is not an error; a disk that is full is one.

use crate::Exit;
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};

/// Why nothing more can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unprinted {
    /// Nobody reads.
    Unread,
    /// Something else, which was said.
    Failed,
}

/// Prints to standard output.
pub(crate) fn print(text: &str) -> Result<(), Unprinted> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Unprinted::Unread,
        _ => {
            complain(&format!("error: cannot write to standard output: {error}"));
            Unprinted::Failed
        }
    })
}

/// Prints all that a command has to say, and what it ends with.
pub(crate) fn printed(text: &str, exit: Exit) -> Exit {
    match print(text) {
        Ok(()) | Err(Unprinted::Unread) => exit,
        Err(Unprinted::Failed) => Exit::Usage,
    }
}

/// Prints to standard error.
pub(crate) fn complain(text: &str) {
    let mut out = io::stderr().lock();
    let _ = writeln!(out, "{text}");
}

/// Whether standard error is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stderr().is_terminal()
}
