//! Create, open, copy and release super-chunks.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use bloscpack_format::frame::{ChunkSize, FrameType};

use super::callbacks::CallbackFiles;
use super::owned::{Owned, owned};
use super::storage::OwnedStorage;
use crate::blosc2::codes::{INVALID_PARAM, MEMORY, NULL_POINTER, PLUGIN_IO, trace};
use crate::blosc2::decompress::output_size;
use crate::blosc2::header::Info;
use crate::blosc2::schunk::{
    Access, Change, Chunks, FileFrame, Files, FrameLock, LocalFiles, Opened, check_count, path_of,
};
use crate::blosc2::settings;
use crate::exports::blosc2::abi::{CBool, Cparams, Io, IoCallbacks, StdioParams, Storage};
use crate::exports::blosc2::context::{blosc2_create_dctx, compression};
use crate::exports::blosc2::context_chunks::blosc2_decompress_ctx;
use crate::exports::blosc2::defaults::blosc2_get_blosc2_storage_defaults;
use crate::exports::blosc2::defaults::{CPARAMS, DPARAMS, blosc2_get_blosc2_io_defaults};
use crate::exports::blosc2::registration::io_callbacks;
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::guard::{pointer_or_null, value_or_code};
use crate::exports::pointers::{bytes, text};

/// Creates a super-chunk. Null if its frame exists, or for parameters that cannot be used.
///
/// # Safety
/// `storage` and the pointers in it are null or valid; those for callbacks as long as the super-chunk.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_new(storage: *mut Storage) -> *mut Schunk {
    // SAFETY: the caller's promise.
    pointer_or_null(|| unsafe {
        let storage = storage.as_ref().copied().unwrap_or_else(|| blosc2_get_blosc2_storage_defaults());
        created_with(&storage, None)
    })
}

/// Creates a super-chunk whose frame states the size of its chunks before there is one.
///
/// # Safety
/// As [`blosc2_schunk_new`].
pub(in crate::exports::blosc2) unsafe fn created_with(
    storage: &Storage,
    chunksize: Option<i32>,
) -> Result<*mut Schunk, i32> {
    // SAFETY: the caller's promise.
    let mut storage = unsafe { OwnedStorage::copy(storage) };
    functions(storage.io())?;
    let cparams = *storage.cparams();
    // SAFETY: the caller's promise.
    let pointer = unsafe { with_contexts(Owned::new(storage, &cparams)) }?;
    // SAFETY: created above.
    let owned = unsafe { &mut *pointer };
    let is_contiguous = owned.storage.is_contiguous();
    let frame_type = if is_contiguous { FrameType::Contiguous } else { FrameType::Sparse };
    let mut header = owned.params().header(frame_type);
    if let Some(size) = chunksize.filter(|size| *size > 0) {
        header.chunksize = ChunkSize::Fixed(size.unsigned_abs());
        owned.public.chunksize = size;
    }
    let chunks = match owned.storage.path() {
        // SAFETY: the caller's promise.
        Some(path) => unsafe { files(path, frame_type, owned.storage.io()) }
            .and_then(|(files, lock)| FileFrame::create(files, lock, header))
            .map(|file| Chunks::File(Box::new(file))),
        None if is_contiguous => Chunks::in_memory(header),
        None => return Ok(pointer.cast()),
    };
    match chunks {
        Ok(chunks) => {
            owned.set_frame(chunks);
            owned.set_current().map(|()| pointer.cast())
        }
        Err(code) => {
            // SAFETY: created above, and not given to the program.
            drop(unsafe { Box::from_raw(pointer) });
            Err(code)
        }
    }
}

/// Returns the functions of the program for input and output; `None` for the file system.
///
/// # Errors
/// The code of an id that is not registered.
pub(super) fn functions(io: Io) -> Result<Option<IoCallbacks>, i32> {
    if io.id == 0 {
        return Ok(None);
    }
    let missing = || trace(PLUGIN_IO, format_args!("input and output {} is not registered", io.id));
    io_callbacks(io.id).map(Some).ok_or_else(missing)
}

/// The files of a frame, and its lock if the program asks for one.
type LockedFiles = (Box<dyn Files>, Option<Arc<FrameLock>>);

