//! Decoding one block.

use super::CSIZE_LEN;
use crate::DecodeError;
use crate::chunk::Layout;
use crate::codec::{CorruptStream, Decompressor};
use crate::filter;
use crate::le::i32_at;

/// Room behind a block in the scratch buffer, so that decoders copy in wide steps up to its very end.
const SLACK: usize = 64;

/// Decodes blocks, keeping tables and buffers from block to block and from chunk to chunk.
#[derive(Debug, Default)]
pub(crate) struct BlockDecoder {
    decompressor: Decompressor,
    filtered: Vec<u8>,
}

impl BlockDecoder {
    /// Decodes block `index` of a chunk whose body is compressed (not memcpyed) to `dst`, which has the block's length.
    pub(crate) fn decode(
        &mut self,
        chunk: &[u8],
        layout: &Layout,
        index: usize,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let len = dst.len();
        let block = Block { chunk, layout, index, len };
        let Some(filter) = filter::for_block(layout.filters, layout.typesize, len) else {
            return block.decode(&mut self.decompressor, dst);
        };
        if self.filtered.len() < len + SLACK {
            self.filtered.resize(len + SLACK, 0);
        }
        block.decode(&mut self.decompressor, &mut self.filtered)?;
        filter::backward(filter, layout.typesize, &self.filtered[..len], dst);
        Ok(())
    }
}

/// A block still to be decoded: `len` plain bytes.
#[derive(Clone, Copy)]
struct Block<'a> {
    chunk: &'a [u8],
    layout: &'a Layout,
    index: usize,
    len: usize,
}

impl<'a> Block<'a> {
    /// Decodes the streams to `dst[..len]`; the rest of `dst` is scratch.
    fn decode(self, decompressor: &mut Decompressor, dst: &mut [u8]) -> Result<(), DecodeError> {
        let start = self.layout.bstart(self.chunk, self.index)?;
        let nstreams = self.layout.nstreams(self.index);
        let decoded = self.decode_streams(decompressor, start, nstreams, dst);
        match decoded {
            // C-Blosc 1's ALWAYS_SPLIT writes chunks that its own rule reads wrongly: where the block cannot be the
            // one stream that it should be, it may be `typesize` of them.
            Err(_) if nstreams == 1 && self.layout.may_be_split(self.index) => {
                self.decode_streams(decompressor, start, self.layout.typesize, dst).or(decoded)
            }
            decoded => decoded,
        }
    }

    /// Decodes `nstreams` streams of equal plain length (`neblock`) from `at` on.
    fn decode_streams(
        self,
        decompressor: &mut Decompressor,
        mut at: usize,
        nstreams: usize,
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let neblock = self.len / nstreams;
        if neblock * nstreams != self.len {
            let source = CorruptStream::new(0, "the block does not divide into streams");
            return Err(DecodeError::Stream { block: self.index, stream: 0, offset: at, source });
        }
        for stream in 0..nstreams {
            let payload = self.payload(at)?;
            let dst = &mut dst[stream * neblock..];
            let offset = at + CSIZE_LEN;
            if payload.len() == neblock {
                dst[..neblock].copy_from_slice(payload);
            } else if let Err(source) = decompressor.decompress(self.layout.format, payload, dst, neblock) {
                return Err(DecodeError::Stream { block: self.index, stream, offset, source });
            }
            at = offset + payload.len();
        }
        Ok(())
    }

    /// The bytes of the stream at `at`, behind its `csize`.
    fn payload(self, at: usize) -> Result<&'a [u8], DecodeError> {
        let found = self.chunk.len();
        let csize = i32_at(self.chunk, at).ok_or(DecodeError::Truncated { cbytes: at + CSIZE_LEN, found })?;
        let start = at + CSIZE_LEN;
        let room = found - start;
        match usize::try_from(csize) {
            Ok(csize) if (1..=room).contains(&csize) => Ok(&self.chunk[start..start + csize]),
            _ => Err(DecodeError::Place {
                block: self.index,
                offset: at,
                what: "csize",
                found: csize.into(),
                min: 1,
                max: room as i64,
            }),
        }
    }
}
