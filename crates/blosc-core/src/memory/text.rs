//! Fallible allocation of strings: copies, growth and formatting.

use core::fmt;
use std::borrow::Cow;

use super::{OutOfMemory, extend, with_capacity};

/// Returns a copy of `text`.
///
/// # Errors
/// [`OutOfMemory`].
#[inline]
pub fn text_of(text: &str) -> Result<String, OutOfMemory> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len()).map_err(|_| OutOfMemory::new(text.len()))?;
    copy.push_str(text);
    Ok(copy)
}

/// Appends `more` to `text`.
///
/// # Errors
/// [`OutOfMemory`].
#[inline]
pub fn push_str(text: &mut String, more: &str) -> Result<(), OutOfMemory> {
    if text.capacity() - text.len() < more.len() {
        let nbytes = text.len().saturating_add(more.len());
        let exactly = |text: &mut String| text.try_reserve_exact(more.len());
        text.try_reserve(more.len()).or_else(|_| exactly(text)).map_err(|_| OutOfMemory::new(nbytes))?;
    }
    text.push_str(more);
    Ok(())
}

/// Decodes `bytes` as UTF-8 with U+FFFD in place of invalid sequences, like [`String::from_utf8_lossy`].
///
/// # Errors
/// [`OutOfMemory`].
pub fn lossy(bytes: &[u8]) -> Result<Cow<'_, str>, OutOfMemory> {
    if let Ok(text) = str::from_utf8(bytes) {
        return Ok(Cow::Borrowed(text));
    }
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        push_str(&mut text, chunk.valid())?;
        push_str(&mut text, if chunk.invalid().is_empty() { "" } else { "\u{fffd}" })?;
    }
    Ok(Cow::Owned(text))
}

/// Formats `arguments` like `format!`.
///
/// # Errors
/// [`OutOfMemory`].
pub fn format(arguments: fmt::Arguments<'_>) -> Result<String, OutOfMemory> {
    let mut text = Text::default();
    // A `Display` that fails by itself breaks the contract of `fmt::Error`. The text written so far is returned.
    let _ = fmt::Write::write_fmt(&mut text, arguments);
    text.finish()
}

/// A string under construction. Writing fails when the system refuses memory; [`Text::finish`] reports the size.
#[derive(Debug, Default)]
pub struct Text {
    text: String,
    refused: Option<OutOfMemory>,
}

impl Text {
    /// Returns the text that was written.
    ///
    /// # Errors
    /// [`OutOfMemory`] if a write failed.
    pub fn finish(self) -> Result<String, OutOfMemory> {
        match self.refused {
            None => Ok(self.text),
            Some(refused) => Err(refused),
        }
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.refused.is_none() {
            self.refused = push_str(&mut self.text, more).err();
        }
        if self.refused.is_none() { Ok(()) } else { Err(fmt::Error) }
    }
}

/// Concatenates the items of `parts`.
///
/// # Errors
/// [`OutOfMemory`].
pub fn concat<T: Clone>(parts: &[&[T]]) -> Result<Vec<T>, OutOfMemory> {
    let mut all = with_capacity(parts.iter().map(|part| part.len()).fold(0, usize::saturating_add))?;
    parts.iter().try_for_each(|part| extend(&mut all, part))?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_standard_library() {
        assert_eq!(text_of("é").unwrap(), "é");
        assert_eq!(format(format_args!("{}-{:03}", "a", 7)).unwrap(), "a-007");
        for bytes in [b"abc".as_slice(), b"", b"a\xffb\xe2\x82", "\u{fffd}\u{1f600}".as_bytes(), b"\xf0\x9f\x98c"] {
            assert_eq!(lossy(bytes).unwrap(), String::from_utf8_lossy(bytes));
        }
        assert_eq!(concat(&[&[1, 2], &[], &[3]]).unwrap(), [1, 2, 3]);
    }

    #[test]
    fn a_refused_write_stays_refused() {
        let mut text = Text { text: String::new(), refused: Some(OutOfMemory::new(9)) };
        assert!(fmt::Write::write_str(&mut text, "a").is_err());
        assert_eq!(text.finish(), Err(OutOfMemory::new(9)));
    }
}
