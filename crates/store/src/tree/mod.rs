//! Tree compression (Blom, Lisser, van de Pol, Weber 2008; Laarman, van de Pol, Weber 2011).
//!
//! A vector is cut into pairs of words of 32 bits, pairs are numbered in tables, pairs of numbers are
//! pairs again, and so on up to the root, which is not numbered but put into a [set](roots) in the
//! compact form of Cleary (Laarman 2019). Vectors that differ in one word share all but one path. A
//! successor is looked up along the paths that differ from its source only.
//!
//! Laarman's handle is a position in a table of fixed size; here it is the root itself, so that the
//! tables can grow.
//!
//! Limits: 2^28 nodes in each table, 255 lengths, about 2^32 vectors of one length. Beyond, the answer
//! is that there is no room.

mod cache;
mod line;
mod nodes;
mod quotient;
mod roots;
mod shape;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use self::cache::Cache;
use self::nodes::{Nodes, Wanted};
use self::roots::{Growth, Home, Rooted, Roots};
use self::shape::{FLAT, INNER, Shape, TABLES};
use crate::arena::Open;
use crate::budget::Budget;
use crate::numbered::Located;
use crate::recent::{Recent, RecentWords};
use crate::store::{Batch, Config, Fresh, Guarantee, Handle, Item, Memo, Source, Store, identity};
use crate::wide;

/// How many lengths there can be.
const MAX_CLASSES: usize = 255;
/// Bits of a number in a handle.
const NUMBER_BITS: u32 = 28;
/// Vectors of so many bytes are better kept than loaded.
const KEPT: u32 = 32;
/// How many roots are on their way at once.
const GROUP: usize = 64;

/// A set of vectors that shares their parts.
#[derive(Debug)]
pub struct TreeStore {
    tables: [Nodes; TABLES],
    classes: RwLock<Vec<Arc<Class>>>,
    budget: Arc<Budget>,
    vectors: AtomicU64,
    identity: u64,
}

/// All vectors of one length.
#[derive(Debug)]
struct Class {
    shape: Shape,
    roots: Roots,
}

/// What a thread needs to use a [`TreeStore`].
#[derive(Debug)]
pub struct TreeSession {
    open: [Open; TABLES],
    wanted: [Wanted; TABLES],
    caches: [Cache; TABLES],
    /// Known classes, by number.
    classes: Vec<Arc<Class>>,
    /// The trees of the sources, then of the items: the numbers of their nodes.
    numbers: Vec<u32>,
    trees: Vec<Tree>,
    flight: Flight,
    recent: Recent,
    recent_words: RecentWords,
    identity: u64,
}

/// Where two groups of roots are looked for: those that are put in, and the next, whose lines are on their way.
type Flight = [Vec<Option<Home>>; 2];

/// The nodes of a vector, in [`TreeSession::numbers`].
#[derive(Clone, Copy, Debug)]
struct Tree {
    first: u32,
    class: u16,
    /// No class, or no node: it cannot be there.
    is_lost: bool,
}

/// A node has no number yet.
const UNKNOWN: u32 = u32::MAX;

impl TreeStore {
    /// The length of the shortest vectors that have handles.
    pub(crate) const SHORTEST: u32 = FLAT + 1;

    /// An empty store.
    #[must_use]
    pub fn new(config: &Config) -> TreeStore {
        let budget = Arc::new(Budget::thrifty(config));
        budget.force(size_of::<TreeStore>());
        let tables = std::array::from_fn(|_| Nodes::new(&budget));
        TreeStore { tables, classes: RwLock::default(), budget, vectors: AtomicU64::new(0), identity: identity() }
    }

    /// The class of vectors of some bytes; made if there is none and `make` says so.
    fn class(&self, session: &mut TreeSession, bytes: u32, make: bool) -> Option<u16> {
        let of = |classes: &[Arc<Class>]| classes.iter().position(|class| class.shape.bytes == bytes);
        if let Some(class) = of(&session.classes) {
            return Some(class as u16);
        }
        let mut classes = self.classes.write().unwrap_or_else(PoisonError::into_inner);
        if of(&classes).is_none() && make && classes.len() < MAX_CLASSES {
            classes.push(Arc::new(Class { shape: Shape::new(bytes), roots: Roots::new(&self.budget) }));
        }
        session.classes.clone_from(&classes);
        of(&session.classes).map(|class| class as u16)
    }

