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

/// How each state was first reached. States are numbered in the order of insertion, which is that
/// of the queue.
struct Parents {
    links: Vec<Link>,
    /// The state that is being expanded.
    current: StateId,
}

impl Path for Parents {
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

/// Level by level. A step counts one level, however many moves are inside of it, so the first
/// counterexample that is found has the fewest steps between stored states.
fn breadth_first<S: Semantics>(explorer: &mut Explorer<'_, S>, first: StateId) -> usize {
    let mut parents = Parents { links: vec![Link { from: first, successor: 0 }], current: first };
    let mut queue = VecDeque::from([(first, 0_usize)]);
    let mut expanded = Vec::new();
    explorer.statistics.stored += 1;
    while let Some((state, depth)) = queue.pop_front() {
        parents.current = state;
        expanded.clear();
        explorer.expand(state, depth, &parents, &mut expanded);
        explorer.statistics.depth = explorer.statistics.depth.max(depth);
        for (index, &Reached { id, distance }) in expanded.iter().enumerate() {
            if (id.0 as usize) < parents.links.len() {
                explorer.statistics.matched += 1;
                continue;
            }
            parents.links.push(Link { from: state, successor: index as u32 });
            explorer.statistics.stored += 1;
            let depth = depth + distance as usize;
            if explorer.plan.max_depth.is_some_and(|limit| depth > limit) {
                explorer.cut();
            } else {
                queue.push_back((id, depth));
            }
        }
        let extra = parents.links.capacity() * size_of::<Link>() + queue.capacity() * size_of::<(StateId, usize)>();
        if explorer.must_stop(depth, queue.len(), extra) {
            break;
        }
    }
    parents.links.capacity() * size_of::<Link>() + queue.capacity() * size_of::<(StateId, usize)>()
}
