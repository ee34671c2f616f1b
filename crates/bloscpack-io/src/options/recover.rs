//! How to salvage a damaged container.

use blosc_core::Limits;

use crate::Cancel;

/// What becomes of rows that are lost in the middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gaps {
    /// The array ends in front of them.
    #[default]
    Trim,
    /// They get the default value, as far as chunk files go.
    Fill,
}

/// How to salvage a damaged container.
#[derive(Debug, Clone, Default)]
pub struct RecoverOptions {
    pub(crate) limits: Limits,
    pub(crate) cancel: Cancel,
    pub(crate) overwrite: bool,
    pub(crate) gaps: Gaps,
}

impl RecoverOptions {
    /// Default limits; an output that exists is refused; a carray ends before the first lost row.
    pub fn new() -> Self {
        RecoverOptions::default()
    }

    /// What becomes of lost rows of bcolz.
    pub fn gaps(mut self, gaps: Gaps) -> Self {
        self.gaps = gaps;
        self
    }
}
