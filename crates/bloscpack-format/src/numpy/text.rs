//! Formatting of items as text, for tables.

use super::half;
use super::{ByteOrder, DatetimeUnit, Scalar, ScalarKind};
use crate::python::{python_float_repr, short_float_repr};
use blosc_core::{OutOfMemory, memory};

/// NumPy's `NaT`: the lowest `i64`.
const NOT_A_TIME: i64 = i64::MIN;

impl Scalar {
    /// Returns whether items have a text. Only C's `long double`s have none: their layout depends on the writing
    /// machine.
    #[must_use]
    pub fn has_text(&self) -> bool {
        match self.kind() {
            ScalarKind::Float => self.itemsize() <= 8,
            ScalarKind::Complex => self.itemsize() <= 16,
            _ => true,
        }
    }

    /// Appends the text of an item. Appends nothing if it has none, or if `item` is too short.
    ///
    /// - Numbers have the fewest digits that read back the same, in Python's spelling. Booleans are `true` and `false`.
    /// - Bytes are written unchanged and text in UTF-8, both without trailing NULs. Raw bytes are in hexadecimal.
    /// - Times are in ISO 8601, to the precision of their unit. Spans of time are a number of units.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`]: an item may have 2³¹ - 1 bytes.
    pub fn text_of(&self, item: &[u8], out: &mut Vec<u8>) -> Result<(), OutOfMemory> {
        let Some(item) = item.get(..self.itemsize() as usize) else { return Ok(()) };
        let text = match self.kind() {
            ScalarKind::Bool => (if item.iter().any(|byte| *byte != 0) { "true" } else { "false" }).into(),
            ScalarKind::Int => self.signed(item).to_string(),
            ScalarKind::UInt => self.unsigned(item).to_string(),
            ScalarKind::Float => self.float(item),
            ScalarKind::Complex => self.complex(item),
            ScalarKind::Bytes => return memory::extend(out, without_nuls(item)),
            ScalarKind::Str => return self.characters(item, out),
            ScalarKind::Void => return hexadecimal(item, out),
            ScalarKind::Datetime | ScalarKind::Timedelta => match (self.signed(item), self.unit()) {
                (NOT_A_TIME, _) => "NaT".into(),
                (steps, Some(unit)) if self.kind() == ScalarKind::Datetime => datetime(steps, unit),
                (steps, _) => steps.to_string(),
            },
        };
        memory::extend(out, text.as_bytes())
    }

    /// Returns the bits of a number of up to eight bytes.
    pub(super) fn unsigned(&self, item: &[u8]) -> u64 {
        let join = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
        match self.byte_order() {
            ByteOrder::Big => item.iter().fold(0, join),
            _ => item.iter().rev().fold(0, join),
        }
    }

    pub(super) fn signed(&self, item: &[u8]) -> i64 {
        let unused = 64 - 8 * item.len().clamp(1, 8) as u32;
        (self.unsigned(item) << unused).cast_signed() >> unused
    }

    fn float(&self, item: &[u8]) -> String {
        let bits = self.unsigned(item);
        match item.len() {
            2 => {
                let same = |text: &str| text.parse().is_ok_and(|value| u64::from(half::to_bits(value)) == bits);
                short_float_repr(half::from_bits(bits as u16), same)
            }
            4 => {
                let value = f32::from_bits(bits as u32);
                short_float_repr(value.into(), |text| text.parse() == Ok(value))
            }
            8 => python_float_repr(f64::from_bits(bits)),
            _ => String::new(),
        }
    }

    /// Formats like Python: without `.0`, and without a real part of zero.
    fn complex(&self, item: &[u8]) -> String {
        if !self.has_text() {
            return String::new();
        }
        let (real, imaginary) = item.split_at(item.len() / 2);
        let part = |part: &[u8]| {
            let text = self.float(part);
            text.strip_suffix(".0").map_or(text.clone(), Into::into)
        };
        let (real, imaginary) = (part(real), part(imaginary));
        match (real.as_str(), imaginary.starts_with('-')) {
            ("0", _) => format!("{imaginary}j"),
            (_, true) => format!("({real}{imaginary}j)"),
            (_, false) => format!("({real}+{imaginary}j)"),
        }
    }

    fn characters(&self, item: &[u8], out: &mut Vec<u8>) -> Result<(), OutOfMemory> {
        let codes = || item.chunks_exact(4).map(|code| self.unsigned(code));
        let len = codes().rposition(|code| code != 0).map_or(0, |last| last + 1);
        memory::reserve(out, len)?;
        for code in codes().take(len) {
            let character = u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
            memory::extend(out, character.encode_utf8(&mut [0; 4]).as_bytes())?;
        }
        Ok(())
    }
}

fn hexadecimal(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), OutOfMemory> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    memory::reserve(out, bytes.len().saturating_mul(2))?;
    bytes.iter().for_each(|byte| out.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]));
    Ok(())
}

fn without_nuls(bytes: &[u8]) -> &[u8] {
    let len = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    bytes.get(..len).unwrap_or_default()
}

