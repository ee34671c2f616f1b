//! `blpk convert`: from one container to another, which the output's name tells.

use super::settings::in_range;
use crate::args::ConvertArgs;
use crate::files;
use crate::kind::{Kind, kind_of};
use crate::session::Session;
use crate::size::pretty_size;
use crate::streams::{Place, open_source};
use anyhow::{Context as _, Result, anyhow, bail};
use blosc_core::FilterPipeline;
use bloscpack_format::bloscpack::MAX_CHUNK_SIZE;
use bloscpack_format::numpy::Dtype;
use bloscpack_io::frame::ArrayOptions;
use bloscpack_io::{
    ColumnFiles, ConvertOptions, ConvertReport, LocalSource, PackOptions, Target, convert, convert_table,
    convert_table_to_files,
};
use std::path::{Path, PathBuf};

/// What all columns of a table become.
enum Table {
    Bcolz,
    Csv,
    Files,
}

pub(super) fn run(args: &ConvertArgs, session: &Session) -> Result<()> {
    let input = Place::from(args.in_file.clone());
    let output = Place::from(args.out_file.clone());
    let Place::File(path) = &output else { bail!("the name of the output says what it is to be: name a file") };
    let kind = if let Place::File(path) = &input { kind_of(path) } else { None };
    if args.column.is_some() {
        files::table_must_exist("input file", &args.in_file)?;
    }
    if args.columns_as.is_some() && kind != Some(Kind::Ctable) {
        bail!("input file '{input}' is not a bcolz ctable, which --columns-as is for");
    }
    let converted = match (&input, table(&args.out_file)) {
        (Place::File(table), Some(to)) if kind == Some(Kind::Ctable) && args.column.is_none() => {
            files::check_output(&input, &output, session)?;
            // A separator at the end says that it is a directory, and is no part of the name.
            let path = path.components().collect::<PathBuf>();
            whole_table(table, &path, to, args, session)
        }
        (Place::File(carray), Some(Table::Csv)) if matches!(kind, Some(Kind::Carray | Kind::Ctable)) => {
            files::check_output(&input, &output, session)?;
            to_csv(carray, args.column.as_deref(), path, &options(args, session)?)
        }
        _ => one(&input, path, args, session),
    };
    let converted = converted.with_context(|| input.to_string())?;
    session.report.verbose(format!("plain size: {}", pretty_size(converted.nbytes)));
    session.report.verbose("done");
    Ok(())
}

/// An array, or plain bytes.
fn one(input: &Place, output: &Path, args: &ConvertArgs, session: &Session) -> Result<ConvertReport> {
    let Some(target) = Target::of_name(output) else {
        let all = "output file";
        match (input, kind_of(&args.in_file)) {
            (Place::File(_), Some(Kind::Ctable)) => {
                bail!("{all} '{}' does not end with .blp, .b2frame, .b2nd, .npy, .bcolz or .csv", output.display())
            }
            _ => bail!("{all} '{}' does not end with .blp, .b2frame, .b2nd, .npy or .bcolz", output.display()),
        }
    };
    let place = Place::File(output.to_owned());
    let source = match (&args.column, input) {
        (Some(column), Place::File(table)) => {
            files::check_output(input, &place, session)?;
            LocalSource::open_column(table, column)?
        }
        _ => {
            files::check(input, &place, session)?;
            open_source(input, &session.cancel()?)?
        }
    };
    Ok(convert(source, output, target, &options(args, session)?)?)
}

/// What a table becomes in an output of this name, without a choice of a column.
fn table(output: &Path) -> Option<Table> {
    if output.to_string_lossy().ends_with(std::path::is_separator) {
        return Some(Table::Files);
    }
    match output.extension() {
        Some(extension) if extension == "bcolz" => Some(Table::Bcolz),
        Some(extension) if extension == "csv" => Some(Table::Csv),
        Some(_) if !output.is_dir() => None,
        _ => Some(Table::Files),
    }
}

fn whole_table(input: &Path, output: &Path, to: Table, args: &ConvertArgs, session: &Session) -> Result<ConvertReport> {
    let options = options(args, session)?;
    match to {
        Table::Bcolz => Ok(convert_table(input, output, &options)?),
        Table::Csv => to_csv(input, None, output, &options),
        Table::Files => {
            let files = args.columns_as.unwrap_or(ColumnFiles::Npy);
            Ok(convert_table_to_files(input, output, files, &options)?)
        }
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
    let small = |shape: &Option<Vec<u64>>| -> Result<Option<Vec<u32>>> {
        let Some(shape) = shape else { return Ok(None) };
        let fits = shape.iter().map(|len| u32::try_from(*len).ok().filter(|len| *len <= i32::MAX as u32)).collect();
        let fits: Option<Vec<u32>> = fits;
        fits.map(Some).ok_or_else(|| anyhow!("a chunk has at most 2147483647 items along an axis"))
    };
    let cut = ArrayOptions::new().chunkshape(small(&args.chunkshape)?).blockshape(small(&args.blockshape)?);
    (options.shape, options.array) = (args.shape.clone(), cut);
    options.typesize = match &args.blosc.typesize {
        Some(typesize) => Some(in_range("typesize", typesize, i32::MAX)? as u32),
        None => None,
    };
    (options.codec, options.clevel) = (args.blosc.codec, args.blosc.clevel);
    options.filters = match (args.blosc.no_shuffle, args.filters.as_slice()) {
        (true, _) => Some(FilterPipeline::none()),
        (false, []) => None,
        (false, filters) => {
            let filters: Vec<_> = filters.iter().filter_map(|filter| filter.0).collect();
            let pipeline = FilterPipeline::from_slice(&filters);
            Some(pipeline.ok_or_else(|| anyhow!("more than six filters"))?)
        }
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
    Ok(options)
}
