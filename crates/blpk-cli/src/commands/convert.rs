//! `blpk convert`: from one container to another, which the output's name tells.

use super::settings::in_range;
use crate::args::ConvertArgs;
use crate::files;
use crate::session::Session;
use crate::size::pretty_size;
use crate::streams::{Place, open_source};
use anyhow::{Context as _, Result, anyhow, bail};
use blosc_core::FilterPipeline;
use bloscpack_format::bloscpack::MAX_CHUNK_SIZE;
use bloscpack_format::numpy::Dtype;
use bloscpack_io::frame::ArrayOptions;
use bloscpack_io::{ConvertOptions, PackOptions, Target, convert};

pub(super) fn run(args: &ConvertArgs, session: &Session) -> Result<()> {
    let input = Place::from(args.in_file.clone());
    let output = Place::from(args.out_file.clone());
    let Place::File(path) = &output else { bail!("the name of the output says what it is to be: name a file") };
    let Some(target) = Target::of_name(path) else {
        bail!("output file '{output}' does not end with .blp, .b2frame, .b2nd or .npy");
    };
    files::check(&input, &output, session)?;
    let options = options(args, session)?;
    let source = open_source(&input, &options.cancel)?;
    let converted = convert(source, path, target, &options).with_context(|| input.to_string())?;
    session.report.verbose(format!("plain size: {}", pretty_size(converted.nbytes)));
    session.report.verbose("done");
    Ok(())
}

fn options(args: &ConvertArgs, session: &Session) -> Result<ConvertOptions> {
    let size = args.in_file.metadata().map_or(u64::MAX, |found| if found.is_dir() { u64::MAX } else { found.len() });
    let mut options = ConvertOptions::default();
    if let Some(text) = &args.dtype {
        let parsed = match text.trim_start().starts_with(['[', '{']) {
            true => Dtype::parse(text).map_err(anyhow::Error::from),
            false => Dtype::from_type_string(text).map_err(anyhow::Error::from),
        };
        options.dtype = Some(parsed.with_context(|| format!("--dtype '{text}'"))?);
    }
    let small = |shape: &Option<Vec<u64>>| -> Result<Option<Vec<u32>>> {
        let Some(shape) = shape else { return Ok(None) };
        let fits = shape.iter().map(|len| u32::try_from(*len).ok().filter(|len| *len <= i32::MAX as u32)).collect();
        let fits: Option<Vec<u32>> = fits;
        fits.map(Some).ok_or_else(|| anyhow!("a chunk has at most 2147483647 items along an axis"))
    };
    let cut = ArrayOptions::new().chunkshape(small(&args.chunkshape)?).blockshape(small(&args.blockshape)?);
    (options.shape, options.array) = (args.shape.clone(), cut);
    options.typesize = match &args.blosc.typesize {
        Some(typesize) => Some(in_range("typesize", typesize, i32::MAX)? as u32),
        None => None,
    };
    (options.codec, options.clevel) = (args.blosc.codec, args.blosc.clevel);
    options.filters = match (args.blosc.no_shuffle, args.filters.as_slice()) {
        (true, _) => Some(FilterPipeline::none()),
        (false, []) => None,
        (false, filters) => {
            let filters: Vec<_> = filters.iter().filter_map(|filter| filter.0).collect();
            let pipeline = FilterPipeline::from_slice(&filters);
            Some(pipeline.ok_or_else(|| anyhow!("more than six filters"))?)
        }
    };
    options.blocksize = args.blocksize.map(|size| u32::try_from(size).unwrap_or(u32::MAX));
    (options.split, options.dictionary) = (args.splitmode, args.dict);
    let mut pack = PackOptions::new().offsets(!args.no_offsets).metadata(files::read_metadata(args.metadata.as_ref())?);
    if let Some(size) = &args.chunk_size {
        let size = in_range("chunk-size", size, MAX_CHUNK_SIZE)?;
        (pack, options.chunk_size) = (pack.chunk_size(size.into()), Some(size));
    }
    options.pack = args.checksum.map_or(pack.clone(), |checksum| pack.checksum(checksum));
    (options.overwrite, options.threads, options.cancel) = (session.force, session.threads(size)?, session.cancel()?);
    Ok(options)
}
