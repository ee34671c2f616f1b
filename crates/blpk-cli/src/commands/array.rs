//! Opens the inputs of commands that read arrays: files of any kind, and columns of tables.

use crate::column_advice::ColumnAdvice;
use crate::files;
use crate::path_or_stdio::PathOrStdio;
use crate::streams::open_source;
use crate::url;
use anyhow::{Context as _, Result, bail};
use bloscpack_io::{AnySource, Cancel, LocalSource, OpenOptions};

/// Opens a file, or a column of the ctable, or an array of the Zarr group at `operand`.
pub(super) fn open(operand: &PathOrStdio, column: Option<&str>, cancel: &Cancel) -> Result<AnySource> {
    let source = match (operand, column) {
        (PathOrStdio::File(path), Some(column)) => {
            files::table_must_exist("file", path)?;
            let source = LocalSource::open_with(path, &OpenOptions::new().column(column));
            source.with_context(|| operand.to_string())?.into()
        }
        (PathOrStdio::Url(url), Some(_)) => {
            files::operand_must_be_table("file", operand)?;
            url::open(url, column)?
        }
        (PathOrStdio::Standard, Some(_)) => {
            bail!("a pipe is neither a bcolz ctable nor a Zarr group, which --column is for")
        }
        (PathOrStdio::Url(url), None) => {
            let source = url::open(url, None)?;
            files::refuse_members("file", operand, &source, ColumnAdvice::UseOption)?;
            source
        }
        (_, None) => {
            files::operand_must_exist("file", operand, ColumnAdvice::UseOption)?;
            files::refuse_group("file", operand)?;
            open_source(operand, cancel)?
        }
    };
    Ok(source)
}
