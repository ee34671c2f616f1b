//! trunc_prec and int_trunc: clear low bits, so that they cost nothing. Lossy: decompression does not restore them.
//!
//! The meta byte of both is signed: a positive number counts the bits kept, a negative one the bits cleared.

/// Returns the mask of the bits that trunc_prec (filter 4) keeps of a float of `typesize` bytes. `meta` counts mantissa
/// bits. Sign and exponent are kept.
///
/// # Errors
/// For typesizes other than 4 and 8, for more bits than a mantissa has, and if no mantissa bit would be left.
pub(crate) fn trunc_prec_mask(typesize: usize, meta: u8) -> Result<u64, &'static str> {
    let mantissa = match typesize {
        4 => f32::MANTISSA_DIGITS - 1, // 23: the leading one is not stored
        8 => f64::MANTISSA_DIGITS - 1, // 52
        _ => return Err("trunc_prec needs a typesize of 4 or 8"),
    };
    let meta = meta.cast_signed();
    if meta.unsigned_abs() > mantissa as u8 {
        return Err("trunc_prec to more bits than the mantissa has");
    }
    keep(typesize, mantissa, meta).ok_or("trunc_prec would leave no bit of the mantissa")
}

/// Returns the mask of the bits that int_trunc (filter 36) keeps of an integer of `typesize` bytes.
///
/// # Errors
/// For typesizes other than 1, 2, 4 and 8, for more bits than an integer has, and if no bit would be left.
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
        return Err("int_trunc to more bits than the integers have");
    }
    keep(typesize, bits, meta).ok_or("int_trunc would leave no bit")
}

