//! Whether a directory holds nothing but Zarr arrays and groups.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use bloscpack_format::json::Json;
use bloscpack_format::zarr::{ZARR_JSON_FILE, ZARRAY_FILE, ZATTRS_FILE, ZGROUP_FILE, ZMETADATA_FILE};

use crate::fs::contents::holds_only;

const METADATA: [&str; 5] = [ZARR_JSON_FILE, ZARRAY_FILE, ZATTRS_FILE, ZGROUP_FILE, ZMETADATA_FILE];

/// Returns whether a directory holds an array and its chunks, or a group of such directories, and nothing else.
pub(super) fn holds_only_zarr(path: &Path) -> io::Result<bool> {
    let is_metadata = |name: &str| METADATA.contains(&name);
    match node_type(path)? {
        Some(Node::Array) => {
            let is_file = |name: &str| is_metadata(name) || is_key(name);
            holds_only(path, &is_file, &|path, name| Ok((name == "c" || is_number(name)) && holds_only_chunks(path)?))
        }
        Some(Node::Group) => holds_only(path, &is_metadata, &|path, _| holds_only_zarr(path)),
        None => Ok(false),
    }
}

/// Bytes of `zarr.json` that are read.
const MAX_METADATA: u64 = 16 << 20;

enum Node {
    Array,
    Group,
}

fn node_type(path: &Path) -> io::Result<Option<Node>> {
    if path.join(ZARRAY_FILE).is_file() {
        return Ok(Some(Node::Array));
    }
    if path.join(ZGROUP_FILE).is_file() {
        return Ok(Some(Node::Group));
    }
    let mut json = Vec::new();
    match File::open(path.join(ZARR_JSON_FILE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?.take(MAX_METADATA).read_to_end(&mut json)?,
    };
    let json = Json::parse(&json).ok();
    let node_type = json.as_ref().and_then(|json| json.get("node_type")).and_then(Json::as_str);
    Ok(match node_type {
        Some("array") => Some(Node::Array),
        Some("group") => Some(Node::Group),
        _ => None,
    })
}

/// Returns whether a name is a key of a chunk: `0.1`, `c.0.1`, or the first part of one.
fn is_key(name: &str) -> bool {
    let numbers = name.strip_prefix("c.").unwrap_or(name);
    name == "c" || numbers.split('.').all(is_number)
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a directory holds only chunks, in directories for all numbers of a key but the last.
fn holds_only_chunks(path: &Path) -> io::Result<bool> {
    holds_only(path, &is_number, &|path, name| Ok(is_number(name) && holds_only_chunks(path)?))
}
