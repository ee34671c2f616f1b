//! The layout of all help texts.

/// The layout of the original's help: usage first.
pub(super) const HELP: &str = "usage: {usage}\n\n{about}\n\n{all-args}{after-help}";
