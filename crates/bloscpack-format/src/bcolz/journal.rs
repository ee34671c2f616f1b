//! `__pending__`: the journal of an unfinished change, and the paths it may name.
//!
//! A change of more than one file is made in four steps:
//!
//! 1. Write the new files to numbered files in `__staged__`.
//! 2. Create this journal. The change is committed when the file appears.
//! 3. Move each staged file to its name.
//! 4. Delete the journal.
//!
//! A process that finds the journal replays it, or reads the directory as if it were applied. bcolz does not know this
//! file.

use super::text::{self, bad, count, json_count, required};
use super::{
    ATTRS_FILE, DATA_DIR, META_DIR, ROOTDIRS_FILE, SIZES_FILE, STAGED_DIR, STORAGE_FILE, check_name, chunk_file_number,
};
use crate::error::{FormatError, Part};
use crate::json::Json;

/// `__pending__`: a JSON object with `version`, `steps` and `sizes`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Journal {
    /// The steps, in this order. Any of them may already have been applied.
    pub steps: Vec<JournalStep>,
    /// The `meta/sizes` files before and after, which show whether the directory was changed since.
    pub sizes: Vec<SizesChange>,
}

/// One step of a change. No two steps concern the same path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalStep {
    /// Move a staged file or directory.
    Move {
        /// The number of the staged file or directory.
        from: u64,
        /// The new name: a file of the format, or a column.
        to: String,
    },
    /// Remove a chunk file.
    Remove {
        /// The chunk file.
        path: String,
    },
    /// Rename a column.
    RenameColumn {
        /// The old name.
        from: String,
        /// The new name.
        to: String,
    },
    /// Remove a column.
    RemoveColumn {
        /// Its name.
        name: String,
    },
}

/// The content of a `meta/sizes` before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizesChange {
    /// The file.
    pub path: String,
    /// The content before the change.
    pub before: String,
    /// The content after the change.
    pub after: String,
}

const PART: Part = Part::Journal;

/// The only version defined.
const VERSION: u64 = 1;

impl Journal {
    /// Parses the file. Every path in it is checked to be one of a bcolz directory.
    ///
    /// # Errors
    ///
    /// [`FormatError::Text`] or [`FormatError::Bcolz`].
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let journal = text::object(bytes, PART)?;
        let version = required(&journal, PART, "version")?;
        if count(version) != Some(VERSION) {
            return Err(bad(PART, "version", version, "1").into());
        }
        Ok(Journal {
            steps: list(&journal, "steps", "a list of steps", step)?,
            sizes: list(&journal, "sizes", "a list of meta/sizes before and after", sizes_change)?,
        })
    }

    /// Encodes the file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let string = |text: &str| Json::String(text.into());
        let steps = self.steps.iter().map(|step| {
            Json::Array(match step {
                JournalStep::Move { from, to } => vec![string("move"), json_count(*from), string(to)],
                JournalStep::Remove { path } => vec![string("remove"), string(path)],
                JournalStep::RenameColumn { from, to } => vec![string("rename"), string(from), string(to)],
                JournalStep::RemoveColumn { name } => vec![string("drop"), string(name)],
            })
        });
        let sizes = self.sizes.iter();
        let sizes =
            sizes.map(|sizes| Json::Array([&sizes.path, &sizes.before, &sizes.after].map(|text| string(text)).into()));
        text::to_file(vec![
            ("version".into(), json_count(VERSION)),
            ("steps".into(), Json::Array(steps.collect())),
            ("sizes".into(), Json::Array(sizes.collect())),
        ])
    }
}

/// Returns the path of a staged file or directory, below the root.
#[must_use]
pub fn staged_name(number: u64) -> String {
    format!("{STAGED_DIR}/{number}")
}

fn list<T>(
    journal: &Json,
    key: &'static str,
    expected: &'static str,
    read: impl Fn(&[Json]) -> Option<T>,
) -> Result<Vec<T>, FormatError> {
    let found = required(journal, PART, key)?;
    let items = found.as_array().ok_or_else(|| bad(PART, key, found, expected))?;
    let read = |item: &Json| item.as_array().and_then(&read).ok_or_else(|| bad(PART, key, item, expected).into());
    items.iter().map(read).collect()
}

fn step(words: &[Json]) -> Option<JournalStep> {
    let column = |name: &Json| name.as_str().filter(|name| check_name(name).is_ok()).map(String::from);
    let (kind, rest) = words.split_first()?;
    Some(match (kind.as_str()?, rest) {
        ("move", [from, to]) => {
            let to = to.as_str().filter(|to| check_name(to).is_ok() || kind_of(to).is_some())?;
            JournalStep::Move { from: count(from)?, to: to.into() }
        }
        ("remove", [path]) => {
            let path = path.as_str().filter(|path| kind_of(path) == Some(FileKind::Chunk))?;
            JournalStep::Remove { path: path.into() }
        }
        ("rename", [from, to]) => JournalStep::RenameColumn { from: column(from)?, to: column(to)? },
        ("drop", [name]) => JournalStep::RemoveColumn { name: column(name)? },
        _ => return None,
    })
}