    /// Finds the classes of all sources and items; each gets a tree without nodes.
    fn classify(&self, session: &mut TreeSession, batch: &Batch<'_>, make: bool) {
        session.numbers.clear();
        session.trees.clear();
        let sources = batch.sources.iter().map(|source| (source.bytes, false));
        let items = batch.items.iter().map(|item| (item.bytes, make));
        let mut last = (u32::MAX, None);
        for (bytes, make) in sources.chain(items) {
            if last.0 != bytes || last.1.is_none() {
                last = (bytes, self.class(session, bytes, make));
            }
            let class = last.1;
            session.trees.push(Tree { first: 0, class: class.unwrap_or(0), is_lost: class.is_none() });
        }
    }

    /// Unfolds the sources: the numbers of all their nodes.
    fn unfold(&self, session: &mut TreeSession, classes: &[Arc<Class>], batch: &Batch<'_>) {
        let TreeSession { trees, numbers, .. } = session;
        let trees = &mut trees[..batch.sources.len()];
        for (source, tree) in batch.sources.iter().zip(&mut *trees) {
            let Some(handle) = source.handle.filter(|_| !tree.is_lost) else {
                tree.is_lost = true;
                continue;
            };
            let shape = &classes[tree.class as usize].shape;
            if shape.is_flat {
                tree.is_lost = true;
                continue;
            }
            let first = numbers.len();
            tree.first = first as u32;
            numbers.resize(first + shape.nodes(), UNKNOWN);
            for (side, number) in root_of(handle).into_iter().enumerate() {
                numbers[first + shape.root[side] as usize] = number;
                if shape.leaves > 2 {
                    self.tables[side].prefetch(number);
                }
            }
        }
        // Level by level, so that the nodes of one are on their way while another is read.
        for level in 0.. {
            let mut is_done = true;
            for tree in trees.iter().filter(|tree| !tree.is_lost) {
                is_done &= self.unfold_level(tree, &classes[tree.class as usize].shape, numbers, level);
            }
            if is_done {
                break;
            }
        }
    }

    /// Unfolds one level of inner nodes, counted from the root; true if it was the last.
    fn unfold_level(&self, tree: &Tree, shape: &Shape, numbers: &mut [u32], level: usize) -> bool {
        let Some(level) = shape.levels.len().checked_sub(level + 1) else { return true };
        for node in shape.level(level) {
            let at = tree.first as usize;
            let whole = shape.leaves + node;
            let pair = self.tables[shape.table(whole)].pair(numbers[at + whole]);
            for (child, number) in shape.inner[node].into_iter().zip(halves(pair)) {
                numbers[at + child as usize] = number;
                if child as usize >= shape.leaves {
                    self.tables[INNER].prefetch(number);
                }
            }
        }
        level == 0
    }

    /// Begins the trees of the items: copies those of their sources and wants the leaves that differ.
    fn begin(session: &mut TreeSession, classes: &[Arc<Class>], batch: &Batch<'_>) {
        let mut sources = batch.sources.iter().enumerate().peekable();
        for (at, item) in batch.items.iter().enumerate() {
            debug_assert_eq!(item.key, item.bytes, "all bytes count here");
            while sources.next_if(|(_, source)| source.end as usize <= at).is_some() {}
            let first = session.numbers.len();
            let tree = &mut session.trees[batch.sources.len() + at];
            if !tree.is_lost {
                tree.first = first as u32;
                let class = tree.class;
                session.begin_item(&classes[class as usize].shape, batch, item, sources.peek().copied());
            }
        }
    }

    /// Numbers the nodes of the items, level by level.
    fn climb(&self, session: &mut TreeSession, classes: &[Arc<Class>], items: Range<usize>, make: bool) {
        self.number_wanted(session, make);
        let highest = session.trees[items.clone()].iter().filter(|tree| !tree.is_lost);
        let highest = highest.map(|tree| classes[tree.class as usize].shape.levels.len()).max().unwrap_or(0);
        for level in 0..highest {
            for item in items.clone() {
                let tree = session.trees[item];
                let shape = &classes[tree.class as usize].shape;
                if !tree.is_lost && level < shape.levels.len() {
                    session.want_level(shape, item, level);
                }
            }
            self.number_wanted(session, make);
        }
    }

