//! Copies matches inside the buffer they are decoded into, in wide steps.
//!
//! All functions use checked slice access, in shapes that compile to single unaligned loads and stores. Where the
//! caller has compared lengths before, the checks vanish. Every function requires `from < at`. If that or its
//! requirement of room is not met, it returns `None`, and some bytes from `at` on may have been written.

use super::repeat::{repeat_8, repeat_16};
use crate::kernels;
use std::cell::Cell;

/// Maximum number of bytes that [`copy_roomy`] may write past the end of the match.
pub(in crate::codec) const OVERRUN: usize = 64;

/// Number of bytes copied per step for offsets of at least this size.
const STEP: usize = 32;

/// Maximum length of matches that are copied in steps. Longer ones use a few memory copies of doubling size.
const BULK: usize = 512;

/// Writes 18 bytes at `at`, the longest match whose length fits into the token. Requires room for 24 bytes.
///
/// From an offset of 8 on, this takes two register-wide loads and stores and one of two bytes. Each may read what the
/// previous one has written. Copies of 16 bytes were slower: a load that spans several recent stores cannot be
/// forwarded and waits until all of them have reached the cache. The source of a match was often written just before.
#[inline(always)]
pub(in crate::codec) fn copy_18(bytes: &mut [u8], from: usize, at: usize) -> Option<()> {
    let offset = at.checked_sub(from)?;
    if offset >= 8 {
        // Source and target overlap, so they are arrays of cells. Their bounds are checked once.
        let cells = Cell::from_mut(bytes).as_slice_of_cells();
        let source = cells.get(from..)?.first_chunk::<18>()?;
        let target = cells.get(at..)?.first_chunk::<18>()?;
        copy_cells::<8>(&source[..8], &target[..8]);
        copy_cells::<8>(&source[8..16], &target[8..16]);
        copy_cells::<2>(&source[16..], &target[16..]);
        Some(())
    } else {
        unlikely();
        // By offset: the length of the whole periods among 8 bytes. Three such steps of 8 bytes cover at least 18
        // bytes.
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

/// Copies a match of any length. Requires room for [`OVERRUN`] bytes past its end.
///
/// Most matches have up to 64 bytes, which are copied without testing the length.
#[inline(always)]
pub(in crate::codec) fn copy_roomy(bytes: &mut [u8], from: usize, at: usize, length: usize) -> Option<()> {
    let offset = at.checked_sub(from)?;
    if offset < 16 {
        return copy_pattern(bytes, from, at, length);
    }
    // Source and target overlap, so they are arrays of cells. Their bounds are checked once.
    let cells = Cell::from_mut(bytes).as_slice_of_cells();
    let source = cells.get(from..)?.first_chunk::<64>()?;
    let target = cells.get(at..)?.first_chunk::<64>()?;
    for (from, to) in source.as_chunks::<16>().0.iter().zip(target.as_chunks::<16>().0) {
        copy_cells::<16>(from, to);
    }
    if length > 64 {
        copy_far(bytes, from + 64, at + 64, length - 64)?;
    }
    Some(())
}

/// [`copy_roomy`] for offsets below 16.
#[inline(always)]
pub(in crate::codec) fn copy_pattern(bytes: &mut [u8], from: usize, at: usize, length: usize) -> Option<()> {
    let offset = at.checked_sub(from)?;
    if offset > 8 || !offset.is_power_of_two() {
        return copy_near(bytes, from, at, length);
    }
    // Loads no more than what is known to have been written by one store: see `copy_18`.
    let pattern = match offset {
        1 => [*bytes.get(from)?; 8],
        8 => *bytes.get(from..)?.first_chunk()?,
        _ => repeat_8(*bytes.get(from..)?.first_chunk()?, offset),
    };
    for room in bytes.get_mut(at..at + length.next_multiple_of(64))?.as_chunks_mut::<64>().0 {
        for word in room.as_chunks_mut().0 {
            *word = pattern;
        }
    }
    Some(())
}

/// [`copy_roomy`] for offsets of 16 to 63, and matches of several periods.
///
/// The bytes of a period are loaded once. Steps of 16 bytes load what two of them have just stored, and wait until it has
/// reached the cache: see [`copy_18`].
///
/// ```text
/// offset 16 to 31       | head ......... |      second half of the period overlaps the first
///                              | ......... tail |
/// offset 32 to 63       | head | second | .. | third | tail |
/// ```
#[inline(never)]
#[cfg_attr(not(feature = "zlib"), allow(dead_code, reason = "only zlib uses it"))]
pub(in crate::codec) fn copy_period(bytes: &mut [u8], from: usize, mut at: usize, length: usize) -> Option<()> {
    let offset = at.checked_sub(from)?;
    let end = at.checked_add(length)?;
    let head: [u8; 16] = *bytes.get(from..)?.first_chunk()?;
    let tail: [u8; 16] = *bytes.get(at.checked_sub(16)?..)?.first_chunk()?;
    if offset < 32 {
        while at < end {
            *room(bytes, at)? = head;
            at += offset;
            *room(bytes, at - 16)? = tail;
        }
        return Some(());
    }
    let second: [u8; 16] = *bytes.get(from + 16..)?.first_chunk()?;
    let third: [u8; 16] = *bytes.get(at.checked_sub(32)?..)?.first_chunk()?;
    while at < end {
        *room(bytes, at)? = head;
        *room(bytes, at + 16)? = second;
        at += offset;
        *room(bytes, at - 32)? = third;
        *room(bytes, at - 16)? = tail;
    }
    Some(())
}

/// [`copy_roomy`] for cases not worth inlining. Requires only [`STEP`] bytes of room.
#[inline(never)]
pub(in crate::codec) fn copy_long(bytes: &mut [u8], from: usize, at: usize, length: usize) -> Option<()> {
    if length > BULK {
        copy_exact(bytes, from, at, length)
    } else if at.checked_sub(from)? < STEP {
        copy_near(bytes, from, at, length)
    } else {
        copy_far(bytes, from, at, length)
    }
}

/// [`copy_roomy`] for offsets of 16 and more. Requires only [`STEP`] bytes of room.
#[inline(always)]
fn copy_far(bytes: &mut [u8], from: usize, at: usize, length: usize) -> Option<()> {
    let padded = length.next_multiple_of(STEP);
    // Source and target overlap, so they are slices of cells. These need no checks in the loop.
    let cells = Cell::from_mut(bytes.get_mut(from..at + padded)?).as_slice_of_cells();
    let source = cells.get(..padded)?.as_chunks::<STEP>().0;
    let target = cells.get(at - from..)?.as_chunks::<STEP>().0;
    for (to, from) in target.iter().zip(source) {
        copy_cells::<16>(&from[..16], &to[..16]);
        copy_cells::<16>(&from[16..], &to[16..]);
    }
    Some(())
}

/// Copies `N` bytes, loading all of them before storing any.
#[inline(always)]
fn copy_cells<const N: usize>(from: &[Cell<u8>], to: &[Cell<u8>]) {
    let word: [u8; N] = std::array::from_fn(|i| from[i].get());
    for (to, byte) in to.iter().zip(word) {
        to.set(byte);
    }
}

/// [`copy_roomy`] for offsets below [`STEP`].
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

/// Copies the first `n` bytes of `from`, up to 32, to `to`. `from` is the end of `whole`.
#[inline(always)]
pub(in crate::codec) fn copy_few(whole: &[u8], from: &[u8], n: usize, to: &mut [u8; 32]) -> Option<()> {
    if n <= 8 {
        let word = match from.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            None => u64::from_le_bytes(*whole.last_chunk()?) >> ((8 * (8 - from.len())) & 63),
        };
        to[..8].copy_from_slice(&word.to_le_bytes());
    } else if n <= 16 {
        let from = from.get(..n)?;
        to[..8].copy_from_slice(from.first_chunk::<8>()?);
        to[n - 8..n].copy_from_slice(from.last_chunk::<8>()?);
    } else {
        let from = from.get(..n.min(32))?;
        to[..16].copy_from_slice(from.first_chunk::<16>()?);
        to[from.len() - 16..from.len()].copy_from_slice(from.last_chunk::<16>()?);
    }
    Some(())
}

/// Copies a match of any length and writes nothing past its end.
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
        let (done, room) = bytes.split_at_mut(at);
        kernels::copy(&done[from..from + length], &mut room[..length]);
        return Some(());
    }
    // A short period is first repeated until it is long enough for a memory copy.
    let mut at = if offset < BULK { write_out(bytes, from, at, end)? } else { at };
    // From `from` on, everything repeats every `offset` bytes. Each copy takes all whole periods available.
    let mut periods = (at - from) / offset * offset;
    while end - at >= 16 {
        let n = periods.min(end - at);
        let (done, room) = bytes.split_at_mut(at);
        kernels::copy(&done[at - periods..][..n], &mut room[..n]);
        at += n;
        periods *= 2;
    }
    for i in at..end {
        bytes[i] = bytes[i - offset];
    }
    Some(())
}

