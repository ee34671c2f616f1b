//! Consolidated metadata: the metadata of everything in a group, in one file.

use super::fields::{json_object, to_file};
use super::{ArrayMeta, GroupMeta, Version, ZARRAY_FILE, ZATTRS_FILE, ZGROUP_FILE, v2, v3};
use crate::error::FormatError;
use crate::json::{self, Json};
use blosc_core::OutOfMemory;

/// The metadata of all arrays and groups in a group, by their paths. It is parsed on access, so an array that is not
/// supported does not hide the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Consolidated {
    version: Version,
    /// Version 2: the content of each file by its path. Version 3: that of `zarr.json` by the path of its directory.
    members: Vec<(String, Json)>,
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// An array.
    Array,
    /// A group.
    Group,
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

    /// Adds an array. Its version must be that of the group.
    ///
    /// # Errors
    ///
    /// As [`ArrayMeta::to_zarray`] and [`ArrayMeta::to_zarr_json`].
    pub fn add_array(&mut self, path: &str, meta: &ArrayMeta) -> Result<(), FormatError> {
        match self.version {
            Version::V2 => {
                self.members.push((below(path, ZARRAY_FILE), meta.zarray()?));
                self.members.push((below(path, ZATTRS_FILE), meta.attributes.to_json()?));
            }
            Version::V3 => self.members.push((path.to_owned(), meta.zarr_json()?)),
        }
        Ok(())
    }

    /// Adds a group, in version 2 also the group itself, whose path is empty.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn add_group(&mut self, path: &str, meta: &GroupMeta) -> Result<(), OutOfMemory> {
        match self.version {
            Version::V2 => {
                self.members.push((below(path, ZGROUP_FILE), meta.zgroup()));
                self.members.push((below(path, ZATTRS_FILE), meta.attributes.to_json()?));
            }
            Version::V3 => self.members.push((path.to_owned(), meta.zarr_json()?)),
        }
        Ok(())
    }

    /// Returns the paths of all arrays and groups in the group, in their order. The group itself is left out.
    pub fn nodes(&self) -> impl Iterator<Item = (&str, NodeKind)> {
        self.members.iter().filter_map(|(key, json)| {
            let (path, kind) = match self.version {
                Version::V2 => {
                    let (path, file) = key.rsplit_once('/').unwrap_or(("", key));
                    match file {
                        ZARRAY_FILE => (path, NodeKind::Array),
                        ZGROUP_FILE => (path, NodeKind::Group),
                        _ => return None,
                    }
                }
                Version::V3 => match v3::is_group(json).ok()? {
                    true => (key.as_str(), NodeKind::Group),
                    false => (key.as_str(), NodeKind::Array),
                },
            };
            (!path.is_empty()).then_some((path, kind))
        })
    }

    /// Parses the metadata of the array at a path, `None` if there is none.
    ///
    /// # Errors
    ///
    /// As [`ArrayMeta::parse_v2`].
    pub fn array(&self, path: &str) -> Result<Option<ArrayMeta>, FormatError> {
        match self.version {
            Version::V2 => {
                let Some(zarray) = self.get(&below(path, ZARRAY_FILE)) else { return Ok(None) };
                let mut meta = v2::from_json(zarray)?;
                if let Some(zattrs) = self.get(&below(path, ZATTRS_FILE)) {
                    meta.attributes = v2::attributes(zattrs.try_clone()?);
                }
                Ok(Some(meta))
            }
            Version::V3 => match self.get(path) {
                Some(json) if !v3::is_group(json)? => Ok(Some(v3::array(json.try_clone()?)?)),
                _ => Ok(None),
            },
        }
    }

    fn get(&self, key: &str) -> Option<&Json> {
        self.members.iter().find(|(name, _)| name == key).map(|(_, json)| json)
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

fn below(path: &str, file: &str) -> String {
    if path.is_empty() { file.to_owned() } else { format!("{path}/{file}") }
}
