//! Strongly connected components (Tarjan 1972), without recursion.

/// The components of a graph.
#[derive(Debug)]
pub(crate) struct Components {
    /// The component of each node. Edges lead to the same or a lower number.
    pub(crate) of: Vec<usize>,
    /// How many there are.
    pub(crate) count: usize,
}

const UNSEEN: usize = usize::MAX;

struct Tarjan {
    /// When a node was first met.
    number: Vec<usize>,
    /// The earliest node of its component known so far.
    low: Vec<usize>,
    component: Vec<usize>,
    /// Nodes whose component is not known.
    stack: Vec<usize>,
    met: usize,
    count: usize,
}

impl Tarjan {
    fn enter(&mut self, node: usize) {
        self.number[node] = self.met;
        self.low[node] = self.met;
        self.met += 1;
        self.stack.push(node);
    }

    fn leave(&mut self, node: usize) {
        if self.low[node] != self.number[node] {
            return;
        }
        while let Some(member) = self.stack.pop() {
            self.component[member] = self.count;
            if member == node {
                break;
            }
        }
        self.count += 1;
    }

    fn see(&mut self, node: usize, target: usize) {
        if self.component[target] == UNSEEN {
            self.low[node] = self.low[node].min(self.low[target]);
        }
    }
}

/// The components of the graph with the nodes below `count`.
pub(crate) fn components<I: Iterator<Item = usize>>(count: usize, successors: impl Fn(usize) -> I) -> Components {
    let unseen = || vec![UNSEEN; count];
    let mut tarjan =
        Tarjan { number: unseen(), low: unseen(), component: unseen(), stack: Vec::new(), met: 0, count: 0 };
    for root in 0..count {
        if tarjan.number[root] != UNSEEN {
            continue;
        }
        tarjan.enter(root);
        let mut path = vec![(root, successors(root))];
        while let Some((node, rest)) = path.last_mut() {
            let node = *node;
            match rest.next() {
                Some(target) if tarjan.number[target] == UNSEEN => {
                    tarjan.enter(target);
                    path.push((target, successors(target)));
                }
                Some(target) => tarjan.see(node, target),
                None => {
                    path.pop();
                    tarjan.leave(node);
                    if let Some((parent, _)) = path.last() {
                        tarjan.see(*parent, node);
                    }
                }
            }
        }
    }
    Components { of: tarjan.component, count: tarjan.count }
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_are_numbered_from_the_end() {
        // 0 -> 1 <-> 2 -> 3, 3 -> 3, 4 -> 0
        let graph = [vec![1], vec![2], vec![1, 3], vec![3], vec![0]];
        let found = components(graph.len(), |node| graph[node].iter().copied());
        assert_eq!(found.count, 4);
        assert_eq!(found.of[1], found.of[2]);
        assert_eq!((found.of[3], found.of[1], found.of[0], found.of[4]), (0, 1, 2, 3));
    }
}
