//! Opening a Blosc2 frame: header, trailer and index, and nothing of the chunks until one is wanted.

use std::ops::Range;
use std::sync::OnceLock;

use blosc_core::{Limits, memory};
use bloscpack_format::frame::{
    B2nd, ChunkInfo, ChunkRef, ChunkSize, Frame, FrameType, Grid, Header, Index, Layout, Trailer, check_len,
};
use bloscpack_format::numpy::{NumpyMeta, Order};

use crate::Error;
use crate::in_memory::room;
use crate::source::{ReadAt, parse_start};

/// A frame without its chunks.
#[derive(Debug)]
pub(super) struct OpenFrame {
    pub(super) frame: Frame,
    /// What makes it an array, and its arithmetic.
    pub(super) array: Option<(B2nd, Grid)>,
    /// Chunk *k* ends at the *k*-th plain byte, where sizes vary: known when somebody asks.
    ends: OnceLock<Vec<u64>>,
    /// Whether blocks have variable lengths, as the first chunk that is stored has it; `None` if it does not say.
    vl_blocks: OnceLock<Option<bool>>,
}

/// Where a chunk comes from.
pub(super) enum Place<'a> {
    /// From `at` in a source, where so many bytes are its to use.
    Stored { at: u64, room: u64, source: Box<dyn ReadAt + 'a>, nbytes: Option<u32> },
    /// From nowhere.
    Special { special: blosc_core::Special, nbytes: u32 },
}

impl OpenFrame {
    /// Opens the frame at the start of `source`, which has `len` bytes.
    pub(super) fn open(source: &impl ReadAt, len: u64, limits: &Limits) -> Result<OpenFrame, Error> {
        let read = |at: u64, bytes: u64, what: &str| -> Result<Vec<u8>, Error> {
            if at.checked_add(bytes).is_none_or(|end| end > len) {
                return Err(Error::Truncated {
                    offset: at,
                    what: what.into(),
                    needed: bytes,
                    found: len.saturating_sub(at),
                });
            }
            limits.check_memory("a part of the frame", bytes)?;
            let mut buf = room(bytes)?;
            source.read_exact_at(at, &mut buf).map_err(Error::io("reading the input"))?;
            Ok(buf)
        };
        let header = parse_start(source, Header::FIXED_LEN as u64, Header::parse)?;
        let directory = source.chunk_files().is_some();
        header.expect_type(if directory { FrameType::Sparse } else { FrameType::Contiguous })?;
        check_len(&header, len)?;
        let tail_len = Trailer::TAIL_LEN as u64;
        let tail = read(header.frame_len.saturating_sub(tail_len), tail_len, "the frame's trailer")?;
        let layout = Layout::new(&header, Trailer::len_at_end(&tail)?)?;
        let part = |range: &Range<u64>, what| read(range.start, range.end - range.start, what);
        let trailer = Trailer::parse(&part(&layout.trailer, "the frame's trailer")?)?;
        // Between index and trailer there may be bytes that mean nothing, as many as there are.
        let start =
            layout.index.start..layout.index.end.min(layout.index.start + blosc_core::Header::EXTENDED_LEN as u64);
        let mut index = part(&start, "the frame's index")?;
        if let Ok(info) = ChunkInfo::parse(&index) {
            let end = layout.index.end.min(layout.index.start + u64::from(info.cbytes));
            memory::extend(&mut index, &part(&(start.end..end.max(start.end)), "the frame's index")?)?;
        }
        let index = Index::decode(&index, &header, *limits)?;
        let frame = Frame { header, index, trailer };
        frame.check_index()?;
        let array = Grid::of(&frame)?;
        Ok(OpenFrame { frame, array, ends: OnceLock::new(), vl_blocks: OnceLock::new() })
    }

    /// What the array is to NumPy, if it has a dtype and the dtype is the frame's.
    pub(super) fn numpy(&self) -> Option<NumpyMeta> {
        let (array, grid) = self.array.as_ref()?;
        let dtype = array.numpy_dtype().ok().flatten().filter(|dtype| dtype.itemsize() == grid.itemsize())?;
        Some(NumpyMeta { dtype, shape: array.shape.clone(), order: Order::C })
    }

    /// Bytes of the array without padding, or of all chunks.
    pub(super) fn nbytes(&self) -> u64 {
        match &self.array {
            Some((_, grid)) => grid.nbytes_of(&grid.all()).unwrap_or(0),
            None => self.frame.header.nbytes,
        }
    }

