//! Inputs for random access.

use super::input::Input;
use crate::file_kind::is_container_directory;
use crate::path_or_stdio::PathOrStdio;
use crate::url;
use anyhow::{Context as _, Result};
use bloscpack_io::{AnySource, Cancel, LocalSource};
use std::env;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};

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
    copy(&mut input, operand, &mut spool)?;
    spool.rewind().context("reading a temporary file")?;
    Ok(spool)
}

/// Copies an input to a temporary file. The error says which of the two failed.
fn copy(input: &mut Input, operand: &PathOrStdio, spool: &mut File) -> Result<()> {
    let mut buf = vec![0; 64 << 10];
    loop {
        match input.read(&mut buf) {
            Ok(0) => return Ok(()),
            Ok(read) => spool
                .write_all(buf.get(..read).unwrap_or_default())
                .with_context(|| format!("writing a temporary file (TMPDIR) in '{}'", env::temp_dir().display()))?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error).with_context(|| format!("reading '{operand}'")),
        }
    }
}
