//! The chunks of a super-chunk: as a list, or in a frame in memory or on disk.

use std::borrow::Cow;

use blosc_core::{BlockSize, CParams, Encoder, ErrorKind, Special, memory};
use bloscpack_format::frame::{ChunkSize, Entry, FrameType, Header};
use bloscpack_io::frame::{ChunkBytes, MemoryFrame};
use bloscpack_io::{Error, OpenOptions, ReadAt as _};

use super::change::Change;
use super::file::FileFrame;
use super::lock::{Access, FrameLock, Held};
use super::params::{Params, chunksize};
use super::sizes::Sizes;
use super::store::{AnyStore, Writer};
use crate::blosc2::codes::{
    CHUNK_APPEND, CHUNK_INSERT, CHUNK_UPDATE, DATA, FAILURE, FILE_READ, FRAME_SPECIAL, INVALID_PARAM, MEMORY, of_frame,
    trace,
};
use crate::blosc2::header::Info;

/// Maximum number of chunks that are made of a frame with fewer bytes.
const MAX_UNSTORED: u64 = 1 << 23;

/// Names and contents of metalayers.
pub(crate) type Layers = Vec<(Vec<u8>, Vec<u8>)>;

/// The chunks of a super-chunk.
pub(crate) enum Chunks {
    List(Vec<Vec<u8>>),
    /// A contiguous frame in memory. It is completed when its bytes are needed.
    Memory(Box<Writer>),
    File(Box<FileFrame>),
}

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
    /// Creates a contiguous frame in memory.
    pub(crate) fn in_memory(header: Header) -> Result<Self, i32> {
        let store = AnyStore::new(Box::new(MemoryFrame::new(FrameType::Contiguous)), 0);
        let writer = Writer::start_sequence(store, header).map_err(|error| of_frame(&error, INVALID_PARAM))?;
        Ok(Chunks::Memory(Box::new(writer)))
    }

    /// Opens a contiguous frame in memory.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Self, i32> {
        let store = AnyStore::new(Box::new(MemoryFrame { file: bytes, files: None }), 0);
        let writer = Writer::open_sequence(store, &OpenOptions::new()).map_err(|error| of_frame(&error, DATA))?;
        Ok(Chunks::Memory(Box::new(writer)))
    }

    /// Calls `work` with the frame, if there is one.
    fn frame<R>(&self, work: impl FnOnce(&Writer) -> Result<R, i32>) -> Result<Option<R>, i32> {
        match self {
            Chunks::List(_) => Ok(None),
            Chunks::Memory(writer) => work(writer).map(Some),
            Chunks::File(file) => file.read(work).map(Some),
        }
    }

    /// Returns the content of the frame.
    ///
    /// # Errors
    /// The code of a damaged frame.
    pub(crate) fn opened(&self) -> Result<Opened, i32> {
        let opened = self.frame(opened)?.ok_or(FAILURE)?;
        let generation = if let Chunks::File(file) = self { file.read_generation() } else { 0 };
        Ok(Opened { generation, ..opened })
    }

    /// Returns the lock of a frame in files, if the program asked for one.
    pub(crate) fn frame_lock(&self) -> Option<&FrameLock> {
        if let Chunks::File(file) = self { file.frame_lock() } else { None }
    }

    /// Waits for the lock of a frame in files, if the program asked for one.
    ///
    /// # Errors
    /// The code of a file that cannot be locked.
    pub(crate) fn hold(&self, access: Access) -> Result<Held, i32> {
        if let Chunks::File(file) = self { file.hold(access) } else { Ok(Held::default()) }
    }

    /// Returns a compressed chunk, whose number is below that of the chunks.
    ///
    /// # Errors
    /// The code of damage.
    pub(crate) fn chunk(&self, number: i64, params: Params) -> Result<Cow<'_, [u8]>, i32> {
        let number = u64::try_from(number).map_err(|_| INVALID_PARAM)?;
        if let Chunks::List(chunks) = self {
            let chunk = usize::try_from(number).ok().and_then(|number| chunks.get(number));
            return chunk.map(|chunk| Cow::Borrowed(chunk.as_slice())).ok_or(INVALID_PARAM);
        }
        let found = self.frame(|frame| frame.stored_chunk(number).map_err(|error| of_chunk(&error)))?;
        match found.ok_or(FAILURE)? {
            ChunkBytes::Stored(bytes) => Ok(Cow::Owned(bytes)),
            ChunkBytes::Special(special, nbytes) => special_chunk(special, nbytes, params).map(Cow::Owned),
        }
    }

    /// Copies the first `count` chunks into a list.
    ///
    /// # Errors
    /// As [`Chunks::chunk`], and the code of too many chunks for the compressed bytes.
    pub(crate) fn to_list(&self, count: i64, cbytes: i64, params: Params) -> Result<Vec<Vec<u8>>, i32> {
        check_count(count, cbytes)?;
        let mut list = memory::with_capacity(usize::try_from(count).map_err(|_| MEMORY)?).map_err(|_| MEMORY)?;
        for number in 0..count {
            list.push(self.chunk(number, params)?.into_owned());
        }
        Ok(list)
    }

    /// Returns the index of the frame. `None` if there is no frame.
    ///
    /// # Errors
    /// The code of a damaged frame, or of missing memory: an index of one repeated entry may be long in a short file.
    pub(crate) fn offsets(&self) -> Result<Option<Vec<i64>>, i32> {
        self.frame(|frame| {
            let index = &frame.frame().map_err(|_| FAILURE)?.index;
            if index.is_repeated() && index.len() > MAX_UNSTORED {
                return Err(MEMORY);
            }
            let mut offsets = memory::with_capacity(index.len() as usize).map_err(|_| MEMORY)?;
            for number in 0..index.len() {
                offsets.push(Entry::to_i64(index.get(number).map_err(|_| DATA)?));
            }
            Ok(offsets)
        })
    }

    /// Applies a change. Returns the sizes after it.
    ///
    /// # Errors
    /// The code of the change. The chunks are then unchanged.
    pub(crate) fn change(&mut self, change: &Change<'_>, sizes: Sizes, params: Params) -> Result<Sizes, i32> {
        let new = self.expected(change, sizes, params)?;
        let sized = Change::Sized(sizes.chunksize.unsigned_abs(), change);
        // Programs set the size in the structure, after the frame was created.
        let has_size = sizes.nchunks == 0 && sizes.chunksize > 0 && !matches!(change, Change::Fill(..));
        let is_layer = matches!(change, Change::AddMetalayer(..));
        let change = if has_size { &sized } else { change };
        match self {
            Chunks::List(chunks) => apply(chunks, change, params)?,
            Chunks::Memory(writer) => {
                change.apply(writer).map_err(|error| of_frame(&error, code_of(change, sizes)))?;
                if is_layer {
                    writer.commit().map_err(|error| of_frame(&error, FAILURE))?;
                }
                return of_writer(writer, new);
            }
            Chunks::File(file) => return of_writer(&file.change(change, code_of(change, sizes))?, new),
        }
        Ok(new)
    }

    /// Waits until the changes are durable.
    ///
    /// # Errors
    /// As [`FileFrame::sync`].
    pub(crate) fn sync(&mut self) -> Result<(), i32> {
        match self {
            Chunks::File(file) => file.sync(),
            Chunks::List(_) | Chunks::Memory(_) => Ok(()),
        }
    }

    /// Checks a change and returns the sizes after it.
    fn expected(&self, change: &Change<'_>, sizes: Sizes, params: Params) -> Result<Sizes, i32> {
        let info = |number: i64| Info::of(&self.chunk(number, params)?);
        let is_list = matches!(self, Chunks::List(_));
        // The index of a frame has special values.
        let cbytes = |info: Info| if info.is_special() && !is_list { 0 } else { i64::from(info.cbytes()) };
        Ok(match *change {
            Change::Insert(at, chunk) => {
                let chunk = Info::of(chunk)?;
                if !is_list && chunk.nbytes() == 0 {
                    return Err(trace(CHUNK_APPEND, format_args!("a frame has no chunks without bytes")));
                }
                let has_fixed = sizes.chunksize != 0 && sizes.nchunks > 0;
                let last = has_fixed.then(|| info(sizes.nchunks - 1)).transpose()?;
                let new = sizes.inserted(at as i64, chunk, last.map(Info::nbytes))?;
                Sizes { cbytes: sizes.cbytes.saturating_add(cbytes(chunk)), ..new }
            }
            Change::Update(at, chunk) => {
                let (chunk, old) = (Info::of(chunk)?, info(at as i64)?);
                let new = sizes.updated(at as i64, old, chunk)?;
                Sizes { cbytes: sizes.cbytes.saturating_add(cbytes(chunk) - cbytes(old)), ..new }
            }
            Change::Delete(at) => {
                let old = info(at as i64)?;
                let keeps = matches!(self, Chunks::Memory(_)) || matches!(self, Chunks::File(f) if !f.is_directory());
                let removed = if keeps { 0 } else { cbytes(old) };
                Sizes { cbytes: sizes.cbytes.saturating_sub(removed), ..sizes.deleted(old) }
            }
            Change::Fill(special, count, [size, last]) => {
                let nbytes = i64::try_from(count).ok().and_then(|count| count.checked_mul(size.into()));
                let nchunks = count as i64 + i64::from(last > 0);
                let one = special_chunk(special, size, params)?.len() as i64;
                let nbytes = nbytes.and_then(|nbytes| nbytes.checked_add(last.into())).ok_or(FRAME_SPECIAL)?;
                let cbytes = if is_list { one.saturating_mul(nchunks) } else { 0 };
                let chunksize = if count > 0 { size } else { last } as i32;
                Sizes { nchunks, nbytes, cbytes, chunksize, ..sizes }
            }
            _ => sizes,
        })
    }

    /// Returns the bytes of the frame in memory, complete.
    ///
    /// # Errors
    /// The code of missing memory. `None` if there is no frame in memory.
    pub(crate) fn frame_bytes(&mut self) -> Result<Option<Vec<u8>>, i32> {
        let Chunks::Memory(writer) = self else { return Ok(None) };
        writer.commit().map_err(|error| of_frame(&error, FAILURE))?;
        let store = writer.store();
        let len = store.len().ok().and_then(|len| usize::try_from(len).ok()).ok_or(FAILURE)?;
        let mut bytes = memory::zeroed(len).map_err(|_| MEMORY)?;
        store.read_exact_at(0, &mut bytes).map_err(|_| FAILURE)?;
        Ok(Some(bytes))
    }

    /// Returns the length of the frame; `None` if there is none.
    ///
    /// # Errors
    /// The code of a frame that cannot be read.
    pub(crate) fn frame_len(&mut self) -> Result<Option<i64>, i32> {
        if let Chunks::Memory(writer) = self {
            writer.commit().map_err(|error| of_frame(&error, FAILURE))?;
        }
        self.frame(|frame| Ok(frame.frame().map_err(|_| FAILURE)?.header.frame_len as i64))
    }
}

