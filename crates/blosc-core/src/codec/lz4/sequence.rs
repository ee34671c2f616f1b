//! Writes sequences, for all encoders.

use super::{LONG, MIN_MATCH};
use crate::kernels;

/// A block being written to a buffer of limited size.
pub(super) struct Sequences<'a> {
    dst: &'a mut [u8],
    /// Number of bytes written. Fits into 32 bits: the largest block of [`super::MAX_INPUT`] bytes is shorter than
    /// 2^31.
    at: u32,
}

impl<'a> Sequences<'a> {
    pub(super) fn new(dst: &'a mut [u8]) -> Self {
        Sequences { dst, at: 0 }
    }

    /// Returns the number of bytes written.
    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        self.at
    }

    /// Appends the literals `src[anchor..start]` and a match of `length` bytes at distance `offset`. Returns `None` if
    /// there is no room.
    #[inline(always)]
    pub(super) fn push(&mut self, src: &[u8], anchor: u32, start: u32, offset: u32, length: u32) -> Option<()> {
        let at = self.at as usize;
        let (anchor, start) = (anchor as usize, start as usize);
        let literals = start.wrapping_sub(anchor);
        let more = (length as usize).wrapping_sub(MIN_MATCH);
        // The common case uses copies of fixed width: 1 byte of token, 14 literals (16 are copied), 2 of offset, 1 of
        // length.
        if literals < LONG
            && more < LONG + 255
            && let Some(out) = self.dst.get_mut(at..at + 18)
            && let Some(from) = src.get(anchor..anchor + 16)
        {
            out[1..17].copy_from_slice(from);
            let tail = &mut out[1 + literals..];
            tail[..2].copy_from_slice(&(offset as u16).to_le_bytes());
            if more < LONG {
                out[0] = (literals << 4 | more) as u8;
                self.at += 3 + literals as u32;
            } else {
                tail[2] = (more - LONG) as u8;
                out[0] = (literals << 4 | LONG) as u8;
                self.at += 4 + literals as u32;
            }
            return Some(());
        }
        self.at = put_sequence(self.dst, at, src.get(anchor..start)?, offset as u16, more)? as u32;
        Some(())
    }

    /// Ends the block with literals and returns its length.
    pub(super) fn finish(self, literals: &[u8]) -> Option<usize> {
        put_literals(self.dst, self.at as usize, literals)
    }
}

#[inline(never)]
fn put_sequence(dst: &mut [u8], token: usize, literals: &[u8], offset: u16, more: usize) -> Option<usize> {
    let at = put_literals(dst, token, literals)?;
    *dst.get_mut(at..)?.first_chunk_mut()? = offset.to_le_bytes();
    if more < LONG {
        dst[token] |= more as u8;
        Some(at + 2)
    } else {
        dst[token] |= LONG as u8;
        put_extension(dst, at + 2, more - LONG)
    }
}

/// Writes a token for `literals` (with the lower half 0), their length bytes and the literals.
fn put_literals(dst: &mut [u8], token: usize, literals: &[u8]) -> Option<usize> {
    let n = literals.len();
    *dst.get_mut(token)? = (n.min(LONG) << 4) as u8;
    let at = if n < LONG { token + 1 } else { put_extension(dst, token + 1, n - LONG)? };
    kernels::copy(literals, dst.get_mut(at..)?.get_mut(..n)?);
    Some(at + n)
}

fn put_extension(dst: &mut [u8], at: usize, n: usize) -> Option<usize> {
    let (last, full) = dst.get_mut(at..)?.get_mut(..=n / 255)?.split_last_mut()?;
    full.fill(255);
    *last = (n % 255) as u8;
    Some(at + n / 255 + 1)
}
