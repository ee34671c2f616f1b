//! Race of BloscLZ, which C-Blosc2 does not export: as chunks of a single stream without a filter, for every peer.

use super::codecs::StreamCodec;
use crate::options::Options;
use crate::peers::{self, ChunkCodec, Filter, Format, Job};
use anyhow::Result;

struct Chunked(&'static str, Box<dyn ChunkCodec>);

/// Returns the codecs of all peers that write Blosc2 chunks.
pub fn codecs(codec: &str, level: u8, options: &Options) -> Result<Vec<Box<dyn StreamCodec>>> {
    let job = Job { codec: codec.to_owned(), level, filter: Filter::None, typesize: 1, threads: 1 };
    let mut codecs: Vec<Box<dyn StreamCodec>> = Vec::new();
    for peer in peers::all(options)?.iter().filter(|peer| peer.format() == Format::Blosc2) {
        if let Some(codec) = peer.chunk_codec(&job)? {
            codecs.push(Box::new(Chunked(peer.name(), codec)));
        }
    }
    Ok(codecs)
}

impl StreamCodec for Chunked {
    fn name(&self) -> &'static str {
        self.0
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        self.1.compress(src, dst).ok()
    }

    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> bool {
        self.1.decompress(src, dst).is_ok()
    }
}
