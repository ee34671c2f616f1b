//! `__rootdirs__`: the columns of a ctable in their order, and invalid column names.

use super::text::{self, bad, required};
use super::{ATTRS_FILE, BcolzError, JOURNAL_FILE, LOCK_FILE, ROOTDIRS_FILE, STAGED_DIR};
use crate::error::{FormatError, Part};
use crate::json::Json;
use std::collections::HashSet;

/// `__rootdirs__`: `{"names": ["a", "b"]}` and a newline. Each name is a directory below the root.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RootDirs {
    /// The names of the columns in their order.
    pub names: Vec<String>,
}

impl RootDirs {
    /// Parses the file. bcolz up to 0.7.1 stored paths of the writing machine in `dirs`; they are ignored.
    ///
    /// # Errors
    ///
    /// [`FormatError::Text`] or [`FormatError::Bcolz`], also for the errors of [`RootDirs::check`].
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        const PART: Part = Part::RootDirs;
        let rootdirs = text::object(bytes, PART)?;
        let found = required(&rootdirs, PART, "names")?;
        let names =
            found.as_array().and_then(|names| names.iter().map(|name| name.as_str().map(String::from)).collect());
        let names = RootDirs { names: names.ok_or_else(|| bad(PART, "names", found, "a list of names"))? };
        names.check()?;
        Ok(names)
    }

    /// Encodes the file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let names = self.names.iter().cloned().map(Json::String).collect();
        text::to_file(vec![("names".into(), Json::Array(names))])
    }

    /// Checks each name with [`check_name`], and that all names are different.
    ///
    /// # Errors
    ///
    /// [`BcolzError::ColumnName`], [`BcolzError::DuplicateColumn`].
    pub fn check(&self) -> Result<(), BcolzError> {
        let mut seen = HashSet::new();
        for name in &self.names {
            check_name(name)?;
            if !seen.insert(name) {
                return Err(BcolzError::DuplicateColumn { name: name.as_str().into() });
            }
        }
        Ok(())
    }
}

/// Most bytes of the name of a directory that file systems take.
const MAX_NAME: usize = 255;

/// Checks that a column name is valid for a directory just below the root. The rules hold on any system, because tables
/// may be moved between systems.
///
/// # Errors
///
/// [`BcolzError::ColumnName`].
///
/// ```
/// use bloscpack_format::bcolz::check_name;
///
/// assert!(check_name("x y.z").is_ok());
/// assert!(check_name("../x").is_err());
/// ```
pub fn check_name(name: &str) -> Result<(), BcolzError> {
    let drive = matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    let why = match name {
        "" => "it is empty",
        "." | ".." => "it is another directory",
        ATTRS_FILE | ROOTDIRS_FILE | JOURNAL_FILE | STAGED_DIR | LOCK_FILE => "it is a file of the table",
        _ if name.contains(['/', '\\']) => "it is a path",
        _ if name.contains('\0') => "it contains a NUL",
        _ if drive => "it starts like the path of a drive",
        _ if name.len() > MAX_NAME => "it has more than 255 bytes",
        _ => return Ok(()),
    };
    Err(BcolzError::ColumnName { name: name.into(), why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_below_the_root() {
        for name in ["a", "data", "meta", "été", "_x", "x y.z", "...", ".a", "a..", "1:2", "g.factor", "~"] {
            check_name(name).unwrap();
        }
        check_name(&"é".repeat(127)).unwrap();
        assert!(check_name(&"é".repeat(128)).is_err());
        for name in ["", ".", "..", "/etc", "a/b", "../a", "a\\b", "\\\\server\\a", "C:", "c:a", "a\0", "__attrs__"] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn refuses_what_is_no_list_of_names() {
        let read = |text: &str| RootDirs::parse(text.as_bytes()).map(|dirs| dirs.names).map_err(|e| e.to_string());
        assert_eq!(read(r#"{"dirs": {"a": "/elsewhere/a"}, "names": ["a"]}"#), Ok(vec!["a".into()]));
        assert_eq!(read(r#"{"names": []}"#), Ok(vec![]));
        assert_eq!(read(r#"{"names": ["a", "a"]}"#), Err("two columns are named \"a\"".into()));
        let not_names = |found: &str| format!("__rootdirs__: \"names\" is {found}, expected a list of names");
        assert_eq!(read(r#"{"names": "ab"}"#), Err(not_names("\"ab\"")));
        assert_eq!(read(r#"{"names": [1, 2]}"#), Err(not_names("[1, 2]")));
        assert_eq!(read(r#"{"dirs": {}}"#), Err("__rootdirs__: \"names\" is missing".into()));
    }
}
