//! `blpk verify`: checks files in full.

use super::info::{bcolz_directory, is_ours, zarr_store};
use super::plain_size::{chunk_size, limits};
use crate::args::{DigestArg, VerifyArgs};
use crate::column_advice::ColumnAdvice;
use crate::file_kind::{FileKind, is_container, kind_of_operand};
use crate::inputs::{self, InputFile};
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::size::double_pretty_size;
use crate::streams::{Input, open_source};
use crate::{batch, events, exit, files, names};
use anyhow::{Context as _, Result, bail};
use bloscpack_format::Format;
use bloscpack_format::checksum::{Checksum, Digest};
use bloscpack_io::{AnyDirectory, Archive, Array, Cancel, Digesting, Source, UnpackOptions, bcolz};
use std::io;

/// A run of `blpk verify`.
pub(super) struct Plan {
    items: Vec<Result<InputFile>>,
    memory: Option<u64>,
    /// The checksum of the uncompressed bytes to print or compare.
    digest: Option<DigestArg>,
}

impl Plan {
    pub(super) fn new(args: &VerifyArgs) -> Plan {
        let items = inputs::items(&args.files, args.recursive, is_container);
        Plan { items, memory: args.memory, digest: args.digest.clone() }
    }
}

pub(super) fn run(plan: Plan, session: &Session) -> Result<()> {
    let Plan { items, memory, digest } = plan;
    let cancel = session.cancel();
    session.report.progress().begin(inputs::total(&items));
    batch::each(items, session, &cancel, |item| {
        session.report.progress().file(&item.operand, item.size());
        if item.is_skipped(is_ours) {
            return Ok(());
        }
        let what = verify(&item.operand, memory, session, &cancel)?;
        if let Some(asked) = &digest {
            let found = digest_of(&item.operand, asked.checksum, memory, session, &cancel)?;
            super::digest::check(asked, &found, &item.operand, &plain_name(&item.operand), &session.report)?;
        }
        session.report.normal(format!("{}: ok, {what}", item.operand));
        Ok(())
    })
}

/// Verifies a file. Returns a description of it.
fn verify(operand: &PathOrStdio, memory: Option<u64>, session: &Session, cancel: &Cancel) -> Result<String> {
    let name = || operand.to_string();
    let options = |size: u64, chunk: Option<u64>| -> Result<UnpackOptions> {
        let (limits, chunk) = limits(memory, chunk);
        let threads = session.threads_within(size, memory, chunk)?;
        Ok(UnpackOptions::new().threads(threads).limits(limits).cancel(cancel.clone()))
    };
    let mut chunk = None;
    if *operand != PathOrStdio::Standard {
        if let Some(directory) = bcolz_directory(operand)? {
            return verify_bcolz(
                directory,
                kind_of_operand(operand) == Some(FileKind::Ctable),
                session,
                &options(u64::MAX, None)?,
            );
        }
        if let Some((store, true)) = zarr_store(operand)? {
            return verify_group(&store, session, &options).with_context(name);
        }
        files::one_of_many_must_exist("file", operand, ColumnAdvice::UseOption)?;
        match kind_of_operand(operand) {
            Some(FileKind::Frame) => {
                let archive = Archive::open(open_source(operand, cancel)?).with_context(name)?;
                let chunk = archive.frame().and_then(|frame| u64::try_from(frame.header.chunksize.to_i64()).ok());
                let options = options(archive.nbytes(), chunk.filter(|chunk| *chunk > 0))?;
                let frame = archive.frame().map_or(0, |frame| frame.header.nbytes);
                archive.verify(&options.observe(events::verifying(&session.report, frame))).with_context(name)?;
                return Ok(described(&archive));
            }
            Some(FileKind::Zarr) => {
                let archive = Archive::open(open_source(operand, cancel)?).with_context(name)?;
                return verify_zarr(&archive, &options).with_context(name);
            }
            Some(FileKind::Npy) => {
                let array = Array::open(open_source(operand, cancel)?).with_context(name)?;
                return Ok(format!("NumPy array, {}", double_pretty_size(array.nbytes())));
            }
            _ => chunk = chunk_size(operand),
        }
    }
    let input = Input::open(operand, cancel)?;
    let options = options(input.known_size().unwrap_or(u64::MAX), chunk)?;
    let options = options.observe(events::unpacking(&session.report));
    let found = bloscpack_io::verify(Source::reader(input), &options).with_context(name)?;
    let format = match found.format {
        Format::Blosc2Frame => "contiguous Blosc2 frame".into(),
        Format::Bloscpack { version } => format!("bloscpack version {version}"),
        Format::Blosc2Chunk => "Blosc2 chunk".into(),
        _ => "Blosc1 chunk".into(),
    };
    if matches!(found.format, Format::Blosc2Frame) {
        return Ok(format!("{format}, {}", double_pretty_size(found.nbytes)));
    }
    let chunks = count(found.chunk_positions.len() as u64);
    let trailing = match found.trailing {
        0 => String::new(),
        trailing => format!(", {trailing} unused bytes at the end"),
    };
    Ok(format!("{format}, {chunks}, {}{trailing}", double_pretty_size(found.nbytes)))
}

