//! What native code and the engine tell each other.

use spinor_exec::{Next, Successors};

/// Some statement was executed.
pub(crate) const MOVED: u32 = 1;
/// Some successor is inside an atomic sequence, which must be followed.
pub(crate) const ATOMIC: u32 = 2;
/// A rendezvous was offered.
pub(crate) const OFFERED: u32 = 4;
/// The interpreter must expand this state.
pub(crate) const DEFER: u32 = 8;
/// A rendezvous was made: some successor is two moves away.
pub(crate) const TAKEN: u32 = 16;

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

/// The code of a location of a process: tries its edges in a state.
///
/// It reads no further than the words of the shape it was made for. It writes at most `most`
/// successors of at most `words` words, as its [`Code`](crate::code::Code) says, and marks of
/// statements of its model. What it wrote before it gives up does not count.
pub(crate) type Function = unsafe extern "C" fn(*mut Context, *const u64) -> u32;
