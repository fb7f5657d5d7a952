//! How processes end a round together.

use super::{Exchange, NAP, Received, Summary, code, message, tell};
use crate::control::Control;
use crate::report::StopReason;
use std::time::Duration;

/// What a process knows that others should.
pub(crate) fn knowledge(control: &Control<'_>) -> Summary {
    let halted = if control.is_halted() { control.stopped() } else { None };
    Summary { next: usize::MAX, best: control.best(), halted, done: control.is_done(), is_due: false }
}

/// What all processes know together.
pub(crate) fn learn(control: &Control<'_>, all: Summary) {
    control.improves(all.best);
    if let Some(reason) = all.halted {
        control.halt(reason);
    } else if all.done {
        control.set_done();
    }
}

/// Whether another process cannot be reached any more.
pub(crate) fn is_lost(control: &Control<'_>) -> bool {
    control.stopped() == Some(StopReason::Lost)
}

/// Tells the other processes that this one must end, and why; no reason if what was looked for is found.
pub(crate) fn call_off(control: &Control<'_>, peers: &dyn Exchange) {
    let reason = if control.is_done() { None } else { control.stopped() };
    tell(peers, &[message::HALT, code(reason)]);
}

/// Tells the other processes what this one knows, and waits until all have done the round. Takes what arrives
/// meanwhile.
pub(crate) fn meet(control: &Control<'_>, peers: &dyn Exchange, own: Summary, mut accept: impl FnMut(usize, Vec<u64>)) {
    let mut words = vec![message::SUMMARY];
    words.extend(own.words());
    tell(peers, &words);
    peers.finish();
    loop {
        match peers.receive(NAP) {
            Received::Words { from, words } => accept(from, words),
            Received::Nothing => {}
            Received::Over => return,
            Received::Lost => return control.halt(StopReason::Lost),
        }
    }
}

/// Takes what arrived in a round that this process has not finished. If others are behind, takes what arrives until
/// they are not.
pub(crate) fn drain(control: &Control<'_>, peers: &dyn Exchange, mut accept: impl FnMut(usize, Vec<u64>)) {
    loop {
        let patience = if peers.is_congested() { NAP } else { Duration::ZERO };
        match peers.receive(patience) {
            Received::Words { from, words } => accept(from, words),
            Received::Nothing if peers.is_congested() && !control.must_rest() => {}
            Received::Nothing => return,
            Received::Over => unreachable!("this process has not finished the round"),
            Received::Lost => return control.halt(StopReason::Lost),
        }
    }
}
