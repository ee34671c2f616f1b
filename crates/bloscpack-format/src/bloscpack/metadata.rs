//! The metadata section of format version 3: header, JSON (compressed if that makes it shorter), preallocated space,
//! digest.

use super::metadata_header::{MAGIC_FORMAT_JSON, MetaCodec, MetadataHeader};
use super::zlib::{compress, inflate};
use crate::checksum::{Checksum, Digest};
use crate::error::{DigestMismatch, FormatError, Part};
use crate::json::Json;
use blosc_core::memory;

/// Options for writing metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MetadataArgs {
    magic_format: [u8; 8],
    meta_checksum: Checksum,
    meta_codec: MetaCodec,
    meta_level: u8,
    prealloc: Prealloc,
}

/// Amount of space preallocated for later rewrites of the metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Prealloc {
    /// A multiple of the JSON text's length, at most 2³² - 1 bytes. Bloscpack's own default is 10.
    Factor(u32),
    /// An exact number of bytes; an error if the metadata does not fit.
    Exact(u32),
    /// No spare space. Best for files whose metadata is never rewritten.
    None,
}

impl Default for MetadataArgs {
    fn default() -> Self {
        Self {
            magic_format: MAGIC_FORMAT_JSON,
            meta_checksum: Checksum::Adler32,
            meta_codec: MetaCodec::Zlib,
            meta_level: 6,
            prealloc: Prealloc::Factor(10),
        }
    }
}

impl MetadataArgs {
    /// Creates the default arguments of bloscpack: JSON, adler32, zlib level 6, ten times the space.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the checksum of the stored metadata.
    #[must_use]
    pub fn meta_checksum(self, meta_checksum: Checksum) -> Self {
        Self { meta_checksum, ..self }
    }

    /// Sets the codec to try. It is used only if the result is no longer than the text.
    #[must_use]
    pub fn meta_codec(self, meta_codec: MetaCodec) -> Self {
        Self { meta_codec, ..self }
    }

    /// Sets the compression level, 0 to 9.
    #[must_use]
    pub fn meta_level(self, meta_level: u8) -> Self {
        Self { meta_level, ..self }
    }

    /// Sets the space to preallocate.
    #[must_use]
    pub fn max_meta_size(self, prealloc: Prealloc) -> Self {
        Self { prealloc, ..self }
    }
}

/// Changes that a rewrite makes besides the metadata itself. By default zlib at level 6 is tried, because the new
/// metadata may be compressible where the old was not. The checksum stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct MetadataRewrite {
    /// A new checksum. Its digest must have the same length.
    pub meta_checksum: Option<Checksum>,
    /// The codec to try, or `None` for the one in the file.
    pub meta_codec: Option<MetaCodec>,
    /// The compression level, or `None` for the one in the file.
    pub meta_level: Option<u8>,
}

impl Default for MetadataRewrite {
    fn default() -> Self {
        Self { meta_checksum: None, meta_codec: Some(MetaCodec::Zlib), meta_level: Some(6) }
    }
}

/// A metadata section: its header, the stored bytes and their digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataSection {
    header: MetadataHeader,
    stored: Vec<u8>,
}

impl MetadataSection {
    /// Encodes metadata.
    ///
    /// # Errors
    ///
    /// [`FormatError::MetadataSectionTooSmall`] if it does not fit the space asked for,
    /// [`FormatError::LimitExceeded`] beyond 2³² - 1 bytes, [`FormatError::OutOfRange`] for a level above 9.
    pub fn encode(metadata: &Json, args: &MetadataArgs) -> Result<Self, FormatError> {
        let text = metadata.try_dumps()?.into_bytes();
        let meta_size = u32::try_from(text.len())
            .map_err(|_| FormatError::LimitExceeded { part: Part::Metadata, limit: u64::from(u32::MAX) })?;
        let compressed = match args.meta_codec {
            MetaCodec::Zlib => compress(&text, args.meta_level)?.filter(|compressed| compressed.len() <= text.len()),
            MetaCodec::None => None,
        };
        let (meta_codec, stored) = match compressed {
            Some(compressed) => (MetaCodec::Zlib, compressed),
            None => (MetaCodec::None, text),
        };
        let meta_comp_size = u32::try_from(stored.len()).unwrap_or(meta_size);
        let max_meta_size = match args.prealloc {
            Prealloc::Factor(factor) => meta_size.saturating_mul(factor),
            Prealloc::Exact(size) => size,
            Prealloc::None => meta_comp_size,
        };
        if meta_comp_size > max_meta_size {
            return Err(FormatError::MetadataSectionTooSmall {
                needed: u64::from(meta_comp_size),
                room: u64::from(max_meta_size),
            });
        }
        let header = MetadataHeader {
            magic_format: args.magic_format,
            meta_options: 0,
            meta_checksum: args.meta_checksum,
            meta_codec,
            meta_level: args.meta_level,
            meta_size,
            max_meta_size,
            meta_comp_size,
            user_codec: [0; 8],
        };
        header.validate()?;
        Ok(Self { header, stored })
    }

