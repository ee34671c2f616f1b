//! `blpk reference`: writes references to the chunks of arrays, as JSON, so that Zarr reads the arrays where they are.

use super::array;
use crate::args::ReferenceArgs;
use crate::file_kind::{FileKind, kind_of};
use crate::files;
use crate::overwrite::{Named, Overwrite, Writes};
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::streams::Output;
use anyhow::{Context as _, Error as AnyError, Result};
use bloscpack_io::{Cancel, LocalSource, ReferenceInput, ReferenceOptions, References, reference_url};
use std::path::PathBuf;

/// A run of `blpk reference`.
pub(super) struct Plan {
    /// The inputs, with their URLs.
    inputs: Vec<(PathBuf, String)>,
    output: PathOrStdio,
    options: ReferenceOptions,
}

impl Plan {
    pub(super) fn new(args: &ReferenceArgs, session: &Session) -> Result<Plan> {
        let output = PathOrStdio::from(args.output.clone());
        let mut inputs = Vec::new();
        for path in &args.files {
            let operand = files::not_standard("file", path)?;
            let overwrite = Overwrite { writes: Writes::Plain, named: Named::AsOutput };
            files::check_output(&operand, &output, overwrite, session)?;
            inputs.push((path.clone(), reference_url(path, args.base.as_deref())?));
        }
        let options = ReferenceOptions::new()
            .axis(args.axis.unwrap_or(0))
            .new_axis(args.new_axis)
            .name(args.name.clone())
            .dims(args.dims.clone());
        Ok(Plan { inputs, output, options })
    }
}

pub(super) fn run(plan: &Plan, session: &Session) -> Result<()> {
    let cancel = session.cancel();
    let open =
        |(path, url): &(PathBuf, String)| open(path, &cancel).map(|source| ReferenceInput { source, url: url.clone() });
    let inputs = plan.inputs.iter().map(open).collect::<Result<Vec<_>>>()?;
    let references = References::of(inputs, &plan.options.clone().cancel(cancel.clone()))?;
    let mut output = Output::create(&plan.output, session.force)?;
    references.write_json(&mut output).with_context(|| plan.output.to_string())?;
    output.commit().with_context(|| plan.output.to_string())?;
    let chunks: usize = references.arrays.iter().map(|array| array.chunks.len()).sum();
    let arrays = references.arrays.len();
    let arrays = if arrays == 1 { "1 array".into() } else { format!("{arrays} arrays") };
    if plan.output != PathOrStdio::Standard {
        session.report.normal(format!("{}: {arrays}, {chunks} chunks", plan.output));
    }
    Ok(())
}

/// Opens an input. A table has an array for each column.
fn open(path: &PathBuf, cancel: &Cancel) -> Result<LocalSource> {
    let operand = PathOrStdio::from(path.clone());
    match kind_of(path) {
        Some(FileKind::Ctable) => LocalSource::open(path).map_err(AnyError::from).with_context(|| operand.to_string()),
        _ => array::open(&operand, None, cancel),
    }
}
