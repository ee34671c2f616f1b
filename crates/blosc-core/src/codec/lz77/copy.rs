//! Copying matches inside the buffer they are decoded into, by wide steps.
//!
//! All of it is checked slice access, in shapes that become single unaligned loads and stores; where the caller has
//! compared lengths before, the checks vanish. Every function wants `from < at` and answers `None`, with some bytes
//! from `at` on written or not, if that or its need of room is not met.

use super::repeat::{repeat_8, repeat_16};
use std::cell::Cell;

/// How far behind its end [`copy_roomy`] may write.
pub(in crate::codec) const OVERRUN: usize = 64;

/// How many bytes a step copies from an offset of as many on.
const STEP: usize = 32;

/// Up to this length a match is copied by steps, above it by few and ever longer calls of the system's memory copy.
const BULK: usize = 512;

/// Writes 18 bytes at `at`, the longest match whose length is in the token, and wants room for 24.
///
/// From an offset of 8 on, two loads and stores of a register and one of two bytes do, each of which may read what
/// the one before it has written. Sixteen bytes at once were slower: a load that wants bytes of several stores waits until
/// all have left for the cache, and what is copied was often written just before.
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

/// Copies a match of any length, given room for [`OVERRUN`] bytes more.
///
/// Most are of up to 64 bytes, copied without a look at how many there are.
#[inline(always)]
pub(in crate::codec) fn copy_roomy(bytes: &mut [u8], from: usize, at: usize, length: usize) -> Option<()> {
    let offset = at.checked_sub(from)?;
    if offset < 16 {
        return copy_pattern(bytes, from, at, length);
    }
    step::<16>(bytes, from, at)?;
    step::<16>(bytes, from + 16, at + 16)?;
    step::<16>(bytes, from + 32, at + 32)?;
    step::<16>(bytes, from + 48, at + 48)?;
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
    // A load of no more than what is known to have been written at once: see `copy_18`.
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

/// [`copy_roomy`] for what is not worth inlining; [`STEP`] bytes of room do.
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

/// [`copy_roomy`] for offsets of 16 and more; [`STEP`] bytes of room do.
#[inline(always)]
fn copy_far(bytes: &mut [u8], from: usize, at: usize, length: usize) -> Option<()> {
    let padded = length.next_multiple_of(STEP);
    // Cells, as the two overlap: slices of them do away with all checks in the loop.
    let cells = Cell::from_mut(bytes.get_mut(from..at + padded)?).as_slice_of_cells();
    let source = cells.get(..padded)?.as_chunks::<STEP>().0;
    let target = cells.get(at - from..)?.as_chunks::<STEP>().0;
    for (to, from) in target.iter().zip(source) {
        copy_cells(&from[..16], &to[..16]);
        copy_cells(&from[16..], &to[16..]);
    }
    Some(())
}

/// Copies 16 bytes, loading all of them before it stores any.
#[inline(always)]
fn copy_cells(from: &[Cell<u8>], to: &[Cell<u8>]) {
    let word: [u8; 16] = std::array::from_fn(|i| from[i].get());
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

/// Copies the first `n` bytes of `from`, up to 32, to where there is room for so many. `whole` is what `from` is the end of.
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

/// Tells the compiler that the path it stands on is the rare one.
#[cold]
#[inline]
pub(in crate::codec) fn unlikely() {}
