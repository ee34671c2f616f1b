//! Who races? Everything that compresses buffers to chunks, behind one trait; one file each.

#[cfg(feature = "crates")]
mod blosc2_pure_rs;
mod c_blosc1;
mod c_blosc2;
mod memcpy;
mod ours;

use crate::options::Options;
use anyhow::Result;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// Bytes that any of them may need beyond the plain ones.
pub const OVERHEAD: usize = 64;

/// A library.
pub trait Peer {
    /// What the tables call it.
    fn name(&self) -> &'static str;
    /// The version that was loaded.
    fn version(&self) -> String;
    /// Whether its chunks are Blosc2's, so that the others read them.
    fn format(&self) -> Format;
    /// Its codec for a job, or none if it does not have it.
    fn chunk_codec(&self, job: &Job) -> Result<Option<Box<dyn ChunkCodec>>>;
    /// Opens a frame, appends a chunk of these plain bytes and closes it; false if it has no frames.
    fn append(&self, _path: &Path, _plain: &[u8]) -> Result<bool> {
        Ok(false)
    }
}

/// What a peer writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Blosc2,
    Blosc1,
    /// The bytes themselves.
    Copy,
}

/// One peer at one job, its tables and buffers made.
pub trait ChunkCodec {
    /// Makes a chunk of `plain` at the start of `chunk`; its size.
    fn compress(&mut self, plain: &[u8], chunk: &mut [u8]) -> Result<usize>;
    /// Fills `plain` from all of `chunk`.
    fn decompress(&mut self, chunk: &[u8], plain: &mut [u8]) -> Result<()>;
}

/// Parameters that every Blosc knows.
#[derive(Debug, Clone)]
pub struct Job {
    /// C-Blosc's name of the codec.
    pub codec: String,
    pub level: u8,
    pub filter: Filter,
    pub typesize: usize,
    pub threads: usize,
}

/// The filter before the codec; the number is C-Blosc's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    None = 0,
    Shuffle = 1,
    BitShuffle = 2,
}

/// The name of the peer that all ratios of the goals are to.
pub const REFERENCE: &str = "C-Blosc2";

/// All peers that are here: ours first, then the reference.
pub fn all(options: &Options) -> Result<Vec<Box<dyn Peer>>> {
    let mut peers: Vec<Box<dyn Peer>> = vec![Box::new(ours::Ours)];
    if let Some(path) = &options.blosc2 {
        peers.push(Box::new(c_blosc2::CBlosc2::load(path)?));
    }
    peers.push(Box::new(memcpy::Memcpy));
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
