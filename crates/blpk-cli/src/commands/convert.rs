//! `blpk convert`: from one container to another, which the output's name tells.

use super::filters::pipeline;
use super::settings::in_range;
use crate::args::ConvertArgs;
use crate::kind::{Kind, kind_of};
use crate::privacy::Privacy;
use crate::session::Session;
use crate::size::pretty_size;
use crate::streams::{Place, open_source};
use crate::{events, files};
use anyhow::{Context as _, Result, anyhow, bail};
use blosc_core::{ChunkFormat, FilterPipeline};
use bloscpack_format::bloscpack::MAX_CHUNK_SIZE;
use bloscpack_format::numpy::Dtype;
use bloscpack_io::frame::ArrayOptions;
use bloscpack_io::{
    ColumnFiles, ConvertOptions, ConvertReport, LocalSource, PackOptions, Target, convert, convert_table,
    convert_table_to_files,
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
    Csv,
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
    refuse_idle(args, &job)?;
    match (&job, &args.column) {
        (Job::One(_), None) => files::check(&input, &output, session)?,
        _ => files::check_output(&input, &output, session)?,
    }
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
        Job::Csv => to_csv(&args.in_file, args.column.as_deref(), &path, &options),
    };
    let converted = done.with_context(|| input.to_string())?;
    session.report.verbose(format!("plain size: {}", pretty_size(converted.nbytes)));
    session.report.verbose("done");
    Ok(())
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
    let is_table = kind == Some(Kind::Ctable) && args.column.is_none();
    if is_table && output.to_string_lossy().ends_with(std::path::is_separator) {
        return Ok(Job::Files);
    }
    match (Target::of_name(output), output.extension()) {
        (Some(Target::Bcolz), _) if is_table => Ok(Job::Table),
        (None, Some(extension)) if extension == "csv" => match kind {
            Some(Kind::Carray | Kind::Ctable) => Ok(Job::Csv),
            _ => bail!("input file '{input}' is no bcolz directory; nothing else is converted to .csv"),
        },
        (_, extension) if is_table && (extension.is_none() || output.is_dir()) => Ok(Job::Files),
        (Some(target), _) => Ok(Job::One(target)),
        (None, _) if kind == Some(Kind::Ctable) => {
            bail!("output file '{}' does not end with .blp, .b2frame, .b2nd, .npy, .bcolz or .csv", output.display())
        }
        (None, _) => {
            bail!("output file '{}' does not end with .blp, .b2frame, .b2nd, .npy or .bcolz", output.display())
        }
    }
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
        Job::Csv => None,
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

#[cfg(not(feature = "csv"))]
fn to_csv(_: &Path, _: Option<&str>, _: &Path, _: &ConvertOptions) -> Result<ConvertReport> {
    bail!("this blpk was built without the feature csv")
}

fn options(args: &ConvertArgs, session: &Session) -> Result<ConvertOptions> {
    let size = args.in_file.metadata().map_or(u64::MAX, |found| if found.is_dir() { u64::MAX } else { found.len() });
    let mut options = ConvertOptions::default();
    if let Some(text) = &args.dtype {
        let parsed = match text.trim_start().starts_with(['[', '{']) {
            true => Dtype::parse(text).map_err(anyhow::Error::from),
            false => Dtype::from_type_string(text).map_err(anyhow::Error::from),
        };
        options.dtype = Some(parsed.with_context(|| format!("--dtype '{text}'"))?);
    }
    // An array may be empty, what it is cut into may not.
    let small = |shape: &Option<Vec<u64>>, what: &str| -> Result<Option<Vec<u32>>> {
        let fits = |len: &u64| u32::try_from(*len).ok().filter(|len| (1..=i32::MAX as u32).contains(len));
        let one =
            |len: &u64| fits(len).ok_or_else(|| anyhow!("{what} has 1 to 2147483647 items along an axis, not {len}"));
        shape.as_ref().map(|shape| shape.iter().map(one).collect()).transpose()
    };
    let chunkshape = small(&args.chunkshape, "--chunkshape: a chunk (of bcolz: chunklen)")?;
    let cut = ArrayOptions::new().chunkshape(chunkshape).blockshape(small(&args.blockshape, "--blockshape: a block")?);
    (options.shape, options.array) = (args.shape.clone(), cut);
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
    (options.overwrite, options.threads, options.cancel) = (session.force, session.threads(size)?, session.cancel()?);
    session.report.progress().file(args.in_file.display(), None);
    Ok(options.observe(events::converting(&session.report)))
}
