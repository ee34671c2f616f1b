//! Inputs of `info` and `list`: which files are described, and how they are opened.

use crate::commands::wording;
use crate::file_kind::{FileKind, is_container, kind_of, kind_of_file};
use crate::files;
use crate::names::has_our_name;
use crate::path_or_stdio::PathOrStdio;
use crate::streams::open_source;
use anyhow::{Result, anyhow, bail};
use bloscpack_io::{Cancel, LocalSource};
use std::path::Path;

/// Whether a file found in a directory can be described, or should be according to its name.
pub(in crate::commands) fn is_ours(path: &Path) -> bool {
    kind_of(path)
        .map_or_else(|| has_our_name(path) && !is_container(path), |kind| !matches!(kind, FileKind::Foreign(_)))
}

/// Returns the path, if it is a bcolz directory.
pub(in crate::commands) fn bcolz_directory(operand: &PathOrStdio) -> Option<&Path> {
    let PathOrStdio::File(path) = operand else { return None };
    (path.is_dir() && matches!(kind_of(path), Some(FileKind::Carray | FileKind::Ctable))).then_some(path)
}

/// Returns the path, if it is a Zarr array or group, and whether it is a group.
pub(in crate::commands) fn zarr_store(operand: &PathOrStdio) -> Option<(&Path, bool)> {
    let PathOrStdio::File(path) = operand else { return None };
    match kind_of(path) {
        Some(FileKind::Zarr) => Some((path, false)),
        Some(FileKind::ZarrGroup) => Some((path, true)),
        _ => None,
    }
}

/// Opens a file. Returns its kind, too, if it is known.
pub(in crate::commands) fn open(operand: &PathOrStdio, cancel: &Cancel) -> Result<(LocalSource, Option<FileKind>)> {
    if let PathOrStdio::File(path) = operand {
        files::input_must_exist("file", path)?;
    }
    let source = open_source(operand, cancel)?;
    match kind_of_file(source.file()) {
        Some(FileKind::Foreign(what)) => bail!("file '{operand}' is {what}, which this version cannot read"),
        kind => Ok((source, kind)),
    }
}

/// Words the error like the original, if the original has a message for it.
pub(in crate::commands) fn worded(error: anyhow::Error, operand: &PathOrStdio) -> anyhow::Error {
    match error.downcast_ref().and_then(wording::of_reference) {
        Some(wording) => anyhow!("{wording}. This might not be a bloscpack compressed file: '{operand}'"),
        None => error.context(operand.to_string()),
    }
}
