//! Searches: from a [`Plan`] to a [`Report`].

mod explorer;
mod observe;
mod plan;
mod report;
mod search;
mod verify;

pub use observe::{Observer, Progress, Quiet};
pub use plan::{Order, Plan};
pub use report::{Guarantee, Report, Statistics, StopReason, Unreached, Verdict, Violation, ViolationKind};
pub use search::check;
pub use verify::{confirm, describe, ending};
