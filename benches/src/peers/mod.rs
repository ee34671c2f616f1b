//! The competitors: every library that compresses buffers to chunks, one module each, with a common trait.

#[cfg(feature = "crates")]
mod blosc2_pure_rs;
mod c_blosc1;
mod c_blosc2;
mod memcpy;
mod ours;

pub use c_blosc1::CBlosc1;
pub use c_blosc2::{CBlosc2, Contexts};
pub use ours::Ours;

use crate::options::Options;
use anyhow::Result;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// Bytes that a peer may need beyond the uncompressed size.
pub const OVERHEAD: usize = 64;

/// A library.
pub trait Peer {
    /// The peer's name in the tables.
    fn name(&self) -> &'static str;
    /// The version of the loaded library.
    fn version(&self) -> String;
    /// The format of its chunks. Peers of the same format read each other's chunks.
    fn format(&self) -> Format;
    /// Returns its codec for a job, or `None` if it does not have it.
    fn chunk_codec(&self, job: &Job) -> Result<Option<Box<dyn ChunkCodec>>>;
    /// Opens a frame, appends a chunk of this data and closes it. Returns false if the library has no frames.
    fn append(&self, _path: &Path, _plain: &[u8]) -> Result<bool> {
        Ok(false)
    }
}

/// Format of a peer's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Blosc2,
    Blosc1,
    /// The uncompressed bytes.
    Copy,
}

/// One peer at one job, with its tables and buffers allocated.
pub trait ChunkCodec {
    /// Compresses `plain` into a chunk at the start of `chunk` and returns its size.
    fn compress(&mut self, plain: &[u8], chunk: &mut [u8]) -> Result<usize>;
    /// Fills `plain` by decoding all of `chunk`.
    fn decompress(&mut self, chunk: &[u8], plain: &mut [u8]) -> Result<()>;
}

/// Parameters supported by every version of Blosc.
#[derive(Debug, Clone)]
pub struct Job {
    /// C-Blosc's name of the codec.
    pub codec: String,
    pub level: u8,
    pub filter: Filter,
    pub typesize: usize,
    pub threads: usize,
}

/// The filter before the codec. The number is C-Blosc's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    None = 0,
    Shuffle = 1,
    BitShuffle = 2,
}

/// Name of the peer that the goals' ratios refer to.
pub const REFERENCE: &str = "C-Blosc2";

/// Name of the reference for Blosc1 chunks.
pub const REFERENCE_1: &str = "C-Blosc1";

/// Name of this project with Blosc1 chunks. With Blosc2 chunks it is `ours`.
pub const OURS_1: &str = "ours, Blosc1";

/// Returns all available peers: ours first, then the reference.
pub fn all(options: &Options) -> Result<Vec<Box<dyn Peer>>> {
    let mut peers: Vec<Box<dyn Peer>> = vec![Box::new(Ours::Blosc2)];
    if let Some(path) = &options.blosc2 {
        peers.push(Box::new(c_blosc2::CBlosc2::load(path)?));
    }
    peers.push(Box::new(memcpy::Memcpy));
    peers.push(Box::new(Ours::Blosc1));
    if let Some(path) = &options.blosc1 {
        peers.push(Box::new(c_blosc1::CBlosc1::load(path)?));
    }
    #[cfg(feature = "crates")]
    peers.push(Box::new(blosc2_pure_rs::Blosc2PureRs));
    Ok(peers)
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
