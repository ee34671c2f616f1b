//! The bloscpack header: 16 bytes in format version 1, 32 bytes in versions 2 and 3.

use super::{MAX_CHUNK_SIZE, MAX_CHUNKS};
use crate::checksum::Checksum;
use crate::error::{FormatError, Part};
use crate::format_version::Version;
use crate::le;

/// The first four bytes of a bloscpack file.
pub const MAGIC: [u8; 4] = *b"blpk";

const V1_LEN: usize = 16;
const OFFSETS: u8 = 0x01;
const METADATA: u8 = 0x02;

/// A bloscpack header.
///
/// ```text
///         version 1              version 2              version 3
///  0  4   magic `blpk`           same                   same
///  4  u8  format_version = 1     2                      3
///  5  u8  reserved 0             options: bit 0 offsets  bit 0 offsets, bit 1 metadata; others 0
///  6  u8  reserved 0             checksum, id 0..=8     same
///  7  u8  reserved 0             typesize               same
///  8      nchunks i64, -1        chunk_size i32, -1     same
/// 12      (cont.)                last_chunk i32, -1     same
/// 16      (the first chunk)      nchunks i64, -1        same
/// 24                             reserved 0             max_app_chunks i64
/// ```
///
/// Little-endian. -1 means "unknown", here `None`. The sizes in a header are not authoritative: the format does not
/// force the chunks to agree with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Header {
    /// The format version.
    pub version: Version,
    /// Whether the file has an offsets section.
    pub offsets: bool,
    /// Whether the file has a metadata section.
    pub metadata: bool,
    /// The checksum whose digest follows each chunk.
    pub checksum: Checksum,
    /// The intended typesize of the chunks; 0 if it was not recorded.
    pub typesize: u8,
    /// Uncompressed bytes of every chunk but the last.
    pub chunk_size: Option<u32>,
    /// Uncompressed bytes of the last chunk.
    pub last_chunk: Option<u32>,
    /// Number of chunks.
    pub nchunks: Option<u64>,
    /// Number of chunks that can still be appended: spare entries of the offsets section.
    pub max_app_chunks: u64,
}

impl Header {
    /// Length of the longest header. Pass this many bytes to [`parse`](Self::parse), or the whole file if it is
    /// shorter.
    pub const MAX_LEN: usize = 32;

    /// Creates a header without sections or checksum, with all sizes unknown.
    #[must_use]
    pub fn new(version: Version) -> Self {
        Self {
            version,
            offsets: false,
            metadata: false,
            checksum: Checksum::None,
            typesize: 0,
            chunk_size: None,
            last_chunk: None,
            nchunks: None,
            max_app_chunks: 0,
        }
    }

    /// Parses the header at the start of `bytes`, which may be longer. Also returns the header's length.
    ///
    /// # Errors
    ///
    /// [`FormatError::Truncated`] if `bytes` is too short, otherwise an error that names the invalid field.
    pub fn parse(bytes: &[u8]) -> Result<(Self, usize), FormatError> {
        // Only version 1 has a header of less than 32 bytes, and only it may be the whole of a short file.
        let is_v1 = bytes.starts_with(&MAGIC) && bytes.get(4) == Some(&1);
        let truncated = |needed: usize| FormatError::Truncated {
            part: Part::Header,
            needed: needed as u64,
            found: bytes.len() as u64,
        };
        refuse_pre_release(bytes)?;
        if is_v1 {
            let head = bytes.first_chunk::<V1_LEN>().ok_or_else(|| truncated(V1_LEN))?;
            return Ok((parse_v1(head)?, V1_LEN));
        }
        let head = bytes.first_chunk::<{ Self::MAX_LEN }>().ok_or_else(|| truncated(Self::MAX_LEN))?;
        if !head.starts_with(&MAGIC) {
            return Err(FormatError::MagicMissing { found: le::field(head, 0) });
        }
        let version = match head[4] {
            2 => Version::V2,
            3 => Version::V3,
            found => return Err(FormatError::UnsupportedVersion { found }),
        };
        Ok((parse_v2_v3(version, head)?, Self::MAX_LEN))
    }

