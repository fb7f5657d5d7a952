//! How the tree over a vector looks.

/// The tables of nodes. Left and right children of roots are numbered apart from all others: their
/// numbers stay small, and roots are made of them.
pub(crate) const LEFT: usize = 0;
/// See [`LEFT`].
pub(crate) const RIGHT: usize = 1;
/// See [`LEFT`].
pub(crate) const INNER: usize = 2;
/// How many tables there are.
pub(crate) const TABLES: usize = 3;
/// Vectors of so many bytes are roots themselves.
pub(crate) const FLAT: u32 = 8;

/// The tree over all vectors of one length. Its nodes are numbered: first the leaves, each a pair of
/// words of 32 bits, then the inner nodes, level by level. The root is no node.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) bytes: u32,
    pub(crate) leaves: usize,
    /// Inner nodes: their two children.
    pub(crate) inner: Vec<[u32; 2]>,
    /// Where the levels of inner nodes end.
    pub(crate) levels: Vec<usize>,
    /// The children of the root.
    pub(crate) root: [u32; 2],
    /// The parents of all nodes; beyond the nodes: the root.
    pub(crate) parents: Vec<u32>,
    /// The vector is so short that it is the root itself: its children are no numbers of nodes.
    pub(crate) is_flat: bool,
    /// How many bits the first leaf has. Of two leaves each has half of the bytes: if the first had eight of nine, it
    /// would hardly ever be one that is known.
    cut: u32,
}

impl Shape {
    /// Pairs are paired until two are left; an odd one is passed on as it is.
    pub(crate) fn new(bytes: u32) -> Shape {
        let leaves = (bytes as usize).div_ceil(8).max(2);
        let mut current: Vec<u32> = (0..leaves as u32).collect();
        let (mut inner, mut levels) = (Vec::new(), Vec::new());
        while current.len() > 2 {
            current = current
                .chunks(2)
                .map(|children| match *children {
                    [left, right] => {
                        inner.push([left, right]);
                        (leaves + inner.len() - 1) as u32
                    }
                    _ => children[0],
                })
                .collect();
            levels.push(inner.len());
        }
        let mut parents = vec![u32::MAX; leaves + inner.len()];
        for (node, children) in inner.iter().enumerate() {
            children.iter().for_each(|&child: &u32| parents[child as usize] = (leaves + node) as u32);
        }
        let is_flat = bytes <= FLAT;
        let cut = if leaves == 2 && !is_flat { bytes.div_ceil(2) * 8 } else { 64 };
        Shape { bytes, leaves, inner, levels, root: [current[0], current[1]], parents, is_flat, cut }
    }

    /// A leaf of a vector.
    #[inline(always)]
    pub(crate) fn leaf(&self, words: &[u64], leaf: usize) -> u64 {
        match (self.cut, leaf) {
            (64, _) => words[leaf],
            (cut, 0) => words[0] & ((1 << cut) - 1),
            (cut, _) => words[0] >> cut | words[1] << (64 - cut),
        }
    }

    /// Makes the words of a vector of its leaves.
    pub(crate) fn join(&self, leaves: &mut [u64]) {
        if let (cut @ ..64, [first, second]) = (self.cut, leaves) {
            (*first, *second) = (*first | *second << cut, *second >> (64 - cut));
        }
    }

    /// The root of a flat vector.
    #[inline]
    pub(crate) fn flat_root(words: &[u64]) -> [u32; 2] {
        let word = words.first().copied().unwrap_or(0);
        [(word >> 32) as u32, word as u32]
    }

    /// The inner nodes of a level.
    pub(crate) fn level(&self, level: usize) -> std::ops::Range<usize> {
        let start = if level == 0 { 0 } else { self.levels[level - 1] };
        start..self.levels[level]
    }

    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> usize {
        self.leaves + self.inner.len()
    }

    /// The table of a node.
    pub(crate) fn table(&self, node: usize) -> usize {
        if node == self.root[0] as usize {
            LEFT
        } else if node == self.root[1] as usize {
            RIGHT
        } else {
            INNER
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FLAT, Shape};

    #[test]
    fn leaves_are_joined_again() {
        for bytes in FLAT + 1..=40 {
            let (shape, last) = (Shape::new(bytes), (bytes as usize - 1) / 8);
            let mut words: Vec<u64> = (1..=last as u64 + 1).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            words[last] &= u64::MAX >> (64 - ((bytes - 1) % 8 + 1) * 8);
            let mut leaves: Vec<u64> = (0..shape.leaves).map(|leaf| shape.leaf(&words, leaf)).collect();
            shape.join(&mut leaves);
            assert_eq!(leaves, words, "{bytes}");
        }
    }

    #[test]
    fn every_node_but_the_root_has_one_parent() {
        for bytes in 0..400 {
            let shape = Shape::new(bytes);
            let mut parents = vec![0; shape.nodes()];
            shape.inner.iter().chain([&shape.root]).flatten().for_each(|&child| parents[child as usize] += 1);
            assert!(parents.iter().all(|&count| count == 1), "{shape:?}");
            for (node, children) in shape.inner.iter().enumerate() {
                assert!(children.iter().all(|&child| (child as usize) < shape.leaves + node));
            }
        }
    }
}