    /// Parses the section at the start of `bytes` and checks its digest.
    ///
    /// # Errors
    ///
    /// The errors of [`MetadataHeader::parse`] and [`from_parts`](Self::from_parts), or [`FormatError::Truncated`].
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let header = MetadataHeader::parse(bytes)?;
        let needed = header.section_len();
        let truncated = || FormatError::Truncated { part: Part::Metadata, needed, found: bytes.len() as u64 };
        let section = usize::try_from(needed).ok().and_then(|len| bytes.get(..len)).ok_or_else(truncated)?;
        let (before_digest, digest) = section.split_at(section.len() - header.meta_checksum.digest_size());
        let stored = before_digest.iter().skip(MetadataHeader::LEN).take(header.meta_comp_size as usize);
        Self::from_parts(header, memory::collect(stored.copied())?, digest)
    }

    /// Builds a section from its header, the `meta_comp_size` bytes after it, and the digest at
    /// [`digest_at`](MetadataHeader::digest_at). For readers that skip the space in between.
    ///
    /// # Errors
    ///
    /// [`FormatError::Truncated`] if the length of `stored` or `digest` differs from the header's;
    /// [`FormatError::DigestMismatch`].
    pub fn from_parts(header: MetadataHeader, stored: Vec<u8>, digest: &[u8]) -> Result<Self, FormatError> {
        let (needed, found) = (u64::from(header.meta_comp_size), stored.len() as u64);
        if needed != found {
            return Err(FormatError::Truncated { part: Part::Metadata, needed, found });
        }
        let checksum = header.meta_checksum;
        let computed = checksum.digest(&stored);
        if computed.as_ref() != digest {
            let stored = Digest::from_stored(digest).unwrap_or_else(|| Checksum::None.digest(&[]));
            let mismatch = DigestMismatch { part: Part::Metadata, checksum, stored, computed };
            return Err(FormatError::DigestMismatch(Box::new(mismatch)));
        }
        Ok(Self { header, stored })
    }

    /// Encodes the section, [`section_len`](MetadataHeader::section_len) bytes. The spare space is filled with NULs.
    ///
    /// # Errors
    ///
    /// [`FormatError::LimitExceeded`] if they do not fit this machine's address space.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FormatError> {
        let mut bytes = memory::copy_of(&self.header.to_bytes()?)?;
        memory::extend(&mut bytes, &self.stored)?;
        let digest_at = usize::try_from(self.header.digest_at()).map_err(|_| too_long(usize::MAX as u64))?;
        memory::resize(&mut bytes, digest_at, 0)?;
        memory::extend(&mut bytes, self.digest().as_ref())?;
        Ok(bytes)
    }

    /// Decodes the metadata. `limit` is the maximum length of the JSON text in bytes, regardless of the header. The
    /// values take up to 36 times as much memory.
    ///
    /// # Errors
    ///
    /// [`FormatError::UnknownMetadataFormat`], [`FormatError::Zlib`], [`FormatError::LimitExceeded`], or the errors of
    /// [`Json::parse`].
    pub fn decode(&self, limit: u64) -> Result<Json, FormatError> {
        if !self.header.is_json() {
            return Err(FormatError::UnknownMetadataFormat { found: self.header.magic_format });
        }
        match self.header.meta_codec {
            MetaCodec::Zlib => Json::parse(inflate(&self.stored, limit)?),
            MetaCodec::None if self.stored.len() as u64 > limit => Err(too_long(limit)),
            MetaCodec::None => Json::parse(&self.stored),
        }
    }

    /// Replaces the metadata in the same space: returns a section of exactly the same length.
    ///
    /// # Errors
    ///
    /// [`FormatError::MetadataSectionTooSmall`] if the metadata does not fit; [`FormatError::ChecksumLengthMismatch`]
    /// if the digest would have another length; otherwise the errors of [`encode`](Self::encode).
    pub fn rewrite(&self, metadata: &Json, changes: &MetadataRewrite) -> Result<Self, FormatError> {
        let stored = self.header.meta_checksum;
        let requested = changes.meta_checksum.unwrap_or(stored);
        if stored.digest_size() != requested.digest_size() {
            return Err(FormatError::ChecksumLengthMismatch { stored, requested });
        }
        let args = MetadataArgs {
            magic_format: self.header.magic_format,
            meta_checksum: requested,
            meta_codec: changes.meta_codec.unwrap_or(self.header.meta_codec),
            meta_level: changes.meta_level.unwrap_or(self.header.meta_level),
            prealloc: Prealloc::Exact(self.header.max_meta_size),
        };
        Self::encode(metadata, &args)
    }

    /// Returns the header.
    #[must_use]
    pub fn header(&self) -> &MetadataHeader {
        &self.header
    }

    /// Returns the metadata as stored.
    #[must_use]
    pub fn stored(&self) -> &[u8] {
        &self.stored
    }

    /// Returns the digest of the stored metadata.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.header.meta_checksum.digest(&self.stored)
    }
}

