//! `blpk info`: what a file is and what it holds, as text like the original's or as JSON.

use super::{bcolz_info, chunk, frame_info, wording};
use crate::args::InfoArgs;
use crate::describe::{chunk_flags, chunk_header, header_block, metadata_header_block, ordered_dict};
use crate::inputs::{self, Item};
use crate::json::{Object, number, text};
use crate::kind::{Kind, is_container, kind_of, kind_of_file};
use crate::names::has_our_name;
use crate::npy::Npy;
use crate::place::Place;
use crate::pprint::pformat;
use crate::report::Report;
use crate::session::Session;
use crate::size::double_pretty_size;
use crate::streams::open_source;
use crate::{batch, describe, events, files};
use anyhow::{Context as _, Result, anyhow, bail};
use blosc_core::OutOfMemory;
use bloscpack_format::Json;
use bloscpack_format::bloscpack::Header;
use bloscpack_format::numpy::Order;
use bloscpack_io::{Archive, Cancel, LocalSource, ReadAt};
use std::fs::File;
use std::path::Path;
use walkdir::WalkDir;

/// A run of `blpk info`.
pub(super) struct Plan {
    items: Vec<Result<Item>>,
    /// There may be several files: each is described with its name.
    are_many: bool,
    as_json: bool,
}

impl Plan {
    pub(super) fn new(args: &InfoArgs) -> Plan {
        let items = inputs::items(&args.files, args.recursive, is_container);
        Plan { are_many: items.len() > 1 || args.recursive, items, as_json: args.json }
    }
}

pub(super) fn run(plan: Plan, session: &Session) -> Result<()> {
    let Plan { items, are_many, as_json } = plan;
    let report = &session.report;
    // Nothing has to be removed: a signal may end it at once.
    let cancel = Cancel::new();
    batch::each(items, session, &cancel, |item| {
        if item.is_skipped(is_ours) {
            return Ok(());
        }
        one(&item.place, as_json, are_many, report, &cancel)?;
        report.verbose("done");
        Ok(())
    })
}

/// Whether what lies in a directory can be described, or is by its name to be.
pub(super) fn is_ours(path: &Path) -> bool {
    kind_of(path).map_or_else(|| has_our_name(path) && !is_container(path), |kind| !matches!(kind, Kind::Foreign(_)))
}

/// Describes a file. With a name, if there are others.
fn one(place: &Place, json: bool, many: bool, report: &Report, cancel: &Cancel) -> Result<()> {
    let name = many.then(|| place.name());
    let title = || {
        if many && !json {
            report.normal(format!("{place}:"));
        }
    };
    let print = |object: Object| -> Result<()> {
        report.raw(&sized(object, place).with_name(name.as_deref()).line()?);
        Ok(())
    };
    if let Some(path) = bcolz(place) {
        if json {
            return bcolz_info::object(path).and_then(print);
        }
        title();
        return bcolz_info::print(path, report);
    }
    let (source, kind) = open(place, cancel)?;
    let kind = kind.ok_or_else(|| anyhow!("{}", wording::not_bloscpack(source.file(), place)))?;
    title();
    let described = match kind {
        Kind::Chunk => chunk::info(source.file(), json, name.as_deref(), report),
        kind if json => json_of(source, kind).and_then(print),
        Kind::Frame => {
            Archive::open(source).map_err(Into::into).and_then(|archive| frame_info::print(&archive, report))
        }
        Kind::Npy => npy(source.into_file(), report),
        _ => bloscpack(source.file(), report),
    };
    described.map_err(|error| worded(error, place))
}

/// The directory, if it is one of bcolz.
pub(super) fn bcolz(place: &Place) -> Option<&Path> {
    let Place::File(path) = place else { return None };
    (path.is_dir() && matches!(kind_of(path), Some(Kind::Carray | Kind::Ctable))).then_some(path)
}

