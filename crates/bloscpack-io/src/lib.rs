//! Reads and writes Blosc files: pack, unpack, append, verify, and read any part.
//!
//! This example packs a file and reads a range of it back. Only the blocks that hold the range are decoded.
//!
//! ```no_run
//! use bloscpack_io::{Archive, Codec, LocalSource, PackOptions, Sink, Source, pack};
//!
//! let options = PackOptions::new().codec(Codec::Zstd).typesize(8);
//! pack(Source::file("measurements.bin"), Sink::file("measurements.blp"), &options)?;
//!
//! let archive = Archive::open(LocalSource::open("measurements.blp")?)?;
//! let bytes = archive.read_range(8_000..8_016)?;
//! # Ok::<(), bloscpack_io::Error>(())
//! ```
//!
//! ```text
//! plain bytes ──► read ──► compress, digest (all threads) ──► write in order ──► rename      pack
//! plain bytes ◄── rename ◄── write in order ◄── check, decompress (all threads) ◄── read     unpack
//! ```
//!
//! | task | use |
//! |---|---|
//! | pack and unpack files, memory or streams | [`pack`], [`unpack`] with a [`Source`] and a [`Sink`]; in memory [`pack_bytes`], [`unpack_bytes`] |
//! | pack through `Write`; read through `Read + Seek` | [`PackWriter`]; [`Archive::reader`] |
//! | append data or rows of an array, replace metadata | [`append`], [`append_rows`], [`rewrite_metadata`] |
//! | choose compression parameters for each chunk | [`PackOptions::auto`] with an [`Auto`] |
//! | verify | [`verify`] |
//! | read a range, a chunk, a slice of an array, metalayers | [`Archive`] |
//! | read from and write to URLs | [`Remote`], [`Address`], [`AnySource`] |
//! | select items of an array in any container, statistics | [`Array`] |
//! | read and change attributes of any container | [`Attributes::of`], [`read_attributes`], [`edit_attribute`] |
//! | pack and unpack arrays of NumPy and ndarray | [`numpy`] |
//! | create and change frames | [`frame`] |
//! | read, verify, create and change bcolz directories | [`bcolz`] |
//! | read Zarr arrays, groups and zip archives | [`zarr`] |
//! | convert one container to another; write Zarr | [`convert`], [`convert_to_url`] |
//! | salvage a damaged container | [`recover`] |
//!
//! A container is opened from any [`Input`]: bytes with random access ([`ReadAt`]), a directory ([`ReadDirectory`]), a
//! path ([`LocalSource`]), or a URL ([`Remote`]). Each `open` has a variant `open_with` that takes [`OpenOptions`].
//!
//! Formats: bloscpack (versions 1, 2 and 3 are read, version 3 is written); bare chunks (read only); contiguous Blosc2
//! frames, also inside other files ([`Tail`]), and sparse ones; carrays and ctables of bcolz; Zarr arrays and
//! groups (zip archives are read only).
//!
//! Packing and unpacking in memory:
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
//! Outputs are atomic: a file appears complete, or the old one stays. Memory use depends on the number of threads and
//! the chunk size, not on the size of the file. The caller chooses the threads ([`Threads`]).
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `zlib`, `zstd`, `snappy` | yes | these codecs; BloscLZ, LZ4 and LZ4HC are always present, and zstd is always read |
//! | `zstd-c` | no | both directions of zstd by the C library; needs a C compiler |
//! | `write` | yes | files and directories as outputs, and functions that change them; needs `tempfile` and `rustix` |
//! | `ndarray` | no | packing and unpacking arrays of the `ndarray` crate |
//! | `half` | no | the same for items of `half::f16` |
//! | `csv` | no | [`Target::Csv`]: arrays and tables as text |
//! | `remote` | no | [`Remote`]: files and directories at `http://`, `https://` and `s3://` |
//!
//! Without `write`, memory replaces temporary files, for example when packing a stream of unknown size or unpacking a
//! frame from a reader, such as a pipe.
//!
//! Codecs compiled without optimisation are 10 to 24 times slower. To run debug builds with optimised codecs, set
//! `opt-level = 3` in the section `[profile.dev.package."*"]` of your `Cargo.toml`.
//!
//! # One dependency
//!
//! This crate re-exports [`blosc_core`] and [`bloscpack_format`], so that it is the only dependency needed: the former
//! for chunks without a file, the latter for the values in headers and metadata.
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
// Readers and writers share helpers. Without the feature `write`, helpers that only writers use are dead code.
#![cfg_attr(not(feature = "write"), allow(dead_code, unused_imports, unreachable_pub))]

