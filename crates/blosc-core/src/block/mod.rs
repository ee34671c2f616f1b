//! One block: through the filter and the codec, stream by stream, and back.
//!
//! ```text
//! plain block ── filters ──► filtered block ── cut into streams ──► codec each ──► csize|bytes csize|bytes …
//! ```
//!
//! A block is one stream, or `typesize` streams of equal length (`neblock`), one for each byte of the elements: then
//! the filter is the byte shuffle and a stream holds what the elements have in common.

mod decode;
mod encode;
mod planes;
mod stored;

pub(crate) use decode::{BlockDecoder, BlockPlan, Outside};
pub(crate) use encode::{BlockEncoder, Streams};
pub(crate) use stored::{CSIZE_LEN, RUN_TOKEN, Stored, StreamReader};
