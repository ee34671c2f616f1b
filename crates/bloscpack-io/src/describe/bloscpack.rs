//! A bloscpack file as text.

use blosc_core::OutOfMemory;
use bloscpack_format::Json;
use bloscpack_format::bloscpack::Header;

use super::pprint::pformat;
use super::text::{chunk_flags, chunk_header, header_block, metadata_header_block, ordered_dict};
use crate::Archive;

/// Returns header, metadata and the header of the first chunk, whose first 16 bytes are `first`.
///
/// # Errors
/// [`OutOfMemory`].
pub fn bloscpack(archive: &Archive<'_>, header: &Header, first: Option<&[u8; 16]>) -> Result<Vec<String>, OutOfMemory> {
    let mut texts = Vec::new();
    texts.push(header_block(header));
    if !archive.offsets().is_empty() {
        let first: Vec<String> = archive.offsets().iter().take(5).map(i64::to_string).collect();
        texts.push("'offsets':".into());
        texts.push(format!("[{},...]", first.join(",")));
    }
    if let Some(metadata) = archive.metadata().filter(|metadata| **metadata != Json::Null) {
        texts.push("Metadata:".into());
        texts.push(pformat(metadata)?);
        if let Some(header) = archive.metadata_header() {
            texts.push(metadata_header_block(header));
        }
    }
    if let Some(first) = first {
        texts.push("First chunk blosc header:".into());
        texts.push(ordered_dict(&chunk_header(first)));
        texts.push("First chunk blosc flags: ".into());
        texts.push(ordered_dict(&chunk_flags(first[2])));
    }
    Ok(texts)
}
