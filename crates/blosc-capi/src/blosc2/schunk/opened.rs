//! The content of a frame that is opened as a super-chunk.

use blosc_core::memory;
use bloscpack_format::frame::ChunkSize;

use super::chunks::Chunks;
use super::params::{Params, chunksize};
use super::sizes::Sizes;
use super::store::Writer;
use crate::blosc2::codes::{DATA, FAILURE, MEMORY};
use crate::blosc2::header::{Info, LONG};

/// Names and contents of metalayers.
pub(crate) type Layers = Vec<(Vec<u8>, Vec<u8>)>;

/// The content of a frame that was opened.
pub(crate) struct Opened {
    pub(crate) params: Params,
    pub(crate) sizes: Sizes,
    pub(crate) metalayers: Layers,
    pub(crate) vlmetalayers: Layers,
    /// The generation of a frame in files.
    pub(crate) generation: u64,
}

impl Chunks {
    /// Returns the content of the frame.
    ///
    /// # Errors
    /// The code of a damaged frame.
    pub(crate) fn opened(&self) -> Result<Opened, i32> {
        let opened = self.frame(opened)?.ok_or(FAILURE)?;
        let generation = if let Chunks::File(file) = self { file.read_generation() } else { 0 };
        Ok(Opened { generation, ..opened })
    }
}

fn opened(frame: &Writer) -> Result<Opened, i32> {
    let first = frame.frame().map_err(|_| FAILURE)?;
    let header = &first.header;
    let mut sizes = of_writer(frame, Sizes::EMPTY)?;
    sizes.cbytes = header.cbytes as i64;
    let params = Params::of(header);
    if sizes.nchunks > 0 {
        // A first chunk that is damaged or lost does not take the others with it. C-Blosc2 loses the size of a special
        // value if chunk sizes vary.
        let start = frame.chunk_start(0, LONG as u64).ok().flatten();
        sizes.flags = start.and_then(|start| Info::of(&start).ok()).map_or(0, Info::block_flags);
    }
    let copy = |bytes: &[u8]| memory::copy_of(bytes).map_err(|_| MEMORY);
    let metalayers = header.metalayers.iter().map(|layer| Ok((copy(layer.name)?, copy(layer.content)?)));
    let vlmetalayers = first.trailer.vlmetalayers.iter().map(|layer| Ok((copy(layer.name)?, copy(layer.content)?)));
    Ok(Opened {
        params,
        sizes,
        metalayers: metalayers.collect::<Result<_, i32>>()?,
        vlmetalayers: vlmetalayers.collect::<Result<_, i32>>()?,
        generation: 0,
    })
}

/// Returns the sizes of a frame, with `cbytes` and the flags of `sizes`.
pub(super) fn of_writer(writer: &Writer, sizes: Sizes) -> Result<Sizes, i32> {
    let frame = writer.frame().map_err(|_| FAILURE)?;
    let nchunks = i64::try_from(frame.nchunks()).map_err(|_| DATA)?;
    let nbytes = i64::try_from(frame.header.nbytes).map_err(|_| DATA)?;
    // The program may have set the size of chunks in the structure.
    let is_known = frame.header.chunksize != ChunkSize::Unset;
    let chunksize = if is_known { chunksize(&frame.header) } else { sizes.chunksize };
    Ok(Sizes { nchunks, nbytes, chunksize, ..sizes })
}
