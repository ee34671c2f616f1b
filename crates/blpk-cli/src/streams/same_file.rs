//! Detects outputs that are their own inputs.

#[cfg(unix)]
use super::standard::standard;
use crate::path_or_stdio::PathOrStdio;
use anyhow::{Result, bail};
use std::fs;
use std::io;
use std::path::Path;
#[cfg(not(unix))]
use std::path::PathBuf;

/// Refuses an output that is the input, is inside it, or contains it: writing the output would destroy the input.
pub(crate) fn refuse_same_file(input: &PathOrStdio, output: &PathOrStdio) -> Result<()> {
    if let (PathOrStdio::File(read), PathOrStdio::File(path)) = (input, output)
        && let Ok(read) = read.canonicalize()
    {
        // The target of a link, or otherwise the path where the output would be created.
        let there = path.canonicalize();
        if there.as_ref().is_ok_and(|there| there.is_dir() && read != *there && read.starts_with(there)) {
            bail!("input '{input}' is in output '{output}', which would be replaced; name another output");
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if read.is_dir() && there.or_else(|_| parent.canonicalize()).is_ok_and(|operand| operand.starts_with(read)) {
            bail!("output '{output}' is, or is in, input '{input}'; name another output");
        }
    }
    let same = match (identity(input, io::stdin()), identity(output, io::stdout())) {
        (Some(input), Some(output)) => input == output,
        _ => false,
    };
    if same {
        bail!("input '{input}' and output '{output}' are the same file; name another output");
    }
    Ok(())
}

/// Returns device and inode, which identify a regular file.
#[cfg(unix)]
fn identity(operand: &PathOrStdio, stream: impl std::os::fd::AsFd) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = match operand {
        PathOrStdio::Standard => standard(stream).and_then(|file| file.metadata()),
        PathOrStdio::File(path) => fs::metadata(path),
        PathOrStdio::Url(_) => return None,
    };
    metadata.ok().filter(fs::Metadata::is_file).map(|found| (found.dev(), found.ino()))
}

/// On other systems, the standard library has no identity of files, so full paths are compared.
#[cfg(not(unix))]
fn identity<S>(operand: &PathOrStdio, _: S) -> Option<PathBuf> {
    match operand {
        PathOrStdio::Standard | PathOrStdio::Url(_) => None,
        PathOrStdio::File(path) => fs::canonicalize(path).ok(),
    }
}