/// Returns access to the files of a frame.
///
/// # Safety
/// The parameters of `io` are those of its functions.
unsafe fn files(path: &CStr, frame_type: FrameType, io: Io) -> Result<LockedFiles, i32> {
    let path = path_of(path);
    if let Some(callbacks) = functions(io)? {
        return Ok((Box::new(CallbackFiles::new(callbacks, io.params, path, frame_type)), None));
    }
    // C-Blosc2 2.x has no parameters for files.
    let params = if cfg!(feature = "blosc2-abi7") { null() } else { io.params.cast::<StdioParams>() };
    // SAFETY: null, or the caller's promise.
    let params = unsafe { params.as_ref() };
    let is_locked = params.is_some_and(|params| params.locking != 0) || settings::locking();
    let lock = is_locked.then(|| FrameLock::new(&path, frame_type == FrameType::Sparse));
    Ok((Box::new(LocalFiles::new(path)), lock))
}

/// Gives a super-chunk its contexts.
///
/// # Safety
/// As [`blosc2_schunk_new`].
unsafe fn with_contexts(owned: Box<Owned>) -> Result<*mut Owned, i32> {
    let pointer = Box::into_raw(owned);
    // SAFETY: from a box.
    let owned = unsafe { &mut *pointer };
    owned.storage.cparams().schunk = pointer.cast();
    owned.storage.dparams().schunk = pointer.cast();
    // SAFETY: the caller's promise.
    let contexts = unsafe { compression(*owned.storage.cparams()) }
        // SAFETY: the caller's promise.
        .map(|cctx| (Box::into_raw(cctx), unsafe { blosc2_create_dctx(*owned.storage.dparams()) }));
    let code = match contexts {
        Ok((cctx, dctx)) => {
            (owned.public.cctx, owned.public.dctx) = (cctx, dctx);
            if dctx.is_null() { NULL_POINTER } else { 0 }
        }
        Err(code) => code,
    };
    if code < 0 {
        // SAFETY: from a box, and not given to the program.
        drop(unsafe { Box::from_raw(pointer) });
        return Err(code);
    }
    Ok(pointer)
}

/// Releases a super-chunk. Waits until the changes of its frame are durable. Returns 0, or a code.
///
/// # Safety
/// `schunk` is null or comes from a function that creates one, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_free(schunk: *mut Schunk) -> c_int {
    value_or_code(|| {
        if schunk.is_null() {
            return Ok(0);
        }
        // SAFETY: the caller's promise.
        let mut owned = unsafe { Box::from_raw(schunk.cast::<Owned>()) };
        let (io, synced) = (owned.storage.io(), owned.chunks.sync());
        drop(owned);
        let released = release_io(io);
        synced.map(|()| released)
    })
}

/// Opens the frame at a path. Null if it cannot be read.
///
/// # Safety
/// `urlpath` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_open(urlpath: *const c_char) -> *mut Schunk {
    // SAFETY: the caller's promise.
    unsafe { blosc2_schunk_open_offset(urlpath, 0) }
}

/// Opens the frame at an offset of a file, as [`blosc2_schunk_open`].
///
/// # Safety
/// As [`blosc2_schunk_open`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_open_offset(urlpath: *const c_char, offset: i64) -> *mut Schunk {
    let io = blosc2_get_blosc2_io_defaults();
    // SAFETY: the caller's promise.
    unsafe { blosc2_schunk_open_offset_udio(urlpath, offset, &io) }
}

/// Opens the frame at a path with parameters of the file system, as [`blosc2_schunk_open`].
///
/// # Safety
/// As [`blosc2_schunk_open`]; `udio` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_open_udio(urlpath: *const c_char, udio: *const Io) -> *mut Schunk {
    // SAFETY: the caller's promise.
    unsafe { blosc2_schunk_open_offset_udio(urlpath, 0, udio) }
}

