//! Reads the metadata of what is at a path: an array or a group.

use std::io;

use blosc_core::Limits;
use bloscpack_format::zarr::{
    ArrayMeta, GroupMeta, Node as V3Node, ZARR_JSON_FILE, ZARRAY_FILE, ZATTRS_FILE, ZGROUP_FILE, ZMETADATA_FILE,
};
use bloscpack_format::{Format, FormatError};

pub use bloscpack_format::zarr::NodeKind;

use crate::Error;
use crate::formats::bcolz::store::read_small;
use crate::source::ReadDirectory;

/// The metadata of what is at a path.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// An array.
    Array(Box<ArrayMeta>),
    /// A group.
    Group(Box<GroupMeta>),
}

/// Returns the path of a file below a path.
pub(super) fn below(path: &str, file: &str) -> String {
    if path.is_empty() { file.to_owned() } else { format!("{path}/{file}") }
}

/// Reads the metadata at a path. Version 3 has precedence, as in zarr-python. `None` if there is neither an array nor a
/// group.
///
/// # Errors
/// [`Error::InFile`] if the metadata is damaged, not supported, or over the limits.
pub fn node_at(dir: &dyn ReadDirectory, path: &str, limits: &Limits) -> Result<Option<Node>, Error> {
    let found = read(dir, &below(path, ZARR_JSON_FILE), limits, V3Node::parse)?;
    if let Some(node) = found {
        return Ok(Some(match node {
            V3Node::Array(meta) => Node::Array(meta),
            V3Node::Group(meta) => Node::Group(meta),
        }));
    }
    let bytes = |file: &str| read(dir, &below(path, file), limits, |bytes| Ok(blosc_core::memory::copy_of(bytes)?));
    if let Some(zarray) = bytes(ZARRAY_FILE)? {
        let zattrs = bytes(ZATTRS_FILE)?;
        let meta = ArrayMeta::parse_v2(&zarray, None);
        let mut meta = meta.map_err(|error| Error::from(error).in_file(dir.name(&below(path, ZARRAY_FILE))))?;
        if let Some(zattrs) = zattrs {
            let with = ArrayMeta::parse_v2(&zarray, Some(&zattrs));
            meta = with.map_err(|error| Error::from(error).in_file(dir.name(&below(path, ZATTRS_FILE))))?;
        }
        return Ok(Some(Node::Array(Box::new(meta))));
    }
    let Some(zgroup) = bytes(ZGROUP_FILE)? else { return Ok(None) };
    let (zattrs, zmetadata) = (bytes(ZATTRS_FILE)?, bytes(ZMETADATA_FILE)?);
    let mut file = ZGROUP_FILE;
    let mut parse = || {
        GroupMeta::parse_v2(&zgroup, None, None)?;
        file = ZATTRS_FILE;
        GroupMeta::parse_v2(&zgroup, zattrs.as_deref(), None)?;
        file = ZMETADATA_FILE;
        GroupMeta::parse_v2(&zgroup, zattrs.as_deref(), zmetadata.as_deref())
    };
    let meta = parse();
    let meta = meta.map_err(|error| Error::from(error).in_file(dir.name(&below(path, file))))?;
    Ok(Some(Node::Group(Box::new(meta))))
}

/// Returns what is at a path, without checking more of the metadata.
///
/// # Errors
/// As [`node_at`].
pub(super) fn kind_at(dir: &dyn ReadDirectory, path: &str, limits: &Limits) -> Result<Option<NodeKind>, Error> {
    let parse = |bytes: &[u8]| Ok(is_group(bytes));
    match read(dir, &below(path, ZARR_JSON_FILE), limits, parse)? {
        Some(true) => return Ok(Some(NodeKind::Group)),
        Some(false) => return Ok(Some(NodeKind::Array)),
        None => {}
    }
    for (file, kind) in [(ZARRAY_FILE, NodeKind::Array), (ZGROUP_FILE, NodeKind::Group)] {
        match dir.open(&below(path, file)) {
            Ok(_) => return Ok(Some(kind)),
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err(Error::io("opening")(error).in_file(dir.name(&below(path, file)))),
        }
    }
    Ok(None)
}

/// Returns whether `zarr.json` is that of a group. Damaged metadata counts as that of an array: opening it gives the
/// error.
fn is_group(zarr_json: &[u8]) -> bool {
    let json = bloscpack_format::Json::parse(zarr_json);
    json.is_ok_and(|json| json.get("node_type").and_then(|kind| kind.as_str()) == Some("group"))
}

/// Reads and parses a file, `None` if it does not exist.
fn read<T>(
    dir: &dyn ReadDirectory,
    path: &str,
    limits: &Limits,
    parse: impl FnOnce(&[u8]) -> Result<T, FormatError>,
) -> Result<Option<T>, Error> {
    let named = |error: Error| error.in_file(dir.name(path));
    let bytes = match read_small(dir, path, limits, 1) {
        Ok(bytes) => bytes,
        Err(Error::Io { source, .. }) if is_absent(&source) => return Ok(None),
        Err(error) => return Err(named(error)),
    };
    parse(&bytes).map(Some).map_err(|error| named(error.into()))
}

/// Returns whether an error means that there is no such file.
pub(super) fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    [NotFound, NotADirectory, IsADirectory].contains(&error.kind())
}

/// Returns the format of a directory of Zarr, `None` for others.
///
/// # Errors
/// As [`node_at`].
pub(crate) fn format_of(dir: &dyn ReadDirectory, limits: &Limits) -> Result<Option<Format>, Error> {
    Ok(kind_at(dir, "", limits)?.map(|kind| match kind {
        NodeKind::Array => Format::ZarrArray,
        NodeKind::Group => Format::ZarrGroup,
    }))
}

/// Returns the format of a directory, of which only the names of its files have been examined: `zarr.json` may be that
/// of an array or of a group.
pub(crate) fn refined(format: Format, dir: &dyn ReadDirectory) -> Format {
    match format {
        Format::ZarrArray => format_of(dir, &Limits::new()).ok().flatten().unwrap_or(format),
        format => format,
    }
}
