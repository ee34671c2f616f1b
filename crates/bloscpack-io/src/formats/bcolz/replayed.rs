//! Reads a directory through its unapplied journal: staged files shadow the files that they will replace.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use blosc_core::Limits;
use bloscpack_format::bcolz::{JOURNAL_FILE, Journal, JournalStep, STAGED_DIR, STORAGE_FILE, staged_name};

use super::store::read_meta;
use super::store::{JOURNAL_TIMES, read_small};
use crate::source::{ReadAt, ReadDirectory};
use crate::{Error, OpenOptions};

/// A view of a directory with any interrupted change applied. Read-only.
#[derive(Debug, Clone)]
pub struct Replayed<D> {
    dir: D,
    moves: Moves,
}

impl<D: ReadDirectory> Replayed<D> {
    /// Checks for a journal. The common case is one failed `open`.
    ///
    /// # Errors
    /// [`Error::InFile`] if the journal is damaged; [`Error::Pending`] if a file that it needs is missing, or if
    /// another process has changed the directory since.
    pub fn open(dir: D) -> Result<Self, Error> {
        Replayed::open_with(dir, &OpenOptions::new())
    }

    /// [`Replayed::open`] with other options.
    ///
    /// # Errors
    /// As [`Replayed::open`].
    pub fn open_with(dir: D, options: &OpenOptions) -> Result<Self, Error> {
        let moves = Moves::read(&dir, &options.limits)?;
        Ok(Replayed { dir, moves })
    }

    /// Returns the underlying directory.
    pub fn directory(&self) -> &D {
        &self.dir
    }

    fn at<T>(&self, path: &str, act: impl Fn(&str) -> io::Result<T>) -> io::Result<T> {
        match self.moves.find(path) {
            None => act(path),
            Some(None) => Err(io::ErrorKind::NotFound.into()),
            // A concurrent replay may already have moved this file.
            Some(Some(from)) => match act(&from) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => act(path),
                done => done,
            },
        }
    }
}

/// The current path of each file or column that will be moved. `None` for those that will be removed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moves(Option<Arc<HashMap<String, Option<String>>>>);

impl Moves {
    /// Reads the remaining moves from the journal of a directory.
    pub(crate) fn read(dir: &dyn ReadDirectory, limits: &Limits) -> Result<Moves, Error> {
        let Some(journal) = read_journal(dir, limits)? else { return Ok(Moves::default()) };
        check(dir, &journal, limits)?;
        let mut moved = HashMap::new();
        for step in journal.steps {
            match step {
                JournalStep::Move { from, to } => moved.insert(to, Some(staged_name(from))),
                JournalStep::Remove { path } => moved.insert(path, None),
                JournalStep::RemoveColumn { name } => moved.insert(name, None),
                JournalStep::RenameColumn { from, to } => {
                    moved.insert(from.clone(), None);
                    moved.insert(to, Some(from))
                }
            };
        }
        Ok(Moves(Some(Arc::new(moved))))
    }

    /// Returns the approximate size of metadata that, as values, would take the same memory.
    pub(crate) fn weight(&self) -> u64 {
        let paths = self.0.iter().flat_map(|moved| moved.keys());
        paths.map(|path| 8 + path.len() as u64 / 16).sum()
    }

    /// Refuses a directory with an interrupted change, whose files will move.
    ///
    /// # Errors
    /// [`Error::Pending`].
    pub(crate) fn expect_none(&self, dir: &dyn ReadDirectory) -> Result<(), Error> {
        let what = "a change of the directory was interrupted, and its files will move; open it once for writing, as \
                    'blpk meta set' does, to complete the change";
        match self.0 {
            Some(_) => Err(Error::Pending { file: dir.name(JOURNAL_FILE), what }),
            None => Ok(()),
        }
    }

    /// Returns a view of the directory with these moves applied.
    pub(crate) fn on<D: ReadDirectory>(&self, dir: D) -> Replayed<D> {
        Replayed { dir, moves: self.clone() }
    }

    /// Returns the current path of a file, if it is affected by a move.
    fn find(&self, path: &str) -> Option<Option<String>> {
        let moved = self.0.as_ref()?;
        if let Some(found) = moved.get(path) {
            return Some(found.clone());
        }
        let (column, rest) = path.split_once('/')?;
        let found = moved.get(column)?;
        Some(found.as_ref().map(|column| format!("{column}/{rest}")))
    }
}

