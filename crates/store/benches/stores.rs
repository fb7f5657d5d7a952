//! How long a lookup takes, in nanoseconds, and what a vector costs, in bytes.
//!
//! `cargo bench -p spinor-store -- [random|grid|all] [exact|tree|collapse|compact|bitstate|all] [threads]`
#![allow(clippy::print_stdout, reason = "that is what a benchmark is for")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use spinor_store::{
    Batch, BitstateConfig, BitstateStore, CollapseStore, Config, Cut, ExactStore, Handle, HashCompactStore, Item,
    Source, Store, TreeStore,
};

/// Items in a batch.
const BATCH: usize = 512;

/// Runs something with a new store of some name.
macro_rules! with_store {
    ($name:expr, $store:ident => $run:expr) => {{
        let config = Config::default();
        match $name {
            "exact" => with_store!(@ ExactStore::new(&config), $store => $run),
            "tree" => with_store!(@ TreeStore::new(&config), $store => $run),
            "collapse" => with_store!(@ CollapseStore::new(&config, Cut::default()), $store => $run),
            "compact" => with_store!(@ HashCompactStore::new(&config), $store => $run),
            _ => with_store!(@ BitstateStore::new(&BitstateConfig::default()).expect("there is memory"), $store => $run),
        }
    }};
    (@ $new:expr, $store:ident => $run:expr) => {{
        let $store = &$new;
        $run
    }};
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wants = |at: usize, name: &str| arguments.get(at).is_none_or(|wanted| wanted == name || wanted == "all");
    let threads = arguments.get(2).and_then(|count| count.parse().ok()).unwrap_or(1);
    for name in ["exact", "tree", "collapse", "compact", "bitstate"].into_iter().filter(|name| wants(1, name)) {
        for words in [2, 3, 4].into_iter().filter(|_| wants(0, "random")) {
            with_store!(name, store => random(name, store, words, threads));
        }
        let grids = [Grid { words: 3, radix: 13, digits: 6 }, Grid { words: 5, radix: 5, digits: 10 }];
        for grid in grids.iter().filter(|_| wants(0, "grid")) {
            with_store!(name, store => search(name, store, grid));
        }
    }
}

/// Seconds that this process has computed: the time to look at when the machine is busy.
fn computed() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.unwrap_or(f64::NAN) / 1e9
}

fn mix(n: u64) -> u64 {
    let n = (n ^ n >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (n ^ n >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// 20 million insertions, a quarter of them new, the others spread over all that is there.
fn random<S: Store>(name: &str, store: &S, words: usize, threads: u64) {
    const ITEMS: u64 = 20_000_000;
    let bytes = words as u32 * 8 - 2;
    let found = AtomicU64::new(0);
    let run = |thread: u64, is_dry: bool| {
        let mut session = store.session();
        let (mut buffer, mut items, mut fresh) = (Vec::new(), Vec::new(), Vec::new());
        let mut new = 0;
        for batch in 0..ITEMS / threads / BATCH as u64 {
            buffer.clear();
            items.clear();
            for n in batch * BATCH as u64..(batch + 1) * BATCH as u64 {
                let value = if n % 4 == 0 { n / 4 } else { mix(n) % (n / 4 + 1) };
                items.push(Item::new(buffer.len() as u32, bytes));
                buffer.extend((0..words as u64).map(|word| (value * threads + thread) * (word + 1)));
                *buffer.last_mut().expect("there are words") &= !0 >> 16;
            }
            if is_dry {
                std::hint::black_box(&buffer);
                continue;
            }
            let batch = Batch { words: &buffer, items: &items, source_words: &[], sources: &[] };
            fresh.clear();
            store.insert(&mut session, &batch, &mut fresh);
            new += fresh.len() as u64;
        }
        found.fetch_add(new, Ordering::Relaxed);
    };
    let timed = |is_dry: bool| {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                scope.spawn(move || run(thread, is_dry));
            }
        });
        start.elapsed().as_secs_f64()
    };
    let dry = timed(true);
    let time = timed(false) - dry;
    println!(
        "random {name:12} {bytes:3} bytes {threads} threads: {:5.1} ns an item, {:5.1} bytes a vector, {} new, fill {:.2}, {:?}",
        time * 1e9 / ITEMS as f64,
        store.memory() as f64 / store.len() as f64,
        found.into_inner(),
        store.fill(),
        store.guarantee()
    );
}

/// A graph: vectors of digits that are spread over the bytes; a step counts one digit up.
struct Grid {
    words: usize,
    radix: u64,
    digits: u32,
}

impl Grid {
    /// The word and the unit of a digit.
    fn digit(&self, digit: u32) -> (usize, u32) {
        let bit = digit * (self.words as u32 * 64 / self.digits);
        ((bit / 64) as usize, bit % 64)
    }

    fn step(&self, state: &mut [u64], digit: u32) {
        let (word, bit) = self.digit(digit);
        let value = state[word] >> bit & 15;
        state[word] = state[word] & !(15 << bit) | ((value + 1) % self.radix) << bit;
    }
}

/// Breadth-first search.
fn search<S: Store>(name: &str, store: &S, grid: &Grid) {
    let mut session = store.session();
    let bytes = grid.words as u32 * 8;
    let mut layer = vec![0; grid.words];
    let mut handles = vec![Handle(0)];
    let item = Item::new(0, bytes);
    let first = Batch { words: &layer, items: &[item], source_words: &[], sources: &[] };
    let mut fresh = Vec::new();
    store.insert(&mut session, &first, &mut fresh);
    handles[0] = fresh[0].handle.expect("there is room");
    let mut items_in_all = 0;
    let mut time = 0.0;
    let began = (Instant::now(), computed());
    while !layer.is_empty() {
        let (mut next, mut next_handles) = (Vec::new(), Vec::new());
        for (states, handles) in layer.chunks(64 * grid.words).zip(handles.chunks(64)) {
            let (mut words, mut items, mut sources) = (Vec::new(), Vec::new(), Vec::new());
            for (source, state) in states.chunks(grid.words).enumerate() {
                let end = items.len() as u32 + grid.digits;
                let handle = Some(handles[source]);
                sources.push(Source { at: (source * grid.words) as u32, bytes, end, handle });
                for digit in 0..grid.digits {
                    items.push(Item::new(words.len() as u32, bytes));
                    let start = words.len();
                    words.extend_from_slice(state);
                    grid.step(&mut words[start..], digit);
                }
            }
            let start = Instant::now();
            let batch = Batch { words: &words, items: &items, source_words: states, sources: &sources };
            fresh.clear();
            store.insert(&mut session, &batch, &mut fresh);
            for it in &fresh {
                next.extend_from_slice(batch.vector(&items[it.place as usize]));
                next_handles.extend(it.handle);
            }
            time += start.elapsed().as_secs_f64();
            items_in_all += items.len();
        }
        (layer, handles) = (next, next_handles);
    }
    println!(
        "grid   {name:12} {bytes:3} bytes, {} states, {items_in_all} items: {:5.1} ns an item, {:5.1} bytes a vector, fill {:.2}, busy {:.0} %",
        store.len(),
        time * 1e9 / items_in_all as f64,
        store.memory() as f64 / store.len() as f64,
        store.fill(),
        100.0 * (computed() - began.1) / began.0.elapsed().as_secs_f64()
    );
}
