//! Error messages that name their file.

use crate::path_or_stdio::PathOrStdio;
use std::fmt;

/// An error message, with the name of the file that it mentions.
#[derive(Debug)]
pub(crate) struct FileMessage {
    message: String,
    file: String,
}

impl FileMessage {
    pub(crate) fn new(file: &PathOrStdio, message: String) -> FileMessage {
        FileMessage { message, file: file.to_string() }
    }

    /// The name of the file.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }
}

impl fmt::Display for FileMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
