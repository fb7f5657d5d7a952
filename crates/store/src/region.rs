//! Pieces of memory that are zero at first.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
#[cfg(target_os = "linux")]
use std::time::Instant;

/// From this size on a piece comes from the operating system, aligned to a huge page.
const MAPPED: usize = 1 << 21;
/// The line of a cache.
const LINE: usize = 64;

/// A piece of zeroed memory, aligned to cache lines. It is shared by threads; who writes where is
/// the business of its user.
#[derive(Debug)]
pub(crate) struct Region {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a region is plain memory that belongs to nobody else; access goes through raw pointers,
// whose users keep their own protocol.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// None: there is no memory.
    pub(crate) fn zeroed(bytes: usize, pages: &Pages) -> Option<Region> {
        let region = Region::unpopulated(bytes)?;
        if is_mapped(region.bytes) {
            pages.populate(&region);
        }
        Some(region)
    }

    /// The same, whose pages the operating system gives when they are touched.
    pub(crate) fn unpopulated(bytes: usize) -> Option<Region> {
        let bytes = bytes.max(LINE);
        let start = if is_mapped(bytes) { map(bytes) } else { NonNull::new(allocate(bytes)) }?;
        Some(Region { start, bytes })
    }

    #[cfg(target_os = "linux")]
    fn advise(&self, advice: libc::c_int) {
        // SAFETY: the range is our mapping; advice changes no content. If it is not known here, pages come as they
        // are touched.
        unsafe { libc::madvise(self.start().cast(), self.bytes, advice) };
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The same memory, zero again.
    pub(crate) fn cleared(self) -> Region {
        // SAFETY: the region is ours alone and has so many bytes.
        unsafe { self.start.as_ptr().write_bytes(0, self.bytes) };
        self
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// How pages are asked for: huge ones as long as they come fast.
///
/// They come several times as fast as small ones, and prefetched accesses to them are faster. But on a virtual machine a
/// huge page that the host has taken back, or never gave, comes slower than small ones, of which there may be some left
/// that it gave.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    /// How many regions get small pages before a huge one is tried again.
    small: AtomicU32,
    /// How often huge pages were slow.
    slow: AtomicU32,
}

/// Bytes a nanosecond that huge pages must come at.
const FAST: usize = 1;

/// How many regions get small pages when huge ones were slow for the first time; then it doubles.
const RESPITE: u32 = 8;

impl Pages {
    /// Asks for all pages of a region.
    #[cfg(target_os = "linux")]
    fn populate(&self, region: &Region) {
        let begun = Instant::now();
        let (small, slow) = (self.small.load(Relaxed), self.slow.load(Relaxed));
        if small == 0 {
            region.advise(libc::MADV_HUGEPAGE);
        } else {
            // Threads that do this at the same time count one region less, which changes nothing that matters.
            self.small.store(small - 1, Relaxed);
        }
        region.advise(libc::MADV_POPULATE_WRITE);
        if small == 0 && begun.elapsed().as_nanos() as usize * FAST > region.bytes {
            self.small.store(RESPITE << slow.min(10), Relaxed);
            self.slow.store(slow + 1, Relaxed);
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn populate(&self, _region: &Region) {}
}

fn is_mapped(bytes: usize) -> bool {
    cfg!(all(unix, not(miri))) && bytes >= MAPPED
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, LINE).expect("a piece is smaller than the address space")
}

fn allocate(bytes: usize) -> *mut u8 {
    // SAFETY: the size is not zero.
    unsafe { alloc_zeroed(layout(bytes)) }
}

impl Drop for Region {
    fn drop(&mut self) {
        if is_mapped(self.bytes) {
            unmap(self.start.as_ptr(), self.bytes);
        } else {
            // SAFETY: `allocate` gave it with the same layout.
            unsafe { dealloc(self.start.as_ptr(), layout(self.bytes)) }
        }
    }
}

/// Maps a piece that begins at a multiple of 2 MiB. As a rule the next piece lies beside the last one, where it should:
/// while mappings change, threads that need pages wait.
#[cfg(unix)]
fn map(bytes: usize) -> Option<NonNull<u8>> {
    let start = map_anywhere(bytes)?;
    if start.align_offset(MAPPED) == 0 {
        return NonNull::new(start);
    }
    unmap(start, bytes);
    let room = bytes + MAPPED;
    let raw = map_anywhere(room)?;
    let before = raw.align_offset(MAPPED);
    let start = raw.wrapping_add(before);
    unmap(raw, before);
    unmap(start.wrapping_add(bytes), room - before - bytes);
    NonNull::new(start)
}

#[cfg(unix)]
fn map_anywhere(bytes: usize) -> Option<*mut u8> {
    // SAFETY: a new private mapping overlaps nothing.
    let raw = unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        libc::mmap(std::ptr::null_mut(), bytes, access, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
    };
    (raw != libc::MAP_FAILED).then_some(raw.cast())
}

#[cfg(unix)]
fn unmap(start: *mut u8, bytes: usize) {
    if bytes > 0 {
        // SAFETY: the range is part of a mapping made by `map` that nobody uses any more.
        unsafe { libc::munmap(start.cast(), bytes) };
    }
}

#[cfg(not(unix))]
fn map(_bytes: usize) -> Option<NonNull<u8>> {
    unreachable!("nothing is mapped here")
}

#[cfg(not(unix))]
fn unmap(_start: *mut u8, _bytes: usize) {}

/// Asks for a cache line ahead of its use.
#[inline(always)]
pub(crate) fn prefetch(at: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch of any address is harmless.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}

/// Asks for a cache line that will be written ahead of its use: for this core alone, so that the
/// first write does not wait until the other cores have let go of it.
#[inline(always)]
pub(crate) fn prefetch_to_write(at: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch of any address is harmless; all processors of this architecture know it.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) at, options(readonly, nostack, preserves_flags));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}
