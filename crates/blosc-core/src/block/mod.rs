//! One block: through the filters and the codec, stream by stream, and back.
//!
//! ```text
//! plain block ── filters ──► filtered block ── cut into streams ──► codec each ──► csize|bytes csize|bytes …
//! ```
//!
//! A block is one stream, or `typesize` streams of equal length (`neblock`), one per byte of an element. With several
//! streams the filter is usually the byte shuffle, so that each stream holds one byte plane.
//!
//! | file | content |
//! |---|---|
//! | `encode` | encodes a block |
//! | `decode` | decodes a block |
//! | `planes` | unshuffles byte planes directly from the chunk |
//! | `stored` | how a stream is stored, from its `csize` |

mod decode;
mod encode;
mod planes;
mod stored;

pub(crate) use decode::{BlockDecoder, BlockPlan, Outside};
pub(crate) use encode::{BlockEncoder, Streams};
pub(crate) use stored::{CSIZE_LEN, RUN_TOKEN, Stored, StreamReader};
