//! What native code and the engine tell each other.

use spinor_exec::{Next, Successors};
use std::time::Instant;

/// Some successor is inside an atomic sequence, which must be followed.
pub(crate) const ATOMIC: u64 = 1;
/// The interpreter must expand this state.
pub(crate) const DEFER: u64 = 2;
/// From here on a bit for each number of moves that the search inside of atomic sequences and
/// rendezvous went deep. That it went nowhere is not said.
pub(crate) const DEEP_SHIFT: u32 = 1;
/// From here on a bit for each distance of a successor. That one is next is not said: it is in the
/// list.
pub(crate) const FAR_SHIFT: u32 = 15;
/// Above is the number of the process to go on with.
pub(crate) const DONE_SHIFT: u32 = 32;
/// There are bits for numbers of moves from 1 to this: all are constants of one instruction.
pub(crate) const MOST_MOVES: u32 = 14;

/// The greatest number of moves that has a bit.
#[inline]
pub(crate) fn greatest(status: u64, shift: u32) -> u32 {
    let bits = (status >> shift) as u32 & ((2 << MOST_MOVES) - 2);
    (bits | 1).ilog2()
}

/// Rounds of a loop in a `d_step` between two looks at it, where it is not looked at all the time.
pub(crate) const ROUNDS: u32 = 1 << 17;

/// In [`Next::distance`]: the process in bits 16 to 23 goes on inside an atomic sequence.
pub(crate) const GOES_ON: u32 = 1 << 31;
/// Where the process that goes on is in [`Next::distance`].
pub(crate) const HOLDER_SHIFT: u32 = 16;

/// Where native code writes. The engine sees to it that there is room.
#[repr(C)]
pub(crate) struct Context {
    /// The first word of all.
    pub(crate) words: *mut u64,
    /// The place of the next vector, counted in words.
    pub(crate) at: u64,
    /// The next entry of the list.
    pub(crate) list: *mut Next,
    /// One byte for each statement of the model: whether it was executed.
    pub(crate) executed: *mut u8,
    /// Nothing else can move.
    pub(crate) timeout: u32,
    /// Where a `d_step` that takes long leaves its words, [`Size::words`](crate::code::Size) of them, and who looks at them
    /// then and says after how many rounds to look again: it is given up if the answer is 0.
    pub(crate) looked_at: *mut u64,
    pub(crate) look: unsafe extern "C" fn(*mut Watch, u32, u32) -> u32,
    pub(crate) watch: *mut Watch,
}

/// Who looks at a `d_step` that takes long: it may never end, and there are limits.
#[derive(Default)]
pub(crate) struct Watch {
    /// The words of the state inside of it.
    pub(crate) words: Vec<u64>,
    /// A state that was looked at, and where it was.
    anchor: Option<(u32, Vec<u64>)>,
    looks: u64,
    /// How many rounds in a row are still to be looked at.
    in_a_row: u64,
    /// When time is up.
    pub(crate) until: Option<Instant>,
}

impl Watch {
    /// Begins anew, with room for so many words.
    pub(crate) fn reset(&mut self, words: usize, until: Option<Instant>) {
        self.until = until;
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
        if self.looks > 0 {
            (self.anchor, self.looks, self.in_a_row) = (None, 0, 0);
        }
    }

    /// After how many rounds to look again; 0 if the interpreter should take over: a state came back, or time is up.
    ///
    /// A state is remembered after 1, 2, 4, 8 looks and so on (Brent's method), and all rounds behind it are looked at, a
    /// 64th of those that went before. So each cycle is found as long as it is, and looks cost little.
    fn next_look(&mut self, node: u32, words: usize) -> u32 {
        let words = &self.words[..words];
        if self.anchor.as_ref().is_some_and(|(at, before)| *at == node && before == words) {
            return 0;
        }
        if self.in_a_row > 0 {
            self.in_a_row -= 1;
            return if self.in_a_row > 0 { 1 } else { ROUNDS };
        }
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return 0;
        }
        self.looks += 1;
        if self.looks.is_power_of_two() {
            self.anchor = Some((node, words.to_vec()));
            self.in_a_row = self.looks * u64::from(ROUNDS / 64);
            return 1;
        }
        ROUNDS
    }
}

/// What native code calls.
///
/// # Safety
/// The watch is that of the context that the code was called with, and nobody else uses it.
pub(crate) unsafe extern "C" fn look(watch: *mut Watch, node: u32, words: u32) -> u32 {
    // SAFETY: as the caller promises.
    let watch = unsafe { &mut *watch };
    watch.next_look(node, words as usize)
}

impl Context {
    /// What was written belongs to `out` now.
    ///
    /// # Safety
    /// The context was made for `out`, which has not changed since, and everything up to its two
    /// ends was written.
    pub(crate) unsafe fn keep(&self, out: &mut Successors) {
        // SAFETY: as the caller promises.
        unsafe {
            out.words.set_len(self.at as usize);
            out.list.set_len(self.list.offset_from(out.list.as_ptr()) as usize);
        }
    }
}

/// The code of a shape: tries the edges of its processes in a state.
///
/// Processes are counted from the youngest; it begins with the one that has the third argument as
/// its number, and ends before the one that has the fourth, or after one of which a successor is
/// inside an atomic sequence. It says what happened, and above [`DONE_SHIFT`] where it ended.
///
/// It reads no further than the words of the shape it was made for. It writes at most `successors`
/// successors of at most `words` words, as its [`Size`](crate::code::Size) says, and marks of
/// statements of its model. What it wrote before it gives up does not count.
pub(crate) type Function = unsafe extern "C" fn(*mut Context, *const u64, u32, u32) -> u64;

#[cfg(test)]
mod tests {
    use super::{ROUNDS, Watch};

    /// The rounds of a loop that comes back after some of them until it is given up.
    fn rounds(period: u64) -> u64 {
        let mut watch = Watch::default();
        watch.reset(1, None);
        let mut round = 0;
        let mut next = u64::from(ROUNDS);
        while next > 0 {
            round += next;
            watch.words[0] = round % period;
            next = u64::from(watch.next_look(0, 1));
        }
        round
    }

    #[test]
    fn loops_that_come_back_are_found_soon() {
        for period in [1, 2, 3, 1_000, 4_999, 300_001, 1 << 20, 5_000_011] {
            assert!(rounds(period) <= 4 * u64::from(ROUNDS) + 300 * period, "{period}: {}", rounds(period));
        }
    }
}
