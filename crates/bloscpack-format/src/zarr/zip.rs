//! The directory of a zip archive: which file is where. Files are stored, or compressed with Deflate; zip64 is read.
//!
//! ```text
//! file: header, data      ...
//! central directory: an entry for each file
//! zip64: end of the directory, locator      if numbers do not fit
//! end of the directory, comment
//! ```

use super::ZarrError;
use crate::error::FormatError;
use blosc_core::memory;

/// Number of bytes at the end of an archive in which the end of the directory is found: the longest comment, and the
/// structures before it.
pub const TAIL_LEN: u64 = 65_535 + END_LEN + LOCATOR_LEN;

/// Size of the header before the data of a file, without its name.
pub const LOCAL_HEADER_LEN: usize = 30;

/// Size of the end of the directory in the zip64 format.
pub const ZIP64_END_LEN: usize = 56;

const END_LEN: u64 = 22;
const LOCATOR_LEN: u64 = 20;
const CENTRAL_LEN: usize = 46;

/// Where the directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Directory {
    /// Number of files.
    pub entries: u64,
    /// Its offset in the archive.
    pub offset: u64,
    /// Its size in bytes.
    pub nbytes: u64,
}

/// The content of the end of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Where the directory is.
    Directory(Directory),
    /// Where the end of the directory in the zip64 format is: [`ZIP64_END_LEN`] bytes at this offset, to be parsed by
    /// [`parse_zip64_end`].
    Zip64(u64),
}

/// A file in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The path, with `/` between names.
    pub name: String,
    /// Offset of the header before the data.
    pub header: u64,
    /// Number of stored bytes.
    pub stored: u64,
    /// Uncompressed size.
    pub nbytes: u64,
    /// CRC-32 of the uncompressed bytes.
    pub crc32: u32,
    /// How it is stored.
    pub method: Method,
}

/// How a file is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Not compressed.
    Stored,
    /// Deflate, without a header.
    Deflate,
    /// Another method, by its number, or an encrypted file (`None`).
    Other(Option<u16>),
}

fn damaged(offset: u64, problem: impl Into<Box<str>>) -> FormatError {
    ZarrError::Zip { offset, problem: problem.into() }.into()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().copied().map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().copied().map(u64::from_le_bytes)
}

/// Finds the end of the directory in the last bytes of an archive of `len` bytes: [`TAIL_LEN`] of them, or all.
///
/// # Errors
///
/// [`ZarrError::Zip`].
pub fn parse_end(tail: &[u8], len: u64) -> Result<End, FormatError> {
    let start = len.saturating_sub(tail.len() as u64);
    let at =
        find_end(tail).ok_or_else(|| damaged(start, "the end of the directory is missing; the archive may be cut"))?;
    let end = tail.get(at..).unwrap_or_default();
    let offset = start.saturating_add(at as u64);
    let number = |at| u32_at(end, at).ok_or_else(|| damaged(offset, "the end of the directory is cut"));
    let entries = u16_at(end, 10).unwrap_or(0);
    let (nbytes, directory) = (number(12)?, number(16)?);
    if let Some(locator) = at.checked_sub(LOCATOR_LEN as usize).and_then(|at| tail.get(at..))
        && locator.starts_with(b"PK\x06\x07")
        && let Some(zip64) = u64_at(locator, 8)
    {
        return Ok(End::Zip64(zip64));
    }
    checked(Directory { entries: entries.into(), offset: directory.into(), nbytes: nbytes.into() }, offset)
        .map(End::Directory)
}

/// Returns the position of the end of the directory: the last one whose comment ends with the archive.
fn find_end(tail: &[u8]) -> Option<usize> {
    let last = tail.len().checked_sub(END_LEN as usize)?;
    (0..=last).rev().find(|&at| {
        let end = tail.get(at..).unwrap_or_default();
        let comment = u16_at(end, 20).map(usize::from);
        end.starts_with(b"PK\x05\x06") && comment == end.len().checked_sub(END_LEN as usize)
    })
}

/// Parses the end of the directory in the zip64 format, which is at `offset`.
///
/// # Errors
///
/// [`ZarrError::Zip`].
pub fn parse_zip64_end(bytes: &[u8], offset: u64) -> Result<Directory, FormatError> {
    let numbers = (u64_at(bytes, 32), u64_at(bytes, 40), u64_at(bytes, 48));
    match numbers {
        (Some(entries), Some(nbytes), Some(directory)) if bytes.starts_with(b"PK\x06\x06") => {
            checked(Directory { entries, offset: directory, nbytes }, offset)
        }
        _ => Err(damaged(offset, "the end of the zip64 directory is missing")),
    }
}