    /// Encodes the header: 16 or 32 bytes.
    ///
    /// # Errors
    ///
    /// The errors of [`parse`](Self::parse), or [`FormatError::NotInVersion`] if a field is set that this format
    /// version does not have.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FormatError> {
        self.validate()?;
        let mut bytes = MAGIC.to_vec();
        bytes.push(self.version.number());
        let nchunks = signed(self.nchunks).to_le_bytes();
        if self.version == Version::V1 {
            bytes.extend([0; 3]);
            bytes.extend(nchunks);
            return Ok(bytes);
        }
        let options = if self.offsets { OFFSETS } else { 0 } | if self.metadata { METADATA } else { 0 };
        bytes.extend([options, self.checksum.id(), self.typesize]);
        for size in [self.chunk_size, self.last_chunk] {
            // Validated to fit an i32; -1 has the bits of u32::MAX.
            bytes.extend(size.unwrap_or(u32::MAX).to_le_bytes());
        }
        bytes.extend(nchunks);
        bytes.extend(self.max_app_chunks.to_le_bytes());
        Ok(bytes)
    }

    /// Returns the length of this header in a file, 16 or 32 bytes.
    #[must_use]
    pub fn header_len(&self) -> usize {
        if self.version == Version::V1 { V1_LEN } else { Self::MAX_LEN }
    }

    /// Returns the uncompressed size of the whole file, if the header has it: `chunk_size * (nchunks - 1) +
    /// last_chunk`.
    #[must_use]
    pub fn nbytes(&self) -> Option<u64> {
        match self.nchunks? {
            0 => Some(0),
            1 => self.last_chunk.map(u64::from),
            nchunks => u64::from(self.chunk_size?).checked_mul(nchunks - 1)?.checked_add(u64::from(self.last_chunk?)),
        }
    }

    fn validate(&self) -> Result<(), FormatError> {
        for (offset, field, size) in [(8, "chunk_size", self.chunk_size), (12, "last_chunk", self.last_chunk)] {
            in_range(offset, field, size.map_or(-1, i64::from), -1, i64::from(MAX_CHUNK_SIZE))?;
        }
        if let (Some(chunk_size), Some(last_chunk)) = (self.chunk_size, self.last_chunk)
            && last_chunk > chunk_size
        {
            return Err(FormatError::LastChunkTooLarge { last_chunk, chunk_size });
        }
        let max_app_chunks = self.max_app_chunks;
        match self.nchunks {
            None if self.offsets || max_app_chunks != 0 => Err(FormatError::UnknownChunkCount { max_app_chunks }),
            Some(nchunks) if nchunks.checked_add(max_app_chunks).is_none_or(|sum| sum > MAX_CHUNKS) => {
                Err(FormatError::TooManyChunks { nchunks, max_app_chunks })
            }
            _ => Ok(()),
        }?;
        let since_v2 = [
            ("offsets", self.offsets),
            ("checksum", self.checksum != Checksum::None),
            ("typesize", self.typesize != 0),
            ("chunk_size", self.chunk_size.is_some()),
            ("last_chunk", self.last_chunk.is_some()),
        ];
        let since_v3 = [("metadata", self.metadata), ("max_app_chunks", max_app_chunks != 0)];
        let beyond_version = match self.version {
            Version::V1 => since_v2.iter().chain(&since_v3).find(|(_, set)| *set),
            Version::V2 => since_v3.iter().find(|(_, set)| *set),
            Version::V3 => None,
        };
        match beyond_version {
            Some((field, _)) => Err(FormatError::NotInVersion { version: self.version, field }),
            None => Ok(()),
        }
    }
}

fn parse_v1(head: &[u8; V1_LEN]) -> Result<Header, FormatError> {
    for (offset, &value) in (5..).zip(&head[5..8]) {
        if value != 0 {
            return Err(FormatError::Reserved { offset, field: "reserved", value: u64::from(value) });
        }
    }
    Ok(Header { nchunks: unsigned(8, "nchunks", le::i64_at(head, 8), -1)?, ..Header::new(Version::V1) })
}

