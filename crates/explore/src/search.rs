//! Depth-first and breadth-first search: the same exploration with another frontier.

use crate::explorer::{Explorer, Link, Path, Reached};
use crate::observe::Observer;
use crate::plan::{Order, Plan};
use crate::report::Report;
use spinor_exec::Semantics;
use spinor_model::Model;
use spinor_store::StateId;
use std::collections::VecDeque;

/// Searches the states of a model.
pub fn check<S: Semantics>(semantics: S, model: &Model, plan: &Plan, observer: &mut dyn Observer) -> Report {
    let mut explorer = Explorer::new(semantics, model, plan, observer);
    let Some(first) = explorer.begin() else { return explorer.finish(0) };
    let extra = match plan.order {
        Order::DepthFirst => depth_first(&mut explorer, first),
        Order::BreadthFirst => breadth_first(&mut explorer, first),
    };
    explorer.finish(extra)
}

/// A state on the path, with its successors in [`Stack::reached`].
#[derive(Clone, Copy, Debug)]
struct Frame {
    state: StateId,
    depth: usize,
    /// The first of its successors.
    begin: usize,
    /// The one to be visited next.
    next: usize,
}

/// The path of a depth-first search.
#[derive(Default)]
struct Stack {
    frames: Vec<Frame>,
    /// The successors of all states on the path.
    reached: Vec<Reached>,
}

impl Path for Stack {
    fn links(&self) -> Vec<Link> {
        let link = |frame: &Frame| Link { from: frame.state, successor: (frame.next - 1 - frame.begin) as u32 };
        self.frames.iter().map(link).collect()
    }
}

impl Stack {
    fn memory(&self) -> usize {
        self.frames.capacity() * size_of::<Frame>() + self.reached.capacity() * size_of::<Reached>()
    }
}

/// Algorithm 1 of Holzmann, Godefroid and Pirottin (1992), with a stack of its own.
///
/// The successors of a state are stored together, when it is expanded; whether one was visited is
/// asked when its turn comes. So the order of visits, the counts and the depth are those of a
/// search that generates one successor at a time.
fn depth_first<S: Semantics>(explorer: &mut Explorer<'_, S>, first: StateId) -> usize {
    let mut visited = Visited::default();
    let mut stack = Stack::default();
    let mut expanded = Vec::new();
    visit(explorer, &mut stack, &mut visited, &mut expanded, first, 0);
    while let Some(frame) = stack.frames.last_mut() {
        let depth = frame.depth;
        let Some(&Reached { id, distance }) = stack.reached.get(frame.next) else {
            stack.reached.truncate(frame.begin);
            stack.frames.pop();
            continue;
        };
        frame.next += 1;
        let depth = depth + distance as usize;
        if visited.contains(id) {
            explorer.statistics.matched += 1;
        } else if explorer.plan.max_depth.is_some_and(|limit| depth > limit) {
            explorer.cut();
        } else {
            visit(explorer, &mut stack, &mut visited, &mut expanded, id, depth);
        }
        let extra = stack.memory() + visited.memory();
        if explorer.must_stop(depth, stack.frames.len(), extra) {
            break;
        }
    }
    stack.memory() + visited.memory()
}

fn visit<S: Semantics>(
    explorer: &mut Explorer<'_, S>,
    stack: &mut Stack,
    visited: &mut Visited,
    expanded: &mut Vec<Reached>,
    state: StateId,
    depth: usize,
) {
    visited.insert(state);
    explorer.statistics.stored += 1;
    explorer.statistics.depth = explorer.statistics.depth.max(depth);
    expanded.clear();
    explorer.expand(state, depth, stack, expanded);
    let begin = stack.reached.len();
    stack.reached.append(expanded);
    stack.frames.push(Frame { state, depth, begin, next: begin });
}

/// The states that were visited.
#[derive(Default)]
struct Visited {
    bits: Vec<u64>,
}

impl Visited {
    fn contains(&self, id: StateId) -> bool {
        let word = self.bits.get(id.0 as usize / 64);
        word.is_some_and(|word| word >> (id.0 % 64) & 1 == 1)
    }

    fn insert(&mut self, id: StateId) {
        let word = id.0 as usize / 64;
        if word >= self.bits.len() {
            self.bits.resize((word + 1).next_power_of_two(), 0);
        }
        self.bits[word] |= 1 << (id.0 % 64);
    }

