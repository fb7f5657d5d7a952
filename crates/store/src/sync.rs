//! The atomics of what is checked by loom.

#[cfg(loom)]
pub(crate) use loom::{
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
    thread::yield_now as spin_loop,
};
#[cfg(not(loom))]
pub(crate) use std::{
    hint::spin_loop,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
};
