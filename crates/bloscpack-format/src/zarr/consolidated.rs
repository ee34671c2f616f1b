//! Consolidated metadata: the metadata of everything in a group, in one file.

use super::Version;
use super::fields::{json_object, to_file};
use crate::json::{self, Json};
use blosc_core::OutOfMemory;

/// The metadata of all arrays and groups in a group, by their paths. It is parsed on access, so an array that is not
/// supported does not hide the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Consolidated {
    pub(super) version: Version,
    /// Version 2: the content of each file by its path. Version 3: that of `zarr.json` by the path of its directory.
    pub(super) members: Vec<(String, Json)>,
}

impl Consolidated {
    /// Creates metadata without arrays and groups.
    #[must_use]
    pub fn new(version: Version) -> Self {
        Consolidated { version, members: Vec::new() }
    }

    pub(super) fn of_members(version: Version, members: Vec<(String, Json)>) -> Self {
        Consolidated { version, members }
    }

    /// Encodes `.zmetadata`.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn to_zmetadata(&self) -> Result<Vec<u8>, OutOfMemory> {
        to_file(&json_object([("zarr_consolidated_format", Json::Int(1)), ("metadata", self.to_json()?)]))
    }

    pub(super) fn to_json(&self) -> Result<Json, OutOfMemory> {
        Ok(Json::Object(json::copy_of(&self.members)?))
    }
}
