//! Pieces of memory that are zero at first.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Instant;

use crate::shared::lock;

/// From this size on a piece comes from the operating system, aligned to a huge page.
const MAPPED: usize = 1 << 21;
/// The line of a cache.
const LINE: usize = 64;
/// The least that a page may be.
const PAGE: usize = 1 << 12;

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
        if is_mapped(bytes) { pages.region(bytes) } else { Region::unpopulated(bytes) }
    }

    /// The same, whose pages the operating system gives when they are touched.
    pub(crate) fn unpopulated(bytes: usize) -> Option<Region> {
        let bytes = bytes.max(LINE);
        let start = if is_mapped(bytes) { map(bytes) } else { NonNull::new(allocate(bytes)) }?;
        Some(Region { start, bytes })
    }

    /// Touches all pages, so that they are there.
    ///
    /// `MADV_POPULATE_WRITE` takes less time, but all wait for it who map or unmap memory meanwhile, and the allocator
    /// does.
    fn touch(&self) {
        for page in (0..self.bytes).step_by(PAGE) {
            // SAFETY: the region is ours alone, zeroed, and has so many bytes.
            unsafe { self.start().add(page).write_volatile(0) };
        }
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

    /// The first bytes of mapped memory, and the rest: each can be unmapped by itself.
    fn divided(self, bytes: usize) -> (Region, Option<Region>) {
        debug_assert!(is_mapped(bytes) && bytes <= self.bytes && bytes.is_multiple_of(MAPPED));
        let (start, rest) = (self.start, self.bytes - bytes);
        std::mem::forget(self);
        // SAFETY: it has more than so many bytes, or this is its end.
        let behind = unsafe { start.add(bytes) };
        (Region { start, bytes }, (rest > 0).then(|| Region { start: behind, bytes: rest }))
    }
}

/// Where regions are cut from, and how their pages are asked for: huge ones as long as they come fast.
///
/// They come several times as fast as small ones, and prefetched accesses to them are faster. But on a virtual machine a
/// huge page that the host has taken back, or never gave, comes slower than small ones, of which there may be some left
/// that it gave.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    huge: Mutex<Land>,
    small: Mutex<Land>,
    /// How many regions get small pages before a huge one is tried again.
    respite: AtomicU32,
    /// How often huge pages were slow.
    slow: AtomicU32,
}

/// Bytes a nanosecond that huge pages must come at.
const FAST: usize = 1;

/// How many regions get small pages when huge ones were slow for the first time; then it doubles.
const RESPITE: u32 = 8;

impl Pages {
    /// A region with all its pages. None: there is no memory.
    fn region(&self, bytes: usize) -> Option<Region> {
        let (respite, slow) = (self.respite.load(Relaxed), self.slow.load(Relaxed));
        let is_huge = respite == 0;
        let land = if is_huge { &self.huge } else { &self.small };
        let region = lock(land).cut(bytes, is_huge)?;
        let begun = Instant::now();
        region.touch();
        if !is_huge {
            // Threads that do this at the same time count one region less, which changes nothing that matters.
            self.respite.store(respite - 1, Relaxed);
        } else if begun.elapsed().as_nanos() as usize * FAST > bytes {
            self.respite.store(RESPITE << slow.min(10), Relaxed);
            self.slow.store(slow + 1, Relaxed);
        }
        Some(region)
    }
}

/// Addresses for regions to come. Each time that mappings change, threads that need pages or addresses wait for each
/// other, so that these are asked for less and less often. Memory stands behind them only where it is touched.
#[derive(Debug, Default)]
struct Land {
    rest: Option<Region>,
    /// How many bytes were asked for last.
    last: usize,
}

/// How many bytes are asked for at first, and at most.
const LAND: (usize, usize) = (8 * MAPPED, 512 * MAPPED);

impl Land {
    /// A region of so many bytes, whose pages come when they are touched.
    fn cut(&mut self, bytes: usize, is_huge: bool) -> Option<Region> {
        if bytes != MAPPED {
            // Rare, and of any size.
            let region = Region::unpopulated(bytes)?;
            advise(&region, is_huge);
            return Some(region);
        }
        let land = match self.rest.take() {
            Some(rest) => rest,
            None => {
                self.last = (2 * self.last).clamp(LAND.0, LAND.1);
                // If there are not so many, there may be some.
                let new = Region::unpopulated(self.last).or_else(|| Region::unpopulated(bytes))?;
                advise(&new, is_huge);
                new
            }
        };
        let (region, rest) = land.divided(bytes);
        self.rest = rest;
        Some(region)
    }
}

#[cfg(target_os = "linux")]
fn advise(region: &Region, is_huge: bool) {
    let advice = if is_huge { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE };
    // SAFETY: the range is our mapping; advice changes no content, and need not be followed.
    unsafe { libc::madvise(region.start().cast(), region.bytes, advice) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_region: &Region, _is_huge: bool) {}

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
