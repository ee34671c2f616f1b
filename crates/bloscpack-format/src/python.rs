//! Python's spelling of floats, strings and bytes: the output of `repr` in Python 3.

use std::fmt::{self, Write};

/// Returns `repr(x)` of a float: the fewest digits that read back as `x`. Exponents are used from `1e+16` up and below
/// `0.0001`. The special values are `nan`, `inf` and `-inf`.
#[must_use]
pub fn python_float_repr(x: f64) -> String {
    if x.is_nan() {
        return "nan".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.into();
    }
    spelled(&shortest(x))
}

/// Like [`python_float_repr`], for a float of two or four bytes, which fewer digits identify. `same` tells whether
/// digits read back as the same float.
pub(crate) fn short_float_repr(x: f64, same: impl Fn(&str) -> bool) -> String {
    // A float of four bytes needs at most this number of digits.
    let found = (0..=8).map(|digits| format!("{x:.digits$e}")).find(|text| same(text));
    match found.filter(|_| x.is_finite()) {
        Some(text) => spelled(&text),
        None => python_float_repr(x),
    }
}

/// Converts `d.ddde±x` to the form that `repr` uses.
fn spelled(scientific: &str) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        return positional(mantissa, exponent);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// Returns the fewest digits that read back as `x`, as `d.ddde±x`. Among those the nearest to `x` is chosen; ties go to
/// the even digit.
fn shortest(x: f64) -> String {
    // Rust's `{:e}` differs from that only in ties, where it chooses the larger one. With an explicit number of digits
    // it rounds the exact value half to even. That may miss `x` where the gap to the next smaller float is narrower.
    let shortest = written(format_args!("{x:e}"));
    let digits = shortest.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count();
    let rounded = written(format_args!("{x:.*e}", digits.saturating_sub(1)));
    if rounded.parse() == Ok(x) { rounded } else { shortest }
}

/// The longest `repr` of a float, `-1.2345678901234567e-308`.
const LONGEST: usize = 24;

/// Formats a float without growing the string step by step.
fn written(float: fmt::Arguments<'_>) -> String {
    let mut text = String::with_capacity(LONGEST);
    // Writing to a string cannot fail.
    let _ = text.write_fmt(float);
    text
}

/// Converts `-1.2345` and 2 to `-123.45`, `1` and 2 to `100.0`, `1.5` and -2 to `0.015`.
fn positional(mantissa: &str, exponent: i32) -> String {
    let mut text = String::with_capacity(LONGEST);
    let mut digits = mantissa.chars().filter(char::is_ascii_digit);
    if mantissa.starts_with('-') {
        text.push('-');
    }
    match usize::try_from(exponent) {
        Ok(point) => text.extend((0..=point).map(|_| digits.next().unwrap_or('0'))),
        Err(_) => text.push('0'),
    }
    text.push('.');
    text.extend((exponent + 1..0).map(|_| '0'));
    text.push(digits.next().unwrap_or('0'));
    text.extend(digits);
    text
}

/// Returns `repr(s)` of a string. The quotes are single unless the string contains single quotes and no double ones.
/// Printable characters stay as they are; the rest become `\n`, `\x7f`, `\u200b`, `\U000e0001`. For texts of any size,
/// see [`write_str_repr`].
#[must_use]
pub fn python_str_repr(s: &str) -> String {
    let mut repr = String::with_capacity(s.len() + 2);
    // Writing to a string cannot fail.
    let _ = write_str_repr(s, &mut repr);
    repr
}

/// Writes [`python_str_repr`] of a string to `out`.
///
/// # Errors
///
/// The error of `out`.
pub fn write_str_repr(s: &str, out: &mut impl Write) -> fmt::Result {
    let quote = quote_for(s.contains('\''), s.contains('"'));
    out.write_char(quote)?;
    for c in s.chars() {
        match c {
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            c if c == quote => write!(out, "\\{c}")?,
            c if is_printable(c) => out.write_char(c)?,
            c => match u32::from(c) {
                code @ ..=0xff => write!(out, "\\x{code:02x}")?,
                code @ ..=0xffff => write!(out, "\\u{code:04x}")?,
                code => write!(out, "\\U{code:08x}")?,
            },
        }
    }
    out.write_char(quote)
}

/// Returns `repr(b)` of a byte string: `b'...'`, with everything but printable ASCII as `\xNN`. For bytes of any size,
/// see [`write_bytes_repr`].
#[must_use]
pub fn python_bytes_repr(bytes: &[u8]) -> String {
    let mut repr = String::with_capacity(bytes.len() + 3);
    // Writing to a string cannot fail.
    let _ = write_bytes_repr(bytes, &mut repr);
    repr
}

/// Writes [`python_bytes_repr`] of a byte string to `out`.
///
/// # Errors
///
/// The error of `out`.
pub fn write_bytes_repr(bytes: &[u8], out: &mut impl Write) -> fmt::Result {
    let quote = quote_for(bytes.contains(&b'\''), bytes.contains(&b'"'));
    out.write_char('b')?;
    out.write_char(quote)?;
    for &byte in bytes {
        match byte {
            b'\\' => out.write_str("\\\\")?,
            b'\n' => out.write_str("\\n")?,
            b'\r' => out.write_str("\\r")?,
            b'\t' => out.write_str("\\t")?,
            byte if char::from(byte) == quote => write!(out, "\\{quote}")?,
            b' '..=b'~' => out.write_char(char::from(byte))?,
            byte => write!(out, "\\x{byte:02x}")?,
        }
    }
    out.write_char(quote)
}

fn quote_for(has_single: bool, has_double: bool) -> char {
    if has_single && !has_double { '"' } else { '\'' }
}

/// Python's `str.isprintable`: false for the categories Cc Cf Cs Co Cn Zl Zp Zs, except the space.
///
/// `str::escape_debug` leaves exactly these characters unescaped, except for the first of a string, where it escapes
/// combining marks too. Rust and a Python of another Unicode version differ on the characters assigned in between;
/// either spelling reads back as the same string.
fn is_printable(c: char) -> bool {
    match c {
        ' '..='~' => true,
        '\0'..='\x7f' => false,
        c => {
            let mut utf8 = [b'a'; 5];
            let end = 1 + c.len_utf8();
            c.encode_utf8(&mut utf8[1..]);
            str::from_utf8(&utf8[..end]).is_ok_and(|pair| pair.escape_debug().nth(1) == Some(c))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_python() {
        for (x, repr) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (1e300, "1e+300"),
            (-1_234.5, "-1234.5"),
            (100.0, "100.0"),
            (0.015, "0.015"),
            // 2^50 and a quarter, a tie: rounds to the even digit.
            (2_f64.powi(50) + 0.25, "1125899906842624.2"),
            (2_f64.powi(-44), "5.684341886080802e-14"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(python_float_repr(x), repr);
        }
    }

    #[test]
    fn bytes_as_python() {
        assert_eq!(python_bytes_repr(b"it's \x00\xff\\\n"), r#"b"it's \x00\xff\\\n""#);
        assert_eq!(python_bytes_repr(b"'\""), r#"b'\'"'"#);
    }
}
