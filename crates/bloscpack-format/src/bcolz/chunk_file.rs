//! `data/__N.blp`: the names of chunk files and their 16-byte header.

use super::DATA_DIR;
use crate::bloscpack;
use crate::error::{FormatError, Part};

/// The header of a chunk file. One Blosc1 chunk follows it; bytes after the chunk are ignored.
///
/// ```text
/// 0  4    magic `blpk`
/// 4  u8   version = 1
/// 5  3    reserved 0
/// 8  i64  nchunks = 1, or -1 for "unknown"
/// 16      the chunk
/// ```
///
/// This is the header of a bloscpack file of format version 1: a chunk file is such a file, with one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkFileHeader {
    /// Whether `nchunks` is known. It always is in files written by bcolz.
    pub nchunks_known: bool,
}

impl ChunkFileHeader {
    /// Bytes of the header.
    pub const LEN: usize = 16;

    /// The header of a new chunk file.
    pub const NEW: Self = ChunkFileHeader { nchunks_known: true };

    /// Parses the header at the start of `bytes`.
    ///
    /// # Errors
    ///
    /// [`FormatError::Truncated`] if `bytes` is shorter than 16, otherwise an error that names the invalid field.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let truncated =
            || FormatError::Truncated { part: Part::ChunkFile, needed: Self::LEN as u64, found: bytes.len() as u64 };
        let header: &[u8; Self::LEN] = bytes.first_chunk().ok_or_else(truncated)?;
        if !header.starts_with(&bloscpack::MAGIC) {
            return Err(FormatError::MagicMissing { found: crate::le::field(header, 0) });
        }
        if header[4] != 1 {
            let (offset, field, value) = (4, "version", i64::from(header[4]));
            return Err(FormatError::OutOfRange { part: Part::ChunkFile, offset, field, value, min: 1, max: 1 });
        }
        let (header, _) = bloscpack::Header::parse(header)?;
        match header.nchunks {
            None => Ok(ChunkFileHeader { nchunks_known: false }),
            Some(1) => Ok(ChunkFileHeader { nchunks_known: true }),
            Some(found) => {
                let value = found.cast_signed();
                let (offset, field) = (8, "nchunks");
                Err(FormatError::OutOfRange { part: Part::ChunkFile, offset, field, value, min: 1, max: 1 })
            }
        }
    }

    /// Encodes the header.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::LEN] {
        let nchunks: i64 = if self.nchunks_known { 1 } else { -1 };
        let mut bytes = [0; Self::LEN];
        let fields = bloscpack::MAGIC.into_iter().chain([1, 0, 0, 0]).chain(nchunks.to_le_bytes());
        bytes.iter_mut().zip(fields).for_each(|(byte, field)| *byte = field);
        bytes
    }
}

const PREFIX: &str = "__";
const SUFFIX: &str = ".blp";

/// Returns the path of the file of chunk `number`, below the root. For an array of Python objects, `number` is that of
/// an element.
///
/// ```
/// assert_eq!(bloscpack_format::bcolz::chunk_file_name(12), "data/__12.blp");
/// ```
#[must_use]
pub fn chunk_file_name(number: u64) -> String {
    format!("{DATA_DIR}/{PREFIX}{number}{SUFFIX}")
}

/// Returns the number of a file in `data`, from its name there: `__12.blp`. `None` for any other file.
#[must_use]
pub fn chunk_file_number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let number = digits.parse().ok()?;
    (format!("{number}") == digits).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_lead_back_and_say_what_is_wrong() {
        for header in [ChunkFileHeader::NEW, ChunkFileHeader { nchunks_known: false }] {
            assert_eq!(ChunkFileHeader::parse(&header.to_bytes()), Ok(header));
        }
        let refused = |at: usize, byte: u8| {
            let mut bytes = ChunkFileHeader::NEW.to_bytes();
            bytes[at] = byte;
            ChunkFileHeader::parse(&bytes).unwrap_err().to_string()
        };
        assert_eq!(refused(3, b'K'), r"offset 0: magic is b'blpK', expected b'blpk'");
        assert_eq!(refused(4, 3), "chunk file, offset 4: version is 3, expected 1..=1");
        assert_eq!(refused(6, 1), "offset 6: reserved is 0x1, but the reserved bits must be zero");
        assert_eq!(refused(8, 5), "chunk file, offset 8: nchunks is 5, expected 1..=1");
        assert_eq!(refused(8, 0), "chunk file, offset 8: nchunks is 0, expected 1..=1");
        assert_eq!(ChunkFileHeader::parse(b"blpk\x01").unwrap_err().bytes_needed(), Some(16));
    }

    #[test]
    fn names_lead_back_and_nothing_else_is_one() {
        for number in [0, 9, 10, 1030, u64::MAX] {
            let name = chunk_file_name(number);
            assert_eq!(chunk_file_number(name.strip_prefix("data/").unwrap()), Some(number));
        }
        for name in
            ["__00.blp", "__+1.blp", "__-3.blp", "__.blp", "_1.blp", "__1.blp.tmp", "__18446744073709551616.blp"]
        {
            assert_eq!(chunk_file_number(name), None, "{name}");
        }
    }
}
