//! A cache line compared at once, where the processor can (AVX2).
//!
//! Written as machine instructions because the slots are shared with other threads: to the compiler
//! an ordinary wide load would be a race, to the processor it is as good as eight loads of aligned
//! words, each of which is atomic.

/// Whether the processor can. To be asked once for many lines.
#[inline]
pub(crate) fn is_there() -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri), not(loom)))]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(all(target_arch = "x86_64", not(miri), not(loom))))]
    false
}

/// Which words of a line are equal to two words in turn, and which are 0: one bit each. Each word is
/// read once.
///
/// # Safety
/// `line` is a line of 64 bytes that nobody frees meanwhile, and [`is_there`] said yes.
#[inline(always)]
pub(crate) unsafe fn words(line: *const u8, words: [u64; 2]) -> (u32, u32) {
    #[cfg(all(target_arch = "x86_64", not(miri), not(loom)))]
    {
        let (low, high): (u32, u32);
        let (low_zero, high_zero): (u32, u32);
        // SAFETY: it reads the line, as the caller promises, and changes a few registers.
        unsafe {
            std::arch::asm!(
                "vmovdqu ymm0, [{line}]",
                "vmovdqu ymm1, [{line} + 32]",
                "vmovq xmm2, {even}",
                "vpinsrq xmm2, xmm2, {odd}, 1",
                "vinserti128 ymm2, ymm2, xmm2, 1",
                "vpxor xmm3, xmm3, xmm3",
                "vpcmpeqq ymm4, ymm2, ymm0",
                "vpcmpeqq ymm2, ymm2, ymm1",
                "vpcmpeqq ymm0, ymm3, ymm0",
                "vpcmpeqq ymm1, ymm3, ymm1",
                "vmovmskpd {low:e}, ymm4",
                "vmovmskpd {high:e}, ymm2",
                "vmovmskpd {low_zero:e}, ymm0",
                "vmovmskpd {high_zero:e}, ymm1",
                "vzeroupper",
                line = in(reg) line,
                even = in(reg) words[0],
                odd = in(reg) words[1],
                low = lateout(reg) low,
                high = lateout(reg) high,
                low_zero = lateout(reg) low_zero,
                high_zero = lateout(reg) high_zero,
                out("xmm0") _,
                out("xmm1") _,
                out("xmm2") _,
                out("xmm3") _,
                out("xmm4") _,
                options(readonly, nostack, preserves_flags),
            );
        }
        (low | high << 4, low_zero | high_zero << 4)
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri), not(loom))))]
    unreachable!("there is none: {line:p} {words:?}")
}

/// Which of the sixteen lanes of 32 bits of a line are equal to a value: one bit each. Each lane is
/// read once.
///
/// # Safety
/// `line` is a line of 64 bytes that nobody frees meanwhile, and [`is_there`] said yes.
#[inline(always)]
pub(crate) unsafe fn lanes(line: *const u8, value: u32) -> u32 {
    #[cfg(all(target_arch = "x86_64", not(miri), not(loom)))]
    {
        let (low, high): (u32, u32);
        // SAFETY: it reads the line, as the caller promises, and changes a few registers.
        unsafe {
            std::arch::asm!(
                "vmovd xmm0, {value:e}",
                "vpbroadcastd ymm0, xmm0",
                "vpcmpeqd ymm1, ymm0, [{line}]",
                "vpcmpeqd ymm0, ymm0, [{line} + 32]",
                "vmovmskps {low:e}, ymm1",
                "vmovmskps {high:e}, ymm0",
                "vzeroupper",
                line = in(reg) line,
                value = in(reg) value,
                low = lateout(reg) low,
                high = lateout(reg) high,
                out("xmm0") _,
                out("xmm1") _,
                options(readonly, nostack, preserves_flags),
            );
        }
        low | high << 8
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri), not(loom))))]
    unreachable!("there is none: {line:p} {value}")
}
