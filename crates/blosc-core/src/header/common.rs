//! The headers that nearly all chunks have, recognized in a few instructions.

use super::bits::offset::*;
use super::{Header, Special, bits};
use crate::codec::CodecFormat;
use crate::filter::Filter;
use crate::format::{ChunkFormat, MAX_BLOCKSIZE};

/// The filters that nearly all chunks have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommonFilter {
    None,
    Shuffle,
    BitShuffle,
}

/// The fields of a valid header with a built-in codec, no dictionary, no special value but zeros, and at most a shuffle as
/// filter.
///
/// The fields are read from the chunk, not from a copy of its header: a copy made of parts would stall its next reader,
/// which costs as much as decoding a stream of a small chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommonHeader {
    pub(crate) format: ChunkFormat,
    pub(crate) codec: CodecFormat,
    pub(crate) typesize: usize,
    pub(crate) nbytes: usize,
    pub(crate) blocksize: usize,
    pub(crate) cbytes: usize,
    pub(crate) filter: CommonFilter,
    pub(crate) is_split: bool,
    pub(crate) is_memcpyed: bool,
    pub(crate) is_zeros: bool,
}

impl CommonHeader {
    /// Parses the header of a chunk. Returns `None` for any other header, valid or not, which [`Header::parse`] is for.
    /// A Blosc1 chunk of less than 32 bytes is none of these.
    #[inline(always)]
    pub(crate) fn parse(chunk: &[u8]) -> Option<CommonHeader> {
        let bytes: &[u8; Header::EXTENDED_LEN] = chunk.first_chunk()?;
        let size = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
        let flags = bytes[FLAGS];
        let (nbytes, blocksize, cbytes) = (size(NBYTES), size(BLOCKSIZE), size(CBYTES));
        let (format, filter, is_zeros) = match bytes[VERSION] {
            bits::BLOSC1 if bytes[VERSIONLZ] == bits::VERSIONLZ => {
                (ChunkFormat::Blosc1, filter_of_flags(flags)?, false)
            }
            bits::BLOSC2 if flags & bits::EXTENDED == bits::EXTENDED => {
                (ChunkFormat::Blosc2, only_filter(bytes)?, is_zeros(bytes)?)
            }
            _ => return None,
        };
        let header = CommonHeader {
            format,
            codec: CodecFormat::from_id(flags >> bits::FORMAT_SHIFT)?,
            typesize: bytes[TYPESIZE].into(),
            nbytes,
            blocksize,
            cbytes,
            filter,
            is_split: flags & bits::NOT_SPLIT == 0,
            is_memcpyed: flags & bits::MEMCPYED != 0,
            is_zeros,
        };
        header.has_valid_sizes().then_some(header)
    }

    #[inline(always)]
    fn has_valid_sizes(&self) -> bool {
        let CommonHeader { nbytes, blocksize, cbytes, .. } = *self;
        let (max_nbytes, max_blocksize) = match self.format {
            ChunkFormat::Blosc1 => (Header::MAX_NBYTES, nbytes),
            ChunkFormat::Blosc2 => (i32::MAX as usize, MAX_BLOCKSIZE),
        };
        if self.typesize == 0 || nbytes > max_nbytes || cbytes > i32::MAX as usize || cbytes < self.len() {
            return false;
        }
        if blocksize == 0 || blocksize > max_blocksize {
            return false;
        }
        let payload = cbytes - self.len();
        match self.format {
            _ if self.is_memcpyed => payload == nbytes && !self.is_zeros,
            ChunkFormat::Blosc1 => nbytes / self.codec.max_expansion() <= payload,
            ChunkFormat::Blosc2 => true,
        }
    }

    /// Returns the bytes of the header: 16 or 32.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self.format {
            ChunkFormat::Blosc1 => Header::LEN,
            ChunkFormat::Blosc2 => Header::EXTENDED_LEN,
        }
    }
}

/// Returns the filter that the flags of a Blosc1 header name. `None` for other filters and invalid flags.
#[inline]
fn filter_of_flags(flags: u8) -> Option<CommonFilter> {
    match flags & (bits::SHUFFLE | bits::BITSHUFFLE | bits::DELTA) {
        0 => Some(CommonFilter::None),
        bits::SHUFFLE => Some(CommonFilter::Shuffle),
        bits::BITSHUFFLE => Some(CommonFilter::BitShuffle),
        _ => None,
    }
}

