//! Where everything is: the crate, the folder of what is built.

use crate::metadata;
use anyhow::Result;
use std::path::PathBuf;

/// The folder of the crate.
pub(super) const CRATE: &str = "crates/blpk-web";

/// The folder of everything that is built here.
pub(super) fn target() -> Result<PathBuf> {
    Ok(metadata::target_directory()?.join("web"))
}
