//! The structure of a super-chunk. It has contexts, and so is not among those of `abi`.

use std::ffi::{CStr, c_char, c_int, c_void};

use super::abi::{CBool, Cparams, Storage};
use super::context::Context;
use crate::blosc2::super_chunk::SuperChunk;
use crate::blosc2::{MAX_FILTERS, nd};
use crate::exports::pointers::{bytes, text};

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
    #[cfg(not(feature = "blosc2-abi7"))]
    pub(crate) flags2: u8,
    #[cfg(not(feature = "blosc2-abi7"))]
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
    // The structure of C-Blosc2 2.x lacks these two fields. At the end they move no other field.
    #[cfg(feature = "blosc2-abi7")]
    pub(crate) flags2: u8,
    #[cfg(feature = "blosc2-abi7")]
    pub(crate) use_dict: u8,
    pub(crate) change_tick: i64,
}

impl Schunk {
    /// Sets the fields of the parameters of compression.
    pub(super) fn set_parameters(&mut self, cparams: &Cparams) {
        (self.compcode, self.compcode_meta) = (cparams.compcode, cparams.compcode_meta);
        (self.clevel, self.splitmode) = (cparams.clevel, cparams.splitmode as u8);
        (self.typesize, self.blocksize) = (cparams.typesize, cparams.blocksize);
        (self.filters, self.filters_meta) = (cparams.filters, cparams.filters_meta);
        (self.tuner_params, self.tuner_id) = (cparams.tuner_params, cparams.tuner_id);
        self.use_dict = cparams.use_dict as u8;
    }

    /// Returns the content of a metalayer of fixed length.
    fn metalayer(&self, name: &CStr) -> Option<&[u8]> {
        let layers = self.metalayers.iter().take(self.nmetalayers.into());
        // SAFETY: pointers below the count are valid.
        let mut layers = layers.filter_map(|layer| unsafe { layer.as_ref() });
        // SAFETY: a name is a string.
        let found = layers.find(|layer| unsafe { text(layer.name) } == Some(name))?;
        // SAFETY: the content has its length.
        unsafe { bytes(found.content.cast(), usize::try_from(found.content_len).ok()?) }
    }
}

/// Returns what filters need of the super-chunk of a context. `None` without one.
pub(super) fn of_schunk(schunk: *mut c_void) -> Option<SuperChunk> {
    // SAFETY: the program promises that a super-chunk lives as long as the contexts that it is a parameter of.
    let schunk = unsafe { schunk.cast::<Schunk>().as_ref() }?;
    let shapes = schunk.metalayer(c"b2nd").and_then(|content| nd::deserialize(content).ok()).map(|meta| meta.shapes);
    let blocks = shapes.iter().flat_map(nd::Shapes::axes).map(|(.., block)| usize::try_from(block).ok());
    Some(SuperChunk {
        blockshape: blocks.collect::<Option<_>>().unwrap_or_default(),
        typesize: usize::try_from(schunk.typesize).ok(),
    })
}
