//! Blosc2 chunks that no encoder wrote, with any filters, any codec and any bytes as block streams. Also the rule for
//! which Blosc1 chunks the C libraries can read.
//!
//! The chunks have the header of `docs/format/`: 32 bytes, flags 0x15 for an extended header and unsplit blocks, the
//! codec's number from bit 5 on.

use blosc_core::Header;

/// Fields of the header.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    pub typesize: u8,
    pub nbytes: u32,
    pub blocksize: u32,
    pub filters: [u8; 6],
    pub filters_meta: [u8; 6],
    /// Stream format: 0 to 4, or 6 for the registered codec `codec`.
    pub format: u8,
    pub codec: u8,
    pub codec_meta: u8,
}

/// Returns a chunk of these streams, one per block. A stream as long as its block is stored uncompressed.
pub fn of_streams<'a>(head: Head, streams: impl ExactSizeIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut chunk = vec![5, 1, 0x15 | head.format << 5, head.typesize];
    chunk.extend(head.nbytes.to_le_bytes());
    chunk.extend(head.blocksize.to_le_bytes());
    chunk.extend([0; 4]);
    chunk.extend(head.filters);
    chunk.extend([head.codec, head.codec_meta]);
    chunk.extend(head.filters_meta);
    chunk.extend([0; 2]);
    let mut body = Vec::new();
    let body_at = chunk.len() + 4 * streams.len();
    for stream in streams {
        chunk.extend(((body_at + body.len()) as u32).to_le_bytes());
        body.extend((stream.len() as u32).to_le_bytes());
        body.extend(stream);
    }
    chunk.extend(body);
    let cbytes = (chunk.len() as u32).to_le_bytes();
    chunk[12..16].copy_from_slice(&cbytes);
    chunk
}

/// Returns whether C-Blosc splits, and reads as split, the blocks of a Blosc1 chunk: at most 16 streams of at least 128
/// bytes.
pub fn is_split_by_rule(chunk: &[u8]) -> bool {
    let header = Header::parse(chunk).expect("a chunk");
    header.typesize() <= 16 && header.blocksize() / header.typesize() >= 128
}
