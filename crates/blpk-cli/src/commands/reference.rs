//! `blpk reference`: writes references to the chunks of arrays, as JSON, so that Zarr reads the arrays where they are.

use super::array;
use crate::args::ReferenceArgs;
use crate::file_kind::{FileKind, kind_of_operand};
use crate::files;
use crate::overwrite::{Named, Overwrite, Writes};
use crate::path_or_stdio::PathOrStdio;
use crate::privacy::Privacy;
use crate::session::Session;
use crate::staging;
use crate::streams::{Output, open_source};
use anyhow::{Context as _, Result, bail};
use bloscpack_io::{AnySource, Cancel, LocalSource, ReferenceInput, ReferenceOptions, References, reference_url};
use std::path::Path;

/// A run of `blpk reference`.
pub(super) struct Plan {
    /// The inputs, with their URLs.
    inputs: Vec<(PathOrStdio, String)>,
    output: PathOrStdio,
    options: ReferenceOptions,
}

impl Plan {
    pub(super) fn new(args: &ReferenceArgs, session: &Session) -> Result<Plan> {
        let output = PathOrStdio::from(args.output.clone());
        let mut inputs = Vec::new();
        for path in &args.files {
            let operand = named(path)?;
            let overwrite = Overwrite { writes: Writes::Plain, named: Named::AsOutput };
            files::check_output(&operand, &output, overwrite, session)?;
            inputs.push((operand, reference_url(path, args.base.as_deref())?));
        }
        let options = ReferenceOptions::new()
            .axis(args.axis.unwrap_or(0))
            .new_axis(args.new_axis)
            .name(args.name.clone())
            .dims(args.dims.clone());
        Ok(Plan { inputs, output, options })
    }
}

/// Returns the name of an input. A pipe has no place that references could name.
fn named(path: &Path) -> Result<PathOrStdio> {
    match PathOrStdio::from(path.to_owned()) {
        PathOrStdio::Standard => bail!("<file> cannot be '-': a file or directory is needed"),
        operand => Ok(operand),
    }
}

pub(super) fn run(plan: &Plan, session: &Session) -> Result<()> {
    let cancel = session.cancel();
    let open = |(operand, url): &(PathOrStdio, String)| {
        open(operand, &cancel).map(|source| ReferenceInput { source, url: url.clone() })
    };
    let inputs = plan.inputs.iter().map(open).collect::<Result<Vec<_>>>()?;
    let references = References::of(inputs, &plan.options.clone().cancel(cancel.clone()))?;
    let _privacy = Privacy::of_all(plan.inputs.iter().map(|(operand, _)| operand), &plan.output)?;
    staging::write_output(&plan.output, session, |output| {
        let mut file = Output::create(output, session.force)?;
        references.write_json(&mut file).with_context(|| output.to_string())?;
        file.commit().with_context(|| output.to_string())
    })?;
    if plan.output != PathOrStdio::Standard {
        let chunks: usize = references.arrays.iter().map(|array| array.chunks.len()).sum();
        let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
        let (arrays, chunks) = (count(references.arrays.len(), "array"), count(chunks, "chunk"));
        session.report.normal(format!("{}: {arrays}, {chunks}", plan.output));
    }
    Ok(())
}

/// Opens an input. A table has an array for each column, and a Zarr group has arrays.
fn open(operand: &PathOrStdio, cancel: &Cancel) -> Result<AnySource> {
    match (kind_of_operand(operand), operand) {
        (Some(FileKind::Ctable | FileKind::ZarrGroup), PathOrStdio::File(path)) => {
            Ok(LocalSource::open(path).with_context(|| operand.to_string())?.into())
        }
        (Some(FileKind::Ctable | FileKind::ZarrGroup), _) => open_source(operand, cancel),
        _ => array::open(operand, None, cancel),
    }
}
