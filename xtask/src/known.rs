//! Models on which SPIN itself is at fault, so that no agreement is asked for.

/// Each model by its name in the tables, with the reason.
const SPIN_FAULTS: &[(&str, &str)] = &[
    ("micro/prioset.pml", "SPIN takes part of the priority of a process for padding"),
    ("micro/lchan2.pml", "SPIN ends the whole search at a channel that was never assigned"),
    ("micro/proc256.pml", "SPIN stops at its limit of 1,024 bytes a state"),
    ("spin-examples/Book_1991/p108.pml", "SPIN stops at its limit of 255 processes"),
];

/// Why SPIN is not to be trusted on this model.
pub(crate) fn spin_fault(model: &str) -> Option<&'static str> {
    SPIN_FAULTS.iter().find(|(name, _)| *name == model).map(|(_, reason)| *reason)
}
