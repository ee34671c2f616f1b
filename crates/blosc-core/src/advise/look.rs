//! A fingerprint of a buffer, for comparison with the preceding buffer.

/// Pieces of the buffer that the fingerprint is made of, and bytes of each.
const PIECES: usize = 16;
const PIECE: usize = 256;

/// How unequal byte values are distributed, and how often a byte equals the one before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Look {
    /// The shares of the values of the upper four bits, in 1/4096, largest first. The values themselves do not matter:
    /// those of numbers that count up change all the time.
    shares: [u16; 16],
    /// The shares of bytes that equal the byte an element before them, and the one directly before them.
    repeats: [u16; 2],
}

/// Sum of the differences between shares from which on data counts as changed, in 1/4096.
const CHANGED: u32 = 1900;

impl Look {
    /// Looks at a buffer with elements of `period` bytes. It takes two microseconds.
    pub(super) fn of(plain: &[u8], period: usize) -> Self {
        let mut nibbles = [0u32; 16];
        let (mut repeats, mut count) = ([0u32; 2], 0u32);
        for piece in pieces(plain) {
            for byte in piece {
                nibbles[usize::from(byte >> 4)] += 1;
            }
            for (repeats, lag) in repeats.iter_mut().zip([period, 1]) {
                let pairs = piece.iter().zip(piece.get(lag..).unwrap_or_default());
                *repeats += pairs.map(|(one, other)| u32::from(one == other)).sum::<u32>();
            }
            count += piece.len() as u32;
        }
        let share = |number: u32| (number * 4096 / count.max(1)) as u16;
        nibbles.sort_unstable_by(|one, other| other.cmp(one));
        Look { shares: nibbles.map(share), repeats: repeats.map(share) }
    }

    /// Returns whether both buffers probably hold the same kind of data.
    pub(super) fn resembles(&self, other: &Look) -> bool {
        let pairs = self.shares.iter().chain(&self.repeats).zip(other.shares.iter().chain(&other.repeats));
        pairs.map(|(one, other)| u32::from(one.abs_diff(*other))).sum::<u32>() < CHANGED
    }
}

/// Returns pieces from all over the buffer.
fn pieces(plain: &[u8]) -> impl Iterator<Item = &[u8]> {
    let piece = PIECE.min(plain.len());
    let between = (plain.len() - piece) / (PIECES - 1);
    let pieces = if plain.len() <= PIECE { 1 } else { PIECES };
    (0..pieces).map(move |number| &plain[number * between..][..piece])
}
