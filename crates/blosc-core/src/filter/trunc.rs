//! trunc_prec and int_trunc: low bits set to zero, so that they cost nothing. Lossy; nothing is undone when decompressing.
//!
//! The meta byte of both is signed: a positive number counts the bits kept, a negative one those set to zero.

/// The bits that trunc_prec (filter 4) keeps of a float of `typesize` bytes. `meta` is about the bits of the mantissa; sign
/// and exponent stay.
///
/// # Errors
/// For other typesizes than 4 and 8, for more bits than a mantissa has, and where none of the mantissa would be left.
pub(crate) fn trunc_prec_mask(typesize: usize, meta: u8) -> Result<u64, &'static str> {
    let mantissa = match typesize {
        4 => f32::MANTISSA_DIGITS - 1, // 23: the leading one is not stored
        8 => f64::MANTISSA_DIGITS - 1, // 52
        _ => return Err("trunc_prec needs a typesize of 4 or 8"),
    };
    let meta = meta.cast_signed();
    if meta.unsigned_abs() > mantissa as u8 {
        return Err("trunc_prec of more bits than a mantissa has");
    }
    keep(typesize, mantissa, meta).ok_or("trunc_prec would leave no bit of the mantissa")
}

/// The bits that int_trunc (filter 36) keeps of an integer of `typesize` bytes.
///
/// # Errors
/// For other typesizes than 1, 2, 4 and 8, for more bits than an integer has, and where none would be left.
pub(crate) fn int_trunc_mask(typesize: usize, meta: u8) -> Result<u64, &'static str> {
    let bits = match typesize {
        1 => 8,
        2 => 16,
        4 => 32,
        8 => 64,
        _ => return Err("int_trunc needs a typesize of 1, 2, 4 or 8"),
    };
    let meta = meta.cast_signed();
    if i64::from(meta) > i64::from(bits) {
        return Err("int_trunc to more bits than an integer has");
    }
    keep(typesize, bits, meta).ok_or("int_trunc would leave no bit")
}

/// Keeps the bits of `mask` in every element. A cut element at the end is copied; C-Blosc2 leaves it undefined.
///
/// `mask` is that of an element of `typesize` bytes; for typesizes that have no mask all is copied.
pub(crate) fn apply(typesize: usize, mask: u64, src: &[u8], dst: &mut [u8]) {
    let whole = if matches!(typesize, 1 | 2 | 4 | 8) { src.len() / typesize * typesize } else { 0 };
    let (src, tail) = src.split_at(whole);
    let (dst, dst_tail) = dst.split_at_mut(whole);
    dst_tail.copy_from_slice(tail);

    // The mask of the elements in 8 bytes, of which the last ones may be fewer.
    let mask: [u8; 8] = std::array::from_fn(|i| mask.to_le_bytes()[i % typesize.clamp(1, 8)]);
    let (words, rest) = src.as_chunks::<8>();
    let (dst_words, dst_rest) = dst.as_chunks_mut::<8>();
    for (out, word) in dst_words.iter_mut().zip(words) {
        *out = (u64::from_le_bytes(*word) & u64::from_le_bytes(mask)).to_le_bytes();
    }
    for ((out, byte), mask) in dst_rest.iter_mut().zip(rest).zip(mask) {
        *out = byte & mask;
    }
}

/// The mask of `8 * typesize` bits that leaves out as many of the low ones as `meta` says of `significant`, but not all.
fn keep(typesize: usize, significant: u32, meta: i8) -> Option<u64> {
    let cut = if meta < 0 { u32::from(meta.unsigned_abs()) } else { significant.checked_sub(meta as u32)? };
    (cut < significant).then(|| u64::MAX >> (64 - 8 * typesize) & u64::MAX << cut)
}
