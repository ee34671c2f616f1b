//! Base64 with padding, RFC 4648 section 4. The decoder accepts only the encoder's output.

use blosc_core::{OutOfMemory, memory};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes bytes as text.
pub fn encode(bytes: &[u8]) -> Result<String, OutOfMemory> {
    let len = bytes.len().div_ceil(3) * 4;
    let mut text = String::new();
    text.try_reserve_exact(len).map_err(|_| OutOfMemory::new(len))?;
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= group.len() { char::from(digit) } else { '=' });
        }
    }
    Ok(text)
}

/// Decodes text, if [`encode`] would produce exactly this text.
pub fn decode(text: &str) -> Result<Option<Vec<u8>>, OutOfMemory> {
    if !text.len().is_multiple_of(4) {
        return Ok(None);
    }
    let digits = text.trim_end_matches('=');
    let mut bytes = memory::with_capacity(text.len() / 4 * 3)?;
    let (mut bits, mut count) = (0_u32, 0);
    for digit in digits.bytes() {
        let Some(value) = value(digit) else { return Ok(None) };
        bits = bits << 6 | value;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    let padding = text.len() - digits.len();
    let expected = (4 - digits.len() % 4) % 4;
    Ok((bits == 0 && padding == expected && padding < 3).then_some(bytes))
}

fn value(digit: u8) -> Option<u32> {
    Some(match digit {
        b'A'..=b'Z' => (digit - b'A').into(),
        b'a'..=b'z' => u32::from(digit - b'a') + 26,
        b'0'..=b'9' => u32::from(digit - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_rfc() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(encode(bytes.as_bytes()).unwrap(), text);
            assert_eq!(decode(text).unwrap().as_deref(), Some(bytes.as_bytes()));
        }
        for text in ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "Zg==Zg==", "Zm 8", "Zm-8"] {
            assert_eq!(decode(text), Ok(None), "{text}");
        }
    }
}
