//! `blpk chunk decode`: decompresses a file that is one chunk.

use super::header::parse_header;
use crate::args::ChunkDecodeArgs;
use crate::column_advice::ColumnAdvice;
use crate::files;
use crate::overwrite::{Overwrite, Writes};
use crate::path_or_stdio::PathOrStdio;
use crate::privacy::Privacy;
use crate::session::Session;
use crate::streams::{Input, Output};
use anyhow::{Context as _, Result};
use blosc_core::{Chunk, Decoder, Parallelism, with_pool};
use bloscpack_io::Threads;
use std::io::Write as _;

/// A run of `blpk chunk decode`.
pub(in crate::commands) struct Plan {
    input: PathOrStdio,
    output: PathOrStdio,
}

impl Plan {
    pub(super) fn new(args: &ChunkDecodeArgs, session: &Session) -> Result<Plan> {
        let (input, output) = (PathOrStdio::from(args.in_file.clone()), PathOrStdio::from(args.out_file.clone()));
        files::operand_must_exist("input file", &input, ColumnAdvice::ConvertFirst)?;
        files::check_output(&input, &output, Overwrite::by_position(&input, Writes::Plain), session)?;
        Ok(Plan { input, output })
    }
}

pub(super) fn run(plan: &Plan, session: &Session) -> Result<()> {
    let Plan { input, output } = plan;
    let cancel = session.cancel();
    let bytes = Input::open(input, &cancel)?.read_all(i32::MAX as u64).with_context(|| input.to_string())?;
    let _privacy = Privacy::of(input, output)?;
    let mut output = Output::create(output, session.force)?;
    let chunk = parse(&bytes).with_context(|| input.to_string())?;
    let mut decoder = Decoder::new().parallelism(Parallelism::Ambient).cancel(cancel);
    let plain = match session.threads(chunk.header().nbytes() as u64)? {
        Threads::Pool(pool) => with_pool(&pool, || decoder.decompress(&chunk)),
        _ => decoder.parallelism(Parallelism::Serial).decompress(&chunk),
    };
    output.write_all(&plain.with_context(|| input.to_string())?).context("writing the output")?;
    output.commit()
}

/// Parses `bytes`, all of them, as one chunk.
fn parse(bytes: &[u8]) -> Result<Chunk<'_>> {
    parse_header(bytes, bytes.len() as u64)?;
    Ok(Chunk::parse(bytes)?)
}
