//! The options of a conversion.

use crate::args::{ConvertArgs, dtype};
use crate::commands::filters::pipeline;
use crate::commands::settings::in_range;
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::{events, files};
use anyhow::{Result, anyhow, bail};
use blosc_core::{Auto, ChunkFormat, FilterPipeline};
use bloscpack_format::bloscpack::MAX_CHUNK_SIZE;
use bloscpack_io::{ConvertOptions, Typing};

/// Checks the options, and starts threads according to the size of the input.
pub(super) fn options(args: &ConvertArgs, input: &PathOrStdio, session: &Session) -> Result<ConvertOptions> {
    let size = args.in_file.metadata().map_or(u64::MAX, |found| if found.is_dir() { u64::MAX } else { found.len() });
    let dtype = args.dtype.as_deref().map(dtype).transpose()?;
    // An array may be empty, but its chunks and blocks may not.
    let small = |shape: &Option<Vec<u64>>, what: &str| -> Result<Option<Vec<u32>>> {
        let fits = |len: &u64| u32::try_from(*len).ok().filter(|len| (1..=i32::MAX as u32).contains(len));
        let one =
            |len: &u64| fits(len).ok_or_else(|| anyhow!("{what} has 1 to 2147483647 items along an axis, not {len}"));
        shape.as_ref().map(|shape| shape.iter().map(one).collect()).transpose()
    };
    let chunkshape = small(&args.chunkshape, "--chunkshape: a chunk (of bcolz: chunklen)")?;
    let blockshape = small(&args.blockshape, "--blockshape: a block")?;
    if args.shape.iter().flatten().filter(|len| len.is_none()).count() > 1 {
        bail!("--shape: only one axis can be -1");
    }
    let typesize = args.blosc.typesize.as_ref().map(|typesize| in_range("typesize", typesize, i32::MAX)).transpose()?;
    // The writer of the output refuses filters that its format lacks.
    let filters = match args.blosc.no_shuffle {
        true => Some(FilterPipeline::none()),
        false => pipeline(&args.filters, ChunkFormat::Blosc2, "")?,
    };
    let auto = args.blosc.goal().map(Auto::new);
    if auto.is_some() && args.dict {
        bail!("--dict: a dictionary cannot be combined with --auto; leave one of them out");
    }
    let metadata = files::read_metadata(args.metadata.as_ref())?;
    let chunk_size = args.chunk_size.as_ref().map(|size| in_range("chunk-size", size, MAX_CHUNK_SIZE)).transpose()?;
    let options = ConvertOptions::new()
        .typing(Typing::new().dtype(dtype).shape(args.shape.clone()).raw(args.raw))
        .column(args.column.as_deref())
        .typesize(typesize.map(i32::cast_unsigned))
        .auto(auto)
        .recompress(args.recompress)
        .codec(args.blosc.fixed_codec())
        .clevel(args.blosc.clevel)
        .filters(filters)
        .split(args.splitmode)
        .dictionary(args.dict)
        .blocksize(args.blocksize.map(|size| u32::try_from(size).unwrap_or(u32::MAX)))
        .chunk_size(chunk_size)
        .chunkshape(chunkshape)
        .blockshape(blockshape)
        .checksum(args.checksum)
        .offsets(args.no_offsets.then_some(false))
        .metadata(metadata)
        .zarr_format(args.zarr_format)
        .write_empty_chunks(args.write_empty_chunks)
        .overwrite(session.force)
        .threads(session.threads(size)?)
        .cancel(session.cancel())
        .observe(events::converting(&session.report));
    session.report.progress().file(input, None);
    Ok(options)
}
