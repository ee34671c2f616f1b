//! Internal functions of C-Blosc and C-Blosc2, which their own tests call: the shuffle of three instruction sets.
//!
//! A function of an instruction set that this CPU lacks uses the best that it has.

use blosc_core::kernels::{self, Kernel, Kernels};

use super::guard::guarded;
use super::pointers::{bytes, bytes_mut};

/// Returns the kernels of an instruction set.
fn kernels(name: &str) -> &'static Kernels {
    kernels::available().into_iter().find(|table| table.name == name).unwrap_or_else(kernels::active)
}

/// # Safety
/// `src` and `dest` have `nbytes` bytes and do not overlap.
unsafe fn run(kernel: Kernel, typesize: usize, nbytes: usize, src: *const u8, dest: *mut u8) {
    // SAFETY: the caller's promise.
    if let (Some(src), Some(dst)) = unsafe { (bytes(src.cast(), nbytes), bytes_mut(dest.cast(), nbytes)) } {
        guarded((), || kernel(typesize, src, dst));
    }
}

#[cfg(feature = "blosc1")]
macro_rules! shuffles {
    ($($shuffle:ident, $unshuffle:ident: $name:literal;)*) => {$(
        /// Shuffles bytes.
        ///
        /// # Safety
        /// `src` and `dest` have `nbytes` bytes and do not overlap.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $shuffle(typesize: usize, nbytes: usize, src: *const u8, dest: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe { run(kernels($name).shuffle, typesize, nbytes, src, dest) }
        }

        /// Undoes the shuffle.
        ///
        /// # Safety
        /// `src` and `dest` have `nbytes` bytes and do not overlap.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $unshuffle(typesize: usize, nbytes: usize, src: *const u8, dest: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe { run(kernels($name).unshuffle, typesize, nbytes, src, dest) }
        }
    )*};
}

#[cfg(feature = "blosc1")]
shuffles! {
    blosc_internal_shuffle_generic, blosc_internal_unshuffle_generic: "scalar";
    blosc_internal_shuffle_sse2, blosc_internal_unshuffle_sse2: "sse2";
    blosc_internal_shuffle_avx2, blosc_internal_unshuffle_avx2: "avx2";
}

#[cfg(feature = "blosc2")]
macro_rules! shuffles_of_blosc2 {
    ($($shuffle:ident, $unshuffle:ident: $name:literal;)*) => {$(
        /// Shuffles bytes.
        ///
        /// # Safety
        /// `src` and `dest` have `blocksize` bytes and do not overlap.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $shuffle(typesize: i32, blocksize: i32, src: *const u8, dest: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe { run(kernels($name).shuffle, typesize as usize, blocksize as usize, src, dest) }
        }

        /// Undoes the shuffle.
        ///
        /// # Safety
        /// `src` and `dest` have `blocksize` bytes and do not overlap.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $unshuffle(typesize: i32, blocksize: i32, src: *const u8, dest: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe { run(kernels($name).unshuffle, typesize as usize, blocksize as usize, src, dest) }
        }
    )*};
}

#[cfg(feature = "blosc2")]
shuffles_of_blosc2! {
    shuffle_generic, unshuffle_generic: "scalar";
    shuffle_sse2, unshuffle_sse2: "sse2";
    shuffle_avx2, unshuffle_avx2: "avx2";
}
