//! The chunks of a super-chunk: as a list, or in a frame in memory or on disk.

use std::borrow::Cow;

use blosc_core::{BlockSize, CParams, Encoder, ErrorKind, Special, memory};
use bloscpack_format::frame::{ChunkRef, Entry, FrameType, Header};
use bloscpack_io::frame::{ChunkBytes, MemoryFrame};
use bloscpack_io::{Error, OpenOptions, ReadAt as _};

use super::file::FileFrame;
use super::lock::{Access, FrameLock, Held};
use super::params::Params;
use super::store::{AnyStore, Writer};
use crate::blosc2::codes::{DATA, FAILURE, FILE_READ, INVALID_PARAM, MEMORY, of_frame, trace};
use crate::blosc2::header::{Info, LONG};

/// Maximum number of chunks that are made of a frame with fewer bytes.
const MAX_UNSTORED: u64 = 1 << 23;

/// The chunks of a super-chunk.
pub(crate) enum Chunks {
    List(Vec<Vec<u8>>),
    /// A contiguous frame in memory. It is completed when its bytes are needed.
    Memory(Box<Writer>),
    File(Box<FileFrame>),
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
    pub(super) fn frame<R>(&self, work: impl FnOnce(&Writer) -> Result<R, i32>) -> Result<Option<R>, i32> {
        match self {
            Chunks::List(_) => Ok(None),
            Chunks::Memory(writer) => work(writer).map(Some),
            Chunks::File(file) => file.read(work).map(Some),
        }
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

    /// Copies the first `count` chunks into a list. A damaged chunk is copied if its sizes are right: only a call that
    /// decodes it fails, as in C-Blosc2.
    ///
    /// # Errors
    /// As [`Chunks::chunk`], and the code of too many chunks for the compressed bytes.
    pub(crate) fn to_list(&self, count: i64, cbytes: i64, params: Params) -> Result<Vec<Vec<u8>>, i32> {
        check_count(count, cbytes)?;
        let mut list = memory::with_capacity(usize::try_from(count).map_err(|_| MEMORY)?).map_err(|_| MEMORY)?;
        for number in 0..count {
            let chunk = self.chunk(number, params).map(Cow::into_owned);
            list.push(chunk.or_else(|code| self.damaged_chunk(number, code))?);
        }
        Ok(list)
    }

    /// Returns a chunk that cannot be decoded.
    ///
    /// # Errors
    /// `code` if the sizes in its header are not those of the frame.
    fn damaged_chunk(&self, number: i64, code: i32) -> Result<Vec<u8>, i32> {
        let chunk = self.frame(|frame| {
            let number = u64::try_from(number).map_err(|_| code)?;
            let start = |len| frame.chunk_start(number, len).ok().flatten().ok_or(code);
            let place = frame.frame().ok().and_then(|frame| frame.chunk(number).ok());
            let (Some(ChunkRef::Stored { nbytes, .. }), info) = (place, Info::of(&start(LONG as u64)?)?) else {
                return Err(code);
            };
            let cbytes = usize::try_from(info.cbytes()).map_err(|_| code)?;
            let chunk = start(cbytes as u64)?;
            let is_right = nbytes.is_none_or(|nbytes| i32::try_from(nbytes) == Ok(info.nbytes()));
            if is_right && chunk.len() == cbytes { Ok(chunk) } else { Err(code) }
        })?;
        chunk.ok_or(code)
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

/// Returns the chunk of a special value.
pub(super) fn special_chunk(special: Special, nbytes: u32, params: Params) -> Result<Vec<u8>, i32> {
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
