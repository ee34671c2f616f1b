//! Code shared by the fuzz targets: turns input bytes into parameters, chunks, options and files.

pub mod chunk;
pub mod params;
pub mod reads;
pub mod scratch;
pub mod shape;
pub mod zarr;

use blosc_core::Limits;
use bloscpack_io::{Threads, UnpackOptions};

/// 1 MiB: enough for many blocks, and small enough that the time goes into inputs rather than into filling memory.
pub const MAX_NBYTES: usize = 1 << 20;

/// Options for one thread and chunks of at most [`MAX_NBYTES`] uncompressed bytes.
pub fn serial() -> UnpackOptions {
    UnpackOptions::new().threads(Threads::Serial).limits(limits())
}

/// Limits chunks to [`MAX_NBYTES`] uncompressed bytes.
pub fn limits() -> Limits {
    // Chunks smaller than about eight bytes make no sense.
    Limits::new().max_nbytes(MAX_NBYTES).max_chunk(MAX_NBYTES).max_chunks(MAX_NBYTES as u64 / 8)
}

/// Files of a bcolz directory inside one input, in this order. Each is followed by four bytes of 0xFF.
pub const CARRAY_FILES: [&str; 6] =
    ["meta/storage", "meta/sizes", "__attrs__", "data/__0.blp", "data/__1.blp", "__pending__"];

/// Splits an input into these files.
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
