//! Searches on models of the repository. They are one program because each program of tests compiles all searches
//! anew.

#[path = "../../../../tests/support.rs"]
mod support;

mod caching;
mod corpus;
mod counterexamples;
mod liveness;
mod orbits;
mod papers;
mod peers;
mod stubborn;
mod symmetry;
