//! Copies compressed chunks to an output that divides the plain bytes in the same way.
//!
//! ```text
//! input:   chunk 0 | chunk 1 | chunk 2 | last      Blosc1 chunks of a carray, a bloscpack file or a Zarr array
//!             │         │         ×        ×
//!             ▼         ▼      decode, encode
//! output:  chunk 0 | chunk 1 | chunk 2 | last      the same plain bytes in each, the same bytes where copied
//! ```
//!
//! A chunk is copied if its header says that it is a Blosc1 chunk of exactly the plain bytes of the output's chunk, of a
//! codec that readers of the output know. It is not decoded: damage inside a chunk is copied with it, and verifying the
//! output finds it. Any other chunk is decoded and encoded with the parameters of the first one.

use std::io::{Read as _, Seek as _, SeekFrom, Write};
use std::ops::Range;

use blosc_core::{CParams, Codec, Encoder, Header};
use bloscpack_format::bcolz::{Cparams, Shuffle};
use bloscpack_format::checksum::{Checksum, Digest};
use bloscpack_format::zarr::{BloscCodec, BloscShuffle, Compressor};

use super::observed::Observed;
use crate::container::{Fetched, StoredChunk};
use crate::formats::bcolz::{Directory, RowInput, WrittenColumn};
use crate::formats::bloscpack::chunk_run::{Packed, Written};
use crate::formats::bloscpack::content::{Content, plain_checksum};
use crate::in_memory::room;
use crate::options::Event;
use crate::read_back::Digesting;
use crate::run::pipeline;
use crate::{Archive, Cancel, ConvertOptions, Error, FilterPipeline, PackOptions, Threads, UnpackOptions};

/// The first plain bytes of an archive as chunks of one size, the last one shorter.
pub(super) struct Copied<'a> {
    archive: &'a Archive<'a>,
    nbytes: u64,
    chunk_nbytes: u64,
    /// Whether chunks are those of a grid and may have padding, which is copied too.
    is_grid: bool,
    /// The parameters of the first chunk, for chunks that are encoded.
    params: CParams,
    /// Whether readers of the output know a codec.
    knows: fn(Codec) -> bool,
    options: &'a ConvertOptions,
}

/// A chunk of the output.
pub(super) struct ReadyChunk {
    pub(super) number: u64,
    /// Uncompressed size in bytes.
    pub(super) nbytes: u64,
    /// The compressed chunk. Empty for a chunk of fill values that is not stored.
    pub(super) bytes: Vec<u8>,
}

/// Requirements of the output for copied chunks.
pub(super) struct Wanted {
    /// Number of plain bytes in the output: the first ones of the input.
    pub(super) nbytes: u64,
    /// Size of a row in bytes. A chunk must consist of whole rows.
    pub(super) row: u64,
    /// Size of a chunk in plain bytes, if the options set it.
    pub(super) chunk_nbytes: Option<u64>,
    /// Whether readers of the output know a codec.
    pub(super) knows: fn(Codec) -> bool,
}

impl ConvertOptions {
    /// Returns whether compressed chunks may be copied: no option asks for another compression.
    fn keeps_chunks(&self) -> bool {
        let is_set = [
            self.recompress,
            self.auto.is_some(),
            self.codec.is_some(),
            self.clevel.is_some(),
            self.filters.is_some(),
            self.split.is_some(),
            self.typesize.is_some(),
            self.blocksize.is_some(),
            self.dictionary,
        ];
        !is_set.contains(&true)
    }
}

impl<'a> Copied<'a> {
    /// Returns the chunks if the input stores Blosc1 chunks whose boundaries the output can have, and the options ask for
    /// no other compression.
    pub(super) fn of(
        archive: &'a Archive<'a>,
        wanted: &Wanted,
        options: &'a ConvertOptions,
    ) -> Result<Option<Self>, Error> {
        let Wanted { nbytes, row, chunk_nbytes: size, knows } = *wanted;
        let Some(chunk_nbytes) = archive.stored_chunk_nbytes().filter(|_| options.keeps_chunks()) else {
            return Ok(None);
        };
        let is_whole = chunk_nbytes.checked_rem(row) == Some(0) && chunk_nbytes > 0;
        if nbytes == 0 || !is_whole || size.is_some_and(|size| size != chunk_nbytes) {
            return Ok(None);
        }
        let first = archive.stored_chunk(&(0..chunk_nbytes.min(archive.nbytes())))?;
        let Some(params) = params_of(archive, first.as_ref().map(|first| &first.header)) else { return Ok(None) };
        if first.is_some_and(|first| !is_known(&first.header, knows)) || !knows(params.get_codec()) {
            return Ok(None);
        }
        Ok(Some(Copied { archive, nbytes, chunk_nbytes, is_grid: false, params, knows, options }))
    }

