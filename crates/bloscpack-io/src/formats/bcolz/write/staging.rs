//! Staged files, and the commit that moves all of them into place through a journal.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use blosc_core::Limits;
use bloscpack_format::bcolz::{
    JOURNAL_FILE, Journal, JournalStep, MAX_JOURNAL_LEN, STAGED_DIR, SizesChange, staged_name,
};

use crate::Error;
use crate::formats::bcolz::replayed::{check, read_journal, staged_numbers};
use crate::formats::bcolz::store::Directory;
use crate::fs::lock::Lock;

/// A locked directory with the files that are staged in it.
#[derive(Debug)]
pub(crate) struct Staging<D: Directory> {
    pub(crate) dir: D,
    /// The limits of reading.
    pub(crate) limits: Limits,
    /// The number of the next staged file. No number is used twice, because a reader may have seen it in a journal.
    next: AtomicU64,
    /// Whether the directory of staged files exists.
    made: AtomicBool,
    /// Whether its name is durable.
    durable: AtomicBool,
    /// Whether there may be a journal. The staged files are then never removed, because it refers to them.
    pending: AtomicBool,
    /// Files that were written, and directories with new names, that are not durable yet. Syncing all of them costs
    /// little more than syncing one: the first sync also writes the others.
    unsynced: Mutex<(BTreeSet<String>, BTreeSet<String>)>,
    _lock: Lock,
}

/// The steps of a commit. The files that they move are staged.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub(super) steps: Vec<JournalStep>,
    /// The number of steps that readers notice. Up to one step is atomic without a journal.
    pub(super) visible: usize,
    pub(super) sizes: Vec<SizesChange>,
}

impl<D: Directory> Staging<D> {
    /// Locks a directory, replays its journal, and removes leftover staged files.
    pub(crate) fn open(dir: D, limits: Limits) -> Result<Self, Error> {
        let lock = lock(&dir, "")?;
        complete(&dir, &limits)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Staging {
            dir,
            limits,
            // Larger than all earlier numbers, unless the clock was turned back by the exact difference.
            next: AtomicU64::new(now.as_nanos() as u64),
            made: AtomicBool::new(false),
            durable: AtomicBool::new(false),
            pending: AtomicBool::new(false),
            unsynced: Mutex::default(),
            _lock: lock,
        })
    }

    /// Adds the operation and the file to an I/O error.
    pub(super) fn tried<T>(&self, doing: &'static str, path: &str, done: io::Result<T>) -> Result<T, Error> {
        done.map_err(|error| Error::io(doing)(error).in_file(self.dir.name(path)))
    }

    /// Returns the number of a new staged file or directory.
    pub(super) fn number(&self) -> Result<u64, Error> {
        if !self.made.load(Ordering::Relaxed) {
            self.tried("creating", STAGED_DIR, self.dir.create_dir(STAGED_DIR))?;
            self.made.store(true, Ordering::Relaxed);
        }
        Ok(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Writes a file. The next [`sync`](Self::sync) makes it durable.
    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        self.unsynced().0.insert(path.into());
        self.tried("writing", path, self.dir.create(path, bytes))
    }

    /// Schedules the names in a directory to become durable with the next [`sync`](Self::sync).
    pub(super) fn sync_later(&self, dir: String) {
        self.unsynced().1.insert(dir);
    }

    /// Waits until all written files and names are durable.
    pub(super) fn sync(&self) -> Result<(), Error> {
        let (files, dirs) = std::mem::take(&mut *self.unsynced());
        for path in &files {
            self.tried("syncing", path, self.dir.sync_file(path))?;
        }
        dirs.iter().try_for_each(|path| self.sync_dir(path))
    }

    fn unsynced(&self) -> MutexGuard<'_, (BTreeSet<String>, BTreeSet<String>)> {
        // A panic cannot leave the sets half changed.
        self.unsynced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sync_dir(&self, path: &str) -> Result<(), Error> {
        self.tried("syncing", path, self.dir.sync_dir(path))
    }

    /// Stages a file.
    pub(super) fn stage(&self, bytes: &[u8]) -> Result<u64, Error> {
        let number = self.number()?;
        self.write(&staged_name(number), bytes)?;
        Ok(number)
    }

    /// Commits a change atomically. Readers that ignore journals see its steps in their order.
    pub(super) fn commit(&self, change: Change) -> Result<(), Error> {
        let Change { steps, visible, sizes } = change;
        if steps.is_empty() {
            return Ok(());
        }
        self.sync()?;
        if visible <= 1 {
            return in_order(&self.dir, &steps);
        }
        // The names of staged files must be durable first: a replay assumes that a missing staged file was already
        // moved.
        self.sync_dir(STAGED_DIR)?;
        if !self.durable.swap(true, Ordering::Relaxed) {
            self.sync_dir("")?;
        }
        let journal = Journal { steps, sizes };
        let bytes = journal.to_bytes();
        if bytes.len() as u64 > MAX_JOURNAL_LEN {
            let what = "too many chunks were changed since the last flush";
            return Err(Error::NotWritable { directory: self.dir.name(""), what });
        }
        let number = self.stage(&bytes)?;
        self.sync()?;
        self.pending.store(true, Ordering::Relaxed);
        self.tried("creating", JOURNAL_FILE, self.dir.rename(&staged_name(number), JOURNAL_FILE))?;
        self.sync_dir("")?;
        all(&self.dir, &journal.steps, None)?;
        finish(&self.dir)?;
        self.pending.store(false, Ordering::Relaxed);
        Ok(())
    }
}

