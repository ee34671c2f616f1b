//! The bytes of an input that are measured: all of them, or pieces from all over it.

use crate::kind::{Kind, kind_of_file};
use anyhow::{Result, bail};
use bloscpack_io::{Array, LocalSource, OpenOptions, Typing, memory};
use std::ops::Range;

/// Pieces that a sample is made of: enough that a header or a quiet start does not count for much, and each long enough
/// for a chunk of its own.
const PIECES: u64 = 16;

/// The typesizes that are tried where none is known.
pub(crate) const TYPESIZES: [usize; 5] = [1, 2, 4, 8, 16];

/// Plain bytes of an input.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) bytes: Vec<u8>,
    /// Bytes of an item: those that were asked for, or the one that is known; empty if none is.
    pub(crate) typesizes: Vec<usize>,
    /// The kind of the input; `None` for files without a known one.
    pub(crate) kind: Option<Kind>,
    /// All plain bytes of the input.
    pub(crate) nbytes: u64,
}

impl Sample {
    /// At most `size` plain bytes: of the content if it is a file of a kind that we read, else of the file itself, of whose
    /// items nothing is known.
    pub(crate) fn of(source: LocalSource, size: u64, typesizes: &[usize]) -> Result<Sample> {
        let kind = kind_of_file(source.file());
        if let Some(Kind::Foreign(what)) = kind {
            bail!("it is {what}, which this version cannot read");
        }
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
    kind: Option<Kind>,
    read: impl Fn(Range<u64>) -> Result<Vec<u8>>,
) -> Result<Sample> {
    if nbytes == 0 {
        bail!("there is nothing to measure: it has no bytes");
    }
    let mut bytes = Vec::new();
    for range in ranges(nbytes, size, common_multiple(&typesizes)) {
        memory::extend(&mut bytes, &read(range)?)?;
    }
    Ok(Sample { bytes, typesizes, kind, nbytes })
}

/// A number of bytes that is a multiple of every typesize, as long as it is at most 4096.
fn common_multiple(typesizes: &[usize]) -> u64 {
    const MOST: u64 = 4096;
    let divisor = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    // Without a typesize any of those that are tried.
    let sizes = if typesizes.is_empty() { &TYPESIZES } else { typesizes };
    sizes.iter().map(|size| (*size).max(1) as u64).fold(1, |all, size| match all / divisor(all, size) * size {
        multiple if multiple <= MOST => multiple,
        _ => all,
    })
}

/// Pieces of whole items, evenly over all of it.
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
