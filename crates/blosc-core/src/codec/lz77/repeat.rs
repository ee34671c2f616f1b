//! Repeats a few bytes to fill one or two words.

/// By offset: an integer with the lowest bit of every `offset`-th byte set.
///
/// Multiplying `offset` bytes by it repeats them: the shifted copies that are summed do not overlap.
macro_rules! every {
    ($word:ty, $bytes:literal) => {{
        let mut table: [$word; $bytes] = [0; $bytes];
        let mut offset = 1;
        while offset < $bytes {
            let mut byte = 0;
            while byte < $bytes {
                table[offset] |= 1 << (8 * byte);
                byte += offset;
            }
            offset += 1;
        }
        table
    }};
}

/// By offset: a mask of the lowest `offset` bytes.
macro_rules! first {
    ($word:ty, $bytes:literal) => {{
        let mut table: [$word; $bytes] = [0; $bytes];
        let mut offset = 1;
        while offset < $bytes {
            table[offset] = (1 << (8 * offset)) - 1;
            offset += 1;
        }
        table
    }};
}

/// Repeats the first `offset` (1..8) bytes of `word`.
#[inline(always)]
pub(super) fn repeat_8(word: [u8; 8], offset: usize) -> [u8; 8] {
    const FIRST: [u64; 8] = first!(u64, 8);
    const EVERY: [u64; 8] = every!(u64, 8);
    let offset = offset & 7;
    (u64::from_le_bytes(word) & FIRST[offset]).wrapping_mul(EVERY[offset]).to_le_bytes()
}

/// Repeats the first `offset` (1..16) bytes of `word`. Also returns the length of the whole periods among these 16
/// bytes.
#[inline(always)]
pub(super) fn repeat_16(word: [u8; 16], offset: usize) -> ([u8; 16], usize) {
    const FIRST: [u128; 16] = first!(u128, 16);
    const EVERY: [u128; 16] = every!(u128, 16);
    const WHOLE: [u8; 16] = [16, 16, 16, 15, 16, 15, 12, 14, 16, 9, 10, 11, 12, 13, 14, 15];
    let offset = offset & 15;
    let word = (u128::from_le_bytes(word) & FIRST[offset]).wrapping_mul(EVERY[offset]);
    (word.to_le_bytes(), usize::from(WHOLE[offset]))
}