fn parse_v2_v3(version: Version, head: &[u8; Header::MAX_LEN]) -> Result<Header, FormatError> {
    let options = head[5];
    let known = if version == Version::V2 { OFFSETS } else { OFFSETS | METADATA };
    if options & !known != 0 {
        return Err(FormatError::Reserved { offset: 5, field: "options", value: u64::from(options) });
    }
    let checksum = Checksum::from_id(head[6]).ok_or_else(|| out_of_range(6, "checksum", i64::from(head[6]), 0, 8))?;
    let size = |offset: usize, field| {
        let size = i64::from(le::i32_at(head, offset));
        in_range(offset as u64, field, size, -1, i64::from(MAX_CHUNK_SIZE)).map(|()| u32::try_from(size).ok())
    };
    let max_app_chunks = le::i64_at(head, 24);
    if version == Version::V2 && max_app_chunks != 0 {
        return Err(FormatError::Reserved { offset: 24, field: "reserved", value: max_app_chunks.cast_unsigned() });
    }
    let header = Header {
        version,
        offsets: options & OFFSETS != 0,
        metadata: options & METADATA != 0,
        checksum,
        typesize: head[7],
        chunk_size: size(8, "chunk_size")?,
        last_chunk: size(12, "last_chunk")?,
        nchunks: unsigned(16, "nchunks", le::i64_at(head, 16), -1)?,
        max_app_chunks: unsigned(24, "max_app_chunks", max_app_chunks, 0)?.unwrap_or(0),
    };
    header.validate()?;
    Ok(header)
}

/// Refuses files of bloscpack 0.1.0-rc1 and -rc2: `blpk`, a `u32` number of chunks, then the chunks.
///
/// In such a file a Blosc chunk starts at byte 8. Its compressed size of at least 16 makes bytes 16..24, a later
/// version's `nchunks`, at least 2³⁶. Its uncompressed size makes bytes 8..16, version 1's `nchunks`, at least 2³². No
/// real file has that number of chunks.
fn refuse_pre_release(bytes: &[u8]) -> Result<(), FormatError> {
    let Some(head) = bytes.first_chunk::<24>() else {
        return Ok(());
    };
    let (nbytes, blocksize, ctbytes) = (le::i32_at(head, 12), le::i32_at(head, 16), le::i32_at(head, 20));
    let starts_chunk = matches!(head[8], 1 | 2) && head[9] == 1 && head[11] != 0;
    let nchunks = le::u32_at(head, 4);
    if head.starts_with(&MAGIC)
        && starts_chunk
        && nbytes > 0
        && blocksize > 0
        && blocksize <= nbytes
        && ctbytes >= 16
        && nchunks > 0
    {
        return Err(FormatError::PreRelease { nchunks });
    }
    Ok(())
}

/// Converts a number from a header, with `None` for -1.
fn unsigned(offset: u64, field: &'static str, value: i64, min: i64) -> Result<Option<u64>, FormatError> {
    in_range(offset, field, value, min, i64::MAX).map(|()| u64::try_from(value).ok())
}

/// Converts a number for a header, with -1 for `None`. The number was validated to be at most [`MAX_CHUNKS`].
fn signed(value: Option<u64>) -> i64 {
    value.map_or(-1, u64::cast_signed)
}

fn in_range(offset: u64, field: &'static str, value: i64, min: i64, max: i64) -> Result<(), FormatError> {
    if (min..=max).contains(&value) { Ok(()) } else { Err(out_of_range(offset, field, value, min, max)) }
}

