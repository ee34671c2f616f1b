//! What becomes of lost rows.

/// What becomes of rows that are lost in the middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gaps {
    /// The array ends in front of them.
    #[default]
    Trim,
    /// They get the default value, as far as chunk files go.
    Fill,
}
