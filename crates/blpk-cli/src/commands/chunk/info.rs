//! `blpk chunk info`: what is in a chunk, found without decoding anything?

use super::{check_len, is_lazy, json, parse_header, text};
use crate::args::ChunkInfoArgs;
use crate::files;
use crate::json::Object;
use crate::kind::prefix;
use crate::report::Report;
use crate::session::Session;
use crate::streams::{Place, open_seekable};
use anyhow::{Context as _, Result};
use blosc_core::{Chunk, Codec, DecodeError, Header, LazyChunk, Stream, StreamKind};
use bloscpack_io::{Cancel, ReadAt as _, memory};
use std::fs::File;

pub(super) fn run(args: &ChunkInfoArgs, session: &Session) -> Result<()> {
    let place = Place::from(args.file.clone());
    if let Place::File(path) = &place {
        files::must_exist("file", path)?;
    }
    let file = open_seekable(&place, &Cancel::new())?;
    info(&file, args.json, None, &session.report).with_context(|| place.to_string())
}

/// Describes a file that is one chunk. Everything is looked at before anything is printed, one block at a time: a few
/// bytes can name very many streams.
pub(in crate::commands) fn info(file: &File, as_json: bool, name: Option<&str>, report: &Report) -> Result<()> {
    let head = prefix(file, Header::EXTENDED_LEN).context("reading the chunk")?;
    let len = file.len().context("reading the chunk")?;
    let header = parse_header(&head, len)?;
    if is_lazy(&header) {
        // Header, block starts and block sizes, 4 bytes a block each, chunk number and offset.
        check_len((header.len() + 8 * header.nblocks() + 12) as u64, len)?;
    }
    // A chunk has less than 2 GiB, a lazy one 12 times as much at most, and both are found to be there.
    let mut bytes = memory::zeroed(usize::try_from(len)?)?;
    file.read_exact_at(0, &mut bytes).context("reading the chunk")?;
    let contents = match is_lazy(&header) {
        true => Contents::Lazy(LazyChunk::parse(&bytes)?),
        false => {
            let chunk = Chunk::parse(&bytes)?;
            Contents::Chunk { chunk, bstarts: chunk.bstarts()? }
        }
    };
    let counts = contents.count()?;
    // Its block size is the one in use, which the bytes of the header need not say.
    let header = match &contents {
        Contents::Chunk { chunk, .. } => *chunk.header(),
        Contents::Lazy(_) => header,
    };
    match as_json {
        true => json::print(&header, &contents, name, report),
        false => text::print(&header, &contents, &counts, report),
    }
}

/// What the header of such a file says, as an object. Nothing else is read.
pub(in crate::commands) fn header_json(file: &File) -> Result<Object> {
    let head = prefix(file, Header::EXTENDED_LEN).context("reading the chunk")?;
    let header = parse_header(&head, file.len().context("reading the chunk")?)?;
    Ok(json::of_header(&header))
}

/// What follows the header.
pub(super) enum Contents<'a> {
    /// Without block starts if there are no blocks: plain bytes, or a special value.
    Chunk {
        chunk: Chunk<'a>,
        bstarts: Vec<usize>,
    },
    Lazy(LazyChunk),
}

/// A block as it is stored.
pub(super) struct Block {
    /// Where it starts in the chunk.
    pub(super) bstart: u64,
    /// Plain bytes.
    pub(super) nbytes: u64,
    pub(super) streams: Vec<Stream>,
}

/// How many streams there are of each kind.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) compressed: u64,
    pub(super) stored: u64,
    pub(super) zeros: u64,
    pub(super) runs: u64,
}

impl Contents<'_> {
    /// The blocks in order.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Result<Block, DecodeError>> {
        let (chunk, bstarts) = match self {
            Contents::Chunk { chunk, bstarts } => (Some(chunk), bstarts.as_slice()),
            Contents::Lazy(_) => (None, [].as_slice()),
        };
        chunk.into_iter().flat_map(move |chunk| {
            bstarts.iter().enumerate().map(move |(index, bstart)| {
                let streams = chunk.streams(index)?;
                // Adding up all blocks before, for every block, would take too long where lengths vary.
                let nbytes = match chunk.header().has_vl_blocks() {
                    true => streams.iter().map(|stream| stream.nbytes).sum(),
                    false => chunk.block_range(index).len(),
                };
                Ok(Block { bstart: *bstart as u64, nbytes: nbytes as u64, streams })
            })
        })
    }

    /// Counts the streams, and finds those that reach out of the chunk.
    fn count(&self) -> Result<Counts, DecodeError> {
        let mut counts = Counts::default();
        for block in self.blocks() {
            for stream in block?.streams {
                match stream.kind {
                    StreamKind::Stored => counts.stored += 1,
                    StreamKind::Run(0) => counts.zeros += 1,
                    StreamKind::Run(_) => counts.runs += 1,
                    _ => counts.compressed += 1,
                }
            }
        }
        Ok(counts)
    }

    /// The value that a special chunk repeats; empty for zeros.
    pub(super) fn value(&self) -> Option<&[u8]> {
        match self {
            Contents::Chunk { chunk, .. } => chunk.repeated_value(),
            Contents::Lazy(_) => None,
        }
    }

    /// Bytes of the dictionary.
    pub(super) fn dictionary(&self) -> Option<u64> {
        match self {
            Contents::Chunk { chunk, .. } => chunk.dictionary().map(|dictionary| dictionary.len() as u64),
            Contents::Lazy(_) => None,
        }
    }
}

/// The codec's name, with its number if that is all that is known. A chunk without streams may name none.
pub(super) fn codec_name(header: &Header) -> String {
    match header.codec() {
        Some(codec @ Codec::Plugin { id, .. }) if matches!(codec.name(), "user" | "unknown") => {
            format!("{}({id})", codec.name())
        }
        codec => codec.map_or("unknown", Codec::name).into(),
    }
}
