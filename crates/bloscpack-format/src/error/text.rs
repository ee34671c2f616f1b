//! Syntax errors of JSON and of Python literals.

use std::fmt;

/// A syntax error. The surrounding error has its byte offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextProblem {
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The text ends too early.
    UnexpectedEnd,
    /// No value can continue with this character.
    Unexpected(char),
    /// The value is complete, but more text follows.
    TrailingData,
    /// A string contains an unescaped control character.
    ControlCharacter(char),
    /// A `\` is not followed by a known escape.
    BadEscape,
    /// Lists are nested deeper than this.
    TooDeep(usize),
    /// An integer does not fit the 64 bits that are required here.
    IntegerTooLarge,
}

impl std::error::Error for TextProblem {}

impl fmt::Display for TextProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => f.write_str("not UTF-8"),
            Self::UnexpectedEnd => f.write_str("the text is truncated"),
            Self::Unexpected(c) => write!(f, "unexpected {c:?}"),
            Self::TrailingData => f.write_str("there is more text after the value"),
            Self::ControlCharacter(c) => write!(f, "unescaped control character {c:?}"),
            Self::BadEscape => f.write_str("invalid escape"),
            Self::TooDeep(limit) => write!(f, "nested more than {limit} deep"),
            Self::IntegerTooLarge => f.write_str("the integer does not fit into 64 bits"),
        }
    }
}
