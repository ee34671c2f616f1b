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
use anyhow::{Context as _, Error as AnyError, Result};
use blosc_core::Chunk;
use bloscpack_io::{Archive, Error, UnpackOptions};

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
    let archive = parse(bytes).with_context(|| input.to_string())?;
    let options = UnpackOptions::new().threads(session.threads(archive.nbytes())?).cancel(cancel);
    archive.unpack(&mut output, &options).map_err(without_position).with_context(|| input.to_string())?;
    output.commit()
}

/// Parses `bytes`, all of them, as one chunk.
fn parse(bytes: Vec<u8>) -> Result<Archive<'static>> {
    parse_header(&bytes, bytes.len() as u64)?;
    // Its errors are about a chunk, those of an archive about a file of any format.
    Chunk::parse(&bytes)?;
    Ok(Archive::open(bytes)?)
}

/// Leaves out the number and the offset of the only chunk.
fn without_position(error: Error) -> AnyError {
    match error {
        Error::Chunk { source, .. } => source.into(),
        error => error.into(),
    }
}
