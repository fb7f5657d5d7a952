//! Searches: from a [`Plan`] to a [`Report`].

mod breadth_first;
mod check;
mod checkpoint;
mod claims;
mod control;
mod depth_first;
mod expand;
mod findings;
mod frontier;
mod kinds;
pub mod live;
mod migrate;
mod observe;
mod on_stack;
mod path;
mod peers;
mod phases;
mod plan;
mod queued;
pub mod reduce;
mod report;
mod sample;
mod sleep;
mod stack;
mod stores;
mod swarm;
pub mod symmetry;
mod thrift;
mod trace;
mod two_phase;
mod vectors;
mod verdicts;
mod verify;
mod walker;
mod worker;

pub use check::check;
pub use checkpoint::{Checkpoints, Identity, Resume, is_checkpoint};
pub use expand::Reduction;
pub use observe::{Observer, Progress, Quiet};
pub use peers::{Division, Exchange, Owner, Peers, Received, hall};
pub use plan::{Encoding, Order, Plan, Proviso, StoreKind};
pub use report::{
    CacheReport, Guarantee, Lasso, LassoStep, Peer, Report, Run, Statistics, StopReason, Unreached, Verdict, Violation,
    ViolationKind,
};
pub use spinor_store::{CacheConfig, CacheStatistics, Replacement, Strata};
pub use verify::{confirm, describe, ending};
