//! The arrays and groups in consolidated metadata.

use super::{ArrayMeta, Consolidated, GroupMeta, Version, ZARRAY_FILE, ZATTRS_FILE, ZGROUP_FILE, v2, v3};
use crate::error::FormatError;
use crate::json::Json;
use blosc_core::OutOfMemory;

/// The kind of a node of a hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// An array.
    Array,
    /// A group.
    Group,
}

impl Consolidated {
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
}

fn below(path: &str, file: &str) -> String {
    if path.is_empty() { file.to_owned() } else { format!("{path}/{file}") }
}
