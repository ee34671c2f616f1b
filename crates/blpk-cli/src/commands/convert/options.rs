//! The options of a conversion.

use crate::args::{ConvertArgs, dtype};
use crate::commands::filters::pipeline;
use crate::commands::settings::in_range;
use crate::session::Session;
use crate::{events, files};
use anyhow::{Result, anyhow, bail};
use blosc_core::{ChunkFormat, FilterPipeline};
use bloscpack_format::bloscpack::MAX_CHUNK_SIZE;
use bloscpack_io::frame::ArrayOptions;
use bloscpack_io::{ConvertOptions, PackOptions};

/// Checks the options, and starts the threads that the conversion is worth.
pub(super) fn options(args: &ConvertArgs, session: &Session) -> Result<ConvertOptions> {
    let size = args.in_file.metadata().map_or(u64::MAX, |found| if found.is_dir() { u64::MAX } else { found.len() });
    let dtype = args.dtype.as_deref().map(dtype).transpose()?;
    let mut options = ConvertOptions { dtype, raw: args.raw, ..ConvertOptions::default() };
    // An array may be empty, what it is cut into may not.
    let small = |shape: &Option<Vec<u64>>, what: &str| -> Result<Option<Vec<u32>>> {
        let fits = |len: &u64| u32::try_from(*len).ok().filter(|len| (1..=i32::MAX as u32).contains(len));
        let one =
            |len: &u64| fits(len).ok_or_else(|| anyhow!("{what} has 1 to 2147483647 items along an axis, not {len}"));
        shape.as_ref().map(|shape| shape.iter().map(one).collect()).transpose()
    };
    let chunkshape = small(&args.chunkshape, "--chunkshape: a chunk (of bcolz: chunklen)")?;
    let cut = ArrayOptions::new().chunkshape(chunkshape).blockshape(small(&args.blockshape, "--blockshape: a block")?);
    options.array = cut;
    if let Some(shape) = &args.shape {
        if shape.iter().filter(|len| len.is_none()).count() > 1 {
            bail!("--shape: only one axis can be -1, for the items that the others leave");
        }
        options.shape = Some(shape.clone());
    }
    options.typesize = match &args.blosc.typesize {
        Some(typesize) => Some(in_range("typesize", typesize, i32::MAX)? as u32),
        None => None,
    };
    (options.codec, options.clevel) = (args.blosc.codec, args.blosc.clevel);
    // The writer of the output refuses filters that it cannot have.
    options.filters = match args.blosc.no_shuffle {
        true => Some(FilterPipeline::none()),
        false => pipeline(&args.filters, ChunkFormat::Blosc2, "")?,
    };
    options.blocksize = args.blocksize.map(|size| u32::try_from(size).unwrap_or(u32::MAX));
    (options.split, options.dictionary) = (args.splitmode, args.dict);
    let mut pack = PackOptions::new().offsets(!args.no_offsets).metadata(files::read_metadata(args.metadata.as_ref())?);
    if let Some(size) = &args.chunk_size {
        let size = in_range("chunk-size", size, MAX_CHUNK_SIZE)?;
        (pack, options.chunk_size) = (pack.chunk_size(size.into()), Some(size));
    }
    options.pack = args.checksum.map_or(pack.clone(), |checksum| pack.checksum(checksum));
    (options.overwrite, options.threads, options.cancel) = (session.force, session.threads(size)?, session.cancel());
    session.report.progress().file(args.in_file.display(), None);
    Ok(options.observe(events::converting(&session.report)))
}