    fn number_wanted(&self, session: &mut TreeSession, make: bool) {
        let TreeSession { open, wanted, caches, numbers, .. } = session;
        for (((table, wanted), open), cache) in self.tables.iter().zip(wanted).zip(open).zip(caches) {
            let answer = |place: u32, pair: u64, number: u32| {
                numbers[place as usize] = number;
                cache.set(pair, number);
            };
            if wanted.pairs.is_empty() {
                continue;
            }
            if make { table.number_all(wanted, open, answer) } else { table.find_all(wanted, answer) }
        }
    }

    /// Puts the roots of the items in.
    fn root_all(&self, session: &mut TreeSession, classes: &[Arc<Class>], items: Range<usize>, fresh: &mut Vec<Fresh>) {
        let mut from = items.start;
        let mut new = 0;
        while from < items.end {
            // A run of items of one class, so that its lock is taken once.
            let class = session.trees[from].class;
            let other = (from..items.end).find(|&item| session.trees[item].class != class);
            let run = from..other.unwrap_or(items.end);
            from = run.end;
            let TreeSession { flight, trees, numbers, .. } = session;
            match classes.get(class as usize) {
                Some(known) => {
                    let root = |item: usize| known.shape.root_in(&trees[item], numbers);
                    new += root_run((known, class), flight, run, root, (items.start, fresh));
                }
                None => fresh.extend(run.map(|item| Fresh { place: (item - items.start) as u32, handle: None })),
            }
        }
        self.vectors.fetch_add(new, Ordering::Relaxed);
    }

    /// Puts items in that are all flat: their roots are there without looking at any node.
    fn root_flat(&self, session: &mut TreeSession, batch: &Batch<'_>, fresh: &mut Vec<Fresh>) {
        let mut from = 0;
        for items in batch.items.chunk_by(|one, other| one.bytes == other.bytes) {
            let run = from..from + items.len();
            from = run.end;
            if let Some(number) = self.class(session, items[0].bytes, true) {
                let class = Arc::clone(&session.classes[number as usize]);
                let TreeSession { recent_words, flight, .. } = session;
                recent_words.sift(batch, run, fresh, |words, fresh| {
                    let root = |item: usize| Some(halves(words[item]));
                    let new = root_run((&class, number), flight, 0..words.len(), root, (0, fresh));
                    self.vectors.fetch_add(new, Ordering::Relaxed);
                });
            } else {
                fresh.extend(run.map(|item| Fresh { place: item as u32, handle: None }));
            }
        }
    }

    /// Puts the items in and tells where each is; none may be [shorter](TreeStore::SHORTEST).
    pub(crate) fn insert_at(&self, session: &mut TreeSession, batch: &Batch<'_>, located: &mut Vec<Located>) {
        let first = located.len();
        let mut fresh = Vec::new();
        self.with_trees(session, batch, true, |session, classes, items| {
            located.extend(session.trees[items.clone()].iter().map(|tree| {
                let root = classes.get(tree.class as usize).and_then(|it| it.shape.root_in(tree, &session.numbers));
                root.map_or(Located::Nowhere, |root| Located::Old(handle(tree.class, root)))
            }));
            self.root_all(session, classes, items, &mut fresh);
        });
        for Fresh { place, handle } in fresh {
            located[first + place as usize] = handle.map_or(Located::Nowhere, Located::New);
        }
    }

    /// Finds the numbers of all nodes of the items, and tells `then` which trees are theirs.
    fn with_trees(
        &self,
        session: &mut TreeSession,
        batch: &Batch<'_>,
        make: bool,
        then: impl FnOnce(&mut TreeSession, &[Arc<Class>], Range<usize>),
    ) {
        assert_eq!(session.identity, self.identity, "a session of another store");
        self.classify(session, batch, make);
        // Out of the session, which changes all the time.
        let classes = std::mem::take(&mut session.classes);
        let items = batch.sources.len()..session.trees.len();
        self.unfold(session, &classes, batch);
        TreeStore::begin(session, &classes, batch);
        self.climb(session, &classes, items.clone(), make);
        then(session, &classes, items);
        session.classes = classes;
    }
}

/// Puts the roots of items of one class in; returns how many are new.
fn root_run(
    (class, number): (&Class, u16),
    flight: &mut Flight,
    run: Range<usize>,
    root: impl Fn(usize) -> Option<[u32; 2]>,
    (first, fresh): (usize, &mut Vec<Fresh>),
) -> u64 {
    let mut new = 0;
    let mut from = run.start;
    while from < run.end {
        let mut is_fresh = |item: usize, root: Option<[u32; 2]>| {
            new += u64::from(root.is_some());
            let handle = root.map(|root| handle(number, root));
            fresh.push(Fresh { place: (item - first) as u32, handle });
        };
        let growth = if wide::is_there() {
            root_some::<true>(class, flight, (&mut from, run.end), &root, &mut is_fresh)
        } else {
            root_some::<false>(class, flight, (&mut from, run.end), &root, &mut is_fresh)
        };
        if let Some((growth, must)) = growth
            && !class.roots.grow(growth)
            && must
        {
            fresh.push(Fresh { place: (from - first) as u32, handle: None });
            from += 1;
        }
    }
    new
}

