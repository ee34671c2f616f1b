//! An item as a number, for arithmetic.

use super::half;
use super::{Scalar, ScalarKind};

/// The number in a scalar of a numeric dtype.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// An integer, a boolean (0 or 1), a datetime or a timedelta (units).
    Int(i128),
    /// A float. Every `float16` and `float32` is represented exactly.
    Float(f64),
    /// Real and imaginary part.
    Complex(f64, f64),
    /// `NaT`, the missing datetime or timedelta.
    NotATime,
}

impl Scalar {
    /// Returns whether items are numbers: all except strings, raw bytes and C's `long double`s.
    #[must_use]
    pub fn is_numeric(&self) -> bool {
        !matches!(self.kind(), ScalarKind::Bytes | ScalarKind::Str | ScalarKind::Void) && self.has_text()
    }

    /// Returns the number in an item; `None` if it is not a number, or if `item` is too short.
    #[must_use]
    #[inline]
    pub fn value_of(&self, item: &[u8]) -> Option<Value> {
        let item = item.get(..self.itemsize() as usize)?;
        match self.kind() {
            ScalarKind::Bool => Some(Value::Int(i128::from(item.iter().any(|byte| *byte != 0)))),
            ScalarKind::Int => Some(Value::Int(self.signed(item).into())),
            ScalarKind::UInt => Some(Value::Int(self.unsigned(item).into())),
            ScalarKind::Float => self.float_of(item).map(Value::Float),
            ScalarKind::Complex => {
                let (real, imaginary) = item.split_at(item.len() / 2);
                Some(Value::Complex(self.float_of(real)?, self.float_of(imaginary)?))
            }
            ScalarKind::Datetime | ScalarKind::Timedelta => match self.signed(item) {
                i64::MIN => Some(Value::NotATime),
                steps => Some(Value::Int(steps.into())),
            },
            ScalarKind::Bytes | ScalarKind::Str | ScalarKind::Void => None,
        }
    }

    /// Decodes a float of two, four or eight bytes.
    fn float_of(&self, item: &[u8]) -> Option<f64> {
        let bits = self.unsigned(item);
        match item.len() {
            2 => Some(half::from_bits(bits as u16)),
            4 => Some(f32::from_bits(bits as u32).into()),
            8 => Some(f64::from_bits(bits)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_kind() {
        for (dtype, item, expected) in [
            ("|b1", [3].as_slice(), Some(Value::Int(1))),
            ("|i1", &[0x80], Some(Value::Int(-128))),
            (">u2", &[1, 2], Some(Value::Int(258))),
            ("<u8", &[0xff; 8], Some(Value::Int(u64::MAX.into()))),
            (">f2", &[0x3c, 0], Some(Value::Float(1.0))),
            (">f4", &1.5_f32.to_be_bytes(), Some(Value::Float(1.5))),
            ("<c8", &[1.0_f32.to_le_bytes(), 2.0_f32.to_le_bytes()].concat(), Some(Value::Complex(1.0, 2.0))),
            ("<M8[s]", &i64::MIN.to_le_bytes(), Some(Value::NotATime)),
            ("<m8[s]", &(-5_i64).to_le_bytes(), Some(Value::Int(-5))),
            ("|S2", b"ab", None),
            ("<f4", &[0; 3], None),
        ] {
            assert_eq!(Scalar::parse(dtype).unwrap().value_of(item), expected, "{dtype}");
        }
    }
}
