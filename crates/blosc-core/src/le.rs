//! Little-endian integers at checked places of a byte slice: the only way this crate reads numbers from a chunk.

/// The `i32` at `at`, or `None` where fewer than four bytes are left.
pub(crate) fn i32_at(bytes: &[u8], at: usize) -> Option<i32> {
    let end = at.checked_add(4)?;
    Some(i32::from_le_bytes(bytes.get(at..end)?.try_into().ok()?))
}

/// Writes `value` at `at`. The caller has made the room.
pub(crate) fn put_i32(bytes: &mut [u8], at: usize, value: i32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}
