//! A connection whose loss is noticed.

use socket2::{SockRef, TcpKeepalive};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use timely::communication::allocator::zero_copy::stream::Stream;

/// After so long without an answer a process is taken for lost.
const SILENCE: Duration = Duration::from_secs(8);

/// What is known of the connections of a process.
#[derive(Debug, Default)]
pub(crate) struct Health {
    is_closing: AtomicBool,
    loss: Mutex<Option<String>>,
}

impl Health {
    /// From now on connections may end.
    pub(crate) fn close(&self) {
        self.is_closing.store(true, SeqCst);
    }

    /// Why a connection was lost, if one was.
    pub(crate) fn loss(&self) -> Option<String> {
        self.loss.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn lose(&self, reason: String) {
        if !self.is_closing.load(SeqCst) {
            self.loss.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
        }
    }
}

/// A connection to another process.
#[derive(Debug)]
pub(crate) struct Line {
    stream: TcpStream,
    peer: usize,
    health: Arc<Health>,
}

impl Line {
    /// Prepares a connection: small messages go at once, and silence is noticed.
    pub(crate) fn new(stream: TcpStream, peer: usize, health: Arc<Health>) -> io::Result<Line> {
        stream.set_nodelay(true)?;
        let socket = SockRef::from(&stream);
        let second = Duration::from_secs(1);
        socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(2 * second).with_interval(second).with_retries(5))?;
        #[cfg(target_os = "linux")]
        socket.set_tcp_user_timeout(Some(SILENCE))?;
        Ok(Line { stream, peer, health })
    }

    fn watch<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.health.lose(format!("process {}: {error}", self.peer));
        }
        result
    }
}

impl Read for Line {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let result = self.stream.read(buffer);
        if matches!(result, Ok(0)) && !buffer.is_empty() {
            self.health.lose(format!("process {} has ended", self.peer));
        }
        self.watch(result)
    }
}

impl Write for Line {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let result = self.stream.write(buffer);
        self.watch(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.stream.flush();
        self.watch(result)
    }
}

impl Stream for Line {
    fn try_clone(&self) -> io::Result<Line> {
        Ok(Line { stream: self.stream.try_clone()?, peer: self.peer, health: self.health.clone() })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.stream.shutdown(how)
    }
}
