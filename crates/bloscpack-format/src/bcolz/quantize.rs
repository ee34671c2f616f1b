//! Rounding of floats to fewer digits, the `quantize` compression parameter.

use super::Dtype;
use crate::numpy::half;
use crate::numpy::{self, ByteOrder, ScalarKind};

/// Maximum number of digits that bcolz can round to: with more, it fails.
pub const MAX_QUANTIZE: u32 = 307;

/// Rounds `rows`, of items of `dtype`, to at least `digits` decimal digits after the point.
///
/// Values are rounded to multiples of a power of two, as bcolz does before compression. Items that are not floats, and
/// 0 digits, change nothing. A value too large to have a fraction is kept; bcolz would make it infinite.
pub fn quantize(rows: &mut [u8], dtype: &Dtype, digits: u32) {
    let Some(numpy::Dtype::Scalar(scalar)) = dtype.as_plain() else { return };
    if digits == 0 || scalar.kind() != ScalarKind::Float {
        return;
    }
    // 10^digits lies between two powers of two; this is the larger one, at most 2^1020.
    let bits = (f64::from(digits.min(MAX_QUANTIZE)) * std::f64::consts::LOG2_10).ceil() as i32;
    let big = scalar.byte_order() == ByteOrder::Big;
    match scalar.itemsize() {
        2 => each(rows, big, |item| f16(item, bits)),
        4 => each(rows, big, |item| {
            let (value, scale) = (f32::from_le_bytes(item), 2_f32.powi(bits));
            rounded(value, (value * scale).round_ties_even() / scale, f32::is_finite).to_le_bytes()
        }),
        8 => each(rows, big, |item| {
            let (value, scale) = (f64::from_le_bytes(item), 2_f64.powi(bits));
            rounded(value, (value * scale).round_ties_even() / scale, f64::is_finite).to_le_bytes()
        }),
        _ => {}
    }
}

/// Returns the new value, unless it is not finite.
fn rounded<T: Copy>(old: T, new: T, is_finite: fn(T) -> bool) -> T {
    if is_finite(new) { new } else { old }
}

/// Rounds a 16-bit float. NumPy computes in 32 bits and rounds each result to 16.
fn f16(item: [u8; 2], bits: i32) -> [u8; 2] {
    let round = |value: f64| half::from_bits(half::to_bits(value));
    let (value, scale) = (half::from_bits(u16::from_le_bytes(item)), round(2_f64.powi(bits)));
    let new = round(round(value * scale).round_ties_even() / scale);
    if new.is_finite() { half::to_bits(new).to_le_bytes() } else { item }
}

/// Changes every item. The function gets and returns little-endian bytes.
fn each<const N: usize>(rows: &mut [u8], big: bool, change: impl Fn([u8; N]) -> [u8; N]) {
    for item in rows.as_chunks_mut::<N>().0 {
        if big {
            item.reverse();
        }
        *item = change(*item);
        if big {
            item.reverse();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantized(dtype: &str, digits: u32, mut item: Vec<u8>) -> Vec<u8> {
        quantize(&mut item, &Dtype::parse(dtype).unwrap(), digits);
        item
    }

    /// The results of `bcolz.utils.quantize` for these values.
    #[test]
    fn as_bcolz() {
        let pi = std::f64::consts::PI;
        for (digits, expected) in [(1, 3.125), (2, 3.140625), (3, 3.1416015625), (307, pi)] {
            assert_eq!(quantized("float64", digits, pi.to_le_bytes().into()), f64::to_le_bytes(expected));
            assert_eq!(quantized(">f8", digits, pi.to_be_bytes().into()), f64::to_be_bytes(expected));
        }
        assert_eq!(quantized("float32", 2, 2.6543_f32.to_le_bytes().into()), 2.65625_f32.to_le_bytes());
        // 3.140625 in 16 bits.
        assert_eq!(quantized("float16", 3, vec![0x48, 0x42]), [0x48, 0x42]);
        assert_eq!(quantized("float16", 1, vec![0x48, 0x42]), [0x40, 0x42]);
        assert_eq!(quantized("int32", 1, vec![1, 2, 3, 4]), [1, 2, 3, 4]);
    }

    #[test]
    fn large_values_stay() {
        for value in [f64::MAX, 1e300, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(quantized("float64", 20, value.to_le_bytes().into()), value.to_le_bytes());
        }
        assert_eq!(quantized("float32", 50, 1.5_f32.to_le_bytes().into()), 1.5_f32.to_le_bytes());
        assert!(
            f64::from_le_bytes(quantized("float64", 3, f64::NAN.to_le_bytes().into()).try_into().unwrap()).is_nan()
        );
    }
}
