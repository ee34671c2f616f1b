//! The bloscpack file, format versions 1, 2 and 3.
//!
//! ```text
//! | header 16|32 | metadata section | offsets | chunk | digest | chunk | digest | ...
//! ```
//!
//! Version 1 has a header of 16 bytes and the chunks, nothing else. Version 2 adds offsets and digests, version 3 the
//! metadata section and room to append. All integers are little-endian. The formats are specified in
//! `docs/format/bloscpack.md`.
//!
//! | file | contents |
//! |---|---|
//! | `header` | the header |
//! | `metadata`, `metadata_header` | the metadata section and its header |
//! | `zlib` | zlib streams of metadata |
//! | `offsets` | the offsets section |
//! | `plan` | the division of data into chunks, and the positions of the parts |

mod header;
mod metadata;
mod metadata_header;
pub mod offsets;
mod plan;
mod zlib;

pub use crate::format_version::Version;
pub use header::{Header, MAGIC};
pub use metadata::{MetadataArgs, MetadataRewrite, MetadataSection, Prealloc};
pub use metadata_header::{MetaCodec, MetadataHeader};
pub use plan::{ChunkPlan, Layout, MaxAppChunks};

/// Maximum uncompressed size of a chunk: Blosc's 2³¹ - 1, less the 16 bytes of a chunk's header.
pub const MAX_CHUNK_SIZE: u32 = 2_147_483_631;

/// Default chunk size of bloscpack: 1 MiB.
pub const DEFAULT_CHUNK_SIZE: u32 = 1 << 20;

/// Maximum number of chunks of a file, including those that can still be appended: the limit of the format's `i64`.
pub const MAX_CHUNKS: u64 = i64::MAX as u64;
