//! One depth-first search for a component that has all marks (Couvreur 1999; Couvreur, Duret-Lutz, Poitrenaud
//! 2005): Tarjan's, where components are known as soon as they close, with the marks inside of them.
//!
//! A node has a number in the order of visits, or is dead if its component was left. The roots are the first nodes
//! of the components on the path; an edge back joins all components behind the one that it leads to. If the joined
//! component has all marks, it holds an accepting cycle, and the search ends before the component is complete.
//! Strength makes no difference: no node is visited twice.

use super::lasso::{Region, lasso};
use super::paged::Paged;
use super::space::{Edge, Evil, Node, Searched, Space, Stop, TICK, Usage, index};

/// The number of a node whose component was left.
const DEAD: u32 = u32::MAX;

/// A component on the path.
#[derive(Clone, Copy, Debug)]
struct Root {
    /// The number of its first node.
    number: u32,
    /// The marks of edges inside.
    marks: u64,
    /// The marks of the edge that leads to it.
    before: u64,
}

/// A node on the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    node: Node,
    begin: usize,
    next: usize,
}

struct Couvreur<'s, P> {
    space: &'s mut P,
    numbers: Paged<u32>,
    frames: Vec<Frame>,
    edges: Vec<Edge>,
    roots: Vec<Root>,
    /// The nodes that are not dead, in the order of their numbers.
    live: Vec<Node>,
    visits: u64,
    found: Searched,
}

/// Searches a space.
pub(crate) fn couvreur<P: Space>(space: &mut P) -> Searched {
    let mut search = Couvreur {
        space,
        numbers: Paged::default(),
        frames: Vec::new(),
        edges: Vec::new(),
        roots: Vec::new(),
        live: Vec::new(),
        visits: 0,
        found: Searched::default(),
    };
    search.run();
    search.found.memory = search.memory();
    search.found
}

impl<P: Space> Couvreur<'_, P> {
    fn run(&mut self) {
        let first = self.space.first();
        if !self.visit(first, 0) {
            return;
        }
        while let Some(frame) = self.frames.last_mut() {
            let Some(&Edge { to, marks }) = self.edges.get(frame.next) else {
                self.leave();
                continue;
            };
            frame.next += 1;
            let goes_on = match self.number(to) {
                0 if self.space.is_followed(self.frames.len()) => self.visit(to, marks),
                0 => true,
                DEAD => self.matched(),
                number => self.matched() && self.close(number, marks),
            };
            if !goes_on {
                return;
            }
        }
    }

    fn matched(&mut self) -> bool {
        self.found.matched += 1;
        true
    }

    fn number(&self, node: Node) -> u32 {
        self.numbers.get(index(node, self.space.width()))
    }

    fn set(&mut self, node: Node, number: u32) {
        self.numbers.set(index(node, self.space.width()), number);
    }

    fn memory(&self) -> usize {
        self.numbers.memory()
            + self.frames.capacity() * size_of::<Frame>()
            + self.edges.capacity() * size_of::<Edge>()
            + self.roots.capacity() * size_of::<Root>()
            + self.live.capacity() * size_of::<Node>()
    }

    /// Arrives at a new node; `false` if the search is over.
    fn visit(&mut self, node: Node, before: u64) -> bool {
        self.live.push(node);
        let number = self.live.len() as u32;
        self.set(node, number);
        self.roots.push(Root { number, marks: 0, before });
        let begin = self.edges.len();
        self.found.stored += 1;
        self.visits += 1;
        let depth = self.frames.len();
        self.found.depth = self.found.depth.max(depth);
        let expanded = self.space.edges(node, &mut self.edges);
        self.look_ahead(begin);
        self.frames.push(Frame { node, begin, next: begin });
        let is_in_time = !self.visits.is_multiple_of(TICK) || {
            let usage = Usage { memory: self.memory(), depth, errors: self.errors() };
            self.space.goes_on(usage)
        };
        match expanded {
            Ok(()) => is_in_time,
            Err(Stop::Halted) => false,
            Err(Stop::Ends) => self.note(Evil::End) && is_in_time,
            Err(Stop::Fault(fault)) => self.note(Evil::Fault(fault)) && is_in_time,
        }
    }

    /// Looks at the numbers of all successors at once: waiting for memory once, not once for each.
    fn look_ahead(&self, begin: usize) {
        let numbers = self.edges[begin..].iter().fold(0, |all, edge| all ^ self.number(edge.to));
        std::hint::black_box(numbers);
    }

    fn errors(&self) -> u64 {
        u64::from(self.found.evidence.is_some())
    }

    /// The node on top shows a violation; `false` if the search is over.
    fn note(&mut self, evil: Evil) -> bool {
        if self.found.evidence.is_none() {
            let node = self.frames.last().map(|frame| frame.node);
            let evidence = lasso(self, evil, |_, to| Some(to) == node);
            self.found.evidence = Some(evidence);
        }
        self.space.keeps_going()
    }

    /// An edge leads back to a component on the path: all behind it are one with it. `false` if the search is over.
    fn close(&mut self, number: u32, marks: u64) -> bool {
        let mut joined = marks;
        while let Some(&Root { marks, before, .. }) = self.roots.last().filter(|root| root.number > number) {
            joined |= marks | before;
            self.roots.pop();
        }
        let root = self.roots.last_mut().expect("a component on the path");
        root.marks |= joined;
        let (root, is_accepting) = (root.number, root.marks == self.space.all_marks());
        if !is_accepting {
            return true;
        }
        if self.found.evidence.is_none() {
            let evidence = lasso(self, Evil::Cycle, |search, node| {
                let number = search.number(node);
                number >= root && number != DEAD
            });
            self.found.evidence = Some(evidence);
        }
        self.space.keeps_going()
    }

    /// All edges of the node on top were followed.
    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.edges.truncate(frame.begin);
        let number = self.number(frame.node);
        if self.roots.last().is_some_and(|root| root.number == number) {
            self.roots.pop();
            for node in self.live.split_off(number as usize - 1) {
                self.set(node, DEAD);
            }
        }
    }
}

impl<P: Space> Region for Couvreur<'_, P> {
    fn first(&self) -> Node {
        self.space.first()
    }

    fn edges(&mut self, node: Node, out: &mut Vec<Edge>) -> bool {
        out.clear();
        // A node that ends the claim has edges, too.
        self.space.edges(node, out) != Err(Stop::Halted)
    }

    fn is_known(&self, node: Node) -> bool {
        self.number(node) != 0
    }

    fn all_marks(&self) -> u64 {
        self.space.all_marks()
    }

    fn path(&self) -> Vec<Edge> {
        let taken = self.frames.iter().filter(|frame| frame.next > frame.begin);
        let path: Vec<Edge> = taken.map(|frame| self.edges[frame.next - 1]).collect();
        path[..self.frames.len().saturating_sub(1)].to_vec()
    }
}
