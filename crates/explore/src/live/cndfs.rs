//! Nested depth-first search by several threads (Evangelista, Laarman, Petrucci, van de Pol, ATVA 2012: CNDFS).
//!
//! Each thread searches everything, in an order of its own, and leaves out what some thread has finished: blue for the
//! first search, red for the second. The paths are the threads' own. A node becomes red only when the whole second
//! search is over, and not before the accepting nodes that it met are red: their threads may be about to find a cycle
//! through nodes that would be passed over otherwise. Threads never wait for each other in a circle, unless there is an
//! accepting cycle: so all stop when one is found.

use super::atlas::Atlas;
use super::paged::Paged;
use super::space::{Edge, Evidence, Evil, Node, Searched, Space, Stop, TICK, Usage, index};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::SeqCst};
use std::thread;

/// Some thread has followed all edges.
const BLUE: u8 = 1;
/// No accepting cycle can be reached.
const RED: u8 = 2;
/// Some thread was there.
const MET: u8 = 4;

/// The node is on the thread's own path.
const CYAN: u8 = 1;
/// The node was met by the thread's present second search.
const PINK: u8 = 2;

/// What the threads know together.
#[derive(Debug, Default)]
pub(crate) struct Colours {
    of_nodes: Atlas<AtomicU8>,
    evidence: Mutex<Option<Evidence>>,
    /// Somebody has come to an end: all must stop.
    is_over: AtomicBool,
    /// Some path was not followed. Nobody waits for what may lie there, and nothing is sure to hold.
    is_cut: AtomicBool,
}

impl Colours {
    fn has(&self, node: u64, colour: u8) -> bool {
        self.of_nodes.find(node).is_some_and(|entry| entry.load(SeqCst) & colour != 0)
    }

    /// Paints a node; says whether it was not painted so before.
    fn paint(&self, node: u64, colour: u8) -> bool {
        self.of_nodes.touch(node).fetch_or(colour, SeqCst) & colour == 0
    }

    /// Bytes in use.
    pub(crate) fn memory(&self) -> usize {
        self.of_nodes.memory()
    }

    /// What was found, when all threads are through.
    pub(crate) fn into_evidence(self) -> Option<Evidence> {
        self.evidence.into_inner().expect("no panic under the lock")
    }

    fn has_evidence(&self) -> bool {
        self.evidence.lock().expect("no panic under the lock").is_some()
    }
}

/// A node on a path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    node: Node,
    begin: usize,
    next: usize,
}

struct Worker<'s, P> {
    space: &'s mut P,
    colours: &'s Colours,
    /// Which thread it is: each has an order of its own.
    number: usize,
    own: Paged<u8>,
    frames: Vec<Frame>,
    edges: Vec<Edge>,
    visits: u64,
    found: Searched,
}

/// Searches a space whose nodes accept, as one of several threads. What is found is in the colours.
pub(crate) fn cndfs<P: Space>(space: &mut P, colours: &Colours, number: usize) -> Searched {
    let mut worker = Worker {
        space,
        colours,
        number,
        own: Paged::default(),
        frames: Vec::new(),
        edges: Vec::new(),
        visits: 0,
        found: Searched::default(),
    };
    let warden = Warden(colours);
    if worker.blue().is_some() {
        std::mem::forget(warden);
    }
    worker.found.memory = worker.memory();
    worker.found
}

/// Ends the search for all threads when one stops before it is done, or panics: others may be waiting for it.
struct Warden<'s>(&'s Colours);

impl Drop for Warden<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, SeqCst);
    }
}

/// To go on, or nothing if the search is over.
type GoOn = Option<()>;

fn only_if(goes_on: bool) -> GoOn {
    goes_on.then_some(())
}

