//! `blpk decompress`: the plain bytes of any file that we can read.

use crate::args::DecompressArgs;
use crate::kind::{Kind, kind_of};
use crate::npy::Npy;
use crate::pprint::pformat;
use crate::session::Session;
use crate::size::pretty_size;
use crate::streams::{Input, Output, Place};
use crate::{events, files};
use anyhow::{Context as _, Result, bail};
use bloscpack_format::Json;
use bloscpack_io::{Archive, Cancel, LocalSource, UnpackOptions, unpack_file, unpack_stream};
use std::fs::File;
use std::path::Path;

pub(super) fn run(args: &DecompressArgs, session: &Session) -> Result<()> {
    let report = &session.report;
    report.verbose("getting ready for decompression");
    let input = Place::from(args.in_file.clone());
    if args.in_file.is_dir() {
        files::must_exist("input file", &args.in_file)?; // says what the directory is, whatever its name
    }
    let output = output_of(args, &input)?;
    files::check(&input, &output, session)?;
    let kind = match &input {
        Place::File(path) => kind_of(path),
        Place::Standard => None,
    };
    if let Some(Kind::Foreign(what)) = kind {
        bail!("input file '{input}' is {what}, which this version cannot read");
    }

    let cancel = session.cancel()?;
    if let (Some(Kind::Frame | Kind::Carray), Place::File(path)) = (kind, &input) {
        return archive(path, &output, session, &cancel);
    }
    let source = Input::open(&input, &cancel)?;
    let size = source.known_size();
    if let Some(size) = size {
        report.verbose(format!("input file size: {}", pretty_size(size)));
    }
    let (nbytes, cbytes, metadata) = match (kind, &input, &output) {
        (Some(Kind::Npy), Place::File(path), _) => {
            let mut output = Output::create(&output, session.force)?;
            let name = || path.display().to_string();
            let array = Npy::open(File::open(path).with_context(name)?).with_context(name)?;
            array.copy_range(0..array.nbytes(), &mut output)?;
            output.commit()?;
            (array.nbytes(), array.len(), None)
        }
        _ => unpack(source, size, &input, &output, session, &options(session, size)?.cancel(cancel))?,
    };
    if size.is_none() {
        report.verbose(format!("input file size: {}", pretty_size(cbytes)));
    }
    report.verbose(format!("output file size: {}", pretty_size(nbytes)));
    report.verbose(format!("decompression ratio: {:.6}", nbytes as f64 / cbytes as f64));
    if let Some(metadata) = metadata.filter(Json::is_truthy) {
        report.normal("Metadata:");
        report.normal(pformat(&metadata));
    }
    report.verbose("done");
    Ok(())
}

/// Unpacks a frame or a carray, which may be a directory.
fn archive(input: &Path, output: &Place, session: &Session, cancel: &Cancel) -> Result<()> {
    let name = || input.display().to_string();
    let archive = Archive::open(LocalSource::open(input)?).with_context(name)?;
    let options = options(session, Some(archive.nbytes()))?.cancel(cancel.clone());
    let mut output = Output::create(output, session.force)?;
    let nbytes = archive.unpack(&mut output, &options).with_context(name)?;
    output.commit()?;
    session.report.verbose(format!("output file size: {}", pretty_size(nbytes)));
    session.report.verbose("done");
    Ok(())
}

fn options(session: &Session, size: Option<u64>) -> Result<UnpackOptions> {
    let options = UnpackOptions::new().threads(session.threads(size.unwrap_or(u64::MAX))?);
    Ok(options.overwrite(session.force).observe(events::unpacking(&session.report)))
}

/// Plain size, packed size, metadata.
fn unpack(
    source: Input,
    size: Option<u64>,
    input: &Place,
    output: &Place,
    session: &Session,
    options: &UnpackOptions,
) -> Result<(u64, u64, Option<Json>)> {
    let unpacked = match (input, output) {
        (Place::File(input), Place::File(output)) if size.is_some() => unpack_file(input, output, options),
        _ => {
            let mut output = Output::create(output, session.force)?;
            let unpacked = unpack_stream(source, &mut output, options);
            if unpacked.is_ok() {
                output.commit()?;
            }
            unpacked
        }
    };
    let unpacked = unpacked.with_context(|| input.to_string())?;
    Ok((unpacked.nbytes, unpacked.cbytes, unpacked.metadata))
}

/// Where to: as named, or the input's name without `.blp`. A bloscpack file must have a name that ends so unless the
/// check is switched off; what is something else by its content needs no such name.
fn output_of(args: &DecompressArgs, input: &Place) -> Result<Place> {
    let named = args.out_file.clone().map(Place::from);
    let path = match (input, named) {
        (_, Some(output)) if args.no_check_extension || *input == Place::Standard => return Ok(output),
        (_, None) if args.no_check_extension => bail!("--no-check-extension requires use of <out_file>"),
        (Place::Standard, _) => return Ok(Place::Standard),
        (Place::File(path), Some(output)) if files::has_extension(path) => return Ok(output),
        (Place::File(path), None) if files::has_extension(path) => {
            return Ok(Place::File(files::without_extension(path)));
        }
        (Place::File(path), named) => match (kind_of(path), named) {
            (Some(Kind::Chunk | Kind::Npy | Kind::Frame | Kind::Carray | Kind::Foreign(_)), Some(output)) => {
                return Ok(output);
            }
            (Some(Kind::Chunk | Kind::Npy | Kind::Frame | Kind::Carray), None) => {
                bail!("input file '{input}' does not end with '{}': name the <out_file>", files::EXTENSION)
            }
            (Some(Kind::Foreign(what)), None) => {
                bail!("input file '{input}' is {what}, which this version cannot read")
            }
            (Some(Kind::Bloscpack | Kind::Ctable) | None, _) => path,
        },
    };
    bail!("input file '{}' does not end with '{}'", path.display(), files::EXTENSION)
}
