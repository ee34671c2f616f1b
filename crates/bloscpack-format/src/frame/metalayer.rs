//! The metalayers of a header: up to 16, before the chunks, and therefore fixed once there are chunks.

use super::layers::{Layers, Metalayer, Section};
use crate::error::{FormatError, Part};
use blosc_core::OutOfMemory;

/// The metalayers in the header of a frame, kept in stored form: see [`update`](Self::update).
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

const SECTION: Section =
    Section { part: Part::FrameHeader, at: Metalayers::AT, idx_skip: 0, max: Metalayers::MAX as u16 };

impl Default for Metalayers {
    fn default() -> Self {
        Self(Layers::empty(SECTION))
    }
}

impl Metalayers {
    pub(super) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        self.0.try_clone().map(Self)
    }

    /// Maximum number of metalayers in a header, also for C-Blosc2.
    pub const MAX: usize = 16;

    /// Their offset in the header.
    pub const AT: usize = 87;

    /// Parses the metalayers of `header`, a complete header.
    ///
    /// # Errors
    ///
    /// [`FrameError::Marker`](super::FrameError::Marker), [`FrameError::PastEnd`](super::FrameError::PastEnd), or
    /// [`FormatError::OutOfRange`] for more than [`MAX`](Self::MAX) of them and for a content that is not after the
    /// map.
    pub fn parse(header: &[u8]) -> Result<Self, FormatError> {
        Layers::parse(SECTION, header).map(Self)
    }

    /// Returns the bytes of a header from [`AT`](Self::AT) on.
    #[must_use]
    pub fn to_bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    /// Returns all metalayers, in the order in which they were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Metalayer<'_>> {
        self.0.iter()
    }

    /// Returns the content of a metalayer.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name)
    }

    /// Adds a metalayer. The header may grow only while no chunk follows it.
    ///
    /// # Errors
    ///
    /// [`FrameError::LayerExists`](super::FrameError::LayerExists),
    /// [`FrameError::LayerName`](super::FrameError::LayerName),
    /// [`FrameError::TooMany`](super::FrameError::TooMany); [`FormatError::LimitExceeded`] beyond 2³¹ - 1 bytes.
    pub fn add(&mut self, name: &str, content: &[u8]) -> Result<(), FormatError> {
        self.add_bytes(name.as_bytes(), content)
    }

    /// Like [`add`](Self::add), with a name that need not be UTF-8, such as one written by a C program.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn add_bytes(&mut self, name: &[u8], content: &[u8]) -> Result<(), FormatError> {
        self.0 = self.0.with(name, content, false)?;
        Ok(())
    }

    /// Overwrites the content of a metalayer in section. Its length does not change: if the new content is shorter, the
    /// rest of the old bytes remains after it. Content should therefore mark its own end, as MessagePack does.
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchLayer`](super::FrameError::NoSuchLayer),
    /// [`FrameError::LayerTooLong`](super::FrameError::LayerTooLong).
    pub fn update(&mut self, name: &str, content: &[u8]) -> Result<(), FormatError> {
        self.0.overwrite(name, content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::FrameError;

    #[test]
    fn sixteen_and_no_more() {
        let mut metalayers = Metalayers::default();
        for number in 0..Metalayers::MAX {
            metalayers.add(&number.to_string(), &[number as u8]).unwrap();
        }
        let too_many = FrameError::TooMany { what: "metalayers", found: 17, max: 16 };
        assert_eq!(metalayers.add("17", b""), Err(too_many.into()));
        assert_eq!(metalayers.add("3", b""), Err(FrameError::LayerExists { name: "3".into() }.into()));
        let mut header = vec![0; Metalayers::AT];
        header.extend(metalayers.to_bytes());
        assert_eq!(Metalayers::parse(&header), Ok(metalayers));
    }

    #[test]
    fn names_have_up_to_31_bytes() {
        let mut metalayers = Metalayers::default();
        for len in [32, 300] {
            assert_eq!(metalayers.add(&"n".repeat(len), b""), Err(FrameError::LayerName { len }.into()));
        }
        // C-Blosc2 writes and reads empty names.
        for len in [0, 31] {
            assert_eq!(metalayers.add(&"n".repeat(len), b""), Ok(()));
        }
    }

    #[test]
    fn a_shorter_content_leaves_the_rest_of_the_old() {
        let mut metalayers = Metalayers::default();
        metalayers.add("a", b"12345").unwrap();
        metalayers.add("b", b"67890").unwrap();
        metalayers.update("a", b"xyz").unwrap();
        assert_eq!((metalayers.get("a"), metalayers.get("b")), (Some(b"xyz45".as_slice()), Some(b"67890".as_slice())));
        let too_long = FrameError::LayerTooLong { name: "b".into(), found: 6, room: 5 };
        assert_eq!(metalayers.update("b", b"123456"), Err(too_long.into()));
        assert_eq!(metalayers.update("c", b""), Err(FrameError::NoSuchLayer { name: "c".into() }.into()));
    }

    /// C-Blosc2 finds contents by their offsets alone: other bytes between them do not matter.
    #[test]
    fn contents_may_lie_anywhere_behind_the_map() {
        let mut metalayers = Metalayers::default();
        metalayers.add("a", b"1").unwrap();
        let mut header = vec![0; Metalayers::AT];
        header.extend(metalayers.to_bytes());
        header.extend(b"\0\xc6\0\0\0\x022345");
        let offset_at = Metalayers::AT + 10;
        let section =
            |header: &mut Vec<u8>, at: u32| header[offset_at..offset_at + 4].copy_from_slice(&at.to_be_bytes());
        section(&mut header, Metalayers::AT as u32 + 24);
        let moved = Metalayers::parse(&header).unwrap();
        assert_eq!(moved.get("a"), Some(b"23".as_slice()));
        assert_eq!(moved.to_bytes(), &header[Metalayers::AT..]);
        for at in [0, Metalayers::AT as u32, Metalayers::AT as u32 + 16, 1 << 31, u32::MAX, header.len() as u32] {
            section(&mut header, at);
            assert!(Metalayers::parse(&header).is_err(), "{at}");
        }
    }
}
