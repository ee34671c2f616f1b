//! File names: extensions, output names derived from input names, and words of a shell.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The extension of bloscpack files.
pub(crate) const EXTENSION: &str = ".blp";

/// Whether a name ends with `.blp`.
pub(crate) fn has_extension(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(EXTENSION.as_bytes())
}

/// Returns the name with an extension appended.
pub(crate) fn with_extension(path: &Path, extension: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(extension);
    name.into()
}

/// Returns the name of the uncompressed file: the name without an extension that marks a compressed file.
pub(crate) fn without_extension(path: &Path) -> PathBuf {
    if has_our_name(path) { path.with_extension("") } else { path.to_owned() }
}

/// Whether a name has one of our extensions, whatever the file holds.
pub(crate) fn has_our_name(path: &Path) -> bool {
    let extension = path.extension().and_then(std::ffi::OsStr::to_str);
    extension.is_some_and(|extension| ["blp", "b2frame", "b2f", "b2", "b2nd"].contains(&extension))
}

/// Whether a name ends with a path separator, as only names of directories do.
pub(crate) fn is_directory_name(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().last().is_some_and(|last| std::path::is_separator(char::from(*last)))
}

/// Quotes a word for a shell if necessary. A name that starts with a dash gets `./` in front, so that it is not taken
/// for an option.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./,:+@%=".contains(c);
    let word = if word.starts_with('-') && word != "-" { format!("./{word}") } else { word.to_owned() };
    if !word.is_empty() && word.chars().all(is_plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
