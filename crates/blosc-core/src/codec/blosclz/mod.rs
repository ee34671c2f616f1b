//! BloscLZ, Blosc's own codec: what does a stream look like?
//!
//! A stream is a chain of opcodes, each with what belongs to it:
//!
//! ```text
//! 000nnnnn                      literal run: the next n+1 (1..=32) bytes as they are
//! cccooooo [e e .. e] b [h l]   match: repeat `length` bytes from `distance` bytes back
//!
//! length     c = 1..=6:  c + 2
//!            c = 7:      9 + the sum of the bytes e, of which only the last is not 255
//! distance   1..=8191:       o * 256 + b + 1
//!            8192..=73727:   o = 31 and b = 255, then 8192 + h * 256 + l
//! ```
//!
//! A match may overlap its own output; distance 1 repeats one byte. The first opcode is a literal run whatever its
//! upper three bits say (writers set the lowest of them), and so is the last: a decoder reads the opcode behind a match
//! before it carries the match out.

mod decode;
mod effort;
mod emit;
mod encode;
mod find;

pub(crate) use decode::decompress;
pub(crate) use encode::compress;
pub(crate) use find::Table;

/// The longest literal run of one opcode.
const MAX_LITERALS: usize = 32;
/// The length of a match with c = 1, the shortest.
const MIN_MATCH: usize = 3;
/// The largest distance that takes one byte besides the opcode: o = 31 with b = 255 says that two more follow.
const NEAR: usize = 31 * 256 + 255;

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(plain: &[u8], clevel: u8, table: &mut Table) -> Option<usize> {
        let mut stream = vec![0; plain.len()];
        let len = compress(plain, &mut stream, clevel, table)?;
        // Differently filled, and with more room than the stream needs.
        for fill in [0x00, 0xFF] {
            let mut decoded = vec![fill; plain.len() + 64];
            decompress(&stream[..len], &mut decoded, plain.len()).unwrap();
            assert!(decoded[..plain.len()] == *plain, "clevel {clevel}, {} bytes", plain.len());
        }
        Some(len)
    }

    #[test]
    fn every_length_and_period_comes_back_at_every_level() {
        let mut table = Table::default();
        for clevel in 1..=9 {
            for len in (0..300).chain([2047, 2048, 2049, 70_000]) {
                for period in 1..=16 {
                    let plain: Vec<u8> = (0..len).map(|i| (i % period * 37) as u8).collect();
                    let compressed = round_trip(&plain, clevel, &mut table);
                    assert!(compressed.is_some() || len < 64, "clevel {clevel}, {len} bytes of period {period}");
                }
                let _ = round_trip(&testdata::noise(len, 5), clevel, &mut table);
                let _ = round_trip(&testdata::text(len, 6), clevel, &mut table);
            }
        }
    }

    #[test]
    fn matches_reach_far() {
        let mut table = Table::default();
        for distance in [8190, 8191, 8192, 8193, 40_000, 65_535, 65_536, 73_727, 73_728] {
            let pattern = testdata::noise(distance, 1);
            let plain = [&*pattern, &pattern[..200.min(distance)], &[0; 300]].concat();
            for clevel in 1..=9 {
                let _ = round_trip(&plain, clevel, &mut table);
            }
        }
    }

    #[test]
    fn a_stream_made_by_hand_and_one_whose_length_wraps_in_c() {
        // "20 41" one literal, then a match of 8.4 million length bytes: C's 32-bit sum wraps.
        let mut hostile = vec![0x20, 0x41, 0xE0];
        hostile.extend(std::iter::repeat_n(0xFF, 8_421_505));
        hostile.extend([0, 0, 0, 0x41]);
        assert!(decompress(&hostile, &mut [0; 65_536], 65_536).is_err());
        // A literal, a run of 99 more (7: 9 + 90 bytes, distance 1), and the literal that ends the stream.
        let mut run = [0; 101];
        decompress(&[0x20, 7, 0xE0, 90, 0, 0, 8], &mut run, 101).unwrap();
        assert!(run[..100] == [7; 100] && run[100] == 8);
    }
}
