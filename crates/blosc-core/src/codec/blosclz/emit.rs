//! Writes literal runs and matches into a buffer of limited size.

use super::{MAX_LITERALS, MIN_MATCH, NEAR};

/// Decoders ignore the upper three bits of the first opcode. Encoders set this one.
const FIRST: u8 = 1 << 5;

/// A stream being written to a slice. All methods return `None` if their output does not fit.
pub(super) struct Output<'a> {
    dst: &'a mut [u8],
    at: usize,
}

impl<'a> Output<'a> {
    pub(super) fn new(dst: &'a mut [u8]) -> Self {
        Output { dst, at: 0 }
    }

    /// Writes `src[from..to]`, which may be empty, as literal runs.
    #[inline(always)]
    pub(super) fn literals(&mut self, src: &[u8], from: usize, to: usize) -> Option<()> {
        let n = to - from;
        if n > MAX_LITERALS {
            return self.many_literals(&src[from..to]);
        }
        let used = n + usize::from(n > 0);
        let out = self.dst.get_mut(self.at..)?;
        match (out.first_chunk_mut::<{ 1 + MAX_LITERALS }>(), src[from..].first_chunk::<MAX_LITERALS>()) {
            // Always copying 32 bytes, and not advancing for an empty run, avoids branches that depend on the data.
            (Some([opcode, room @ ..]), Some(literals)) => {
                *opcode = (n as u8).wrapping_sub(1);
                *room = *literals;
            }
            _ => {
                if let Some((opcode, room)) = out.get_mut(..used)?.split_first_mut() {
                    *opcode = n as u8 - 1;
                    room.copy_from_slice(&src[from..to]);
                }
            }
        }
        self.at += used;
        Some(())
    }

    #[inline(never)]
    fn many_literals(&mut self, literals: &[u8]) -> Option<()> {
        let used = literals.len() + literals.len().div_ceil(MAX_LITERALS);
        let out = self.dst.get_mut(self.at..)?.get_mut(..used)?;
        for (run, room) in literals.chunks(MAX_LITERALS).zip(out.chunks_mut(1 + MAX_LITERALS)) {
            room[0] = run.len() as u8 - 1;
            room[1..].copy_from_slice(run);
        }
        self.at += used;
        Some(())
    }

    /// Writes a match with `length` >= 3 and `distance` 1..=73727.
    #[inline(always)]
    pub(super) fn repeat(&mut self, distance: usize, length: usize) -> Option<()> {
        let code = length - (MIN_MATCH - 1);
        let far = distance > NEAR;
        let (high, low) = if far {
            let beyond = distance - NEAR - 1;
            (31, 255 | (beyond >> 8 & 0xFF) << 8 | (beyond & 0xFF) << 16)
        } else {
            ((distance - 1) >> 8, (distance - 1) & 0xFF)
        };
        if code >= 7 + 255 {
            return self.long_repeat(code - 7, high, low, far);
        }
        // The whole match in one word: the opcode, at most one length byte, the distance.
        let extended = code >= 7;
        let after = if extended { (code as u64 - 7) | (low as u64) << 8 } else { low as u64 };
        let word = ((code.min(7) << 5 | high) as u64 | after << 8).to_le_bytes();
        let used = 2 + usize::from(extended) + 2 * usize::from(far);
        let out = self.dst.get_mut(self.at..)?;
        match out.first_chunk_mut() {
            Some(room) => *room = word,
            None => out.get_mut(..used)?.copy_from_slice(&word[..used]),
        }
        self.at += used;
        Some(())
    }

    /// Writes a match with more than one length byte. `extra` is the sum of these bytes.
    #[cold]
    #[inline(never)]
    fn long_repeat(&mut self, extra: usize, high: usize, low: usize, far: bool) -> Option<()> {
        let full = extra / 255;
        let distance = if far { 3 } else { 1 };
        let out = self.dst.get_mut(self.at..)?.get_mut(..2 + full + distance)?;
        out[0] = (7 << 5 | high) as u8;
        out[1..=full].fill(255);
        out[1 + full] = (extra % 255) as u8;
        out[2 + full..].copy_from_slice(&low.to_le_bytes()[..distance]);
        self.at += 2 + full + distance;
        Some(())
    }

    /// Completes the stream and returns its length.
    pub(super) fn finish(self) -> Option<usize> {
        *self.dst.first_mut()? |= FIRST;
        Some(self.at)
    }
}
