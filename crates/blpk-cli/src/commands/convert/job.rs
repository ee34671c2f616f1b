//! The kind of conversion, and what stands in its way.

use crate::args::ConvertArgs;
use crate::kind::{Kind, kind_of};
use crate::names::is_directory_name;
use crate::place::Place;
use crate::{files, foreign};
use anyhow::{Result, bail};
use bloscpack_io::{ColumnFiles, Target};
use std::path::Path;

/// A conversion, by the kinds of input and output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Job {
    /// An array, or plain bytes.
    One(Target),
    /// A table into another.
    Table,
    /// Each column of a table into a file of this format.
    Files(ColumnFiles),
    /// An array as text.
    Csv,
    /// A table, or a directory that is a column of one, as text.
    CsvOfTable,
}

impl Job {
    /// The kind of the output; `None` for text.
    fn target(self) -> Option<Target> {
        match self {
            Job::One(target) => Some(target),
            Job::Table => Some(Target::Bcolz),
            Job::Files(ColumnFiles::B2nd) => Some(Target::Array),
            Job::Files(_) => Some(Target::Npy),
            Job::Csv | Job::CsvOfTable => None,
        }
    }
}

/// The conversion for this input, by the name of the output.
pub(super) fn job(args: &ConvertArgs, input: &Place) -> Result<Job> {
    let kind = if let Place::File(path) = input { kind_of(path) } else { None };
    let output = &args.out_file;
    if args.column.is_some() {
        files::table_must_exist("input file", &args.in_file)?;
    }
    if args.columns_as.is_some() && kind != Some(Kind::Ctable) {
        bail!("input file '{input}' is not a bcolz ctable, which --columns-as is for");
    }
    if args.raw && args.in_file.is_dir() {
        bail!("input file '{input}' is a directory, not a file, which --raw is for");
    }
    let files = args.columns_as.unwrap_or(ColumnFiles::Npy);
    let is_table = kind == Some(Kind::Ctable) && args.column.is_none();
    if is_table && output.to_string_lossy().ends_with(std::path::is_separator) {
        return Ok(Job::Files(files));
    }
    match (Target::of_name(output), output.extension()) {
        (Some(Target::Bcolz), _) if is_table => Ok(Job::Table),
        (None, Some(extension)) if extension == "csv" => match kind {
            Some(Kind::Ctable) => Ok(Job::CsvOfTable),
            Some(Kind::Carray) if args.dtype.is_none() && args.shape.is_none() => Ok(Job::CsvOfTable),
            _ => Ok(Job::Csv),
        },
        (_, extension) if is_table && (extension.is_none() || output.is_dir()) => Ok(Job::Files(files)),
        (Some(target), _) => Ok(Job::One(target)),
        (None, _) if output.is_dir() => bail!(
            "output '{}' is a directory, which only the columns of a bcolz ctable are written to; name a file in it that \
             ends with .blp, .b2frame, .b2nd, .npy, .bcolz or .csv",
            output.display()
        ),
        (None, _) => {
            bail!("output file '{}' does not end with .blp, .b2frame, .b2nd, .npy, .bcolz or .csv", output.display())
        }
    }
}

/// Refuses the name of a directory, or a directory, as an output that is a file.
pub(super) fn refuse_directory(job: Job, output: &Path) -> Result<()> {
    let what = match job {
        Job::Table | Job::Files(_) | Job::One(Target::Bcolz) => return Ok(()),
        Job::One(target) => ending(target),
        Job::Csv | Job::CsvOfTable => ".csv",
    };
    if is_directory_name(output) {
        bail!(
            "output '{}' has the name of a directory, and a {what} is a file: leave out the last '/'",
            output.display()
        );
    }
    if output.is_dir() {
        bail!("output '{}' is a directory, and a {what} is a file: name another output", output.display());
    }
    Ok(())
}

/// Refuses an option that means nothing for the output: giving it is a mistake. Settings of the compression are accepted for
/// all outputs, though a `.npy` or `.csv` has none.
pub(super) fn refuse_idle(args: &ConvertArgs, job: Job) -> Result<()> {
    use Target::{Array, Bcolz, Bloscpack, Frame};
    let target = job.target();
    let options: [(&str, bool, &[Target]); 9] = [
        ("-z/--chunk-size", args.chunk_size.is_some(), &[Bloscpack, Frame]),
        ("-k/--checksum", args.checksum.is_some(), &[Bloscpack]),
        ("-o/--no-offsets", args.no_offsets, &[Bloscpack]),
        ("-m/--metadata", args.metadata.is_some(), &[Bloscpack]),
        ("--chunkshape", args.chunkshape.is_some(), &[Array, Bcolz]),
        ("--blockshape", args.blockshape.is_some(), &[Array]),
        ("--blocksize", args.blocksize.is_some(), &[Frame]),
        ("--splitmode", args.splitmode.is_some(), &[Bloscpack, Frame, Array]),
        ("--dict", args.dict, &[Frame, Array]),
    ];
    let idle = |(_, given, of): &&(&str, bool, &[Target])| *given && !target.is_some_and(|target| of.contains(&target));
    let Some((option, _, of)) = options.iter().find(idle) else { return Ok(()) };
    let of: Vec<_> = of.iter().map(|target| ending(*target)).collect();
    let what = target.map_or(".csv", ending);
    bail!("{option} is for {}; it means nothing for {what}: leave it out", of.join(", "))
}

/// Refuses to take a file of another format for raw bytes, unless `--raw` says so.
pub(super) fn refuse_foreign(args: &ConvertArgs, input: &Place) -> Result<()> {
    if let (Some(_), false, Place::File(path)) = (&args.dtype, args.raw, input)
        && kind_of(path).is_none()
        && let Some(advice) = foreign::advice_on(path)
    {
        bail!("input file '{input}' is not taken as raw bytes: {advice}; if it is raw bytes all the same, add --raw");
    }
    Ok(())
}

/// The extension of such outputs.
fn ending(target: Target) -> &'static str {
    match target {
        Target::Bloscpack => ".blp",
        Target::Frame => ".b2frame",
        Target::Array => ".b2nd",
        Target::Npy => ".npy",
        Target::Bcolz => ".bcolz",
        _ => "others",
    }
}
