//! The rules of C-Blosc 1 and C-Blosc2 for the block size and the splitting of blocks, and the split rule for readers.
//!
//! These numbers are the de facto standard of the formats. They agree with the tables of automatic block sizes
//! generated with the C libraries. Readers of chunks older than Blosc 1.11 depend on the split rule.

use crate::codec::Codec;
use crate::divide::remainder;
use crate::format::ChunkFormat;
use crate::params::{BlockSize, CParams, SplitMode};

/// The base of the automatic block size: an L1 data cache of 32 KiB.
const L1: usize = 32 * 1024;
/// Bounds of a forced block size in a Blosc1 chunk.
const MIN_FORCED: usize = 128;
/// `(2^31 - 1 - 128) / 3` in C-Blosc: three buffers of a block must fit into 31 bits.
const MAX_FORCED: usize = 715_827_542;
/// Minimum bytes of a stream of a split block in a Blosc1 chunk.
const MIN_STREAM: usize = 128;
/// The same for a Blosc2 chunk.
const MIN_STREAM_BLOSC2: usize = 32;
/// Elements wider than this are not split.
pub(crate) const MAX_SPLITS: usize = 16;

/// Returns the block size of a chunk of `nbytes` plain bytes. At least 1; a multiple of the typesize if larger than it.
pub(crate) fn blocksize(params: &CParams, nbytes: usize) -> usize {
    let typesize = params.typesize;
    if nbytes < typesize || nbytes == 0 {
        return 1;
    }
    let wanted = match params.format {
        ChunkFormat::Blosc1 => wanted_blosc1(params, nbytes),
        ChunkFormat::Blosc2 => wanted_blosc2(params, nbytes),
    };
    let blocksize = wanted.clamp(1, nbytes);
    if blocksize > typesize { blocksize - remainder(blocksize, typesize) } else { blocksize }
}

fn wanted_blosc1(params: &CParams, nbytes: usize) -> usize {
    let blocksize = match params.blocksize {
        BlockSize::Fixed(forced) => forced.clamp(MIN_FORCED, MAX_FORCED),
        BlockSize::Auto if nbytes < L1 => nbytes,
        BlockSize::Auto => automatic(params.codec, params.clevel),
    };
    if params.clevel > 0 && is_split(params, params.typesize, blocksize) {
        // Each stream gets the size chosen for a whole block, within 64 KiB and 1 MiB for the block.
        return (blocksize.min(1 << 18) * params.typesize).clamp(1 << 16, 1 << 20);
    }
    blocksize
}

fn wanted_blosc2(params: &CParams, nbytes: usize) -> usize {
    if let BlockSize::Fixed(forced) = params.blocksize {
        return forced;
    }
    if params.clevel > 0 && is_split(params, params.typesize, nbytes) {
        let stream: usize = match params.clevel {
            1..=3 => 32 * 1024,
            4..=6 => 64 * 1024,
            7 => 128 * 1024,
            8 => 256 * 1024,
            _ => 512 * 1024,
        };
        return stream.saturating_mul(params.typesize).clamp(L1, 4 << 20);
    }
    if nbytes < L1 { nbytes } else { automatic(params.codec, params.clevel) }
}

/// Returns the size by codec and level alone: L1 scaled by level, and doubled for codecs that profit from a longer
/// history.
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

/// Returns whether a writer splits blocks of `blocksize` bytes into `typesize` streams. To choose the block size,
/// C-Blosc2 passes the typesize set by the caller. For the flag of the header, it passes the typesize that the header
/// can express.
pub(crate) fn is_split(params: &CParams, typesize: usize, blocksize: usize) -> bool {
    match params.format {
        ChunkFormat::Blosc1 => is_split_blosc1(params, typesize, blocksize),
        ChunkFormat::Blosc2 => is_split_blosc2(params, typesize, blocksize),
    }
}

fn is_split_blosc2(params: &CParams, typesize: usize, blocksize: usize) -> bool {
    let is_fast = match params.codec {
        Codec::BloscLz | Codec::Lz4 => true,
        Codec::Zstd => params.clevel <= 5,
        _ => false,
    };
    let fits = typesize <= MAX_SPLITS && blocksize >= MIN_STREAM_BLOSC2 * typesize;
    match params.split {
        // C-Blosc2 also splits blocks smaller than an element, and then cannot read them.
        SplitMode::Always => blocksize >= typesize,
        SplitMode::Never => false,
        SplitMode::Auto | SplitMode::ForwardCompat => is_fast && params.filters.has_shuffle() && fits,
    }
}

