//! The interface of all containers: their chunks, the plain bytes of each, and the meaning of these bytes.
//!
//! | file | content |
//! |---|---|
//! | `facts` | how a chunk is stored, by its header |
//! | `plain` | plain bytes; repeated values need no memory |
//! | `ranges` | which plain bytes each chunk holds |
//! | `stored` | chunks that another container can hold unchanged |
//! | `worker` | a decoder and the compressed bytes that it decodes |
//!
//! Each format implements [`Container`] once. [`Archive`](crate::Archive) provides all operations on one.

mod facts;
mod plain;
mod ranges;
mod stored;
mod worker;

use std::ops::Range;

use blosc_core::{Decoder, Limits};
use bloscpack_format::bcolz::{Attrs, Sizes, Storage};
use bloscpack_format::bloscpack::{Header, Layout, MetadataSection};
use bloscpack_format::frame::{B2nd, Frame, Grid};
use bloscpack_format::numpy::NumpyMeta;
use bloscpack_format::zarr::ArrayMeta;
use bloscpack_format::{Format, Json};

pub use self::facts::ChunkFacts;
pub(crate) use self::plain::Plain;
pub(crate) use self::ranges::PlainRanges;
pub(crate) use self::stored::StoredChunk;
pub(crate) use self::worker::{Fetched, Worker};
use crate::run::pipeline::Weight;
use crate::source::ReadAt;
use crate::{Cancel, Error, UnpackOptions};

/// The chunks of one format.
pub(crate) trait Container: Send + Sync {
    /// Returns the format.
    fn format(&self) -> Format;

    /// Returns the size in bytes of the file that the container is opened from. Chunk files are not counted.
    fn cbytes(&self) -> u64;

    /// Returns the number of chunks.
    fn nchunks(&self) -> u64;

    /// Returns the number of plain bytes. For an array in a frame, padding is not counted.
    fn nbytes(&self) -> u64;

    /// Returns the size of an element in bytes, at least 1.
    fn typesize(&self) -> usize;

    /// Returns the range of chunk `number` within the plain bytes of all chunks, padding included. `None` if there is
    /// no such chunk.
    fn chunk_range(&self, number: u64, limits: &Limits) -> Result<Option<Range<u64>>, Error>;

    /// Returns the chunk that holds plain byte `at`, which must exist.
    fn chunk_of(&self, at: u64, limits: &Limits) -> Result<u64, Error>;

    /// Returns the memory that decoding chunk `number` takes. A chunk whose memory cannot be determined is refused when
    /// it is read.
    fn weight(&self, number: u64, options: &UnpackOptions) -> Weight;

    /// Reads the compressed bytes of chunk `number`, which must exist. Bytes that `ranges` of its plain bytes do not
    /// need may be left out.
    fn fetch(&self, number: u64, ranges: Option<&[Range<usize>]>, limits: &Limits) -> Result<Fetched, Error>;

    /// Decodes chunk `number`, which must exist, or ranges of its plain bytes, concatenated.
    fn decode(&self, worker: &mut Worker, number: u64, ranges: Option<&[Range<usize>]>) -> Result<Plain, Error> {
        let fetched = self.fetch(number, ranges, &worker.limits)?;
        let offset = fetched.offset();
        let decoded = worker.decode(&fetched, self.typesize(), ranges);
        decoded.map_err(|source| Error::Chunk { chunk: number, offset, source })
    }

    /// Returns the number of plain bytes in each chunk but the last, if chunks are stored as Blosc1 chunks of
    /// consecutive plain bytes. `None` if [`stored_chunk`](Self::stored_chunk) returns none.
    fn stored_chunk_nbytes(&self) -> Option<u64> {
        None
    }

    /// Reads chunk `number`, which must exist, if it is stored as one Blosc1 chunk of exactly its plain bytes. Its
    /// header is checked, but it is not decoded. `None` if it is stored in another form.
    fn stored_chunk(&self, number: u64, limits: &Limits) -> Result<Option<StoredChunk>, Error> {
        let Some(_) = self.stored_chunk_nbytes() else { return Ok(None) };
        // A chunk with padding holds more than plain bytes.
        let range = self.chunk_range(number, limits)?.filter(|range| range.end <= self.nbytes());
        let Some(range) = range else { return Ok(None) };
        StoredChunk::of(self.fetch(number, None, limits)?, number, range)
    }

    /// Adds the settings that the chunks of this container need to a decoder.
    fn decoder(&self, decoder: Decoder) -> Decoder {
        decoder
    }

    /// Returns whether chunks come through a network, so that they should be fetched before they are needed.
    fn is_distant(&self) -> bool {
        false
    }

