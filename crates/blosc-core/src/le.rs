//! Little-endian integers at checked offsets of a byte slice, for the tables of a chunk and the sizes of its streams.

/// Returns the `i32` at offset `at`, or `None` if fewer than four bytes are left.
pub(crate) fn i32_at(bytes: &[u8], at: usize) -> Option<i32> {
    let end = at.checked_add(4)?;
    Some(i32::from_le_bytes(bytes.get(at..end)?.try_into().ok()?))
}

/// Writes `value` at offset `at`. The caller ensures that it fits.
pub(crate) fn put_i32(bytes: &mut [u8], at: usize, value: i32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}
