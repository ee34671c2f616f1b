//! Blosc chunks in pure Rust: compress, decompress, random access.
//!
//! ```
//! use blosc_core::{CParams, Codec};
//!
//! let plain: Vec<u8> = (0..10_000u32).flat_map(u32::to_le_bytes).collect();
//! let chunk = blosc_core::compress(&plain, &CParams::new().codec(Codec::Lz4).clevel(5).typesize(4))?;
//! assert!(chunk.len() < plain.len() / 10);
//! assert_eq!(blosc_core::decompress(&chunk)?, plain);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Blosc is a codec for numerical data: Zarr and HDF5 chunks, bloscpack and bcolz files, Blosc2 frames. A **chunk** is
//! one compressed buffer with a header. Its uncompressed data, the *plain bytes*, is cut into **blocks** that fit the
//! CPU's caches. Each block goes through **filters**, usually the byte shuffle, which groups byte 0 of all elements,
//! then byte 1, and so on. A codec then compresses the block as one **stream**, or as one stream per byte of an
//! element.
//!
//! ```text
//! plain   |        block 0        |        block 1        |  block 2  |      blocksize each, the last may be shorter
//!                     │ shuffle
//!                     ▼
//!         | byte 0s | byte 1s | byte 2s | byte 3s |                         typesize 4
//!              │ LZ4 …     │         │         │
//!              ▼           ▼         ▼         ▼
//! chunk   | header    | bstart 0..3 | csize stream | csize stream | … block 0 … | … block 1 … | … block 2 … |
//! ```
//!
//! There are two generations of the format. Blosc1 chunks (`CParams::new()`) are read by every Blosc library. Blosc2
//! chunks (`CParams::blosc2()`) add more filters, dictionaries and special values. Decoding detects the generation.
//!
//! [`Auto`] chooses codec, level, filters and typesize for the data, [`Advisor`] does it for one buffer after another.
//!
//! [`Encoder`] and [`Decoder`] process many chunks and reuse their buffers. [`Chunk`] inspects a chunk without decoding
//! it. [`Decoder::ranges`] and [`Decoder::decode_ranges`] decode parts of a chunk. [`Limits`] bounds the memory and
//! output that untrusted input can cost.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `zlib` | yes | the zlib codec |
//! | `zstd` | yes | compression with zstd, which is decompressed in any case |
//! | `zstd-c` | no | both directions of zstd by the C library; needs a C compiler, and does not need `zstd` |
//! | `snappy` | yes | the Snappy codec of old Blosc1 chunks |
//! | `rayon` | yes | the blocks of one chunk in the caller's rayon pool |
//!
//! BloscLZ, LZ4 and LZ4HC are always available, and chunks of zstd are always decoded. Decoding a chunk whose codec was
//! compiled out returns an error that names the feature.
//!
//! Without compiler optimisation, the codecs are 10 to 24 times slower. Programs that run in debug builds can compile
//! them optimised with `[profile.dev.package."*"]` and `opt-level = 3` in their `Cargo.toml`.
//!
//! # What this crate does not do
//!
//! It opens no files and starts no threads (blocks go to the caller's rayon pool if [`Parallelism`] says so). It has no
//! global settings but [`memory::set_left`]. It never uses an unverified number as the size of an allocation. An
//! allocation that the system refuses is an error, see [`memory`]. `unsafe` exists in one module only, `kernels`.

#![deny(unsafe_code)]

