//! The output of one input.

use crate::args::{CompressFormat, mistaken_level};
use crate::column_advice::ColumnAdvice;
use crate::inputs::InputFile;
use crate::outputs::Outputs;
use crate::overwrite::Writes;
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::{files, names};
use anyhow::{Result, bail};

/// Returns the output of an input. Refuses a missing input, and an output that must not be replaced.
pub(super) fn output_of(
    item: &InputFile,
    outputs: &Outputs,
    format: CompressFormat,
    session: &Session,
) -> Result<PathOrStdio> {
    let output = outputs.operand(item, |path| names::with_extension(path, format.extension()))?;
    if let PathOrStdio::File(path) = &item.operand
        && !path.exists()
        && let Some(advice) = path.to_str().and_then(mistaken_level)
    {
        bail!("input file '{}' does not exist!{advice}", item.operand);
    }
    let overwrite = outputs.overwrite(item, Writes::Packed, "compress");
    files::one_of_many_must_exist("input file", &item.operand, ColumnAdvice::ConvertFirst)?;
    files::check_output(&item.operand, &output, overwrite, session)?;
    Ok(output)
}
