//! Remove and rename files and directories of frames.

use std::ffi::{c_char, c_int};
use std::fs;
use std::io;
use std::path::Path;

use crate::blosc2::codes::{FAILURE, FILE_OPEN, FILE_REMOVE, INVALID_PARAM, trace};
use crate::blosc2::schunk::{lock_path, path_of};
use crate::exports::guard::zero_or_code;
use crate::exports::pointers::text;

/// Returns `code` for an error, after its reason was printed.
fn or_code(done: io::Result<()>, path: &Path, code: i32) -> Result<(), i32> {
    done.map_err(|error| trace(code, format_args!("{}: {error}", path.display())))
}

/// Removes a directory and the files in it. Returns 0, or a code.
///
/// # Safety
/// `path` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_remove_dir(path: *const c_char) -> c_int {
    zero_or_code(|| {
        // SAFETY: the caller's promise.
        match unsafe { text(path) } {
            Some(path) if !path.is_empty() => remove_directory(&path_of(path)),
            _ => Err(INVALID_PARAM),
        }
    })
}

/// Removes files only: a directory in a frame is not part of it.
fn remove_directory(path: &Path) -> Result<(), i32> {
    let Ok(entries) = fs::read_dir(path) else {
        return Err(trace(FILE_OPEN, format_args!("{} is not a directory", path.display())));
    };
    let mut removed = entries.map(|entry| fs::remove_file(entry?.path()));
    let removed = removed.try_for_each(|removed| removed).and_then(|()| fs::remove_dir(path));
    or_code(removed, path, FILE_REMOVE)
}

/// Removes a file or a directory of a frame. Returns 0, also if there is none, or a code.
///
/// # Safety
/// As [`blosc2_remove_dir`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_remove_urlpath(path: *const c_char) -> c_int {
    zero_or_code(|| {
        // SAFETY: the caller's promise.
        let Some(path) = (unsafe { text(path) }) else { return Ok(()) };
        let path = path_of(path);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => remove_directory(&path),
            Ok(_) => {
                let removed = fs::remove_file(&path);
                if removed.is_ok() {
                    // Best effort: most frames have no lock file.
                    let _ = fs::remove_file(lock_path(&path));
                }
                or_code(removed, &path, FILE_REMOVE)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => or_code(Err(error), &path, FILE_REMOVE),
        }
    })
}

/// Renames a file or a directory. Returns 0, or a code.
///
/// # Safety
/// Both are null or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_rename_urlpath(old_urlpath: *mut c_char, new_path: *mut c_char) -> c_int {
    zero_or_code(|| {
        // SAFETY: the caller's promise.
        match unsafe { (text(old_urlpath), text(new_path)) } {
            (Some(from), Some(to)) => {
                let from = path_of(from);
                or_code(fs::rename(&from, path_of(to)), &from, FAILURE)
            }
            _ => Ok(()),
        }
    })
}
