//! `blpk info`: what a file is and what it holds, as text like the original's or as JSON.

use super::{bcolz_info, chunk, frame_info};
use crate::args::InfoArgs;
use crate::describe::{chunk_flags, chunk_header, header_block, metadata_header_block, ordered_dict};
use crate::json::{Object, number, text};
use crate::kind::{Kind, kind_of, kind_of_file, prefix};
use crate::npy::Npy;
use crate::pprint::pformat;
use crate::report::Report;
use crate::session::Session;
use crate::size::double_pretty_size;
use crate::streams::{Place, open_source};
use crate::{describe, events, files};
use anyhow::{Context as _, Result, anyhow, bail};
use bloscpack_format::bloscpack::Header;
use bloscpack_format::numpy::Order;
use bloscpack_format::{FormatError, Json, python_bytes_repr};
use bloscpack_io::{Archive, Error, ReadAt as _};
use std::fs::File;

pub(super) fn run(args: &InfoArgs, session: &Session) -> Result<()> {
    let (report, place) = (&session.report, Place::from(args.file.clone()));
    if let Place::File(path) = &place {
        if path.is_dir() && matches!(kind_of(path), Some(Kind::Carray | Kind::Ctable)) {
            bcolz_info::run(path, args.json, report)?;
            report.verbose("done");
            return Ok(());
        }
        files::must_exist("file", path)?;
    }
    let source = open_source(&place)?;
    let kind = kind_of_file(source.file());
    if kind == Some(Kind::Frame) {
        frame_info::run(source, args.json, report).with_context(|| place.to_string())?;
        report.verbose("done");
        return Ok(());
    }
    let file = source.into_file();
    let text = match kind {
        Some(Kind::Foreign(what)) => bail!("file '{place}' is {what}, which this version cannot read"),
        Some(Kind::Chunk) => chunk::info(&file, args.json, report),
        Some(Kind::Npy) => npy(file, args.json, report),
        Some(Kind::Bloscpack) => bloscpack(&file, args.json, report),
        Some(Kind::Frame | Kind::Carray | Kind::Ctable) | None => {
            return Err(anyhow!("{}", not_bloscpack(&file, &place)));
        }
    };
    text.map_err(|error| match error.downcast_ref().and_then(reference_wording) {
        Some(wording) => anyhow!("{wording}. This might not be a bloscpack compressed file: '{place}'"),
        None => error.context(place.to_string()),
    })?;
    report.verbose("done");
    Ok(())
}

fn bloscpack(file: &File, json: bool, report: &Report) -> Result<()> {
    let archive = Archive::open(file)?;
    let header = archive.header().context("the file has no header")?;
    if json {
        report.raw(&bloscpack_json(&archive, header).line());
        return Ok(());
    }
    // Read before anything is printed, so that what is printed is all.
    let first = match archive.chunk_position(0) {
        Some(position) => Some(first_chunk(file, position)?),
        None => None,
    };
    events::header_read(report, header);
    if let Some(header) = archive.metadata_header() {
        events::metadata_read(report, header);
    }
    report.normal(header_block(header));
    if !archive.offsets().is_empty() {
        let first: Vec<String> = archive.offsets().iter().take(5).map(i64::to_string).collect();
        report.normal("'offsets':");
        report.normal(format!("[{},...]", first.join(",")));
    }
    if let Some(metadata) = archive.metadata().filter(|metadata| **metadata != Json::Null) {
        report.normal("Metadata:");
        report.normal(pformat(metadata));
        if let Some(header) = archive.metadata_header() {
            report.normal(metadata_header_block(header));
        }
    }
    if let Some(first) = first {
        report.normal("First chunk blosc header:");
        report.normal(ordered_dict(&chunk_header(&first)));
        report.normal("First chunk blosc flags: ");
        report.normal(ordered_dict(&chunk_flags(first[2])));
    }
    Ok(())
}

