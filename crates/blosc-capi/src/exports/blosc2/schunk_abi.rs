//! The structure of a super-chunk. It has contexts, and so is not among those of `abi`.

use std::ffi::{c_char, c_int, c_void};

use super::abi::{CBool, Storage};
use super::context::Context;
use crate::blosc2::MAX_FILTERS;

/// `blosc2_metalayer`.
#[derive(Debug)]
#[repr(C)]
pub struct Metalayer {
    pub(crate) name: *mut c_char,
    pub(crate) content: *mut u8,
    pub(crate) content_len: i32,
}

/// Maximum numbers of metalayers of a super-chunk.
pub(crate) const MAX_METALAYERS: usize = 16;
pub(crate) const MAX_VLMETALAYERS: usize = 8 * 1024;

/// `blosc2_schunk`.
#[derive(Debug)]
#[repr(C)]
pub struct Schunk {
    pub(crate) version: u8,
    pub(crate) compcode: u8,
    pub(crate) compcode_meta: u8,
    pub(crate) clevel: u8,
    pub(crate) splitmode: u8,
    pub(crate) typesize: i32,
    pub(crate) blocksize: i32,
    pub(crate) chunksize: i32,
    pub(crate) flags2: u8,
    pub(crate) use_dict: u8,
    pub(crate) filters: [u8; MAX_FILTERS],
    pub(crate) filters_meta: [u8; MAX_FILTERS],
    pub(crate) nchunks: i64,
    pub(crate) current_nchunk: i64,
    pub(crate) nbytes: i64,
    pub(crate) cbytes: i64,
    pub(crate) data: *mut *mut u8,
    pub(crate) data_len: usize,
    pub(crate) storage: *mut Storage,
    pub(crate) frame: *mut c_void,
    pub(crate) cctx: *mut Context,
    pub(crate) dctx: *mut Context,
    pub(crate) metalayers: [*mut Metalayer; MAX_METALAYERS],
    pub(crate) nmetalayers: u16,
    pub(crate) vlmetalayers: [*mut Metalayer; MAX_VLMETALAYERS],
    pub(crate) nvlmetalayers: i16,
    pub(crate) tuner_params: *mut c_void,
    pub(crate) tuner_id: c_int,
    pub(crate) ndim: i8,
    pub(crate) blockshape: *mut i64,
    pub(crate) view: CBool,
    pub(crate) change_tick: i64,
}
