//! The target of a conversion, and the options and outputs that are refused for it.

use crate::args::ConvertArgs;
use crate::file_kind::{FileKind, kind_of, kind_of_operand};
use crate::names::is_directory_name;
use crate::path_or_stdio::PathOrStdio;
use crate::{files, foreign};
use anyhow::{Result, bail};
use bloscpack_io::{ColumnFiles, ConvertOption, Error, Target};
use std::path::Path;

/// The target of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Conversion {
    pub(super) target: Target,
    /// The input is opened by its path: a table, one column of it, or a Zarr group.
    pub(super) has_columns: bool,
}

/// Returns the conversion for this input, by the name of the output.
pub(super) fn conversion(args: &ConvertArgs, input: &PathOrStdio, output: &Path) -> Result<Conversion> {
    let kind = kind_of_operand(input);
    if args.column.is_some() {
        files::operand_must_be_table("input file", input)?;
    }
    let is_of_arrays = args.column.is_none() && !args.raw;
    // Arrays of equal length are the columns of a table.
    let to_table = Target::of_name(output) == Some(Target::Bcolz);
    if is_of_arrays && !to_table {
        files::refuse_group("input file", input)?;
    }
    if args.columns_as.is_some() && kind != Some(FileKind::Ctable) {
        bail!("input file '{input}' is not a bcolz ctable, which --columns-as is for");
    }
    if args.raw && args.in_file.is_dir() {
        bail!("input file '{input}' is a directory, not a file, which --raw is for");
    }
    let is_table = kind == Some(FileKind::Ctable) && args.column.is_none();
    let target = match is_table {
        true => Target::of_table_name(output, args.columns_as.unwrap_or(ColumnFiles::Npy)),
        false => Target::of_name(output),
    };
    let Some(target) = target else {
        let shown = output.display();
        if output.is_dir() {
            bail!(
                "output '{shown}' is a directory, which only the columns of a bcolz ctable are written to; name a file in it \
                 that ends with .blp, .b2frame, .b2nd, .npy, .bcolz, .zarr or .csv"
            );
        }
        bail!("output file '{shown}' does not end with .blp, .b2frame, .b2nd, .npy, .bcolz, .zarr or .csv");
    };
    let takes_tables = matches!(target, Target::Bcolz | Target::Zarr | Target::Csv | Target::Columns(_));
    let is_group = is_of_arrays && to_table && kind == Some(FileKind::ZarrGroup);
    Ok(Conversion { target, has_columns: args.column.is_some() || is_table && takes_tables || is_group })
}

/// Refuses a directory, or a name with a trailing separator, if the output is a file.
pub(super) fn refuse_directory(target: Target, output: &Path) -> Result<()> {
    if target.is_directory() {
        return Ok(());
    }
    let what = ending(target);
    if is_directory_name(output) {
        bail!(
            "output '{}' has the name of a directory, but a {what} is a file: leave out the last '/'",
            output.display()
        );
    }
    if output.is_dir() {
        bail!("output '{}' is a directory, but a {what} is a file: name another output", output.display());
    }
    Ok(())
}

/// Refuses an option that the target lacks, by the name of its flag.
pub(super) fn refuse_idle(args: &ConvertArgs, target: Target) -> Result<()> {
    let given = [
        (ConvertOption::ChunkSize, "-z/--chunk-size", args.chunk_size.is_some()),
        (ConvertOption::Checksum, "-k/--checksum", args.checksum.is_some()),
        (ConvertOption::Offsets, "-o/--no-offsets", args.no_offsets),
        (ConvertOption::Metadata, "-m/--metadata", args.metadata.is_some()),
        (ConvertOption::Chunkshape, "--chunkshape", args.chunkshape.is_some()),
        (ConvertOption::Blockshape, "--blockshape", args.blockshape.is_some()),
        (ConvertOption::Blocksize, "--blocksize", args.blocksize.is_some()),
        (ConvertOption::Split, "--splitmode", args.splitmode.is_some()),
        (ConvertOption::Dictionary, "--dict", args.dict),
        (ConvertOption::ZarrFormat, "--zarr-format", args.zarr_format.is_some()),
        (ConvertOption::WriteEmptyChunks, "--write-empty-chunks", args.write_empty_chunks),
    ];
    for (option, flag, _) in given.into_iter().filter(|(.., given)| *given) {
        if let Err(Error::UnfitOption { option, target }) = option.check(target) {
            let of: Vec<_> = option.targets().iter().map(|target| ending(*target)).collect();
            bail!("{flag} is for {}; it does not apply to {}: leave it out", of.join(", "), ending(target));
        }
    }
    Ok(())
}

/// Refuses to treat a file of another format as raw bytes, unless `--raw` is given.
pub(super) fn refuse_foreign(args: &ConvertArgs, input: &PathOrStdio) -> Result<()> {
    if let (Some(_), false, PathOrStdio::File(path)) = (&args.dtype, args.raw, input)
        && kind_of(path).is_none()
        && let Some(advice) = foreign::advice_on(path)
    {
        bail!("input file '{input}' is not read as raw bytes: {advice}; if it is raw bytes, add --raw");
    }
    Ok(())
}

/// Returns the extension of such outputs.
fn ending(target: Target) -> String {
    format!(".{}", target.extension())
}