/// What the metadata of a file that is no chunk says, as an object.
pub(super) fn json_of(source: LocalSource, kind: Kind) -> Result<Object> {
    Ok(match kind {
        Kind::Frame => frame_info::object(&Archive::open(source)?)?,
        Kind::Npy => npy_json(&Npy::open(source.into_file())?)?,
        _ => {
            let archive = Archive::open(source)?;
            let header = archive.header().context("the file has no header")?;
            bloscpack_json(&archive, header)?
        }
    })
}

/// With the sizes that count to a user: what `decompress` gives, unless the object says it itself, and what is on the disk.
pub(super) fn sized(object: Object, place: &Place) -> Object {
    let plain = object.get("plain_nbytes").or(object.get("nbytes")).cloned();
    let object = match object.get("plain_nbytes") {
        Some(_) => object,
        None => object.with("plain_nbytes", plain.unwrap_or(Json::Null)),
    };
    let stored = match place {
        Place::File(path) => stored_nbytes(path),
        Place::Standard => None,
    };
    object.with("stored_nbytes", stored.map_or(Json::Null, number))
}

/// Bytes of a file, or of all files in a directory.
fn stored_nbytes(path: &Path) -> Option<u64> {
    let files = WalkDir::new(path).follow_root_links(true).into_iter().filter_map(Result::ok);
    let sizes = files.filter_map(|entry| entry.metadata().ok()).filter(|found| found.is_file());
    Some(sizes.map(|found| found.len()).fold(0, u64::saturating_add))
}

/// Opens a file, and says what it is, if that is known.
pub(super) fn open(place: &Place, cancel: &Cancel) -> Result<(LocalSource, Option<Kind>)> {
    if let Place::File(path) = place {
        files::input_must_exist("file", path)?;
    }
    let source = open_source(place, cancel)?;
    match kind_of_file(source.file()) {
        Some(Kind::Foreign(what)) => bail!("file '{place}' is {what}, which this version cannot read"),
        kind => Ok((source, kind)),
    }
}

/// In the words of the original, where it has some.
pub(super) fn worded(error: anyhow::Error, place: &Place) -> anyhow::Error {
    match error.downcast_ref().and_then(wording::of_reference) {
        Some(wording) => anyhow!("{wording}. This might not be a bloscpack compressed file: '{place}'"),
        None => error.context(place.to_string()),
    }
}

fn bloscpack(file: &File, report: &Report) -> Result<()> {
    let archive = Archive::open(file)?;
    let header = archive.header().context("the file has no header")?;
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
        report.normal(pformat(metadata)?);
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

fn bloscpack_json<R: ReadAt>(archive: &Archive<R>, header: &Header) -> Result<Object> {
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
        object = object.with_array(array)?;
    }
    Ok(match archive.metadata() {
        Some(metadata) => object.with("metadata", metadata.try_clone()?),
        None => object,
    })
}

/// The 16 bytes that the first chunk starts with.
fn first_chunk(file: &File, position: u64) -> Result<[u8; 16]> {
    let mut header = [0; 16];
    let cut = || format!("offset {position}: the file ends within the header of the first chunk");
    file.read_exact_at(position, &mut header).with_context(cut)?;
    Ok(header)
}

fn npy(file: File, report: &Report) -> Result<()> {
    let array = Npy::open(file)?;
    let meta = array.meta();
    let shape: Vec<String> = meta.shape.iter().map(u64::to_string).collect();
    let fields = [
        ("dtype", meta.dtype.to_descr()?),
        ("shape", format!("[{}]", shape.join(", "))),
        ("order", if meta.order == Order::C { "'C'" } else { "'F'" }.into()),
        ("nbytes", double_pretty_size(array.nbytes())),
    ];
    report.normal(describe::block("NumpyArray", &fields));
    Ok(())
}

fn npy_json(array: &Npy) -> Result<Object, OutOfMemory> {
    Object::new("npy")
        .with("nbytes", number(array.nbytes()))
        .with("cbytes", number(array.len()))
        .with("typesize", number(array.meta().dtype.itemsize()))
        .with("nchunks", number(0))
        .with_array(array.meta())
}
