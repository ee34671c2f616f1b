//! Parameters of storage, with all parameters that they point to.

use std::ffi::{CStr, CString};
use std::ptr::null_mut;

use crate::exports::blosc2::abi::{Cparams, Dparams, Io, Storage};
use crate::exports::blosc2::defaults::{CPARAMS, DPARAMS};
use crate::exports::pointers::text;

/// A storage and all parameters that it points to. Programs may change it by the pointer in a super-chunk.
pub(super) struct OwnedStorage(*mut Kept);

#[repr(C)]
struct Kept {
    public: Storage,
    cparams: Cparams,
    dparams: Dparams,
    io: Io,
    urlpath: Option<CString>,
}

impl OwnedStorage {
    /// Copies the parameters of a program.
    ///
    /// # Safety
    /// The pointers in `storage` are null or valid.
    pub(super) unsafe fn copy(storage: &Storage) -> Self {
        // SAFETY: the caller's promise.
        let (cparams, dparams, io, path) =
            unsafe { (storage.cparams.as_ref(), storage.dparams.as_ref(), storage.io.as_ref(), text(storage.urlpath)) };
        let io = io.copied().unwrap_or(Io { id: 0, name: c"filesystem".as_ptr(), params: null_mut() });
        let (cparams, dparams) = (cparams.copied().unwrap_or(CPARAMS), dparams.copied().unwrap_or(DPARAMS));
        OwnedStorage::new(storage.contiguous != 0, path, cparams, dparams, io)
    }

    pub(super) fn new(contiguous: bool, path: Option<&CStr>, cparams: Cparams, dparams: Dparams, io: Io) -> Self {
        let urlpath = path.map(CStr::to_owned);
        let public = Storage {
            contiguous: contiguous.into(),
            urlpath: urlpath.as_ref().map_or(null_mut(), |path| path.as_ptr().cast_mut()),
            cparams: null_mut(),
            dparams: null_mut(),
            io: null_mut(),
        };
        let mut kept = Box::new(Kept { public, cparams, dparams, io, urlpath });
        (kept.public.cparams, kept.public.dparams) = (&raw mut kept.cparams, &raw mut kept.dparams);
        kept.public.io = &raw mut kept.io;
        OwnedStorage(Box::into_raw(kept))
    }

    fn kept(&self) -> &Kept {
        // SAFETY: allocated by `new`, and released by `drop` only.
        unsafe { &*self.0 }
    }

    fn kept_mut(&mut self) -> &mut Kept {
        // SAFETY: as above.
        unsafe { &mut *self.0 }
    }

    /// Returns the storage as programs see it.
    pub(super) fn pointer(&mut self) -> *mut Storage {
        self.0.cast()
    }

    pub(super) fn is_contiguous(&self) -> bool {
        self.kept().public.contiguous != 0
    }

    pub(super) fn path(&self) -> Option<&CStr> {
        self.kept().urlpath.as_deref()
    }

    pub(super) fn cparams(&mut self) -> &mut Cparams {
        &mut self.kept_mut().cparams
    }

    pub(super) fn dparams(&mut self) -> &mut Dparams {
        &mut self.kept_mut().dparams
    }

    pub(super) fn dparams_of(&self) -> &Dparams {
        &self.kept().dparams
    }

    pub(super) fn io(&self) -> Io {
        self.kept().io
    }

    pub(super) fn nthreads(&self) -> [i16; 2] {
        [self.kept().cparams.nthreads, self.kept().dparams.nthreads]
    }
}

impl Drop for OwnedStorage {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`, and not used any more.
        drop(unsafe { Box::from_raw(self.0) });
    }
}
