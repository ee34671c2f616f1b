//! Where is what is new, until it gets its name? And how does a change of many files become one?

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use blosc_core::Limits;
use bloscpack_format::bcolz::{
    MAX_PENDING_LEN, PENDING_FILE, Pending, PendingStep, STAGED_DIR, SizesChange, staged_name,
};

use crate::Error;
use crate::formats::bcolz::settled::{check, read_pending, staged_numbers};
use crate::formats::bcolz::store::Directory;
use crate::fs::lock::Lock;

/// A directory that is being written, by nobody else meanwhile.
#[derive(Debug)]
pub(crate) struct Staging<D: Directory> {
    pub(crate) dir: D,
    /// What reading in it may cost.
    pub(crate) limits: Limits,
    /// The number of the next staged file: none is used twice, for a reader may know of it.
    next: AtomicU64,
    /// Whether there is a directory for them, and whether that is on the disk.
    made: AtomicBool,
    durable: AtomicBool,
    /// Whether a change may be pending: then what is staged stays, whatever happens.
    pending: AtomicBool,
    /// Files that were written, and directories with new names in them, that are not on the disk yet. All together they
    /// cost little more than one: the first sync takes the others along.
    unsynced: Mutex<(BTreeSet<String>, BTreeSet<String>)>,
    _lock: Lock,
}

/// A change that is to become true as a whole. What it moves is staged.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub(super) steps: Vec<PendingStep>,
    /// How many of the steps a reader can tell. If it is one at most, the change is whole at any moment.
    pub(super) visible: usize,
    pub(super) sizes: Vec<SizesChange>,
}

impl<D: Directory> Staging<D> {
    /// Locks a directory, does what was left to be done in it, and throws away what was left lying around.
    pub(crate) fn open(dir: D, limits: Limits) -> Result<Self, Error> {
        let lock = lock(&dir, "")?;
        complete(&dir, &limits)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Staging {
            dir,
            limits,
            // Later than all before, unless a clock was turned back by just as much.
            next: AtomicU64::new(now.as_nanos() as u64),
            made: AtomicBool::new(false),
            durable: AtomicBool::new(false),
            pending: AtomicBool::new(false),
            unsynced: Mutex::default(),
            _lock: lock,
        })
    }

    /// The error of something that was done to a file.
    pub(super) fn tried<T>(&self, doing: &'static str, path: &str, done: io::Result<T>) -> Result<T, Error> {
        done.map_err(|error| Error::io(doing)(error).in_file(self.dir.name(path)))
    }

    /// A number for something that is to be staged.
    pub(super) fn number(&self) -> Result<u64, Error> {
        if !self.made.load(Ordering::Relaxed) {
            self.tried("creating", STAGED_DIR, self.dir.create_dir(STAGED_DIR))?;
            self.made.store(true, Ordering::Relaxed);
        }
        Ok(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Writes a file, which is on the disk after the next [`sync`](Self::sync).
    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        self.unsynced().0.insert(path.into());
        self.tried("writing", path, self.dir.create(path, bytes))
    }

    /// There are new names in a directory, which are on the disk after the next [`sync`](Self::sync).
    pub(super) fn sync_later(&self, dir: String) {
        self.unsynced().1.insert(dir);
    }

    /// Waits until everything is on the disk that was written.
    pub(super) fn sync(&self) -> Result<(), Error> {
        let (files, dirs) = std::mem::take(&mut *self.unsynced());
        for path in &files {
            self.tried("syncing", path, self.dir.sync_file(path))?;
        }
        dirs.iter().try_for_each(|path| self.sync_dir(path))
    }

    fn unsynced(&self) -> MutexGuard<'_, (BTreeSet<String>, BTreeSet<String>)> {
        // Nothing is half-done in it when something panics.
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

    /// Makes a change true, in one step for us; for others in the order of its steps.
    pub(super) fn commit(&self, change: Change) -> Result<(), Error> {
        let Change { steps, visible, sizes } = change;
        if steps.is_empty() {
            return Ok(());
        }
        self.sync()?;
        if visible <= 1 {
            return in_order(&self.dir, &steps);
        }
        // What is not on the disk after a crash would count as done.
        self.sync_dir(STAGED_DIR)?;
        if !self.durable.swap(true, Ordering::Relaxed) {
            self.sync_dir("")?;
        }
        let pending = Pending { steps, sizes };
        let bytes = pending.to_bytes();
        if bytes.len() as u64 > MAX_PENDING_LEN {
            let what = "too many chunks were changed since the last flush";
            return Err(Error::NotWritable { directory: self.dir.name(""), what });
        }
        let number = self.stage(&bytes)?;
        self.sync()?;
        self.pending.store(true, Ordering::Relaxed);
        self.tried("creating", PENDING_FILE, self.dir.rename(&staged_name(number), PENDING_FILE))?;
        self.sync_dir("")?;
        all(&self.dir, &pending.steps, None)?;
        finish(&self.dir)?;
        self.pending.store(false, Ordering::Relaxed);
        Ok(())
    }
}