fn sizes_change(words: &[Json]) -> Option<SizesChange> {
    let [path, before, after] = words else { return None };
    let path = path.as_str().filter(|path| kind_of(path) == Some(FileKind::Sizes))?;
    Some(SizesChange { path: path.into(), before: before.as_str()?.into(), after: after.as_str()?.into() })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Chunk,
    Sizes,
    Other,
}

/// Returns the kind of the carray or ctable file at this path below the root; `None` for any other path.
fn kind_of(path: &str) -> Option<FileKind> {
    let of_carray = |path: &str| match path {
        SIZES_FILE => Some(FileKind::Sizes),
        STORAGE_FILE | ATTRS_FILE => Some(FileKind::Other),
        _ => {
            let name = path.strip_prefix(DATA_DIR)?.strip_prefix('/')?;
            chunk_file_number(name).map(|_| FileKind::Chunk)
        }
    };
    match path.split_once('/') {
        None if path == ROOTDIRS_FILE => Some(FileKind::Other),
        // The contents of these directories belong to a carray, not to a column of that name.
        Some((DATA_DIR | META_DIR, _)) if of_carray(path).is_some() => of_carray(path),
        Some((column, rest)) => check_name(column).ok().and_then(|()| of_carray(rest)),
        None => of_carray(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_back() {
        let step = |to: &str| JournalStep::Move { from: u64::MAX, to: to.into() };
        let journal = Journal {
            steps: vec![
                step("data/__12.blp"),
                step("data/data/__0.blp"),
                step("x y\n/meta/sizes"),
                step("meta/storage"),
                step("__attrs__"),
                step("data/__attrs__"),
                step("__rootdirs__"),
                step("été"),
                JournalStep::Remove { path: "close/data/__3.blp".into() },
                JournalStep::RenameColumn { from: "a".into(), to: "b".into() },
                JournalStep::RemoveColumn { name: "meta".into() },
            ],
            sizes: vec![SizesChange { path: "a/meta/sizes".into(), before: "{}\n".into(), after: String::new() }],
        };
        assert_eq!(Journal::parse(&journal.to_bytes()), Ok(journal));
        assert_eq!(Journal::parse(&Journal::default().to_bytes()), Ok(Journal::default()));
    }

    /// Only the files of the format are ever moved or removed.
    #[test]
    fn no_other_paths() {
        let paths = [
            "",
            ".",
            "..",
            "/",
            "/etc/passwd",
            "../x",
            "a/../b",
            "a/b/c",
            "a/meta/other",
            "data/__0.blp.x",
            "data/__-1.blp",
            "a/__rootdirs__",
            "__lock__",
            "__staged__",
            "__pending__",
            "__staged__/data/__0.blp",
            "../meta/sizes",
            "a\\b",
            "./meta/sizes",
            "meta//sizes",
            "a//meta/sizes",
            "C:/meta/sizes",
            "data/__00.blp",
            "a/b/meta/sizes",
            "a\0",
        ];
        let parse = |text: String| Journal::parse(text.as_bytes());
        for path in paths {
            let path = Json::String(path.into()).dumps();
            for step in [
                format!("[\"move\", 1, {path}]"),
                format!("[\"remove\", {path}]"),
                format!("[\"rename\", \"a\", {path}]"),
                format!("[\"rename\", {path}, \"a\"]"),
                format!("[\"drop\", {path}]"),
            ] {
                let text = format!("{{\"version\": 1, \"steps\": [{step}], \"sizes\": []}}");
                assert!(parse(text).is_err(), "{step}");
            }
            let text = format!("{{\"version\": 1, \"steps\": [], \"sizes\": [[{path}, \"\", \"\"]]}}");
            assert!(parse(text).is_err(), "{path}");
        }
        for step in [
            "[]",
            "1",
            "[\"move\"]",
            "[\"move\", -1, \"a\"]",
            "[\"move\", \"1\", \"a\"]",
            "[\"move\", 1, \"a\", 2]",
            "[\"remove\", \"meta/sizes\"]",
            "[\"remove\", \"a\"]",
            "[\"other\", \"a\"]",
            "[\"drop\", \"a/b\"]",
        ] {
            assert!(parse(format!("{{\"version\": 1, \"steps\": [{step}], \"sizes\": []}}")).is_err(), "{step}");
        }
        assert!(parse("{\"version\": 2, \"steps\": [], \"sizes\": []}".into()).is_err());
        assert!(parse("{\"version\": 1, \"steps\": []}".into()).is_err());
    }
}