    /// Where chunk `number` comes from.
    pub(super) fn place<'a>(&self, source: &'a impl ReadAt, number: u64) -> Result<Place<'a>, Error> {
        // All chunks of an array have one size, also where the header does not say so.
        let of_array = self.array.as_ref().map(|(_, grid)| grid.chunk_nbytes() as u32);
        Ok(match self.frame.chunk(number)? {
            ChunkRef::Special { special, nbytes } => Place::Special { special, nbytes },
            ChunkRef::Stored { at, room, nbytes } => {
                Place::Stored { at, room, source: Box::new(source), nbytes: nbytes.or(of_array) }
            }
            ChunkRef::File { number: file, nbytes } => {
                let refuse = |source| Error::ChunkFile { chunk: number, file, source };
                let files = source.chunk_files().ok_or_else(|| refuse(std::io::ErrorKind::Unsupported.into()))?;
                let source = files.open_chunk(file).map_err(refuse)?;
                Place::Stored { at: 0, room: source.len().map_err(refuse)?, source, nbytes: nbytes.or(of_array) }
            }
        })
    }

    /// Refuses a chunk of blocks of variable length among others, or the other way round.
    pub(super) fn check_kind(&self, source: &impl ReadAt, chunk: u64, vl_blocks: bool) -> Result<(), Error> {
        let first = *self.vl_blocks.get_or_init(|| self.first_kind(source));
        match first {
            Some(first) if first != vl_blocks => Err(Error::MixedChunks { chunk }),
            _ => Ok(()),
        }
    }

    /// What the first chunk that is stored says, if it says anything.
    fn first_kind(&self, source: &impl ReadAt) -> Option<bool> {
        self.info(source, self.frame.index.first_stored()?).ok().map(|info| info.vl_blocks)
    }

    /// What the header of a stored chunk says.
    pub(super) fn info(&self, source: &impl ReadAt, number: u64) -> Result<ChunkInfo, Error> {
        match self.place(source, number)? {
            Place::Special { special, nbytes } => {
                Ok(ChunkInfo { nbytes, cbytes: 0, vl_blocks: false, special: Some(special) })
            }
            Place::Stored { at, room, source, nbytes } => {
                let info = ChunkInfo::parse(&read_head(&*source, at, room)?)?;
                info.check(number, room, nbytes)?;
                Ok(info)
            }
        }
    }

    /// Where the chunks end in their plain bytes, `None` where all have one size. Reads the header of every chunk, once.
    fn ends(&self, source: &impl ReadAt, limits: &Limits) -> Result<Option<&[u64]>, Error> {
        if let ChunkSize::Fixed(_) = self.frame.header.chunksize {
            return Ok(None);
        }
        if let Some(ends) = self.ends.get() {
            return Ok(Some(ends));
        }
        // One entry that repeats took 40 bytes to say; each of its ends takes memory.
        limits.check_chunks(self.frame.nchunks())?;
        let (mut ends, mut end, mut before) = (Vec::new(), 0u64, None);
        for chunk in 0..self.frame.nchunks() {
            // The same chunk again has the same size: sizes vary, so that the last one is like the others.
            let entry = self.frame.index.raw(chunk);
            let nbytes = match before {
                Some((same, nbytes)) if same == entry => nbytes,
                _ => self.info(source, chunk)?.nbytes,
            };
            before = Some((entry, nbytes));
            end += u64::from(nbytes);
            if end > self.frame.header.nbytes {
                return self.check_sum(end).map(|()| None);
            }
            memory::push(&mut ends, end)?;
        }
        self.check_sum(end)?;
        Ok(Some(self.ends.get_or_init(|| ends)))
    }

    /// The plain bytes of chunk `number` within those of all.
    pub(super) fn chunk_range(
        &self,
        source: &impl ReadAt,
        number: u64,
        limits: &Limits,
    ) -> Result<Option<Range<u64>>, Error> {
        let header = &self.frame.header;
        if number >= self.frame.nchunks() {
            return Ok(None);
        }
        let ends = self.ends(source, limits)?;
        let end_of = |chunk: u64| match (ends, header.chunksize) {
            (Some(ends), _) => usize::try_from(chunk).ok().and_then(|chunk| ends.get(chunk)).copied(),
            (None, ChunkSize::Fixed(size)) => Some((chunk + 1).saturating_mul(size.into()).min(header.nbytes)),
            (None, _) => None,
        };
        let start = number.checked_sub(1).map_or(Some(0), end_of);
        Ok(start.zip(end_of(number)).map(|(start, end)| start..end))
    }

    /// The chunk that holds plain byte `at` of all chunks.
    pub(super) fn chunk_of(&self, source: &impl ReadAt, at: u64, limits: &Limits) -> Result<u64, Error> {
        Ok(match (self.ends(source, limits)?, self.frame.header.chunksize) {
            (Some(ends), _) => ends.partition_point(|end| *end <= at) as u64,
            (None, ChunkSize::Fixed(size)) => at / u64::from(size),
            (None, _) => 0,
        })
    }

    /// Compares the plain bytes of all chunks with what the header says.
    pub(super) fn check_sum(&self, found: u64) -> Result<(), Error> {
        let expected = self.frame.header.nbytes;
        if found == expected { Ok(()) } else { Err(Error::PlainSize { found, expected }) }
    }
}

/// The header of a chunk, or all that there is.
pub(super) fn read_head(source: &(impl ReadAt + ?Sized), at: u64, room: u64) -> Result<Vec<u8>, Error> {
    let mut head = vec![0; room.min(blosc_core::Header::EXTENDED_LEN as u64) as usize];
    source.read_exact_at(at, &mut head).map_err(Error::io("reading the input"))?;
    Ok(head)
}
