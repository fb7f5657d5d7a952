//! Several processes count what one counts, in both orders.

use super::namespaces::Network;
use super::run::{Counts, search};
use crate::spinor::Spinor;
use std::path::PathBuf;

/// Ten models of 180,000 to 1,120,000 states, with errors and without.
pub(super) const MODELS: [&str; 10] = [
    "elevator2.2.pml",
    "needham.3.pml",
    "cambridge.1.pml",
    "phils.4.pml",
    "hanoi.2.pml",
    "mcs.3.pml",
    "extinction.1.pml",
    "krebs.2.pml",
    "telephony.3.pml",
    "peterson.4.pml",
];

/// Compares all; false if anything differs.
pub(super) fn run(spinor: &Spinor, models: &[(String, PathBuf)], is_network: bool) -> Result<bool, String> {
    let network = is_network.then(Network::build).transpose()?;
    let (mut searches, mut wrong) = (0, 0);
    for (name, path) in models {
        for order in ["bfs", "dfs"] {
            let alone = Counts::of(&search(spinor, path, &["--search", order])?);
            for workers in [2, 3, 4] {
                let report = match &network {
                    Some(network) => network.search(spinor, path, workers, &["--search", order]),
                    None => search(spinor, path, &["--search", order, "--workers", &workers.to_string()]),
                };
                let together = report.as_ref().ok().and_then(Counts::of);
                searches += 1;
                if alone.is_none() || together != alone {
                    wrong += 1;
                    println!("{name} {order} {workers} processes: {together:?}, alone {alone:?}, {:?}", report.err());
                }
            }
        }
        println!("{name}: 2, 3 and 4 processes, both orders");
    }
    println!("{searches} searches by several processes, {wrong} WRONG");
    let is_noticed = match (&network, models.last()) {
        (Some(network), Some((_, path))) => network.cut(spinor, path)?,
        _ => true,
    };
    Ok(wrong == 0 && is_noticed)
}
