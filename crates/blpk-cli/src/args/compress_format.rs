//! The formats that `compress` writes.

/// The format of the outputs of `compress`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum CompressFormat {
    /// A bloscpack file.
    #[default]
    Blp,
    /// A contiguous Blosc2 frame.
    B2frame,
}

impl CompressFormat {
    /// Returns the extension of such files.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            CompressFormat::Blp => ".blp",
            CompressFormat::B2frame => ".b2frame",
        }
    }
}
