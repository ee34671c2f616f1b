//! [`Json`] to text: byte for byte what Python's `json.dumps` writes, or strict JSON.

use super::Json;
use crate::python::python_float_repr;

impl Json {
    /// `json.dumps(x, separators=(',', ':'))`: what bloscpack stores as metadata.
    ///
    /// ASCII, with `\uXXXX` for the rest (surrogate pairs beyond U+FFFF); floats as `repr` spells them; `NaN`,
    /// `Infinity`, `-Infinity`.
    #[must_use]
    pub fn dumps(&self) -> String {
        self.write(&Style { comma: ",", colon: ":", strict: false })
    }

    /// `json.dumps(x)`: as [`dumps`](Self::dumps), with a space after each comma and colon.
    #[must_use]
    pub fn dumps_spaced(&self) -> String {
        self.write(&Style { comma: ", ", colon: ": ", strict: false })
    }

    /// As [`dumps`](Self::dumps), but for readers that know JSON only: `NaN` and the infinities become `null`.
    #[must_use]
    pub fn to_strict_json(&self) -> String {
        self.write(&Style { comma: ",", colon: ":", strict: true })
    }

    fn write(&self, style: &Style) -> String {
        let mut out = String::new();
        write_value(self, style, &mut out);
        out
    }
}

struct Style {
    comma: &'static str,
    colon: &'static str,
    strict: bool,
}

fn write_value(value: &Json, style: &Style, out: &mut String) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Int(value) => out.push_str(&value.to_string()),
        Json::BigInt(digits) => out.push_str(digits),
        Json::Float(value) if style.strict && !value.is_finite() => out.push_str("null"),
        Json::Float(value) if value.is_nan() => out.push_str("NaN"),
        Json::Float(f64::INFINITY) => out.push_str("Infinity"),
        Json::Float(f64::NEG_INFINITY) => out.push_str("-Infinity"),
        Json::Float(value) => out.push_str(&python_float_repr(*value)),
        Json::String(text) => write_string(text, out),
        Json::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(style.comma);
                }
                write_value(item, style, out);
            }
            out.push(']');
        }
        Json::Object(members) => {
            out.push('{');
            for (i, (key, value)) in members.iter().enumerate() {
                if i > 0 {
                    out.push_str(style.comma);
                }
                write_string(key, out);
                out.push_str(style.colon);
                write_value(value, style, out);
            }
            out.push('}');
        }
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            ' '..='~' => out.push(c),
            c => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_json_has_no_nan() {
        let value = Json::parse("[NaN, Infinity, -Infinity, 1.0, \"\u{1f600}\"]").unwrap();
        assert_eq!(value.to_strict_json(), r#"[null,null,null,1.0,"\ud83d\ude00"]"#);
        assert_eq!(value.dumps_spaced(), r#"[NaN, Infinity, -Infinity, 1.0, "\ud83d\ude00"]"#);
    }
}
