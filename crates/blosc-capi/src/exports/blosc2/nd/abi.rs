//! The structures of arrays.

use std::ffi::c_char;
use std::ptr::null_mut;

use crate::blosc2::nd::{Geometry, MAX_DIM, Shapes};
use crate::exports::blosc2::abi::Storage;
use crate::exports::blosc2::schunk_abi::{Metalayer, Schunk};

/// `struct chunk_cache_s`.
#[derive(Debug)]
#[repr(C)]
pub struct ChunkCache {
    pub(crate) data: *mut u8,
    pub(crate) nchunk: i64,
}

/// `b2nd_array_t`.
#[derive(Debug)]
#[repr(C)]
pub struct NdArray {
    pub(crate) sc: *mut Schunk,
    pub(crate) shape: [i64; MAX_DIM],
    pub(crate) chunkshape: [i32; MAX_DIM],
    pub(crate) extshape: [i64; MAX_DIM],
    pub(crate) blockshape: [i32; MAX_DIM],
    pub(crate) extchunkshape: [i64; MAX_DIM],
    pub(crate) nitems: i64,
    pub(crate) chunknitems: i32,
    pub(crate) extnitems: i64,
    pub(crate) blocknitems: i32,
    pub(crate) extchunknitems: i64,
    pub(crate) ndim: i8,
    pub(crate) chunk_cache: ChunkCache,
    pub(crate) item_array_strides: [i64; MAX_DIM],
    pub(crate) item_chunk_strides: [i64; MAX_DIM],
    pub(crate) item_extchunk_strides: [i64; MAX_DIM],
    pub(crate) item_block_strides: [i64; MAX_DIM],
    pub(crate) block_chunk_strides: [i64; MAX_DIM],
    pub(crate) chunk_array_strides: [i64; MAX_DIM],
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
        let mut array = NdArray {
            sc: null_mut(),
            shape: [1; MAX_DIM],
            chunkshape: [1; MAX_DIM],
            extshape: [1; MAX_DIM],
            blockshape: [1; MAX_DIM],
            extchunkshape: [1; MAX_DIM],
            nitems: 1,
            chunknitems: 1,
            extnitems: 1,
            blocknitems: 1,
            extchunknitems: 1,
            ndim: 0,
            chunk_cache: ChunkCache { data: null_mut(), nchunk: -1 },
            item_array_strides: [0; MAX_DIM],
            item_chunk_strides: [0; MAX_DIM],
            item_extchunk_strides: [0; MAX_DIM],
            item_block_strides: [0; MAX_DIM],
            block_chunk_strides: [0; MAX_DIM],
            chunk_array_strides: [0; MAX_DIM],
            dtype: null_mut(),
            dtype_format: 0,
            last_tick: 0,
        };
        array.set(geometry);
        array
    }

    /// Sets all numbers.
    pub(super) fn set(&mut self, geometry: &Geometry) {
        let Geometry { shapes, extshape, extchunkshape, strides, .. } = *geometry;
        self.ndim = shapes.ndim as i8;
        (self.shape, self.chunkshape, self.blockshape) = (shapes.shape, shapes.chunkshape, shapes.blockshape);
        (self.extshape, self.extchunkshape) = (extshape, extchunkshape);
        (self.nitems, self.extnitems) = (geometry.nitems, geometry.extnitems);
        (self.chunknitems, self.blocknitems) = (geometry.chunknitems, geometry.blocknitems);
        self.extchunknitems = geometry.extchunknitems;
        (self.item_array_strides, self.item_chunk_strides) = (strides.item_array, strides.item_chunk);
        (self.item_extchunk_strides, self.item_block_strides) = (strides.item_extchunk, strides.item_block);
        (self.block_chunk_strides, self.chunk_array_strides) = (strides.block_chunk, strides.chunk_array);
    }

    /// Returns the shapes, checked: programs may change the fields.
    pub(super) fn shapes(&self) -> Result<Shapes, i32> {
        shapes(self.ndim, &self.shape, &self.chunkshape, &self.blockshape)
    }

    pub(super) fn geometry(&self) -> Result<Geometry, i32> {
        self.shapes()?.geometry()
    }
}
