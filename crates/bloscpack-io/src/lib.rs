//! Blosc files in and out: pack, unpack, append, verify, read any part.
//!
//! ```text
//! plain bytes ──► read ──► compress, digest (all threads) ──► write in order ──► rename      pack_*
//! plain bytes ◄── rename ◄── write in order ◄── check, decompress (all threads) ◄── read     unpack_*
//! ```
//!
//! | to | from files | from memory | from and to anything |
//! |---|---|---|---|
//! | pack | [`pack_file`] | [`pack_bytes`], [`pack_bytes_to_file`] | [`pack_stream`], [`pack_to_file`]; pushed: [`PackWriter`] |
//! | unpack | [`unpack_file`] | [`unpack_bytes`], [`unpack_bytes_from_file`] | [`unpack_stream`]; pulled, with seeks: [`Archive::reader`] |
//! | append, change metadata | [`append_file`], [`rewrite_metadata`] | | [`append_stream`] |
//! | attributes of any container | [`read_attributes`], [`edit_attribute`] | | [`Archive::attributes`] |
//! | verify | [`verify_file`] | | [`verify_stream`] |
//! | read a part, a slice of an array, metalayers | [`Archive`] on a [`LocalSource`] | [`Archive`] | any [`ReadAt`] |
//! | arrays | [`numpy`] | [`numpy`] | |
//! | selections of arrays in any container, statistics | [`Array`] on a [`LocalSource`] | [`Array`] | any [`ReadAt`] |
//! | make and change frames | [`frame`] | [`frame`] | any [`frame::FrameStore`] |
//! | read and verify bcolz directories | [`bcolz`] | [`bcolz`] | any [`bcolz::Directory`] |
//! | make, change and salvage them | [`bcolz`] | [`bcolz`] | any [`bcolz::Directory`] |
//! | salvage a damaged bloscpack file | [`recover`] | | |
//! | convert | [`convert`] | | |
//!
//! Formats: bloscpack versions 1, 2 and 3 are read, 3 is written; bare chunks and Blosc2 frames are read, contiguous ones,
//! also inside of other files ([`Tail`]), and sparse ones; carrays and ctables of bcolz.
//!
//! ```
//! use bloscpack_io::{Codec, PackOptions, UnpackOptions};
//!
//! let plain: Vec<u8> = (0..1_000_000u64).flat_map(u64::to_le_bytes).collect();
//! let options = PackOptions::new().codec(Codec::Lz4).typesize(8);
//! let packed = bloscpack_io::pack_bytes(&plain, &options)?;
//! let (unpacked, report) = bloscpack_io::unpack_bytes(&packed, &UnpackOptions::new())?;
//! assert!(unpacked == plain);
//! assert_eq!(report.header.unwrap().nchunks, Some(8));
//! # Ok::<(), bloscpack_io::Error>(())
//! ```
//!
//! Outputs are atomic: a file appears whole, or the old one stays. Memory is bounded by the threads and the chunk size,
//! whatever the size of the file. Threads are the caller's ([`Threads`]).
//!
//! One dependency is enough: [`blosc_core`] and [`bloscpack_format`] are re-exported whole, for chunks without a file and for
//! the values in headers and metadata.
//!
//! ```
//! use bloscpack_io::blosc_core::{CParams, compress};
//! use bloscpack_io::bloscpack_format::checksum::Checksum;
//! use bloscpack_io::{Archive, FilterPipeline, PackOptions};
//!
//! let options = PackOptions::new().filters(FilterPipeline::bitshuffle()).clevel(9).checksum(Checksum::Crc32);
//! let packed = Archive::open(bloscpack_io::pack_bytes(&[7; 1000], &options)?)?;
//! let chunk = Archive::open(compress(&[7; 1000], &CParams::new())?)?;
//! assert_eq!(packed.read_range(10..20)?, chunk.read_range(10..20)?);
//! # Ok::<(), bloscpack_io::Error>(())
//! ```

#![forbid(unsafe_code)]

mod archive;
mod array;
mod attributes;
mod container;
mod convert;
mod error;
mod formats;
mod fs;
mod in_memory;
mod local;
pub mod numpy;
mod open;
mod options;
mod read_back;
pub mod recover;
mod run;
mod source;
mod stats;
mod unpack;
mod verify;

pub use archive::{Archive, PlainReader};
pub use array::{Array, ItemFormat, ItemWriter};
pub use attributes::{AttributeEdit, Attributes, Unkept, edit_attribute, read_attributes};
pub use blosc_core;
pub use blosc_core::{CParams, Cancel, Codec, Filter, FilterPipeline, Limits, OutOfMemory, OverLimit, memory};
pub use bloscpack_format;
pub use convert::{ColumnFiles, ConvertOptions, ConvertReport, Target, convert, convert_table, convert_table_to_files};
#[cfg(feature = "csv")]
pub use convert::{convert_array_to_csv, convert_to_csv};
pub use error::{ChunkDigestMismatch, Error};
pub use formats::bloscpack::append::{AppendReport, append_file, append_stream, rewrite_metadata};
pub use formats::bloscpack::pack::{PackReport, pack_bytes, pack_bytes_to_file, pack_file, pack_stream, pack_to_file};
pub use formats::bloscpack::writer::PackWriter;
pub use formats::{bcolz, frame};
pub use fs::atomic::AtomicFile;
pub use fs::files::known_size;
pub use fs::lock::Lock;
pub use local::LocalSource;
pub use options::{AppendOptions, Event, OpenOptions, PackOptions, RecoverOptions, Typing, UnpackOptions};
pub use read_back::Digesting;
pub use run::threads::Threads;
pub use source::{ChunkFiles, Input, ReadAt, ReadDirectory, Tail};
pub use stats::{ColumnStats, Edges, Histogram, Numbers};
pub use unpack::{UnpackReport, unpack_bytes, unpack_bytes_from_file, unpack_file, unpack_stream};
pub use verify::{verify_file, verify_stream};

/// The examples of the crate's README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