impl<D: Directory> Drop for Staging<D> {
    fn drop(&mut self) {
        if self.made.load(Ordering::Relaxed) && !self.pending.load(Ordering::Relaxed) {
            // If it fails, the next writer throws it away.
            let _ = self.dir.remove_dir(STAGED_DIR);
        }
    }
}

/// Keeps others from writing to a directory.
pub(super) fn lock(dir: &dyn Directory, path: &str) -> Result<Lock, Error> {
    dir.lock(path).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => Error::Locked(dir.name(path).into()),
        _ => Error::io("locking")(error).in_file(dir.name(path)),
    })
}

/// Does what was left to be done in a directory that is locked.
pub(super) fn complete(dir: &dyn Directory, limits: &Limits) -> Result<(), Error> {
    if let Some(pending) = read_pending(dir, limits)? {
        check(dir, &pending, limits)?;
        all(dir, &pending.steps, Some(&staged_numbers(dir)?))?;
        finish(dir)?;
    }
    dir.remove_dir(STAGED_DIR).map_err(|error| Error::io("removing")(error).in_file(dir.name(STAGED_DIR)))
}

/// The change is done. Before anything else happens that has to be sure, or it would be done again.
fn finish(dir: &dyn Directory) -> Result<(), Error> {
    let removed = dir.remove_file(PENDING_FILE).and_then(|()| dir.sync_dir(""));
    removed.map_err(|error| Error::io("removing")(error).in_file(dir.name(PENDING_FILE)))
}

/// Does steps in their order, also on the disk.
fn in_order(dir: &dyn Directory, steps: &[PendingStep]) -> Result<(), Error> {
    steps.chunk_by(|step, next| directory_of(step) == directory_of(next)).try_for_each(|steps| all(dir, steps, None))
}

/// Does steps, and waits until they are on the disk. If what is staged is given, what is not there any more is done already.
fn all(dir: &dyn Directory, steps: &[PendingStep], staged: Option<&HashSet<u64>>) -> Result<(), Error> {
    for step in steps {
        match step {
            PendingStep::Move { from, .. } if staged.is_some_and(|staged| !staged.contains(from)) => Ok(()),
            PendingStep::Move { from, to } => dir.rename(&staged_name(*from), to),
            PendingStep::Remove { path } => dir.remove_file(path),
            PendingStep::RenameColumn { from, to } => match dir.list(from) {
                Err(error) if staged.is_some() && error.kind() == io::ErrorKind::NotFound => Ok(()),
                _ => dir.rename(from, to),
            },
            PendingStep::RemoveColumn { name } => dir.remove_dir(name),
        }
        .map_err(|error| Error::io("replacing")(error).in_file(dir.name(path_of(step))))?;
    }
    let dirs: BTreeSet<&str> = steps.iter().map(directory_of).collect();
    let sync = |path: &&str| dir.sync_dir(path).map_err(|error| Error::io("syncing")(error).in_file(dir.name(path)));
    dirs.iter().try_for_each(sync)
}

/// What gets another name, or goes.
fn path_of(step: &PendingStep) -> &str {
    match step {
        PendingStep::Move { to: path, .. }
        | PendingStep::Remove { path }
        | PendingStep::RenameColumn { to: path, .. }
        | PendingStep::RemoveColumn { name: path } => path,
    }
}

/// The directory in which that is.
fn directory_of(step: &PendingStep) -> &str {
    path_of(step).rsplit_once('/').map_or("", |(directory, _)| directory)
}
