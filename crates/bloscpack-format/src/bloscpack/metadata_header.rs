//! The metadata header: the 32 bytes at the start of the metadata section.

use crate::checksum::Checksum;
use crate::error::{FormatError, Part};
use crate::le;

/// The 32-byte header of the metadata section.
///
/// ```text
///  0  8    magic_format: `JSON`, padded with NULs
///  8  u8   meta_options: reserved, written as 0
///  9  u8   meta_checksum, id 0..=8
/// 10  u8   meta_codec: 0 none, 1 zlib
/// 11  u8   meta_level, 0..=9
/// 12  u32  meta_size: bytes of the JSON text
/// 16  u32  max_meta_size: bytes set aside for the stored metadata
/// 20  u32  meta_comp_size: bytes of the stored metadata
/// 24  8    user_codec: reserved, NULs
/// 32       stored metadata, max_meta_size - meta_comp_size NULs, digest of the stored metadata
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the layout above says it")]
#[non_exhaustive]
pub struct MetadataHeader {
    pub magic_format: [u8; 8],
    pub meta_options: u8,
    pub meta_checksum: Checksum,
    pub meta_codec: MetaCodec,
    /// The requested level. It is kept even when compression did not help and the codec became none.
    pub meta_level: u8,
    /// Not needed for reading, and not trustworthy.
    pub meta_size: u32,
    pub max_meta_size: u32,
    pub meta_comp_size: u32,
    pub user_codec: [u8; 8],
}

/// The compression of the metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MetaCodec {
    /// Uncompressed.
    None,
    /// A zlib stream.
    Zlib,
}

impl MetaCodec {
    /// Returns the name in bloscpack: `None`, `zlib`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Zlib => "zlib",
        }
    }
}

/// The `magic_format` of JSON, the only format defined.
pub(super) const MAGIC_FORMAT_JSON: [u8; 8] = *b"JSON\0\0\0\0";
const MAX_LEVEL: u8 = 9;

impl MetadataHeader {
    /// Bytes of the header.
    pub const LEN: usize = 32;

    /// Reads the header at the start of `bytes`.
    ///
    /// # Errors
    ///
    /// [`FormatError::Truncated`], or [`FormatError::OutOfRange`] naming the invalid field.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let head = bytes.first_chunk::<{ Self::LEN }>().ok_or(FormatError::Truncated {
            part: Part::MetadataHeader,
            needed: Self::LEN as u64,
            found: bytes.len() as u64,
        })?;
        let meta_checksum = Checksum::from_id(head[9])
            .ok_or_else(|| out_of_range(9, "meta_checksum", i64::from(head[9]), Checksum::Sha512.id().into()))?;
        let meta_codec = match head[10] {
            0 => MetaCodec::None,
            1 => MetaCodec::Zlib,
            id => return Err(out_of_range(10, "meta_codec", i64::from(id), 1)),
        };
        let header = Self {
            magic_format: le::field(head, 0),
            meta_options: head[8],
            meta_checksum,
            meta_codec,
            meta_level: head[11],
            meta_size: le::u32_at(head, 12),
            max_meta_size: le::u32_at(head, 16),
            meta_comp_size: le::u32_at(head, 20),
            user_codec: le::field(head, 24),
        };
        header.validate()?;
        Ok(header)
    }

    /// Encodes the header.
    ///
    /// # Errors
    ///
    /// [`FormatError::OutOfRange`] for values that [`parse`](Self::parse) would refuse.
    pub fn to_bytes(&self) -> Result<[u8; Self::LEN], FormatError> {
        self.validate()?;
        let mut bytes = [0; Self::LEN];
        bytes[0..8].copy_from_slice(&self.magic_format);
        bytes[8] = self.meta_options;
        bytes[9] = self.meta_checksum.id();
        bytes[10] = u8::from(self.meta_codec == MetaCodec::Zlib);
        bytes[11] = self.meta_level;
        bytes[12..16].copy_from_slice(&self.meta_size.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.max_meta_size.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.meta_comp_size.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.user_codec);
        Ok(bytes)
    }

    /// Returns the length of the whole section: this header, the preallocated space and the digest. At most 2³² + 95.
    #[must_use]
    pub fn section_len(&self) -> u64 {
        self.digest_at() + self.meta_checksum.digest_size() as u64
    }

    /// Returns the offset of the digest from the start of the section. The stored metadata starts at
    /// [`LEN`](Self::LEN); the bytes between its end and the digest carry no information.
    #[must_use]
    pub fn digest_at(&self) -> u64 {
        Self::LEN as u64 + u64::from(self.max_meta_size)
    }

    /// Returns whether the metadata is JSON. NULs around the name are ignored. Bloscpack's documentation specifies four
    /// trailing spaces instead, which bloscpack itself never wrote.
    #[must_use]
    pub fn is_json(&self) -> bool {
        let padded = self.magic_format.as_slice();
        let name = padded.split(|byte| *byte == 0).find(|part| !part.is_empty());
        padded == b"JSON    " || (name == Some(b"JSON") && padded.iter().filter(|byte| **byte == 0).count() == 4)
    }

    pub(super) fn validate(&self) -> Result<(), FormatError> {
        if self.meta_level > MAX_LEVEL {
            return Err(out_of_range(11, "meta_level", i64::from(self.meta_level), i64::from(MAX_LEVEL)));
        }
        if self.meta_comp_size > self.max_meta_size {
            return Err(out_of_range(20, "meta_comp_size", self.meta_comp_size.into(), self.max_meta_size.into()));
        }
        Ok(())
    }
}

fn out_of_range(offset: u64, field: &'static str, value: i64, max: i64) -> FormatError {
    FormatError::OutOfRange { part: Part::MetadataHeader, offset, field, value, min: 0, max }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_of_the_format_name() {
        let is_json = |magic_format: &[u8; 8]| {
            let mut bytes = [0; 32];
            bytes[..8].copy_from_slice(magic_format);
            MetadataHeader::parse(&bytes).unwrap().is_json()
        };
        assert!(is_json(b"JSON\0\0\0\0") && is_json(b"\0\0JSON\0\0") && is_json(b"JSON    "));
        for other in [b"JSON\0\0\0 ", b"BSON\0\0\0\0", b"JS\0ON\0\0\0", b"JSONJSON", b"\0\0\0\0\0\0\0\0", b"    JSON"] {
            assert!(!is_json(other), "{}", other.escape_ascii());
        }
    }
}