/// Reads the journal of a directory, if there is one.
pub(super) fn read_journal(dir: &dyn ReadDirectory, limits: &Limits) -> Result<Option<Journal>, Error> {
    match read_meta(dir, JOURNAL_FILE, (limits, JOURNAL_TIMES), Journal::parse) {
        Ok(journal) => Ok(Some(journal)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the numbers of the staged files.
pub(super) fn staged_numbers(dir: &dyn ReadDirectory) -> Result<HashSet<u64>, Error> {
    match dir.list(STAGED_DIR) {
        Ok(names) => Ok(names.iter().filter_map(|name| name.parse().ok()).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(HashSet::new()),
        Err(error) => Err(Error::io("listing")(error).in_file(dir.name(STAGED_DIR))),
    }
}

/// Returns whether a path is a file that can be read.
///
/// # Errors
/// [`Error::InFile`] if that cannot be told: a server that fails, or no permission.
fn is_file(dir: &dyn ReadDirectory, path: &str) -> Result<bool, Error> {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    match dir.open(path) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), NotFound | IsADirectory | NotADirectory) => Ok(false),
        Err(error) => Err(Error::io("opening")(error).in_file(dir.name(path))),
    }
}

/// Returns whether a path is a file or a column. Its parent directory may be too large to list for each.
///
/// # Errors
/// As [`is_file`].
fn is_there(dir: &dyn ReadDirectory, path: &str) -> Result<bool, Error> {
    Ok(is_file(dir, path)? || is_file(dir, &format!("{path}/{STORAGE_FILE}"))?)
}

/// Refuses a journal if one of its files is lost, or if a program that ignores journals has changed the directory
/// since.
pub(super) fn check(dir: &dyn ReadDirectory, journal: &Journal, limits: &Limits) -> Result<(), Error> {
    let staged = staged_numbers(dir)?;
    let refuse = |path: &str, what| Err(Error::Pending { file: dir.name(path), what });
    let to_come: HashSet<&str> = journal
        .steps
        .iter()
        .filter_map(|step| match step {
            JournalStep::Move { from, to } if staged.contains(from) => Some(to.as_str()),
            _ => None,
        })
        .collect();
    for sizes in &journal.sizes {
        let found = match read_small(dir, &sizes.path, limits, 1) {
            Err(error) if error.is_not_found() => Vec::new(),
            read => read.map_err(|error| error.in_file(dir.name(&sizes.path)))?,
        };
        let is_before = found == sizes.before.as_bytes() && to_come.contains(sizes.path.as_str());
        if !is_before && found != sizes.after.as_bytes() {
            return refuse(
                &sizes.path,
                "lost, or changed by another process, before the interrupted change was completed; recover a copy",
            );
        }
    }
    // For any number of renamed columns, the directory is listed once.
    let is_rename = |step: &JournalStep| matches!(step, JournalStep::RenameColumn { .. });
    let columns: HashSet<String> = match journal.steps.iter().any(is_rename) {
        true => dir.list("").map_err(|error| Error::io("listing")(error).in_file(dir.name("")))?.into_iter().collect(),
        false => HashSet::new(),
    };
    for step in &journal.steps {
        match step {
            JournalStep::Move { from, to } if !staged.contains(from) && !is_there(dir, to)? => {
                return refuse(to, "lost before the interrupted change was completed; recover a copy");
            }
            JournalStep::RenameColumn { from, to } if columns.contains(from) == columns.contains(to) => {
                return refuse(to, "changed by another process while it was being renamed; recover a copy");
            }
            _ => {}
        }
    }
    Ok(())
}

impl<D: ReadDirectory> ReadDirectory for Replayed<D> {
    fn open(&self, path: &str) -> io::Result<Box<dyn ReadAt + '_>> {
        match self.moves.find(path) {
            None => self.dir.open(path),
            Some(None) => Err(io::ErrorKind::NotFound.into()),
            // A concurrent replay may already have moved this file.
            Some(Some(from)) => match self.dir.open(&from) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.dir.open(path),
                opened => opened,
            },
        }
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let mut names = self.at(path, |path| self.dir.list(path))?;
        // Maps each affected name in this directory to whether it will exist.
        let moves = self.moves.0.iter().flat_map(|moved| moved.iter());
        let moved: HashMap<&str, bool> = moves
            .filter_map(|(moved, from)| {
                let (parent, name) = moved.rsplit_once('/').unwrap_or(("", moved));
                (parent == path).then_some((name, from.is_some()))
            })
            .collect();
        names.retain(|found| !moved.contains_key(found.as_str()));
        names.extend(moved.into_iter().filter(|(_, stays)| *stays).map(|(name, _)| name.to_owned()));
        Ok(names)
    }

    fn name(&self, path: &str) -> String {
        self.dir.name(path)
    }

    fn request_cost(&self) -> Option<usize> {
        self.dir.request_cost()
    }
}
