//! Delta: what differs from the unit before or, in later blocks, from block 0.
//!
//! The difference is an XOR, so it has no carries and block 0 of any number type will do:
//!
//! ```text
//! block 0       out[0] = in[0], out[i] = in[i] ^ in[i - 1]        i counts units
//! other blocks  out[i] = in[i] ^ plain block 0[i]
//! ```
//!
//! A unit has 1, 2, 4 or 8 bytes. Bytes behind the last whole unit are copied. C-Blosc2 leaves them undefined when
//! compressing, but takes them as they are when decompressing.

/// Bytes of a unit: the typesize if a machine word has it, else what divides it into words or bytes.
fn unit(typesize: usize) -> usize {
    match typesize {
        1 | 2 | 4 | 8 => typesize,
        9.. if typesize.is_multiple_of(8) => 8,
        _ => 1,
    }
}

/// Runs the filter on block 0 (no `reference`), or on another block with the plain block 0 as `reference`.
///
/// What a short `reference` lacks counts as zeros.
pub(crate) fn forward(typesize: usize, src: &[u8], dst: &mut [u8], reference: Option<&[u8]>) {
    match reference {
        Some(reference) => xor_with(unit(typesize), src, dst, reference),
        None => {
            let unit = unit(typesize);
            // The block, but for its first unit, against itself one unit earlier.
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

/// XORs whole units with the start of `other`, and copies the rest.
fn xor_with(unit: usize, src: &[u8], dst: &mut [u8], other: &[u8]) {
    let common = other.len().min(src.len() / unit * unit);
    let (src, rest) = src.split_at(common);
    let (dst, dst_rest) = dst.split_at_mut(common);
    for ((out, byte), other) in dst.iter_mut().zip(src).zip(other) {
        *out = byte ^ other;
    }
    dst_rest.copy_from_slice(rest);
}

/// `dst[i] = src[0] ^ … ^ src[i]` over units of `U` bytes, a word of 8 bytes at a time.
fn running_xor<const U: usize>(src: &[u8], dst: &mut [u8]) {
    // One in the lowest bit of each unit: times a unit, it is that unit in all places.
    let ones = u64::MAX / (u64::MAX >> (64 - 8 * U));
    let (words, rest) = src.as_chunks::<8>();
    let (dst_words, dst_rest) = dst.as_chunks_mut::<8>();
    // What all units before come to, in all places of a word. Only this waits for the word before.
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
