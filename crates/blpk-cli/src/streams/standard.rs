//! Stdin and stdout as files.

use std::fs::File;
use std::io;

/// Returns stdin or stdout without the buffer of the standard library, which is designed for text.
#[cfg(unix)]
pub(super) fn standard(stream: impl std::os::fd::AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
pub(super) fn standard(stream: impl std::os::windows::io::AsHandle) -> io::Result<File> {
    stream.as_handle().try_clone_to_owned().map(File::from)
}