/// Returns whether the chunk is zeros. `None` if any other bit changes the meaning of the chunk.
#[inline]
fn is_zeros(bytes: &[u8; Header::EXTENDED_LEN]) -> Option<bool> {
    const ZEROS: u8 = Special::Zeros.id() << bits::SPECIAL_SHIFT;
    match bytes[FILTERS_META..] {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some(false),
        [0, 0, 0, 0, 0, 0, 0, ZEROS] => Some(true),
        _ => None,
    }
}

/// Returns the only filter of an extended header. `None` if it has others.
#[inline]
fn only_filter(bytes: &[u8; Header::EXTENDED_LEN]) -> Option<CommonFilter> {
    const SHUFFLE: u8 = Filter::Shuffle.id();
    const BITSHUFFLE: u8 = Filter::BitShuffle.id();
    match bytes[FILTERS..CODEC] {
        [0, 0, 0, 0, 0, 0] => Some(CommonFilter::None),
        [0, 0, 0, 0, 0, SHUFFLE] => Some(CommonFilter::Shuffle),
        [0, 0, 0, 0, 0, BITSHUFFLE] => Some(CommonFilter::BitShuffle),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Headers made of likely bytes: what is common passes all checks, and both parsers read the same fields.
        #[test]
        fn a_common_header_is_valid(
            start in (prop::sample::select(vec![2u8, 5, 5, 3]), 0..3u8, any::<u8>(), 0..20u8),
            nbytes in prop::sample::select(vec![0i32, 1, 100, 1 << 20, i32::MAX, i32::MAX - 16, -1]),
            blocksize in prop::sample::select(vec![0i32, 1, 100, 1 << 20, 536_866_816, 536_866_817, -1]),
            cbytes in prop::sample::select(vec![0i32, 15, 16, 31, 32, 116, 132, 1 << 20, i32::MAX, -1]),
            filters in prop::sample::select(vec![[0u8, 0, 0, 0, 0, 1], [0; 6], [0, 0, 0, 0, 0, 2], [1, 0, 0, 0, 0, 1]]),
            last in prop::sample::select(vec![[0u8; 8], [0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0, 0, 0x10], [0, 0, 0, 0, 0, 4, 0, 0x10], [0, 0, 0, 0, 0, 0, 0, 0x18]]),
        ) {
            let mut bytes = vec![start.0, start.1, start.2, start.3];
            [nbytes, blocksize, cbytes].iter().for_each(|size| bytes.extend(size.to_le_bytes()));
            bytes.extend(filters);
            bytes.extend([1, 0]);
            bytes.extend(last);
            if let Some(common) = CommonHeader::parse(&bytes) {
                let header = Header::parse(&bytes).unwrap();
                prop_assert_eq!((common.format, Some(common.codec)), (header.format(), header.codec_format()));
                prop_assert_eq!((common.nbytes, common.cbytes), (header.nbytes(), header.cbytes()));
                prop_assert_eq!((common.typesize, common.len()), (header.typesize(), header.len()));
                prop_assert_eq!((common.is_split, common.is_memcpyed), (header.is_split(), header.is_memcpyed()));
                prop_assert_eq!(common.is_zeros.then_some(Special::Zeros), header.special_value());
                prop_assert!(!header.has_dictionary() && !header.has_vl_blocks() && !header.is_lazy());
                let filters: &[Filter] = match common.filter {
                    CommonFilter::None => &[],
                    CommonFilter::Shuffle => &[Filter::Shuffle],
                    CommonFilter::BitShuffle => &[Filter::BitShuffle],
                };
                prop_assert!(header.filters().as_slice() == filters);
            }
        }
    }

    #[test]
    fn written_headers_are_common() {
        let data: Vec<u8> = (0..4000u32).flat_map(u32::to_le_bytes).collect();
        for params in [crate::CParams::new(), crate::CParams::blosc2()] {
            let chunk = crate::compress(&data, &params.typesize(4)).unwrap();
            assert_eq!(CommonHeader::parse(&chunk).unwrap().filter, CommonFilter::Shuffle);
            let chunk = crate::compress(&data, &params.clevel(0)).unwrap();
            assert!(CommonHeader::parse(&chunk).unwrap().is_memcpyed);
        }
    }
}
