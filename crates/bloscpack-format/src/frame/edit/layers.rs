//! Changes of metalayers and vlmetalayers.

use super::Edit;
use crate::error::FormatError;
use crate::frame::{FrameError, VlMetalayers};

impl Edit {
    /// Adds a metalayer. The frame must have no chunks, including chunks of this edit. Commit the edit before adding
    /// chunks.
    ///
    /// # Errors
    ///
    /// [`FrameError::MetalayersFixed`], and the errors of [`Metalayers::add`](crate::frame::Metalayers::add).
    pub fn add_metalayer(&mut self, name: &str, content: &[u8]) -> Result<(), FormatError> {
        self.add_metalayer_bytes(name.as_bytes(), content)
    }

    /// Like [`add_metalayer`](Self::add_metalayer), with a name that need not be UTF-8.
    ///
    /// # Errors
    ///
    /// As [`add_metalayer`](Self::add_metalayer).
    pub fn add_metalayer_bytes(&mut self, name: &[u8], content: &[u8]) -> Result<(), FormatError> {
        if self.frame.header.nbytes > 0 {
            return Err(FrameError::MetalayersFixed.into());
        }
        self.frame.header.metalayers.add_bytes(name, content)?;
        match self.old_header {
            None => self.end = self.frame.header.header_len(),
            Some(_) => self.grown = true,
        }
        self.tail_changed = true;
        Ok(())
    }

    /// Replaces the content of a metalayer. The new content must not be longer than the old. If nothing else changes,
    /// the old content is overwritten in place.
    ///
    /// # Errors
    ///
    /// The errors of [`Metalayers::update`](crate::frame::Metalayers::update).
    pub fn update_metalayer(&mut self, name: &str, content: &[u8]) -> Result<(), FormatError> {
        self.frame.header.metalayers.update(name, content)
    }

    /// Adds a vlmetalayer or replaces the content of one. The content is already compressed: see
    /// [`VlMetalayers::set`](crate::frame::VlMetalayers::set).
    ///
    /// # Errors
    ///
    /// The errors of that function.
    pub fn set_vlmetalayer(&mut self, name: &str, chunk: &[u8], max: usize) -> Result<(), FormatError> {
        self.tail_changed = true;
        self.frame.trailer.vlmetalayers.set(name, chunk, max)
    }

    /// Replaces all vlmetalayers.
    pub fn set_vlmetalayers(&mut self, vlmetalayers: VlMetalayers) {
        self.tail_changed = true;
        self.frame.trailer.vlmetalayers = vlmetalayers;
    }

    /// Removes a vlmetalayer.
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchLayer`].
    pub fn remove_vlmetalayer(&mut self, name: &str) -> Result<(), FormatError> {
        self.tail_changed = true;
        self.frame.trailer.vlmetalayers.remove(name)
    }
}
