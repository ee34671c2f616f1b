//! Little-endian fields at fixed offsets of a header. The crate reads numbers from a file in no other way.

use blosc_core::{OutOfMemory, memory};

/// Returns the `N` bytes at `at` of a header of `L` bytes. Both are constants of a layout, never numbers from a file.
pub(crate) fn field<const L: usize, const N: usize>(header: &[u8; L], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&header[at..at + N]);
    bytes
}

/// Returns the `u32` at `at` of a header.
pub(crate) fn u32_at<const L: usize>(header: &[u8; L], at: usize) -> u32 {
    u32::from_le_bytes(field(header, at))
}

/// Returns the `i32` at `at` of a header.
pub(crate) fn i32_at<const L: usize>(header: &[u8; L], at: usize) -> i32 {
    i32::from_le_bytes(field(header, at))
}

/// Returns the `i64` at `at` of a header.
pub(crate) fn i64_at<const L: usize>(header: &[u8; L], at: usize) -> i64 {
    i64::from_le_bytes(field(header, at))
}

/// Encodes a list of entries.
pub(crate) fn bytes_of(entries: &[i64]) -> Result<Vec<u8>, OutOfMemory> {
    let mut bytes = memory::with_capacity(entries.len().saturating_mul(size_of::<i64>()))?;
    bytes.extend(entries.iter().copied().flat_map(i64::to_le_bytes));
    Ok(bytes)
}
