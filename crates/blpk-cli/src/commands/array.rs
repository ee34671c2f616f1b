//! Opens the inputs of commands that read arrays: files of any kind, and columns of tables.

use crate::files;
use crate::kind::{Kind, kind_of_file};
use crate::place::Place;
use crate::streams::open_source;
use anyhow::{Context as _, Result, bail};
use bloscpack_io::{Cancel, LocalSource, OpenOptions};

/// Opens a file, or a column of the ctable at `place`.
pub(super) fn open(place: &Place, column: Option<&str>, cancel: &Cancel) -> Result<LocalSource> {
    let source = match (place, column) {
        (Place::File(path), Some(column)) => {
            files::table_must_exist("file", path)?;
            LocalSource::open_with(path, &OpenOptions::new().column(column)).with_context(|| place.to_string())?
        }
        (Place::Standard, Some(_)) => bail!("a pipe is not a bcolz ctable, which --column is for"),
        (Place::File(path), None) => {
            files::must_exist("file", path)?;
            open_source(place, cancel)?
        }
        (Place::Standard, None) => open_source(place, cancel)?,
    };
    // For a directory, the file is just one of its files, and its kind means nothing.
    let kind = if source.is_directory() { None } else { kind_of_file(source.file()) };
    if let Some(Kind::Foreign(what)) = kind {
        bail!("file '{place}' is {what}, which this version cannot read");
    }
    Ok(source)
}
