//! The metalayers of a trailer, of variable length: each a chunk of its own, after the data, free to change.

use super::FrameError;
use super::layers::{Layers, Metalayer, Section};
use crate::error::{FormatError, Part};
use blosc_core::{Chunk, DecodeError, Decoder, Limits, OutOfMemory, memory};
use std::collections::HashSet;

/// The metalayers in the trailer of a frame. Their contents are stored as chunks and must be decompressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VlMetalayers(Layers);

impl Default for VlMetalayers {
    fn default() -> Self {
        Self(Layers::empty(Self::SECTION))
    }
}

impl VlMetalayers {
    /// Maximum number in a trailer that C-Blosc2 reads.
    pub const MAX: usize = 8192;

    /// Maximum number that C-Blosc2 writes: with more, its edits of the frame fail. Files for interchange should not
    /// exceed it.
    pub const MAX_INTERCHANGE: usize = 16;

    pub(super) const SECTION: Section =
        Section { part: Part::FrameTrailer, at: 2, idx_skip: 1, max: VlMetalayers::MAX as u16 };

    /// Parses the vlmetalayers of a trailer that was cut at their end.
    pub(super) fn parse(trailer: &[u8]) -> Result<Self, FormatError> {
        Layers::parse(Self::SECTION, trailer).map(Self)
    }

    pub(super) fn to_bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    pub(super) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        self.0.try_clone().map(Self)
    }

    /// Returns all vlmetalayers, in the order in which they were added, each with the chunk that holds its content.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Metalayer<'_>> {
        self.0.iter()
    }

    /// Returns each vlmetalayer with the result of decoding its content within the limits.
    ///
    /// The time is proportional to the stored size: a chunk that several vlmetalayers share is decoded once, and
    /// repeated values are not decoded. The total decoded size is limited to 16 times [`Limits::max_metadata`], because
    /// C-Blosc2 writes up to 16 vlmetalayers.
    pub fn checked(&self, limits: Limits) -> impl Iterator<Item = (Metalayer<'_>, Result<(), FormatError>)> {
        let mut decoder = Decoder::new().limits(limits);
        let (mut whole, mut made) = (HashSet::new(), 0);
        self.iter().map(move |layer| {
            let section = (layer.content.as_ptr().addr(), layer.content.len());
            if whole.contains(&section) {
                return (layer, Ok(()));
            }
            let mut checked = check(layer.content, &mut decoder, &mut made);
            if checked.is_ok() {
                let nbytes = size_of_val(&section) * 2 * (whole.len() + 1);
                checked = whole.try_reserve(1).map_err(|_| OutOfMemory::new(nbytes).into());
            }
            if checked.is_ok() {
                whole.insert(section);
            }
            (layer, checked)
        })
    }

    /// Returns the chunk of a vlmetalayer.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name)
    }

    /// Decompresses the content of a vlmetalayer.
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchLayer`], or [`FrameError::Chunk`] if the chunk is damaged, does not have exactly
    /// the length of the content or exceeds the decoder's limits.
    pub fn decode(&self, name: &str, decoder: &mut Decoder) -> Result<Vec<u8>, FormatError> {
        let chunk = self.get(name).ok_or_else(|| FrameError::NoSuchLayer { name: name.into() })?;
        decode_vlmetalayer(chunk, decoder)
    }

    /// Adds a vlmetalayer, or replaces the content of the one with this name. `chunk` is the content, compressed as a
    /// Blosc2 chunk. `max` is the maximum number afterwards: [`MAX_INTERCHANGE`](Self::MAX_INTERCHANGE) unless the file
    /// is only for readers, and never more than [`MAX`](Self::MAX).
    ///
    /// # Errors
    ///
    /// [`FrameError::TooMany`], [`FrameError::LayerName`], [`FrameError::Chunk`] if `chunk` is not a chunk;
    /// [`FormatError::LimitExceeded`] if all of them together exceed 2³¹ - 1 bytes.
    pub fn set(&mut self, name: &str, chunk: &[u8], max: usize) -> Result<(), FormatError> {
        whole_chunk(chunk)?;
        let layers = self.0.with(name.as_bytes(), chunk, true)?;
        let found = layers.iter().len() as u64;
        if layers.iter().len() > max.max(self.0.iter().len()) {
            return Err(FrameError::TooMany { what: "vlmetalayers", found, max: max as u64 }.into());
        }
        self.0 = layers;
        Ok(())
    }

    /// Creates vlmetalayers with these names and chunks, in one step for any number of them.
    ///
    /// # Errors
    ///
    /// [`FrameError::TooMany`] for more than [`MAX`](Self::MAX), else as [`set`](Self::set).
    pub fn from_chunks<'a>(layers: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Result<Self, FormatError> {
        let layers = memory::collect(layers)?;
        layers.iter().try_for_each(|(_, chunk)| whole_chunk(chunk).map(drop))?;
        Layers::build(Self::SECTION, &layers).map(Self)
    }

    /// Removes all vlmetalayers except those for which `keep` returns `true`.
    ///
    /// # Errors
    ///
    /// [`FormatError::LimitExceeded`] beyond 2³¹ - 1 bytes.
    pub fn retain(&mut self, keep: impl FnMut(&Metalayer<'_>) -> bool) -> Result<(), FormatError> {
        self.0 = self.0.filtered(keep)?;
        Ok(())
    }

    /// Removes a vlmetalayer.
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchLayer`].
    pub fn remove(&mut self, name: &str) -> Result<(), FormatError> {
        self.0 = self.0.without(name)?;
        Ok(())
    }
}

/// Decompresses the content of a vlmetalayer from its chunk, as returned by [`VlMetalayers::iter`].
///
/// # Errors
///
/// [`FormatError::Limit`] if it exceeds the decoder's [`Limits::max_metadata`]; [`FrameError::Chunk`] if the chunk is
/// damaged, does not have exactly the length of the content or exceeds another limit.
pub fn decode_vlmetalayer(chunk: &[u8], decoder: &mut Decoder) -> Result<Vec<u8>, FormatError> {
    let chunk = chunk_within(chunk, decoder.get_limits())?;
    decoder.decompress(&chunk).map_err(refused)
}

/// Checks that a content can be decoded. `made` is the total decoded size so far.
fn check(chunk: &[u8], decoder: &mut Decoder, made: &mut u64) -> Result<(), FormatError> {
    let chunk = chunk_within(chunk, decoder.get_limits())?;
    if chunk.repeated_value().is_some() {
        return Ok(());
    }
    *made = made.saturating_add(chunk.header().nbytes() as u64);
    decoder.get_limits().check_metadata(*made, VlMetalayers::MAX_INTERCHANGE)?;
    decoder.decompress(&chunk).map(drop).map_err(refused)
}

/// Parses the chunk of a content, which may be no larger than metadata may be.
fn chunk_within<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Chunk<'a>, FormatError> {
    let chunk = whole_chunk(bytes)?;
    limits.check_metadata(chunk.header().nbytes() as u64, 1)?;
    Ok(chunk)
}

/// Parses a chunk of exactly the length of the content, as C-Blosc2 demands.
fn whole_chunk(bytes: &[u8]) -> Result<Chunk<'_>, FormatError> {
    let chunk = Chunk::parse(bytes).map_err(refused)?;
    let cbytes = chunk.header().cbytes();
    if cbytes != bytes.len() {
        return Err(refused(DecodeError::Truncated { cbytes, found: bytes.len() }));
    }
    Ok(chunk)
}

fn refused(source: DecodeError) -> FormatError {
    FrameError::Chunk { part: Part::VlMetalayer, source: Box::new(source) }.into()
}
