//! A super-chunk: the structure that programs read, and the chunks.

use std::ffi::c_void;
use std::ptr::null_mut;

use super::storage::OwnedStorage;
use crate::blosc2::codes::{MEMORY, NULL_POINTER, trace};
use crate::blosc2::header::Info;
use crate::blosc2::schunk::{Access, Change, Chunks, Held, Params, Sizes};
use crate::exports::blosc2::abi::Cparams;
use crate::exports::blosc2::context::Context;
use crate::exports::blosc2::schunk_abi::Schunk;

/// A super-chunk. Programs have a pointer to the first field.
#[repr(C)]
pub(super) struct Owned {
    pub(super) public: Schunk,
    pub(super) chunks: Chunks,
    /// The target of `public.data`.
    pointers: Vec<*mut u8>,
    /// The owner of `public.storage`.
    pub(super) storage: OwnedStorage,
    /// The bytes of the frame in memory, which the program may have a pointer to. Allocated with `malloc`.
    pub(super) cframe: *mut c_void,
    /// The length of `cframe`, if it has the frame as it is.
    pub(super) cframe_len: Option<i64>,
    /// Whether the program releases `cframe`.
    pub(super) avoids_free: bool,
    /// The generation of the frame on disk that the fields are of.
    pub(super) generation: u64,
    /// Whether `cframe` is the memory that the program opened the frame in.
    pub(super) is_borrowed: bool,
    /// The super-chunk that has the chunks of a view; null for others.
    pub(super) base: *mut Owned,
}

/// Returns the super-chunk at a pointer.
///
/// # Safety
/// `schunk` is null or comes from a function that creates one, was not released, and is used by this call only.
pub(super) unsafe fn owned<'a>(schunk: *mut Schunk) -> Result<&'a mut Owned, i32> {
    // SAFETY: the caller's promise; the structure is the first field.
    unsafe { schunk.cast::<Owned>().as_mut() }
        .ok_or_else(|| trace(NULL_POINTER, format_args!("the super-chunk is null")))
}

impl Owned {
    /// Returns a super-chunk without chunks, contexts and metalayers.
    pub(super) fn new(mut storage: OwnedStorage, cparams: &Cparams) -> Box<Owned> {
        // In place: the structure has 64 KiB, and a thread may have a stack of 128.
        let mut owned = Box::<Owned>::new_zeroed();
        let place = owned.as_mut_ptr();
        // SAFETY: the structure for programs has numbers and pointers only, for which zeros are valid. All other fields
        // are written here.
        let mut owned = unsafe {
            (&raw mut (*place).chunks).write(Chunks::List(Vec::new()));
            (&raw mut (*place).pointers).write(Vec::new());
            (&raw mut (*place).cframe).write(null_mut());
            (&raw mut (*place).cframe_len).write(None);
            (&raw mut (*place).avoids_free).write(false);
            (&raw mut (*place).generation).write(0);
            (&raw mut (*place).is_borrowed).write(false);
            (&raw mut (*place).base).write(null_mut());
            (*place).public.storage = storage.pointer();
            (&raw mut (*place).storage).write(storage);
            owned.assume_init()
        };
        owned.public.set_parameters(cparams);
        owned.public.chunksize = -1;
        owned
    }

    /// Replaces the chunks. Programs see whether they are in a frame.
    pub(super) fn set_frame(&mut self, chunks: Chunks) {
        self.chunks = chunks;
        // Only compared with null.
        self.public.frame = std::ptr::from_mut(self).cast();
    }

    pub(super) fn sizes(&self) -> Sizes {
        let Schunk { nchunks, nbytes, cbytes, chunksize, flags2, .. } = self.public;
        Sizes { nchunks, nbytes, cbytes, chunksize, flags: flags2 }
    }

    pub(super) fn set_sizes(&mut self, Sizes { nchunks, nbytes, cbytes, chunksize, flags }: Sizes) {
        let public = &mut self.public;
        (public.nchunks, public.nbytes, public.cbytes) = (nchunks, nbytes, cbytes);
        (public.chunksize, public.flags2) = (chunksize, flags);
    }

    pub(super) fn params(&self) -> Params {
        let public = &self.public;
        Params {
            compcode: public.compcode,
            compcode_meta: public.compcode_meta,
            clevel: public.clevel,
            split: public.splitmode,
            use_dict: public.use_dict != 0,
            typesize: public.typesize,
            blocksize: public.blocksize,
            filters: public.filters,
            filters_meta: public.filters_meta,
            nthreads: self.storage.nthreads(),
        }
    }

