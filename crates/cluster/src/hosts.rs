//! Connections of each process with each other.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::thread;
use std::time::{Duration, Instant};

/// How often a process that is not there yet is called again.
const PAUSE: Duration = Duration::from_millis(50);
/// A greeting takes no longer.
const GREETING: Duration = Duration::from_secs(10);

/// What a process says of itself. All but its number must be the same for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Its number.
    pub index: u32,
    /// How many processes there are.
    pub count: u32,
    /// What stands for the version of the program.
    pub version: u64,
    /// What stands for each part of what makes the search the one that it is, with its name; nothing if that is to come
    /// from the first process. Names are not told: in the same version the parts are the same, in the same order.
    pub search: Option<Vec<(String, u64)>>,
}

/// A process that was reached.
#[derive(Debug)]
pub struct Neighbour {
    /// What it says of itself.
    pub hello: Hello,
    /// The connection to it.
    pub stream: TcpStream,
}

const MAGIC: u64 = u64::from_be_bytes(*b"spinor03");
/// A search has at most so many parts.
const PARTS: usize = 60;
const BYTES: usize = (4 + PARTS) * 8;
/// Bytes of what the first process may send to others at the beginning.
const MOST: u64 = 1 << 30;

impl Hello {
    fn write(&self) -> [u8; BYTES] {
        let numbers = u64::from(self.index) << 32 | u64::from(self.count);
        let search = self.search.as_deref();
        assert!(search.is_none_or(|it| it.len() <= PARTS), "a search has no more parts");
        let count = search.map_or(0, |it| it.len() as u64 + 1);
        let parts = search.unwrap_or_default().iter().map(|(_, part)| *part);
        let words = [MAGIC, numbers, self.version, count].into_iter().chain(parts);
        let mut bytes = [0; BYTES];
        bytes.chunks_exact_mut(8).zip(words).for_each(|(chunk, word)| chunk.copy_from_slice(&word.to_be_bytes()));
        bytes
    }

    fn read(bytes: &[u8; BYTES]) -> Option<Hello> {
        let word = |at: usize| u64::from_be_bytes(bytes[8 * at..8 * at + 8].try_into().expect("eight bytes"));
        let hello = Hello {
            index: (word(1) >> 32) as u32,
            count: word(1) as u32,
            version: word(2),
            search: word(3)
                .checked_sub(1)
                .map(|count| (0..PARTS.min(count as usize)).map(|part| (String::new(), word(4 + part))).collect()),
        };
        (word(0) == MAGIC).then_some(hello)
    }

    /// Why another process cannot take part.
    fn differs(&self, other: &Hello) -> Option<String> {
        let who = format!("process {}", other.index);
        let both = self.search.as_ref().zip(other.search.as_ref());
        let differences: Vec<&str> = both.map_or_else(Vec::new, |(here, there)| {
            let pairs = here.iter().zip(there).filter(|(one, other)| one.1 != other.1);
            let mut names: Vec<&str> = pairs.map(|((name, _), _)| name.as_str()).collect();
            names.dedup();
            names
        });
        if other.version != self.version {
            Some(format!("{who} is another version of spinor"))
        } else if both.is_some_and(|(here, there)| here.len() != there.len()) {
            Some(format!("{who} was started with other options"))
        } else if !differences.is_empty() {
            Some(format!("{who} was asked for another search; these differ: {}", differences.join(", ")))
        } else if other.count != self.count || other.index >= self.count || other.index == self.index {
            Some(format!("{who} has another list of hosts"))
        } else {
            None
        }
    }
}

fn greet(stream: &mut TcpStream, hello: &Hello) -> io::Result<Option<Hello>> {
    stream.set_read_timeout(Some(GREETING))?;
    stream.write_all(&hello.write())?;
    let mut bytes = [0; BYTES];
    stream.read_exact(&mut bytes)?;
    stream.set_read_timeout(None)?;
    Ok(Hello::read(&bytes))
}

