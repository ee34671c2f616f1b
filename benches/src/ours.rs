//! How is our own codec called here? The names of the command line, as parameters of `blosc_core`.

use anyhow::{Result, bail};
use blosc_core::{CParams, Codec, FilterPipeline};
use std::fmt;
use std::str::FromStr;

/// A filter that both libraries have in a Blosc1 chunk; the number is C-Blosc's.
#[derive(Debug, Clone, Copy)]
pub enum Filter {
    None = 0,
    Shuffle = 1,
    BitShuffle = 2,
}

/// Parameters of a Blosc1 chunk.
pub fn params(codec: &str, level: u8, filter: Filter, typesize: usize) -> Result<CParams> {
    let codec = match codec {
        "blosclz" => Codec::BloscLz,
        "lz4" => Codec::Lz4,
        "lz4hc" => Codec::Lz4Hc,
        "zlib" => Codec::Zlib,
        "zstd" => Codec::Zstd,
        _ => bail!("unknown codec {codec}"),
    };
    let filters = match filter {
        Filter::None => FilterPipeline::none(),
        Filter::Shuffle => FilterPipeline::shuffle(),
        Filter::BitShuffle => FilterPipeline::bitshuffle(),
    };
    Ok(CParams::new().codec(codec).clevel(level).filters(filters).typesize(typesize))
}

impl FromStr for Filter {
    type Err = std::io::Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "none" => Ok(Self::None),
            "shuffle" => Ok(Self::Shuffle),
            "bitshuffle" => Ok(Self::BitShuffle),
            _ => Err(std::io::Error::other("expected none, shuffle or bitshuffle")),
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Shuffle => "shuffle",
            Self::BitShuffle => "bitshuffle",
        })
    }
}
