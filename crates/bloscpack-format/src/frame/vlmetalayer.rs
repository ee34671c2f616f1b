//! The metalayers of a trailer, of variable length: each a chunk of its own, behind the data, free to change.

use super::FrameError;
use super::layers::{Layers, Metalayer, Place};
use crate::error::{FormatError, Part};
use blosc_core::{Chunk, DecodeError, Decoder, Limits, OutOfMemory, memory};
use std::collections::HashSet;

/// The metalayers in the trailer of a frame. Their contents are chunks, without which they cannot be read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VlMetalayers(Layers);

impl Default for VlMetalayers {
    fn default() -> Self {
        Self(Layers::empty(Self::PLACE))
    }
}

impl VlMetalayers {
    /// The most that a trailer holds and C-Blosc2 reads.
    pub const MAX: usize = 8192;

    /// The most that C-Blosc2 writes: with more, its edits of the frame fail. A file for others should stay below.
    pub const MAX_INTERCHANGE: usize = 16;

    pub(super) const PLACE: Place =
        Place { part: Part::FrameTrailer, at: 2, idx_skip: 1, max: VlMetalayers::MAX as u16 };

    /// Reads the vlmetalayers of a trailer that was cut where they end.
    pub(super) fn parse(trailer: &[u8]) -> Result<Self, FormatError> {
        Layers::parse(Self::PLACE, trailer).map(Self)
    }

    pub(super) fn to_bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    pub(super) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        self.0.try_clone().map(Self)
    }

    /// All of them, in the order in which they were added, each with the chunk that holds its content.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Metalayer<'_>> {
        self.0.iter()
    }

    /// Each with whether its content can be read back within the limits. It takes as long as what is stored: many may share
    /// a chunk, which is decoded once, repeated values are not decoded, and all together may make no more than 16 times
    /// [`Limits::max_metadata`], as many of the largest as C-Blosc2 writes.
    pub fn checked(&self, limits: Limits) -> impl Iterator<Item = (Metalayer<'_>, Result<(), FormatError>)> {
        let mut decoder = Decoder::new().limits(limits);
        let (mut whole, mut made) = (HashSet::new(), 0);
        self.iter().map(move |layer| {
            let place = (layer.content.as_ptr().addr(), layer.content.len());
            if whole.contains(&place) {
                return (layer, Ok(()));
            }
            let mut checked = check(layer.content, &mut decoder, &mut made);
            if checked.is_ok() {
                let nbytes = size_of_val(&place) * 2 * (whole.len() + 1);
                checked = whole.try_reserve(1).map_err(|_| OutOfMemory::new(nbytes).into());
            }
            if checked.is_ok() {
                whole.insert(place);
            }
            (layer, checked)
        })
    }

    /// The chunk of one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name)
    }

    /// The content of one, decompressed.
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchLayer`], or [`FrameError::Chunk`] if the chunk is damaged, does not fill its place or is over
    /// the decoder's limits.
    pub fn decode(&self, name: &str, decoder: &mut Decoder) -> Result<Vec<u8>, FormatError> {
        let chunk = self.get(name).ok_or_else(|| FrameError::NoSuchLayer { name: name.into() })?;
        decode_vlmetalayer(chunk, decoder)
    }

    /// Adds one, or gives the one of that name a new content: `chunk`, which is the content compressed as a Blosc2
    /// chunk. `max` is how many there may be then: [`MAX_INTERCHANGE`](Self::MAX_INTERCHANGE) unless only readers are to
    /// get the file, and never more than [`MAX`](Self::MAX).
    ///
    /// # Errors
    ///
    /// [`FrameError::TooMany`], [`FrameError::LayerName`], [`FrameError::Chunk`] if `chunk` is not one;
    /// [`FormatError::LimitExceeded`] if all are beyond 2³¹ - 1 bytes.
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

    /// Metalayers with these names and chunks, in one step however many there are.
    ///
    /// # Errors
    ///
    /// [`FrameError::TooMany`] for more than [`MAX`](Self::MAX), else as [`set`](Self::set).
    pub fn from_chunks<'a>(layers: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Result<Self, FormatError> {
        let layers = memory::collect(layers)?;
        layers.iter().try_for_each(|(_, chunk)| whole_chunk(chunk).map(drop))?;
        Layers::build(Self::PLACE, &layers).map(Self)
    }

    /// Removes all but those that `keep` says `true` of.
    ///
    /// # Errors
    ///
    /// [`FrameError::LayerName`] if the name of one that stays is empty.
    pub fn retain(&mut self, keep: impl FnMut(&Metalayer<'_>) -> bool) -> Result<(), FormatError> {
        self.0 = self.0.filtered(keep)?;
        Ok(())
    }

    /// Removes one.
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchLayer`].
    pub fn remove(&mut self, name: &str) -> Result<(), FormatError> {
        self.0 = self.0.without(name)?;
        Ok(())
    }
}

/// The content of a vlmetalayer from the chunk that [`VlMetalayers::iter`] gives.
///
/// # Errors
///
/// [`FormatError::Limit`] if it is over the decoder's [`Limits::max_metadata`]; [`FrameError::Chunk`] if the chunk is damaged,
/// does not fill its place or is over another limit.
pub fn decode_vlmetalayer(chunk: &[u8], decoder: &mut Decoder) -> Result<Vec<u8>, FormatError> {
    let chunk = chunk_within(chunk, decoder.get_limits())?;
    decoder.decompress(&chunk).map_err(refused)
}

/// Whether a content can be decoded, if all of them that were `made` are not too much.
fn check(chunk: &[u8], decoder: &mut Decoder, made: &mut u64) -> Result<(), FormatError> {
    let chunk = chunk_within(chunk, decoder.get_limits())?;
    if chunk.repeated_value().is_some() {
        return Ok(());
    }
    *made = made.saturating_add(chunk.header().nbytes() as u64);
    decoder.get_limits().check_metadata(*made, VlMetalayers::MAX_INTERCHANGE)?;
    decoder.decompress(&chunk).map(drop).map_err(refused)
}

/// The chunk of a content, no larger than metadata may be.
fn chunk_within<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Chunk<'a>, FormatError> {
    let chunk = whole_chunk(bytes)?;
    limits.check_metadata(chunk.header().nbytes() as u64, 1)?;
    Ok(chunk)
}

/// C-Blosc2 demands that the chunk has exactly the length of the content.
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
