//! The measured bytes of an input: all of them, or pieces from all parts of it.

use crate::file_kind::{FileKind, kind_of_source};
use anyhow::{Result, bail};
use bloscpack_io::{AnySource, Array, OpenOptions, Typing, memory};
use std::ops::Range;

/// Number of pieces of a sample. There are enough pieces that a header or a uniform start has little weight, and each
/// is long enough for a chunk of its own.
const PIECES: u64 = 16;

/// The typesizes that are tried if none is known.
pub(crate) const TYPESIZES: [usize; 5] = [1, 2, 4, 8, 16];

/// Uncompressed bytes of an input.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) bytes: Vec<u8>,
    /// Sizes of an item: the requested ones, or the one that is known; empty if none is known.
    pub(crate) typesizes: Vec<usize>,
    /// The kind of the input; `None` for files without a known one.
    pub(crate) kind: Option<FileKind>,
    /// Number of uncompressed bytes of the whole input.
    pub(crate) nbytes: u64,
}

impl Sample {
    /// Reads at most `size` uncompressed bytes: the content of a file of a known kind, else the bytes of the file
    /// itself, whose item size is unknown.
    pub(crate) fn of(source: AnySource, size: u64, typesizes: &[usize]) -> Result<Sample> {
        let kind = kind_of_source(&source);
        let typing = Typing::new().raw(kind.is_none());
        let array = Array::open_with(source, &OpenOptions::new().typing(typing))?;
        let archive = array.archive();
        let typesizes = match (typesizes, kind) {
            ([], Some(_)) => vec![Some(archive.typesize()).filter(|n| (1..=255).contains(n)).unwrap_or(1)],
            (asked, _) => asked.to_vec(),
        };
        gather(archive.nbytes(), size, typesizes, kind, |range| Ok(archive.read_range(range)?))
    }
}

fn gather(
    nbytes: u64,
    size: u64,
    typesizes: Vec<usize>,
    kind: Option<FileKind>,
    read: impl Fn(Range<u64>) -> Result<Vec<u8>>,
) -> Result<Sample> {
    if nbytes == 0 {
        bail!("there is nothing to measure: the file is empty");
    }
    let mut bytes = Vec::new();
    for range in ranges(nbytes, size, common_multiple(&typesizes)) {
        memory::extend(&mut bytes, &read(range)?)?;
    }
    Ok(Sample { bytes, typesizes, kind, nbytes })
}

/// Returns a multiple of the typesizes that is at most 4096. A typesize that would exceed this is skipped.
fn common_multiple(typesizes: &[usize]) -> u64 {
    const MOST: u64 = 4096;
    let divisor = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    // Without a typesize, each of the default ones may be tried.
    let sizes = if typesizes.is_empty() { &TYPESIZES } else { typesizes };
    sizes.iter().map(|size| (*size).max(1) as u64).fold(1, |all, size| match all / divisor(all, size) * size {
        multiple if multiple <= MOST => multiple,
        _ => all,
    })
}

/// Returns the ranges of pieces of whole items, evenly spaced over the input.
fn ranges(nbytes: u64, size: u64, typesize: u64) -> Vec<Range<u64>> {
    let whole = |bytes: u64| bytes / typesize * typesize;
    let (pieces, piece) = match whole(size / PIECES) {
        _ if nbytes <= size => (1, nbytes),
        0 => (1, size),
        piece => (PIECES, piece),
    };
    let step = whole((nbytes - piece).checked_div(pieces - 1).unwrap_or(0));
    (0..pieces).map(|number| number * step..number * step + piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_suit_all_typesizes() {
        let sizes = [&[][..], &[8], &[4, 6], &[1], &[255, 254, 253]];
        assert_eq!(sizes.map(common_multiple), [16, 8, 12, 1, 255]);
    }

    #[test]
    fn pieces_are_whole_items_from_all_over() {
        for (nbytes, size, len) in [(1000, 1000, 1000), (1000, 2000, 1000), (1000, 100, 100)] {
            let pieces = ranges(nbytes, size, 8);
            assert_eq!((pieces.len(), pieces[0].clone()), (1, 0..len));
        }
        let pieces = ranges(1_000_003, 1600, 8);
        assert_eq!((pieces.len(), pieces[0].clone()), (16, 0..96));
        assert!(pieces.iter().all(|piece| piece.start % 8 == 0 && piece.end - piece.start == 96));
        assert!(pieces.windows(2).all(|two| two[0].end <= two[1].start));
        assert!((999_000..1_000_003).contains(&pieces[15].end));
    }
}
