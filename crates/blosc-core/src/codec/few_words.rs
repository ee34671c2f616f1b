//! Detects text of few words, and streams of many values.
//!
//! In logs, tables and other text of few words, every string of four or five bytes occurs often. A search that hashes so
//! few bytes compares many candidates, most of which differ in one of the next two bytes. Hashes of more bytes find fewer
//! and longer matches, in less time. Programs and prose need the short ones. docs/decisions/005-zstd.md has figures.

use super::repeats::GOLDEN;

/// The part of an input that is looked at.
const WINDOW: usize = 511 * STEP + 8;

/// Every `STEP`-th string of the window is looked at. Neighbours tell less: most differ in any text. An odd step, because
/// lines may have a length that is a multiple of 8.
const STEP: usize = 7;

/// Maximum number of different strings, of 512.
const FEW: u32 = 240;

/// The length of a string.
const STRING: usize = 5;

/// Bits for hashes. So few of 240 strings share one (4) that the number of set bits is the number of strings.
const BITS: usize = 1 << 13;

/// Returns whether `src` has at least 12 values among its first 64 bytes.
pub(super) fn has_many_values(src: &[u8]) -> bool {
    let mut seen = [0_u64; 4];
    src.iter().take(64).for_each(|&byte| seen[usize::from(byte >> 6)] |= 1 << (byte & 63));
    seen.into_iter().map(u64::count_ones).sum::<u32>() >= 12
}

/// Returns whether the 3.5 KiB from the middle of `src` on are ASCII text of few words. False for less than 7 KiB.
pub(super) fn has_few_words(src: &[u8]) -> bool {
    let middle = src.len() / 2;
    let Some(window) = src.get(middle..middle + WINDOW) else { return false };
    has_many_values(window) && window.is_ascii() && has_few_strings(window)
}

/// Returns whether at most [`FEW`] strings of the window are different.
fn has_few_strings(window: &[u8]) -> bool {
    let mut seen = [0_u64; BITS / 64];
    let mut strings = 0;
    for bytes in window.windows(8).step_by(STEP).filter_map(|bytes| bytes.first_chunk()) {
        let string = u64::from_le_bytes(*bytes) << (64 - 8 * STRING);
        let slot = string.wrapping_mul(GOLDEN) >> (64 - BITS.ilog2());
        let (seen, bit) = (&mut seen[(slot / 64) as usize], 1 << (slot % 64));
        strings += u32::from(*seen & bit == 0);
        *seen |= bit;
    }
    strings <= FEW
}

/// Returns `len` bytes of text with `words` words of 4 to 9 letters, in no order.
#[cfg(test)]
pub(in crate::codec) fn text(words: usize, len: usize) -> Vec<u8> {
    let mut random = testdata::SplitMix64::new(words as u64);
    let list: Vec<Vec<u8>> =
        (0..words).map(|_| (0..4 + random.below(6)).map(|_| b'a' + random.below(26) as u8).collect()).collect();
    let mut text = Vec::new();
    while text.len() < len {
        text.extend_from_slice(&list[random.below(words)]);
        text.push(b' ');
    }
    text.truncate(len);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_of_few_words_has_few_words() {
        let len = 3 * WINDOW;
        assert!(has_few_words(&text(8, len)));
        assert!(!has_few_words(&text(400, len)));
        assert!(!has_few_words(&text(8, 7 << 10)), "too short");
        let high: Vec<u8> = text(8, len).iter().map(|byte| byte | 0x80).collect();
        assert!(!has_few_words(&high));
        assert!(!has_few_words(&vec![b'a'; len]), "a run");
        assert!(!has_few_words(&b"0123456789\n".repeat(len / 11 + 1)), "eleven values");
    }
}
