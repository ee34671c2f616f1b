//! The results of a build.

use super::compiler::Compiler;
use std::path::PathBuf;

/// The results of a build.
pub(super) struct Built {
    pub(super) compiler: Compiler,
    /// The folder of the page.
    pub(super) page: PathBuf,
}
