//! Cuts the sample out of a buffer.

use crate::memory::{self, OutOfMemory};

/// Number of pieces that a sample is put together from. Repeats within a piece are found, and repeats between pieces.
const PIECES: usize = 4;

/// Replaces `sample` with about `size` bytes from all over `plain`. Pieces are whole groups of eight elements, because
/// bitshuffle works on these, and start at an element.
pub(super) fn cut(plain: &[u8], typesize: usize, size: usize, sample: &mut Vec<u8>) -> Result<(), OutOfMemory> {
    let group = 8 * typesize.max(1);
    let whole = |bytes: usize| bytes / group * group;
    sample.clear();
    let (pieces, piece) = match whole(size / PIECES) {
        _ if plain.len() <= size => (1, if plain.len() < group { plain.len() } else { whole(plain.len()) }),
        0 => (1, whole(size.max(group).min(plain.len()))),
        piece => (PIECES, piece),
    };
    let between = (plain.len() - piece) / (pieces - 1).max(1) / typesize.max(1) * typesize.max(1);
    memory::reserve(sample, pieces * piece)?;
    for number in 0..pieces {
        sample.extend_from_slice(&plain[number * between..][..piece]);
    }
    Ok(())
}