fn too_long(limit: u64) -> FormatError {
    FormatError::LimitExceeded { part: Part::Metadata, limit }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long() -> Json {
        Json::Object((0..40).map(|i| (format!("key{i}"), Json::Int(i))).collect())
    }

    #[test]
    fn layout_with_prealloc() {
        let section = MetadataSection::encode(&Json::Array(vec![]), &MetadataArgs::new()).unwrap();
        let mut expected = b"JSON\0\0\0\0\0\x01\0\x06\x02\0\0\0\x14\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0[]".to_vec();
        expected.extend([0; 18]);
        // adler32 of "[]": a = 1 + 0x5b + 0x5d = 0xb9, b = 0x5c + 0xb9 = 0x115.
        expected.extend(0x0115_00b9_u32.to_le_bytes());
        assert_eq!(section.to_bytes().unwrap(), expected);
        assert_eq!(MetadataSection::parse(&expected), Ok(section));
    }

    #[test]
    fn compressed_only_where_that_helps() {
        let section = MetadataSection::encode(&long(), &MetadataArgs::new()).unwrap();
        assert_eq!(section.header().meta_codec, MetaCodec::Zlib);
        assert!(section.header().meta_comp_size < section.header().meta_size);
        assert_eq!(section.decode(1000), Ok(long()));
        let level_0 = MetadataSection::encode(&long(), &MetadataArgs::new().meta_level(0)).unwrap();
        assert_eq!((level_0.header().meta_codec, level_0.header().meta_level), (MetaCodec::None, 0));
    }

    #[test]
    fn limit_holds_for_both_codecs() {
        let text_len = long().dumps().len() as u64;
        for codec in [MetaCodec::None, MetaCodec::Zlib] {
            let section = MetadataSection::encode(&long(), &MetadataArgs::new().meta_codec(codec)).unwrap();
            assert!(section.decode(text_len).is_ok());
            let error = FormatError::LimitExceeded { part: Part::Metadata, limit: text_len - 1 };
            assert_eq!(section.decode(text_len - 1), Err(error));
        }
    }

    #[test]
    fn space_asked_for_must_do() {
        let args = |prealloc| MetadataArgs::new().meta_codec(MetaCodec::None).max_meta_size(prealloc);
        let len = long().dumps().len() as u32;
        let error = FormatError::MetadataSectionTooSmall { needed: len.into(), room: u64::from(len) - 1 };
        assert_eq!(MetadataSection::encode(&long(), &args(Prealloc::Exact(len - 1))), Err(error));
        for (prealloc, size) in [(Prealloc::Exact(len), len), (Prealloc::None, len), (Prealloc::Factor(3), 3 * len)] {
            let section = MetadataSection::encode(&long(), &args(prealloc)).unwrap();
            assert_eq!(section.header().max_meta_size, size);
        }
        assert!(MetadataSection::encode(&long(), &MetadataArgs::new().meta_level(10)).is_err());
    }

    #[test]
    fn rewrite_keeps_the_length() {
        let old =
            MetadataSection::encode(&Json::Int(0), &MetadataArgs::new().max_meta_size(Prealloc::Exact(200))).unwrap();
        let new = old.rewrite(&long(), &MetadataRewrite::default()).unwrap();
        assert_eq!(new.header().meta_codec, MetaCodec::Zlib);
        assert_eq!(new.to_bytes().unwrap().len(), old.to_bytes().unwrap().len());
        let to = |meta_checksum| MetadataRewrite { meta_checksum: Some(meta_checksum), ..MetadataRewrite::default() };
        assert_eq!(old.rewrite(&long(), &to(Checksum::Crc32)).unwrap().header().meta_checksum, Checksum::Crc32);
        let error = FormatError::ChecksumLengthMismatch { stored: Checksum::Adler32, requested: Checksum::Md5 };
        assert_eq!(old.rewrite(&long(), &to(Checksum::Md5)), Err(error));
        let uncompressed = MetadataRewrite { meta_codec: Some(MetaCodec::None), ..MetadataRewrite::default() };
        assert!(matches!(old.rewrite(&long(), &uncompressed), Err(FormatError::MetadataSectionTooSmall { .. })));
    }
}
