//! Shuffle, bitshuffle and running sums, and the choice of the implementation that this CPU runs.
//!
//! Shuffle and bitshuffle are transpositions. A buffer of `e` elements of `typesize` bytes is a matrix of bytes, one element a row;
//! *shuffle* transposes it, so that byte 0 of every element comes first, then byte 1 of every element, and so on. *Bitshuffle*
//! does the same to single bits. The exact layouts:
//!
//! ```text
//! shuffle     out[j*e + i] = in[i*typesize + j]                   e = nbytes / typesize
//! bitshuffle  bit b of out[(8*j + k)*e/8 + m] = bit k of in[(8*m + b)*typesize + j]
//!                                                                  e = nbytes / typesize, rounded down to a multiple of 8
//! ```
//!
//! Bytes behind the last whole element (shuffle) or the last whole group of eight elements (bitshuffle) are copied as they are.
//! That is the rule of chunk versions other than 2; the older rule of version 2 is the caller's business.
//!
//! | table | where | what it is |
//! |---|---|---|
//! | `scalar` | everywhere | plain Rust in loops that the compiler vectorises |
//! | `sse2`, `avx2` | x86 | 16-byte lanes, see `lanes` |
//! | `avx512` | x86-64 with VBMI and GFNI | byte permutations, blends and bit matrices; the rest from `avx2` |
//! | `neon` | AArch64 | 16-byte lanes |
//! | `simd128` | WebAssembly built with `+simd128` | 16-byte lanes |
//!
//! Each of these files provides the functions of a `table`, and calls its kernels through `buffers`.
//!
//! This folder is the only place in the workspace where `unsafe` is allowed: for loads and stores of vectors, and for calling
//! functions compiled for an instruction set after the CPU was asked for it.

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod buffers;
#[cfg(any(
    target_arch = "x86",
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod lanes;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
#[cfg(any(
    target_arch = "x86",
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod planes;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod sse2;
mod table;

use std::sync::OnceLock;

pub use table::{Kernel, Kernels, RunningSum, ShufflePlanes, UnshufflePlanes};

/// The best table for this CPU, chosen once per process.
///
/// For tests, the environment variable `BLOSC_KERNELS` names another of the [`available`] tables; a name that is not among
/// them is ignored. All tables give the same bytes, so it changes nothing but speed.
pub fn active() -> &'static Kernels {
    static ACTIVE: OnceLock<&'static Kernels> = OnceLock::new();
    ACTIVE.get_or_init(|| {
        let wanted = std::env::var("BLOSC_KERNELS").ok();
        let tables = available();
        let named = tables.iter().find(|table| wanted.as_deref() == Some(table.name));
        named.or(tables.last()).copied().unwrap_or(scalar::kernels())
    })
}

/// Every table that this CPU can run, from `scalar` to the best.
pub fn available() -> Vec<&'static Kernels> {
    let tables = [
        Some(scalar::kernels()),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        sse2::kernels(),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        avx2::kernels(),
        #[cfg(target_arch = "x86_64")]
        avx512::kernels(),
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        neon::kernels(),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        simd128::kernels(),
    ];
    tables.into_iter().flatten().collect()
}

/// Asks for the first 8 KiB of `bytes`, which are to be read soon, in another order than one after the other: what a CPU does
/// not foresee. Of more it learns the order as it goes.
///
/// Planes of a chunk of 4 KiB that was not in a first-level cache are put together in half the time. Does nothing where the
/// compiler has no instruction for it.
#[inline]
pub(crate) fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes[..bytes.len().min(8192)].chunks(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 CPU has the instruction, which has no effect but on caches, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}
