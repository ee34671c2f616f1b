//! Seeded mutations of files: flipped bits, truncation, spliced bytes, and extreme numbers in numeric fields.

use crate::SplitMix64;

/// Boundary values of fields, and sizes that are expensive to trust.
const EXTREMES: [u64; 18] = [
    0,
    1,
    2,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    1 << 20,
    1 << 28,
    (1 << 29) + (1 << 13),
    1 << 40,
    i64::MAX as u64,
    u64::MAX,
];

/// Damages `bytes` in one to three ways. Parts of `donor`, another file, may be spliced in. Most mutations are in the
/// first 128 bytes and the last 64, where headers and trailers are.
pub fn mutate(rng: &mut SplitMix64, bytes: &mut Vec<u8>, donor: &[u8]) {
    for _ in 0..=rng.below(3) {
        let at = match rng.below(4) {
            0 => rng.below(bytes.len()),
            1 => bytes.len().saturating_sub(1 + rng.below(64)),
            _ => rng.below(bytes.len().min(128)),
        };
        match rng.below(8) {
            0 | 1 => flip(rng, bytes, at),
            2 => bytes.truncate(rng.below(bytes.len() + 1)),
            3 => splice(rng, bytes, at, donor),
            4 => {
                let end = bytes.len().min(at + rng.below(32));
                bytes.drain(at.min(end)..end);
            }
            _ => number(rng, bytes, at),
        }
    }
}

fn flip(rng: &mut SplitMix64, bytes: &mut [u8], at: usize) {
    let bit = 1 << rng.below(8);
    bytes.get_mut(at).into_iter().for_each(|byte| *byte ^= bit);
}

/// Overwrites bytes at `at` with some bytes of the donor, or inserts them.
fn splice(rng: &mut SplitMix64, bytes: &mut Vec<u8>, at: usize, donor: &[u8]) {
    let from = rng.below(donor.len());
    let part = &donor[from..donor.len().min(from + 1 + rng.below(256))];
    let end = if rng.below(2) == 0 { at } else { bytes.len().min(at + part.len()) };
    bytes.splice(at.min(end)..end, part.iter().copied());
}

/// Overwrites 1, 2, 4 or 8 bytes with an extreme number, in either byte order, or with one near the existing number.
fn number(rng: &mut SplitMix64, bytes: &mut [u8], at: usize) {
    let width = *rng.pick(&[1, 4, 4, 8, 2]);
    let Some(place) = bytes.get_mut(at..at + width) else { return };
    let number = match rng.below(3) {
        0 => {
            let mut old = [0; 8];
            old[..width].copy_from_slice(place);
            u64::from_le_bytes(old).wrapping_add(rng.below(33) as u64).wrapping_sub(16)
        }
        _ => *rng.pick(&EXTREMES),
    };
    let number = if rng.below(2) == 0 { number.to_le_bytes() } else { (number << (64 - 8 * width)).to_be_bytes() };
    place.copy_from_slice(&number[..width]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same seed gives the same mutations. Most change the file; some make it longer, some shorter.
    #[test]
    fn mutations_can_be_made_again() {
        let base: Vec<u8> = (0..200).collect();
        let all = |seed| -> Vec<Vec<u8>> {
            let mut rng = SplitMix64::new(seed);
            let one = |_| {
                let mut bytes = base.clone();
                mutate(&mut rng, &mut bytes, &[0xEE; 40]);
                bytes
            };
            (0..1000).map(one).collect()
        };
        let found = all(1);
        assert_eq!(found, all(1));
        assert!(found.iter().filter(|bytes| **bytes != base).count() > 900);
        assert!(found.iter().any(|bytes| bytes.len() > 200) && found.iter().any(|bytes| bytes.len() < 200));
    }
}
