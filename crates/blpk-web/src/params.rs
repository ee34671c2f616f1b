//! Compression parameters by their names.

use blosc_core::{BlockSize, CParams, ChunkFormat, Codec, FilterPipeline};

/// Returns the parameters, or the problem with one of them. A `blocksize` of 0 is chosen by the level.
pub(crate) fn parse(
    codec: &str,
    clevel: u8,
    filters: &str,
    typesize: usize,
    blocksize: u32,
    blosc2: bool,
) -> Result<CParams, String> {
    let codec: Codec = codec.parse().map_err(|error| format!("{error}"))?;
    let filters = match filters {
        "" | "none" | "noshuffle" => FilterPipeline::none(),
        names => names.parse().map_err(|error| format!("{error}"))?,
    };
    let format = if blosc2 { ChunkFormat::Blosc2 } else { ChunkFormat::Blosc1 };
    let blocksize = if blocksize == 0 { BlockSize::Auto } else { BlockSize::Fixed(blocksize as usize) };
    let params = CParams::new().format(format).codec(codec).clevel(clevel);
    Ok(params.filters(filters).typesize(typesize).blocksize(blocksize))
}
