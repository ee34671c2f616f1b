//! Shared libraries that the races load, from the wheels of the reference packages.

use crate::sh;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// Prints the path of C-Blosc2's library, then that of C-Blosc 1, one per line. A missing library is an empty line.
const FIND: &str = "
import blosc2, glob, os, sys
print(next(iter(glob.glob(os.path.join(os.path.dirname(blosc2.__file__), 'lib', 'libblosc2.so.*'))), ''))
print(next(iter(glob.glob(os.path.join(sys.prefix, 'lib', 'libblosc.so.1'))), ''))
";

/// Returns the options that pass these libraries to the race program.
pub(super) fn libraries(python: &Path) -> Result<Vec<PathBuf>> {
    let found = sh::capture(sh::command(python).args(["-c", FIND]))?;
    let (blosc2, blosc1) = found.trim_end_matches('\n').split_once('\n').unwrap_or((&found, ""));
    if blosc2.is_empty() {
        bail!("the blosc2 wheel in the venv has no libblosc2.so");
    }
    let mut options: Vec<PathBuf> = vec!["--blosc2".into(), blosc2.into()];
    if !blosc1.is_empty() {
        options.extend(["--blosc1".into(), blosc1.into()]);
    }
    Ok(options)
}
