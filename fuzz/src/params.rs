//! Parameters chosen by an input. Its first bytes select codec, level, typesize, filters, blocks, and how the rest
//! becomes uncompressed data.

use blosc_core::{BlockSize, CParams, ChunkFormat, Codec, Filter, FilterPipeline, SplitMode};
use core::num::NonZeroU8;

/// Number of bytes that select parameters.
pub const CHOICES: usize = 12;

/// Filters that restore their input exactly. The target `filters` covers the lossy ones.
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

/// The parameters and data that an input selects.
#[derive(Debug, Clone)]
pub struct Choice {
    pub params: CParams,
    pub codec: Codec,
    pub filters: FilterPipeline,
    pub split: SplitMode,
    pub typesize: usize,
    pub is_blosc2: bool,
    pub dictionary: bool,
    /// Whether the blocks are passed separately (variable-length blocks); Blosc2 chunks only.
    pub vl_blocks: bool,
    /// A number for any further choices.
    pub room: u8,
    pub plain: Vec<u8>,
}

/// Parses an input; `None` if it is too short or its filters do not form a pipeline. Every parameter is in range, but
/// they may not be compatible.
pub fn choose(input: &[u8]) -> Option<Choice> {
    let (choices, rest) = input.split_first_chunk::<CHOICES>()?;
    let [codec, clevel, typesize, filters @ .., split, block_low, block_high, repeats, room] = *choices;
    let codec = [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc, Codec::Zlib, Codec::Zstd, Codec::Snappy][codec as usize % 6];
    let typesize = usize::from(typesize).max(1);
    // The highest bits of the split mode select the kind of chunk.
    let (is_blosc2, dictionary, vl_blocks) = (split & 0x80 != 0, split & 0x40 != 0, split & 0x20 != 0);
    let split = SPLITS[usize::from(split) % 4];
    let filters = if is_blosc2 {
        // Each nibble selects a filter; 8 and above select none.
        let nibbles = filters.into_iter().flat_map(|byte| [byte & 15, byte >> 4]);
        let filters = nibbles.filter_map(|nibble| LOSSLESS.get(usize::from(nibble)).copied());
        FilterPipeline::try_from_iter(filters.take(FilterPipeline::MAX_LEN)).ok()?
    } else {
        [FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::bitshuffle()][usize::from(filters[0]) % 3]
    };
    let params = CParams::new()
        .codec(codec)
        // Levels above 6 of the slow codecs only search longer.
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
    // Repeated, so that short inputs give several blocks and long matches.
    let plain = rest.repeat(1 + usize::from(repeats % 32));
    Some(Choice { params, codec, filters, split, typesize, is_blosc2, dictionary, vl_blocks, room, plain })
}