fn bloscpack_json<R: bloscpack_io::ReadAt>(archive: &Archive<R>, header: &Header) -> Object {
    let size = |size: Option<u32>| size.map_or(Json::Null, |size| number(size.into()));
    let mut object = Object::new("bloscpack")
        .with("version", number(header.version.number().into()))
        .with("nbytes", number(archive.nbytes()))
        .with("cbytes", number(archive.cbytes()))
        .with("typesize", number(archive.typesize() as u64))
        .with("nchunks", number(archive.nchunks()))
        .with("chunk_size", size(header.chunk_size))
        .with("last_chunk", size(header.last_chunk))
        .with("max_app_chunks", number(header.max_app_chunks))
        .with("offsets", Json::Bool(header.offsets))
        .with("checksum", text(header.checksum.name()));
    if let Some(array) = archive.numpy() {
        object = object.with_array(array);
    }
    match archive.metadata() {
        Some(metadata) => object.with("metadata", metadata.clone()),
        None => object,
    }
}

/// The 16 bytes that the first chunk starts with.
fn first_chunk(file: &File, position: u64) -> Result<[u8; 16]> {
    let mut header = [0; 16];
    let cut = || format!("offset {position}: the file ends within the header of the first chunk");
    file.read_exact_at(position, &mut header).with_context(cut)?;
    Ok(header)
}

fn npy(file: File, json: bool, report: &Report) -> Result<()> {
    let array = Npy::open(file)?;
    let meta = array.meta();
    if json {
        let object = Object::new("npy")
            .with("nbytes", number(array.nbytes()))
            .with("cbytes", number(array.len()))
            .with("typesize", number(meta.dtype.itemsize()))
            .with("nchunks", number(0))
            .with_array(meta);
        report.raw(&object.line());
        return Ok(());
    }
    let shape: Vec<String> = meta.shape.iter().map(u64::to_string).collect();
    let fields = [
        ("dtype", meta.dtype.to_descr()),
        ("shape", format!("[{}]", shape.join(", "))),
        ("order", if meta.order == Order::C { "'C'" } else { "'F'" }.into()),
        ("nbytes", double_pretty_size(array.nbytes())),
    ];
    report.normal(describe::block("NumpyArray", &fields));
    Ok(())
}

/// What the original says of a file that is nothing it knows, on one line.
fn not_bloscpack(file: &File, place: &Place) -> String {
    let found = prefix(file, Header::MAX_LEN).unwrap_or_default();
    let what = if found.len() < Header::MAX_LEN {
        format!("attempting to decode a bloscpack header of length '{}', not '{}'", found.len(), Header::MAX_LEN)
    } else {
        let found = python_bytes_repr(found.get(..4).unwrap_or_default());
        format!("the magic marker b'blpk' is missing from the bloscpack header, instead we found: {found}")
    };
    format!("{what}. This might not be a bloscpack compressed file: '{place}'")
}

/// What the original says of a header that cannot be, with the place, which it does not say.
fn reference_wording(error: &Error) -> Option<String> {
    let Error::Format(error) = error else { return None };
    Some(match error {
        FormatError::OutOfRange { offset, field, value, min, max, .. } => {
            format!("'{field}' must be in the range {min} <= n <= {max}, not '{value}' (offset {offset})")
        }
        FormatError::LastChunkTooLarge { last_chunk, chunk_size } => {
            format!("'last_chunk' ({last_chunk}) is larger than 'chunk_size' ({chunk_size}) (offset 12)")
        }
        FormatError::UnknownChunkCount { max_app_chunks } if *max_app_chunks > 0 => {
            "'max_app_chunks' can not be non '0' if 'nchunks' is '-1' (offset 16)".into()
        }
        FormatError::UnsupportedVersion { found } => {
            format!("format version of file was not '3' as expected, but '{found}' (offset 4)")
        }
        FormatError::Truncated { part: bloscpack_format::Part::Header, needed, found } => {
            format!("attempting to decode a bloscpack header of length '{found}', not '{needed}'")
        }
        _ => return None,
    })
}