fn is_split_blosc1(params: &CParams, typesize: usize, blocksize: usize) -> bool {
    let fits = fits_split(typesize, blocksize);
    match params.split {
        SplitMode::Always => fits || !params.is_split_readable,
        SplitMode::Never => false,
        SplitMode::Auto => matches!(params.codec, Codec::BloscLz | Codec::Snappy) && fits,
        SplitMode::ForwardCompat => params.codec != Codec::Zstd && fits,
    }
}

/// Returns whether streams are large enough to split. Readers follow this part of the rule for chunks older than the
/// split flag (Blosc 1.11): elements of at most 16 bytes, streams of at least 128.
pub(crate) fn fits_split(typesize: usize, blocksize: usize) -> bool {
    typesize <= MAX_SPLITS && blocksize >= MIN_STREAM * typesize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::FilterPipeline;
    use crate::header::{ChunkKind, Header};

    fn split_mode(name: &str) -> SplitMode {
        match name {
            "always" => SplitMode::Always,
            "never" => SplitMode::Never,
            "auto" => SplitMode::Auto,
            "forward_compat" => SplitMode::ForwardCompat,
            other => panic!("split mode {other}"),
        }
    }

    /// Compares 38,000 block sizes chosen by C-Blosc2 3.3.5.
    #[test]
    fn blocksize_equals_the_table_of_c_blosc2() {
        let table = testdata::json("chunks", "blocksize_blosc2.json");
        let rows = table["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 38_000);
        for row in rows {
            let number = |column: usize| usize::try_from(row[column].as_u64().unwrap()).unwrap();
            let filters = match row[1].as_str().unwrap() {
                "none" => FilterPipeline::none(),
                "shuffle" => FilterPipeline::shuffle(),
                "bitshuffle" => FilterPipeline::bitshuffle(),
                other => panic!("filter {other}"),
            };
            let codec = Codec::from_name(row[2].as_str().unwrap()).unwrap();
            let (clevel, typesize, nbytes) = (number(3) as u8, number(4), number(5));
            let params = CParams::blosc2().codec(codec).clevel(clevel).typesize(typesize).filters(filters);
            let params = params.split(split_mode(row[0].as_str().unwrap()));
            assert_eq!(blocksize(&params, nbytes), number(6), "{row}");
        }
    }

    /// Compares 15,264 headers written by C-Blosc 1.21, with the block sizes it chose.
    #[test]
    fn blocksize_and_flags_equal_the_table_of_c_blosc() {
        let table = testdata::json("chunks", "blocksize_blosc1.json");
        let rows = table["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 15_264);
        for row in rows {
            let number = |column: usize| usize::try_from(row[column].as_u64().unwrap()).unwrap();
            let split = split_mode(row[0].as_str().unwrap());
            let codec = Codec::from_name(row[1].as_str().unwrap()).unwrap();
            let (clevel, typesize, nbytes) = (number(2), number(3), number(4));
            let params = CParams::new().codec(codec).clevel(clevel as u8).typesize(typesize).split(split);
            let blocksize = blocksize(&params, nbytes);
            assert_eq!(blocksize, number(5), "{row}");

            let (format, filters) = (params.format, params.filters);
            let kind = ChunkKind { format, codec, filters, split: is_split(&params, typesize, blocksize) };
            let flags = Header::new(typesize, nbytes, blocksize, kind).flags();
            let memcpyed = 0x02;
            assert_eq!(flags, number(6) as u8 & !memcpyed, "{row}");
        }
    }

    /// A typesize over 255 determines the block size, but counts as 1 for the split.
    #[test]
    fn large_typesizes_count_as_one_in_the_header() {
        let manifest = testdata::manifest("chunks");
        let items = manifest["items"].as_array().unwrap().iter();
        let mut checked = 0;
        for item in items.filter(|item| item["category"] == "typesize_gt255") {
            let (given, header) = (&item["params"], &item["header"]);
            let number = |value: &testdata::serde_json::Value| usize::try_from(value.as_u64().unwrap()).unwrap();
            let codec = Codec::from_name(given["codec"].as_str().unwrap()).unwrap();
            if codec.availability().is_err() {
                continue;
            }
            let params = CParams::blosc2().codec(codec).clevel(5).typesize(number(&given["typesize"]));
            let ramp: Vec<u8> = (0..number(&given["nbytes"])).map(|at| (at / 64) as u8).collect();
            let chunk = crate::compress(&ramp, &params).unwrap();
            let found = Header::parse(&chunk).unwrap();
            assert_eq!(usize::from(found.flags()), number(&header["flags"]), "{item}");
            assert_eq!(found.blocksize(), number(&header["blocksize"]), "{item}");
            checked += 1;
        }
        assert!(checked > 0);
    }
}
