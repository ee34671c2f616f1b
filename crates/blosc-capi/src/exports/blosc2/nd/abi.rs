//! The structures of arrays.

use std::ffi::c_char;
use std::ptr::null_mut;

use crate::blosc2::nd::{Counts, Geometry, MAX_DIM, Shapes, Strides};
use crate::exports::blosc2::abi::Storage;
use crate::exports::blosc2::schunk_abi::{Metalayer, Schunk};

/// `struct chunk_cache_s`.
#[derive(Debug)]
#[repr(C)]
pub struct ChunkCache {
    pub(crate) data: *mut u8,
    pub(crate) nchunk: i64,
}

/// `b2nd_array_t`, with its numbers of items and its strides as structures.
#[derive(Debug)]
#[repr(C)]
pub struct NdArray {
    pub(crate) sc: *mut Schunk,
    pub(crate) shape: [i64; MAX_DIM],
    pub(crate) chunkshape: [i32; MAX_DIM],
    pub(crate) extshape: [i64; MAX_DIM],
    pub(crate) blockshape: [i32; MAX_DIM],
    pub(crate) extchunkshape: [i64; MAX_DIM],
    pub(crate) counts: Counts,
    pub(crate) ndim: i8,
    pub(crate) chunk_cache: ChunkCache,
    pub(crate) strides: Strides,
    pub(crate) dtype: *mut c_char,
    pub(crate) dtype_format: i8,
    pub(crate) last_tick: i64,
}

/// Maximum number of metalayers of an array beside its own.
pub(crate) const MAX_ND_METALAYERS: usize = 15;

/// `b2nd_context_t`. The header does not show it, but the original's tests read it.
#[derive(Debug)]
#[repr(C)]
pub struct NdContext {
    pub(crate) ndim: i8,
    pub(crate) shape: [i64; MAX_DIM],
    pub(crate) chunkshape: [i32; MAX_DIM],
    pub(crate) blockshape: [i32; MAX_DIM],
    pub(crate) dtype: *mut c_char,
    pub(crate) dtype_format: i8,
    pub(crate) b2_storage: *mut Storage,
    pub(crate) metalayers: [Metalayer; MAX_ND_METALAYERS],
    pub(crate) nmetalayers: i32,
}

/// The shapes that programs see, and may change.
fn shapes(ndim: i8, shape: &[i64], chunkshape: &[i32], blockshape: &[i32]) -> Result<Shapes, i32> {
    let ndim = usize::try_from(ndim).unwrap_or(usize::MAX);
    let code = crate::blosc2::codes::INVALID_PARAM;
    Shapes::new(shape.get(..ndim).ok_or(code)?, chunkshape, blockshape)
}

impl NdContext {
    pub(super) fn shapes(&self) -> Result<Shapes, i32> {
        shapes(self.ndim, &self.shape, &self.chunkshape, &self.blockshape)
    }

    /// Sets the shape of the next array.
    pub(super) fn set_shape(&mut self, shape: &[i64]) {
        self.ndim = shape.len() as i8;
        self.shape.iter_mut().zip(shape).for_each(|(to, len)| *to = *len);
    }
}

impl NdArray {
    /// Returns an array without a super-chunk and a dtype.
    pub(super) fn new(geometry: &Geometry) -> Self {
        let Geometry { shapes, extshape, extchunkshape, counts, strides } = *geometry;
        NdArray {
            sc: null_mut(),
            shape: shapes.shape,
            chunkshape: shapes.chunkshape,
            extshape,
            blockshape: shapes.blockshape,
            extchunkshape,
            counts,
            ndim: shapes.ndim as i8,
            chunk_cache: ChunkCache { data: null_mut(), nchunk: -1 },
            strides,
            dtype: null_mut(),
            dtype_format: 0,
            last_tick: 0,
        }
    }

    /// Sets all numbers.
    pub(super) fn set(&mut self, geometry: &Geometry) {
        let Geometry { shapes, extshape, extchunkshape, counts, strides } = *geometry;
        self.ndim = shapes.ndim as i8;
        (self.shape, self.chunkshape, self.blockshape) = (shapes.shape, shapes.chunkshape, shapes.blockshape);
        (self.extshape, self.extchunkshape) = (extshape, extchunkshape);
        (self.counts, self.strides) = (counts, strides);
    }

    /// Returns the shapes, checked: programs may change the fields.
    pub(super) fn shapes(&self) -> Result<Shapes, i32> {
        shapes(self.ndim, &self.shape, &self.chunkshape, &self.blockshape)
    }

    pub(super) fn geometry(&self) -> Result<Geometry, i32> {
        self.shapes()?.geometry()
    }
}
