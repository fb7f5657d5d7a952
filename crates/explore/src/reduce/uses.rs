//! Uses of objects as bits, and which of them conflict.
//!
//! An object of a shape is a variable, a channel, or the stack of processes. Each has a few bits, one
//! for each way in which a step can use it. A *footprint* is the set of all uses of a step, and its
//! *conflicts* are the uses that a step of another process must not have.

/// A set of uses: as many words as the shape needs.
pub(super) type Uses = Box<[u64]>;

/// The stack of processes: these bits come first.
pub(super) const CREATE: u32 = 0;
pub(super) const DESTROY: u32 = 1;
pub(super) const COUNT: u32 = 2;
/// Where objects begin; channels have whole bytes.
pub(super) const OBJECTS: u32 = 8;

/// The two bits of a variable.
pub(super) const READ: u32 = 0;
pub(super) const WRITE: u32 = 1;

/// The byte of a channel with room for messages.
pub(super) mod buffer {
    /// `c!a`, deciding whether the step can be executed, and nothing else of the step uses the channel.
    pub(in super::super) const SEND: u8 = 1;
    /// `c?a`, in the same way.
    pub(in super::super) const RECEIVE: u8 = 2;
    /// Any other change.
    pub(in super::super) const CHANGE: u8 = 4;
    /// `c?<a>`, deciding whether the step can be executed.
    pub(in super::super) const HEAD: u8 = 8;
    /// Whether the channel is full.
    pub(in super::super) const FULLNESS: u8 = 16;
    /// Whether it is empty.
    pub(in super::super) const EMPTINESS: u8 = 32;
    /// Any other look at its contents.
    pub(in super::super) const LOOK: u8 = 64;
}

/// The byte of a rendezvous channel.
pub(super) mod meeting {
    /// `c!a`
    pub(in super::super) const OFFER: u8 = 1;
    /// `c?a`
    pub(in super::super) const ACCEPT: u8 = 2;
    /// The step leads to, or away from, a location with one of these.
    pub(in super::super) const ARRIVE: u8 = 4;
    /// The step can be executed only if no rendezvous can take place here.
    pub(in super::super) const WATCH: u8 = 8;
}

/// How full a channel is, as far as conflicts depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Neither full nor empty.
    Between = 0,
    Empty = 1,
    Full = 2,
}

impl Level {
    pub(super) const ALL: [Level; 3] = [Level::Between, Level::Empty, Level::Full];

    pub(super) fn of(length: u64, capacity: u64) -> Level {
        match length {
            0 => Level::Empty,
            length if length == capacity => Level::Full,
            _ => Level::Between,
        }
    }
}

/// The uses of a buffered channel by others that conflict with `uses` of a process that waits, when the
/// channel is as full as `level` says.
///
/// The rows are conditional dependence: section 1.3 and Table I of paper 000. A channel that is full
/// stays full as long as nobody receives, so a send that waits there conflicts with receives only. As soon
/// as all that conflicts is in the set, nobody outside of it can change the level on which the row
/// stands.
pub(super) fn buffer_conflicts(uses: u8, level: Level) -> u8 {
    use buffer::{CHANGE, EMPTINESS, FULLNESS, HEAD, LOOK, RECEIVE, SEND};
    let (full, empty) = (level == Level::Full, level == Level::Empty);
    let rows = [
        (SEND, if full { RECEIVE } else { SEND | FULLNESS | EMPTINESS | LOOK } | CHANGE),
        (RECEIVE, if empty { SEND } else { RECEIVE | HEAD | FULLNESS | EMPTINESS | LOOK } | CHANGE),
        (CHANGE, SEND | RECEIVE | CHANGE | HEAD | FULLNESS | EMPTINESS | LOOK),
        (HEAD, if empty { SEND } else { RECEIVE } | CHANGE),
        (FULLNESS, if full { RECEIVE } else { SEND } | CHANGE),
        (EMPTINESS, if empty { SEND } else { RECEIVE } | CHANGE),
        (LOOK, SEND | RECEIVE | CHANGE),
    ];
    rows.iter().filter(|(row, _)| uses & row != 0).fold(0, |all, (_, conflicts)| all | conflicts)
}

/// The same for a rendezvous channel. Who offers needs all who may accept, and the other way round.
pub(super) fn meeting_conflicts(uses: u8) -> u8 {
    use meeting::{ACCEPT, ARRIVE, OFFER, WATCH};
    let rows = [(OFFER, ACCEPT | WATCH), (ACCEPT, OFFER | WATCH), (ARRIVE, WATCH), (WATCH, OFFER | ACCEPT | ARRIVE)];
    rows.iter().filter(|(row, _)| uses & row != 0).fold(0, |all, (_, conflicts)| all | conflicts)
}

/// No uses.
pub(super) fn none(words: usize) -> Uses {
    vec![0; words].into()
}

pub(super) fn insert(uses: &mut [u64], bit: u32) {
    uses[bit as usize / 64] |= 1 << (bit % 64);
}

pub(super) fn contains(uses: &[u64], bit: u32) -> bool {
    uses[bit as usize / 64] >> (bit % 64) & 1 == 1
}

/// The byte that begins at a bit.
pub(super) fn byte(uses: &[u64], bit: u32) -> u8 {
    (uses[bit as usize / 64] >> (bit % 64)) as u8
}

pub(super) fn insert_byte(uses: &mut [u64], bit: u32, byte: u8) {
    uses[bit as usize / 64] |= u64::from(byte) << (bit % 64);
}

/// Adds all of another set; whether that was new.
pub(super) fn join(uses: &mut [u64], more: &[u64]) -> bool {
    let mut grown = false;
    for (mine, more) in uses.iter_mut().zip(more) {
        grown |= *more & !*mine != 0;
        *mine |= more;
    }
    grown
}

pub(super) fn intersect(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// The members of a set, in ascending order.
pub(super) fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(word, &bits)| {
        std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)))
            .take_while(|bits| *bits != 0)
            .map(move |bits| word * 64 + bits.trailing_zeros() as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::buffer::{CHANGE, HEAD, LOOK, RECEIVE, SEND};
    use super::{Level, buffer_conflicts};

    /// Table I of paper 000: a send and a receive accord when both can be executed.
    #[test]
    fn sends_and_receives_accord_between_the_ends() {
        assert_eq!(buffer_conflicts(SEND, Level::Between) & (RECEIVE | HEAD), 0);
        assert_eq!(buffer_conflicts(RECEIVE, Level::Between) & SEND, 0);
        assert_ne!(buffer_conflicts(SEND, Level::Full) & RECEIVE, 0);
        assert_ne!(buffer_conflicts(RECEIVE, Level::Empty) & SEND, 0);
    }

    #[test]
    fn what_looks_closer_conflicts_with_every_change() {
        for level in Level::ALL {
            assert_eq!(buffer_conflicts(LOOK, level), SEND | RECEIVE | CHANGE);
            assert_eq!(buffer_conflicts(CHANGE, level), 0x7f);
        }
    }
}