// The files of this crate, from whole jobs down to inputs. Figure and rules are in docs/architecture.md.
//
// | file | content |
// |---|---|
// | `convert`, `recover`, `reference` | conversions; salvage; references to chunks as Zarr metadata |
// | `unpack`, `read_back` | unpacks and verifies files; read-back verification of outputs |
// | `numpy`, `array`, `stats` | arrays of NumPy; arrays in any container; statistics |
// | `attributes`, `describe` | attributes of any container; metadata as text |
// | `choice` | compression parameters of each chunk |
// | `options`, `target` | options of all operations; kinds of output |
// | `address`, `local`, `remote_source`, `any_source` | names of inputs; sources on the file system, at URLs, and either |
// | `open`, `peek` | open a container; detect a format |
// | `formats` | one container for each format, and its writers |
// | `archive`, `container` | all operations on a container; the trait |
// | `remote` | files at URLs |
// | `run` | threads, chunks in flight |
// | `ends`, `source` | inputs and outputs of packing; bytes with random access |
// | `fs`, `in_memory` | atomic files, locks; outputs in memory |
// | `error` | the error type |
mod address;
mod any_source;
mod archive;
mod array;
mod attributes;
mod choice;
mod container;
#[cfg(feature = "write")]
mod convert;
#[doc(hidden)]
pub mod describe;
mod ends;
mod error;
mod formats;
mod fs;
mod in_memory;
mod local;
pub mod numpy;
mod open;
mod options;
pub mod peek;
mod read_back;
#[cfg(feature = "write")]
mod recover;
mod reference;
#[cfg(feature = "remote")]
mod remote;
#[cfg(feature = "remote")]
mod remote_source;
mod run;
mod source;
mod stats;
mod target;
mod unpack;

pub use address::Address;
pub use any_source::AnySource;
pub use archive::{Archive, PlainReader};
pub use array::{Array, ItemFormat, ItemWriter};
#[cfg(feature = "write")]
pub use attributes::{AttributeEdit, edit_attribute};
pub use attributes::{AttributeRefusal, Attributes, DropReason, DroppedAttribute, read_attributes};
pub use blosc_core;
pub use blosc_core::{
    Auto, CParams, Cancel, Candidate, Codec, ErrorKind, Filter, FilterPipeline, Goal, Limits, Location, OutOfMemory,
    OverLimit, Report, memory,
};
pub use bloscpack_format;
pub use container::ChunkFacts;
#[cfg(all(feature = "write", feature = "remote"))]
pub use convert::convert_to_url;
#[cfg(feature = "write")]
pub use convert::{ConvertReport, convert, convert_array};
pub use ends::{Sink, Source};
pub use error::{
    Activity, Advice, ArrayRefusal, ChunkDigestMismatch, CutRefusal, Error, ErrorReport, NoText, ReadBackMismatch,
    ReferenceRefusal,
};
#[cfg(feature = "write")]
pub use formats::bloscpack::append::{AppendReport, append, append_rows, rewrite_metadata};
pub use formats::bloscpack::pack::{PackReport, pack, pack_bytes};
pub use formats::bloscpack::writer::PackWriter;
pub use formats::{bcolz, frame, zarr};
#[cfg(feature = "write")]
pub use fs::atomic::AtomicFile;
pub use fs::files::known_size;
pub use fs::lock::Lock;
pub use local::LocalSource;
#[cfg(feature = "write")]
pub use options::{AppendOptions, ConvertOptions, Gaps, RecoverOptions};
pub use options::{Event, OpenOptions, PackOptions, Typing, UnpackOptions};
pub use read_back::Digesting;
#[cfg(feature = "write")]
pub use recover::{Damaged, Lost, LostPart, LostReason, RecoverReport, recover};
pub use reference::{
    ChunkReference, ReferenceInput, ReferenceOptions, ReferencedArray, ReferencedBytes, References, reference_url,
};
#[cfg(feature = "remote")]
pub use remote::{InvalidUrl, Remote, RemoteDirectory, RemoteFile, RemoteOptions, RemoteReader, RemoteUrl, Traffic};
pub use run::memory_left::memory_left;
pub use run::threads::Threads;
pub use source::{AnyDirectory, ChunkFiles, Input, ReadAt, ReadDirectory, Tail};
pub use stats::{ColumnStats, Edges, Histogram, Numbers};
pub use target::{ColumnFiles, ConvertOption, Target};
pub use unpack::{UnpackReport, unpack, unpack_bytes, verify};

/// The examples of the crate's README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
