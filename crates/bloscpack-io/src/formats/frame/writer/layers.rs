//! The metalayers of a frame, which are as long as they were made, and its vlmetalayers, which are not.

use blosc_core::CParams;
use bloscpack_format::frame::VlMetalayers;

use super::FrameWriter;
use crate::Error;
use crate::formats::frame::store::FrameStore;

impl<S: FrameStore> FrameWriter<S> {
    /// Adds a metalayer to a frame without chunks. In a frame that is on the disk already, chunks can be added after the
    /// next commit only.
    ///
    /// # Errors
    /// [`Error::Format`], [`Error::EditFailed`].
    pub fn add_metalayer(&mut self, name: &str, content: &[u8]) -> Result<(), Error> {
        self.with(|edit| edit.add_metalayer(name, content))
    }

    /// Gives a metalayer a new content, no longer than the old.
    ///
    /// # Errors
    /// [`Error::Format`], [`Error::EditFailed`].
    pub fn update_metalayer(&mut self, name: &str, content: &[u8]) -> Result<(), Error> {
        self.with(|edit| edit.update_metalayer(name, content))
    }

    /// Adds a vlmetalayer, or gives one a new content.
    ///
    /// # Errors
    /// [`Error::Format`], [`Error::EditFailed`].
    pub fn set_vlmetalayer(&mut self, name: &str, content: &[u8]) -> Result<(), Error> {
        let chunk = blosc_core::compress(content, &CParams::blosc2().typesize(1))?;
        let max = self.max_vlmetalayers;
        self.with(|edit| edit.set_vlmetalayer(name, &chunk, max))
    }

    /// Puts other vlmetalayers in place of all, already compressed, however many they are.
    pub(crate) fn replace_vlmetalayers(&mut self, vlmetalayers: VlMetalayers) -> Result<(), Error> {
        self.with(|edit| {
            edit.set_vlmetalayers(vlmetalayers);
            Ok(())
        })
    }

    /// Adds metalayers with any names to a frame without chunks.
    pub(crate) fn add_metalayers(&mut self, metalayers: &[(Vec<u8>, Vec<u8>)]) -> Result<(), Error> {
        metalayers.iter().try_for_each(|(name, content)| self.with(|edit| edit.add_metalayer_bytes(name, content)))
    }

    /// Removes a vlmetalayer.
    ///
    /// # Errors
    /// [`Error::Format`] if there is none of this name; [`Error::EditFailed`].
    pub fn remove_vlmetalayer(&mut self, name: &str) -> Result<(), Error> {
        self.with(|edit| edit.remove_vlmetalayer(name))
    }
}