/// Keeps the bits of `mask` in every element. A partial element at the end is copied. C-Blosc2 leaves it undefined.
///
/// `mask` is the mask of an element of `typesize` bytes. For typesizes without a mask all bytes are copied.
pub(crate) fn apply(typesize: usize, mask: u64, src: &[u8], dst: &mut [u8]) {
    let whole = if matches!(typesize, 1 | 2 | 4 | 8) { src.len() / typesize * typesize } else { 0 };
    let (src, tail) = src.split_at(whole);
    let (dst, dst_tail) = dst.split_at_mut(whole);
    dst_tail.copy_from_slice(tail);

    // The mask repeated over 8 bytes. The last bytes of a block may use only a part of it.
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

/// Returns the mask of `8 * typesize` bits that clears the low bits of `significant` bits as `meta` says. `None` if it
/// would clear all of them.
fn keep(typesize: usize, significant: u32, meta: i8) -> Option<u64> {
    let cut = if meta < 0 { u32::from(meta.unsigned_abs()) } else { significant.checked_sub(meta as u32)? };
    (cut < significant).then(|| u64::MAX >> (64 - 8 * typesize) & u64::MAX << cut)
}

#[cfg(test)]
mod tests {
    use super::super::golden::hex;
    use super::*;

    /// Vectors written by C-Blosc2 3.3.5: normal and subnormal numbers, infinities, a NaN, -0.0.
    const F32: &str =
        "cdcc8c3f54f82dc02011ea50c21601000000807f000080ff0000c07f00000080e6e07f47abaaaa3e997696fe00000000";
    const F64: &str = "9a9999999999f13f6957148b0abf05c084ebf2c3f5b9cc540100000000000000000000000000f07f000000000000f0ff\
                       000000000000f87f0000000000000080555555555555d53fa0c8eb85f3cce1ff";
    const TRUNC_PREC: [(usize, &str, i8, &str); 4] = [
        (
            4,
            F32,
            10,
            "00c08c3f00e02dc00000ea50000001000000807f000080ff0000c07f0000008000e07f4700a0aa3e006096fe00000000",
        ),
        (
            4,
            F32,
            -5,
            "c0cc8c3f40f82dc02011ea50c01601000000807f000080ff0000c07f00000080e0e07f47a0aaaa3e807696fe00000000",
        ),
        (
            8,
            F64,
            30,
            "000080999999f13f0000008b0abf05c00000c0c3f5b9cc540000000000000000000000000000f07f000000000000f0ff\
             000000000000f87f0000000000000080000040555555d53f0000c085f3cce1ff",
        ),
        (
            8,
            F64,
            -20,
            "000090999999f13f0000108b0abf05c00000f0c3f5b9cc540000000000000000000000000000f07f000000000000f0ff\
             000000000000f87f0000000000000080000050555555d53f0000e085f3cce1ff",
        ),
    ];

    /// More vectors written by C-Blosc2 3.3.5.
    const INTS: &str = "ffe42279f3bd068366a852c1bb9651f3cd18ec08f6a4e724d26facd2aeb0daf2";
    const INT_TRUNC: [(usize, i8, &str); 8] = [
        (1, 3, "e0e02060e0a0008060a040c0a08040e0c000e000e0a0e020c060a0c0a0a0c0e0"),
        (1, -2, "fce42078f0bc048064a850c0b89450f0cc18ec08f4a4e424d06cacd0acb0d8f0"),
        (2, 5, "00e0007800b8008000a800c0009000f00018000800a00020006800d000b000f0"),
        (2, -7, "80e4007980bd008300a800c1809600f38018800880a48024806f80d280b080f2"),
        (4, 11, "0000207900000083000040c1000040f30000e0080000e0240000a0d20000c0f2"),
        (4, -13, "00e0227900a0068300a052c1008051f30000ec0800a0e7240060acd200a0daf2"),
        (8, 40, "00000079f3bd0683000000c1bb9651f300000008f6a4e724000000d2aeb0daf2"),
        (8, -33, "00000000f2bd068300000000ba9651f300000000f6a4e72400000000aeb0daf2"),
    ];

    #[test]
    fn same_bytes_as_c_blosc2() {
        let prec = TRUNC_PREC.map(|(t, plain, meta, want)| (t, plain, trunc_prec_mask(t, meta.cast_unsigned()), want));
        let int = INT_TRUNC.map(|(t, meta, want)| (t, INTS, int_trunc_mask(t, meta.cast_unsigned()), want));
        for (typesize, plain, mask, want) in prec.into_iter().chain(int) {
            let (plain, want) = (hex(plain), hex(want));
            // All whole elements of every length are filtered, and the bytes after them are unchanged.
            for len in 0..=plain.len() {
                let mut found = vec![0xA5; len];
                apply(typesize, mask.unwrap(), &plain[..len], &mut found);
                let whole = len / typesize * typesize;
                assert_eq!(found, [&want[..whole], &plain[whole..len]].concat(), "typesize {typesize}, {len} bytes");
            }
        }
    }

    /// Records which of all 256 meta bytes C-Blosc2 3.3.5 accepts for each typesize.
    #[test]
    fn refuses_what_c_blosc2_refuses() {
        for meta in i8::MIN..=i8::MAX {
            let byte = meta.cast_unsigned();
            for (typesize, accepted) in [(1, 0..=0), (2, 0..=0), (3, 0..=0), (4, -22..=23), (8, -51..=52), (16, 0..=0)]
            {
                let expected = meta != 0 && accepted.contains(&meta);
                assert_eq!(trunc_prec_mask(typesize, byte).is_ok(), expected, "trunc_prec {typesize} {meta}");
            }
            for (typesize, accepted) in
                [(1, -7..=8), (2, -15..=16), (3, 0..=0), (4, -31..=32), (8, -63..=64), (16, 0..=0)]
            {
                let expected = meta != 0 && accepted.contains(&meta);
                assert_eq!(int_trunc_mask(typesize, byte).is_ok(), expected, "int_trunc {typesize} {meta}");
            }
        }
    }

    #[test]
    fn typesizes_without_a_mask_are_copied() {
        for typesize in [0, 3, 5, 255] {
            let mut dst = [0; 20];
            apply(typesize, 0, &[7; 20], &mut dst);
            assert_eq!(dst, [7; 20]);
        }
    }
}
