//! Trains a dictionary for the streams of a chunk: content that many streams share.
//!
//! A dictionary is raw content, for LZ4 and Zstandard alike. (Zstandard also has a kind with entropy tables before the
//! content. C-Blosc2 writes that kind and reads both. With streams of 4 KiB the tables would save 0 to 2 %.) The
//! dictionary is stored in the chunk, so each byte of it has to save more than one byte.
//!
//! The algorithm is COVER (Liao, Petri, Moffat, Wirth: Effective construction of relative Lempel-Ziv dictionaries,
//! 2016), counted by streams. A word is [`WORD`] bytes anywhere in a stream. Its worth is the number of other streams
//! that contain it, and a segment is worth the sum of its distinct words. The samples are divided into parts, and the
//! best segment of each part is taken in turn. The words of a chosen segment are worth nothing from then on. Training
//! ends when the room is used up or no segment pays off.

use std::borrow::Cow;
use std::ops::Range;

use super::CodecFormat;
use crate::memory::{self, OutOfMemory};

/// Maximum dictionary size that readers accept.
pub(crate) const MAX_DICT: usize = 1 << 15;

/// Bytes of a word. The best of 4, 5, 6 and 8 on columns of 4-byte numbers, and on a par with the best on text.
const WORD: usize = 5;

/// Maximum segment length. Sizes hardly change between 256 and 1024.
const SEGMENT: usize = 512;

/// Maximum number of sample bytes examined: about 30 ms of work.
const MAX_SAMPLES: usize = 1 << 20;

/// Trains a dictionary of at most `max` bytes for streams like `samples`, each `len` bytes long.
///
/// Returns `None` if no dictionary would pay off or `format` does not support dictionaries.
pub(crate) fn train(
    format: CodecFormat,
    samples: &[u8],
    len: usize,
    max: usize,
) -> Result<Option<Vec<u8>>, OutOfMemory> {
    // In how many other streams, on average, each byte of the dictionary must recur. Measured on 256 KiB of text,
    // records, numbers and prices: both half and twice this price increase some sizes by a few percent.
    let price = match format {
        CodecFormat::Lz4 => 2,
        // Zstandard encodes data outside the dictionary more compactly, so the dictionary saves less.
        CodecFormat::Zstd => 4,
        _ => return Ok(None),
    };
    let len = len.max(1);
    // Streams longer than the whole sample do not benefit from a 32 KiB dictionary.
    if len > MAX_SAMPLES {
        return Ok(None);
    }
    let step = samples.len().div_ceil(MAX_SAMPLES).max(1);
    let samples = match step {
        1 => Cow::Borrowed(samples),
        _ => Cow::Owned(memory::collect(samples.chunks(len).step_by(step).flatten().copied())?),
    };
    let words = Words::of(&samples, len, step as u64)?;
    let mut dict = choose(&samples, words, max.min(MAX_DICT), price)?;
    if dict.starts_with(&ZSTD_MAGIC) {
        // A leading magic number would make Zstandard parse it as a dictionary with entropy tables.
        dict.remove(0);
    }
    // Zstandard ignores dictionaries of less than 8 bytes.
    Ok((dict.len() >= 8).then_some(dict))
}

const ZSTD_MAGIC: [u8; 4] = [0x37, 0xA4, 0x30, 0xEC];

/// The words of all streams.
struct Words {
    /// By position in the samples: the word at that position.
    at: Vec<u32>,
    /// By word: the number of other streams that contain it.
    worth: Vec<u64>,
}

/// A word seen before, stored in the slot of its hash.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// Further bits of the hash.
    tag: u32,
    /// The number of the last stream that contains the word, counted from 1.
    stream: u32,
    /// The number of streams after the first that contain the word.
    others: u32,
}