// The files of this crate. Imports lead to the same row or down.
//
// | file | content |
// |---|---|
// | `chunk` | whole chunks: encoder, decoder, inspection, lazy chunks |
// | `advise` | chooses compression parameters by the data |
// | `block` | one block: through filters and codec, and back |
// | `parallel` | distributes the blocks of a chunk over threads |
// | `header`, `layout` | the header of a chunk; sizes and offsets of its blocks |
// | `stream`, `single_stream`, `internals` | one stream by any codec; single streams for Zarr, and for benchmarks and fuzzers |
// | `params` | compression parameters |
// | `error` | errors of chunks |
// | `filter` | the filters and pipelines |
// | `registry` | codecs and filters provided by the caller |
// | `codec` | the codecs |
// | `kernels` | shuffle and bitshuffle with vector instructions |
// | `limits`, `cancel` | bounds for untrusted input; cancellation |
// | `memory`, `lease` | fallible allocation; scratch memory that a thread keeps |
// | `name`, `plugin`, `kind` | errors of names, and of codecs and filters of the caller; kinds of errors |
// | `format`, `le`, `divide` | constants of the format, little-endian integers, divisions by typesizes |
mod advise;
mod block;
mod cancel;
mod chunk;
mod codec;
mod divide;
mod error;
mod filter;
mod format;
mod header;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
#[doc(hidden)]
#[allow(unsafe_code, reason = "the one place where instruction sets are called by name")]
pub mod kernels;
mod kind;
mod layout;
mod le;
mod lease;
mod limits;
pub mod memory;
mod name;
mod parallel;
mod params;
mod plugin;
mod registry;
#[doc(hidden)]
pub mod single_stream;
mod stream;

pub use advise::{Advice, Advisor, Auto, Candidate, Goal};
pub use cancel::{Cancel, Cancelled};
pub use chunk::{
    BlockInfo, Chunk, Decoder, Encoder, LazyChunk, Stream, StreamKind, compress_slice, decompress_vec, max_cbytes,
};
pub use codec::{Codec, CodecFormat, CorruptStream};
pub use error::{DecodeError, EncodeError, Location, Report};
pub use filter::{Filter, FilterPipeline};
pub use format::ChunkFormat;
pub use header::{Header, Special};
pub use kind::ErrorKind;
pub use limits::{Limits, OverLimit};
pub use memory::OutOfMemory;
pub use name::NameError;
pub use parallel::Parallelism;
#[cfg(feature = "rayon")]
pub use parallel::{Executor, with_executor, with_pool};
pub use params::{BlockSize, CParams, SplitMode};
pub use plugin::PluginError;
pub use registry::{BlockCodec, BlockFilter, PluginContext, Registry, ReservedId};

/// Returns the name of the SIMD kernels that this machine uses: `avx512`, `neon`, `scalar`, …
#[must_use]
pub fn kernel_name() -> &'static str {
    kernels::active().name
}

/// Compresses `src` to a chunk, like [`Encoder::compress`] with a fresh encoder.
///
/// # Errors
/// [`EncodeError`] if a parameter is out of range or `src` is too large for one chunk.
pub fn compress(src: &[u8], params: &CParams) -> Result<Vec<u8>, EncodeError> {
    Encoder::new(*params)?.compress(src)
}

/// Compresses `src` into the start of `dst` and returns the chunk's size, like [`Encoder::compress_into`].
///
/// # Errors
/// As [`compress`], and [`EncodeError::Destination`] if `dst` is too small.
pub fn compress_into(src: &[u8], dst: &mut [u8], params: &CParams) -> Result<usize, EncodeError> {
    Encoder::new(*params)?.compress_into(src, dst)
}

/// Decompresses the chunk at the start of `chunk`, like [`Decoder::decompress`] with a fresh decoder.
///
/// # Errors
/// [`DecodeError`] if `chunk` is not a whole, undamaged chunk.
pub fn decompress(chunk: &[u8]) -> Result<Vec<u8>, DecodeError> {
    Chunk::parse(chunk)?.decompress()
}

/// Decompresses a chunk into the start of `dst` and returns its uncompressed size, like [`Decoder::decompress_into`].
///
/// # Errors
/// As [`decompress`], and [`DecodeError::Destination`] if `dst` is too small.
pub fn decompress_into(chunk: &[u8], dst: &mut [u8]) -> Result<usize, DecodeError> {
    Decoder::new().decompress_into(&Chunk::parse(chunk)?, dst)
}

/// The examples of the crate's README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
