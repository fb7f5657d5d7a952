//! Searches that can be taken up again.
//!
//! Each process writes the states of a level down when it begins to expand them, one behind the other in a file of
//! its own, its part. So the part always holds what the process has visited, and nothing is written twice. Now and
//! then, between two levels, a manifest says how long the parts are and what else was known then. It is renamed into
//! place, and the one before it is kept: what was written behind the end of a part since, does not count.

use crate::peers::{Arrival, Letter, Parcel};
use crate::vectors::Vector;
use serde::{Deserialize, Serialize};
use spinor_exec::Atlas;
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where checkpoints are, and when they are written.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    /// The directory, the same for all processes of a search.
    pub directory: PathBuf,
    /// How much time passes between two of them.
    pub every: Duration,
    /// What makes the search the one that it is.
    pub identity: Identity,
    /// Where to go on.
    pub resume: Option<Resume>,
}

/// What makes a search the one that it is, by name: who goes on with it must have the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity(pub Vec<(String, String)>);

impl Identity {
    /// The names of what differs, each once.
    #[must_use]
    pub fn differences(&self, other: &Identity) -> Vec<String> {
        let one_way = |one: &Identity, other: &Identity| -> Vec<String> {
            one.0.iter().filter(|part| !other.0.contains(part)).map(|(name, _)| name.clone()).collect()
        };
        let mut names = one_way(self, other);
        names.extend(one_way(other, self));
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    }
}

const MANIFEST: &str = "manifest.json";
const PREVIOUS: &str = "manifest.previous.json";

/// A checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Resume {
    identity: Identity,
    /// Which of the searches that went on from another wrote it.
    generation: u64,
    pub(crate) level: usize,
    parts: Vec<Part>,
}

/// What one process wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Part {
    visited: Piece,
    waiting: Piece,
    pub(crate) letter: Letter,
}

/// The beginning of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Piece {
    name: String,
    words: u64,
    checksum: u64,
}

/// A manifest in its file.
#[derive(Serialize, Deserialize)]
struct Sealed {
    manifest: String,
    checksum: u64,
}

impl Resume {
    /// The last checkpoint in a directory that is whole; if the last one is not, a note that says so.
    ///
    /// # Errors
    /// If there is none, or it belongs to another search.
    pub fn find(directory: &Path, identity: &Identity) -> Result<(Resume, Option<String>), String> {
        let place = directory.display();
        let last = Resume::read(directory, MANIFEST);
        let (resume, note) = match last {
            Ok(resume) => (resume, None),
            Err(damage) => match Resume::read(directory, PREVIOUS) {
                Ok(resume) => (resume, Some(format!("{place}: {damage}; the checkpoint before it is used"))),
                Err(_) => return Err(format!("{place}: there is no checkpoint: {damage}")),
            },
        };
        let differences = resume.identity.differences(identity);
        if !differences.is_empty() {
            return Err(format!(
                "{place}: the checkpoint is of another search; these differ: {}",
                differences.join(", ")
            ));
        }
        Ok((resume, note))
    }

    fn read(directory: &Path, name: &str) -> Result<Resume, String> {
        let text = fs::read_to_string(directory.join(name)).map_err(|error| format!("{name}: {error}"))?;
        let sealed: Sealed = serde_json::from_str(&text).map_err(|_| format!("{name} is torn"))?;
        if seal(&sealed.manifest) != sealed.checksum {
            return Err(format!("{name} is damaged"));
        }
        let resume: Resume = serde_json::from_str(&sealed.manifest).map_err(|error| format!("{name}: {error}"))?;
        for piece in resume.parts.iter().flat_map(|part| [&part.visited, &part.waiting]) {
            piece.verify(directory)?;
        }
        Ok(resume)
    }

    /// What each process had.
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }
}

impl Part {
    /// Shows all messages: what was visited, and what waits.
    pub(crate) fn read(&self, directory: &Path, mut visit: impl FnMut(&mut [u64])) -> io::Result<()> {
        self.visited.read(directory, &mut visit)?;
        self.waiting.read(directory, &mut visit)
    }
}

