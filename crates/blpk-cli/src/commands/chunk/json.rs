//! A chunk as JSON: one object on one line, which may be long and is printed in pieces.

use crate::json::{Object, number, text};
use crate::report::Report;
use anyhow::Result;
use blosc_core::{Codec, Filter, Header, Stream, StreamKind};
use bloscpack_format::Json;
use bloscpack_io::describe::{Block, Contents, codec_name};

/// Number of numbers printed at a time.
const PIECE: usize = 4096;

pub(super) fn print(header: &Header, contents: &Contents<'_>, name: Option<&str>, report: &Report) -> Result<()> {
    report.raw(&header_object(header, contents).with_name(name).open()?);
    match contents {
        Contents::Lazy(lazy) => {
            numbers("bstarts", lazy.bstarts().iter().map(|start| i64::from(*start)), report);
            numbers("block_csizes", lazy.block_csizes().iter().map(|csize| i64::from(*csize)), report);
        }
        Contents::Chunk { bstarts, .. } => {
            numbers("bstarts", bstarts.iter().map(|start| *start as i64), report);
            report.raw(",\"blocks\":[");
            for (index, block) in contents.blocks().enumerate() {
                let comma = if index == 0 { "" } else { "," };
                report.raw(&format!("{comma}{}", block_object(block?).dumps()?));
                if report.is_broken() {
                    break;
                }
            }
            report.raw("]");
        }
    }
    report.raw("}\n");
    Ok(())
}

/// Returns the fields that every header has.
pub(super) fn of_header(header: &Header) -> Object {
    let filters = header.filters();
    let filters = filters.as_slice();
    let list = |items: Vec<Json>| Json::Array(items);
    Object::new("chunk")
        .with("version", number(header.version().into()))
        .with("nbytes", number(header.nbytes() as u64))
        .with("cbytes", number(header.cbytes() as u64))
        .with("typesize", number(header.typesize() as u64))
        .with("nchunks", number(1))
        .with("versionlz", number(header.versionlz().into()))
        .with("flags", number(header.flags().into()))
        .with("blocksize", number(header.blocksize() as u64))
        .with("nblocks", number(header.nblocks() as u64))
        .with("codec", text(&codec_name(header)))
        .with("filters", list(filters.iter().map(|filter| text(&filter_name(*filter))).collect()))
        .with("filters_meta", list(filters.iter().map(|filter| Json::Int(meta(*filter))).collect()))
        .with("split", Json::Bool(header.is_split()))
        .with("memcpyed", Json::Bool(header.is_memcpyed()))
}

fn header_object(header: &Header, contents: &Contents<'_>) -> Object {
    let optional = |value: Option<u64>| value.map_or(Json::Null, number);
    let mut object = of_header(header);
    if header.len() == Header::EXTENDED_LEN {
        let codec_id = match header.codec() {
            Some(Codec::Plugin { id, .. }) => Some(id.into()),
            _ => None,
        };
        object = object
            .with("codec_id", optional(codec_id))
            .with("codec_meta", number(header.codec_meta().into()))
            .with("blosc2_flags", number(header.blosc2_flags().into()))
            .with("blosc2_flags2", number(header.blosc2_flags2().into()))
            .with("special", header.special_value().map_or(Json::Null, |special| text(special.name())))
            .with("dictionary", optional(contents.dictionary()))
            .with("lazy", Json::Bool(matches!(contents, Contents::Lazy(_))))
            .with("vl_blocks", Json::Bool(header.has_vl_blocks()))
            .with("instrumented", Json::Bool(header.is_instrumented()));
        if let Some(value) = contents.value() {
            object = object.with("value", text(&value.iter().map(|byte| format!("{byte:02x}")).collect::<String>()));
        }
    }
    match contents {
        Contents::Lazy(lazy) => {
            object.with("nchunk", Json::Int(lazy.nchunk().into())).with("offset", Json::Int(lazy.offset()))
        }
        Contents::Chunk { .. } => object,
    }
}

/// Returns the name that `--filter` takes, or the number of a filter without such a name.
fn filter_name(filter: Filter) -> String {
    match filter {
        Filter::Other { id, .. } => format!("{}({id})", filter.name()),
        filter => filter.name().into(),
    }
}

/// Returns the meta value as `--filter` takes it: signed if it counts bits to keep or to drop.
fn meta(filter: Filter) -> i64 {
    match filter {
        Filter::TruncPrec(bits) | Filter::IntTrunc(bits) => bits.into(),
        filter => filter.meta().into(),
    }
}

/// Prints `,"name":[1,2,…]`.
fn numbers(name: &str, mut numbers: impl Iterator<Item = i64>, report: &Report) {
    report.raw(&format!(",\"{name}\":["));
    let mut comma = "";
    loop {
        let piece: Vec<_> = numbers.by_ref().take(PIECE).map(|number| number.to_string()).collect();
        if piece.is_empty() || report.is_broken() {
            break;
        }
        report.raw(&format!("{comma}{}", piece.join(",")));
        comma = ",";
    }
    report.raw("]");
}

fn block_object(block: Block) -> Object {
    let streams = block.streams.into_iter().map(|stream| stream_object(stream).into_json()).collect();
    Object::inner()
        .with("bstart", number(block.bstart))
        .with("nbytes", number(block.nbytes))
        .with("streams", Json::Array(streams))
}

fn stream_object(stream: Stream) -> Object {
    let kind = match stream.kind {
        StreamKind::Run(0) => "zeros",
        StreamKind::Run(_) => "run",
        StreamKind::Stored => "stored",
        _ => "compressed",
    };
    let object = Object::inner()
        .with("kind", text(kind))
        .with("offset", number(stream.offset as u64))
        .with("cbytes", number(stream.cbytes as u64))
        .with("nbytes", number(stream.nbytes as u64));
    match stream.kind {
        StreamKind::Run(value) => object.with("value", number(value.into())),
        _ => object,
    }
}
