//! The codecs that compress and decompress streams.
//!
//! Every codec has the same two operations on plain slices:
//!
//! * compress `src` into `dst`: returns `None` if the result does not fit (storing raw is not an error);
//! * decompress `src` into exactly `len` bytes of `dst`: anything else is a [`CorruptStream`].
//!
//! `dst` may be longer than `len`. A decoder may use the bytes after `dst[..len]` as scratch for copies of fixed width,
//! so the caller fills them later or ignores them. No byte outside `dst` is ever touched.
//!
//! | file | codec |
//! |---|---|
//! | `blosclz`, `lz4` | encoders and decoders of this crate |
//! | `lz77` | copies and lengths of matches, for these two and `deflate` |
//! | `deflate`, `zlib` | zlib streams; the choice of the encoder for a chunk format |
//! | `ndlz` | a decoder of this crate |
//! | `snappy` | an adapter of another crate |
//! | `zstd` | a decoder of this crate, an encoder whose matches another crate finds, and the C library for both |
//! | `dictionary` | trains a dictionary on streams |
//! | `huffman` | lengths of Huffman codes, for `deflate` and `zstd` |
//! | `noise` | detects incompressible data, which is stored without trying to compress it |
//! | `independent` | detects streams without useful matches, which zlib and zstd compress without a search |
//! | `repeats`, `records` | look for strings that occur twice, and for bytes that equal those an element before, for these two |
//! | `few_words` | detects text of few words, for LZ4, zlib and zstd, and streams of many values, for zstd |
//! | `ids`, `error`, `task` | names and numbers of codecs, decoding errors, the input of a decoder |
//! | `dict_chunks` | test support: golden chunks with dictionaries |
//!
//! [`stream`](crate::stream) chooses the codec of each stream.

pub(crate) mod blosclz;
#[cfg(feature = "zlib")]
mod deflate;
#[cfg(test)]
mod dict_chunks;
mod dictionary;
mod error;
mod few_words;
#[cfg(any(feature = "zlib", feature = "zstd"))]
mod huffman;
mod ids;
#[cfg(any(feature = "zlib", all(feature = "zstd", not(feature = "zstd-c"))))]
#[cfg_attr(
    any(not(feature = "zlib"), not(feature = "zstd"), feature = "zstd-c"),
    allow(dead_code, reason = "zlib and zstd test with different care")
)]
mod independent;
pub(crate) mod lz4;
mod lz77;
pub(crate) mod ndlz;
#[cfg_attr(
    any(not(feature = "zstd"), feature = "zstd-c"),
    allow(dead_code, reason = "only our encoder of zstd tests single streams")
)]
pub(crate) mod noise;
mod records;
mod repeats;
#[cfg(feature = "snappy")]
pub(crate) mod snappy;
mod task;
#[cfg(feature = "zlib")]
pub(crate) mod zlib;
pub(crate) mod zstd;

pub(crate) use dictionary::{MAX_DICT, train};
pub use error::CorruptStream;
pub(crate) use error::StreamError;
pub(crate) use ids::NDLZ;
pub use ids::{Codec, CodecFormat};
pub(crate) use task::{DecodeTask, SLACK};
