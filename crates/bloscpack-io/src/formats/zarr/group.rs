//! A group: the arrays and groups in it.

use std::collections::BTreeMap;

use blosc_core::Limits;
use bloscpack_format::Format;
use bloscpack_format::zarr::{GroupMeta, ZARR_JSON_FILE, ZARRAY_FILE, ZATTRS_FILE, ZGROUP_FILE, ZMETADATA_FILE};

use super::array::OpenZarr;
use super::node::{Node, NodeKind, is_absent, kind_at, node_at};
use crate::formats::bcolz::Below;
use crate::fs::path::is_temporary;
use crate::source::ReadDirectory;
use crate::{Error, OpenOptions};

/// The names in a group that are no nodes. Any other may be one, also with a dot in front.
const METADATA: [&str; 5] = [ZARR_JSON_FILE, ZARRAY_FILE, ZGROUP_FILE, ZATTRS_FILE, ZMETADATA_FILE];

/// Maximum depth of groups that are listed. Links may make a directory contain itself.
const MAX_DEPTH: usize = 16;

/// Approximate memory of a node in bytes, which counts as metadata.
const NODE: u64 = 64;

/// A group of arrays and groups.
///
/// ```
/// use bloscpack_io::bcolz::MemoryDirectory;
/// use bloscpack_io::zarr::{Group, NodeKind};
/// let zarray = r#"{"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "|u1", "fill_value": 7}"#;
/// let dir = MemoryDirectory::of_files([
///     (".zgroup".into(), br#"{"zarr_format": 2}"#.to_vec()),
///     ("a/.zarray".into(), zarray.into()),
/// ]);
/// let group = Group::open(dir)?;
/// assert_eq!(group.nodes()?.into_iter().collect::<Vec<_>>(), [("a".to_owned(), NodeKind::Array)]);
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
#[derive(Debug)]
pub struct Group<D> {
    dir: D,
    meta: GroupMeta,
    limits: Limits,
}

impl<D: ReadDirectory> Group<D> {
    /// Opens the group in a directory.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for an array; [`Error::InFile`] if there is no metadata, or if it is damaged.
    pub fn open(dir: D) -> Result<Self, Error> {
        Group::open_with(dir, &OpenOptions::new())
    }

    /// [`Group::open`] with other options.
    ///
    /// # Errors
    /// As [`Group::open`].
    pub fn open_with(dir: D, options: &OpenOptions) -> Result<Self, Error> {
        match node_at(&dir, "", &options.limits)? {
            Some(Node::Group(meta)) => Ok(Group { dir, meta: *meta, limits: options.limits }),
            Some(Node::Array(_)) => Err(Error::Unsupported { format: Format::ZarrArray }),
            None => {
                let absent = Error::io("opening")(std::io::ErrorKind::NotFound.into());
                Err(absent.in_file(dir.name(ZARR_JSON_FILE)))
            }
        }
    }

    /// Returns the metadata.
    pub fn meta(&self) -> &GroupMeta {
        &self.meta
    }

    /// Returns the paths of all arrays and groups in the group, by consolidated metadata, or else by listing the store.
    ///
    /// # Errors
    /// [`Error::InFile`] if the store cannot list, or if metadata cannot be read.
    pub fn nodes(&self) -> Result<BTreeMap<String, NodeKind>, Error> {
        let mut nodes = BTreeMap::new();
        match &self.meta.consolidated {
            Some(consolidated) => {
                nodes.extend(consolidated.nodes().map(|(path, kind)| (path.to_owned(), kind)));
            }
            None => self.list("", 0, &mut nodes)?,
        }
        Ok(nodes)
    }

    fn list(&self, path: &str, depth: usize, nodes: &mut BTreeMap<String, NodeKind>) -> Result<(), Error> {
        let refuse = |error| Error::io("listing")(error).in_file(self.dir.name(path));
        let names = match self.dir.list(path) {
            Ok(names) => names,
            Err(error) if is_absent(&error) => return Ok(()),
            Err(error) => return Err(refuse(error)),
        };
        for name in names.iter().filter(|name| !METADATA.contains(&name.as_str()) && !is_temporary(name)) {
            let path = super::node::below(path, name);
            let Some(kind) = kind_at(&self.dir, &path, &self.limits)? else { continue };
            self.limits.check_metadata(NODE.saturating_mul(nodes.len() as u64), 1)?;
            if kind == NodeKind::Group && depth < MAX_DEPTH {
                self.list(&path, depth + 1, nodes)?;
            }
            nodes.insert(path, kind);
        }
        Ok(())
    }

    /// Returns the paths of all arrays in the group.
    ///
    /// # Errors
    /// As [`Group::nodes`].
    pub fn arrays(&self) -> Result<Vec<String>, Error> {
        let nodes = self.nodes()?;
        Ok(nodes.into_iter().filter(|(_, kind)| *kind == NodeKind::Array).map(|(path, _)| path).collect())
    }

    /// Returns the paths of all arrays in the group, in the order of consolidated metadata, or else sorted.
    pub(crate) fn arrays_in_order(&self) -> Result<Vec<String>, Error> {
        let Some(consolidated) = &self.meta.consolidated else { return self.arrays() };
        let arrays = consolidated.nodes().filter(|(_, kind)| *kind == NodeKind::Array);
        Ok(arrays.map(|(path, _)| path.to_owned()).collect())
    }

    /// Returns the directory of the array at a path, for [`Input::directory`](crate::Input::directory).
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`] if there is no array, with the paths of all others.
    pub fn array(self, path: &str) -> Result<Below<D>, Error> {
        let path = path.trim_matches('/');
        let is_name = |name: &str| !name.is_empty() && name != "." && name != "..";
        let found = match path.split('/').all(is_name) {
            true => kind_at(&self.dir, path, &self.limits)?,
            false => None,
        };
        match found {
            Some(NodeKind::Array) => Ok(Below::new(self.dir, path)),
            _ => {
                let columns = self.arrays().unwrap_or_default();
                Err(Error::NoSuchColumn { column: path.to_owned(), columns })
            }
        }
    }
}

impl<'a> OpenZarr<'a> {
    /// Opens the array in a directory, or the array at `path` of the group in it. For an array the path is ignored.
    pub(crate) fn open_member(
        dir: Box<dyn ReadDirectory + 'a>,
        path: Option<&str>,
        options: &OpenOptions,
    ) -> Result<Self, Error> {
        // The metadata of a group may be that of many arrays, so it is read only if there is no such array.
        let is_name = |path: &str| path.split('/').all(|name| !matches!(name, "" | "." | ".."));
        if let Some(path) = path.map(|path| path.trim_matches('/')).filter(|path| is_name(path))
            && kind_at(&*dir, path, &options.limits)? == Some(NodeKind::Array)
        {
            return OpenZarr::open(Box::new(Below::new(dir, path)), &options.limits);
        }
        let kind = kind_at(&*dir, "", &options.limits)?;
        match (kind, path) {
            (Some(NodeKind::Group), Some(path)) => {
                let member = Group::open_with(dir, options)?.array(path)?;
                OpenZarr::open(Box::new(member), &options.limits)
            }
            _ => OpenZarr::open(dir, &options.limits),
        }
    }
}
