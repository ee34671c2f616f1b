//! Zarr arrays and groups, format versions 2 and 3: metadata in both directions, shard indexes, zip archives.
//!
//! | file | contents |
//! |---|---|
//! | `basics` | the version of the format, and sizes |
//! | `meta` | [`ArrayMeta`], [`GroupMeta`]: what both versions have in common |
//! | `v2` | `.zarray`, `.zattrs`, `.zgroup` |
//! | `v3` | `zarr.json` |
//! | `consolidated` | the metadata of a whole group in one file: `.zmetadata`, or `consolidated_metadata` in `zarr.json` |
//! | `nodes` | the arrays and groups in it |
//! | `codecs`, `codecs_v2`, `codecs_v3` | the codecs of a chunk, and their names in each version |
//! | `dtype` | data types of version 3, and byte orders |
//! | `fill`, `fill_number` | fill values |
//! | `key` | the keys of chunks |
//! | `shard`, `crc32c` | the index of a shard, and its checksum |
//! | `inflate` | gzip, zlib and raw Deflate streams |
//! | `zip` | the directory of a zip archive |
//! | `fields` | members of the metadata, and errors that name them |
//!
//! A store maps keys to values. On a file system, keys are paths.
//!
//! ```text
//! version 2                            version 3
//! .zgroup .zattrs .zmetadata           zarr.json                  a group
//! a/.zarray a/.zattrs                  a/zarr.json                an array
//! a/0.0  a/0.1 ...                     a/c/0/0  a/c/0/1 ...       its chunks, or its shards
//! ```
//!
//! All chunks of an array have the same shape. Chunks at the edge are stored whole; their items outside the array have
//! no meaning. A missing chunk consists of fill values.

mod basics;
mod codecs;
mod codecs_v2;
mod codecs_v3;
mod consolidated;
mod crc32c;
mod dtype;
mod fields;
mod fill;
mod fill_number;
mod inflate;
mod key;
mod meta;
mod nodes;
mod shard;
mod v2;
mod v3;
pub mod zip;

pub use self::basics::{MAX_CHUNK_NBYTES, MAX_NDIM, Version};
pub use self::codecs::{BloscCodec, BloscShuffle, Codecs, Compressor, IndexLocation, Sharding};
pub use self::consolidated::Consolidated;
pub use self::crc32c::crc32c;
pub use self::fill::Fill;
pub use self::inflate::{Wrapper, inflate};
pub use self::key::{KeyEncoding, KeyScheme};
pub use self::meta::{ArrayMeta, GroupMeta};
pub use self::nodes::NodeKind;
pub use self::shard::{ShardEntry, ShardIndex};
pub use self::v3::Node;
pub use crate::error::ZarrError;

/// The file with the metadata of an array in version 2.
pub const ZARRAY_FILE: &str = ".zarray";
/// The file with the attributes of an array or group in version 2.
pub const ZATTRS_FILE: &str = ".zattrs";
/// The file that makes a directory a group in version 2.
pub const ZGROUP_FILE: &str = ".zgroup";
/// The file with the metadata of everything in a group in version 2.
pub const ZMETADATA_FILE: &str = ".zmetadata";
/// The file with the metadata of an array or group in version 3.
pub const ZARR_JSON_FILE: &str = "zarr.json";