/// Writes the start of a match for [`copy_exact`] in steps: [`BULK`] bytes, or all but the last few bytes of a shorter
/// match. Returns the end of these bytes.
#[inline(always)]
fn write_out(bytes: &mut [u8], from: usize, mut at: usize, end: usize) -> Option<usize> {
    let offset = at - from;
    if end - at >= BULK + STEP {
        if offset < STEP {
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

/// Copies `N` bytes from `from` to `at`, loading all of them before storing any.
#[inline(always)]
fn step<const N: usize>(bytes: &mut [u8], from: usize, at: usize) -> Option<()> {
    let word: [u8; N] = *bytes.get(from..)?.first_chunk()?;
    *room(bytes, at)? = word;
    Some(())
}

/// Returns the `N` bytes at `at` for writing.
#[inline(always)]
pub(in crate::codec) fn room<const N: usize>(bytes: &mut [u8], at: usize) -> Option<&mut [u8; N]> {
    bytes.get_mut(at..)?.first_chunk_mut()
}

/// Tells the compiler that the calling path is rare.
#[cold]
#[inline]
pub(in crate::codec) fn unlikely() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_repeat() {
        for offset in 16..64 {
            for length in [1, 15, 16, 31, 64, 65, 100, 258, 1000] {
                let at = offset + 5;
                let mut bytes: Vec<u8> = (0..at + length + OVERRUN).map(|i| (i * 37 + i / 7) as u8).collect();
                let (start, after) = (bytes[..at].to_vec(), bytes.len());
                copy_period(&mut bytes, 5, at, length).unwrap();
                let expected: Vec<u8> = start[5..].iter().copied().cycle().take(length).collect();
                assert!(bytes[..at] == start[..], "offset {offset}, length {length}");
                assert!(bytes[at..at + length] == expected[..], "offset {offset}, length {length}");
                assert_eq!(bytes.len(), after);
            }
        }
        assert_eq!(copy_period(&mut [0; 39], 0, 20, 20), None, "without room after the match");
    }
}
