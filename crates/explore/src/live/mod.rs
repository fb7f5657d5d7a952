//! Liveness: whether some infinite execution is one that a claim accepts.

mod atlas;
mod choices;
mod claim;
mod cndfs;
mod confirm;
mod couvreur;
mod ending;
mod judge;
mod lasso;
mod letters;
mod levels;
mod movers;
mod ndfs;
mod never;
mod paged;
mod product;
mod space;
mod states;
mod system;
#[cfg(test)]
mod tests;

pub use claim::{Claim, ClaimEdge, ClaimKind, Question, Wanted, has_accept_labels, never_claims};
pub use confirm::confirm_claim;
pub use ending::ends_claim;
pub use judge::{CycleSearch, Judgement, Manner, Reduce, judge};
