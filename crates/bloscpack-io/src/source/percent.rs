//! Percent-encoding of names in URLs.

#[cfg(feature = "remote")]
use std::fmt::Write as _;

/// Percent-encodes everything but letters, digits and `-._~`, and `/` in paths.
#[cfg(feature = "remote")]
pub(crate) fn encode(text: &str, is_path: bool) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte.into()),
            b'/' if is_path => encoded.push('/'),
            _ => _ = write!(encoded, "%{byte:02X}"),
        }
    }
    encoded
}

/// Decodes percent-encoding, and `+` in forms. Bytes that are not text are replaced.
pub(crate) fn decode(text: &str, is_form: bool) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let byte =
            digits.filter(|digits| !digits.starts_with('+')).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(if is_form && first == b'+' { b' ' } else { first }));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "remote")]
    #[test]
    fn encoding_keeps_what_signatures_keep() {
        assert_eq!(encode("a/b c+ä~", true), "a/b%20c%2B%C3%A4~");
        assert_eq!(encode("a/b", false), "a%2Fb");
    }

    #[test]
    fn decoding_keeps_what_is_no_code() {
        assert_eq!(decode("a%2fb%zz%%+", false), "a/b%zz%%+");
        assert_eq!(decode("a+b%+1", true), "a b% 1");
    }
}
