//! Conversion of [`Json`] to text: byte for byte the output of Python's `json.dumps`, or strict JSON.

use super::Json;
use crate::python::python_float_repr;
use blosc_core::{OutOfMemory, memory};
use std::fmt::{self, Write};

const COMPACT: Style = Style { comma: ",", colon: ":", strict: false };
const SPACED: Style = Style { comma: ", ", colon: ": ", strict: false };

impl Json {
    /// Returns `json.dumps(x, separators=(',', ':'))`, the form of bloscpack's metadata.
    ///
    /// The text is ASCII, with `\uXXXX` for the rest (surrogate pairs beyond U+FFFF). Floats are spelled like `repr`,
    /// or `NaN`, `Infinity`, `-Infinity`. The process aborts if the system refuses memory; see
    /// [`try_dumps`](Self::try_dumps).
    #[must_use]
    pub fn dumps(&self) -> String {
        self.write(&COMPACT)
    }

    /// Returns `json.dumps(x)`: like [`dumps`](Self::dumps), with a space after each comma and colon.
    #[must_use]
    pub fn dumps_spaced(&self) -> String {
        self.write(&SPACED)
    }

    /// Like [`dumps`](Self::dumps), for values of any size.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn try_dumps(&self) -> Result<String, OutOfMemory> {
        let mut out = memory::Text::default();
        let _ = write_value(self, &COMPACT, &mut out);
        out.finish()
    }

    /// Like [`dumps_spaced`](Self::dumps_spaced), for values of any size.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn try_dumps_spaced(&self) -> Result<String, OutOfMemory> {
        let mut out = memory::Text::default();
        let _ = write_value(self, &SPACED, &mut out);
        out.finish()
    }

    /// Returns the length of [`dumps_spaced`](Self::dumps_spaced) in bytes.
    #[must_use]
    pub fn len_spaced(&self) -> u64 {
        let mut len = Len(0);
        let _ = write_value(self, &SPACED, &mut len);
        len.0
    }

    /// Returns the beginning of [`dumps_spaced`](Self::dumps_spaced), `most` characters or slightly more.
    #[must_use]
    pub fn start_spaced(&self, most: usize) -> String {
        let mut start = Start { text: String::new(), most };
        // An error only means that the text is long enough.
        let _ = write_value(self, &SPACED, &mut start);
        start.text
    }

    /// Like [`dumps`](Self::dumps), but strict JSON: `NaN` and the infinities become `null`.
    #[must_use]
    pub fn to_strict_json(&self) -> String {
        self.write(&Style { comma: ",", colon: ":", strict: true })
    }

    fn write(&self, style: &Style) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = write_value(self, style, &mut out);
        out
    }
}

/// Counts bytes.
struct Len(u64);

impl Write for Len {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.saturating_add(text.len() as u64);
        Ok(())
    }
}

/// Collects text until it has `most` bytes.
struct Start {
    text: String,
    most: usize,
}

impl Write for Start {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.extend(text.chars().take(self.most));
        if self.text.len() < self.most { Ok(()) } else { Err(fmt::Error) }
    }
}

struct Style {
    comma: &'static str,
    colon: &'static str,
    strict: bool,
}

fn write_value(value: &Json, style: &Style, out: &mut impl Write) -> fmt::Result {
    match value {
        Json::Null => out.write_str("null"),
        Json::Bool(value) => write!(out, "{value}"),
        Json::Int(value) => write!(out, "{value}"),
        Json::BigInt(digits) => out.write_str(digits),
        Json::Float(value) if style.strict && !value.is_finite() => out.write_str("null"),
        Json::Float(value) if value.is_nan() => out.write_str("NaN"),
        Json::Float(f64::INFINITY) => out.write_str("Infinity"),
        Json::Float(f64::NEG_INFINITY) => out.write_str("-Infinity"),
        Json::Float(value) => out.write_str(&python_float_repr(*value)),
        Json::String(text) => write_string(text, out),
        Json::Array(items) => {
            out.write_char('[')?;
            for (i, item) in items.iter().enumerate() {
                out.write_str(if i > 0 { style.comma } else { "" })?;
                write_value(item, style, out)?;
            }
            out.write_char(']')
        }
        Json::Object(members) => {
            out.write_char('{')?;
            for (i, (key, value)) in members.iter().enumerate() {
                out.write_str(if i > 0 { style.comma } else { "" })?;
                write_string(key, out)?;
                out.write_str(style.colon)?;
                write_value(value, style, out)?;
            }
            out.write_char('}')
        }
    }
}

fn write_string(text: &str, out: &mut impl Write) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    loop {
        let plain = rest.find(|c: char| !matches!(c, ' '..='~') || matches!(c, '"' | '\\')).unwrap_or(rest.len());
        let (run, special) = rest.split_at(plain);
        out.write_str(run)?;
        let mut chars = special.chars();
        match chars.next() {
            None => return out.write_char('"'),
            Some('"') => out.write_str("\\\"")?,
            Some('\\') => out.write_str("\\\\")?,
            Some('\n') => out.write_str("\\n")?,
            Some('\r') => out.write_str("\\r")?,
            Some('\t') => out.write_str("\\t")?,
            Some('\x08') => out.write_str("\\b")?,
            Some('\x0c') => out.write_str("\\f")?,
            Some(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
            }
        }
        rest = chars.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_json_has_no_nan() {
        let value = Json::parse("[NaN, Infinity, -Infinity, 1.0, \"\u{1f600}\"]").unwrap();
        assert_eq!(value.to_strict_json(), r#"[null,null,null,1.0,"\ud83d\ude00"]"#);
        let spaced = r#"[NaN, Infinity, -Infinity, 1.0, "\ud83d\ude00"]"#;
        assert_eq!(value.dumps_spaced(), spaced);
        assert_eq!(value.try_dumps_spaced().unwrap(), spaced);
        assert_eq!(value.len_spaced(), spaced.len() as u64);
        assert!(value.start_spaced(8).starts_with("[NaN, In") && value.start_spaced(8).len() < 20);
        assert_eq!(value.try_dumps().unwrap(), value.dumps());
    }
}
