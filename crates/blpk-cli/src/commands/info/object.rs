//! The metadata of a file of any kind as a JSON object.

use super::{bcolz, bloscpack, frame, npy};
use crate::file_kind::FileKind;
use crate::json::{Object, number};
use crate::path_or_stdio::PathOrStdio;
use crate::url;
use anyhow::Result;
use bloscpack_format::Json;
use bloscpack_io::{AnyDirectory, AnySource, Archive};
use std::path::Path;
use walkdir::WalkDir;

/// Returns the object of a bcolz directory.
pub(in crate::commands) fn of_bcolz(directory: AnyDirectory) -> Result<Object> {
    bcolz::object(directory)
}

/// Returns the object of a file or frame that is not a bare chunk.
pub(in crate::commands) fn of_source(source: AnySource, kind: FileKind) -> Result<Object> {
    Ok(match kind {
        FileKind::Frame => frame::object(&Archive::open(source)?)?,
        FileKind::Npy => npy::object(source)?,
        _ => bloscpack::object(source)?,
    })
}

/// Adds the sizes that matter to a user: the size of the output of `decompress`, unless the object has it, and the size
/// on disk.
pub(in crate::commands) fn with_sizes(object: Object, operand: &PathOrStdio) -> Object {
    let plain = object.get("plain_nbytes").or(object.get("nbytes")).cloned();
    let object = match object.get("plain_nbytes") {
        Some(_) => object,
        None => object.with("plain_nbytes", plain.unwrap_or(Json::Null)),
    };
    let stored = match operand {
        PathOrStdio::File(path) => stored_nbytes(path),
        PathOrStdio::Standard => None,
        // The size of a directory at a URL is not known without reading all of it.
        PathOrStdio::Url(url) => url::open(url, None)
            .ok()
            .filter(|source| !source.is_directory())
            .and_then(|source| source.bytes().len().ok()),
    };
    object.with("stored_nbytes", stored.map_or(Json::Null, number))
}

/// Returns the size of a file, or of all files in a directory.
fn stored_nbytes(path: &Path) -> Option<u64> {
    let files = WalkDir::new(path).follow_root_links(true).into_iter().filter_map(Result::ok);
    let sizes = files.filter_map(|entry| entry.metadata().ok()).filter(|found| found.is_file());
    Some(sizes.map(|found| found.len()).fold(0, u64::saturating_add))
}
