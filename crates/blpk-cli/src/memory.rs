//! Threads that fit into `--memory`, which bounds the chunks on their way.
//!
//! The pipeline holds two chunks for each thread, or a single one without threads, each of them twice: plain and
//! compressed. What a worker needs besides, a block and the tables of its codec, is little and not counted.

use crate::size::pretty_size;
use anyhow::{Result, bail};

/// Bytes that chunks of `chunk` plain bytes take when `threads` work on them.
fn needed(threads: usize, chunk: u64) -> u64 {
    let chunks = if threads == 1 { 1 } else { 2 * threads as u64 };
    chunk.saturating_mul(2).saturating_mul(chunks)
}

/// As many threads as fit, `wanted` at most.
pub(crate) fn threads_within(memory: u64, chunk: u64, wanted: usize) -> Result<usize> {
    match (1..=wanted.max(1)).rev().find(|threads| needed(*threads, chunk) <= memory) {
        Some(threads) => Ok(threads),
        None => {
            let least = needed(1, chunk);
            bail!(
                "a memory of {} is not enough: chunks of {} take {} even one at a time; use --memory {least}, or smaller \
                 chunks",
                pretty_size(memory),
                pretty_size(chunk),
                pretty_size(least)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_give_way() {
        let threads = |memory: u64, wanted| threads_within(memory << 20, 1 << 20, wanted).unwrap();
        assert_eq!(threads(2, 8), 1);
        assert_eq!(threads(7, 8), 1);
        assert_eq!(threads(8, 8), 2);
        assert_eq!(threads(31, 8), 7);
        assert_eq!(threads(1000, 8), 8);
        assert_eq!(threads(1000, 1), 1);
        assert!(threads_within(2_097_151, 1 << 20, 8).is_err());
        assert!(threads_within(1, u64::MAX, 8).is_err());
    }
}
