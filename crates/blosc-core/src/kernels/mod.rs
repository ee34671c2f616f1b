//! Shuffle, bitshuffle and running sums, and the choice of the implementation for this CPU.
//!
//! Shuffle and bitshuffle are transpositions. A buffer of `e` elements of `typesize` bytes is a matrix of bytes with
//! one element per row. *Shuffle* transposes it, so that byte 0 of every element comes first, then byte 1 of every
//! element, and so on. *Bitshuffle* does the same with single bits. The exact layouts:
//!
//! ```text
//! shuffle     out[j*e + i] = in[i*typesize + j]                   e = nbytes / typesize
//! bitshuffle  bit b of out[(8*j + k)*e/8 + m] = bit k of in[(8*m + b)*typesize + j]
//!                                                                  e = nbytes / typesize, rounded down to a multiple of 8
//! ```
//!
//! Trailing bytes after the last whole element (shuffle) or the last whole group of eight elements (bitshuffle) are
//! copied unchanged. This is the rule of all chunk versions except 2; the caller implements the older rule of version
//! 2.
//!
//! | file | where | content |
//! |---|---|---|
//! | `scalar`, `words` | everywhere | plain Rust in loops that the compiler vectorizes; bitshuffle by 64-bit words |
//! | `sse2`, `avx2` | x86 | 16-byte lanes, see `lanes` |
//! | `avx512` | x86-64 with VBMI and GFNI | byte permutations, blends and bit matrices; the rest from `avx2` |
//! | `neon` | AArch64 | 16-byte lanes |
//! | `simd128` | WebAssembly built with `+simd128` | 16-byte lanes |
//! | `lanes` | with 16-byte lanes | shuffle and bitshuffle as macros, expanded for each of these |
//! | `planes` | with 16-byte lanes | walks a buffer and its byte planes in step |
//! | `table` | everywhere | the functions that each implementation provides |
//! | `buffers` | everywhere | runs kernels on buffers of any length |
//! | `copy` | x86-64 by AMD | copies of 2 KiB to 1 MiB |
//! | `hot_loop`, `prefetch` | x86-64; where available | loops of other modules for newer CPUs; prefetches |
//!
//! This folder is the only place in this crate where `unsafe` is allowed: for vector loads and stores, for prefetches,
//! and for calling functions compiled for an instruction set after detecting that the CPU has it.

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod buffers;
mod copy;
mod hot_loop;
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
mod prefetch;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod sse2;
mod table;
mod words;

#[cfg(not(target_family = "wasm"))]
use std::sync::OnceLock;

pub(crate) use copy::copy;
pub(crate) use hot_loop::{HotLoop, run_hot};
pub(crate) use prefetch::prefetch;
pub use table::{Kernel, Kernels, RunningSum, ShufflePlanes, UnshufflePlanes};

/// Returns the best table for this CPU, chosen once per process.
///
/// For tests, the environment variable `BLOSC_KERNELS` selects another of the [`available`] tables; an unknown name is
/// ignored. All tables produce the same bytes, so this only affects speed.
#[cfg(not(target_family = "wasm"))]
pub fn active() -> &'static Kernels {
    static ACTIVE: OnceLock<&'static Kernels> = OnceLock::new();
    ACTIVE.get_or_init(|| {
        let wanted = std::env::var("BLOSC_KERNELS").ok();
        let tables = available();
        let named = tables.iter().find(|table| wanted.as_deref() == Some(table.name));
        named.or(tables.last()).copied().unwrap_or(scalar::kernels())
    })
}

/// Returns the table of this build. It is a constant, so that a module for the web which only decodes has no kernels for
/// encoding.
#[cfg(target_family = "wasm")]
#[inline]
pub fn active() -> &'static Kernels {
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    return simd128::kernels().unwrap_or(scalar::kernels());
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    return scalar::kernels();
}

/// Returns every table that this CPU can run, from `scalar` to the best.
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
