//! File names: extensions, output names derived from input names, and words of a shell.

use crate::path_or_stdio::PathOrStdio;
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

/// Returns the name of a container with the content of another one: in this directory, and not that of the other.
pub(crate) fn of_new_container(old: &PathOrStdio, extension: &str) -> Vec<u8> {
    let name = old.bytes().rsplit(|byte| std::path::is_separator(char::from(*byte))).find(|part| !part.is_empty());
    let name = name.unwrap_or_default();
    let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0);
    let stem = &name[..dot.unwrap_or(name.len())];
    [stem, b".new", extension.as_bytes()].concat()
}

/// Quotes a file name for a shell if necessary. One that starts with a dash gets `./` in front, so that it is not taken
/// for an option.
pub(crate) fn quoted_name(name: &[u8]) -> String {
    match name {
        b"-" => quoted(name),
        [b'-', ..] => quoted(&[b"./", name].concat()),
        _ => quoted(name),
    }
}

/// Quotes a word for a shell if necessary. One that is not text is quoted for bash, ksh and zsh.
pub(crate) fn quoted(word: &[u8]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./,:+@%=".contains(c);
    match str::from_utf8(word) {
        Ok(word) if !word.is_empty() && word.chars().all(is_plain) => word.to_owned(),
        Ok(word) => format!("'{}'", word.replace('\'', r"'\''")),
        Err(_) => {
            format!("$'{}'", word.iter().flat_map(|byte| byte.escape_ascii()).map(char::from).collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_not_text_are_quoted_too() {
        for (word, expected) in [(&b"a b"[..], "'a b'"), (b"a\xff9 '", r"$'a\xff9 \''"), (b"", "''"), (b"-a", "-a")] {
            assert_eq!(quoted(word), expected);
        }
        assert_eq!(quoted_name(b"-\xff"), r"$'./-\xff'");
    }

    #[test]
    fn new_containers_are_not_the_old_ones() {
        for (old, expected) in [("x/a.npy", "a.new.blp"), ("d.bcolz/", "d.new.blp"), (".hidden", ".hidden.new.blp")] {
            assert_eq!(of_new_container(&PathBuf::from(old).into(), EXTENSION), expected.as_bytes(), "{old}");
        }
    }
}
