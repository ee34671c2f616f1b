//! Inputs for random access.

use super::input::Input;
use crate::file_kind::is_container_directory;
use crate::path_or_stdio::PathOrStdio;
use crate::url;
use anyhow::{Context as _, Result};
use bloscpack_io::{AnySource, Cancel, LocalSource};
use std::fs::File;
use std::io::{self, Seek as _};

/// Opens a file or a container directory for random access.
pub(crate) fn open_source(operand: &PathOrStdio, cancel: &Cancel) -> Result<AnySource> {
    match operand {
        PathOrStdio::File(path) if is_container_directory(path) => Ok(LocalSource::open(path)?.into()),
        PathOrStdio::Url(url) => url::open(url, None),
        _ => Ok(AnySource::from(open_seekable(operand, cancel)?)),
    }
}

/// Opens a file for random access. A pipe, a file of unknown size, and a file that is read from a later position than
/// its start are copied to an unnamed temporary file.
pub(crate) fn open_seekable(operand: &PathOrStdio, cancel: &Cancel) -> Result<File> {
    let mut input = Input::open(operand, cancel)?;
    input = match input.into_whole_file() {
        Ok(file) => return Ok(file),
        Err(input) => input,
    };
    let mut spool = tempfile::tempfile().context("creating a temporary file")?;
    io::copy(&mut input, &mut spool).with_context(|| format!("reading '{operand}'"))?;
    spool.rewind().context("reading a temporary file")?;
    Ok(spool)
}
