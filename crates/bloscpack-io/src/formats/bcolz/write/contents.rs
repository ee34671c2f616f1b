//! Whether a directory holds nothing but a carray or a ctable.

use std::io;
use std::path::Path;

use bloscpack_format::Format;
use bloscpack_format::bcolz::{
    ATTRS_FILE, DATA_DIR, JOURNAL_FILE, LOCK_FILE, META_DIR, ROOTDIRS_FILE, SIZES_FILE, STAGED_DIR, STORAGE_FILE,
    chunk_file_number,
};

use crate::formats::bcolz::local::LocalDirectory;
use crate::formats::bcolz::root::format_of;
use crate::fs::contents::{holds_only, holds_only_files};

/// Returns whether a directory holds a carray or a ctable and nothing else. A column that a table does not list belongs
/// to it: the table may have been interrupted while the column was added or removed.
pub(super) fn holds_only_bcolz(path: &Path) -> io::Result<bool> {
    match format_of(&LocalDirectory::new(path))? {
        Some(Format::Carray) => is_column(path),
        Some(Format::Ctable) => holds_only(path, &|name| name == ROOTDIRS_FILE || is_of_root(name), &|path, name| {
            if name == STAGED_DIR { is_staged(path) } else { is_column(path) }
        }),
        _ => Ok(false),
    }
}

/// Returns whether a directory holds only files of a carray.
fn is_column(path: &Path) -> io::Result<bool> {
    holds_only(path, &is_of_root, &|path, name| match name {
        META_DIR => {
            holds_only_files(path, &|name| [STORAGE_FILE, SIZES_FILE].contains(&&*format!("{META_DIR}/{name}")))
        }
        DATA_DIR => holds_only_files(path, &|name| chunk_file_number(name).is_some()),
        STAGED_DIR => is_staged(path),
        _ => Ok(false),
    })
}

fn is_of_root(name: &str) -> bool {
    [ATTRS_FILE, LOCK_FILE, JOURNAL_FILE].contains(&name)
}

/// Returns whether a directory holds only numbered files and columns.
fn is_staged(path: &Path) -> io::Result<bool> {
    let is_number = |name: &str| name.parse::<u64>().is_ok();
    holds_only(path, &is_number, &|path, name| Ok(is_number(name) && is_column(path)?))
}