fn seal(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn add(checksum: u64, word: u64) -> u64 {
    (checksum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

impl Piece {
    fn open(&self, directory: &Path) -> io::Result<impl FnMut() -> io::Result<u64>> {
        let mut reader = BufReader::with_capacity(1 << 16, File::open(directory.join(&self.name))?);
        Ok(move || {
            let mut bytes = [0; 8];
            reader.read_exact(&mut bytes)?;
            Ok(u64::from_le_bytes(bytes))
        })
    }

    fn verify(&self, directory: &Path) -> Result<(), String> {
        let checksum = || {
            let mut next = self.open(directory)?;
            (0..self.words).try_fold(0, |checksum, _| Ok::<u64, io::Error>(add(checksum, next()?)))
        };
        match checksum() {
            Ok(checksum) if checksum == self.checksum => Ok(()),
            Ok(_) => Err(format!("{} is damaged", self.name)),
            Err(error) => Err(format!("{} is torn: {error}", self.name)),
        }
    }

    fn read(&self, directory: &Path, visit: &mut impl FnMut(&mut [u64])) -> io::Result<()> {
        let mut next = self.open(directory)?;
        let mut left = self.words;
        while left > 0 {
            let length = next()?;
            let mut words = (0..length).map(|_| next()).collect::<io::Result<Vec<u64>>>()?;
            left -= length + 1;
            visit(&mut words);
        }
        Ok(())
    }
}

/// A file of messages that only grows.
#[derive(Debug)]
struct Tape {
    name: String,
    file: BufWriter<File>,
    words: u64,
    checksum: u64,
    parcel: Parcel,
}

impl Tape {
    fn new(directory: &Path, name: String) -> io::Result<Tape> {
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(directory.join(&name))?;
        let file = BufWriter::with_capacity(1 << 16, file);
        Ok(Tape { name, file, words: 0, checksum: 0, parcel: Parcel::default() })
    }

    fn write(&mut self, words: &[u64]) -> io::Result<()> {
        for word in [words.len() as u64].iter().chain(words) {
            self.file.write_all(&word.to_le_bytes())?;
            self.checksum = add(self.checksum, *word);
        }
        self.words += words.len() as u64 + 1;
        Ok(())
    }

    fn push(&mut self, atlas: &dyn Atlas, level: usize, vector: Vector<'_>) -> io::Result<()> {
        if let Some(words) = self.parcel.announce(atlas, vector) {
            self.write(&words)?;
        }
        self.parcel.add(&Arrival { level, vector, origin: None });
        if self.parcel.is_full() {
            let words = self.parcel.take();
            self.write(&words)?;
        }
        Ok(())
    }

    /// What there is by now, safe on the disk.
    fn piece(&mut self) -> io::Result<Piece> {
        if !self.parcel.words.is_empty() {
            let words = self.parcel.take();
            self.write(&words)?;
        }
        self.file.flush()?;
        self.file.get_ref().sync_data()?;
        Ok(Piece { name: self.name.clone(), words: self.words, checksum: self.checksum })
    }
}

/// Writes checkpoints for one process.
#[derive(Debug)]
pub(crate) struct Recorder {
    checkpoints: Checkpoints,
    index: usize,
    generation: u64,
    tape: Tape,
    /// When the last one was written.
    last: Instant,
    /// Why no more are written.
    pub(crate) failure: Option<String>,
}

impl Recorder {
    /// # Errors
    /// If nothing can be written.
    pub(crate) fn new(checkpoints: &Checkpoints, index: usize) -> io::Result<Recorder> {
        let generation = checkpoints.resume.as_ref().map_or(0, |it| it.generation + 1);
        fs::create_dir_all(&checkpoints.directory)?;
        let tape = Tape::new(&checkpoints.directory, format!("visited-{generation}-{index}"))?;
        let checkpoints = checkpoints.clone();
        Ok(Recorder { checkpoints, index, generation, tape, last: Instant::now(), failure: None })
    }

    /// Writes a state down that was visited.
    pub(crate) fn push(&mut self, atlas: &dyn Atlas, level: usize, vector: Vector<'_>) {
        if self.failure.is_none()
            && let Err(error) = self.tape.push(atlas, level, vector)
        {
            self.failure = Some(error.to_string());
        }
    }

    /// Whether it is time for another.
    pub(crate) fn is_due(&self) -> bool {
        self.failure.is_none() && self.last.elapsed() >= self.checkpoints.every
    }

    /// The part of this process, with what waits for later levels.
    pub(crate) fn part<'v>(
        &mut self,
        atlas: &dyn Atlas,
        level: usize,
        waiting: impl Iterator<Item = (usize, Vector<'v>)>,
        letter: Letter,
    ) -> Option<Part> {
        self.last = Instant::now();
        let part = || {
            let name = format!("waiting-{}-{}-{level}", self.generation, self.index);
            let mut tape = Tape::new(&self.checkpoints.directory, name)?;
            for (level, vector) in waiting {
                tape.push(atlas, level, vector)?;
            }
            Ok::<Part, io::Error>(Part { visited: self.tape.piece()?, waiting: tape.piece()?, letter })
        };
        match part() {
            Ok(part) => Some(part),
            Err(error) => {
                self.failure = Some(error.to_string());
                None
            }
        }
    }

    /// Makes the parts of all processes a checkpoint.
    pub(crate) fn commit(&mut self, level: usize, parts: Vec<Part>) {
        let identity = self.checkpoints.identity.clone();
        let resume = Resume { identity, generation: self.generation, level, parts };
        if let Err(error) = write_manifest(&self.checkpoints.directory, &resume) {
            self.failure = Some(error.to_string());
        }
    }
}

fn write_manifest(directory: &Path, resume: &Resume) -> io::Result<()> {
    let manifest = serde_json::to_string(resume)?;
    let sealed = Sealed { checksum: seal(&manifest), manifest };
    let (new, last, previous) =
        (directory.join("manifest.new.json"), directory.join(MANIFEST), directory.join(PREVIOUS));
    let mut file = File::create(&new)?;
    file.write_all(serde_json::to_string(&sealed)?.as_bytes())?;
    file.sync_all()?;
    if last.exists() {
        fs::rename(&last, &previous)?;
    }
    fs::rename(&new, &last)?;
    File::open(directory)?.sync_all()?;
    remove_unused(directory, resume)
}

/// Removes the files of which neither checkpoint knows.
fn remove_unused(directory: &Path, resume: &Resume) -> io::Result<()> {
    let text = fs::read_to_string(directory.join(PREVIOUS)).unwrap_or_default();
    let previous = serde_json::from_str(&text).ok().and_then(|it: Sealed| serde_json::from_str(&it.manifest).ok());
    let known: Vec<&Part> =
        resume.parts.iter().chain(previous.iter().flat_map(|it: &Resume| it.parts.iter())).collect();
    for entry in fs::read_dir(directory)?.filter_map(Result::ok) {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_ours = name.starts_with("visited-") || name.starts_with("waiting-");
        if is_ours && !known.iter().any(|part| part.visited.name == name || part.waiting.name == name) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Whether a directory holds a checkpoint.
#[must_use]
pub fn is_checkpoint(directory: &Path) -> bool {
    directory.join(MANIFEST).exists() || directory.join(PREVIOUS).exists()
}
