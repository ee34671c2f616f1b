//! The few MessagePack types that a frame consists of, each with a fixed marker. Integers are big-endian.

use super::FrameError;
use crate::error::{FormatError, Part};

/// Markers, by their MessagePack names.
pub(super) mod marker {
    pub(in crate::frame) const FALSE: u8 = 0xc2;
    pub(in crate::frame) const TRUE: u8 = 0xc3;
    pub(in crate::frame) const BIN32: u8 = 0xc6;
    pub(in crate::frame) const UINT16: u8 = 0xcd;
    pub(in crate::frame) const UINT32: u8 = 0xce;
    pub(in crate::frame) const UINT64: u8 = 0xcf;
    pub(in crate::frame) const INT16: u8 = 0xd1;
    pub(in crate::frame) const INT32: u8 = 0xd2;
    pub(in crate::frame) const INT64: u8 = 0xd3;
    pub(in crate::frame) const FIXEXT16: u8 = 0xd8;
    pub(in crate::frame) const STR32: u8 = 0xdb;
    pub(in crate::frame) const ARRAY16: u8 = 0xdc;
    pub(in crate::frame) const MAP16: u8 = 0xde;
    /// Base marker of an array; the low 4 bits are its length, up to 15.
    pub(in crate::frame) const FIXARRAY: u8 = 0x90;
    /// Base marker of a string; the low 5 bits are its length in bytes, up to 31.
    pub(in crate::frame) const FIXSTR: u8 = 0xa0;
}

/// Reads one complete part of a frame: a field that extends past its end is damage.
pub(super) struct Reader<'a> {
    part: Part,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Creates a reader of `bytes`, the whole of `part`, that starts at `at`.
    pub(super) fn new(part: Part, bytes: &'a [u8], at: usize) -> Self {
        Self { part, bytes, at }
    }

    /// Returns the offset of the next byte.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns the next `len` bytes.
    pub(super) fn take(&mut self, field: &'static str, len: usize) -> Result<&'a [u8], FormatError> {
        let end = self.at.checked_add(len).filter(|end| *end <= self.bytes.len());
        let taken = end.and_then(|end| self.bytes.get(self.at..end)).ok_or(FrameError::PastEnd {
            part: self.part,
            offset: self.at as u64,
            field,
            end: self.bytes.len() as u64,
        })?;
        self.at += len;
        Ok(taken)
    }

    /// Returns the next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], FormatError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(field, N)?);
        Ok(array)
    }

    /// Returns the next byte.
    pub(super) fn byte(&mut self, field: &'static str) -> Result<u8, FormatError> {
        self.array(field).map(|[byte]| byte)
    }

    /// Skips the expected marker, or returns an error with the byte found instead.
    pub(super) fn marker(&mut self, field: &'static str, expected: u8) -> Result<(), FormatError> {
        let offset = self.at as u64;
        match self.byte(field)? {
            found if found == expected => Ok(()),
            found => Err(FrameError::Marker { part: self.part, offset, field, found, expected }.into()),
        }
    }

    pub(super) fn uint16(&mut self, field: &'static str) -> Result<u16, FormatError> {
        self.marker(field, marker::UINT16)?;
        self.array(field).map(u16::from_be_bytes)
    }

    pub(super) fn uint32(&mut self, field: &'static str) -> Result<u32, FormatError> {
        self.marker(field, marker::UINT32)?;
        self.array(field).map(u32::from_be_bytes)
    }

    pub(super) fn uint64(&mut self, field: &'static str) -> Result<u64, FormatError> {
        self.marker(field, marker::UINT64)?;
        self.array(field).map(u64::from_be_bytes)
    }

    pub(super) fn int16(&mut self, field: &'static str) -> Result<i16, FormatError> {
        self.marker(field, marker::INT16)?;
        self.array(field).map(i16::from_be_bytes)
    }

    pub(super) fn int32(&mut self, field: &'static str) -> Result<i32, FormatError> {
        self.marker(field, marker::INT32)?;
        self.array(field).map(i32::from_be_bytes)
    }

    pub(super) fn int64(&mut self, field: &'static str) -> Result<i64, FormatError> {
        self.marker(field, marker::INT64)?;
        self.array(field).map(i64::from_be_bytes)
    }

    /// Reads the number of members of a map or an array whose marker is followed by a 16-bit count.
    pub(super) fn count16(&mut self, field: &'static str, marker: u8) -> Result<u16, FormatError> {
        self.marker(field, marker)?;
        self.array(field).map(u16::from_be_bytes)
    }

    /// Reads an `i32` that must be in a range.
    pub(super) fn int32_in(&mut self, field: &'static str, min: i32, max: i32) -> Result<i32, FormatError> {
        let offset = self.at as u64 + 1;
        let value = self.int32(field)?;
        in_range(self.part, offset, field, value.into(), min.into(), max.into()).map(|()| value)
    }

    /// Reads an `i64` that must be at least `min`.
    pub(super) fn int64_from(&mut self, field: &'static str, min: i64) -> Result<i64, FormatError> {
        let offset = self.at as u64 + 1;
        let value = self.int64(field)?;
        in_range(self.part, offset, field, value, min, i64::MAX).map(|()| value)
    }
}

/// Refuses a number outside its range. `offset` is its offset in the part.
pub(super) fn in_range(
    part: Part,
    offset: u64,
    field: &'static str,
    value: i64,
    min: i64,
    max: i64,
) -> Result<(), FormatError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(FormatError::OutOfRange { part, offset, field, value, min, max })
}

/// Appends a marker and the bytes after it.
pub(super) fn put(out: &mut Vec<u8>, marker: u8, bytes: &[u8]) {
    out.push(marker);
    out.extend_from_slice(bytes);
}
