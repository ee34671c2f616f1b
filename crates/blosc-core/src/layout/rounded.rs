//! Chunks whose header has another block size than their blocks.
//!
//! If a block size is forced, C-Blosc2 rounds it down to a multiple of the typesize and cuts the data into blocks of
//! the rounded size. The header still gets the original size. Split blocks of that size would lack bytes: their streams
//! have equal lengths, so together they cover a multiple of the typesize only.

use super::tables::{BSTART_LEN, Layout, Tables};
use crate::header::Header;
use crate::le::i32_at;

/// Returns the header with the block size that the blocks of `chunk` actually have.
#[cold]
pub(crate) fn in_use(header: Header, chunk: &[u8]) -> Header {
    match header.rounded_blocksize() {
        Some(blocksize) if header.is_memcpyed() || header.nbytes() == 0 || blocksize == 0 => header,
        Some(blocksize) => {
            let rounded = header.with_blocksize(blocksize);
            if starts_after_tables(rounded, chunk) { rounded } else { header }
        }
        None => header,
    }
}

/// Returns whether the first stored block directly follows the tables of a chunk with this header. The length of the
/// tables depends on the number of blocks.
fn starts_after_tables(header: Header, chunk: &[u8]) -> bool {
    let Ok(tables) = Tables::of(&header, chunk) else { return false };
    let layout = Layout::new(header, tables);
    let starts = (0..layout.nblocks()).map(|index| i32_at(chunk, header.len() + index * BSTART_LEN));
    starts.min().flatten().is_some_and(|first| usize::try_from(first) == Ok(layout.data_start()))
}

#[cfg(test)]
mod tests {
    use crate::{Chunk, DecodeError, Decoder, Parallelism};

    /// Chunks of python-blosc2 4.14.1, made by
    /// `blosc2.compress2(plain, typesize, blocksize, splitmode=ALWAYS_SPLIT, …)`, with their actual block size and
    /// number of blocks. Only in the first chunk does the number of blocks differ from the header.
    const CHUNKS: [(&str, usize, usize); 4] = [
        // `arange(64, "<u2") * 3` cut to 127 bytes, blosclz level 2, shuffle, typesize 2, blocksize 128.
        (
            "050105027f0000007f0000007400000001000000000000000000000000000000280000006f0000003f000000000306090c0f1215181b\
             1e2124272a2d303336393c3f4245484b4e5154575a5d606366696c6f7275787b7e8184878a8d909396999c9fa2a5a8abaeb1b4b7ba00\
             00000043ffffff01",
            126,
            2,
        ),
        // Byte `i` is `i / 100`: 500 bytes, lz4 level 5, shuffle, typesize 3, blocksize 101.
        (
            "05012503f401000065000000ed0000000100000000000100000000000000000038000000440000005e00000083000000b3000000e800\
             00000000000000000000000000000c0000002f0001010007500101010101ffffffff01ffffffff010c0000002f010201000750020202\
             02020c0000002f0102010007500202020202feffffff010c0000002f02030100075003030303030c0000002f02030100075003030303\
             030c0000002f0203010007500303030303110000007f030304040404040500025004040404040c0000002f0304010007500404040404\
             0c0000002f0304010007500404040404fcffffff01",
            99,
            6,
        ),
        // The same, 900 bytes, lz4 level 9, delta, typesize 7, blocksize 251, three threads.
        (
            "05012d0784030000fb0000002f010000030000000000010000000000000000003000000067000000be00000016010000000000000000\
             00000b0000001f0001000a5001000000000000000000000000100000001f00010005a00300000000000000000000000000feffffff01\
             0f0000001f02010000150301005003030303030b0000001f0301000a500202020202feffffff010e0000001a0201001a050100500505\
             050505100000001f05010005a006060606060606060606faffffff010f000000150401001f05010000500505050505fbffffff010b00\
             00001f0501000a5004040404040f000000100401001f07010005500707070707f9ffffff01100000001f07010005a004040404040404\
             040404fbffffff01150000001f0701002d1f0801000f1f09010028500909090909",
            245,
            4,
        ),
        // The same, 600 bytes, blosclz level 9, no filter, typesize 5, blocksize 303: C-Blosc2 decodes it to other
        // data.
        (
            "05010505580200002f010000450100000000000000000000000000000000000028000000b6000000000000003c000000000000000000\
             000000000000000000000000000000000000000000000000000000000000000000000101010101010101010101010101010101010101\
             ffffffff013c000000010101010101010101010101010101010101010102020202020202020202020202020202020202020202020202\
             020202020202020202020202020202feffffff01fdffffff013c00000003030303030303030303030303030303030303030303030303\
             0303030303030303030303030303030404040404040404040404040404040404040404fcffffff013c00000004040404040404040404\
             0404040404040404040405050505050505050505050505050505050505050505050505050505050505050505050505050505fbffffff\
             01",
            300,
            2,
        ),
    ];

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    fn plain(nbytes: usize) -> Vec<u8> {
        match nbytes {
            127 => (0..64u16).flat_map(|i| (3 * i).to_le_bytes()).take(127).collect(),
            _ => (0..nbytes).map(|i| (i / 100) as u8).collect(),
        }
    }

    #[test]
    fn blocks_are_smaller_than_the_header_says() {
        for (hex, blocksize, nblocks) in CHUNKS {
            let bytes = bytes(hex);
            let chunk = Chunk::parse(&bytes).unwrap();
            let header = chunk.header();
            assert_eq!((header.blocksize(), header.nblocks()), (blocksize, nblocks));
            let plain = plain(header.nbytes());
            let mut decoder = Decoder::new().parallelism(Parallelism::Serial);
            assert_eq!(decoder.decompress(&chunk).unwrap(), plain);
            let items = plain.len() / header.typesize();
            for (start, end) in [(0, items), (1, 2), (items / 2, items - 1), (items - 1, items)] {
                let range = start * header.typesize()..end * header.typesize();
                assert_eq!(decoder.items(&chunk, start..end).unwrap(), plain[range]);
            }
            let (first, last) = (0..1, plain.len() - 1..plain.len());
            let mut ends = [0; 2];
            decoder.decode_ranges(&chunk, &[last, first], &mut ends).unwrap();
            assert_eq!(ends, [plain[plain.len() - 1], plain[0]]);
            let mut masked = vec![0xAA; plain.len()];
            decoder.decompress_masked(&chunk, &[true], &mut masked).unwrap();
            assert!(masked[..blocksize] == vec![0xAA; blocksize] && masked[blocksize..] == plain[blocksize..]);
            for index in 0..nblocks {
                let mut block = vec![0; blocksize];
                let len = decoder.decode_block(&chunk, index, &mut block).unwrap();
                assert_eq!(block[..len], plain[chunk.block_range(index)]);
            }
        }
    }

    /// The streams of such blocks cannot hold all bytes. The missing bytes are an error and are not invented.
    #[test]
    fn blocks_that_are_as_large_as_the_header_says() {
        let mut bytes = bytes(CHUNKS[0].0);
        // Drops the second block start. The first one then directly follows the shortened table.
        bytes.drain(36..40);
        bytes[32] = 36;
        bytes[12] -= 4;
        let chunk = Chunk::parse(&bytes).unwrap();
        assert_eq!(chunk.header().blocksize(), 127);
        assert!(matches!(chunk.decompress(), Err(DecodeError::Stream { .. })));
    }
}