impl Words {
    /// Counts the words. Each sampled stream stands for `weight` streams.
    fn of(samples: &[u8], len: usize, weight: u64) -> Result<Self, OutOfMemory> {
        // At most 1.5 MiB. A word found in only one stream is replaced by the next word with its slot.
        let log = samples.len().max(1).ilog2().clamp(8, 17);
        let mut table = Vec::new();
        memory::resize(&mut table, 1 << log, Seen::default())?;
        for (stream, bytes) in (1..).zip(samples.chunks(len)) {
            for word in bytes.windows(WORD) {
                let (slot, tag) = place(word, log);
                let seen = &mut table[slot];
                if seen.stream != 0 && seen.tag == tag {
                    seen.others += u32::from(seen.stream != stream);
                    seen.stream = stream;
                } else if seen.others == 0 {
                    *seen = Seen { tag, stream, others: 0 };
                }
            }
        }
        // The last entry, worth nothing, stands for words without a slot.
        let at = samples.windows(WORD).map(|word| {
            let (slot, tag) = place(word, log);
            if table[slot].tag == tag { slot as u32 } else { 1 << log }
        });
        let worth = table.iter().map(|seen| weight * u64::from(seen.others)).chain([0]);
        Ok(Words { at: memory::collect(at)?, worth: memory::collect(worth)? })
    }
}

/// Returns the slot among 2^`log` and the tag of a word.
#[inline(always)]
fn place(word: &[u8], log: u32) -> (usize, u32) {
    let word = word.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
    // 2^64 divided by the golden ratio.
    let hash = word.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((hash >> (64 - log)) as usize, (hash >> 8) as u32)
}

/// Concatenates the chosen segments, the best last. Nearer data is cheaper for Zstandard, and for LZ4 it is within
/// reach of more of a long stream.
fn choose(samples: &[u8], mut words: Words, max: usize, price: u64) -> Result<Vec<u8>, OutOfMemory> {
    let longest = SEGMENT.min(max);
    if longest < WORD {
        return Ok(Vec::new());
    }
    let mut finder = Finder { active: memory::zeroed(words.worth.len())?, span: longest - WORD + 1 };
    let parts = (max / longest).min(words.at.len() / (4 * longest)).max(1);
    let part = words.at.len().div_ceil(parts).max(1);
    let mut segments: Vec<(u64, &[u8])> = Vec::new();
    let mut room = max;
    loop {
        let before = room;
        for start in (0..words.at.len()).step_by(part) {
            let end = words.at.len().min(start + part);
            let (worth, found) = finder.best(&words, start..end);
            let segment = samples.get(found.start..found.end + WORD - 1).unwrap_or_default();
            if found.is_empty() || segment.len() > room || worth < price * segment.len() as u64 {
                continue;
            }
            for &word in &words.at[found] {
                words.worth[word as usize] = 0;
            }
            room -= segment.len();
            segments.push((worth, segment));
        }
        if room == before {
            break;
        }
    }
    segments.sort_by_key(|&(worth, _)| worth);
    memory::collect(segments.iter().flat_map(|(_, segment)| *segment).copied())
}

/// A window that slides over the samples.
struct Finder {
    /// By word: the number of its occurrences in the window.
    active: Vec<u16>,
    /// Number of positions in the window.
    span: usize,
}

impl Finder {
    /// Returns the window within `part` whose distinct words are worth most, and its worth. Worthless words at its
    /// ends are cut off.
    fn best(&mut self, words: &Words, part: Range<usize>) -> (u64, Range<usize>) {
        let (mut best, mut best_end, mut worth) = (0, part.start, 0);
        for end in part.clone() {
            let word = words.at[end] as usize;
            if self.active[word] == 0 {
                worth += words.worth[word];
            }
            self.active[word] += 1;
            if end - part.start >= self.span {
                let word = words.at[end - self.span] as usize;
                self.active[word] -= 1;
                if self.active[word] == 0 {
                    worth -= words.worth[word];
                }
            }
            if worth > best {
                (best, best_end) = (worth, end + 1);
            }
        }
        for &word in &words.at[part.end.saturating_sub(self.span).max(part.start)..part.end] {
            self.active[word as usize] = 0;
        }
        let window = best_end.saturating_sub(self.span).max(part.start)..best_end;
        let counts = |&i: &usize| words.worth[words.at[i] as usize] != 0;
        let start = window.clone().find(counts).unwrap_or(window.end);
        (best, start..window.end)
    }
}

#[cfg(test)]
mod tests;
