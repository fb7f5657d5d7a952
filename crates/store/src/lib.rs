//! Where states live. A state is a string of bytes; nothing here knows of PROMELA.
//!
//! | store | bytes a vector | what it is |
//! |---|---|---|
//! | [`ExactStore`] | 10 to 25, 20 to 56 from 9 bytes on, its length and 10 to 22 from 17 | the fastest exact one |
//! | [`TreeStore`] | 7 to 20 as a rule | tree compression, exact |
//! | [`CollapseStore`] | half its length and about 10 | numbered components, exact |
//! | [`HashCompactStore`] | 10 to 28 | 64 bits of a hash |
//! | [`BitstateStore`] | as you like | a few bits in a table of fixed size |
//!
//! [`Encoded`] is any of these with a code of each vector instead of the vector.
//! A [`Cache`] is a store for one depth-first search that forgets states which are not on its stack;
//! [`CacheStore`] is the same behind the interface of all stores.

mod arena;
mod bitstate;
mod budget;
mod bytes;
mod cache;
mod collapse;
mod compact;
mod encode;
mod exact;
mod extendible;
mod hash;
mod index;
mod numbered;
mod recent;
mod region;
mod reserve;
mod set;
mod shared;
mod store;
mod sync;
mod tree;
mod wide;

pub use bitstate::{BitstateConfig, BitstateSession, BitstateStore};
pub use cache::{
    Arrival, Cache, CacheConfig, CacheSession, CacheStatistics, CacheStore, Kind, Replacement, Slot, Strata, Visitor,
};
pub use collapse::{CollapseSession, CollapseStore, Cut};
pub use compact::{HashCompactSession, HashCompactStore};
pub use encode::{Code, Encoded, EncodedSession, Frequencies, Huffman, RunLength};
pub use exact::{Drain, ExactSession, ExactStore};
pub use hash::{Fingerprints, Identity, fingerprint};
pub use numbered::{Located, Numbered};
pub use store::{Batch, Config, Fresh, Guarantee, Handle, Item, Memo, Source, Store, words_of};
pub use tree::{TreeSession, TreeStore};
