//! Nested depth-first search in the form of Schwoon and Esparza (TACAS 2005): two bits a node.
//!
//! The blue search visits everything; a node is cyan while it is on its path. From an accepting node that is left
//! the red search looks for a way back to a cyan node. The blue search sees many cycles itself: those that close at
//! an edge to a cyan node, if that or the source accepts. Where components accept as a whole (weak acceptance),
//! these are all, and there is no red search.

use super::paged::Pairs;
use super::space::{Edge, Evidence, Evil, Node, Searched, Space, Stop, TICK, Usage, index};

const WHITE: u8 = 0;
const CYAN: u8 = 1;
const BLUE: u8 = 2;
const RED: u8 = 3;

/// A node on a path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    node: Node,
    begin: usize,
    next: usize,
    /// All successors so far are red.
    all_red: bool,
}

struct Nested<'s, P> {
    space: &'s mut P,
    colours: Pairs,
    frames: Vec<Frame>,
    edges: Vec<Edge>,
    /// Whether acceptance takes a second search.
    is_general: bool,
    visits: u64,
    found: Searched,
}

/// Searches a space whose nodes accept; `is_general` unless components accept as a whole.
pub(crate) fn ndfs<P: Space>(space: &mut P, is_general: bool) -> Searched {
    let mut search = Nested {
        space,
        colours: Pairs::default(),
        frames: Vec::new(),
        edges: Vec::new(),
        is_general,
        visits: 0,
        found: Searched::default(),
    };
    search.blue();
    search.found.memory = search.memory();
    search.found
}

impl<P: Space> Nested<'_, P> {
    fn colour(&self, node: Node) -> u8 {
        self.colours.get(index(node, self.space.width()))
    }

    fn paint(&mut self, node: Node, colour: u8) {
        self.colours.set(index(node, self.space.width()), colour);
    }

    fn memory(&self) -> usize {
        self.colours.memory() + self.frames.capacity() * size_of::<Frame>() + self.edges.capacity() * size_of::<Edge>()
    }

    fn blue(&mut self) {
        let first = self.space.first();
        if !self.visit(first) {
            return;
        }
        while let Some(frame) = self.frames.last_mut() {
            let Some(&edge) = self.edges.get(frame.next) else {
                if !self.leave() {
                    return;
                }
                continue;
            };
            frame.next += 1;
            if !self.follow(edge) {
                return;
            }
        }
    }

    /// Follows an edge of the node on top; `false` if the search is over.
    fn follow(&mut self, edge: Edge) -> bool {
        let source = self.frames.last().expect("a node").node;
        match self.colour(edge.to) {
            WHITE if self.space.is_followed(self.frames.len()) => return self.visit(edge.to),
            // What is not followed may not be red.
            WHITE => self.is_not_red(),
            colour => {
                self.found.matched += 1;
                if colour != RED {
                    self.is_not_red();
                }
                if colour == CYAN && (self.space.accepts(source) || self.space.accepts(edge.to)) {
                    return self.report(edge.to, &[]);
                }
            }
        }
        true
    }

    fn is_not_red(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.all_red = false;
        }
    }

    /// Arrives at a white node; `false` if the search is over.
    fn visit(&mut self, node: Node) -> bool {
        self.paint(node, CYAN);
        let begin = self.edges.len();
        self.found.stored += 1;
        self.found.depth = self.found.depth.max(self.frames.len());
        let expanded = self.space.edges(node, &mut self.edges);
        // All colours at once: waiting for memory once, not once for each.
        std::hint::black_box(self.edges[begin..].iter().fold(0, |all, edge| all ^ self.colour(edge.to)));
        self.frames.push(Frame { node, begin, next: begin, all_red: true });
        let is_in_time = self.tick();
        match expanded {
            Ok(()) => is_in_time,
            Err(Stop::Halted) => false,
            Err(Stop::Ends) => self.note(Evil::End) && is_in_time,
            Err(Stop::Fault(fault)) => self.note(Evil::Fault(fault)) && is_in_time,
        }
    }

    /// Looks at the limits now and then.
    fn tick(&mut self) -> bool {
        self.visits += 1;
        !self.visits.is_multiple_of(TICK) || {
            let errors = u64::from(self.found.evidence.is_some());
            let (memory, depth) = (self.memory(), self.frames.len());
            self.space.goes_on(Usage { memory, depth, errors })
        }
    }

    /// All edges of the node on top were followed; `false` if the search is over.
    fn leave(&mut self) -> bool {
        let Some(&Frame { node, begin, all_red, .. }) = self.frames.last() else { return true };
        let needs_red = !all_red && self.is_general && self.space.accepts(node);
        if needs_red && !self.red(node, begin) {
            return false;
        }
        self.paint(node, if all_red || needs_red { RED } else { BLUE });
        self.frames.pop();
        self.edges.truncate(begin);
        if !all_red && !needs_red {
            self.is_not_red();
        }
        true
    }

    /// Looks for a way from the accepting node on top, whose edges begin there, back to the path; `false` if the search is
    /// over.
    fn red(&mut self, seed: Node, begin: usize) -> bool {
        let mut path = vec![Frame { node: seed, begin, next: begin, all_red: false }];
        while let Some(frame) = path.last_mut() {
            let Some(&Edge { to, .. }) = self.edges.get(frame.next) else {
                self.edges.truncate(frame.begin);
                path.pop();
                continue;
            };
            frame.next += 1;
            match self.colour(to) {
                CYAN => {
                    let taken: Vec<Edge> = path.iter().map(|frame| self.edges[frame.next - 1]).collect();
                    if !self.report(to, &taken) {
                        return false;
                    }
                }
                BLUE => {
                    self.paint(to, RED);
                    let begin = self.edges.len();
                    path.push(Frame { node: to, begin, next: begin, all_red: false });
                    if self.space.edges(to, &mut self.edges) == Err(Stop::Halted) || !self.tick() {
                        return false;
                    }
                }
                _ => {}
            }
        }
        true
    }

    /// The nodes of the path of the blue search, each with the edge that was followed last.
    fn path(&self) -> impl ExactSizeIterator<Item = (Node, Edge)> {
        self.frames.iter().map(|frame| (frame.node, self.edges[frame.next - 1]))
    }

    /// The node on top shows a violation; `false` if the search is over.
    fn note(&mut self, evil: Evil) -> bool {
        if self.found.evidence.is_none() {
            self.found.evidence = Some(Evidence::at_last(self.path(), evil));
        }
        self.space.keeps_going()
    }

    /// The path leads on to a node of it, through `red` or by the edge that was followed last. `false` if the search
    /// is over.
    fn report(&mut self, to: Node, red: &[Edge]) -> bool {
        if self.found.evidence.is_none() {
            self.found.evidence = Some(Evidence::round(self.path(), to, red));
        }
        self.space.keeps_going()
    }
}
