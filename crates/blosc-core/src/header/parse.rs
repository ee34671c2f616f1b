//! Parses a header and checks its fields.

use super::bits::offset::*;
use super::{Header, Special, bits};
use crate::codec::CodecFormat;
use crate::error::DecodeError;
use crate::format::{ChunkFormat, MAX_BLOCKSIZE};

impl Header {
    /// Parses the header at the start of `bytes` like [`Header::parse`], but accepts Blosc1 chunks only. For containers
    /// older than Blosc2.
    ///
    /// # Errors
    /// As [`Header::parse`], and [`DecodeError::Version`] for any version but 2.
    pub fn parse_blosc1(bytes: &[u8]) -> Result<Header, DecodeError> {
        match bytes.first() {
            Some(&found) if found != bits::BLOSC1 => {
                Err(DecodeError::Version { found, expected: "2, as this container holds chunks of Blosc 1.x" })
            }
            _ => Header::parse(bytes),
        }
    }

    /// Parses the header at the start of `bytes`. The bytes after the header are not read.
    ///
    /// # Errors
    /// [`DecodeError::HeaderTooShort`] with the number of bytes needed: 16, or 32 once the first 16 are known.
    /// [`DecodeError::Version`], [`DecodeError::Field`] and [`DecodeError::Flags`] for values that no version of Blosc
    /// ever wrote. [`DecodeError::UnknownCodec`]. [`DecodeError::Unearned`] if `nbytes` is more than `cbytes` bytes of
    /// a Blosc1 chunk's codec can hold.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<Header, DecodeError> {
        let header = Header::unchecked(bytes);
        header.check(bytes.len())?;
        Ok(header)
    }

    /// Reads the header at the start of `bytes`, which was checked before, or will be.
    #[inline]
    pub(crate) fn unchecked(bytes: &[u8]) -> Header {
        match bytes.first_chunk::<{ Header::EXTENDED_LEN }>() {
            Some(&bytes) => {
                let header = Header { bytes };
                if header.is_extended() { header } else { Header::padded(&bytes) }
            }
            None => Header::padded(bytes),
        }
    }

    /// Reads a header of 16 bytes, or what there is of it.
    #[inline(never)]
    fn padded(bytes: &[u8]) -> Header {
        let mut header = Header { bytes: [0; Header::EXTENDED_LEN] };
        let len = bytes.len().min(Header::LEN);
        header.bytes[..len].copy_from_slice(&bytes[..len]);
        header
    }

    /// Checks a header of which `found` bytes were available.
    #[inline]
    fn check(&self, found: usize) -> Result<(), DecodeError> {
        if found < Header::LEN {
            return Err(DecodeError::HeaderTooShort { needed: Header::LEN, found });
        }
        let version = self.version();
        if !(bits::BLOSC1..=bits::BLOSC2_VL).contains(&version) {
            return Err(DecodeError::Version { found: version, expected: "2 (Blosc 1.x) or 3 to 6 (Blosc2)" });
        }
        if self.is_extended() && found < Header::EXTENDED_LEN {
            return Err(DecodeError::HeaderTooShort { needed: Header::EXTENDED_LEN, found });
        }
        field(TYPESIZE, "typesize", self.bytes[TYPESIZE].into(), 1, 255)?;
        let max = i32::MAX.into();
        for (at, name, min) in [(NBYTES, "nbytes", 0), (BLOCKSIZE, "blocksize", 0), (CBYTES, "cbytes", self.len())] {
            let bytes = [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2], self.bytes[at + 3]];
            field(at, name, i32::from_le_bytes(bytes).into(), min as i64, max)?;
        }
        match self.format() {
            ChunkFormat::Blosc1 => self.check_blosc1(),
            ChunkFormat::Blosc2 => self.check_blosc2(),
        }
    }

    fn check_blosc1(&self) -> Result<(), DecodeError> {
        let versionlz = bits::VERSIONLZ.into();
        field(1, "versionlz", self.versionlz().into(), versionlz, versionlz)?;
        field(4, "nbytes", self.nbytes() as i64, 0, Header::MAX_NBYTES as i64)?;
        // The block size of an empty chunk has no meaning.
        if self.nbytes() > 0 {
            field(8, "blocksize", self.size(BLOCKSIZE) as i64, 1, self.nbytes() as i64)?;
        }
        if self.flags() & bits::DELTA != 0 {
            return self.bad_flags("the delta filter does not exist in a version 2 chunk");
        }
        if self.flags() & bits::EXTENDED == bits::EXTENDED {
            return self.bad_flags("byte shuffle and bit shuffle exclude each other in a version 2 chunk");
        }
        if self.is_memcpyed() {
            return self.check_memcpyed();
        }
        let format = self.check_codec()?;
        if self.nbytes() / format.max_expansion() > self.cbytes() - self.len() {
            return Err(DecodeError::Unearned { nbytes: self.nbytes(), cbytes: self.cbytes() });
        }
        Ok(())
    }

    fn check_blosc2(&self) -> Result<(), DecodeError> {
        let vl_blocks = self.has_vl_blocks();
        let max_blocksize = if vl_blocks { i32::MAX as usize } else { MAX_BLOCKSIZE };
        field(8, "blocksize", self.size(BLOCKSIZE) as i64, 1, max_blocksize as i64)?;
        let special_id = self.blosc2_flags() >> bits::SPECIAL_SHIFT & bits::SPECIAL_MASK;
        if special_id != 0 {
            // C-Blosc2 marks an empty chunk as both special and memcpyed if a dictionary was requested.
            if vl_blocks || self.is_memcpyed() && self.nbytes() > 0 {
                return self.bad_blosc2_flags("a special chunk has no blocks and no plain bytes");
            }
            if self.has_dictionary() {
                return self.bad_blosc2_flags("a special chunk has no dictionary");
            }
            return match self.special_value() {
                Some(special) => self.check_special(special),
                None => self.bad_blosc2_flags("special values have the ids 1 to 4"),
            };
        }
        if self.is_memcpyed() {
            if vl_blocks {
                return self.bad_flags("blocks of variable length are never memcpyed");
            }
            return self.check_memcpyed();
        }
        let format = self.check_codec()?;
        if self.has_dictionary() && !matches!(format, CodecFormat::Lz4 | CodecFormat::Zstd) {
            return self.bad_blosc2_flags("only lz4, lz4hc and zstd use a dictionary");
        }
        Ok(())
    }

    fn check_special(&self, special: Special) -> Result<(), DecodeError> {
        let width = match special {
            Special::Zeros => return Ok(()),
            Special::Nan if !matches!(self.typesize(), 4 | 8) => {
                return self.bad_blosc2_flags("not-a-number has a typesize of 4 or 8");
            }
            Special::Uninit | Special::Nan => self.typesize(),
            Special::Value => {
                let max = self.nbytes().min(MAX_BLOCKSIZE) + self.len();
                field(12, "cbytes", self.cbytes() as i64, self.len() as i64 + 1, max as i64)? - self.len()
            }
        };
        let whole = |offset, what, size: usize| field(offset, what, (size % width) as i64, 0, 0).map(drop);
        whole(4, "nbytes modulo the size of a value", self.nbytes())?;
        // The block size of an empty chunk has no meaning.
        if special == Special::Uninit || self.nbytes() == 0 {
            return Ok(());
        }
        whole(8, "blocksize modulo the size of a value", self.blocksize())
    }

    fn check_memcpyed(&self) -> Result<(), DecodeError> {
        let expected = (self.len() + self.nbytes()) as i64;
        field(12, "cbytes", self.cbytes() as i64, expected, expected).map(drop)
    }

    fn check_codec(&self) -> Result<CodecFormat, DecodeError> {
        self.codec_format().ok_or_else(|| DecodeError::UnknownCodec { format: self.flags() >> bits::FORMAT_SHIFT })
    }

    fn bad_flags(&self, what: &'static str) -> Result<(), DecodeError> {
        Err(DecodeError::Flags { offset: 2, found: self.flags(), what })
    }

    fn bad_blosc2_flags(&self, what: &'static str) -> Result<(), DecodeError> {
        Err(DecodeError::Flags { offset: 31, found: self.blosc2_flags(), what })
    }
}

#[inline(always)]
fn field(offset: usize, field: &'static str, found: i64, min: i64, max: i64) -> Result<usize, DecodeError> {
    // A value in range is not negative, because no minimum is negative.
    if (min..=max).contains(&found) { Ok(found as usize) } else { Err(out_of_range(offset, field, found, min, max)) }
}

#[cold]
fn out_of_range(offset: usize, field: &'static str, found: i64, min: i64, max: i64) -> DecodeError {
    DecodeError::Field { offset, field, found, min, max }
}
