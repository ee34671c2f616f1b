//! The objects below a URL as a store.

use super::store::KeyStore;
use crate::{Error, Remote, RemoteDirectory, RemoteUrl};

/// The objects below a URL, in which there were none. A reader finds no array or group before the metadata is stored.
/// Objects that were stored before a failure stay.
pub(crate) struct RemoteStore(RemoteDirectory);

impl RemoteStore {
    /// Opens an empty directory of an object store.
    ///
    /// # Errors
    /// As [`Remote::check_output_directory`].
    pub(crate) fn create(remote: &Remote, url: &RemoteUrl) -> Result<RemoteStore, Error> {
        remote.check_output_directory(url)?;
        Ok(RemoteStore(remote.directory(url)))
    }
}

impl KeyStore for RemoteStore {
    fn put(&self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.0.put(key, value).map_err(|error| match error.downcast::<Error>() {
            Ok(ours) => ours,
            Err(error) => Error::writing(error).in_file(self.0.url().below(key).to_string()),
        })
    }

    fn finish(self, metadata: &[(String, Vec<u8>)]) -> Result<(), Error> {
        metadata.iter().try_for_each(|(key, value)| self.put(key, value))
    }
}