    /// Reads chunks that will be fetched, or the headers of those of which a part will be, by as few requests as
    /// possible. A hint for containers that are distant.
    fn prefetch(&self, _chunks: &[Wanted<'_>]) {}

    /// Returns the offset of chunk `number` in the file. `None` if there is no such chunk, if it is in another file, or
    /// if damage before it hides its start.
    fn chunk_position(&self, _number: u64) -> Option<u64> {
        None
    }

    /// Returns where the compressed bytes of chunk `number` are, which must exist. `None` for a special value without
    /// stored bytes. Reads no more than the header of the chunk.
    fn chunk_extent(&self, _number: u64, _limits: &Limits) -> Result<Option<Extent>, Error> {
        Err(Error::Unsupported { format: self.format() })
    }

    /// Returns how chunk `number`, which must exist, is stored. Formats that find its header read no more.
    fn chunk_facts(&self, number: u64, limits: &Limits) -> Result<ChunkFacts, Error> {
        let fetched = self.fetch(number, None, limits)?;
        let offset = fetched.offset();
        ChunkFacts::of_fetched(&fetched).map_err(|source| Error::Chunk { chunk: number, offset, source })
    }

    /// Counts the compressed bytes that exist, and may stop counting at `enough`.
    fn stored(&self, _enough: u64) -> u64 {
        self.cbytes()
    }

    /// Counts the chunk files that exist, and their bytes, in stores that can list.
    fn stored_files(&self, _limits: &Limits) -> Result<Option<(u64, u64)>, Error> {
        Ok(None)
    }

    /// Returns the header and metadata of the format.
    fn details(&self) -> Details<'_> {
        Details::None
    }

    /// Returns the array in the plain bytes, if the container describes one.
    fn numpy(&self) -> Option<&NumpyMeta> {
        None
    }

    /// Returns the chunks and blocks of an array whose chunks are boxes of items.
    fn grid(&self) -> Option<(&B2nd, &Grid)> {
        None
    }

    /// Returns the size in bytes of all items in the chunks with the same index along the first axis, if chunks cannot be
    /// decoded in part. Otherwise 0. Assembling fewer items at a time would decode each chunk several times.
    fn row_of_whole_chunks(&self) -> u64 {
        0
    }

    /// Reads attributes that are in a separate file.
    fn attrs(&self, _limits: &Limits) -> Result<Option<Attrs>, Error> {
        Ok(None)
    }

    /// Returns the source of bytes that are not compressed, and the offset of the first plain byte in it.
    fn uncompressed(&self) -> Option<(&dyn ReadAt, u64)> {
        None
    }

    /// Returns whether chunk `number` is a special value without stored bytes.
    fn is_special(&self, _number: u64) -> bool {
        false
    }

    /// Returns the number of chunks from `number` on that have the same special value, up to a size that is written at
    /// once.
    fn alike(&self, _number: u64) -> u64 {
        1
    }

    /// Returns whether there may be chunks without plain bytes, which are not part of any range.
    fn may_have_empty_chunks(&self) -> bool {
        false
    }

    /// Compares the total number of plain bytes with the header.
    fn check_sum(&self, _found: u64) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the chunks that must be decoded to verify all.
    fn to_verify(&self, _limits: &Limits) -> Result<ToVerify<'_>, Error> {
        let nchunks = self.nchunks();
        Ok(ToVerify { unstored: 0, nchunks, chunks: Box::new((0..nchunks).map(|chunk| Ok((chunk, 1)))) })
    }

    /// Verifies everything outside chunks.
    fn verify_rest(&self, _limits: &Limits, _cancel: &Cancel) -> Result<(), Error> {
        Ok(())
    }
}

/// Where the compressed bytes of a chunk are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The path of their file within the directory of the container. `None` for the file of the container itself.
    pub(crate) file: Option<String>,
    pub(crate) offset: u64,
    pub(crate) cbytes: u64,
    pub(crate) nbytes: u64,
}

/// A chunk, and the ranges of its plain bytes that will be needed, `None` for all.
pub(crate) type Wanted<'a> = (u64, Option<&'a [Range<usize>]>);

/// The chunks that must be decoded to verify all. Each stored chunk occurs once, even if the index refers to it many
/// times.
pub(crate) struct ToVerify<'a> {
    /// Number of plain bytes in special values, which have no stored bytes.
    pub(crate) unstored: u64,
    /// Maximum number of chunks to decode.
    pub(crate) nchunks: u64,
    /// The numbers of the chunks, each with the number of equal chunks that it stands for.
    pub(crate) chunks: Box<dyn Iterator<Item = Result<(u64, u64), Error>> + 'a>,
}

/// The data specific to one format, other than chunks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Details<'a> {
    None,
    Bloscpack {
        header: &'a Header,
        metadata: Option<(&'a MetadataSection, &'a Json)>,
        /// The used entries of the offsets section, unchanged.
        offsets: &'a [i64],
        layout: &'a Layout,
        /// The end of the last chunk if all chunk headers have been read, else of the file.
        end: u64,
    },
    Frame(&'a Frame),
    Carray(&'a Storage, &'a Sizes),
    Zarr(&'a ArrayMeta),
}