    /// Returns all chunks of a Zarr array, also those at the edge, for an output with the same grid.
    pub(super) fn of_grid(
        archive: &'a Archive<'a>,
        knows: fn(Codec) -> bool,
        options: &'a ConvertOptions,
    ) -> Option<Self> {
        let codecs = &archive.zarr()?.codecs;
        let is_blosc = matches!(codecs.compressors.as_slice(), [Compressor::Blosc(_)]) && codecs.is_c_order();
        let params = params_of(archive, None).filter(|params| knows(params.get_codec()))?;
        let chunk_nbytes = archive.grid()?.chunk_nbytes() as u64;
        let nbytes = archive.nchunks().saturating_mul(chunk_nbytes);
        let copied = Copied { archive, nbytes, chunk_nbytes, is_grid: true, params, knows, options };
        (is_blosc && options.keeps_chunks() && nbytes > 0).then_some(copied)
    }

    /// Returns the size of a chunk in plain bytes.
    pub(super) fn chunk_nbytes(&self) -> u64 {
        self.chunk_nbytes
    }

    /// Returns the same plain bytes with chunks that are not larger than all of them.
    pub(super) fn shrunk(self) -> Self {
        Copied { chunk_nbytes: self.chunk_nbytes.min(self.nbytes), ..self }
    }

    /// Returns the parameters of the first chunk. The level is not stored in a chunk: it is that of the input's
    /// metadata, or the default one.
    pub(super) fn params(&self) -> CParams {
        self.params
    }

    /// Returns the same parameters in the form of bcolz.
    pub(super) fn cparams(&self) -> Cparams {
        let mut cparams = Cparams::default();
        cparams.cname = self.params.get_codec().name().into();
        cparams.clevel = self.params.get_clevel();
        cparams.shuffle = match self.params.get_filters() {
            filters if filters == FilterPipeline::shuffle() => Shuffle::Byte,
            filters if filters == FilterPipeline::bitshuffle() => Shuffle::Bit,
            _ => Shuffle::None,
        };
        cparams
    }

    /// Returns the number of chunks that have the full size.
    pub(super) fn full_chunks(&self) -> u64 {
        self.nbytes.checked_div(self.chunk_nbytes).unwrap_or(0)
    }

    fn range_of(&self, number: u64) -> Range<u64> {
        let start = number.saturating_mul(self.chunk_nbytes).min(self.nbytes);
        start..start.saturating_add(self.chunk_nbytes).min(self.nbytes)
    }