/// Returns the digest of the uncompressed bytes.
fn digest_of(
    operand: &PathOrStdio,
    checksum: Checksum,
    memory: Option<u64>,
    session: &Session,
    cancel: &Cancel,
) -> Result<Digest> {
    let name = || operand.to_string();
    if *operand == PathOrStdio::Standard {
        bail!("a pipe can be read only once; 'blpk decompress --digest {} - -' prints the digest, too", checksum.name())
    };
    let mut plain = Digesting::new(io::sink(), checksum);
    if kind_of_operand(operand) == Some(FileKind::Npy) {
        let array = Array::open(open_source(operand, cancel)?).with_context(name)?;
        array.archive().unpack(&mut plain, &UnpackOptions::new()).with_context(name)?;
    } else {
        files::one_of_many_must_exist("file", operand, ColumnAdvice::UseOption)?;
        let archive = Archive::open(open_source(operand, cancel)?).with_context(name)?;
        let (limits, chunk) = limits(memory, None);
        let threads = session.threads_within(archive.nbytes(), memory, chunk)?;
        let options = UnpackOptions::new().threads(threads).limits(limits).cancel(cancel.clone());
        archive.unpack(&mut plain, &options).with_context(name)?;
    }
    Ok(plain.finish())
}

/// Returns the name of the uncompressed file.
fn plain_name(operand: &PathOrStdio) -> PathOrStdio {
    match operand {
        PathOrStdio::Standard | PathOrStdio::Url(_) => operand.clone(),
        PathOrStdio::File(path) => PathOrStdio::File(names::without_extension(path)),
    }
}

/// Reports every fault of a bcolz directory. The last one is returned as the error.
fn verify_bcolz(directory: AnyDirectory, is_table: bool, session: &Session, options: &UnpackOptions) -> Result<String> {
    let mut found = bcolz::verify(&directory, options)?;
    let last = found.faults.pop();
    for fault in found.faults {
        session.report.error(&exit::one_line(&fault.into()));
    }
    if let Some(last) = last {
        return Err(last.into());
    }
    let what = match (is_table, found.columns) {
        (true, 1) => "bcolz ctable, 1 column, ".into(),
        (true, columns) => format!("bcolz ctable, {columns} columns, "),
        _ => "bcolz carray, ".to_owned(),
    };
    Ok(format!("{what}{}, {}", count(found.chunks), double_pretty_size(found.nbytes)))
}

/// Verifies a Zarr array.
fn verify_zarr(archive: &Archive<'_>, options: &dyn Fn(u64, Option<u64>) -> Result<UnpackOptions>) -> Result<String> {
    let chunk = archive.zarr().map(|meta| meta.chunk_nbytes());
    archive.verify(&options(archive.nbytes(), chunk)?)?;
    let version = archive.zarr().map_or(0, |meta| meta.version.number());
    let chunks = match archive.stored_files()? {
        Some((stored, _)) => format!("{stored} stored, {}", count(archive.nchunks())),
        None => count(archive.nchunks()),
    };
    Ok(format!("Zarr array of format {version}, {chunks}, {}", double_pretty_size(archive.nbytes())))
}

/// Verifies all arrays of a Zarr group. Reports every damaged one. The last one is returned as the error.
fn verify_group(
    store: &AnyDirectory,
    session: &Session,
    options: &dyn Fn(u64, Option<u64>) -> Result<UnpackOptions>,
) -> Result<String> {
    let arrays = files::arrays_of(store)?;
    let mut last = None;
    for array in &arrays {
        let archive = files::array_of(store, array);
        if let Err(error) = archive.and_then(|archive| verify_zarr(&archive, options))
            && let Some(before) = last.replace(error)
        {
            session.report.error(&exit::one_line(&before));
        }
    }
    match last {
        Some(error) => Err(error),
        None if arrays.len() == 1 => Ok("Zarr group, 1 array".into()),
        None => Ok(format!("Zarr group, {} arrays", arrays.len())),
    }
}

/// Describes a frame.
fn described(archive: &Archive<'_>) -> String {
    let array = if archive.array().is_some() { "array in a " } else { "" };
    let kind = if archive.format() == Format::SparseFrame { "sparse" } else { "contiguous" };
    let chunks = count(archive.nchunks());
    format!("{array}{kind} Blosc2 frame, {chunks}, {}", double_pretty_size(archive.nbytes()))
}

fn count(chunks: u64) -> String {
    if chunks == 1 { "1 chunk".into() } else { format!("{chunks} chunks") }
}
