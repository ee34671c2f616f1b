//! The metalayers of a header: up to 16, in front of the chunks, so fixed once there are any.

use super::layers::{Layers, Metalayer, Place};
use crate::error::{FormatError, Part};

/// The metalayers in the header of a frame. Kept as they are stored: see [`update`](Self::update).
///
/// ```
/// use bloscpack_format::frame::Metalayers;
///
/// let mut metalayers = Metalayers::default();
/// metalayers.add("unit", b"\xa1K")?;
/// assert_eq!(metalayers.get("unit"), Some(b"\xa1K".as_slice()));
/// assert!(metalayers.update("unit", b"\xa4mbar").is_err());
/// # Ok::<(), bloscpack_format::FormatError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metalayers(Layers);

const PLACE: Place = Place { part: Part::FrameHeader, at: Metalayers::AT, idx_skip: 0, max: Metalayers::MAX as u16 };

impl Default for Metalayers {
    fn default() -> Self {
        Self(Layers::empty(PLACE))
    }
}

impl Metalayers {
    /// The most metalayers that a header holds, for C-Blosc2 too.
    pub const MAX: usize = 16;

    /// Where they start in the header.
    pub const AT: usize = 87;

    /// Reads the metalayers of `header`, which is all of it.
    ///
    /// # Errors
    ///
    /// [`FrameError::Marker`](super::FrameError::Marker), [`FrameError::PastEnd`](super::FrameError::PastEnd), or
    /// [`FormatError::OutOfRange`] for more than [`MAX`](Self::MAX) of them and for a content that is not behind the map.
    pub fn parse(header: &[u8]) -> Result<Self, FormatError> {
        Layers::parse(PLACE, header).map(Self)
    }

    /// The bytes of a header from [`AT`](Self::AT) on.
    #[must_use]
    pub fn to_bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    /// All of them, in the order in which they were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Metalayer<'_>> {
        self.0.iter()
    }

    /// The content of one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name)
    }

    /// Adds one. Only a header that no chunk follows yet may grow.
    ///
    /// # Errors
    ///
    /// [`FrameError::LayerExists`](super::FrameError::LayerExists), [`FrameError::LayerName`](super::FrameError::LayerName),
    /// [`FrameError::TooMany`](super::FrameError::TooMany); [`FormatError::LimitExceeded`] beyond 2³¹ - 1 bytes.
    pub fn add(&mut self, name: &str, content: &[u8]) -> Result<(), FormatError> {
        self.0 = self.0.with(name, content, false)?;
        Ok(())
    }

    /// Gives one a new content in place of the old, whose length stays: where the new is shorter, what it does not
    /// cover remains behind it. Content should therefore say where it ends, as MessagePack does.
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchLayer`](super::FrameError::NoSuchLayer), [`FrameError::LayerTooLong`](super::FrameError::LayerTooLong).
    pub fn update(&mut self, name: &str, content: &[u8]) -> Result<(), FormatError> {
        self.0.overwrite(name, content)
    }
}