    /// Passes chunks through `finish`, in parallel, and to `write`, in order.
    pub(super) fn each<T: Send>(
        &self,
        mut chunks: Range<u64>,
        finish: impl Fn(ReadyChunk) -> Result<T, Error> + Sync,
        mut write: impl FnMut(T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let ConvertOptions { threads, cancel, limits, observer, .. } = self.options;
        let unpack = self.options.unpack_options();
        let weigh = |number: &u64| self.archive.weight(*number, &unpack);
        let serial = unpack.clone().threads(Threads::Serial);
        // Padding is not part of the progress.
        let mut left = self.archive.nbytes();
        pipeline::run_within(
            (limits, &weigh),
            threads,
            cancel,
            || Ok(Encoder::new(self.params)?.cancel(cancel.clone())),
            || Ok(chunks.next()),
            |encoder: &mut Encoder, number| {
                let ready = match self.is_grid {
                    true => self.ready_in_grid(number, encoder)?,
                    false => self.ready(number, encoder, &serial)?,
                };
                let nbytes = ready.nbytes;
                Ok((finish(ready)?, nbytes))
            },
            |(finished, nbytes)| {
                write(finished)?;
                let told = left.min(nbytes);
                left -= told;
                observer.tell(Event::Plain(told));
                Ok(())
            },
        )
    }

    /// Reads one chunk, and encodes it if it cannot be copied.
    fn ready(&self, number: u64, encoder: &mut Encoder, options: &UnpackOptions) -> Result<ReadyChunk, Error> {
        let range = self.range_of(number);
        let nbytes = range.end - range.start;
        let stored = self.archive.stored_chunk(&range)?;
        if let Some(stored) = stored.filter(|stored| is_known(&stored.header, self.knows)) {
            return Ok(ReadyChunk { number, nbytes, bytes: stored.bytes });
        }
        self.archive.check_output(nbytes, &options.limits)?;
        let mut plain = room(nbytes)?;
        self.archive.copy_range_with(range, &mut plain.as_mut_slice(), options)?;
        Ok(ReadyChunk { number, nbytes, bytes: encoder.compress(&plain)? })
    }

    /// [`ready`](Self::ready) for a chunk of a grid. A chunk that is missing, and shall be, is empty.
    fn ready_in_grid(&self, number: u64, encoder: &mut Encoder) -> Result<ReadyChunk, Error> {
        let (range, nbytes) = (self.range_of(number), self.chunk_nbytes);
        let fetched = self.archive.container().fetch(number, None, &self.options.limits)?;
        if matches!(fetched, Fetched::Special { .. }) && !self.options.write_empty_chunks {
            return Ok(ReadyChunk { number, nbytes, bytes: Vec::new() });
        }
        let stored = StoredChunk::of(fetched, number, range)?;
        let bytes = match stored.filter(|stored| is_known(&stored.header, self.knows)) {
            Some(stored) => stored.bytes,
            None => encoder.compress(&self.archive.chunk(number)?)?,
        };
        Ok(ReadyChunk { number, nbytes, bytes })
    }
}

/// Returns whether readers of the output can decode a chunk.
fn is_known(header: &Header, knows: fn(Codec) -> bool) -> bool {
    header.is_memcpyed() || header.codec().is_some_and(knows)
}

/// Returns the parameters of the input's metadata, or else of its first chunk, if that can be copied.
fn params_of(archive: &Archive<'_>, first: Option<&Header>) -> Option<CParams> {
    let params = CParams::new().typesize(first.map_or(archive.typesize(), Header::typesize).clamp(1, 255));
    if let Some((storage, _)) = archive.carray()
        && let Some(codec) = storage.cparams.codec()
    {
        return Some(params.codec(codec).clevel(storage.cparams.clevel.min(9)).filters(storage.cparams.filters()));
    }
    if let Some([Compressor::Blosc(blosc)]) = archive.zarr().map(|meta| meta.codecs.compressors.as_slice())
        && let Some(codec) = Codec::from_name(&blosc.cname)
    {
        let filters = filters_of(blosc, archive.typesize() as u64);
        return Some(params.codec(codec).clevel(blosc.clevel.min(9)).filters(filters));
    }
    let header = first?;
    let params = params.filters(header.filters());
    Some(header.codec().map_or(params, |codec| params.codec(codec)))
}

/// Returns the filter of a Zarr array.
pub(super) fn filters_of(blosc: &BloscCodec, itemsize: u64) -> FilterPipeline {
    match blosc.filter(itemsize) {
        BloscShuffle::None => FilterPipeline::none(),
        BloscShuffle::Bit => FilterPipeline::bitshuffle(),
        BloscShuffle::Byte | BloscShuffle::Auto => FilterPipeline::shuffle(),
    }
}

/// The content of a bloscpack file.
impl Content for &Copied<'_> {
    fn size(&self) -> Option<u64> {
        Some(self.nbytes)
    }

    fn write_chunks(
        self,
        _chunk_size: u32,
        output: &mut impl Write,
        options: &PackOptions,
    ) -> Result<(Packed, Digest), Error> {
        let (mut packed, count) = (Packed::default(), self.nbytes.div_ceil(self.chunk_nbytes.max(1)));
        let digest = |ready: ReadyChunk| {
            let digest = options.checksum.digest(&ready.bytes);
            Ok((ready, digest))
        };
        self.each(0..count, digest, |(ready, digest)| {
            let ReadyChunk { number, nbytes, bytes } = ready;
            let written = Written { last: number + 1 == count, nbytes, chunk: &bytes, digest: &digest };
            packed.write(&written, output, &options.observer)
        })?;
        Ok((packed, self.plain_digest(plain_checksum(options))?))
    }
}

impl Copied<'_> {
    /// Decodes the plain bytes for their digest, if there is a checksum.
    fn plain_digest(&self, checksum: Checksum) -> Result<Digest, Error> {
        let mut plain = Digesting::new(std::io::sink(), checksum);
        if checksum != Checksum::None {
            self.archive.copy_range_with(0..self.nbytes, &mut plain, &self.options.unpack_options())?;
        }
        Ok(plain.finish())
    }
}

/// The rows of a carray. A last chunk that is not full is encoded.
impl RowInput for &Copied<'_> {
    fn append_to<D: Directory>(
        self,
        column: &mut WrittenColumn<D>,
        threads: &Threads,
        cancel: &Cancel,
    ) -> Result<u64, Error> {
        let before = column.len();
        let full = if column.chunk_nbytes() == self.chunk_nbytes { self.full_chunks() } else { 0 };
        self.each(0..full, Ok, |ready| column.append_chunk(&ready.bytes))?;
        let copied = full.saturating_mul(self.chunk_nbytes);
        if copied < self.nbytes {
            let mut rest = self.archive.reader(&self.options.unpack_options());
            rest.seek(SeekFrom::Start(copied)).map_err(Error::reading)?;
            let rest = Observed::new(rest.take(self.nbytes - copied), &self.options.observer);
            column.append_stream(rest, threads, cancel)?;
        }
        Ok(column.len().saturating_sub(before))
    }
}
