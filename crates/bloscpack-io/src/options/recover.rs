//! Options for salvaging a damaged container.

use blosc_core::Limits;

use crate::Cancel;

/// The content of a salvaged carray or ctable where rows are lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gaps {
    /// Nothing: the array ends before the first lost row.
    #[default]
    Trim,
    /// The default value, up to the last chunk file.
    Fill,
}

/// Options for salvaging a damaged container.
#[derive(Debug, Clone, Default)]
pub struct RecoverOptions {
    pub(crate) limits: Limits,
    pub(crate) cancel: Cancel,
    pub(crate) overwrite: bool,
    pub(crate) gaps: Gaps,
}

impl RecoverOptions {
    /// Default limits. An existing output is refused. A carray ends before the first lost row.
    pub fn new() -> Self {
        RecoverOptions::default()
    }

    /// The content of a carray or ctable where rows are lost. Other containers ignore it.
    pub fn gaps(mut self, gaps: Gaps) -> Self {
        self.gaps = gaps;
        self
    }
}