/// Connects this process with all others: it calls those before it, and those behind it call. Who is not there is
/// waited for until `patience` is over.
///
/// # Errors
/// If some process cannot be reached, or is of another kind.
pub fn connect(hosts: &[String], hello: &Hello, patience: Duration) -> Result<Vec<Option<Neighbour>>, String> {
    let index = hello.index as usize;
    let end = Instant::now() + patience;
    let own = &hosts[index];
    let listener = TcpListener::bind(own).map_err(|error| format!("cannot listen at {own}: {error}"))?;
    listener.set_nonblocking(true).map_err(|error| error.to_string())?;
    let mut neighbours: Vec<Option<Neighbour>> = hosts.iter().map(|_| None).collect();
    for (to, host) in hosts[..index].iter().enumerate() {
        let mut stream = call(host, end)?;
        let answer = greet(&mut stream, hello).map_err(|error| format!("{host} does not answer: {error}"))?;
        let other = answer.ok_or_else(|| format!("who answers at {host} is not spinor"))?;
        if let Some(reason) = hello.differs(&other) {
            return Err(format!("{host}: {reason}"));
        }
        if other.index as usize != to {
            return Err(format!("{host} is process {}, not {to}: the lists of hosts differ", other.index));
        }
        neighbours[to] = Some(Neighbour { hello: other, stream });
    }
    while let Some(missing) = (0..hosts.len()).find(|&other| other != index && neighbours[other].is_none()) {
        let (mut stream, from) = match listener.accept() {
            Ok(accepted) => accepted,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && Instant::now() < end => {
                thread::sleep(PAUSE / 10);
                continue;
            }
            Err(_) => return Err(format!("process {missing} at {} did not call in time", hosts[missing])),
        };
        stream.set_nonblocking(false).map_err(|error| error.to_string())?;
        // Somebody else may knock: only who greets counts.
        let Ok(Some(other)) = greet(&mut stream, hello) else { continue };
        if let Some(reason) = hello.differs(&other) {
            return Err(format!("{from}: {reason}"));
        }
        let at = other.index as usize;
        neighbours[at] = Some(Neighbour { hello: other, stream });
    }
    Ok(neighbours)
}

impl Neighbour {
    /// Gives it something to begin with.
    ///
    /// # Errors
    /// If it cannot be reached any more.
    pub fn give(&mut self, bytes: &[u8]) -> Result<(), String> {
        let length = (bytes.len() as u64).to_be_bytes();
        let sent = self.stream.write_all(&length).and_then(|()| self.stream.write_all(bytes));
        sent.map_err(|error| format!("process {} cannot be reached: {error}", self.hello.index))
    }

    /// What it gives; waits for so long at most.
    ///
    /// # Errors
    /// If nothing comes.
    pub fn take(&mut self, patience: Duration) -> Result<Vec<u8>, String> {
        let mut read = || -> io::Result<Vec<u8>> {
            self.stream.set_read_timeout(Some(patience))?;
            let mut length = [0; 8];
            self.stream.read_exact(&mut length)?;
            let length = u64::from_be_bytes(length);
            if length > MOST {
                return Err(io::Error::other("it is too long"));
            }
            let mut bytes = vec![0; length as usize];
            self.stream.read_exact(&mut bytes)?;
            self.stream.set_read_timeout(None)?;
            Ok(bytes)
        };
        read().map_err(|error| format!("process {} did not send the model: {error}", self.hello.index))
    }
}

fn call(host: &str, end: Instant) -> Result<TcpStream, String> {
    loop {
        let addresses = host.to_socket_addrs().map_err(|error| format!("{host} is no address: {error}"))?;
        let error = match addresses.into_iter().find_map(|it| TcpStream::connect_timeout(&it, GREETING).ok()) {
            Some(stream) => return Ok(stream),
            None => format!("{host} cannot be reached"),
        };
        if Instant::now() >= end {
            return Err(error);
        }
        thread::sleep(PAUSE);
    }
}
