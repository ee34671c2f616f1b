//! What the fuzz targets share: how bytes become parameters, chunks, options and places on a disk.

pub mod chunk;
pub mod params;
pub mod reads;
pub mod scratch;
pub mod shape;

use blosc_core::Limits;
use bloscpack_io::{Threads, UnpackOptions};

/// 1 MiB: enough for many blocks, and little enough that time goes into inputs, not into filling memory.
pub const MAX_NBYTES: usize = 1 << 20;

/// One thread, and no more plain bytes in a chunk than [`MAX_NBYTES`].
pub fn serial() -> UnpackOptions {
    UnpackOptions::new().threads(Threads::Serial).limits(limits())
}

/// No more plain bytes in a chunk than [`MAX_NBYTES`].
pub fn limits() -> Limits {
    // A chunk of eight bytes or so is the least that makes sense.
    Limits::new().max_nbytes(MAX_NBYTES).max_chunk(MAX_NBYTES).max_chunks(MAX_NBYTES as u64 / 8)
}

/// The files of a bcolz directory in one input: they stand in this order, each with four bytes of 0xFF behind it.
pub const CARRAY_FILES: [&str; 6] =
    ["meta/storage", "meta/sizes", "__attrs__", "data/__0.blp", "data/__1.blp", "__pending__"];

/// Takes them apart.
pub fn carray_files(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut rest = bytes;
    for name in CARRAY_FILES {
        if rest.is_empty() {
            break;
        }
        let end = rest.windows(4).position(|four| four == [0xff; 4]).unwrap_or(rest.len());
        files.push((name.to_owned(), rest[..end].to_vec()));
        rest = rest.get(end + 4..).unwrap_or_default();
    }
    files
}
