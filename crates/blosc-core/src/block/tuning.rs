//! C-Blosc 1's choice of block size and its split rule, for writers; and the split rule for readers.
//!
//! The numbers are the format's de facto standard: other writers' tables of automatic block sizes agree with them, and
//! readers of chunks older than Blosc 1.11 depend on the split rule.

use crate::codec::Codec;
use crate::params::{BlockSize, CParams, SplitMode};

/// The automatic block size starts here: an L1 data cache of 32 KiB.
const L1: usize = 32 * 1024;
/// Bounds of a forced block size.
const MIN_FORCED: usize = 128;
/// `(2^31 - 1 - 128) / 3` in C-Blosc: three buffers of a block must fit into 31 bits.
const MAX_FORCED: usize = 715_827_542;
/// A split block's streams have at least this many bytes.
const MIN_STREAM: usize = 128;
/// Elements wider than this are not split.
const MAX_SPLITS: usize = 16;

/// Block size of a Blosc1 chunk of `nbytes` plain bytes. At least 1; a multiple of the typesize if larger than it.
pub(crate) fn blocksize(params: &CParams, nbytes: usize) -> usize {
    let typesize = params.typesize;
    if nbytes < typesize {
        return 1;
    }
    let mut blocksize = match params.blocksize {
        BlockSize::Fixed(forced) => forced.clamp(MIN_FORCED, MAX_FORCED),
        BlockSize::Auto if nbytes < L1 => nbytes,
        BlockSize::Auto => automatic(params.codec, params.clevel),
    };
    if params.clevel > 0 && is_split(params, blocksize) {
        // Each stream gets the size chosen for a whole block, within 64 KiB and 1 MiB for the block.
        blocksize = (blocksize.min(1 << 18) * typesize).clamp(1 << 16, 1 << 20);
    }
    blocksize = blocksize.min(nbytes);
    if blocksize > typesize { blocksize / typesize * typesize } else { blocksize }
}

/// The size for codec and level alone: L1 scaled by level, and doubled for the codecs that profit from longer history.
fn automatic(codec: Codec, clevel: u8) -> usize {
    let high_ratio = matches!(codec, Codec::Lz4Hc | Codec::Zlib | Codec::Zstd);
    let base = if high_ratio { 2 * L1 } else { L1 };
    match clevel {
        0 => base / 4,
        1 => base / 2,
        2 => base,
        3 => base * 2,
        4 | 5 => base * 4,
        6..=8 => base * 8,
        _ if high_ratio => base * 16,
        _ => base * 8,
    }
}

/// Whether a writer splits blocks of `blocksize` bytes into `typesize` streams.
pub(crate) fn is_split(params: &CParams, blocksize: usize) -> bool {
    let fits = fits_split(params.typesize, blocksize);
    match params.split {
        SplitMode::Always => true,
        SplitMode::Never => false,
        SplitMode::Auto => matches!(params.codec, Codec::BloscLz | Codec::Snappy) && fits,
        SplitMode::ForwardCompat => params.codec != Codec::Zstd && fits,
    }
}

/// The part of the rule that readers follow for chunks older than the split flag (Blosc 1.11): elements of at most 16
/// bytes, streams of at least 128.
pub(crate) fn fits_split(typesize: usize, blocksize: usize) -> bool {
    typesize <= MAX_SPLITS && blocksize / typesize >= MIN_STREAM
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::header::{ChunkKind, Header};

    /// 15,264 headers that C-Blosc 1.21 wrote, with the blocks that it chose.
    #[test]
    fn blocksize_and_flags_equal_the_table_of_c_blosc() {
        let table = testdata::json("chunks", "blocksize_blosc1.json");
        let rows = table["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 15_264);
        for row in rows {
            let number = |column: usize| usize::try_from(row[column].as_u64().unwrap()).unwrap();
            let split = match row[0].as_str().unwrap() {
                "always" => SplitMode::Always,
                "never" => SplitMode::Never,
                "auto" => SplitMode::Auto,
                "forward_compat" => SplitMode::ForwardCompat,
                other => panic!("split mode {other}"),
            };
            let codec = Codec::from_name(row[1].as_str().unwrap()).unwrap();
            let (clevel, typesize, nbytes) = (number(2), number(3), number(4));
            let params = CParams::new().codec(codec).clevel(clevel as u8).typesize(typesize).split(split);
            let blocksize = blocksize(&params, nbytes);
            assert_eq!(blocksize, number(5), "{row}");

            let kind =
                ChunkKind { format: codec.format(), filters: params.filters, split: is_split(&params, blocksize) };
            let flags = Header::new(typesize, nbytes, blocksize, kind).flags();
            let memcpyed = 0x02;
            assert_eq!(flags, number(6) as u8 & !memcpyed, "{row}");
        }
    }
}
