//! Facts of the super-chunk that a chunk belongs to, for filters.

use blosc_core::{Decoder, Encoder, Filter};

/// Facts of a super-chunk that are not in its chunks.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct SuperChunk {
    /// The lengths of a block along each axis; empty if the super-chunk is not an array.
    pub(crate) blockshape: Vec<usize>,
    pub(crate) typesize: Option<usize>,
}

impl SuperChunk {
    /// Returns whether one of these filters needs the facts.
    pub(crate) fn is_needed_by(filters: &[u8], metas: &[u8]) -> bool {
        let mut filters = filters.iter().zip(metas).filter_map(|(id, meta)| Filter::from_id(*id, *meta));
        let needs = |filter| {
            use Filter::{ByteDelta, ByteDeltaOld, NdCell, NdMean};
            matches!(filter, NdCell(_) | NdMean(_) | ByteDelta(0) | ByteDeltaOld(0))
        };
        filters.any(needs)
    }

    /// Gives an encoder the shape. A chunk names the channels of BYTEDELTA itself.
    pub(super) fn for_encoder(&self, encoder: Encoder) -> Encoder {
        encoder.blockshape(&self.blockshape)
    }

    pub(super) fn for_decoder(&self, decoder: Decoder) -> Decoder {
        let decoder = decoder.blockshape(&self.blockshape);
        match self.typesize {
            Some(typesize) => decoder.super_chunk_typesize(typesize),
            None => decoder,
        }
    }
}
