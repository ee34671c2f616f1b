//! Copying matches inside the buffer they are decoded into, by wide steps.
//!
//! All of it is checked slice access, in shapes that become single unaligned loads and stores; where the caller has
//! compared lengths before, the checks vanish. Every function wants `from < at` and answers `None`, with some bytes
//! from `at` on written or not, if that or its need of room is not met.

use std::cell::Cell;

/// How far behind its end [`copy_roomy`] may write.
pub(in crate::codec) const OVERRUN: usize = 32;

/// Up to this length a match is copied by steps, above it by few and ever longer calls of the system's memory copy.
const BULK: usize = 512;

/// Writes 18 bytes at `at`, the longest match whose length is in the token.
///
/// From an offset of 8 on, two loads and stores of a register and one of two bytes do, each of which may read what
/// the one before it has written.
#[inline(always)]
pub(in crate::codec) fn copy_18(bytes: &mut [u8], from: usize, at: usize) -> Option<()> {
    let offset = at.checked_sub(from)?;
    if offset >= 8 {
        step::<8>(bytes, from, at)?;
        step::<8>(bytes, from + 8, at + 8)?;
        step::<2>(bytes, from + 16, at + 16)
    } else {
        unlikely();
        // By offset: the whole periods among 8 bytes. Three times 8 bytes by such steps are 18 bytes at least.
        const WHOLE: [u8; 8] = [0, 8, 8, 6, 8, 5, 6, 7];
        if offset == 0 {
            return None;
        }
        let first = *bytes.get(from..)?.first_chunk()?;
        let (pattern, whole) = (repeat_8(first, offset), usize::from(WHOLE[offset]));
        let to: &mut [u8; 24] = room(bytes, at)?;
        to[..8].copy_from_slice(&pattern);
        to[whole..whole + 8].copy_from_slice(&pattern);
        to[2 * whole..2 * whole + 8].copy_from_slice(&pattern);
        Some(())
    }
}

/// As [`copy_roomy`]
#[inline(always)]
pub(in crate::codec) fn copy_steps(bytes: &mut [u8], from: usize, at: usize, length: usize) -> Option<()> {
    let offset = at.checked_sub(from)?;
    if offset < 16 {
        return copy_pattern(bytes, from, at, length);
    }
    step::<16>(bytes, from, at)?;
    step::<16>(bytes, from + 16, at + 16)?;
    step::<16>(bytes, from + 32, at + 32)?;
    step::<16>(bytes, from + 48, at + 48)?;
    if length > 64 {
        let padded = (length - 64 + 31) & !31;
        let cells = Cell::from_mut(bytes.get_mut(from + 64..at + 64 + padded)?).as_slice_of_cells();
        let source = cells.get(..padded)?.as_chunks::<32>().0;
        let target = cells.get(offset..)?.as_chunks::<32>().0;
        for (to, from) in target.iter().zip(source) {
            let word: [u8; 16] = std::array::from_fn(|i| from[i].get());
            for i in 0..16 {
                to[i].set(word[i]);
            }
            let word: [u8; 16] = std::array::from_fn(|i| from[16 + i].get());
            for i in 0..16 {
                to[16 + i].set(word[i]);
            }
        }
    }
    Some(())
}

#[inline(always)]
pub(in crate::codec) fn copy_pattern(bytes: &mut [u8], from: usize, at: usize, length: usize) -> Option<()> {
    let offset = at.checked_sub(from)?;
    if offset <= 8 && offset.is_power_of_two() {
        // Loaded by eight bytes: what has been stored just now is seldom more, and waited for if it is less.
        let pattern = match offset {
            1 => [*bytes.get(from)?; 8],
            _ => repeat_8(*bytes.get(from..)?.first_chunk()?, offset),
        };
        let padded = (length + 63) & !63;
        let room = bytes.get_mut(at..at + padded)?.as_chunks_mut::<64>().0;
        for wide in room {
            for chunk in wide.as_chunks_mut::<8>().0 {
                *chunk = pattern;
            }
        }
        return Some(());
    }
    copy_near(bytes, from, at, length)
}

/// [`copy_roomy`] for what is not worth inlining.
#[inline(never)]
pub(in crate::codec) fn copy_long(bytes: &mut [u8], from: usize, at: usize, length: usize) -> Option<()> {
    if length > BULK {
        copy_exact(bytes, from, at, length)
    } else if at.checked_sub(from)? < OVERRUN {
        copy_near(bytes, from, at, length)
    } else {
        copy_far(bytes, from, at, length)
    }
}

/// [`copy_roomy`] for offsets of [`OVERRUN`] and more.
#[inline(always)]
fn copy_far(bytes: &mut [u8], mut from: usize, mut at: usize, length: usize) -> Option<()> {
    let padded = length.next_multiple_of(OVERRUN);
    if at - from >= padded {
        let (done, room) = bytes.split_at_mut_checked(at)?;
        let source = done.get(from..from + padded)?.as_chunks::<OVERRUN>().0;
        let target = room.get_mut(..padded)?.as_chunks_mut::<OVERRUN>().0;
        // Inline, where a slice copy would be a call: these are 65 to 512 bytes.
        for (to, from) in target.iter_mut().zip(source) {
            *to = *from;
        }
        return Some(());
    }
    let end = at + length;
    while at < end {
        step::<OVERRUN>(bytes, from, at)?;
        from += OVERRUN;
        at += OVERRUN;
    }
    Some(())
}

