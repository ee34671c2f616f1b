//! Inputs of `info` and `list`: which files are described, and how they are opened.

use crate::column_advice::ColumnAdvice;
use crate::commands::wording;
use crate::file_kind::{FileKind, is_container, kind_of, kind_of_file};
use crate::files;
use crate::names::has_our_name;
use crate::path_or_stdio::PathOrStdio;
use crate::streams::open_source;
use crate::url;
use anyhow::{Result, anyhow};
use bloscpack_io::bcolz::LocalDirectory;
use bloscpack_io::zarr::open_store;
use bloscpack_io::{AnyDirectory, AnySource, Cancel, OpenOptions};
use std::path::Path;
use std::sync::Arc;

/// Whether a file found in a directory can be described, or should be according to its name.
pub(in crate::commands) fn is_ours(path: &Path) -> bool {
    kind_of(path).is_some() || has_our_name(path) && !is_container(path)
}

/// Returns the directory, if it is one of bcolz.
pub(in crate::commands) fn bcolz_directory(operand: &PathOrStdio) -> Result<Option<AnyDirectory>> {
    match operand {
        PathOrStdio::File(path) if path.is_dir() => match kind_of(path) {
            Some(FileKind::Carray | FileKind::Ctable) => Ok(Some(Arc::new(LocalDirectory::open(path)?))),
            _ => Ok(None),
        },
        PathOrStdio::Url(url) => Ok(url::open(url, None)?.bcolz()),
        _ => Ok(None),
    }
}

/// Returns the store, if it is that of a Zarr array or group, and whether it is a group.
pub(in crate::commands) fn zarr_store(operand: &PathOrStdio) -> Result<Option<(AnyDirectory, bool)>> {
    let options = OpenOptions::new();
    match operand {
        PathOrStdio::File(path) => match kind_of(path) {
            Some(kind @ (FileKind::Zarr | FileKind::ZarrGroup)) => {
                Ok(Some((open_store(path, &options)?.into(), kind == FileKind::ZarrGroup)))
            }
            _ => Ok(None),
        },
        PathOrStdio::Url(url) => Ok(url::open(url, None)?.zarr(&options)?),
        PathOrStdio::Standard => Ok(None),
    }
}

/// Opens a file. Returns its kind, too, if it is known.
pub(in crate::commands) fn open(operand: &PathOrStdio, cancel: &Cancel) -> Result<(AnySource, Option<FileKind>)> {
    if let PathOrStdio::File(path) = operand {
        files::input_must_exist("file", path, ColumnAdvice::UseOption)?;
    }
    let source = open_source(operand, cancel)?;
    let kind = kind_of_file(source.bytes());
    Ok((source, kind))
}

/// Words the error like the original, if the original has a message for it.
pub(in crate::commands) fn worded(error: anyhow::Error, operand: &PathOrStdio) -> anyhow::Error {
    match error.downcast_ref().and_then(wording::of_reference) {
        Some(wording) => anyhow!("{wording}. This might not be a bloscpack compressed file: '{operand}'"),
        None => error.context(operand.to_string()),
    }
}
