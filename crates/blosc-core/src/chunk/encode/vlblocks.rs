//! Encodes blocks of variable length. [`vlblocks`](crate::layout::vlblocks) describes their layout.

use super::Encoder;
use super::buffers::{Buffers, Worker};
use super::output::Output;
use crate::codec::MAX_DICT;
use crate::error::EncodeError;
use crate::filter::Filter;
use crate::format::ChunkFormat;
use crate::header::{ChunkKind, Header};
use crate::layout::vlblocks::SIZE_LEN;
use crate::layout::{BSTART_LEN, DSIZE_LEN};

/// Minimum number of blocks from which C-Blosc2 trains a dictionary.
const MIN_BLOCKS_TO_LEARN: usize = 8;

impl Encoder {
    /// Compresses each of `blocks` to its own block in one Blosc2 chunk of version 6, which C-Blosc2 reads since 3.0.
    /// Prefilters, block size and split mode do not apply.
    ///
    /// ```
    /// use blosc_core::{CParams, Chunk, Codec, Decoder, Encoder};
    /// let lines: [&[u8]; 3] = [b"first", b"second line", b"3"];
    /// let mut encoder = Encoder::new(CParams::blosc2().codec(Codec::Zstd).typesize(1))?;
    /// let bytes = encoder.compress_vlblocks(&lines)?;
    /// let chunk = Chunk::parse(&bytes)?;
    /// let mut line = [0; 32];
    /// let len = Decoder::new().decode_block(&chunk, 1, &mut line)?;
    /// assert_eq!(&line[..len], b"second line");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`EncodeError::EmptyBlock`] for an empty block or no blocks; [`EncodeError::TooLarge`] for more than
    /// [`Header::MAX_NBYTES_BLOSC2`] bytes in total; [`EncodeError::Filter`] for the delta filter, which C-Blosc2 does
    /// not undo in such chunks, and as [`Encoder::compress`]; [`EncodeError::Codec`] if the parameters are not
    /// Blosc2's.
    pub fn compress_vlblocks(&mut self, blocks: &[&[u8]]) -> Result<Vec<u8>, EncodeError> {
        let header = self.vl_header(blocks)?;
        let compress = self.params.clevel > 0;
        let (plan, buffers) = self.plan(&header)?;
        let learned = if compress && blocks.len() >= MIN_BLOCKS_TO_LEARN {
            plan.dictionary(blocks.iter().copied(), header.nbytes(), None)?
        } else {
            None
        };
        let tables = header.len() + blocks.len() * BSTART_LEN;
        let most = DSIZE_LEN + MAX_DICT + header.nbytes() + blocks.len() * SIZE_LEN;
        let mut chunk = Vec::new();
        let Buffers { own: Worker { encoder, .. }, block: room, .. } = buffers;
        let mut out = Output::to_vec(&mut chunk, room, tables + most)?;
        out.skip(tables);
        let mut with_dictionary = None;
        if let Some(learned) = &learned {
            learned.put(&mut out);
            with_dictionary = Some(learned.encoder(encoder)?);
        }
        let payloads = with_dictionary.as_mut().unwrap_or(encoder);
        for (index, block) in blocks.iter().enumerate() {
            plan.check_cancel()?;
            let start = out.len();
            plan.put_bstart(&mut out, index, start);
            out.append(&(block.len() as i32).to_le_bytes());
            let written = payloads.encode_payload(plan.forward(), block, compress, out.room(block.len())?)?;
            // A payload is never longer than its block, and there is room for all blocks.
            out.advance(written.unwrap_or_default());
        }
        let cbytes = out.len();
        if cbytes > i32::MAX as usize {
            return Err(EncodeError::TooLarge { nbytes: header.nbytes(), max: Header::MAX_NBYTES_BLOSC2 });
        }
        let header = if learned.is_some() { header.with_dictionary() } else { header };
        out.finish(&header.finish(cbytes));
        chunk.shrink_to_fit();
        Ok(chunk)
    }

    /// Checks the blocks and returns the header of their chunk.
    fn vl_header(&self, blocks: &[&[u8]]) -> Result<Header, EncodeError> {
        let params = &self.params;
        if params.format != ChunkFormat::Blosc2 {
            let what = "a Blosc1 chunk has no blocks of variable length";
            return Err(EncodeError::Codec { codec: params.codec, what });
        }
        if params.filters.contains(Filter::Delta) {
            let what = "C-Blosc2 does not undo it on blocks of variable length";
            return Err(EncodeError::Filter { filter: Filter::Delta, what });
        }
        if let Some(block) = blocks.iter().position(|block| block.is_empty()).or(blocks.is_empty().then_some(0)) {
            return Err(EncodeError::EmptyBlock { block });
        }
        let nbytes = blocks.iter().fold(0usize, |sum, block| sum.saturating_add(block.len()));
        let (max, nblocks) = (Header::MAX_NBYTES_BLOSC2, blocks.len());
        // Each uncompressed block takes eight more bytes: its start and its size.
        if nbytes.saturating_add(nblocks.saturating_mul(BSTART_LEN + SIZE_LEN)) > max {
            return Err(EncodeError::TooLarge { nbytes, max });
        }
        let (format, codec, filters) = (params.format, params.codec, params.filters);
        let kind = ChunkKind { format, codec, filters, split: false };
        Ok(Header::new(params.machine_typesize(), nbytes, 1, kind).with_vl_blocks(nblocks))
    }
}
