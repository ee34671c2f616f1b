//! `blpk chunk encode`: compresses a file to one chunk.

use crate::args::ChunkEncodeArgs;
use crate::column_advice::ColumnAdvice;
use crate::commands::filters::pipeline;
use crate::commands::settings::in_range;
use crate::files;
use crate::overwrite::{Overwrite, Writes};
use crate::path_or_stdio::PathOrStdio;
use crate::privacy::Privacy;
use crate::session::Session;
use crate::streams::{Input, Output};
use anyhow::{Context as _, Result, bail};
use blosc_core::{BlockSize, CParams, ChunkFormat, Codec, Encoder, FilterPipeline, Header, Parallelism, with_pool};
use bloscpack_io::Threads;
use std::io::Write as _;

/// A run of `blpk chunk encode`.
pub(in crate::commands) struct Plan {
    input: PathOrStdio,
    output: PathOrStdio,
    params: CParams,
    /// Maximum number of uncompressed bytes of such a chunk.
    max_nbytes: usize,
}

impl Plan {
    pub(super) fn new(args: &ChunkEncodeArgs, session: &Session) -> Result<Plan> {
        let (input, output) = (PathOrStdio::from(args.in_file.clone()), PathOrStdio::from(args.out_file.clone()));
        let (params, max_nbytes) = params(args)?;
        files::operand_must_exist("input file", &input, ColumnAdvice::ConvertFirst)?;
        files::check_output(&input, &output, Overwrite::by_position(&input, Writes::Packed), session)?;
        Ok(Plan { input, output, params, max_nbytes })
    }
}

pub(super) fn run(plan: Plan, session: &Session) -> Result<()> {
    let Plan { input, output, params, max_nbytes } = plan;
    let cancel = session.cancel();
    let plain = Input::open(&input, &cancel)?.read_all(max_nbytes as u64).with_context(|| input.to_string())?;
    let _privacy = Privacy::of(&input, &output)?;
    let mut output = Output::create(&output, session.force)?;
    let mut encoder = Encoder::new(params)?.parallelism(Parallelism::Ambient).cancel(cancel);
    let chunk = match session.threads(plain.len() as u64)? {
        Threads::Pool(pool) => with_pool(&pool, || encoder.compress(&plain))?,
        _ => encoder.parallelism(Parallelism::Serial).compress(&plain)?,
    };
    output.write_all(&chunk).context("writing the output")?;
    output.commit()
}

/// Returns the parameters of the chunk, and the maximum number of uncompressed bytes that it holds.
fn params(args: &ChunkEncodeArgs) -> Result<(CParams, usize)> {
    let format = args.format.unwrap_or_default();
    let codec = args.codec.unwrap_or(Codec::BloscLz);
    let (max_typesize, max_nbytes) = match format {
        ChunkFormat::Blosc1 => (u32::from(u8::MAX), Header::MAX_NBYTES),
        // Typesizes beyond 255 still affect the block size, which has this limit.
        ChunkFormat::Blosc2 => (MAX_TYPESIZE, Header::MAX_NBYTES_BLOSC2),
    };
    match format {
        ChunkFormat::Blosc1 if args.dict => bail!("--dict needs a Blosc2 chunk; add --format blosc2"),
        ChunkFormat::Blosc2 if codec == Codec::Snappy => {
            bail!("Blosc2 does not support the codec snappy; use another one, or --format blosc1")
        }
        ChunkFormat::Blosc2 if args.dict && !matches!(codec, Codec::Lz4 | Codec::Lz4Hc | Codec::Zstd) => {
            bail!("--dict: the codec {codec} does not support dictionaries; use lz4, lz4hc or zstd")
        }
        _ => {}
    }
    let typesize = args.typesize.as_ref().map(|typesize| in_range("typesize", typesize, max_typesize)).transpose()?;
    let filters = pipeline(&args.filters, format, "add --format blosc2")?;
    let params = CParams::new()
        .format(format)
        .codec(codec)
        .clevel(args.clevel.unwrap_or(7))
        .typesize(typesize.unwrap_or(8) as usize)
        .filters(filters.unwrap_or(FilterPipeline::shuffle()))
        .blocksize(args.blocksize.filter(|size| *size > 0).map_or(BlockSize::Auto, BlockSize::Fixed))
        .dictionary(args.dict);
    Ok((args.splitmode.map_or(params, |split| params.split(split)), max_nbytes))
}

/// `BLOSC2_MAXTYPESIZE` of C-Blosc2.
const MAX_TYPESIZE: u32 = 536_866_816;