    /// Notes that the fields are those of the frame on disk.
    ///
    /// # Errors
    /// The code of a frame that cannot be read.
    pub(super) fn set_current(&mut self) -> Result<(), i32> {
        if let Chunks::File(file) = &self.chunks {
            self.generation = file.generation()?;
        }
        Ok(())
    }

    /// Reads the fields again if another handle changed the frame on disk. Without a lock, they stay as they are while the
    /// file is no frame.
    ///
    /// # Errors
    /// The code of a frame that cannot be read.
    pub(super) fn refresh(&mut self) -> Result<(), i32> {
        if self.follow(Owned::refresh)? {
            return Ok(());
        }
        let Chunks::File(file) = &self.chunks else { return Ok(()) };
        let generation = match file.generation() {
            Ok(generation) => generation,
            // Another program may replace the file. A call that needs its content finds the error.
            Err(_) if file.frame_lock().is_none() => return Ok(()),
            Err(code) => return Err(code),
        };
        if generation != self.generation {
            let opened = self.chunks.opened()?;
            self.set_sizes(opened.sizes);
            self.set_layers(opened.metalayers, opened.vlmetalayers)?;
            self.public.change_tick += 1;
            self.generation = opened.generation;
        }
        Ok(())
    }

    /// Waits until no other handle excludes this one, if the program asked for locks, and reads the fields again if
    /// another handle changed the frame on disk.
    ///
    /// # Errors
    /// The code of a file that cannot be locked, or of a frame that cannot be read.
    pub(super) fn hold(&mut self, access: Access) -> Result<Held, i32> {
        let held = self.source_chunks().hold(access)?;
        self.refresh()?;
        Ok(held)
    }

    /// Changes chunks or metalayers, and the fields that programs read.
    ///
    /// # Errors
    /// The code of the change, which then did not happen.
    pub(super) fn change(&mut self, change: &Change<'_>) -> Result<(), i32> {
        if self.change_of_view(change)? {
            return Ok(());
        }
        let (sizes, params) = (self.sizes(), self.params());
        let sizes = self.chunks.change(change, sizes, params)?;
        self.set_sizes(sizes);
        self.cframe_len = None;
        self.show_chunks(change)
    }

    /// Copies the chunks of the frame in memory into a list, and leaves the frame. The sizes become those of the chunks.
    ///
    /// # Errors
    /// The code of a chunk that cannot be read, and of missing memory.
    pub(super) fn detach(&mut self) -> Result<(), i32> {
        let list = self.chunks.to_list(self.public.nchunks, self.public.cbytes, self.params())?;
        let infos = list.iter().map(|chunk| Info::of(chunk)).collect::<Result<Vec<_>, i32>>()?;
        if let Some(first) = infos.first() {
            let is_same = infos.iter().all(|info| info.blocksize() == first.blocksize());
            self.public.blocksize = if is_same { first.blocksize() } else { 0 };
            self.public.cbytes = infos.iter().map(|info| i64::from(info.cbytes())).sum();
        }
        self.chunks = Chunks::List(list);
        self.public.frame = null_mut();
        self.show_from(0)
    }

    /// Sets `data`.
    fn show_chunks(&mut self, change: &Change<'_>) -> Result<(), i32> {
        let is_append = matches!(change, Change::Insert([at], _) if *at as usize == self.pointers.len());
        self.show_from(if is_append { self.pointers.len() } else { 0 })
    }

    /// Sets `data`, whose first pointers are those of the same chunks as before.
    fn show_from(&mut self, first: usize) -> Result<(), i32> {
        let Chunks::List(chunks) = &mut self.chunks else { return Ok(()) };
        self.pointers.try_reserve(chunks.len().saturating_sub(self.pointers.len())).map_err(|_| MEMORY)?;
        self.pointers.truncate(first);
        self.pointers.extend(chunks.iter_mut().skip(first).map(|chunk| chunk.as_mut_ptr()));
        self.public.data = self.pointers.as_mut_ptr();
        self.public.data_len = size_of_val(self.pointers.as_slice());
        Ok(())
    }

    /// Releases the bytes of the frame, if the program does not.
    pub(super) fn release_cframe(&mut self) {
        let cframe = std::mem::replace(&mut self.cframe, null_mut());
        self.cframe_len = None;
        if !self.avoids_free {
            // SAFETY: null, or allocated with `malloc`, by this library or by the program that gave it away.
            unsafe { libc::free(cframe) };
        }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.clear_layers();
        for context in [self.public.cctx, self.public.dctx] {
            if !context.is_null() {
                // SAFETY: the program promises that the fields are contexts that it does not release.
                drop(unsafe { Box::<Context>::from_raw(context) });
            }
        }
        // SAFETY: null, or allocated with `malloc` by the program.
        unsafe { libc::free(self.public.blockshape.cast()) };
        self.release_cframe();
    }
}
