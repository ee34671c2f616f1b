//! Floats of two bytes, which stable Rust lacks: sign, five bits of exponent, ten of fraction.

/// Rounds to the nearest float of two bytes; ties go to the even one.
pub(crate) fn to_bits(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if value.is_nan() {
        return sign | 0x7e00;
    }
    // From 65520 on, halfway past the largest float, 65504, the result is infinite.
    if magnitude >= 65_520.0 {
        return sign | 0x7c00;
    }
    // Below 2^-14 the step is 2^-24; above, 2^-10 of the power of two.
    let exponent = magnitude.log2().floor().clamp(-14.0, 15.0) as i32;
    let steps = (magnitude * 2_f64.powi(10 - exponent)).round_ties_even() as u32;
    // A step count of 2^11 carries into the exponent automatically, and so does 2^10 of a subnormal float.
    let biased = (exponent + 14) as u32;
    sign | (((biased << 10) + steps) as u16)
}

pub(crate) fn from_bits(bits: u16) -> f64 {
    let magnitude = match (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff)) {
        (0x1f, 0.0) => f64::INFINITY,
        (0x1f, _) => f64::NAN,
        (0, fraction) => fraction * 2_f64.powi(-24),
        (exponent, fraction) => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    #[test]
    fn all_of_them_lead_back() {
        for bits in 0..=u16::MAX {
            let value = super::from_bits(bits);
            let expected = if value.is_nan() { bits & 0x8000 | 0x7e00 } else { bits };
            assert_eq!(super::to_bits(value), expected, "{value}");
        }
        // The float16 values of NumPy.
        for (value, bits) in [(0.1, 0x2e66), (65_519.9, 0x7bff), (65_520.0, 0x7c00), (2_f64.powi(-25), 0), (3e-8, 1)] {
            assert_eq!(super::to_bits(value), bits, "{value}");
        }
    }
}