fn out_of_range(offset: u64, field: &'static str, value: i64, min: i64, max: i64) -> FormatError {
    FormatError::OutOfRange { part: Part::Header, offset, field, value, min, max }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V3: &[u8; 32] = b"blpk\x03\x03\x01\x08\x20\x03\0\0\x64\0\0\0\x03\0\0\0\0\0\0\0\x1e\0\0\0\0\0\0\0";

    fn with(at: usize, bytes: &[u8]) -> Result<(Header, usize), FormatError> {
        let mut header = *V3;
        header[at..at + bytes.len()].copy_from_slice(bytes);
        Header::parse(&header)
    }

    #[track_caller]
    fn says(at: usize, bytes: &[u8], message: &str) {
        assert_eq!(with(at, bytes).unwrap_err().to_string(), message);
    }

    #[test]
    fn reads_version_3() {
        let (header, len) = Header::parse(V3).unwrap();
        let expected = Header {
            version: Version::V3,
            offsets: true,
            metadata: true,
            checksum: Checksum::Adler32,
            typesize: 8,
            chunk_size: Some(800),
            last_chunk: Some(100),
            nchunks: Some(3),
            max_app_chunks: 30,
        };
        assert_eq!((header, len), (expected, 32));
        assert_eq!(header.nbytes(), Some(1700));
        assert_eq!(header.to_bytes().as_deref(), Ok(V3.as_slice()));
    }

    #[test]
    fn reads_versions_1_and_2() {
        let v1 = b"blpk\x01\0\0\0\x03\0\0\0\0\0\0\0chunk";
        let expected = Header { nchunks: Some(3), ..Header::new(Version::V1) };
        assert_eq!(Header::parse(v1), Ok((expected, 16)));
        assert_eq!(
            with(4, b"\x02\x01").unwrap_err(),
            FormatError::Reserved { offset: 24, field: "reserved", value: 30 }
        );
        says(4, b"\x02", "offset 5: options is 0x3, but the reserved bits must be zero");
        says(4, b"\x01", "offset 5: reserved is 0x3, but the reserved bits must be zero");
        let unknown = b"blpk\x01\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff";
        assert_eq!(Header::parse(unknown), Ok((Header::new(Version::V1), 16)));
    }

    #[test]
    fn every_field_is_checked() {
        says(0, b"BL\x00'", "offset 0: magic is b'BL\\x00\\'', expected b'blpk'");
        says(4, &[0], "offset 4: format_version is 0, expected 1..=3");
        says(5, &[4], "offset 5: options is 0x4, but the reserved bits must be zero");
        says(6, &[9], "offset 6: checksum is 9, expected 0..=8");
        says(8, &(-2_i32).to_le_bytes(), "offset 8: chunk_size is -2, expected -1..=2147483631");
        says(8, &2_147_483_632_i32.to_le_bytes(), "offset 8: chunk_size is 2147483632, expected -1..=2147483631");
        says(12, &(-2_i32).to_le_bytes(), "offset 12: last_chunk is -2, expected -1..=2147483631");
        says(12, &801_i32.to_le_bytes(), "offset 12: last_chunk is 801, expected at most chunk_size, 800");
        says(16, &(-2_i64).to_le_bytes(), "offset 16: nchunks is -2, expected >= -1");
        says(16, &(-1_i64).to_le_bytes(), "offset 16: nchunks is -1 in a file with offsets and max_app_chunks 30");
        says(24, &(-1_i64).to_le_bytes(), "offset 24: max_app_chunks is -1, expected >= 0");
        says(
            24,
            &(i64::MAX - 2).to_le_bytes(),
            "offset 16: nchunks 3 and max_app_chunks 9223372036854775805 are too many",
        );
        assert!(with(24, &(i64::MAX - 3).to_le_bytes()).is_ok());
        assert!(with(8, &[255; 8]).is_ok_and(|(header, _)| header.nbytes().is_none()));
    }

    #[test]
    fn short_headers_say_how_much_is_needed() {
        for cut in 0..32 {
            assert_eq!(Header::parse(&V3[..cut]).unwrap_err().bytes_needed(), Some(32));
        }
        assert_eq!(Header::parse(b"blpk\x01\0\0\0").unwrap_err().bytes_needed(), Some(16));
    }

    #[test]
    fn pre_release_files_are_named() {
        let mut file = b"blpk\x03\0\0\0\x02\x01\x01\x08".to_vec();
        file.extend([1000_i32, 1000, 200, 0].map(i32::to_le_bytes).concat());
        for nchunks in [1, 3, 255] {
            file[4] = nchunks;
            assert_eq!(Header::parse(&file), Err(FormatError::PreRelease { nchunks: nchunks.into() }));
        }
    }

    #[test]
    fn old_versions_cannot_hold_new_fields() {
        let (v3, _) = Header::parse(V3).unwrap();
        let v2 = Header { version: Version::V2, ..v3 };
        let not_in = |version, field| Err(FormatError::NotInVersion { version, field });
        assert_eq!(v2.to_bytes(), not_in(Version::V2, "metadata"));
        let v2 = Header { metadata: false, ..v2 };
        assert_eq!(v2.to_bytes(), not_in(Version::V2, "max_app_chunks"));
        assert!(Header { max_app_chunks: 0, ..v2 }.to_bytes().is_ok());
        assert_eq!(Header { version: Version::V1, ..v3 }.to_bytes(), not_in(Version::V1, "offsets"));
    }
}
