//! `blpk chunk`: one bare chunk, encoded, decoded, described.

use super::settings::in_range;
use crate::args::{ChunkCommand, ChunkDecodeArgs, ChunkEncodeArgs, ChunkFormat, ChunkInfoArgs, FilterName};
use crate::describe::{block, boolean, codec_name};
use crate::files;
use crate::json::{Object, number, text};
use crate::kind::prefix;
use crate::report::Report;
use crate::session::Session;
use crate::size::double_pretty_size;
use crate::streams::{Input, Output, Place, open_seekable};
use anyhow::{Context as _, Result, bail};
use blosc_core::{BlockSize, CParams, Chunk, Codec, Decoder, Encoder, Filter, FilterPipeline, Header, Parallelism};
use bloscpack_format::{Format, Json, detect, python_str_repr};
use bloscpack_io::{ReadAt as _, Threads};
use std::cmp::Ordering;
use std::fs::File;
use std::io::Write as _;

pub(super) fn run(command: &ChunkCommand, session: &Session) -> Result<()> {
    match command {
        ChunkCommand::Encode(args) => encode(args, session),
        ChunkCommand::Decode(args) => decode(args, session),
        ChunkCommand::Info(args) => describe(args, session),
    }
}

fn encode(args: &ChunkEncodeArgs, session: &Session) -> Result<()> {
    let (input, output) = (Place::from(args.in_file.clone()), Place::from(args.out_file.clone()));
    let params = params(args)?;
    files::check(&input, &output, session)?;
    let cancel = session.cancel()?;
    let plain = Input::open(&input, &cancel)?.read_all(Header::MAX_NBYTES as u64).with_context(|| input.to_string())?;
    let mut output = Output::create(&output, session.force)?;
    let mut encoder = Encoder::new(params)?.parallelism(Parallelism::Ambient);
    let chunk = match session.threads(plain.len() as u64)? {
        Threads::Pool(pool) => pool.install(|| encoder.compress(&plain))?,
        _ => encoder.parallelism(Parallelism::Serial).compress(&plain)?,
    };
    output.write_all(&chunk).context("writing the output")?;
    output.commit()
}

fn params(args: &ChunkEncodeArgs) -> Result<CParams> {
    if args.format == Some(ChunkFormat::Blosc2) {
        bail!("--format blosc2 cannot be written by this version; use blosc1");
    }
    if args.dict {
        bail!("--dict needs a Blosc2 chunk, which this version cannot write");
    }
    let typesize = args.typesize.as_ref().map(|typesize| in_range("typesize", typesize, u8::MAX)).transpose()?;
    let params = CParams::new()
        .codec(args.codec.unwrap_or(Codec::BloscLz))
        .clevel(args.clevel.unwrap_or(7))
        .typesize(typesize.unwrap_or(8).into())
        .filters(pipeline(&args.filters)?)
        .blocksize(args.blocksize.filter(|size| *size > 0).map_or(BlockSize::Auto, BlockSize::Fixed));
    Ok(args.splitmode.map_or(params.clone(), |split| params.split(split)))
}

/// A Blosc1 chunk has one filter or none.
fn pipeline(names: &[FilterName]) -> Result<FilterPipeline> {
    let mut pipeline = if names.is_empty() { FilterPipeline::shuffle() } else { FilterPipeline::none() };
    for filter in names.iter().filter(|filter| filter.name != "none") {
        if !pipeline.as_slice().is_empty() {
            bail!("--filter: a Blosc1 chunk has one of shuffle and bitshuffle, or no filter");
        }
        pipeline = match filter.name {
            "shuffle" => FilterPipeline::shuffle(),
            "bitshuffle" => FilterPipeline::bitshuffle(),
            name => bail!("--filter {name} needs a Blosc2 chunk, which this version cannot write"),
        };
        if filter.meta.is_some_and(|meta| meta != 0) {
            bail!("--filter {}: takes no meta value in a Blosc1 chunk", filter.name);
        }
    }
    Ok(pipeline)
}

fn decode(args: &ChunkDecodeArgs, session: &Session) -> Result<()> {
    let (input, output) = (Place::from(args.in_file.clone()), Place::from(args.out_file.clone()));
    files::check(&input, &output, session)?;
    let cancel = session.cancel()?;
    let bytes = Input::open(&input, &cancel)?.read_all(i32::MAX as u64).with_context(|| input.to_string())?;
    let mut output = Output::create(&output, session.force)?;
    let chunk = parse(&bytes).with_context(|| input.to_string())?;
    let mut decoder = Decoder::new().parallelism(Parallelism::Ambient);
    let plain = match session.threads(chunk.header().nbytes() as u64)? {
        Threads::Pool(pool) => pool.install(|| decoder.decompress(&chunk)),
        _ => decoder.parallelism(Parallelism::Serial).decompress(&chunk),
    };
    output.write_all(&plain.with_context(|| input.to_string())?).context("writing the output")?;
    output.commit()
}