/// [`copy_roomy`] for offsets below [`OVERRUN`].
#[inline(never)]
fn copy_near(bytes: &mut [u8], mut from: usize, mut at: usize, length: usize) -> Option<()> {
    let offset = at.checked_sub(from)?;
    let end = at.checked_add(length)?;
    if offset >= 16 {
        while at < end {
            step::<16>(bytes, from, at)?;
            from += 16;
            at += 16;
        }
        return Some(());
    }
    let (pattern, whole) = repeat_16(*bytes.get(from..)?.first_chunk()?, offset);
    if whole == 16 {
        for chunk in bytes.get_mut(at..end + 15)?.as_chunks_mut::<16>().0 {
            *chunk = pattern;
        }
        return Some(());
    }
    while at < end {
        *room(bytes, at)? = pattern;
        at += whole;
    }
    Some(())
}

/// Copies a match of any length and touches nothing behind it.
#[inline(never)]
pub(in crate::codec) fn copy_exact(bytes: &mut [u8], from: usize, at: usize, length: usize) -> Option<()> {
    let offset = at.checked_sub(from)?;
    let end = at.checked_add(length)?;
    if offset == 0 || end > bytes.len() {
        return None;
    }
    if offset == 1 {
        let byte = bytes[from];
        bytes[at..end].fill(byte);
        return Some(());
    }
    if offset >= length {
        bytes.copy_within(from..from + length, at);
        return Some(());
    }
    // A short period is first written out to a length that is worth a call.
    let mut at = if offset < BULK { write_out(bytes, from, at, end)? } else { at };
    // From `from` on everything repeats every `offset` bytes: each copy takes all the whole periods there are.
    let mut periods = (at - from) / offset * offset;
    while end - at >= 16 {
        let n = periods.min(end - at);
        bytes.copy_within(at - periods..at - periods + n, at);
        at += n;
        periods *= 2;
    }
    for i in at..end {
        bytes[i] = bytes[i - offset];
    }
    Some(())
}

/// The front of [`copy_exact`], by steps: [`BULK`] bytes, or of a shorter match all but its last few bytes. Gives its end.
#[inline(always)]
fn write_out(bytes: &mut [u8], from: usize, mut at: usize, end: usize) -> Option<usize> {
    let offset = at - from;
    if end - at >= BULK + OVERRUN {
        if offset < OVERRUN {
            copy_near(bytes, from, at, BULK)?;
        } else {
            copy_far(bytes, from, at, BULK)?;
        }
        return Some(at + BULK);
    }
    if offset >= 16 {
        while at + 16 <= end {
            step::<16>(bytes, at - offset, at)?;
            at += 16;
        }
    } else if let Some(head) = bytes.get(from..)?.first_chunk() {
        let (pattern, whole) = repeat_16(*head, offset);
        while at + 16 <= end {
            *room(bytes, at)? = pattern;
            at += whole;
        }
    }
    Some(at)
}

/// Copies `N` bytes from `from` to `at`, loading all of them before it stores any.
#[inline(always)]
fn step<const N: usize>(bytes: &mut [u8], from: usize, at: usize) -> Option<()> {
    let word: [u8; N] = *bytes.get(from..)?.first_chunk()?;
    *room(bytes, at)? = word;
    Some(())
}

/// The `N` bytes at `at`, to be written.
#[inline(always)]
pub(in crate::codec) fn room<const N: usize>(bytes: &mut [u8], at: usize) -> Option<&mut [u8; N]> {
    bytes.get_mut(at..)?.first_chunk_mut()
}

/// By offset: an integer with the lowest bit of every `offset`-th byte set.
///
/// Multiplied by it, `offset` bytes repeat themselves: the shifted copies that are added up do not overlap.
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

/// By offset: a mask of as many bytes.
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

/// The first `offset` (1..8) bytes of `word`, over and over.
#[inline(always)]
fn repeat_8(word: [u8; 8], offset: usize) -> [u8; 8] {
    const FIRST: [u64; 8] = first!(u64, 8);
    const EVERY: [u64; 8] = every!(u64, 8);
    if offset == 8 { return word; }
    let offset = offset & 7;
    (u64::from_le_bytes(word) & FIRST[offset]).wrapping_mul(EVERY[offset]).to_le_bytes()
}

/// The first `offset` (1..16) bytes of `word`, over and over, and how many bytes the whole periods among these 16 have.
#[inline(always)]
pub(in crate::codec) fn repeat_16(word: [u8; 16], offset: usize) -> ([u8; 16], usize) {
    const FIRST: [u128; 16] = first!(u128, 16);
    const EVERY: [u128; 16] = every!(u128, 16);
    const WHOLE: [u8; 16] = [16, 16, 16, 15, 16, 15, 12, 14, 16, 9, 10, 11, 12, 13, 14, 15];
    let offset = offset & 15;
    let word = (u128::from_le_bytes(word) & FIRST[offset]).wrapping_mul(EVERY[offset]);
    (word.to_le_bytes(), usize::from(WHOLE[offset]))
}

/// Tells the compiler that the path it stands on is the rare one.
#[cold]
#[inline]
pub(in crate::codec) fn unlikely() {}
