//! Default parameters, for languages that do not read the header.

use std::ptr::null_mut;

use super::abi::{Cparams, Dparams, Io, StdioMmap, Storage};

pub(super) const CPARAMS: Cparams = Cparams {
    compcode: 0,
    compcode_meta: 0,
    clevel: 5,
    use_dict: 0,
    typesize: 8,
    nthreads: 1,
    blocksize: 0,
    splitmode: 4,
    schunk: null_mut(),
    filters: [0, 0, 0, 0, 0, 1],
    filters_meta: [0; 6],
    prefilter: None,
    preparams: null_mut(),
    tuner_params: null_mut(),
    tuner_id: 0,
    instr_codec: 0,
    codec_params: null_mut(),
    filter_params: [null_mut(); 6],
};

pub(super) const DPARAMS: Dparams =
    Dparams { nthreads: 1, schunk: null_mut(), postfilter: None, postparams: null_mut(), typesize: 8 };

/// Returns `BLOSC2_CPARAMS_DEFAULTS`.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_get_blosc2_cparams_defaults() -> Cparams {
    CPARAMS
}

/// Returns `BLOSC2_DPARAMS_DEFAULTS`.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_get_blosc2_dparams_defaults() -> Dparams {
    DPARAMS
}

/// Returns `BLOSC2_STORAGE_DEFAULTS`.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_get_blosc2_storage_defaults() -> Storage {
    Storage { contiguous: 0, urlpath: null_mut(), cparams: null_mut(), dparams: null_mut(), io: null_mut() }
}

/// Returns `BLOSC2_IO_DEFAULTS`.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_get_blosc2_io_defaults() -> Io {
    Io { id: 0, name: c"filesystem".as_ptr(), params: null_mut() }
}

/// Returns `BLOSC2_STDIO_MMAP_DEFAULTS`.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_get_blosc2_stdio_mmap_defaults() -> StdioMmap {
    StdioMmap {
        mode: c"r".as_ptr(),
        initial_mapping_size: 1 << 30,
        needs_free: 0,
        addr: null_mut(),
        urlpath: null_mut(),
        file_size: 0,
        mapping_size: 0,
        is_memory_only: 0,
        file: null_mut(),
        fd: -1,
        access_flags: -1,
        map_flags: -1,
    }
}