impl<P: Space> Worker<'_, P> {
    fn index(&self, node: Node) -> u64 {
        index(node, self.space.width())
    }

    fn is(&self, node: Node, own: u8) -> bool {
        self.own.get(self.index(node)) & own != 0
    }

    fn set(&mut self, node: Node, own: u8, is_set: bool) {
        let index = self.index(node);
        let rest = self.own.get(index) & !own;
        self.own.set(index, if is_set { rest | own } else { rest });
    }

    fn memory(&self) -> usize {
        self.own.memory() + self.frames.capacity() * size_of::<Frame>() + self.edges.capacity() * size_of::<Edge>()
    }

    fn blue(&mut self) -> GoOn {
        let first = self.space.first();
        self.visit(first)?;
        while let Some(frame) = self.frames.last_mut() {
            let source = frame.node;
            let Some(&Edge { to, .. }) = self.edges.get(frame.next) else {
                self.leave()?;
                continue;
            };
            frame.next += 1;
            if self.is(to, CYAN) {
                self.found.matched += 1;
                if self.space.accepts(source) || self.space.accepts(to) {
                    self.report(to, &[])?;
                }
            } else if self.colours.has(self.index(to), BLUE) {
                self.found.matched += 1;
            } else if self.is_followed(self.frames.len()) {
                self.visit(to)?;
            }
        }
        Some(())
    }

    /// Whether paths of so many steps are followed.
    fn is_followed(&mut self, depth: usize) -> bool {
        let is_followed = self.space.is_followed(depth);
        if !is_followed {
            self.colours.is_cut.store(true, SeqCst);
        }
        is_followed
    }

    /// Arrives at a node that nobody has finished.
    fn visit(&mut self, node: Node) -> GoOn {
        self.set(node, CYAN, true);
        self.found.stored += u64::from(self.colours.paint(self.index(node), MET));
        let begin = self.edges.len();
        self.found.depth = self.found.depth.max(self.frames.len());
        let expanded = self.space.edges(node, &mut self.edges);
        self.shuffle(begin);
        // All colours at once: waiting for memory once, not once for each.
        let colour =
            |edge: &Edge| u8::from(self.is(edge.to, CYAN)) ^ u8::from(self.colours.has(self.index(edge.to), BLUE));
        std::hint::black_box(self.edges[begin..].iter().fold(0, |all, edge| all ^ colour(edge)));
        self.frames.push(Frame { node, begin, next: begin });
        self.tick()?;
        match expanded {
            Ok(()) => Some(()),
            Err(Stop::Halted) => None,
            Err(Stop::Ends) => self.note(Evil::End),
            Err(Stop::Fault(fault)) => self.note(Evil::Fault(fault)),
        }
    }

    /// The first thread takes edges as they come, the second from behind, the others somehow.
    fn shuffle(&mut self, begin: usize) {
        let edges = &mut self.edges[begin..];
        match self.number {
            0 => {}
            1 => edges.reverse(),
            number if !edges.is_empty() => edges.rotate_left(number % edges.len()),
            _ => {}
        }
    }

    /// Looks now and then whether the search must end.
    fn tick(&mut self) -> GoOn {
        self.visits += 1;
        if !self.visits.is_multiple_of(TICK) {
            return only_if(!self.colours.is_over.load(SeqCst));
        }
        let errors = u64::from(self.colours.has_evidence());
        let usage = Usage { memory: self.memory(), depth: self.frames.len(), errors };
        only_if(self.space.goes_on(usage) && !self.colours.is_over.load(SeqCst))
    }

    /// All edges of the node on top were followed.
    fn leave(&mut self) -> GoOn {
        let Some(&Frame { node, begin, .. }) = self.frames.last() else { return Some(()) };
        self.colours.paint(self.index(node), BLUE);
        if self.space.accepts(node) {
            self.red(node, begin)?;
        }
        self.set(node, CYAN, false);
        self.frames.pop();
        self.edges.truncate(begin);
        Some(())
    }

    /// Looks for a way from the accepting node on top, whose edges begin there, back to the path.
    fn red(&mut self, seed: Node, begin: usize) -> GoOn {
        let mut met = vec![seed];
        let mut path = vec![Frame { node: seed, begin, next: begin }];
        self.set(seed, PINK, true);
        while let Some(frame) = path.last_mut() {
            let Some(&Edge { to, .. }) = self.edges.get(frame.next) else {
                self.edges.truncate(frame.begin);
                path.pop();
                continue;
            };
            frame.next += 1;
            if self.is(to, CYAN) {
                let taken: Vec<Edge> = path.iter().map(|frame| self.edges[frame.next - 1]).collect();
                self.report(to, &taken)?;
            } else if !self.is(to, PINK)
                && !self.colours.has(self.index(to), RED)
                && self.is_followed(self.frames.len() + path.len())
            {
                self.meet(to, &mut met, &mut path)?;
            }
        }
        self.wait(seed, &met)?;
        for node in met {
            self.colours.paint(self.index(node), RED);
            self.set(node, PINK, false);
        }
        Some(())
    }

    /// Goes on with a node in the second search.
    fn meet(&mut self, node: Node, met: &mut Vec<Node>, path: &mut Vec<Frame>) -> GoOn {
        self.set(node, PINK, true);
        met.push(node);
        let begin = self.edges.len();
        path.push(Frame { node, begin, next: begin });
        if self.space.edges(node, &mut self.edges) == Err(Stop::Halted) {
            return None;
        }
        self.tick()
    }

    /// Waits until all accepting nodes but the first are red.
    fn wait(&mut self, seed: Node, met: &[Node]) -> GoOn {
        for &node in met.iter().filter(|&&node| node != seed) {
            while self.space.accepts(node) && !self.colours.has(self.index(node), RED) {
                if self.colours.is_cut.load(SeqCst) {
                    return Some(());
                }
                self.tick()?;
                thread::yield_now();
            }
        }
        Some(())
    }

    /// The nodes of the path of the first search, each with the edge that was followed last.
    fn path(&self) -> impl ExactSizeIterator<Item = (Node, Edge)> {
        self.frames.iter().map(|frame| (frame.node, self.edges[frame.next - 1]))
    }

    /// The node on top shows a violation.
    fn note(&mut self, evil: Evil) -> GoOn {
        self.found(Evidence::at_last(self.path(), evil))
    }

    /// The path leads on to a node of it, through `red` or by the edge that was followed last.
    fn report(&mut self, to: Node, red: &[Edge]) -> GoOn {
        self.found(Evidence::round(self.path(), to, red))
    }

    /// All is over: with a cycle left behind, threads could wait for each other for ever.
    fn found(&mut self, evidence: Evidence) -> GoOn {
        self.colours.evidence.lock().expect("no panic under the lock").get_or_insert(evidence);
        None
    }
}
