//! A frame as a container: contiguous or sparse, of plain bytes or of an array.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

use blosc_core::{Decoder, Header, Limits, memory};
use bloscpack_format::Format;
use bloscpack_format::frame::{B2nd, ChunkInfo, ChunkRef, ChunkSize, Frame, FrameError, FrameType, Grid, sframe};
use bloscpack_format::numpy::{NumpyMeta, Order};

use super::location::{ChunkLocation, FrameBytes, StoredChunk};
use super::read::{expect_frame, read_frame};
use super::store::FrameStore;
use super::verify;
use crate::container::{ChunkFacts, Container, Details, Extent, Fetched, PlainRanges, ToVerify, Wanted};
use crate::run::pipeline::Weight;
use crate::source::{ChunkFiles, ReadAt};
use crate::{Archive, Cancel, Error, UnpackOptions};

/// An open frame.
pub(crate) struct OpenFrame<'a> {
    pub(super) frame: Frame,
    bytes: FrameBytes<'a>,
    /// Size in bytes of the file with the header and index.
    len: u64,
    /// The metalayer of an array, and its chunk and block arithmetic.
    array: Option<(B2nd, Grid)>,
    numpy: Option<NumpyMeta>,
    /// Computed on first use, because it may need the headers of all chunks.
    ranges: OnceLock<PlainRanges>,
    /// The offsets of all chunks, sorted. Computed on first use, for frames that come through a network.
    starts: OnceLock<Vec<u64>>,
    /// Whether the blocks of the first stored chunk have variable lengths. Set when its header has been read.
    vl_blocks: OnceLock<bool>,
}

/// Number of plain bytes of equal special values to write at once. Their chunks may have only one byte each.
const ALIKE: u64 = 64 << 20;

/// The header, index and trailer of a sparse frame, and the size of their file in bytes.
pub(crate) struct SparseIndex {
    pub(super) frame: Frame,
    len: u64,
}

impl SparseIndex {
    /// Reads `chunks.b2frame`.
    pub(crate) fn read(index: &dyn ReadAt, limits: &Limits) -> Result<SparseIndex, Error> {
        let len = index.len().map_err(Error::reading)?;
        expect_frame(index, len)?;
        Ok(SparseIndex { frame: read_frame(index, len, FrameType::Sparse, limits)?, len })
    }
}

impl<'a> OpenFrame<'a> {
    /// Opens the contiguous frame in `source`.
    pub(crate) fn contiguous(source: Box<dyn ReadAt + 'a>, limits: &Limits) -> Result<Self, Error> {
        let len = source.len().map_err(Error::reading)?;
        let frame = read_frame(&source, len, FrameType::Contiguous, limits)?;
        OpenFrame::new(frame, len, FrameBytes::File(source))
    }

    /// Opens a sparse frame.
    pub(crate) fn sparse(index: SparseIndex, chunks: Box<dyn ChunkFiles + 'a>) -> Result<Self, Error> {
        OpenFrame::new(index.frame, index.len, FrameBytes::ChunkFiles(chunks))
    }

