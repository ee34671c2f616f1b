//! Arrays and tables as text, if this program was built with the feature.

use anyhow::Result;
#[cfg(not(feature = "csv"))]
use anyhow::bail;
use bloscpack_io::{ConvertOptions, ConvertReport, LocalSource};
use std::path::Path;

#[cfg(feature = "csv")]
pub(super) fn table(
    input: &Path,
    column: Option<&str>,
    output: &Path,
    options: &ConvertOptions,
) -> Result<ConvertReport> {
    Ok(bloscpack_io::convert_to_csv(input, column, output, options)?)
}

#[cfg(feature = "csv")]
pub(super) fn array(input: LocalSource, output: &Path, options: &ConvertOptions) -> Result<ConvertReport> {
    Ok(bloscpack_io::convert_array_to_csv(input, output, options)?)
}

#[cfg(not(feature = "csv"))]
pub(super) fn array(_: LocalSource, _: &Path, _: &ConvertOptions) -> Result<ConvertReport> {
    bail!("this blpk was built without the feature csv")
}

#[cfg(not(feature = "csv"))]
pub(super) fn table(_: &Path, _: Option<&str>, _: &Path, _: &ConvertOptions) -> Result<ConvertReport> {
    bail!("this blpk was built without the feature csv")
}
