//! Byte layouts of the Blosc family's files, without I/O: parsers take slices, writers return bytes.
//!
//! | module | contents |
//! |---|---|
//! | [`bloscpack`] | the bloscpack file, format versions 1, 2 and 3: header, metadata section, offsets, chunk plan |
//! | [`bcolz`] | directories of bcolz 1.x: carrays and ctables |
//! | [`frame`] | Blosc2 frames: header, metalayers, index, trailer; sparse ones; n-dimensional arrays; crash-safe changes |
//! | [`numpy`] | NumPy dtypes, the metadata that makes a bloscpack file an array, `.npy` headers |
//! | [`zarr`] | Zarr 2 and 3: metadata of arrays and groups, shard indexes, zip archives |
//! | [`msgpack`] | MessagePack, the encoding of metalayers, converted to and from JSON values |
//! | [`json`] | JSON as Python reads and writes it: `NaN`, integers of any size, floats spelled as `repr` does |
//! | [`checksum`] | the nine checksums of bloscpack and the form in which their digests are stored |
//! | [`detect`](mod@detect) | detection of a file's format by its first bytes |
//!
//! The crate has no features. A program that reads files uses `bloscpack-io`.
//!
//! Nothing here opens a file or starts a thread. A number in the input never causes an allocation that the length of
//! the input does not justify. If a slice is too short, [`FormatError::bytes_needed`] returns the length it must have.
//!
//! ```
//! use bloscpack_format::bloscpack::{ChunkPlan, Header, Version};
//! use bloscpack_format::checksum::Checksum;
//!
//! let plan = ChunkPlan::new(100_000, 30_000)?;
//! assert_eq!((plan.nchunks, plan.last_chunk), (4, 10_000));
//!
//! let mut header = Header::new(Version::V3);
//! header.checksum = Checksum::Adler32;
//! header.typesize = 8;
//! header.chunk_size = Some(plan.chunk_size);
//! header.last_chunk = Some(plan.last_chunk);
//! header.nchunks = Some(plan.nchunks);
//! let bytes = header.to_bytes()?;
//! assert_eq!(Header::parse(&bytes)?, (header, 32));
//! assert_eq!(header.nbytes(), Some(100_000));
//! # Ok::<(), bloscpack_format::FormatError>(())
//! ```
#![forbid(unsafe_code)]

pub mod bcolz;
pub mod bloscpack;
pub mod checksum;
pub mod detect;
pub mod frame;
pub mod json;
pub mod msgpack;
pub mod numpy;
pub mod zarr;

// | file | content |
// |---|---|
// | `error` | errors of all formats |
// | `le` | little-endian fields of headers |
// | `format_version` | versions of bloscpack files |
// | `axes` | sizes of arrays |
// | `python` | floats, strings and bytes as Python spells them |
// | `base64`, `crc32` | base64; CRC-32 |
mod axes;
#[doc(hidden)]
pub mod base64;
mod crc32;
mod error;
mod format_version;
mod le;
mod python;

pub use bcolz::Attrs;
pub use detect::{Format, detect};
pub use error::{DigestMismatch, FormatError, Part, TextProblem};
pub use json::Json;
#[doc(hidden)]
pub use python::{python_bytes_repr, python_float_repr, python_str_repr, write_bytes_repr, write_str_repr};

/// The examples of the crate's README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
