//! Format detection by the first bytes of a file.

use crate::bcolz;
use crate::bloscpack::MAGIC;
use crate::frame::sframe::INDEX_FILE;
use crate::{le, numpy, zarr};
use std::fmt;

/// A file format that [`detect`] or [`detect_directory`] recognises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A bloscpack file. [`Header::parse`](crate::bloscpack::Header::parse) checks whether its version is supported.
    Bloscpack {
        /// The version byte.
        version: u8,
    },
    /// One bare Blosc1 chunk and nothing else.
    Blosc1Chunk,
    /// One bare Blosc2 chunk and nothing else.
    Blosc2Chunk,
    /// A Blosc2 frame (cframe), which may be a b2nd array.
    Blosc2Frame,
    /// A directory that is a sparse Blosc2 frame, which may be a b2nd array.
    SparseFrame,
    /// A directory that is a carray of bcolz: an array in chunk files.
    Carray,
    /// A directory that is a ctable of bcolz: a table whose columns are carrays.
    Ctable,
    /// A Zarr array, in a directory or a zip archive.
    ZarrArray,
    /// A Zarr group, in a directory or a zip archive.
    ZarrGroup,
    /// A NumPy array.
    Npy,
    /// Bytes without a format. [`detect`] never returns it.
    Raw,
}

/// A description of the format, for messages.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bloscpack { version } => write!(f, "a bloscpack file of version {version}"),
            Self::Blosc1Chunk => f.write_str("a bare Blosc1 chunk"),
            Self::Blosc2Chunk => f.write_str("a bare Blosc2 chunk"),
            Self::Blosc2Frame => f.write_str("a Blosc2 frame"),
            Self::SparseFrame => f.write_str("a sparse Blosc2 frame"),
            Self::Carray => f.write_str("a bcolz carray"),
            Self::Ctable => f.write_str("a bcolz ctable"),
            Self::ZarrArray => f.write_str("a Zarr array"),
            Self::ZarrGroup => f.write_str("a Zarr group"),
            Self::Npy => f.write_str("a NumPy .npy file"),
            Self::Raw => f.write_str("raw bytes"),
        }
    }
}

/// Number of bytes that [`detect`] examines.
pub const PREFIX_LEN: usize = 32;

/// The files by which [`detect_directory`] recognises a directory, as paths below it.
pub const DIRECTORY_FILES: [&str; 7] = [
    bcolz::ROOTDIRS_FILE,
    INDEX_FILE,
    bcolz::STORAGE_FILE,
    bcolz::SIZES_FILE,
    zarr::ZARR_JSON_FILE,
    zarr::ZARRAY_FILE,
    zarr::ZGROUP_FILE,
];

/// Returns the format of a directory, where `has` tells which of the [`DIRECTORY_FILES`] exist in it.
///
/// A carray that lacks one of its two files is still recognised. Opening it reports the damage. A directory with
/// `zarr.json` counts as an array; only the content of the file tells whether it is a group.
///
/// ```
/// use bloscpack_format::detect::{Format, detect_directory};
///
/// assert_eq!(detect_directory(|file| file == "chunks.b2frame"), Some(Format::SparseFrame));
/// assert_eq!(detect_directory(|file| file == "meta/storage"), Some(Format::Carray));
/// assert_eq!(detect_directory(|file| file == "README"), None);
/// ```
pub fn detect_directory(mut has: impl FnMut(&str) -> bool) -> Option<Format> {
    DIRECTORY_FILES.into_iter().find(|file| has(file)).map(|file| match file {
        bcolz::ROOTDIRS_FILE => Format::Ctable,
        INDEX_FILE => Format::SparseFrame,
        zarr::ZARR_JSON_FILE | zarr::ZARRAY_FILE => Format::ZarrArray,
        zarr::ZGROUP_FILE => Format::ZarrGroup,
        _ => Format::Carray,
    })
}