    /// Opens the frame in a store.
    pub(super) fn in_store(store: &'a impl FrameStore, limits: Limits) -> Result<Archive<'a>, Error> {
        let open = match store.chunk_files() {
            Some(files) => OpenFrame::sparse(SparseIndex::read(store, &limits)?, Box::new(files))?,
            None => {
                let len = store.len().map_err(Error::reading)?;
                expect_frame(store, len)?;
                OpenFrame::contiguous(Box::new(store), &limits)?
            }
        };
        Ok(Archive::new(Box::new(open)).limits(limits))
    }

    fn new(frame: Frame, len: u64, bytes: FrameBytes<'a>) -> Result<Self, Error> {
        let array = Grid::of(&frame)?;
        let numpy = array.as_ref().and_then(|(array, grid)| {
            // The size of the dtype must match the items in the chunks.
            let dtype = array.numpy_dtype().ok().flatten().filter(|dtype| dtype.itemsize() == grid.itemsize())?;
            Some(NumpyMeta { dtype, shape: array.shape.clone(), order: Order::C })
        });
        let (ranges, starts, vl_blocks) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Ok(OpenFrame { frame, bytes, len, array, numpy, ranges, starts, vl_blocks })
    }

    /// Returns the position of chunk `number`, with the size that an array requires.
    fn chunk_ref(&self, number: u64) -> Result<ChunkRef, Error> {
        let mut place = self.frame.chunk(number)?;
        let Some((_, grid)) = &self.array else { return Ok(place) };
        // All chunks of an array have the same size, also the last one, and even if the header does not contain it.
        let size = grid.chunk_nbytes() as u32;
        let found = match &mut place {
            ChunkRef::Stored { nbytes, .. } | ChunkRef::File { nbytes, .. } => *nbytes.get_or_insert(size),
            ChunkRef::Special { nbytes, .. } => *nbytes,
        };
        if found != size {
            let (found, expected) = (found.into(), size.into());
            return Err(Error::Format(FrameError::ChunkSize { chunk: number, found, expected }.into()));
        }
        Ok(place)
    }

    /// Returns the location of chunk `number`.
    pub(super) fn find(&self, number: u64) -> Result<ChunkLocation<'_>, Error> {
        self.bytes.find(number, self.chunk_ref(number)?)
    }

    /// Returns the file of a contiguous frame.
    pub(super) fn file(&self) -> Option<&dyn ReadAt> {
        if let FrameBytes::File(file) = &self.bytes { Some(&**file) } else { None }
    }

    /// Returns the number of bytes up to the next chunk, or to the end of a chunk file. The chunk mostly has this size.
    pub(super) fn extent(&self, chunk: &StoredChunk<'_>) -> u64 {
        if matches!(self.bytes, FrameBytes::ChunkFiles(_)) || self.frame.index.is_repeated() {
            return chunk.room;
        }
        let starts = self.starts.get_or_init(|| {
            let places = (0..self.frame.nchunks()).filter_map(|number| match self.frame.chunk(number) {
                Ok(ChunkRef::Stored { at, .. }) => Some(at),
                _ => None,
            });
            // Without memory for it, chunks are read in more requests.
            let mut starts = memory::collect(places).unwrap_or_default();
            starts.sort_unstable();
            starts
        });
        let next = starts.get(starts.partition_point(|start| *start <= chunk.at));
        next.map_or(chunk.room, |next| chunk.room.min(next - chunk.at))
    }

    /// Refuses a chunk with blocks of variable length in a frame without such chunks, and vice versa.
    pub(super) fn check_kind(&self, chunk: u64, vl_blocks: bool) -> Result<(), Error> {
        match self.has_vl_blocks() {
            Some(first) if first != vl_blocks => Err(Error::MixedChunks { chunk }),
            _ => Ok(()),
        }
    }

    /// Returns whether the blocks of the first stored chunk have variable lengths. `None` if its header cannot be read,
    /// which is tried again by the next call.
    fn has_vl_blocks(&self) -> Option<bool> {
        if let Some(known) = self.vl_blocks.get() {
            return Some(*known);
        }
        let info = self.info(self.frame.index.first_stored()?).ok()?;
        Some(*self.vl_blocks.get_or_init(|| info.vl_blocks))
    }

    /// Returns the properties in the header of chunk `number`.
    fn info(&self, number: u64) -> Result<ChunkInfo, Error> {
        match self.find(number)? {
            ChunkLocation::Special { special, nbytes } => {
                Ok(ChunkInfo { nbytes, cbytes: 0, vl_blocks: false, special: Some(special) })
            }
            ChunkLocation::Stored(chunk) => {
                let info = ChunkInfo::parse(&chunk.head()?)?;
                info.check(number, chunk.room, chunk.nbytes)?;
                Ok(info)
            }
        }
    }

    /// Returns the range of plain bytes of each chunk. If chunk sizes vary, the first call reads the headers of all
    /// chunks.
    fn ranges(&self, limits: &Limits) -> Result<&PlainRanges, Error> {
        if let Some(ranges) = self.ranges.get() {
            return Ok(ranges);
        }
        let ranges = match self.frame.header.chunksize {
            ChunkSize::Fixed(size) => PlainRanges::uniform(size.into(), self.frame.header.nbytes),
            _ => PlainRanges::Ends(self.ends(limits)?),
        };
        Ok(self.ranges.get_or_init(|| ranges))
    }

