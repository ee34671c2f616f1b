//! Test support shared by all crates.
//!
//! Golden archives written by the reference libraries, data generated from a seed, mutations, child processes, and
//! allocators that count or fail.
//!
//! | file | content |
//! |---|---|
//! | `archive` | golden archives |
//! | `plain`, `rng` | generated data; random numbers |
//! | `mutate` | mutations of files |
//! | `child` | child processes |
//! | `alloc` | allocators that count or fail |
//! | `tally` | memory and time limits for sets of hostile inputs |
#![deny(unsafe_code)] // alloc.rs is the one exception
#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)] // test support: a missing archive must stop the test

mod alloc;
mod archive;
mod child;
mod mutate;
mod plain;
mod rng;
mod tally;

pub use alloc::{AllocUsage, CountingAlloc, FailingAlloc};
pub use archive::{archive, json, manifest};
pub use child::{emulator, end_of_victim, program, slowness, this_test};
pub use mutate::mutate;
pub use plain::{PlainKind, linspace_f64, noise, plain, ramp, steps, text};
pub use rng::SplitMix64;
pub use serde_json;
pub use tally::Tally;

/// Returns the SHA-256 of `bytes` in lower-case hex, the form used in every manifest.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    use std::fmt::Write;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}"); // writing to a String cannot fail
        hex
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn sha256_of_the_standards_example() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(super::sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