/// Opens the frame at an offset of a file with parameters of the file system, as [`blosc2_schunk_open`].
///
/// # Safety
/// As [`blosc2_schunk_open_udio`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_open_offset_udio(
    urlpath: *const c_char,
    offset: i64,
    udio: *const Io,
) -> *mut Schunk {
    pointer_or_null(|| {
        // SAFETY: the caller's promise.
        let (Some(path), Some(io)) = (unsafe { (text(urlpath), udio.as_ref()) }) else {
            return Err(trace(NULL_POINTER, format_args!("the path of the super-chunk is null")));
        };
        let start = u64::try_from(offset).map_err(|_| INVALID_PARAM)?;
        let frame_type = if path_of(path).is_dir() { FrameType::Sparse } else { FrameType::Contiguous };
        // SAFETY: the caller's promise.
        let (files, lock) = unsafe { files(path, frame_type, *io) }?;
        let is_contiguous = frame_type == FrameType::Contiguous;
        let chunks = Chunks::File(Box::new(FileFrame::new(files, lock, start)));
        let storage = |cparams| OwnedStorage::new(is_contiguous, Some(path), cparams, opened_dparams(), *io);
        // SAFETY: there are no callbacks.
        match unsafe { opened(chunks, storage) } {
            Ok(owned) => Ok(owned.cast()),
            Err(code) => {
                release_io(*io);
                Err(code)
            }
        }
    })
}

/// Releases the parameters of input and output. Returns 0, or 1 if that fails.
fn release_io(io: Io) -> c_int {
    match functions(io) {
        // SAFETY: the program promises that its function takes its parameters.
        Ok(Some(IoCallbacks { destroy: Some(destroy), .. })) => c_int::from(unsafe { destroy(io.params) } < 0),
        _ => 0,
    }
}

fn opened_dparams() -> crate::exports::blosc2::abi::Dparams {
    crate::exports::blosc2::abi::Dparams { nthreads: settings::nthreads(), ..DPARAMS }
}

/// Returns the super-chunk of a frame.
///
/// # Safety
/// As [`blosc2_schunk_new`] for the storage.
unsafe fn opened(chunks: Chunks, storage: impl FnOnce(Cparams) -> OwnedStorage) -> Result<*mut Owned, i32> {
    let Opened { params, sizes, metalayers, vlmetalayers, generation } = chunks.opened()?;
    let cparams = Cparams {
        compcode: params.compcode,
        compcode_meta: params.compcode_meta,
        clevel: params.clevel,
        splitmode: params.split.into(),
        use_dict: params.use_dict.into(),
        typesize: params.typesize,
        blocksize: params.blocksize,
        filters: params.filters,
        filters_meta: params.filters_meta,
        nthreads: settings::nthreads(),
        ..CPARAMS
    };
    // SAFETY: the caller's promise.
    let pointer = unsafe { with_contexts(Owned::new(storage(cparams), &cparams)) }?;
    // SAFETY: created above.
    let owned = unsafe { &mut *pointer };
    owned.set_frame(chunks);
    owned.set_sizes(sizes);
    owned.generation = generation;
    if let Err(code) = owned.set_layers(metalayers, vlmetalayers) {
        // SAFETY: created above, and not given to the program.
        drop(unsafe { Box::from_raw(pointer) });
        return Err(code);
    }
    Ok(pointer)
}

/// Opens a frame in memory. Null if it is damaged. The program keeps the memory. Without `copy`, it is that of
/// [`blosc2_schunk_to_buffer`](super::blosc2_schunk_to_buffer) until the next change.
///
/// # Safety
/// `cframe` is null or has `len` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_from_buffer(cframe: *mut u8, len: i64, copy: CBool) -> *mut Schunk {
    pointer_or_null(|| {
        let size = usize::try_from(len).unwrap_or(0);
        // SAFETY: the caller's promise.
        let frame = unsafe { bytes(cframe.cast(), size) }.ok_or(NULL_POINTER)?;
        let chunks = Chunks::from_bytes(blosc_core::memory::copy_of(frame).map_err(|_| MEMORY)?)?;
        let is_copy = copy != 0;
        let storage =
            |cparams| OwnedStorage::new(!is_copy, None, cparams, opened_dparams(), blosc2_get_blosc2_io_defaults());
        // SAFETY: there are no callbacks.
        let pointer = unsafe { opened(chunks, storage) }?;
        // SAFETY: created above.
        let owned = unsafe { &mut *pointer };
        let is_whole = owned.chunks.frame_len() == Ok(Some(len));
        if !is_whole || (is_copy && owned.detach().is_err()) {
            // SAFETY: created above, and not given to the program.
            drop(unsafe { Box::from_raw(pointer) });
            return Err(INVALID_PARAM);
        }
        if !is_copy {
            (owned.cframe, owned.cframe_len) = (cframe.cast(), Some(len));
            (owned.avoids_free, owned.is_borrowed) = (true, true);
        }
        Ok(pointer.cast())
    })
}