    /// Returns the end of each chunk within the plain bytes, from the chunk headers.
    fn ends(&self, limits: &Limits) -> Result<Vec<u64>, Error> {
        // A repeated index entry takes 40 bytes in the file, but each of the chunks needs memory here.
        limits.check_chunks(self.frame.nchunks())?;
        let (mut ends, mut end, mut before) = (Vec::new(), 0u64, None);
        for chunk in 0..self.frame.nchunks() {
            // The same chunk again has the same size. Since chunk sizes vary here, the last chunk is no exception.
            let entry = self.frame.index.raw(chunk);
            let nbytes = match before {
                Some((same, nbytes)) if same == entry => nbytes,
                _ => self.info(chunk)?.nbytes,
            };
            before = Some((entry, nbytes));
            end += u64::from(nbytes);
            if end > self.frame.header.nbytes {
                break;
            }
            memory::push(&mut ends, end)?;
        }
        self.check_sum(end)?;
        Ok(ends)
    }
}

impl Container for OpenFrame<'_> {
    fn format(&self) -> Format {
        match self.bytes {
            FrameBytes::File(_) => Format::Blosc2Frame,
            FrameBytes::ChunkFiles(_) => Format::SparseFrame,
        }
    }

    fn cbytes(&self) -> u64 {
        self.len
    }

    fn nchunks(&self) -> u64 {
        self.frame.nchunks()
    }

    fn nbytes(&self) -> u64 {
        match &self.array {
            Some((_, grid)) => grid.nbytes_of(&grid.all()).unwrap_or(0),
            None => self.frame.header.nbytes,
        }
    }

    fn typesize(&self) -> usize {
        self.frame.header.typesize as usize
    }

    fn chunk_range(&self, number: u64, limits: &Limits) -> Result<Option<Range<u64>>, Error> {
        if number >= self.frame.nchunks() {
            return Ok(None);
        }
        Ok(Some(self.ranges(limits)?.of(number)))
    }

    fn chunk_of(&self, at: u64, limits: &Limits) -> Result<u64, Error> {
        Ok(self.ranges(limits)?.chunk_of(at))
    }

    fn weight(&self, number: u64, options: &UnpackOptions) -> Weight {
        let of =
            |nbytes: u64, cbytes: &dyn Fn() -> u64| Weight::of_chunk(nbytes, &options.threads, &options.limits, cbytes);
        match self.frame.chunk(number) {
            Ok(ChunkRef::Special { .. }) | Err(_) => Weight::NONE,
            Ok(ChunkRef::Stored { nbytes: Some(nbytes), .. } | ChunkRef::File { nbytes: Some(nbytes), .. }) => {
                of(nbytes.into(), &|| self.info(number).map_or(0, |info| info.cbytes.into()))
            }
            Ok(_) => self.info(number).map_or(Weight::NONE, |info| {
                // A repeated value is written in pieces and takes no memory for the whole chunk.
                let nbytes = if info.special.is_some() { 0 } else { info.nbytes };
                of(nbytes.into(), &|| info.cbytes.into())
            }),
        }
    }

    fn fetch(&self, number: u64, ranges: Option<&[Range<usize>]>, _limits: &Limits) -> Result<Fetched, Error> {
        self.fetch_chunk(number, ranges)
    }

    fn is_distant(&self) -> bool {
        self.bytes.request_cost().is_some()
    }

    fn prefetch(&self, chunks: &[Wanted<'_>]) {
        self.prefetch_chunks(chunks);
    }

    fn decoder(&self, decoder: Decoder) -> Decoder {
        let decoder = decoder.super_chunk_typesize(self.frame.header.typesize as usize);
        match &self.array {
            Some((array, _)) => decoder.blockshape(&array.block_axes()),
            None => decoder,
        }
    }

    fn chunk_position(&self, number: u64) -> Option<u64> {
        match self.frame.chunk(number) {
            Ok(ChunkRef::Stored { at, .. }) => Some(at),
            _ => None,
        }
    }

    fn chunk_extent(&self, number: u64, _limits: &Limits) -> Result<Option<Extent>, Error> {
        let file = match self.frame.chunk(number)? {
            ChunkRef::Special { .. } => return Ok(None),
            ChunkRef::Stored { .. } => None,
            ChunkRef::File { number, .. } => Some(sframe::chunk_file_name(number)),
        };
        let ChunkLocation::Stored(StoredChunk { at: offset, .. }) = self.find(number)? else { return Ok(None) };
        let ChunkInfo { nbytes, cbytes, .. } = self.info(number)?;
        Ok(Some(Extent { file, offset, cbytes: cbytes.into(), nbytes: nbytes.into() }))
    }

    fn chunk_facts(&self, number: u64, _limits: &Limits) -> Result<ChunkFacts, Error> {
        match self.find(number)? {
            ChunkLocation::Special { special, nbytes } => Ok(ChunkFacts::special(special, nbytes.into())),
            ChunkLocation::Stored(chunk) => {
                self.info(number)?;
                let refuse = |source| Error::Chunk { chunk: number, offset: chunk.at, source };
                Ok(ChunkFacts::of_header(&Header::parse(&chunk.head()?).map_err(refuse)?))
            }
        }
    }

    /// For a sparse frame, the total size of its chunk files. A file counts once, even if it is used for many chunks.
    /// Counting stops at a missing file.
    fn stored(&self, enough: u64) -> u64 {
        let FrameBytes::ChunkFiles(files) = &self.bytes else { return self.len };
        let at_most = if self.frame.index.is_repeated() { 1 } else { self.frame.nchunks() };
        let numbers = (0..at_most).filter_map(|chunk| match self.frame.chunk(chunk) {
            Ok(ChunkRef::File { number, .. }) => Some(number),
            _ => None,
        });
        let (mut stored, mut counted) = (0_u64, HashSet::new());
        for number in numbers {
            if stored >= enough {
                break;
            }
            if counted.insert(number) {
                let Ok(len) = files.open_chunk(number).and_then(|file| file.len()) else { break };
                stored = stored.saturating_add(len);
            }
        }
        stored
    }

    fn details(&self) -> Details<'_> {
        Details::Frame(&self.frame)
    }

    fn numpy(&self) -> Option<&NumpyMeta> {
        self.numpy.as_ref()
    }

    fn grid(&self) -> Option<(&B2nd, &Grid)> {
        self.array.as_ref().map(|(array, grid)| (array, grid))
    }

    fn is_special(&self, number: u64) -> bool {
        matches!(self.frame.chunk(number), Ok(ChunkRef::Special { .. }))
    }

    fn alike(&self, number: u64) -> u64 {
        let frame = &self.frame;
        let Ok(first @ ChunkRef::Special { nbytes, .. }) = frame.chunk(number) else { return 1 };
        let most = (ALIKE / u64::from(nbytes.max(1))).clamp(1, frame.nchunks() - number);
        // All chunks are equal except the last, which may be shorter.
        if frame.index.is_repeated() {
            return if number + most == frame.nchunks() { most.saturating_sub(1).max(1) } else { most };
        }
        let others =
            (number + 1..number + most).take_while(|chunk| frame.chunk(*chunk).is_ok_and(|other| other == first));
        1 + others.count() as u64
    }

    fn check_sum(&self, found: u64) -> Result<(), Error> {
        let expected = self.frame.header.nbytes;
        if found == expected { Ok(()) } else { Err(Error::PlainSize { found, expected }) }
    }

    fn to_verify(&self, limits: &Limits) -> Result<ToVerify<'_>, Error> {
        verify::chunks(&self.frame, |chunk| self.chunk_ref(chunk), |chunk| self.info(chunk), limits)
    }

    fn verify_rest(&self, limits: &Limits, cancel: &Cancel) -> Result<(), Error> {
        for (_, checked) in self.frame.trailer.vlmetalayers.checked(*limits) {
            cancel.check()?;
            checked?;
        }
        Ok(())
    }
}
