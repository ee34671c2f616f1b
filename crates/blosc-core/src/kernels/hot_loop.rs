//! Compiles hot loops of scalar code for newer x86-64 CPUs.
//!
//! A shift by a variable count takes one micro-operation with BMI2 instead of three, and a mask of `n` bits one
//! instruction instead of three. AVX2 copies 32 bytes at a time. Zstandard's decoder consists of little else: it is 10
//! to 30 % faster with these instructions (docs/decisions/005-zstd.md).

/// A loop with its arguments. `run`, and everything that it calls in the loop, needs `#[inline(always)]`: a function
/// that is not inlined is compiled for any CPU.
pub(crate) trait HotLoop {
    type Output;
    fn run(self) -> Self::Output;
}

/// Runs `hot`, compiled for CPUs with BMI2 and AVX2 if this is one.
#[inline]
pub(crate) fn run_hot<L: HotLoop>(hot: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
    {
        // SAFETY: the CPU has these instructions.
        return unsafe { run_with_bmi2(hot) };
    }
    hot.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn run_with_bmi2<L: HotLoop>(hot: L) -> L::Output {
    hot.run()
}
