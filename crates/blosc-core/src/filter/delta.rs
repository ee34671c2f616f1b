//! Delta: the difference from the preceding unit or, in later blocks, from block 0.
//!
//! The difference is an XOR. It has no carries, so block 0 works for any number type:
//!
//! ```text
//! block 0       out[0] = in[0], out[i] = in[i] ^ in[i - 1]        i counts units
//! other blocks  out[i] = in[i] ^ plain block 0[i]
//! ```
//!
//! A unit has 1, 2, 4 or 8 bytes. Bytes after the last whole unit are copied. C-Blosc2 leaves them undefined when
//! compressing, but uses them unchanged when decompressing.

/// Returns the bytes of a unit: the typesize if it is the size of a machine word, else 8 if that divides it, else 1.
fn unit(typesize: usize) -> usize {
    match typesize {
        1 | 2 | 4 | 8 => typesize,
        9.. if typesize.is_multiple_of(8) => 8,
        _ => 1,
    }
}

/// Runs the filter on block 0 (no `reference`), or on another block with the plain block 0 as `reference`.
///
/// Missing bytes of a short `reference` count as zeros.
pub(crate) fn forward(typesize: usize, src: &[u8], dst: &mut [u8], reference: Option<&[u8]>) {
    match reference {
        Some(reference) => xor_with(unit(typesize), src, dst, reference),
        None => {
            let unit = unit(typesize);
            // XORs the block, except its first unit, with itself shifted by one unit.
            let (first, rest) = src.split_at(unit.min(src.len()));
            let (dst_first, dst_rest) = dst.split_at_mut(first.len());
            dst_first.copy_from_slice(first);
            xor_with(unit, rest, dst_rest, src);
        }
    }
}

/// Undoes [`forward`].
pub(crate) fn backward(typesize: usize, src: &[u8], dst: &mut [u8], reference: Option<&[u8]>) {
    match (reference, unit(typesize)) {
        (Some(reference), unit) => xor_with(unit, src, dst, reference),
        (None, 1) => running_xor::<1>(src, dst),
        (None, 2) => running_xor::<2>(src, dst),
        (None, 4) => running_xor::<4>(src, dst),
        (None, _) => running_xor::<8>(src, dst),
    }
}

/// XORs whole units with the start of `other` and copies the rest.
fn xor_with(unit: usize, src: &[u8], dst: &mut [u8], other: &[u8]) {
    let common = other.len().min(src.len() / unit * unit);
    let (src, rest) = src.split_at(common);
    let (dst, dst_rest) = dst.split_at_mut(common);
    for ((out, byte), other) in dst.iter_mut().zip(src).zip(other) {
        *out = byte ^ other;
    }
    dst_rest.copy_from_slice(rest);
}

/// Computes `dst[i] = src[0] ^ … ^ src[i]` over units of `U` bytes, a word of 8 bytes at a time.
fn running_xor<const U: usize>(src: &[u8], dst: &mut [u8]) {
    // Has a one in the lowest bit of each unit. Multiplying by a unit copies it to all positions.
    let ones = u64::MAX / (u64::MAX >> (64 - 8 * U));
    let (words, rest) = src.as_chunks::<8>();
    let (dst_words, dst_rest) = dst.as_chunks_mut::<8>();
    // The XOR of all preceding units, in all positions of a word. Only this depends on the preceding word.
    let mut before = 0;
    for (out, word) in dst_words.iter_mut().zip(words) {
        let mut sums = u64::from_le_bytes(*word);
        let mut distance = U;
        while distance < 8 {
            sums ^= sums << (8 * distance);
            distance *= 2;
        }
        *out = (sums ^ before).to_le_bytes();
        before ^= (sums >> (64 - 8 * U)).wrapping_mul(ones);
    }
    let mut unit = [0; U];
    unit.copy_from_slice(&before.to_le_bytes()[..U]);
    let (units, tail) = rest.as_chunks::<U>();
    let (dst_units, dst_tail) = dst_rest.as_chunks_mut::<U>();
    for (out, difference) in dst_units.iter_mut().zip(units) {
        for (byte, difference) in unit.iter_mut().zip(difference) {
            *byte ^= difference;
        }
        *out = unit;
    }
    dst_tail.copy_from_slice(tail);
}

#[cfg(test)]
mod tests {
    use super::super::golden::{filtered, unshuffle};
    use super::*;
    use proptest::prelude::*;

    type Filter = fn(usize, &[u8], &mut [u8], Option<&[u8]>);

    fn run(filter: Filter, typesize: usize, src: &[u8], reference: Option<&[u8]>) -> Vec<u8> {
        let mut dst = vec![0xA5; src.len()];
        filter(typesize, src, &mut dst, reference);
        dst
    }

    #[test]
    fn blocks_of_c_blosc2() {
        let chunks = filtered(&["delta", "delta_tail"]);
        assert!(chunks.len() > 20);
        for chunk in chunks {
            let mut plain: Vec<u8> = Vec::new();
            let blocksize = chunk.blocks[0].len();
            for block in &chunk.blocks {
                let block = match chunk.filters[..] {
                    [(3, 0)] => block.clone(),
                    [(3, 0), shuffle] => unshuffle(shuffle, chunk.typesize, block),
                    ref other => panic!("{}: filters {other:?}", chunk.file),
                };
                let reference = plain.get(..blocksize).map(<[u8]>::to_vec);
                let back = run(backward, chunk.typesize, &block, reference.as_deref());
                assert!(run(forward, chunk.typesize, &back, reference.as_deref()) == block, "{}", chunk.file);
                plain.extend(back);
            }
            assert_eq!(testdata::sha256_hex(&plain), chunk.plain_sha256, "{}", chunk.file);
        }
    }

    #[test]
    fn units_and_tails() {
        for (typesize, unit_) in [(1, 1), (2, 2), (3, 1), (4, 4), (6, 1), (7, 1), (8, 8), (12, 1), (16, 8), (248, 8)] {
            assert_eq!(unit(typesize), unit_);
        }
        // Two units of 2 bytes and a tail, then the same with a block 0 that is too short.
        assert_eq!(run(forward, 2, &[1, 2, 4, 8, 16], None), [1, 2, 5, 10, 16]);
        assert_eq!(run(forward, 2, &[1, 2, 4, 8, 16], Some(&[1; 3])), [0, 3, 5, 8, 16]);
    }

    proptest! {
        #[test]
        fn round_trip(
            typesize in prop_oneof![Just(1), Just(2), Just(4), Just(8), 0..=256usize],
            plain in prop::collection::vec(any::<u8>(), 0..200),
            reference in prop::option::of(prop::collection::vec(any::<u8>(), 0..300)),
        ) {
            let filtered = run(forward, typesize, &plain, reference.as_deref());
            prop_assert_eq!(run(backward, typesize, &filtered, reference.as_deref()), plain);
        }
    }
}
