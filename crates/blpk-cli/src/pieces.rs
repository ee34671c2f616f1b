//! Pieces from all over a file, for decisions that need not read all of it.

use blosc_core::memory;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;

/// Returns the ranges of up to `most` pieces of `piece` bytes, evenly spaced. They start at multiples of `piece`; the
/// first and last ones are at the ends.
pub(crate) fn spread(nbytes: u64, piece: u64, most: u64) -> Vec<Range<u64>> {
    let all = nbytes.div_ceil(piece);
    let count = all.min(most);
    let index = |number: u64| match count {
        0 | 1 => 0,
        _ => (u128::from(number) * u128::from(all - 1) / u128::from(count - 1)) as u64, // below `all`
    };
    let range = |index: u64| index * piece..nbytes.min((index + 1).saturating_mul(piece));
    (0..count).map(|number| range(index(number))).collect()
}

/// Reads up to `most` pieces of `piece` bytes of a regular file.
pub(crate) fn read(path: &Path, piece: u64, most: u64) -> io::Result<Vec<Vec<u8>>> {
    let mut file = File::open(path)?;
    let mut read = |range: Range<u64>| -> io::Result<Vec<u8>> {
        let mut bytes = memory::zeroed((range.end - range.start) as usize)?;
        file.seek(SeekFrom::Start(range.start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    let nbytes = path.metadata()?.len();
    spread(nbytes, piece, most).into_iter().map(&mut read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_from_all_over() {
        const PIECE: u64 = 1 << 20;
        assert_eq!(spread(0, PIECE, 16), []);
        assert_eq!(spread(5, PIECE, 16), vec![0..5; 1]);
        assert_eq!(spread(PIECE + 1, PIECE, 16), [0..PIECE, PIECE..PIECE + 1]);
        for nbytes in [16 * PIECE, 16 * PIECE + 3, 1000 * PIECE - 1, u64::MAX] {
            let pieces = spread(nbytes, PIECE, 16);
            assert_eq!((pieces.len(), pieces[0].start, pieces[15].end), (16, 0, nbytes));
            assert!(pieces.windows(2).all(|two| two[0].end <= two[1].start));
            assert!(pieces.iter().all(|piece| piece.start % PIECE == 0 && piece.end - piece.start <= PIECE));
        }
    }

    #[test]
    fn pieces_are_read_where_they_are() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), (0..100).collect::<Vec<u8>>()).unwrap();
        assert_eq!(read(file.path(), 10, 3).unwrap().iter().map(|piece| piece[0]).collect::<Vec<_>>(), [0, 40, 90]);
    }
}
