//! `blpk convert`: from one container to another, which the output's name tells.

use super::filters::pipeline;
use super::settings::in_range;
use crate::args::{ConvertArgs, dtype};
use crate::kind::{Kind, kind_of};
use crate::names::is_directory_name;
use crate::overwrite::Overwrite;
use crate::privacy::Privacy;
use crate::session::Session;
use crate::size::pretty_size;
use crate::streams::{Place, open_source};
use crate::{events, files, foreign};
use anyhow::{Context as _, Result, anyhow, bail};
use blosc_core::{ChunkFormat, FilterPipeline};
use bloscpack_format::bloscpack::MAX_CHUNK_SIZE;
use bloscpack_format::frame::VlMetalayers;
use bloscpack_format::python_str_repr;
use bloscpack_io::frame::ArrayOptions;
use bloscpack_io::{
    ColumnFiles, ConvertOptions, ConvertReport, Error, LocalSource, PackOptions, Target, Unkept, convert,
    convert_table, convert_table_to_files,
};
use std::path::{Path, PathBuf};

/// What is to be done.
enum Job {
    /// An array, or plain bytes.
    One(Target),
    /// A table into another.
    Table,
    /// Each column of a table into a file.
    Files,
    /// An array as text.
    Csv,
    /// A table, or a directory that is a column of one, as text.
    CsvOfTable,
}

pub(super) fn run(args: &ConvertArgs, session: &Session) -> Result<()> {
    let input = Place::from(args.in_file.clone());
    // A separator at the end says that it is a directory, and is no part of the name.
    let path = args.out_file.components().collect::<PathBuf>();
    let output = Place::from(path.clone());
    if output == Place::Standard {
        bail!("the name of the output says what it is to be: name a file");
    }
    let job = job(args, &input)?;
    refuse_directory(&job, &args.out_file)?;
    refuse_idle(args, &job)?;
    match (&job, &args.column) {
        (Job::One(_) | Job::Csv, None) => files::check(&input, &output, Overwrite::CONTAINER, session)?,
        _ => files::check_output(&input, &output, Overwrite::CONTAINER, session)?,
    }
    refuse_foreign(args, &input)?;
    let options = options(args, session)?;
    let _privacy = args.in_file.metadata().ok().as_ref().map(Privacy::of);
    let done = match job {
        Job::One(target) => match &args.column {
            Some(column) => LocalSource::open_column(&args.in_file, column)
                .and_then(|source| convert(source, &path, target, &options))
                .map_err(Into::into),
            None => convert(open_source(&input, &options.cancel)?, &path, target, &options).map_err(Into::into),
        },
        Job::Table => convert_table(&args.in_file, &path, &options).map_err(Into::into),
        Job::Files => {
            let files = args.columns_as.unwrap_or(ColumnFiles::Npy);
            convert_table_to_files(&args.in_file, &path, files, &options).map_err(Into::into)
        }
        Job::Csv => array_to_csv(open_source(&input, &options.cancel)?, &path, &options),
        Job::CsvOfTable => to_csv(&args.in_file, args.column.as_deref(), &path, &options),
    };
    let done = done.map_err(|error: anyhow::Error| match error.downcast_ref() {
        Some(Error::Unrecognised { .. }) => anyhow!("{error}; raw bytes need --dtype"),
        _ => of_option(error, args),
    });
    let converted = done.with_context(|| input.to_string())?;
    warn(&converted, &output, session);
    session.report.verbose(format!("plain size: {}", pretty_size(converted.nbytes)));
    session.report.verbose("done");
    Ok(())
}

/// Names the option whose value does not fit.
fn of_option(error: anyhow::Error, args: &ConvertArgs) -> anyhow::Error {
    let option = match error.downcast_ref() {
        Some(Error::ArrayCut { shape, .. }) => format!("--{shape}"),
        Some(Error::NotANumpyArray { .. }) if args.shape.is_some() => "--shape".into(),
        Some(Error::NotANumpyArray { .. }) if args.dtype.is_some() => "--dtype".into(),
        _ => return error,
    };
    error.context(option)
}

/// Names listed in a warning.
const MAX_NAMES: usize = 64;