/// Formats steps since 1970 as ISO 8601, to the precision of the unit.
fn datetime(steps: i64, unit: DatetimeUnit) -> String {
    let units = i128::from(steps) * i128::from(unit.multiple);
    // Units in a day, and number of digits of the fraction of a second.
    let (per_day, parts): (i128, usize) = match unit.name {
        "Y" => return year(units + 1970),
        "M" => return format!("{}-{:02}", year(units.div_euclid(12) + 1970), units.rem_euclid(12) + 1),
        "W" => return date(units * 7),
        "D" => return date(units),
        "h" => return format!("{}T{:02}", date(units.div_euclid(24)), units.rem_euclid(24)),
        "m" => (1_440, 0),
        "s" => (86_400, 0),
        "ms" => (86_400_000, 3),
        "us" => (86_400_000_000, 6),
        "ns" => (86_400_000_000_000, 9),
        "ps" => (86_400_000_000_000_000, 12),
        "fs" => (86_400_000_000_000_000_000, 15),
        _ => (86_400_000_000_000_000_000_000, 18),
    };
    let (day, within) = (date(units.div_euclid(per_day)), units.rem_euclid(per_day));
    if unit.name == "m" {
        return format!("{day}T{:02}:{:02}", within / 60, within % 60);
    }
    let per_second = per_day / 86_400;
    let (second, fraction) = (within / per_second, within % per_second);
    let text = format!("{day}T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    if parts == 0 { text } else { format!("{text}.{fraction:0parts$}") }
}

/// Formats a year with at least four characters, including the sign, as NumPy does.
fn year(year: i128) -> String {
    format!("{year:04}")
}

/// Returns the Gregorian date of a day, counted from 1970-01-01.
fn date(days: i128) -> String {
    // Eras of 400 years, 146,097 days, start on the first of March of a year divisible by 400. The leap day is then the
    // last day of its year. 1970-01-01 is day 719,468.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    // Corrects for the leap days of 4, 100 and 400 years.
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // From March on, five months always have 153 days.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let new_year = i128::from(month <= 2);
    format!("{}-{month:02}-{day:02}", year(400 * era + year_of_era + new_year))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(dtype: &str, item: &[u8]) -> String {
        let mut out = Vec::new();
        Scalar::parse(dtype).unwrap().text_of(item, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// The digits are those of NumPy 2.4.6. The exponent starts where Python's `float` starts it.
    #[test]
    fn items_are_spelled_as_python_does() {
        for (dtype, item, expected) in [
            ("|b1", [1].as_slice(), "true"),
            ("|b1", &[0], "false"),
            ("|i1", &[0x80], "-128"),
            (">i2", &[0xff, 0xfe], "-2"),
            ("<u8", &[0xff; 8], "18446744073709551615"),
            ("<f8", &0.1_f64.to_le_bytes(), "0.1"),
            (">f8", &1e300_f64.to_be_bytes(), "1e+300"),
            ("<f8", &(-0.0_f64).to_le_bytes(), "-0.0"),
            ("<f4", &0.1_f32.to_le_bytes(), "0.1"),
            ("<f4", &f32::MAX.to_le_bytes(), "3.4028235e+38"),
            ("<f4", &16_777_216_f32.to_le_bytes(), "16777216.0"),
            ("<f4", &f32::NAN.to_le_bytes(), "nan"),
            ("<f4", &f32::NEG_INFINITY.to_le_bytes(), "-inf"),
            ("<f4", &1e-45_f32.to_le_bytes(), "1e-45"),
            ("<f2", &[0x66, 0x2e], "0.1"),
            (">f2", &[0x7b, 0xff], "65500.0"),
            ("<c16", &[1.0_f64.to_le_bytes(), (-2.5_f64).to_le_bytes()].concat(), "(1-2.5j)"),
            ("<c8", &[0.0_f32.to_le_bytes(), 2.0_f32.to_le_bytes()].concat(), "2j"),
            ("<c8", &[(-0.0_f32).to_le_bytes(), f32::NAN.to_le_bytes()].concat(), "(-0+nanj)"),
            ("|S4", b"a\0b\0", "a\0b"),
            ("<U2", &[0x00, 0xf6, 0x01, 0, 0, 0, 0, 0], "\u{1f600}"),
            (">U2", &[0, 0, 0xd8, 0, 0, 0, 0, 65], "\u{fffd}A"),
            ("|V2", &[0, 0xab], "00ab"),
            ("<m8[D]", &(-3_i64).to_le_bytes(), "-3"),
            ("<M8[s]", &i64::MIN.to_le_bytes(), "NaT"),
            ("<M8", &5_i64.to_le_bytes(), "5"),
        ] {
            assert_eq!(text(dtype, item), expected, "{dtype}");
        }
        assert!(!Scalar::parse("<f16").unwrap().has_text() && !Scalar::parse("<c32").unwrap().has_text());
    }

    /// The results of `str(numpy.datetime64(steps, unit))` in NumPy 2.4.6.
    #[test]
    fn times_are_spelled_as_numpy_does() {
        for (unit, steps, expected) in [
            ("Y", 30, "2000"),
            ("Y", -3000, "-1030"),
            ("M", -1, "1969-12"),
            ("W", 1, "1970-01-08"),
            ("D", 11016, "2000-02-29"),
            ("D", -1, "1969-12-31"),
            ("D", -719_529, "-001-12-31"),
            ("h", 25, "1970-01-02T01"),
            ("m", -1, "1969-12-31T23:59"),
            ("s", 951_782_399, "2000-02-28T23:59:59"),
            ("25s", 2, "1970-01-01T00:00:50"),
            ("ms", -1, "1969-12-31T23:59:59.999"),
            ("us", 1, "1970-01-01T00:00:00.000001"),
            ("ns", i64::MAX, "2262-04-11T23:47:16.854775807"),
            ("ps", 1, "1970-01-01T00:00:00.000000000001"),
            ("as", -1, "1969-12-31T23:59:59.999999999999999999"),
        ] {
            assert_eq!(text(&format!("<M8[{unit}]"), &i64::to_le_bytes(steps)), expected, "{unit} {steps}");
        }
    }
}