    fn memory(&self) -> usize {
        self.bits.capacity() * 8
    }
}

/// The shortest way to each state that is known so far.
struct Ways {
    /// The last step of it.
    links: Vec<Link>,
    /// Its length in moves.
    lengths: Vec<u32>,
    /// The state that is being expanded.
    current: StateId,
}

impl Path for Ways {
    fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        let mut state = self.current;
        while state.0 > 0 {
            let link = self.links[state.0 as usize];
            links.push(link);
            state = link.from;
        }
        links.reverse();
        links
    }
}

impl Ways {
    fn new(first: StateId) -> Ways {
        Ways { links: vec![Link { from: first, successor: 0 }], lengths: vec![0], current: first }
    }

    fn knows(&self, id: StateId) -> bool {
        (id.0 as usize) < self.links.len()
    }

    fn length(&self, id: StateId) -> usize {
        self.lengths[id.0 as usize] as usize
    }

    /// Notes a way if it is the first or the shortest to its end.
    fn improve(&mut self, id: StateId, link: Link, length: usize) -> bool {
        if !self.knows(id) {
            self.links.push(link);
            self.lengths.push(length as u32);
            return true;
        }
        let shorter = length < self.length(id);
        if shorter {
            self.links[id.0 as usize] = link;
            self.lengths[id.0 as usize] = length as u32;
        }
        shorter
    }

    fn memory(&self) -> usize {
        self.links.capacity() * size_of::<Link>() + self.lengths.capacity() * size_of::<u32>()
    }
}

/// The states that wait, by the length of the way to them.
#[derive(Default)]
struct Levels {
    levels: VecDeque<Vec<StateId>>,
    /// The length of the ways in the first of the levels.
    length: usize,
    waiting: usize,
}

impl Levels {
    fn push(&mut self, id: StateId, length: usize) {
        let index = length - self.length;
        if index >= self.levels.len() {
            self.levels.resize_with(index + 1, Vec::new);
        }
        self.levels[index].push(id);
        self.waiting += 1;
    }

    /// The next level that is not empty.
    fn pop(&mut self) -> Option<Vec<StateId>> {
        while let Some(level) = self.levels.pop_front() {
            if !level.is_empty() {
                // New states of this very level cannot come: a step has at least one move.
                self.levels.push_front(Vec::new());
                self.waiting -= level.len();
                return Some(level);
            }
            self.length += 1;
        }
        None
    }

    fn memory(&self) -> usize {
        self.waiting * size_of::<StateId>()
    }
}

/// Level by level, a move being a level. A step between stored states can have several moves
/// (atomic sequences, rendezvous), so this is Dijkstra's algorithm with levels for a queue: a
/// counterexample has the fewest moves that any has.
fn breadth_first<S: Semantics>(explorer: &mut Explorer<'_, S>, first: StateId) -> usize {
    let mut ways = Ways::new(first);
    let mut levels = Levels::default();
    let mut expanded = Vec::new();
    let mut cut_off = 0_usize;
    levels.push(first, 0);
    explorer.statistics.stored += 1;
    'search: while let Some(level) = levels.pop() {
        let depth = levels.length;
        if explorer.is_beaten(depth) {
            break;
        }
        for state in level {
            if ways.length(state) != depth {
                continue;
            }
            ways.current = state;
            expanded.clear();
            explorer.expand(state, depth, &ways, &mut expanded);
            explorer.statistics.depth = explorer.statistics.depth.max(depth);
            for (index, &Reached { id, distance }) in expanded.iter().enumerate() {
                let length = depth + distance as usize;
                let known = ways.knows(id).then(|| ways.length(id));
                match known {
                    None => explorer.statistics.stored += 1,
                    Some(_) => explorer.statistics.matched += 1,
                }
                if !ways.improve(id, Link { from: state, successor: index as u32 }, length) {
                    continue;
                }
                let beyond = |length: usize| explorer.plan.max_depth.is_some_and(|limit| length > limit);
                cut_off -= usize::from(known.is_some_and(beyond));
                if beyond(length) {
                    cut_off += 1;
                } else {
                    levels.push(id, length);
                }
            }
            if explorer.must_stop(depth, levels.waiting, ways.memory() + levels.memory()) {
                break 'search;
            }
        }
    }
    if cut_off > 0 {
        explorer.cut();
    }
    ways.memory() + levels.memory()
}