/// Refuses a directory that does not end before `end`, or is smaller than its entries.
fn checked(directory: Directory, end: u64) -> Result<Directory, FormatError> {
    let Directory { entries, offset, nbytes } = directory;
    if offset.checked_add(nbytes).is_none_or(|stop| stop > end) {
        return Err(damaged(
            end,
            format!("the directory has {nbytes} bytes at offset {offset}, expected its end at {end} at most"),
        ));
    }
    match entries.checked_mul(CENTRAL_LEN as u64) {
        Some(least) if least <= nbytes => Ok(directory),
        _ => Err(damaged(end, format!("{entries} files do not fit in a directory of {nbytes} bytes"))),
    }
}

/// Parses the directory, of which `bytes` is the content. Directories, and files whose names are not UTF-8, are left
/// out. The files are sorted by name; of those with the same name, the last one counts, as in Python.
///
/// # Errors
///
/// [`ZarrError::Zip`]; [`FormatError::OutOfMemory`].
pub fn parse_directory(bytes: &[u8], directory: &Directory) -> Result<Vec<Entry>, FormatError> {
    let (mut at, mut entries) = (0_usize, Vec::new());
    for _ in 0..directory.entries {
        let offset = directory.offset.saturating_add(at as u64);
        let rest = bytes.get(at..).unwrap_or_default();
        let (entry, len) = parse_entry(rest).ok_or_else(|| damaged(offset, "an entry of the directory is damaged"))?;
        at = at.saturating_add(len);
        if let Some(entry) = entry {
            memory::push(&mut entries, entry)?;
        }
    }
    // Positions break ties, so that the last one wins.
    let mut order: Vec<(usize, Entry)> = memory::collect(entries.into_iter().enumerate())?;
    order.sort_unstable_by(|(i, a), (j, b)| a.name.cmp(&b.name).then(j.cmp(i)));
    order.dedup_by(|(_, a), (_, b)| a.name == b.name);
    Ok(memory::collect(order.into_iter().map(|(_, entry)| entry))?)
}

/// Parses an entry. Also returns its size in the directory.
fn parse_entry(bytes: &[u8]) -> Option<(Option<Entry>, usize)> {
    bytes.starts_with(b"PK\x01\x02").then_some(())?;
    let [name_len, extra_len, comment_len] =
        [u16_at(bytes, 28)?, u16_at(bytes, 30)?, u16_at(bytes, 32)?].map(usize::from);
    let name = bytes.get(CENTRAL_LEN..)?.get(..name_len)?;
    let extra = bytes.get(CENTRAL_LEN + name_len..)?.get(..extra_len)?;
    let len = CENTRAL_LEN + name_len + extra_len + comment_len;
    (bytes.len() >= len).then_some(())?;
    let mut wide = Wide::of(extra);
    let nbytes = wide.number(u32_at(bytes, 24)?)?;
    let stored = wide.number(u32_at(bytes, 20)?)?;
    let header = wide.number(u32_at(bytes, 42)?)?;
    let is_encrypted = u16_at(bytes, 8)? & 1 == 1;
    let method = match u16_at(bytes, 10)? {
        _ if is_encrypted => Method::Other(None),
        0 => Method::Stored,
        8 => Method::Deflate,
        other => Method::Other(Some(other)),
    };
    let crc32 = u32_at(bytes, 16)?;
    let name = str::from_utf8(name).ok().filter(|name| !name.ends_with('/'));
    let entry = name.map(|name| Entry { name: name.to_owned(), header, stored, nbytes, crc32, method });
    Some((entry, len))
}

/// The numbers of an entry that do not fit 32 bits, in the extra field 1.
struct Wide<'a>(&'a [u8]);

impl<'a> Wide<'a> {
    fn of(mut extra: &'a [u8]) -> Self {
        while let (Some(id), Some(len)) = (u16_at(extra, 0), u16_at(extra, 2)) {
            let Some((content, rest)) = extra.get(4..).and_then(|rest| rest.split_at_checked(len.into())) else {
                break;
            };
            if id == 1 {
                return Wide(content);
            }
            extra = rest;
        }
        Wide(&[])
    }

    /// Returns a number, or the next one of the extra field if it does not fit.
    fn number(&mut self, number: u32) -> Option<u64> {
        if number != u32::MAX {
            return Some(number.into());
        }
        let (wide, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*wide))
    }
}

impl Entry {
    /// Returns the offset of the data, by the header before it: [`LOCAL_HEADER_LEN`] bytes at [`header`](Self::header).
    ///
    /// # Errors
    ///
    /// [`ZarrError::Zip`].
    pub fn data_offset(&self, header: &[u8]) -> Result<u64, FormatError> {
        let lens = u16_at(header, 26).zip(u16_at(header, 28)).filter(|_| header.starts_with(b"PK\x03\x04"));
        let (name, extra) = lens.ok_or_else(|| damaged(self.header, "the header of the file is damaged"))?;
        let len = LOCAL_HEADER_LEN as u64 + u64::from(name) + u64::from(extra);
        self.header.checked_add(len).ok_or_else(|| damaged(self.header, "the header of the file is damaged"))
    }
}
