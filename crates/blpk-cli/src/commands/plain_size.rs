//! Sizes of the chunks of a file, which `--memory` needs before anything is decoded.

use crate::kind::{Kind, kind_of_file, prefix};
use blosc_core::{Header as ChunkHeader, Limits};
use bloscpack_format::bloscpack::Header;
use std::fs::File;
use std::path::Path;

/// Plain bytes of the largest chunk of a bloscpack file or of a bare chunk, as far as the header says.
pub(super) fn chunk_size(path: &Path) -> Option<u64> {
    let file = File::open(path).ok()?;
    match kind_of_file(&file)? {
        Kind::Bloscpack => Header::parse(&prefix(&file, Header::MAX_LEN)?).ok()?.0.chunk_size.map(u64::from),
        Kind::Chunk => {
            let head = prefix(&file, ChunkHeader::EXTENDED_LEN)?;
            Some(ChunkHeader::parse(&head).ok()?.nbytes() as u64)
        }
        _ => None,
    }
}

/// The limits of the decoder, and the size of chunks to reckon with. Where no header says it, a chunk may be as large as
/// fits one at a time, and is refused if it is larger.
pub(super) fn limits(memory: Option<u64>, chunk: Option<u64>) -> (Limits, u64) {
    match (memory, chunk) {
        (None, chunk) => (Limits::new(), chunk.unwrap_or(0)),
        // A header may say less than is true.
        (Some(_), Some(chunk)) => (Limits::new().max_chunk(usize::try_from(chunk).unwrap_or(usize::MAX)), chunk),
        (Some(memory), None) => {
            (Limits::new().max_chunk(usize::try_from(memory / 2).unwrap_or(usize::MAX)), memory / 2)
        }
    }
}