/// Names what the output has not kept: a warning for each reason.
fn warn(converted: &ConvertReport, output: &Place, session: &Session) {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for Unkept { name, why, .. } in &converted.unkept {
        let name = python_str_repr(name);
        match reasons.iter_mut().find(|(found, _)| found == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    for (why, names) in reasons {
        let listed = names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(MAX_NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let what = if names.len() == 1 { "attribute" } else { "attributes" };
        session.report.warning(&format!("{output}: {what} not kept: {listed}{more}: {why}"));
    }
    if converted.vlmetalayers > VlMetalayers::MAX_INTERCHANGE {
        session.report.warning(&format!(
            "{output}: C-Blosc2 reads {} vlmetalayers, but cannot change a frame with more than {}",
            converted.vlmetalayers,
            VlMetalayers::MAX_INTERCHANGE
        ));
    }
}

/// By what the input is, and what the output is called.
fn job(args: &ConvertArgs, input: &Place) -> Result<Job> {
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
    let is_table = kind == Some(Kind::Ctable) && args.column.is_none();
    if is_table && output.to_string_lossy().ends_with(std::path::is_separator) {
        return Ok(Job::Files);
    }
    match (Target::of_name(output), output.extension()) {
        (Some(Target::Bcolz), _) if is_table => Ok(Job::Table),
        (None, Some(extension)) if extension == "csv" => match kind {
            Some(Kind::Ctable) => Ok(Job::CsvOfTable),
            Some(Kind::Carray) if args.dtype.is_none() && args.shape.is_none() => Ok(Job::CsvOfTable),
            _ => Ok(Job::Csv),
        },
        (_, extension) if is_table && (extension.is_none() || output.is_dir()) => Ok(Job::Files),
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
fn refuse_directory(job: &Job, output: &Path) -> Result<()> {
    let what = match job {
        Job::Table | Job::Files | Job::One(Target::Bcolz) => return Ok(()),
        Job::One(target) => ending(*target),
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

/// An option that means nothing for the output is a mistake: somebody believes it does. Not so the settings of the compression,
/// which one may give for all outputs, and of which a `.npy` or `.csv` has none.
fn refuse_idle(args: &ConvertArgs, job: &Job) -> Result<()> {
    use Target::{Array, Bcolz, Bloscpack, Frame};
    let target = match job {
        Job::One(target) => Some(*target),
        Job::Table => Some(Bcolz),
        Job::Files if args.columns_as == Some(ColumnFiles::B2nd) => Some(Array),
        Job::Files => Some(Target::Npy),
        Job::Csv | Job::CsvOfTable => None,
    };
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
fn refuse_foreign(args: &ConvertArgs, input: &Place) -> Result<()> {
    if let (Some(_), false, Place::File(path)) = (&args.dtype, args.raw, input)
        && kind_of(path).is_none()
        && let Some(advice) = foreign::advice_on(path)
    {
        bail!("input file '{input}' is not taken as raw bytes: {advice}; if it is raw bytes all the same, add --raw");
    }
    Ok(())
}

/// How the names of such outputs end.
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

#[cfg(feature = "csv")]
fn to_csv(input: &Path, column: Option<&str>, output: &Path, options: &ConvertOptions) -> Result<ConvertReport> {
    Ok(bloscpack_io::convert_to_csv(input, column, output, options)?)
}

#[cfg(feature = "csv")]
fn array_to_csv(input: LocalSource, output: &Path, options: &ConvertOptions) -> Result<ConvertReport> {
    Ok(bloscpack_io::convert_array_to_csv(input, output, options)?)
}

#[cfg(not(feature = "csv"))]
fn array_to_csv(_: LocalSource, _: &Path, _: &ConvertOptions) -> Result<ConvertReport> {
    bail!("this blpk was built without the feature csv")
}

#[cfg(not(feature = "csv"))]
fn to_csv(_: &Path, _: Option<&str>, _: &Path, _: &ConvertOptions) -> Result<ConvertReport> {
    bail!("this blpk was built without the feature csv")
}

fn options(args: &ConvertArgs, session: &Session) -> Result<ConvertOptions> {
    let size = args.in_file.metadata().map_or(u64::MAX, |found| if found.is_dir() { u64::MAX } else { found.len() });
    let dtype = args.dtype.as_deref().map(dtype).transpose()?;
    let mut options = ConvertOptions { dtype, raw: args.raw, ..ConvertOptions::default() };
    // An array may be empty, what it is cut into may not.
    let small = |shape: &Option<Vec<u64>>, what: &str| -> Result<Option<Vec<u32>>> {
        let fits = |len: &u64| u32::try_from(*len).ok().filter(|len| (1..=i32::MAX as u32).contains(len));
        let one =
            |len: &u64| fits(len).ok_or_else(|| anyhow!("{what} has 1 to 2147483647 items along an axis, not {len}"));
        shape.as_ref().map(|shape| shape.iter().map(one).collect()).transpose()
    };
    let chunkshape = small(&args.chunkshape, "--chunkshape: a chunk (of bcolz: chunklen)")?;
    let cut = ArrayOptions::new().chunkshape(chunkshape).blockshape(small(&args.blockshape, "--blockshape: a block")?);
    options.array = cut;
    if let Some(shape) = &args.shape {
        if shape.iter().filter(|len| len.is_none()).count() > 1 {
            bail!("--shape: only one axis can be -1, for the items that the others leave");
        }
        options.shape = Some(shape.clone());
    }
    options.typesize = match &args.blosc.typesize {
        Some(typesize) => Some(in_range("typesize", typesize, i32::MAX)? as u32),
        None => None,
    };
    (options.codec, options.clevel) = (args.blosc.codec, args.blosc.clevel);
    // Which of them the output can have, its writer knows.
    options.filters = match args.blosc.no_shuffle {
        true => Some(FilterPipeline::none()),
        false => pipeline(&args.filters, ChunkFormat::Blosc2, "")?,
    };
    options.blocksize = args.blocksize.map(|size| u32::try_from(size).unwrap_or(u32::MAX));
    (options.split, options.dictionary) = (args.splitmode, args.dict);
    let mut pack = PackOptions::new().offsets(!args.no_offsets).metadata(files::read_metadata(args.metadata.as_ref())?);
    if let Some(size) = &args.chunk_size {
        let size = in_range("chunk-size", size, MAX_CHUNK_SIZE)?;
        (pack, options.chunk_size) = (pack.chunk_size(size.into()), Some(size));
    }
    options.pack = args.checksum.map_or(pack.clone(), |checksum| pack.checksum(checksum));
    (options.overwrite, options.threads, options.cancel) = (session.force, session.threads(size)?, session.cancel());
    session.report.progress().file(args.in_file.display(), None);
    Ok(options.observe(events::converting(&session.report)))
}
