//! What was built.

use super::compiler::Compiler;
use std::path::PathBuf;

/// What was built.
pub(super) struct Built {
    pub(super) compiler: Compiler,
    /// The folder of the page.
    pub(super) page: PathBuf,
}
