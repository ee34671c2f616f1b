//! The destination of a conversion: a path, or a URL of an object store.

use std::path::Path;

use crate::{AnySource, Error};
#[cfg(feature = "remote")]
use crate::{Remote, RemoteUrl};

/// The output of a conversion.
#[derive(Debug, Clone, Copy)]
pub(super) enum Destination<'a> {
    Path(&'a Path),
    /// Only for formats that are written as objects, one after the other.
    #[cfg(feature = "remote")]
    Url(&'a Remote, &'a RemoteUrl),
}

impl<'a> Destination<'a> {
    /// Returns the path. Formats that are one file, or change it, need one.
    pub(super) fn path(self) -> Result<&'a Path, Error> {
        match self {
            Destination::Path(path) => Ok(path),
            #[cfg(feature = "remote")]
            Destination::Url(_, url) => {
                let reason = "only Zarr is written to an object store directly; write a file and upload it";
                let error = std::io::Error::new(std::io::ErrorKind::Unsupported, reason);
                Err(Error::writing(error).in_file(url.to_string()))
            }
        }
    }

    /// Refuses an input that writing the output would destroy.
    pub(super) fn refuse_input(self, input: &AnySource) -> Result<(), Error> {
        match self {
            Destination::Path(path) => input.refuse_as_output(path),
            // The directory must be empty.
            #[cfg(feature = "remote")]
            Destination::Url(..) => Ok(()),
        }
    }
}
