//! The amount of output: `-q`, `-v`, `-d`.

/// The amount of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Errors only.
    Quiet,
    Normal,
    Verbose,
    Debug,
}
