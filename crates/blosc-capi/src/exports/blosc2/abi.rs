//! The structures of `blosc2.h`, field by field. The test build compares their layout with the original's header.

use std::ffi::{c_char, c_int, c_void};

use crate::blosc2::MAX_FILTERS;

/// A `bool` of C, which may hold any number if the program did not initialize it.
pub(crate) type CBool = u8;

pub(crate) type PrefilterFn = Option<unsafe extern "C" fn(*mut PrefilterParams) -> c_int>;
pub(crate) type PostfilterFn = Option<unsafe extern "C" fn(*mut PostfilterParams) -> c_int>;

/// `blosc2_cparams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Cparams {
    pub(crate) compcode: u8,
    pub(crate) compcode_meta: u8,
    pub(crate) clevel: u8,
    pub(crate) use_dict: c_int,
    pub(crate) typesize: i32,
    pub(crate) nthreads: i16,
    pub(crate) blocksize: i32,
    pub(crate) splitmode: i32,
    pub(crate) schunk: *mut c_void,
    pub(crate) filters: [u8; MAX_FILTERS],
    pub(crate) filters_meta: [u8; MAX_FILTERS],
    pub(crate) prefilter: PrefilterFn,
    pub(crate) preparams: *mut PrefilterParams,
    pub(crate) tuner_params: *mut c_void,
    pub(crate) tuner_id: c_int,
    pub(crate) instr_codec: CBool,
    pub(crate) codec_params: *mut c_void,
    pub(crate) filter_params: [*mut c_void; MAX_FILTERS],
}

/// `blosc2_dparams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Dparams {
    pub(crate) nthreads: i16,
    pub(crate) schunk: *mut c_void,
    pub(crate) postfilter: PostfilterFn,
    pub(crate) postparams: *mut PostfilterParams,
    pub(crate) typesize: i32,
}

/// `blosc2_prefilter_params`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct PrefilterParams {
    pub(crate) user_data: *mut c_void,
    pub(crate) input: *const u8,
    pub(crate) output: *mut u8,
    pub(crate) output_size: i32,
    pub(crate) output_typesize: i32,
    pub(crate) output_offset: i32,
    pub(crate) nchunk: i64,
    pub(crate) nblock: i32,
    pub(crate) tid: i32,
    pub(crate) ttmp: *mut u8,
    pub(crate) ttmp_nbytes: usize,
    pub(crate) ctx: *mut c_void,
    pub(crate) output_is_disposable: CBool,
}

/// `blosc2_postfilter_params`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct PostfilterParams {
    pub(crate) user_data: *mut c_void,
    pub(crate) input: *const u8,
    pub(crate) output: *mut u8,
    pub(crate) size: i32,
    pub(crate) typesize: i32,
    pub(crate) offset: i32,
    pub(crate) nchunk: i64,
    pub(crate) nblock: i32,
    pub(crate) tid: i32,
    pub(crate) ttmp: *mut u8,
    pub(crate) ttmp_nbytes: usize,
    pub(crate) ctx: *mut c_void,
}

pub(crate) type EncoderFn =
    Option<unsafe extern "C" fn(*const u8, i32, *mut u8, i32, u8, *mut Cparams, *const c_void) -> c_int>;
pub(crate) type DecoderFn =
    Option<unsafe extern "C" fn(*const u8, i32, *mut u8, i32, u8, *mut Dparams, *const c_void) -> c_int>;

/// `blosc2_codec`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct CodecRecord {
    pub(crate) compcode: u8,
    pub(crate) compname: *mut c_char,
    pub(crate) complib: u8,
    pub(crate) version: u8,
    pub(crate) encoder: EncoderFn,
    pub(crate) decoder: DecoderFn,
}

pub(crate) type ForwardFn = Option<unsafe extern "C" fn(*const u8, *mut u8, i32, u8, *mut Cparams, u8) -> c_int>;
pub(crate) type BackwardFn = Option<unsafe extern "C" fn(*const u8, *mut u8, i32, u8, *mut Dparams, u8) -> c_int>;

/// `blosc2_filter`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct FilterRecord {
    pub(crate) id: u8,
    pub(crate) name: *mut c_char,
    pub(crate) version: u8,
    pub(crate) forward: ForwardFn,
    pub(crate) backward: BackwardFn,
}

pub(crate) type TunerInitFn = Option<unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> c_int>;
pub(crate) type TunerFn = Option<unsafe extern "C" fn(*mut c_void) -> c_int>;

/// `blosc2_tuner`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct TunerRecord {
    pub(crate) init: TunerInitFn,
    pub(crate) next_blocksize: TunerFn,
    pub(crate) next_cparams: TunerFn,
    pub(crate) update: Option<unsafe extern "C" fn(*mut c_void, f64) -> c_int>,
    pub(crate) free: TunerFn,
    pub(crate) id: c_int,
    pub(crate) name: *mut c_char,
}

/// `blosc2_io_cb`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct IoCallbacks {
    pub(crate) id: u8,
    pub(crate) name: *mut c_char,
    pub(crate) is_allocation_necessary: CBool,
    pub(crate) open: Option<unsafe extern "C" fn(*const c_char, *const c_char, *mut c_void) -> *mut c_void>,
    pub(crate) close: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
    pub(crate) size: Option<unsafe extern "C" fn(*mut c_void) -> i64>,
    pub(crate) write: Option<unsafe extern "C" fn(*const c_void, i64, i64, i64, *mut c_void) -> i64>,
    pub(crate) read: Option<unsafe extern "C" fn(*mut *mut c_void, i64, i64, i64, *mut c_void) -> i64>,
    pub(crate) truncate: Option<unsafe extern "C" fn(*mut c_void, i64) -> c_int>,
    pub(crate) destroy: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
}

/// `blosc2_io`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Io {
    pub(crate) id: u8,
    pub(crate) name: *const c_char,
    pub(crate) params: *mut c_void,
}

/// `blosc2_storage`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Storage {
    pub(crate) contiguous: CBool,
    pub(crate) urlpath: *mut c_char,
    pub(crate) cparams: *mut Cparams,
    pub(crate) dparams: *mut Dparams,
    pub(crate) io: *mut Io,
}

/// `blosc2_stdio_params`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct StdioParams {
    pub(crate) locking: CBool,
}

/// `blosc2_stdio_mmap`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct StdioMmap {
    pub(crate) mode: *const c_char,
    pub(crate) initial_mapping_size: usize,
    pub(crate) needs_free: CBool,
    pub(crate) addr: *mut c_char,
    pub(crate) urlpath: *mut c_char,
    pub(crate) file_size: usize,
    pub(crate) mapping_size: usize,
    pub(crate) is_memory_only: CBool,
    pub(crate) file: *mut c_void,
    pub(crate) fd: c_int,
    pub(crate) access_flags: i64,
    pub(crate) map_flags: i64,
}

/// `blosc_timestamp_t`.
pub(crate) type Timestamp = libc::timespec;

/// Calls a job of a threads callback.
pub(crate) type DoJobFn = unsafe extern "C" fn(*mut c_void);
/// `blosc_threads_callback`.
pub(crate) type ThreadsCallback = Option<unsafe extern "C" fn(*mut c_void, DoJobFn, c_int, usize, *mut c_void)>;
