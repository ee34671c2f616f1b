//! The number of threads for `--memory`, which bounds the chunks in flight.

use crate::size::pretty_size;
use anyhow::{Result, anyhow};
use bloscpack_io::Threads;

/// Returns the largest number of threads, at most `wanted`, that can process chunks of `chunk` uncompressed bytes
/// within `memory` bytes.
pub(crate) fn threads_within(memory: u64, chunk: u64, wanted: usize) -> Result<usize> {
    Threads::count_within(memory, chunk, wanted).map_err(|least| {
        anyhow!(
            "a memory of {} is not enough: chunks of {} take {} even one at a time; use --memory {least}, or smaller \
             chunks",
            pretty_size(memory),
            pretty_size(chunk),
            pretty_size(least)
        )
    })
}