impl<D: Directory> Drop for Staging<D> {
    fn drop(&mut self) {
        if self.made.load(Ordering::Relaxed) && !self.pending.load(Ordering::Relaxed) {
            // Best effort: the next writer removes it.
            let _ = self.dir.remove_dir(STAGED_DIR);
        }
    }
}

/// Locks a directory against other writers.
pub(super) fn lock(dir: &dyn Directory, path: &str) -> Result<Lock, Error> {
    dir.lock(path).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => Error::Locked(dir.name(path).into()),
        _ => Error::io("locking")(error).in_file(dir.name(path)),
    })
}

/// Replays the journal of a locked directory, and removes staged files.
pub(super) fn complete(dir: &dyn Directory, limits: &Limits) -> Result<(), Error> {
    if let Some(journal) = read_journal(dir, limits)? {
        check(dir, &journal, limits)?;
        all(dir, &journal.steps, Some(&staged_numbers(dir)?))?;
        finish(dir)?;
    }
    dir.remove_dir(STAGED_DIR).map_err(|error| Error::io("removing")(error).in_file(dir.name(STAGED_DIR)))
}

/// Removes the journal durably. Otherwise a later replay would undo changes that follow.
fn finish(dir: &dyn Directory) -> Result<(), Error> {
    let removed = dir.remove_file(JOURNAL_FILE).and_then(|()| dir.sync_dir(""));
    removed.map_err(|error| Error::io("removing")(error).in_file(dir.name(JOURNAL_FILE)))
}

/// Executes steps so that they also become durable in their order.
fn in_order(dir: &dyn Directory, steps: &[JournalStep]) -> Result<(), Error> {
    steps.chunk_by(|step, next| directory_of(step) == directory_of(next)).try_for_each(|steps| all(dir, steps, None))
}

/// Executes steps and makes them durable. In a replay, `staged` has the staged files: a step whose file is missing was
/// already executed.
fn all(dir: &dyn Directory, steps: &[JournalStep], staged: Option<&HashSet<u64>>) -> Result<(), Error> {
    for step in steps {
        match step {
            JournalStep::Move { from, .. } if staged.is_some_and(|staged| !staged.contains(from)) => Ok(()),
            JournalStep::Move { from, to } => dir.rename(&staged_name(*from), to),
            JournalStep::Remove { path } => dir.remove_file(path),
            JournalStep::RenameColumn { from, to } => match dir.list(from) {
                Err(error) if staged.is_some() && error.kind() == io::ErrorKind::NotFound => Ok(()),
                _ => dir.rename(from, to),
            },
            JournalStep::RemoveColumn { name } => dir.remove_dir(name),
        }
        .map_err(|error| Error::io("replacing")(error).in_file(dir.name(path_of(step))))?;
    }
    let dirs: BTreeSet<&str> = steps.iter().map(directory_of).collect();
    let sync = |path: &&str| dir.sync_dir(path).map_err(|error| Error::io("syncing")(error).in_file(dir.name(path)));
    dirs.iter().try_for_each(sync)
}

/// Returns the path that a step renames or removes.
fn path_of(step: &JournalStep) -> &str {
    match step {
        JournalStep::Move { to: path, .. }
        | JournalStep::Remove { path }
        | JournalStep::RenameColumn { to: path, .. }
        | JournalStep::RemoveColumn { name: path } => path,
    }
}

/// Returns the directory of that path.
fn directory_of(step: &JournalStep) -> &str {
    path_of(step).rsplit_once('/').map_or("", |(directory, _)| directory)
}