/// Returns the format of a file by its first bytes: [`PREFIX_LEN`] of them, or all if the file is shorter.
///
/// A frame may start at any offset in a file. In that case `prefix` is the bytes at that offset.
///
/// `total_len` is the length of the whole file. A bare chunk has no magic number: it is recognised by a plausible
/// header that gives exactly this length. Without the length, as for a pipe, only the header is checked.
///
/// ```
/// use bloscpack_format::{Format, detect};
///
/// assert_eq!(detect(b"blpk\x03", None), Some(Format::Bloscpack { version: 3 }));
/// assert_eq!(detect(b"PK\x03\x04", None), None);
/// ```
#[must_use]
pub fn detect(prefix: &[u8], total_len: Option<u64>) -> Option<Format> {
    match prefix {
        [b'b', b'l', b'p', b'k', version, ..] => Some(Format::Bloscpack { version: *version }),
        _ if prefix == MAGIC => Some(Format::Bloscpack { version: 0 }),
        _ if prefix.starts_with(&numpy::npy::MAGIC) => Some(Format::Npy),
        // A msgpack array of 14, which C-Blosc2 does not check, then the magic as a string of eight.
        [_, rest @ ..] if rest.starts_with(b"\xa8b2frame\0") => Some(Format::Blosc2Frame),
        _ => detect_chunk(prefix.first_chunk()?, prefix.len() as u64, total_len),
    }
}

/// Recognises a chunk by its first 16 bytes: version, versionlz, flags, typesize, then nbytes, blocksize and cbytes as
/// `i32`.
fn detect_chunk(header: &[u8; 16], prefix_len: u64, total_len: Option<u64>) -> Option<Format> {
    const SHUFFLE: u8 = 0x01;
    const MEMCPYED: u8 = 0x02;
    const BITSHUFFLE: u8 = 0x04;
    const BLOSC2_DELTA: u8 = 0x08;
    let [version, _versionlz, flags, typesize, ..] = *header;
    let [nbytes, blocksize, cbytes] = [4, 8, 12].map(|at| u64::try_from(le::i32_at(header, at)));
    let (nbytes, blocksize, cbytes) = (nbytes.ok()?, blocksize.ok()?, cbytes.ok()?);
    // A header with both shuffle flags is 16 bytes longer; only Blosc2 writes it.
    let extended = flags & (SHUFFLE | BITSHUFFLE) == SHUFFLE | BITSHUFFLE;
    let header_len = if extended { 32 } else { 16 };
    let codec = flags >> 5;
    let format = match version {
        2 if !extended && flags & BLOSC2_DELTA == 0 && codec <= 4 => Format::Blosc1Chunk,
        3..=6 => Format::Blosc2Chunk,
        _ => return None,
    };
    let sane = typesize > 0
        && blocksize > 0
        && cbytes >= header_len
        && (flags & MEMCPYED == 0 || extended || cbytes == nbytes + header_len);
    let length_fits = total_len.map_or(prefix_len <= cbytes, |len| len == cbytes);
    (sane && length_fits).then_some(format)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(version: u8, flags: u8, nbytes: i32, blocksize: i32, cbytes: i32) -> Vec<u8> {
        let mut bytes = vec![version, 1, flags, 8];
        bytes.extend([nbytes, blocksize, cbytes].map(i32::to_le_bytes).concat());
        bytes
    }

    #[test]
    fn bare_chunks_must_have_exactly_the_length() {
        let blosc1 = chunk(2, 0x11, 600, 600, 212);
        assert_eq!(detect(&blosc1, Some(212)), Some(Format::Blosc1Chunk));
        assert_eq!(detect(&blosc1, None), Some(Format::Blosc1Chunk));
        assert_eq!(detect(&blosc1, Some(213)), None);
        assert_eq!(detect(&chunk(5, 0x15, 600, 600, 212), Some(212)), Some(Format::Blosc2Chunk));
        assert_eq!(detect(&chunk(2, 0x13, 0, 1, 16), Some(16)), Some(Format::Blosc1Chunk));
        for header in [
            chunk(7, 0x11, 600, 600, 212),
            chunk(2, 0x15, 600, 600, 212),
            chunk(2, 0x19, 600, 600, 212),
            chunk(2, 0xa1, 600, 600, 212),
            chunk(2, 0x11, -1, 600, 212),
            chunk(2, 0x11, 600, 0, 212),
            chunk(2, 0x13, 600, 600, 212),
        ] {
            assert_eq!(detect(&header, Some(212)), None);
        }
        assert_eq!(detect(&chunk(2, 0x11, 600, 600, 15), Some(15)), None);
    }

    #[test]
    fn magic_numbers() {
        assert_eq!(detect(b"blpk", None), Some(Format::Bloscpack { version: 0 }));
        assert_eq!(detect(b"blpk\xff", None), Some(Format::Bloscpack { version: 255 }));
        assert_eq!(detect(b"\x93NUMPY\x01\x00", None), Some(Format::Npy));
        assert_eq!(detect(b"\x9e\xa8b2frame\0\xd2", None), Some(Format::Blosc2Frame));
        assert_eq!(detect(b"", None), None);
        assert_eq!(detect(b"\x02\x01\x11", None), None);
    }
}
