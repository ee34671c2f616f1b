//! Input files: the named files, and with `--recursive` the files in named directories.

use crate::path_or_stdio::PathOrStdio;
use anyhow::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// One input.
#[derive(Debug)]
pub(crate) struct InputFile {
    pub(crate) operand: PathOrStdio,
    /// The named directory in which the input was found. `None` if the input itself was named on the command line.
    pub(crate) root: Option<PathBuf>,
    /// Its path below the named directory, starting with that directory's own name. For a named file, its file name.
    pub(crate) name: PathBuf,
}

impl InputFile {
    /// Returns the size in bytes, if it is known.
    pub(crate) fn size(&self) -> Option<u64> {
        let PathOrStdio::File(path) = &self.operand else { return None };
        path.metadata().ok().filter(fs::Metadata::is_file).map(|found| found.len())
    }

    /// Returns the directories between the input and the named directory, from the innermost one to the named one.
    pub(crate) fn walked_directories(&self) -> impl Iterator<Item = &Path> {
        let (root, path) = match (&self.root, &self.operand) {
            (Some(root), PathOrStdio::File(path)) => (root.as_path(), path.as_path()),
            _ => (Path::new(""), Path::new("")),
        };
        path.ancestors().skip(1).take_while(move |directory| directory.starts_with(root))
    }

    /// Whether the item was found in a directory and is not `wanted`.
    pub(crate) fn is_skipped(&self, wanted: impl FnOnce(&Path) -> bool) -> bool {
        matches!(&self.operand, PathOrStdio::File(path) if self.root.is_some() && !wanted(path))
    }
}

/// Returns the inputs in the order of the names, with the files of a directory sorted. The search ends before any work
/// starts, so that no output becomes an input. `is_one` returns whether a directory is one input rather than a
/// collection of files.
pub(crate) fn items(files: &[PathBuf], recursive: bool, is_one: impl Fn(&Path) -> bool) -> Vec<Result<InputFile>> {
    let mut items = Vec::new();
    for path in files {
        let operand = PathOrStdio::from(path.clone());
        if let PathOrStdio::Url(url) = &operand {
            let name = url.file_name().into();
            items.push(Ok(InputFile { operand, root: None, name }));
            continue;
        }
        if recursive && operand != PathOrStdio::Standard && path.is_dir() && !is_one(path) {
            walk(path, &is_one, &mut items);
        } else {
            let name = path.file_name().map_or_else(|| path.clone(), PathBuf::from);
            items.push(Ok(InputFile { operand, root: None, name }));
        }
    }
    items
}

/// Collects regular files and directories that are one input. Links inside are not followed: they may lead anywhere.
fn walk(root: &Path, is_one: &impl Fn(&Path) -> bool, items: &mut Vec<Result<InputFile>>) {
    // `.` and `..` have no name.
    let own = root.file_name().map(PathBuf::from).unwrap_or_default();
    let mut entries = WalkDir::new(root).sort_by_file_name().into_iter();
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                items.push(Err(unreadable(error, root)));
                continue;
            }
        };
        let (path, kind) = (entry.path(), entry.file_type());
        let is_one = kind.is_dir() && entry.depth() > 0 && is_one(path);
        if is_one {
            entries.skip_current_dir();
        }
        if is_one || kind.is_file() {
            let name = own.join(path.strip_prefix(root).unwrap_or(path));
            items.push(Ok(InputFile {
                operand: PathOrStdio::File(path.to_owned()),
                root: Some(root.to_owned()),
                name,
            }));
        }
    }
}

fn unreadable(error: walkdir::Error, root: &Path) -> Error {
    let reading = format!("reading '{}'", error.path().unwrap_or(root).display());
    match error.io_error() {
        None => Error::from(error).context(reading),
        // The text of `error` would name the path again.
        Some(_) => match error.into_io_error() {
            Some(cause) => Error::from(cause).context(reading),
            None => Error::msg(reading),
        },
    }
}

/// Returns the total size of all inputs in bytes, if every size is known.
pub(crate) fn total(items: &[Result<InputFile>]) -> Option<u64> {
    items.iter().flatten().map(InputFile::size).try_fold(0_u64, |sum, size| Some(sum.saturating_add(size?)))
}
