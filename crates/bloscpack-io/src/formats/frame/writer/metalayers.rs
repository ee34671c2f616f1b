//! Changes of metalayers and vlmetalayers.

use blosc_core::{CParams, Header};
use bloscpack_format::frame::{FrameError, VlMetalayers};

use super::FrameWriter;
use crate::Error;
use crate::formats::frame::store::FrameStore;

impl<S: FrameStore> FrameWriter<S> {
    /// Adds a metalayer to a frame without chunks. If the frame is on the disk already, chunks can be added only after
    /// the next commit.
    ///
    /// # Errors
    /// [`Error::Format`], [`Error::EditFailed`].
    pub fn add_metalayer(&mut self, name: &str, content: &[u8]) -> Result<(), Error> {
        self.add_metalayer_bytes(name.as_bytes(), content)
    }

    /// Adds metalayers with any names to a frame without chunks.
    pub(crate) fn add_metalayers(&mut self, metalayers: &[(Vec<u8>, Vec<u8>)]) -> Result<(), Error> {
        let mut add = |name, content| self.transaction.change(|edit| edit.add_metalayer_bytes(name, content));
        metalayers.iter().try_for_each(|(name, content)| add(name, content))
    }

    /// Replaces the content of a metalayer. The new content must not be longer than the old one.
    ///
    /// # Errors
    /// [`Error::Format`], [`Error::EditFailed`].
    pub fn update_metalayer(&mut self, name: &str, content: &[u8]) -> Result<(), Error> {
        self.transaction.change(|edit| edit.update_metalayer(name, content))
    }

    /// Adds a vlmetalayer, or replaces its content. The contents of all vlmetalayers together must be within the limits
    /// for metadata, because readers refuse the others.
    ///
    /// # Errors
    /// [`Error::Limit`], [`Error::Format`], [`Error::EditFailed`].
    pub fn set_vlmetalayer(&mut self, name: &str, content: &[u8]) -> Result<(), Error> {
        check_name(name.as_bytes())?;
        self.check_vlmetalayers(name, content)?;
        let chunk = blosc_core::compress(content, &CParams::blosc2().typesize(1))?;
        let max = self.max_vlmetalayers;
        self.transaction.change(|edit| edit.set_vlmetalayer(name, &chunk, max))
    }

    /// Replaces all vlmetalayers with compressed ones, of any number.
    pub(crate) fn replace_vlmetalayers(&mut self, vlmetalayers: VlMetalayers) -> Result<(), Error> {
        self.transaction.change(|edit| {
            edit.set_vlmetalayers(vlmetalayers);
            Ok(())
        })
    }

    /// Removes a vlmetalayer.
    ///
    /// # Errors
    /// [`Error::Format`] if there is no vlmetalayer of this name; [`Error::EditFailed`].
    pub fn remove_vlmetalayer(&mut self, name: &str) -> Result<(), Error> {
        self.transaction.change(|edit| edit.remove_vlmetalayer(name))
    }

    /// Refuses a vlmetalayer with which all of them together exceed the limits for metadata.
    fn check_vlmetalayers(&self, name: &str, content: &[u8]) -> Result<(), Error> {
        let layers = self.frame()?.trailer.vlmetalayers.iter();
        // A damaged chunk has no content to read.
        let nbytes = |chunk| Header::parse(chunk).map_or(0, |header| header.nbytes() as u64);
        let others = layers.filter(|layer| layer.name != name.as_bytes()).map(|layer| nbytes(layer.content));
        let all = others.fold(content.len() as u64, u64::saturating_add);
        self.limits.check_metadata(all, 1).map_err(|mut over| {
            over.what = "the vlmetalayers together";
            Error::Limit(over)
        })
    }
}

/// Refuses the name of a new metalayer that C-Blosc2 would read only up to a NUL.
pub(super) fn check_name(name: &[u8]) -> Result<(), Error> {
    match name.contains(&0) {
        true => Err(Error::Format(FrameError::LayerNul { name: String::from_utf8_lossy(name).into() }.into())),
        false => Ok(()),
    }
}
