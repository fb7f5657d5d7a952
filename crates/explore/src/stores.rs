//! How searches meet stores: the one place that knows which stores there are.

use crate::control::Control;
use crate::migrate::drain_into;
use crate::observe::Observer;
use crate::plan::{Encoding, Plan, StoreKind};
use crate::report::{CacheReport, StopReason};
use spinor_store::{
    BitstateConfig, BitstateStore, CacheConfig, CacheStore, Code, CollapseStore, Config, Cut, Encoded, ExactStore,
    Frequencies, Guarantee, Handle, HashCompactStore, Huffman, RunLength, Store, TreeStore,
};
use std::time::Duration;

/// A search that can be interrupted when a store is full, to go on with another.
pub(crate) trait Search {
    /// Goes on until all is done or [`Control::must_rest`].
    fn run<T: Store>(&mut self, control: &Control<'_>, store: &T, observer: &mut dyn Observer);

    /// Called at the end, while the states are still there.
    fn conclude<T: Store>(&mut self, control: &Control<'_>, store: &T);

    /// Called if it cannot even begin.
    fn abandon(&mut self, _control: &Control<'_>) {}

    /// Shows every handle that the search still needs.
    fn handles(&mut self, visit: &mut dyn FnMut(&mut Handle));

    /// Whether states are compared in all their bytes, as every store but the exact one does.
    fn compares_all(&self) -> bool;

    /// Shows the vectors of some states near the first, for a store that adapts to them. None at all
    /// would be right, too.
    fn sample(&self, _visit: &mut dyn FnMut(&[u64], u32)) {}
}

/// A store that can be made from a plan.
pub(crate) trait Open: Store + Sized {
    /// What it is.
    const KIND: StoreKind;

    /// Where the states go when there is no more room.
    type Smaller: Open;

    /// An empty one; none if there is no memory for it.
    fn open(plan: &Plan) -> Option<Self>;

    /// The same for a search, whose states it may look at first.
    fn open_for(plan: &Plan, _search: &impl Search) -> Option<Self> {
        Self::open(plan)
    }

    /// Why there is no more room.
    fn full_because(&self, plan: &Plan) -> StopReason {
        if plan.max_memory.is_some() { StopReason::Memory } else { StopReason::StoreFull }
    }

    /// What it did, if it is a cache.
    fn cache_report(&self, _plan: &Plan) -> Option<CacheReport> {
        None
    }

    /// Moves all states to a smaller store, if there is one. `false` if they do not fit even there.
    fn move_to_smaller(self, _plan: &Plan, _search: &mut impl Search) -> Result<(Self::Smaller, bool), Self> {
        Err(self)
    }
}

fn config(plan: &Plan) -> Config {
    Config { max_bytes: plan.max_memory, seed: plan.seed, has_core: plan.leaves_core() }
}

impl Open for ExactStore {
    const KIND: StoreKind = StoreKind::Exact;
    type Smaller = TreeStore;

    fn open(plan: &Plan) -> Option<ExactStore> {
        Some(ExactStore::new(&config(plan)))
    }

    fn move_to_smaller(self, plan: &Plan, search: &mut impl Search) -> Result<(TreeStore, bool), ExactStore> {
        if !search.compares_all() {
            return Err(self);
        }
        let smaller = TreeStore::new(&config(plan));
        let fits = drain_into(self, &smaller, search);
        Ok((smaller, fits))
    }
}

impl Open for Encoded<ExactStore> {
    const KIND: StoreKind = StoreKind::Exact;
    type Smaller = Encoded<ExactStore>;

    fn open(plan: &Plan) -> Option<Encoded<ExactStore>> {
        Some(encoded(plan, Frequencies::default()))
    }

    fn open_for(plan: &Plan, search: &impl Search) -> Option<Encoded<ExactStore>> {
        let mut frequencies = Frequencies::default();
        if plan.encode == Some(Encoding::Huffman) {
            search.sample(&mut |words, bytes| frequencies.count(words, bytes));
        }
        Some(encoded(plan, frequencies))
    }
}

fn encoded(plan: &Plan, frequencies: Frequencies) -> Encoded<ExactStore> {
    let code = match plan.encode {
        Some(Encoding::RunLength) => Code::RunLength(RunLength),
        Some(Encoding::Huffman) | None => Code::Huffman(Box::new(Huffman::new(frequencies))),
    };
    Encoded::new(code, ExactStore::new(&config(plan)))
}

impl Open for TreeStore {
    const KIND: StoreKind = StoreKind::Tree;
    type Smaller = TreeStore;

    fn open(plan: &Plan) -> Option<TreeStore> {
        Some(TreeStore::new(&config(plan)))
    }
}

impl Open for CollapseStore {
    const KIND: StoreKind = StoreKind::Collapse;
    type Smaller = CollapseStore;

    fn open(plan: &Plan) -> Option<CollapseStore> {
        Some(CollapseStore::new(&config(plan), Cut::default()))
    }
}

impl Open for HashCompactStore {
    const KIND: StoreKind = StoreKind::HashCompact;
    type Smaller = HashCompactStore;

    fn open(plan: &Plan) -> Option<HashCompactStore> {
        Some(HashCompactStore::new(&config(plan)))
    }
}

impl Open for BitstateStore {
    const KIND: StoreKind = StoreKind::Bitstate;
    type Smaller = BitstateStore;

    fn open(plan: &Plan) -> Option<BitstateStore> {
        BitstateStore::new(&BitstateConfig {
            bytes: plan.bitstate_bytes,
            probes: plan.hashes,
            seed: plan.seed,
            has_core: plan.leaves_core(),
        })
    }
}

impl Open for CacheStore {
    const KIND: StoreKind = StoreKind::Cache;
    type Smaller = CacheStore;

    fn open(plan: &Plan) -> Option<CacheStore> {
        Some(CacheStore::new(plan.cache))
    }

    fn full_because(&self, _: &Plan) -> StopReason {
        if self.is_stuck() { StopReason::CacheFull } else { StopReason::Memory }
    }

    fn cache_report(&self, plan: &Plan) -> Option<CacheReport> {
        let CacheConfig { states: room, replacement, .. } = plan.cache;
        Some(CacheReport { room, replacement, statistics: self.statistics(), explosion: self.explosion() })
    }
}

/// What is left to say of a store when the search is over.
#[derive(Clone, Debug)]
pub(crate) struct Storage {
    pub(crate) kind: StoreKind,
    /// How long the search took; to free the memory again is not part of it.
    pub(crate) time: Duration,
    pub(crate) memory: usize,
    pub(crate) fill: f64,
    pub(crate) guarantee: Guarantee,
    pub(crate) notes: Vec<String>,
    pub(crate) cache: Option<CacheReport>,
}

/// Runs a search to its end, with a smaller store if need be.
pub(crate) fn run_to_end<T: Open>(
    search: &mut impl Search,
    control: &Control<'_>,
    observer: &mut dyn Observer,
) -> Storage {
    let Some(store) = T::open_for(control.plan, search) else {
        control.halt(StopReason::Memory);
        search.abandon(control);
        let (guarantee, notes) = (Guarantee::Exact, Vec::new());
        let (kind, time) = (T::KIND, control.elapsed());
        return Storage { kind, time, memory: 0, fill: 0.0, guarantee, notes, cache: None };
    };
    search.run(control, &store, observer);
    if !control.is_full() || control.is_halted() {
        return finish(search, control, &store);
    }
    let stored = store.len();
    let (store, fits) = match store.move_to_smaller(control.plan, search) {
        Ok(smaller) => smaller,
        Err(store) => return finish(search, control, &store),
    };
    let note = format!(
        "the memory limit was reached by {} store after {stored} states; the search goes on with {} store",
        T::KIND.name(),
        T::Smaller::KIND.name(),
    );
    observer.note(&note);
    if fits {
        control.set_full(false);
        search.run(control, &store, observer);
    }
    Storage { notes: vec![note], ..finish(search, control, &store) }
}

fn finish<T: Open>(search: &mut impl Search, control: &Control<'_>, store: &T) -> Storage {
    if control.is_full() {
        control.halt(store.full_because(control.plan));
    }
    control.memory(store);
    // To find the paths to what is wrong is not a part of the search.
    let time = control.elapsed();
    search.conclude(control, store);
    Storage {
        kind: T::KIND,
        time,
        memory: store.memory(),
        fill: store.fill(),
        guarantee: store.guarantee(),
        notes: Vec::new(),
        cache: store.cache_report(control.plan),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::breadth_first::BreadthFirst;
    use crate::depth_first::DepthFirst;
    use crate::expand::Expander;
    use crate::findings::Counts;
    use crate::observe::Quiet;
    use crate::plan::Order;
    use crate::vectors::{State, Vector};
    use spinor_exec::{Packed, Packing, Semantics as _, Successors};
    use spinor_store::{Batch, Fresh, Memo};
    use std::time::Instant;

    /// A store with room for few states, whose states move to an exact store.
    struct Small(ExactStore);

    const ROOM: u64 = 40;

    impl Store for Small {
        type Session = <ExactStore as Store>::Session;
        const USES_SOURCES: bool = true;

        fn memo(&self, bytes: u32, key: u32) -> Memo {
            self.0.memo(bytes, key)
        }

        fn session(&self) -> Self::Session {
            self.0.session()
        }

        fn insert(&self, session: &mut Self::Session, batch: &Batch<'_>, fresh: &mut Vec<Fresh>) {
            for (place, item) in (0..).zip(batch.items) {
                let one = Batch { items: &[*item], source_words: &[], sources: &[], ..*batch };
                let mut known = Vec::new();
                self.0.lookup(session, &one, &mut known);
                if self.0.len() >= ROOM && !known[0] {
                    fresh.push(Fresh { place, handle: None });
                } else {
                    let before = fresh.len();
                    self.0.insert(session, &one, fresh);
                    fresh[before..].iter_mut().for_each(|it| it.place = place);
                }
            }
        }

        fn lookup(&self, session: &mut Self::Session, batch: &Batch<'_>, known: &mut Vec<bool>) {
            self.0.lookup(session, batch, known);
        }

        fn load(&self, session: &mut Self::Session, handle: Handle, words: &mut Vec<u64>) -> u32 {
            self.0.load(session, handle, words)
        }

        fn len(&self) -> u64 {
            self.0.len()
        }

        fn memory(&self) -> usize {
            self.0.memory()
        }

        fn fill(&self) -> f64 {
            self.0.fill()
        }

        fn guarantee(&self) -> Guarantee {
            self.0.guarantee()
        }
    }

    impl Open for Small {
        const KIND: StoreKind = StoreKind::Exact;
        type Smaller = ExactStore;

        fn open(plan: &Plan) -> Option<Small> {
            Some(Small(ExactStore::new(&config(plan))))
        }

        fn move_to_smaller(self, plan: &Plan, search: &mut impl Search) -> Result<(ExactStore, bool), Small> {
            let smaller = ExactStore::new(&config(plan));
            let fits = drain_into(self.0, &smaller, search);
            Ok((smaller, fits))
        }
    }

    const MODEL: &str = "byte x; chan c = [2] of {byte};
        active [2] proctype P() {
            byte i;
            do
            :: i < 2 -> atomic { x++; i++; if :: c!x :: true fi }
            :: i < 2 -> i++; x--
            :: c?_
            od
        }";

    /// Counts of a search, and whether its states moved.
    fn search<T: Open>(plan: &Plan) -> (Counts, bool) {
        let loader = spinor_syntax::source::NoIncludes;
        let (model, _) = spinor_model::compile("moves.pml", MODEL, &[], &loader);
        let mut engine = Expander::new(Packed::new(&model, Packing::default()), None);
        let mut out = Successors::default();
        engine.initial(&mut out).expect("a first state");
        let next = out.list[0];
        let first: State = Vector { words: out.vector(&next), bytes: next.bytes, key: next.key }.to_state();
        let control = Control::new(plan, Instant::now());
        let (counts, storage) = match plan.order {
            Order::BreadthFirst => {
                let mut search = BreadthFirst::new(&engine, first, plan, None);
                let storage = run_to_end::<T>(&mut search, &control, &mut Quiet);
                (search.counts(), storage)
            }
            Order::DepthFirst => {
                let mut search = DepthFirst::new(&engine, &first, plan);
                let storage = run_to_end::<T>(&mut search, &control, &mut Quiet);
                (search.counts(), storage)
            }
        };
        assert_eq!(control.stopped(), None);
        (counts, !storage.notes.is_empty())
    }

    /// What one thread has given and no other has taken yet when there is no more room is done in the next store.
    #[test]
    fn no_task_is_lost_on_the_way_to_another_store() {
        let plan = Plan { order: Order::DepthFirst, threads: 4, keep_going: true, ..Plan::default() };
        let (whole, _) = search::<ExactStore>(&plan);
        for _ in 0..300 {
            let (moved, did_move) = search::<Small>(&plan);
            assert!(did_move);
            assert_eq!((moved.stored, moved.matched), (whole.stored, whole.matched));
        }
    }

    #[test]
    fn a_search_goes_on_in_another_store() {
        for order in [Order::BreadthFirst, Order::DepthFirst] {
            for threads in [1, 2, 3] {
                let plan = Plan { order, threads, keep_going: true, small_level: 0, ..Plan::default() };
                let (whole, stayed) = search::<ExactStore>(&plan);
                let (moved, did_move) = search::<Small>(&plan);
                assert!(whole.stored > 10 * ROOM, "only {} states", whole.stored);
                assert!(!stayed && did_move);
                assert_eq!((moved.stored, moved.matched), (whole.stored, whole.matched), "{plan:?}");
            }
        }
    }
}