/// Puts roots in, those from `from` on, until a segment should, or must, grow. Tells `fresh` the roots
/// of those that are new, and those that have no root.
fn root_some<const WIDE: bool>(
    class: &Class,
    [one, other]: &mut Flight,
    (from, end): (&mut usize, usize),
    root: &impl Fn(usize) -> Option<[u32; 2]>,
    fresh: &mut impl FnMut(usize, Option<[u32; 2]>),
) -> Option<(Growth, bool)> {
    let directory = class.roots.read();
    let home = |item: usize| root(item).map(|[left, right]| directory.home(left, right));
    let fetch = |first: usize, homes: &mut Vec<Option<Home>>| {
        homes.clear();
        homes.extend((first..end.min(first + GROUP)).map(home));
        homes.iter().flatten().for_each(Home::prefetch);
    };
    let (mut ahead, mut here) = (one, other);
    fetch(*from, ahead);
    while *from < end {
        std::mem::swap(&mut ahead, &mut here);
        fetch(*from + here.len(), ahead);
        for place in &*here {
            let item = *from;
            let rooted = place.as_ref().map(|place| directory.put::<WIDE>(place));
            if let Some(Rooted::Crowded(growth)) = rooted {
                return Some((growth, true));
            }
            *from += 1;
            match rooted {
                None => fresh(item, None),
                Some(Rooted::New(growth)) => {
                    fresh(item, root(item));
                    if let Some(growth) = growth {
                        return Some((growth, false));
                    }
                }
                Some(_) => {}
            }
        }
    }
    None
}

impl TreeSession {
    /// Begins the tree of an item.
    fn begin_item(&mut self, shape: &Shape, batch: &Batch<'_>, item: &Item, source: Option<(usize, &Source)>) {
        let (words, first) = (batch.vector(item), self.numbers.len());
        if shape.is_flat {
            return self.numbers.extend(Shape::flat_root(words));
        }
        let source = source.filter(|(at, source)| source.bytes == item.bytes && !self.trees[*at].is_lost);
        match source {
            Some((at, source)) => {
                let from = batch.source(source);
                let tree = self.trees[at].first as usize;
                self.numbers.extend_from_within(tree..tree + shape.nodes());
                for leaf in 0..shape.leaves {
                    let (new, old) = (shape.leaf(words, leaf), shape.leaf(from, leaf));
                    if new != old {
                        self.want(shape, first, leaf, new);
                    }
                }
            }
            None => {
                self.numbers.resize(first + shape.nodes(), UNKNOWN);
                (0..shape.leaves).for_each(|leaf| self.want(shape, first, leaf, shape.leaf(words, leaf)));
            }
        }
    }

    #[inline]
    fn want(&mut self, shape: &Shape, first: usize, node: usize, pair: u64) {
        // Marks the way up.
        let parent = shape.parents[node] as usize;
        if parent < shape.nodes() {
            self.numbers[first + parent] = UNKNOWN;
        }
        let table = shape.table(node);
        if let Some(number) = self.caches[table].get(pair) {
            self.numbers[first + node] = number;
            return;
        }
        self.numbers[first + node] = UNKNOWN;
        let wanted = &mut self.wanted[table];
        wanted.pairs.push(pair);
        wanted.places.push((first + node) as u32);
    }

    /// Wants the inner nodes of a level above changed ones.
    fn want_level(&mut self, shape: &Shape, item: usize, level: usize) {
        let first = self.trees[item].first as usize;
        for node in shape.level(level) {
            if self.numbers[first + shape.leaves + node] != UNKNOWN {
                continue;
            }
            let [left, right] = shape.inner[node].map(|child| self.numbers[first + child as usize]);
            if left == 0 || right == 0 {
                self.trees[item].is_lost = true;
                return;
            }
            self.want(shape, first, shape.leaves + node, u64::from(left) << 32 | u64::from(right));
        }
    }
}

