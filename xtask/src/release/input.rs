//! Reads the files that go into the tarball, with their paths in errors.

use anyhow::{Context, Result};
use std::path::Path;

/// Returns the contents of the file at `path`.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| path.display().to_string())
}
