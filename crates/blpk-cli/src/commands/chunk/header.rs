//! The header of a file that is one chunk.

use crate::foreign;
use anyhow::{Result, bail};
use blosc_core::Header;
use bloscpack_format::{Format, detect};
use std::cmp::Ordering;

/// Parses the header of a chunk that fills a file of `len` bytes. A lazy chunk is incomplete, so its length is not
/// checked.
pub(super) fn parse_header(head: &[u8], len: u64) -> Result<Header> {
    match detect(head, Some(len)) {
        None | Some(Format::Blosc1Chunk | Format::Blosc2Chunk) => {}
        Some(format) => bail!("this is {format}, not a bare chunk"),
    }
    let header = Header::parse(head).map_err(|error| match foreign::of_another_format(head) {
        Some(advice) => anyhow::Error::from(error).context(advice),
        None => error.into(),
    })?;
    if is_lazy(&header) {
        return Ok(header);
    }
    check_len(header.cbytes() as u64, len)?;
    Ok(header)
}

/// Whether the blocks are stored elsewhere. A special chunk has no blocks, so the flag means nothing there.
pub(super) fn is_lazy(header: &Header) -> bool {
    header.is_lazy() && header.special_value().is_none()
}

/// Refuses a chunk of `cbytes` bytes that does not fill a file of `len` bytes.
pub(super) fn check_len(cbytes: u64, len: u64) -> Result<()> {
    match cbytes.cmp(&len) {
        Ordering::Equal => Ok(()),
        Ordering::Less => bail!("offset {cbytes}: the chunk ends here, but {} bytes follow", len - cbytes),
        Ordering::Greater => bail!("the chunk is truncated: {len} of {cbytes} bytes"),
    }
}
