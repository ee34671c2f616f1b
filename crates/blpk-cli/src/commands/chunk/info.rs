//! `blpk chunk info`: the contents of a chunk, found without decoding.

use super::header::{check_len, is_lazy, parse_header};
use super::json;
use crate::args::ChunkInfoArgs;
use crate::column_advice::ColumnAdvice;
use crate::files;
use crate::json::Object;
use crate::path_or_stdio::PathOrStdio;
use crate::report::Report;
use crate::session::Session;
use crate::streams::open_seekable;
use anyhow::{Context as _, Result};
use blosc_core::{Chunk, Header, LazyChunk};
use bloscpack_io::describe::{self, Contents};
use bloscpack_io::peek::prefix;
use bloscpack_io::{Cancel, ReadAt, memory};

/// A run of `blpk chunk info`.
pub(in crate::commands) struct Plan {
    operand: PathOrStdio,
    as_json: bool,
}

impl Plan {
    pub(super) fn new(args: &ChunkInfoArgs) -> Result<Plan> {
        let operand = PathOrStdio::from(args.file.clone());
        files::operand_must_exist("file", &operand, ColumnAdvice::ConvertFirst)?;
        Ok(Plan { operand, as_json: args.json })
    }
}

pub(super) fn run(plan: &Plan, session: &Session) -> Result<()> {
    let file = open_seekable(&plan.operand, &Cancel::new())?;
    info(&file, plan.as_json, None, &session.report).with_context(|| plan.operand.to_string())
}

/// Describes a file that is one chunk. All blocks are checked before anything is printed, one block at a time: a few
/// bytes can describe a very large number of streams.
pub(in crate::commands) fn info(file: &dyn ReadAt, as_json: bool, name: Option<&str>, report: &Report) -> Result<()> {
    let head = prefix(file, Header::EXTENDED_LEN).ok().context("reading the chunk")?;
    let len = file.len().context("reading the chunk")?;
    let header = parse_header(&head, len)?;
    if is_lazy(&header) {
        // Header, then block starts and block sizes with 4 bytes each per block, then chunk number and offset.
        check_len((header.len() + 8 * header.nblocks() + 12) as u64, len)?;
    }
    // A chunk is smaller than 2 GiB, a lazy one at most 12 times that, and the file is known to have this length.
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
    // The parsed chunk has the block size in use, which can differ from the bytes of the header.
    let header = match &contents {
        Contents::Chunk { chunk, .. } => chunk.header(),
        Contents::Lazy(_) => header,
    };
    match as_json {
        true => json::print(&header, &contents, name, report),
        false => {
            describe::chunk(&header, &contents, &counts)?.iter().for_each(|text| report.normal(text));
            Ok(())
        }
    }
}

/// Returns the header of such a file as an object. Nothing else is read.
pub(in crate::commands) fn header_json(file: &dyn ReadAt) -> Result<Object> {
    let head = prefix(file, Header::EXTENDED_LEN).ok().context("reading the chunk")?;
    let header = parse_header(&head, file.len().context("reading the chunk")?)?;
    Ok(json::of_header(&header))
}