/// The chunk that `bytes` are, all of them.
fn parse(bytes: &[u8]) -> Result<Chunk<'_>> {
    parse_header(bytes, bytes.len() as u64)?;
    Ok(Chunk::parse(bytes)?)
}

/// The header of a chunk that is all of a file of `len` bytes.
fn parse_header(head: &[u8], len: u64) -> Result<Header> {
    match detect(head, Some(len)) {
        Some(format) if format != Format::Blosc1Chunk => bail!("this is {format}, not a bare Blosc1 chunk"),
        _ => {}
    }
    let header = Header::parse(head)?;
    match (header.cbytes() as u64).cmp(&len) {
        Ordering::Equal => Ok(header),
        Ordering::Less => {
            bail!("offset {}: the chunk ends here, but {} bytes follow", header.cbytes(), len - header.cbytes() as u64)
        }
        Ordering::Greater => bail!("the chunk has {} bytes, only {len} are there; it is cut off", header.cbytes()),
    }
}

fn describe(args: &ChunkInfoArgs, session: &Session) -> Result<()> {
    let place = Place::from(args.file.clone());
    if let Place::File(path) = &place {
        files::must_exist("file", path)?;
    }
    let file = open_seekable(&place)?;
    info(&file, args.json, &session.report).with_context(|| place.to_string())
}

/// Describes a file that is one chunk, of which only the header and the block starts are read.
pub(super) fn info(file: &File, json: bool, report: &Report) -> Result<()> {
    let head = prefix(file, Header::LEN).context("reading the chunk")?;
    let len = file.len().context("reading the chunk")?;
    let header = parse_header(&head, len)?;
    let bstarts = bstarts(file, &header)?;
    let filter = match header.filters().as_slice() {
        [] => "none",
        [Filter::Shuffle] => "shuffle",
        [Filter::BitShuffle] => "bitshuffle",
        _ => "unknown",
    };
    let codec = codec_name(header.flags());
    if json {
        let starts = Json::Array(bstarts.iter().map(|start| Json::Int(i64::from(*start))).collect());
        let object = Object::new("chunk")
            .with("version", number(header.version().into()))
            .with("nbytes", number(header.nbytes() as u64))
            .with("cbytes", number(header.cbytes() as u64))
            .with("typesize", number(header.typesize() as u64))
            .with("nchunks", number(1))
            .with("versionlz", number(header.versionlz().into()))
            .with("flags", number(header.flags().into()))
            .with("blocksize", number(header.blocksize() as u64))
            .with("nblocks", number(header.nblocks() as u64))
            .with("codec", text(codec))
            .with("filters", Json::Array(if filter == "none" { vec![] } else { vec![text(filter)] }))
            .with("split", Json::Bool(header.is_split()))
            .with("memcpyed", Json::Bool(header.is_memcpyed()))
            .with("bstarts", starts);
        report.raw(&object.line());
        return Ok(());
    }
    let fields = [
        ("version", header.version().to_string()),
        ("versionlz", header.versionlz().to_string()),
        ("flags", format!("'{:08b}'", header.flags())),
        ("typesize", header.typesize().to_string()),
        ("nbytes", double_pretty_size(header.nbytes() as u64)),
        ("blocksize", double_pretty_size(header.blocksize() as u64)),
        ("cbytes", double_pretty_size(header.cbytes() as u64)),
        ("codec", python_str_repr(codec)),
        ("filter", python_str_repr(filter)),
        ("split", boolean(header.is_split())),
        ("memcpyed", boolean(header.is_memcpyed())),
        ("nblocks", header.nblocks().to_string()),
    ];
    report.normal(block("BloscHeader", &fields));
    if !bstarts.is_empty() {
        let starts: Vec<String> = bstarts.iter().map(i32::to_string).collect();
        report.normal("'bstarts':");
        report.normal(format!("[{}]", starts.join(",")));
    }
    Ok(())
}

/// Where the blocks start, as the chunk says; a memcpyed chunk does not.
fn bstarts(file: &File, header: &Header) -> Result<Vec<i32>> {
    const BSTART_LEN: usize = 4;
    if header.is_memcpyed() {
        return Ok(Vec::new());
    }
    let room = (header.cbytes() - Header::LEN) / BSTART_LEN;
    if header.nblocks() > room {
        bail!("offset 8: {} blocks, but there is room for the starts of {room}", header.nblocks());
    }
    let mut table = vec![0; header.nblocks() * BSTART_LEN];
    file.read_exact_at(Header::LEN as u64, &mut table).context("reading the chunk")?;
    let (starts, _) = table.as_chunks();
    Ok(starts.iter().copied().map(i32::from_le_bytes).collect())
}