/// Refuses a list of many chunks without bytes of their own: a short frame may have billions.
///
/// # Errors
/// The code of missing memory.
pub(crate) fn check_count(count: i64, cbytes: i64) -> Result<(), i32> {
    if count / 16 > cbytes && count.unsigned_abs() > MAX_UNSTORED {
        return Err(trace(MEMORY, format_args!("the frame has few bytes for {count} chunks")));
    }
    Ok(())
}

/// Returns the code of a chunk that cannot be read.
fn of_chunk(error: &Error) -> i32 {
    let is_missing = matches!(error.kind(), ErrorKind::Truncated | ErrorKind::NotFound | ErrorKind::Io);
    of_frame(error, if is_missing { FILE_READ } else { DATA })
}

fn opened(frame: &Writer) -> Result<Opened, i32> {
    let first = frame.frame().map_err(|_| FAILURE)?;
    let header = &first.header;
    let mut sizes = of_writer(frame, Sizes::EMPTY)?;
    sizes.cbytes = header.cbytes as i64;
    let params = Params::of(header);
    if sizes.nchunks > 0 {
        let chunk = frame.stored_chunk(0).map_err(|error| of_frame(&error, DATA))?;
        if let ChunkBytes::Stored(bytes) = chunk {
            sizes.flags = Info::of(&bytes)?.block_flags();
        }
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
fn of_writer(writer: &Writer, sizes: Sizes) -> Result<Sizes, i32> {
    let frame = writer.frame().map_err(|_| FAILURE)?;
    let nchunks = i64::try_from(frame.nchunks()).map_err(|_| DATA)?;
    let nbytes = i64::try_from(frame.header.nbytes).map_err(|_| DATA)?;
    // The program may have set the size of chunks in the structure.
    let is_known = frame.header.chunksize != ChunkSize::Unset;
    let chunksize = if is_known { chunksize(&frame.header) } else { sizes.chunksize };
    Ok(Sizes { nchunks, nbytes, chunksize, ..sizes })
}

/// Returns the code of a change that fails.
fn code_of(change: &Change<'_>, sizes: Sizes) -> i32 {
    match change {
        Change::Sized(_, change) => code_of(change, sizes),
        Change::Insert(at, _) if *at as i64 == sizes.nchunks => CHUNK_APPEND,
        Change::Insert(..) => CHUNK_INSERT,
        Change::Update(..) | Change::Delete(_) => CHUNK_UPDATE,
        Change::Reorder(_) => DATA,
        Change::Fill(..) => FRAME_SPECIAL,
        Change::AddMetalayer(..) | Change::UpdateMetalayer(..) | Change::Vlmetalayers(_) => INVALID_PARAM,
    }
}

/// Applies a change that was checked to a list.
fn apply(chunks: &mut Vec<Vec<u8>>, change: &Change<'_>, params: Params) -> Result<(), i32> {
    let copy = |bytes: &[u8]| memory::copy_of(bytes).map_err(|_| MEMORY);
    match *change {
        Change::Sized(_, change) => apply(chunks, change, params)?,
        Change::Insert(at, chunk) => {
            let chunk = copy(chunk)?;
            chunks.try_reserve(1).map_err(|_| MEMORY)?;
            chunks.insert(at as usize, chunk);
        }
        Change::Update(at, chunk) => *chunks.get_mut(at as usize).ok_or(INVALID_PARAM)? = copy(chunk)?,
        Change::Delete(at) => drop(chunks.remove(at as usize)),
        Change::Reorder(order) => {
            let mut old = std::mem::take(chunks);
            *chunks =
                order.iter().map(|at| old.get_mut(*at as usize).map(std::mem::take).unwrap_or_default()).collect();
        }
        Change::Fill(special, count, [size, last]) => {
            let chunk = special_chunk(special, size, params)?;
            let total = usize::try_from(count).map_err(|_| MEMORY)?;
            chunks.try_reserve(total.saturating_add(1)).map_err(|_| MEMORY)?;
            for _ in 0..count {
                chunks.push(copy(&chunk)?);
            }
            if last > 0 {
                chunks.push(special_chunk(special, last, params)?);
            }
        }
        Change::AddMetalayer(..) | Change::UpdateMetalayer(..) | Change::Vlmetalayers(_) => {}
    }
    Ok(())
}

/// Returns the chunk of a special value.
fn special_chunk(special: Special, nbytes: u32, params: Params) -> Result<Vec<u8>, i32> {
    let typesize = usize::try_from(params.typesize).unwrap_or(1).max(1);
    // Programs read the blocks of an array from the header of any chunk.
    let blocksize = usize::try_from(params.blocksize).ok().filter(|size| *size > 0);
    let blocksize = blocksize.map_or(BlockSize::Auto, BlockSize::Fixed);
    let params = CParams::blosc2().typesize(typesize).blocksize(blocksize);
    let made = Encoder::new(params).and_then(|encoder| match special {
        Special::Nan => encoder.nans(nbytes as usize),
        Special::Uninit => encoder.uninit(nbytes as usize),
        _ => encoder.zeros(nbytes as usize),
    });
    made.map_err(|error| trace(DATA, format_args!("{}", error.report())))
}
