//! Storage of metalayers: the same in a header, where their length never changes, and in a trailer.
//!
//! ```text
//! 93  cd idx_size u16   de n u16  { a0+len name   d2 off i32 } x n   dc n u16  { c6 len u32  content } x n
//! ```
//!
//! `off` is the offset of the `c6` from the start of the header or of the trailer. `idx_size` is the length up to the
//! `dc`, counted from the `93` in a header and from the `cd` in a trailer, modulo 2¹⁶; no reader checks it.

use super::FrameError;
use super::msgpack::{Reader, in_range, marker, put};
use crate::error::{FormatError, Part};
use blosc_core::{OutOfMemory, memory};
use std::borrow::Cow;
use std::ops::Range;

/// One metalayer: a name and application-defined bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metalayer<'a> {
    /// 1 to 31 bytes. Python writes UTF-8; C programs may write any bytes.
    pub name: &'a [u8],
    /// MessagePack if python-blosc2 wrote it. For a vlmetalayer, this is the chunk that holds the content.
    pub content: &'a [u8],
}

impl<'a> Metalayer<'a> {
    /// Returns the name as text; bytes that are not UTF-8 become U+FFFD.
    #[must_use]
    pub fn name_lossy(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.name)
    }
}

/// Maximum length of a name in bytes.
const MAX_NAME: usize = 31;

/// Bytes of a map without entries, from the `93` on.
const EMPTY_MAP: u8 = 7;

/// Header or trailer. They differ in the origin of offsets and in the maximum number of metalayers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) part: Part,
    /// Offset of the `93` in the part.
    pub(super) at: usize,
    /// Bytes that `idx_size` does not count.
    pub(super) idx_skip: usize,
    pub(super) max: u16,
}

/// The metalayers of a header or a trailer, kept in stored form, so bytes that no reader interprets are preserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layers {
    section: Section,
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

/// The ranges of a name and a content in the stored bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    name: Range<usize>,
    content: Range<usize>,
}

impl Layers {
    /// Parses the metalayers in `bytes`: a header, or a trailer up to the end of its metalayers.
    pub(super) fn parse(section: Section, bytes: &[u8]) -> Result<Self, FormatError> {
        let Section { part, at, max, .. } = section;
        let mut reader = Reader::new(part, bytes, at);
        reader.marker("metalayers", marker::FIXARRAY | 3)?;
        reader.uint16("idx_size")?;
        let count_at = reader.at() as u64 + 1;
        let count = reader.count16("number of metalayers", marker::MAP16)?;
        in_range(part, count_at, "number of metalayers", count.into(), 0, max.into())?;
        let mut map = Vec::new();
        for _ in 0..count {
            let name_at = reader.at();
            let found = reader.byte("metalayer name")?;
            if found & !(MAX_NAME as u8) != marker::FIXSTR {
                let (offset, field, expected) = (name_at as u64, "metalayer name", marker::FIXSTR);
                return Err(FrameError::Marker { part, offset, field, found, expected }.into());
            }
            let len = usize::from(found) & MAX_NAME;
            reader.take("metalayer name", len)?;
            let offset_at = reader.at() as u64 + 1;
            memory::push(&mut map, (name_at + 1..name_at + 1 + len, offset_at, reader.int32("metalayer offset")?))?;
        }
        let count_at = reader.at() as u64 + 1;
        let contents = reader.count16("number of metalayer contents", marker::ARRAY16)?;
        in_range(part, count_at, "number of metalayer contents", contents.into(), count.into(), count.into())?;
        let contents_at = reader.at() as i64;
        let mut entries = Vec::new();
        for (name, offset_at, offset) in map {
            in_range(part, offset_at, "metalayer offset", offset.into(), contents_at, bytes.len() as i64)?;
            // Not negative: contents_at is not.
            let mut reader = Reader::new(part, bytes, offset as usize);
            reader.marker("metalayer content", marker::BIN32)?;
            let len = u32::from_be_bytes(reader.array("metalayer content")?);
            let start = reader.at();
            reader.take("metalayer content", len as usize)?;
            memory::push(
                &mut entries,
                Entry { name: name.start - at..name.end - at, content: start - at..reader.at() - at },
            )?;
        }
        Ok(Self { section, bytes: memory::copy_of(bytes.get(at..).unwrap_or_default())?, entries })
    }

