//! The properties of every container: *n* chunks, the plain bytes of each, and the meaning of these bytes.
//!
//! | file | content |
//! |---|---|
//! | `plain` | plain bytes; repeated values need no memory |
//! | `ranges` | which plain bytes each chunk holds |
//! | `worker` | a decoder, and compressed bytes that it decodes |
//!
//! Each format implements [`Container`] once. [`Archive`](crate::Archive) is everything that can be done with one.

mod plain;
mod ranges;
mod worker;

use std::ops::Range;

use blosc_core::{Decoder, Limits};
use bloscpack_format::bcolz::{Attrs, Sizes, Storage};
use bloscpack_format::bloscpack::{Header, Layout, MetadataSection};
use bloscpack_format::frame::{B2nd, Frame, Grid};
use bloscpack_format::numpy::NumpyMeta;
use bloscpack_format::{Format, Json};

pub(crate) use self::plain::Plain;
pub(crate) use self::ranges::PlainRanges;
pub(crate) use self::worker::{Fetched, Worker};
use crate::run::pipeline::Weight;
use crate::source::ReadAt;
use crate::{Cancel, Error, UnpackOptions};

/// The chunks of one format.
pub(crate) trait Container: Send + Sync {
    /// The format.
    fn format(&self) -> Format;

    /// Bytes of the file that the container is opened from. Chunk files are not counted.
    fn cbytes(&self) -> u64;

    /// Number of chunks.
    fn nchunks(&self) -> u64;

    /// Plain bytes; those of an array in a frame without padding.
    fn nbytes(&self) -> u64;

    /// Bytes of one element, at least 1.
    fn typesize(&self) -> usize;

    /// The plain bytes of chunk `number` within those of all chunks, padding included; `None` if there is no such chunk.
    fn chunk_range(&self, number: u64, limits: &Limits) -> Result<Option<Range<u64>>, Error>;

    /// The chunk that holds plain byte `at`, which exists.
    fn chunk_of(&self, at: u64, limits: &Limits) -> Result<u64, Error>;

    /// The memory that chunk `number` takes while it is decoded. A chunk that cannot be weighed is refused when it is read.
    fn weight(&self, number: u64, options: &UnpackOptions) -> Weight;

    /// The compressed bytes of chunk `number`, which exists, as far as `ranges` of its plain bytes need them.
    fn fetch(&self, number: u64, ranges: Option<&[Range<usize>]>, limits: &Limits) -> Result<Fetched, Error>;

    /// The plain bytes of chunk `number`, which exists, or of ranges of them one after the other.
    fn decode(&self, worker: &mut Worker, number: u64, ranges: Option<&[Range<usize>]>) -> Result<Plain, Error> {
        let fetched = self.fetch(number, ranges, &worker.limits)?;
        let offset = fetched.offset();
        let decoded = worker.decode(&fetched, self.typesize(), ranges);
        decoded.map_err(|source| Error::Chunk { chunk: number, offset, source })
    }

    /// The decoder with what the chunks of this container need besides.
    fn decoder(&self, decoder: Decoder) -> Decoder {
        decoder
    }

    /// The offset of chunk `number` in the file; `None` if there is no such chunk, if it is elsewhere, or if damage before
    /// it hides its start.
    fn chunk_position(&self, _number: u64) -> Option<u64> {
        None
    }

    /// Compressed bytes that exist, until they are `enough`.
    fn stored(&self, _enough: u64) -> u64 {
        self.cbytes()
    }

    /// The header and metadata of the format.
    fn details(&self) -> Details<'_> {
        Details::None
    }

    /// The array that the bytes are, if the container describes one.
    fn numpy(&self) -> Option<&NumpyMeta> {
        None
    }

    /// The chunks and blocks of an array whose chunks are boxes of items.
    fn grid(&self) -> Option<(&B2nd, &Grid)> {
        None
    }

    /// The attributes in a file of their own.
    fn attrs(&self, _limits: &Limits) -> Result<Option<Attrs>, Error> {
        Ok(None)
    }

    /// The plain bytes as they are in a source, and the offset of the first, if they are not compressed.
    fn uncompressed(&self) -> Option<(&dyn ReadAt, u64)> {
        None
    }

    /// Whether nothing is stored of chunk `number`.
    fn is_special(&self, _number: u64) -> bool {
        false
    }

    /// How many chunks from `number` on are the same special value, as many as are worth writing at once.
    fn alike(&self, _number: u64) -> u64 {
        1
    }

    /// Whether there may be chunks without plain bytes, which no range touches.
    fn may_have_empty_chunks(&self) -> bool {
        false
    }

    /// Compares the plain bytes of all chunks with the number in the header.
    fn check_sum(&self, _found: u64) -> Result<(), Error> {
        Ok(())
    }

    /// The chunks that have to be decoded to verify all.
    fn to_verify(&self, _limits: &Limits) -> Result<ToVerify<'_>, Error> {
        let nchunks = self.nchunks();
        Ok(ToVerify { unstored: 0, nchunks, chunks: Box::new((0..nchunks).map(|chunk| Ok((chunk, 1)))) })
    }

    /// Verifies what is not in chunks.
    fn verify_rest(&self, _limits: &Limits, _cancel: &Cancel) -> Result<(), Error> {
        Ok(())
    }
}

/// The chunks that have to be decoded to verify all: each once, however often an index names it.
pub(crate) struct ToVerify<'a> {
    /// Plain bytes of special values, of which nothing is stored.
    pub(crate) unstored: u64,
    /// Number of chunks to decode, at most.
    pub(crate) nchunks: u64,
    /// The numbers of the chunks, and how many equal chunks each of them stands for.
    pub(crate) chunks: Box<dyn Iterator<Item = Result<(u64, u64), Error>> + 'a>,
}

/// The data of one format besides its chunks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Details<'a> {
    None,
    Bloscpack {
        header: &'a Header,
        metadata: Option<(&'a MetadataSection, &'a Json)>,
        /// The entries of the offsets section that are in use, as they are in the file.
        offsets: &'a [i64],
        layout: &'a Layout,
        /// The end of the last chunk if all chunk headers have been read, else of the file.
        end: u64,
    },
    Frame(&'a Frame),
    Carray(&'a Storage, &'a Sizes),
}
