//! Which parameters does an input choose? Its first bytes say: codec, level, typesize, filters, blocks, and how the rest
//! becomes plain bytes.

use blosc_core::{BlockSize, CParams, ChunkFormat, Codec, Filter, FilterPipeline, SplitMode};
use core::num::NonZeroU8;

/// The bytes that choose.
pub const CHOICES: usize = 12;

/// The filters that give back what they were given; of the lossy ones see `filters`.
pub const LOSSLESS: [Filter; 8] = [
    Filter::Shuffle,
    Filter::BitShuffle,
    Filter::Delta,
    Filter::ByteDelta(0),
    Filter::ByteDelta(3),
    Filter::ShuffleGroups(NonZeroU8::new(5).unwrap()),
    Filter::ShuffleGroups(NonZeroU8::MAX),
    Filter::NdCell(3),
];

const SPLITS: [SplitMode; 4] = [SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat];

/// What an input chooses.
#[derive(Debug, Clone)]
pub struct Choice {
    pub params: CParams,
    pub codec: Codec,
    pub filters: FilterPipeline,
    pub split: SplitMode,
    pub typesize: usize,
    pub is_blosc2: bool,
    pub dictionary: bool,
    /// Whether each block is given by itself; of Blosc2 chunks only.
    pub vl_blocks: bool,
    /// A number for whatever else is to be chosen.
    pub room: u8,
    pub plain: Vec<u8>,
}

/// Takes an input apart; `None` if it is too short. Every parameter is in range, but they need not go together.
pub fn choose(input: &[u8]) -> Option<Choice> {
    let (choices, rest) = input.split_first_chunk::<CHOICES>()?;
    let [codec, clevel, typesize, filters @ .., split, block_low, block_high, repeats, room] = *choices;
    let codec = [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc, Codec::Zlib, Codec::Zstd, Codec::Snappy][codec as usize % 6];
    let typesize = usize::from(typesize).max(1);
    // The highest bits of the split mode choose the kind of chunk.
    let (is_blosc2, dictionary, vl_blocks) = (split & 0x80 != 0, split & 0x40 != 0, split & 0x20 != 0);
    let split = SPLITS[usize::from(split) % 4];
    let filters = if is_blosc2 {
        // Each nibble is a filter; 8 and above is none.
        let nibbles = filters.into_iter().flat_map(|byte| [byte & 15, byte >> 4]);
        let filters = nibbles.filter_map(|nibble| LOSSLESS.get(usize::from(nibble)).copied());
        FilterPipeline::try_from_iter(filters.take(FilterPipeline::MAX_LEN)).ok()?
    } else {
        [FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::bitshuffle()][usize::from(filters[0]) % 3]
    };
    let params = CParams::new()
        .codec(codec)
        // Levels above 6 of the slow codecs search longer, not otherwise.
        .clevel(clevel % if matches!(codec, Codec::Zlib | Codec::Zstd) { 7 } else { 10 })
        .typesize(typesize)
        .filters(filters)
        .split(split)
        .portable(false)
        .blocksize(match u16::from_le_bytes([block_low, block_high]) {
            0..=999 => BlockSize::Auto,
            size => BlockSize::Fixed((size - 1000).into()),
        });
    let params = if is_blosc2 { params.format(ChunkFormat::Blosc2).dictionary(dictionary) } else { params };
    // Repeated, so that short inputs make several blocks and long matches.
    let plain = rest.repeat(1 + usize::from(repeats % 32));
    Some(Choice { params, codec, filters, split, typesize, is_blosc2, dictionary, vl_blocks, room, plain })
}