/// Copies a super-chunk to another storage. Null if it cannot be written.
///
/// # Safety
/// As [`blosc2_schunk_new`]; `schunk` is null or comes from a function that creates one, and was not released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_copy(schunk: *mut Schunk, storage: *mut Storage) -> *mut Schunk {
    // SAFETY: the caller's promise.
    pointer_or_null(|| unsafe {
        let storage = storage.as_ref().copied().unwrap_or_else(|| blosc2_get_blosc2_storage_defaults());
        copied(schunk, storage)
    })
}

/// # Safety
/// As [`blosc2_schunk_copy`].
pub(super) unsafe fn copied(schunk: *mut Schunk, mut storage: Storage) -> Result<*mut Schunk, i32> {
    // SAFETY: the caller's promise.
    let from = unsafe { owned(schunk) }?;
    // SAFETY: the fields are contexts.
    let (cctx, dctx) = unsafe { (from.public.cctx.as_ref(), from.public.dctx.as_ref()) };
    let cctx = cctx.ok_or(NULL_POINTER)?;
    let old = cctx.cparams();
    // SAFETY: the caller's promise.
    let mut cparams = unsafe { storage.cparams.as_ref() }.copied().unwrap_or(Cparams {
        prefilter: None,
        preparams: null_mut(),
        nthreads: CPARAMS.nthreads,
        ..old
    });
    let same_blocks = cparams.blocksize == 0 || cparams.blocksize == cctx.blocksize.load(Relaxed);
    let is_same = (cparams.typesize, cparams.clevel, cparams.compcode, cparams.use_dict != 0)
        == (old.typesize, old.clevel, old.compcode, old.use_dict != 0)
        && (cparams.filters, cparams.filters_meta) == (old.filters, old.filters_meta)
        && same_blocks
        && old.prefilter.is_none()
        && dctx.is_none_or(|dctx| dctx.dparams().postfilter.is_none());
    storage.cparams = &mut cparams;
    // SAFETY: the caller's promise.
    let new = unsafe { created_with(&storage, Some(from.public.chunksize)) }?;
    // SAFETY: created above.
    let filled = unsafe { filled(from, new, is_same || from.public.flags2 & 1 != 0) };
    if let Err(code) = filled {
        // SAFETY: created above, and not given to the program.
        unsafe { blosc2_schunk_free(new) };
        return Err(code);
    }
    Ok(new)
}

/// Copies chunks and metalayers.
///
/// # Safety
/// `new` was created.
unsafe fn filled(from: &mut Owned, new: *mut Schunk, is_same: bool) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    let to = unsafe { owned(new) }?;
    for (name, content) in from.layers(false) {
        to.change(&Change::AddMetalayer(name.to_bytes(), content))?;
        to.push_layer(false, name.clone(), content.to_vec())?;
    }
    let _held = from.hold(Access::Read)?;
    let count = from.public.nchunks;
    if matches!(to.chunks, Chunks::List(_)) {
        check_count(count, from.public.cbytes)?;
    }
    let dctx = from.public.dctx;
    for number in 0..count {
        from.public.current_nchunk = number;
        let chunk = from.stored(number)?;
        if is_same {
            to.change(&Change::Insert(number as u64, &chunk))?;
            continue;
        }
        let nbytes = output_size(Info::of(&chunk)?, i32::MAX)?;
        let mut plain: Vec<u8> = blosc_core::memory::zeroed(nbytes).map_err(|_| MEMORY)?;
        let (at, len) = (plain.as_mut_ptr().cast(), nbytes as i32);
        // SAFETY: a chunk and an output with their lengths.
        let code = unsafe { blosc2_decompress_ctx(dctx, chunk.as_ptr().cast(), chunk.len() as i32, at, len) };
        if code < 0 {
            return Err(code);
        }
        // SAFETY: created above; no reference to it is used meanwhile.
        unsafe { super::chunks::append(new, at, len) }?;
    }
    // SAFETY: the caller's promise.
    from.copy_vlmetalayers_to(unsafe { owned(new) }?)
}
