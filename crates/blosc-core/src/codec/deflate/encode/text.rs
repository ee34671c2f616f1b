//! Tells text from other data.

/// Number of bytes looked at.
const SAMPLES: usize = 256;

/// Returns whether some bytes, spread over all of `src`, are printable ASCII characters or white space. False for no
/// bytes.
pub(super) fn is_text(src: &[u8]) -> bool {
    let step = src.len() / SAMPLES + 1;
    !src.is_empty() && src.iter().step_by(step).all(|byte| matches!(byte, b'\t'..=b'\r' | b' '..=b'~'))
}