impl Shape {
    /// The numbers of the root of a tree; None if a node has none.
    #[inline]
    fn root_in(&self, tree: &Tree, numbers: &[u32]) -> Option<[u32; 2]> {
        if tree.is_lost {
            return None;
        }
        let root = self.root.map(|child| numbers[tree.first as usize + child as usize]);
        (self.is_flat || root[0] != 0 && root[1] != 0).then_some(root)
    }
}

fn halves(pair: u64) -> [u32; 2] {
    [(pair >> 32) as u32, pair as u32]
}

/// Where a vector is; of a flat one this says nothing.
fn handle(class: u16, root: [u32; 2]) -> Handle {
    Handle(u64::from(class) << (2 * NUMBER_BITS) | u64::from(root[0]) << NUMBER_BITS | u64::from(root[1]))
}

fn root_of(handle: Handle) -> [u32; 2] {
    let mask = (1 << NUMBER_BITS) - 1;
    [(handle.0 >> NUMBER_BITS & mask) as u32, (handle.0 & mask) as u32]
}

impl Store for TreeStore {
    type Session = TreeSession;

    const USES_SOURCES: bool = true;

    fn memo(&self, bytes: u32, _key: u32) -> Memo {
        if bytes <= FLAT {
            Memo::VECTOR
        } else if bytes <= KEPT {
            Memo::BOTH
        } else {
            Memo::HANDLE
        }
    }

    fn session(&self) -> TreeSession {
        TreeSession {
            open: Default::default(),
            wanted: Default::default(),
            caches: Default::default(),
            classes: Vec::new(),
            numbers: Vec::new(),
            trees: Vec::new(),
            flight: Flight::default(),
            recent: Recent::default(),
            recent_words: RecentWords::default(),
            identity: self.identity,
        }
    }

    fn insert(&self, session: &mut TreeSession, batch: &Batch<'_>, fresh: &mut Vec<Fresh>) {
        assert_eq!(session.identity, self.identity, "a session of another store");
        if batch.items.iter().all(|item| item.bytes <= FLAT) {
            return self.root_flat(session, batch, fresh);
        }
        let mut recent = std::mem::take(&mut session.recent);
        recent.sift(batch, fresh, |batch, fresh| {
            self.with_trees(session, batch, true, |session, classes, items| {
                self.root_all(session, classes, items, fresh);
            });
        });
        session.recent = recent;
    }

    fn lookup(&self, session: &mut TreeSession, batch: &Batch<'_>, known: &mut Vec<bool>) {
        self.with_trees(session, batch, false, |session, classes, items| {
            known.extend(session.trees[items].iter().map(|tree| {
                let Some(class) = classes.get(tree.class as usize) else { return false };
                class.shape.root_in(tree, &session.numbers).is_some_and(|[left, right]| {
                    let directory = class.roots.read();
                    directory.has(&directory.home(left, right))
                })
            }));
        });
    }

    fn load(&self, session: &mut TreeSession, handle: Handle, words: &mut Vec<u64>) -> u32 {
        let class = (handle.0 >> (2 * NUMBER_BITS)) as usize;
        if class >= session.classes.len() {
            session.classes.clone_from(&self.classes.read().unwrap_or_else(PoisonError::into_inner));
        }
        let shape = &session.classes[class].shape;
        let numbers = &mut session.numbers;
        numbers.clear();
        numbers.resize(shape.nodes(), UNKNOWN);
        for (child, number) in shape.root.into_iter().zip(root_of(handle)) {
            numbers[child as usize] = number;
        }
        for node in (0..shape.inner.len()).rev() {
            let whole = shape.leaves + node;
            let pair = self.tables[shape.table(whole)].pair(numbers[whole]);
            for (child, number) in shape.inner[node].into_iter().zip(halves(pair)) {
                numbers[child as usize] = number;
            }
        }
        let leaf = |leaf: usize| self.tables[shape.table(leaf)].pair(numbers[leaf]);
        let begin = words.len();
        words.extend((0..shape.leaves).map(leaf));
        shape.join(&mut words[begin..]);
        shape.bytes
    }

    fn len(&self) -> u64 {
        self.vectors.load(Ordering::Relaxed)
    }

    fn memory(&self) -> usize {
        self.budget.used()
    }

    fn fill(&self) -> f64 {
        let classes = self.classes.read().unwrap_or_else(PoisonError::into_inner);
        let slots: u64 = classes.iter().map(|class| class.roots.slots()).sum();
        self.len() as f64 / slots.max(1) as f64
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Exact
    }
}