    pub(super) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let Self { section, bytes, entries } = self;
        Ok(Self { section: *section, bytes: memory::copy_of(bytes)?, entries: memory::copy_of(entries)? })
    }

    /// Creates an empty set of metalayers, which still takes ten bytes.
    pub(super) fn empty(section: Section) -> Self {
        let idx_size = EMPTY_MAP - section.idx_skip as u8;
        let bytes = vec![marker::FIXARRAY | 3, marker::UINT16, 0, idx_size, marker::MAP16, 0, 0, marker::ARRAY16, 0, 0];
        Self { section, bytes, entries: Vec::new() }
    }

    /// Lays out metalayers one after the other, as all writers do.
    pub(super) fn build(section: Section, layers: &[(&[u8], &[u8])]) -> Result<Self, FormatError> {
        let count = u16::try_from(layers.len()).ok().filter(|count| *count <= section.max);
        let (found, max) = (layers.len() as u64, section.max.into());
        let count = count.ok_or(FrameError::TooMany { what: "metalayers", found, max })?;
        let too_long = FormatError::LimitExceeded { part: section.part, limit: i32::MAX as u64 };
        // A marker and the offset for each name.
        let map_len = usize::from(EMPTY_MAP) + layers.iter().map(|(name, _)| name.len() + 6).sum::<usize>();
        let contents = layers.iter().map(|(_, content)| content.len().saturating_add(5));
        let nbytes = contents.fold(map_len + 3, usize::saturating_add);
        let mut bytes = memory::with_capacity(nbytes)?;
        bytes.push(marker::FIXARRAY | 3);
        put(&mut bytes, marker::UINT16, &((map_len - section.idx_skip) as u16).to_be_bytes());
        put(&mut bytes, marker::MAP16, &count.to_be_bytes());
        let mut content_at = map_len + 3;
        let mut entries = memory::with_capacity(layers.len())?;
        for (name, content) in layers {
            let len = u8::try_from(name.len()).ok().filter(|len| *len <= MAX_NAME as u8);
            put(&mut bytes, marker::FIXSTR | len.ok_or(FrameError::LayerName { len: name.len() })?, name);
            let offset = i32::try_from(section.at + content_at).map_err(|_| too_long.clone())?;
            put(&mut bytes, marker::INT32, &offset.to_be_bytes());
            let start = content_at + 5;
            content_at = start.checked_add(content.len()).ok_or_else(|| too_long.clone())?;
            let name_end = bytes.len() - 5;
            entries.push(Entry { name: name_end - name.len()..name_end, content: start..content_at });
        }
        i32::try_from(section.at + content_at).map_err(|_| too_long)?;
        put(&mut bytes, marker::ARRAY16, &count.to_be_bytes());
        for (_, content) in layers {
            // Less than the total, which fits an i32.
            put(&mut bytes, marker::BIN32, &(content.len() as u32).to_be_bytes());
            bytes.extend_from_slice(content);
        }
        Ok(Self { section, bytes, entries })
    }

    /// Returns the stored bytes, from the `93` to the end of the last content.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the end of the last content in the stored bytes: their length, unless `parse` got trailing bytes.
    pub(super) fn end(&self) -> usize {
        let ends = self.entries.iter().map(|entry| entry.content.end);
        ends.max().unwrap_or(usize::from(EMPTY_MAP) + 3)
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = Metalayer<'_>> {
        self.entries.iter().map(|Entry { name, content }| Metalayer {
            name: self.bytes.get(name.clone()).unwrap_or_default(),
            content: self.bytes.get(content.clone()).unwrap_or_default(),
        })
    }

    pub(super) fn get(&self, name: &str) -> Option<&[u8]> {
        self.iter().find(|layer| layer.name == name.as_bytes()).map(|layer| layer.content)
    }

    /// Overwrites the content of `name` in section, without changing its length. After a shorter `content`, the rest of
    /// the old bytes remains.
    pub(super) fn overwrite(&mut self, name: &str, content: &[u8]) -> Result<(), FormatError> {
        let index = self.iter().position(|layer| layer.name == name.as_bytes());
        let entry = index.and_then(|index| self.entries.get(index));
        let entry = entry.ok_or_else(|| FrameError::NoSuchLayer { name: name.into() })?;
        let old = self.bytes.get_mut(entry.content.clone()).unwrap_or_default();
        let (found, room) = (content.len() as u64, old.len() as u64);
        let section = old.get_mut(..content.len());
        section.ok_or_else(|| FrameError::LayerTooLong { name: name.into(), found, room })?.copy_from_slice(content);
        Ok(())
    }

    /// Returns these metalayers and one more. If `replace`, it replaces the one of the same name.
    pub(super) fn with(&self, name: &[u8], content: &[u8], replace: bool) -> Result<Self, FormatError> {
        let mut layers = memory::collect(self.iter().map(|layer| (layer.name, layer.content)))?;
        match layers.iter_mut().find(|(old, _)| *old == name) {
            Some(old) if replace => old.1 = content,
            Some(_) => return Err(FrameError::LayerExists { name: String::from_utf8_lossy(name).into() }.into()),
            None => memory::push(&mut layers, (name, content))?,
        }
        Self::build(self.section, &layers)
    }

    /// Returns these metalayers without one.
    pub(super) fn without(&self, name: &str) -> Result<Self, FormatError> {
        let kept = self.filtered(|layer| layer.name != name.as_bytes())?;
        if kept.entries.len() == self.entries.len() {
            return Err(FrameError::NoSuchLayer { name: name.into() }.into());
        }
        Ok(kept)
    }

    /// Returns the metalayers for which `keep` returns `true`.
    pub(super) fn filtered(&self, keep: impl FnMut(&Metalayer<'_>) -> bool) -> Result<Self, FormatError> {
        let kept = memory::collect(self.iter().filter(keep).map(|layer| (layer.name, layer.content)))?;
        Self::build(self.section, &kept)
    }
}
