//! Input data for property tests: five kinds, each of any length and generated from a seed.

use crate::SplitMix64;

/// The kinds of data that [`plain`] generates, from incompressible to trivial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainKind {
    /// Consecutive little-endian integers of the item size, the best case for shuffle.
    Ramp,
    /// Uniform random bytes: incompressible, so every codec must store them.
    Noise,
    /// Runs of one item, of random length: long matches, some of them across blocks.
    Steps,
    /// Words from a small vocabulary: short matches at varied distances.
    Text,
    /// `f64` from 0 to 1 in equal steps: smooth high bytes, noisy low bytes.
    Linspace,
}

impl PlainKind {
    /// Every kind, for loops over all of them.
    pub const ALL: [Self; 5] = [Self::Ramp, Self::Noise, Self::Steps, Self::Text, Self::Linspace];
}

/// Returns `nbytes` of data of one `kind`. `typesize` is the item size in bytes for kinds that have items.
#[must_use]
pub fn plain(kind: PlainKind, nbytes: usize, typesize: usize, seed: u64) -> Vec<u8> {
    match kind {
        PlainKind::Ramp => ramp(nbytes, typesize, seed),
        PlainKind::Noise => noise(nbytes, seed),
        PlainKind::Steps => steps(nbytes, typesize, seed),
        PlainKind::Text => text(nbytes, seed),
        PlainKind::Linspace => {
            let mut bytes = linspace_f64(0.0, 1.0, nbytes.div_ceil(8));
            bytes.truncate(nbytes);
            bytes
        }
    }
}

/// Returns `nbytes` of consecutive little-endian integers of `typesize` bytes, starting with `start`.
///
/// Items wider than 8 bytes are padded with zeros. The last item is truncated at `nbytes`.
#[must_use]
pub fn ramp(nbytes: usize, typesize: usize, start: u64) -> Vec<u8> {
    items(nbytes, typesize, (0..).map(|i| start.wrapping_add(i)))
}

/// Returns `nbytes` of uniform random bytes.
#[must_use]
pub fn noise(nbytes: usize, seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; nbytes];
    SplitMix64::new(seed).fill(&mut bytes);
    bytes
}

/// Returns `nbytes` of items of `typesize` bytes, in runs of 1 to 300 equal items.
#[must_use]
pub fn steps(nbytes: usize, typesize: usize, seed: u64) -> Vec<u8> {
    let mut rng = SplitMix64::new(seed);
    let runs = std::iter::repeat_with(move || std::iter::repeat_n(rng.next_u64(), 1 + rng.below(300)));
    items(nbytes, typesize, runs.flatten())
}

/// Returns `nbytes` of lower-case words and spaces, with occasional line breaks.
#[must_use]
pub fn text(nbytes: usize, seed: u64) -> Vec<u8> {
    const WORDS: [&str; 16] = [
        "chunk",
        "block",
        "stream",
        "a",
        "of",
        "the",
        "shuffle",
        "header",
        "offset",
        "bytes",
        "is",
        "compressed",
        "typesize",
        "in",
        "level",
        "split",
    ];
    let mut rng = SplitMix64::new(seed);
    let mut bytes = Vec::with_capacity(nbytes + 16);
    while bytes.len() < nbytes {
        bytes.extend_from_slice(rng.pick(&WORDS).as_bytes());
        bytes.push(if rng.below(12) == 0 { b'\n' } else { b' ' });
    }
    bytes.truncate(nbytes);
    bytes
}

/// Returns `len` doubles from `start` to `stop` inclusive in equal steps, as little-endian bytes (NumPy's `linspace`).
#[must_use]
pub fn linspace_f64(start: f64, stop: f64, len: usize) -> Vec<u8> {
    let step = if len > 1 { (stop - start) / (len - 1) as f64 } else { 0.0 };
    (0..len).flat_map(|i| (start + step * i as f64).to_le_bytes()).collect()
}

/// Encodes `values` as items of `typesize` little-endian bytes, truncated at `nbytes`.
fn items(nbytes: usize, typesize: usize, values: impl Iterator<Item = u64>) -> Vec<u8> {
    let typesize = typesize.max(1);
    let mut bytes = Vec::with_capacity(nbytes + typesize);
    let mut item = vec![0; typesize];
    for value in values {
        if bytes.len() >= nbytes {
            break;
        }
        let used = typesize.min(8);
        item[..used].copy_from_slice(&value.to_le_bytes()[..used]);
        bytes.extend_from_slice(&item);
    }
    bytes.truncate(nbytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_exact_and_seeds_repeat() {
        for kind in PlainKind::ALL {
            for typesize in [1, 3, 8, 17, 255] {
                for nbytes in [0, 1, 7, 8, 1000] {
                    let data = plain(kind, nbytes, typesize, 5);
                    assert_eq!(data.len(), nbytes);
                    assert_eq!(data, plain(kind, nbytes, typesize, 5));
                }
            }
        }
    }

    #[test]
    fn ramp_counts_in_items() {
        assert_eq!(ramp(7, 2, 255), [255, 0, 0, 1, 1, 1, 2]);
        assert_eq!(ramp(10, 9, 3), [3, 0, 0, 0, 0, 0, 0, 0, 0, 4]);
    }

    #[test]
    fn linspace_ends_where_it_should() {
        assert_eq!(linspace_f64(0.0, 1.0, 3), [0.0f64, 0.5, 1.0].map(f64::to_le_bytes).concat());
    }
}
