//! A bcolz directory in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use blosc_core::memory;

use super::store::Directory;
use crate::source::{ReadAt, ReadDirectory};

/// A directory in memory.
#[derive(Debug, Default)]
pub struct MemoryDirectory(Mutex<State>);

#[derive(Debug, Clone, Default)]
struct State {
    files: BTreeMap<String, Arc<Vec<u8>>>,
    /// All directories except the root, which always exists.
    dirs: BTreeSet<String>,
}

impl MemoryDirectory {
    /// Creates an empty directory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a directory with these files and their parent directories.
    pub fn of_files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let mut state = State::default();
        for (path, bytes) in files {
            for (at, _) in path.match_indices('/') {
                state.dirs.insert(path.get(..at).unwrap_or_default().into());
            }
            state.files.insert(path, Arc::new(bytes));
        }
        MemoryDirectory(Mutex::new(state))
    }

    /// Returns the files and their bytes.
    #[must_use]
    pub fn files(&self) -> BTreeMap<String, Arc<Vec<u8>>> {
        self.state().files.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is a single step, so a panic cannot leave an inconsistent state.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for MemoryDirectory {
    fn clone(&self) -> Self {
        MemoryDirectory(Mutex::new(self.state().clone()))
    }
}

impl State {
    fn has_dir(&self, path: &str) -> bool {
        path.is_empty() || self.dirs.contains(path)
    }

    fn has_parent(&self, path: &str) -> io::Result<()> {
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        if self.has_dir(parent) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn is_file(&self, path: &str) -> io::Result<()> {
        match self.files.contains_key(path) {
            true => Ok(()),
            false if self.has_dir(path) => Err(io::ErrorKind::IsADirectory.into()),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn create(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.has_parent(path)?;
        if self.has_dir(path) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        self.files.insert(path.into(), Arc::new(memory::copy_of(bytes)?));
        Ok(())
    }

    fn remove_file(&mut self, path: &str) -> io::Result<()> {
        if self.has_dir(path) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        self.files.remove(path);
        Ok(())
    }

    fn create_dir(&mut self, path: &str) -> io::Result<()> {
        self.has_parent(path)?;
        if self.files.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        if !path.is_empty() {
            self.dirs.insert(path.into());
        }
        Ok(())
    }

    fn remove_dir(&mut self, path: &str) {
        self.files.retain(|file, _| !is_below(file, path));
        self.dirs.retain(|dir| dir != path && !is_below(dir, path));
    }

    fn rename(&mut self, from: &str, to: &str) -> io::Result<()> {
        self.has_parent(to)?;
        if let Some(bytes) = self.files.get(from).cloned() {
            if self.has_dir(to) {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            self.files.remove(from);
            self.files.insert(to.into(), bytes);
            return Ok(());
        }
        if from.is_empty() || !self.has_dir(from) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let taken = self.files.contains_key(to) || self.list(to).is_ok_and(|names| !names.is_empty());
        if taken || is_below(to, from) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let moved = |path: &String| match path.strip_prefix(from) {
            Some(rest) if path == from || is_below(path, from) => format!("{to}{rest}"),
            _ => path.clone(),
        };
        self.files = self.files.iter().map(|(path, bytes)| (moved(path), bytes.clone())).collect();
        self.dirs = self.dirs.iter().map(moved).collect();
        Ok(())
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        if !self.has_dir(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let below = self.files.keys().chain(&self.dirs).filter(|found| is_below(found, path));
        let start = if path.is_empty() { 0 } else { path.len() + 1 };
        let names = below.filter_map(|found| found.get(start..)).filter(|name| !name.contains('/'));
        Ok(names.map(String::from).collect())
    }
}

fn is_below(path: &str, dir: &str) -> bool {
    dir.is_empty() || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
}

impl ReadDirectory for MemoryDirectory {
    fn open(&self, path: &str) -> io::Result<Box<dyn ReadAt + '_>> {
        let state = self.state();
        state.is_file(path)?;
        Ok(Box::new(state.files.get(path).cloned().unwrap_or_default()))
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        self.state().list(path)
    }
}

/// Data in memory is not synced.
impl Directory for MemoryDirectory {
    fn create(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.state().create(path, bytes)
    }

    fn sync_file(&self, path: &str) -> io::Result<()> {
        self.state().is_file(path)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.state().rename(from, to)
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        self.state().remove_file(path)
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        self.state().create_dir(path)
    }

    fn remove_dir(&self, path: &str) -> io::Result<()> {
        self.state().remove_dir(path);
        Ok(())
    }

    fn sync_dir(&self, path: &str) -> io::Result<()> {
        if self.state().has_dir(path) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::bcolz::LocalDirectory;

    /// Both implementations of a directory behave alike.
    #[test]
    fn as_the_file_system() {
        let above = tempfile::tempdir().unwrap();
        let local = LocalDirectory::new(&above.path().join("root"));
        let memory = MemoryDirectory::new();
        let both = |act: &dyn Fn(&dyn Directory) -> io::Result<()>| {
            let (on_disk, in_memory) = (act(&local), act(&memory));
            assert_eq!(on_disk.is_ok(), in_memory.is_ok(), "{on_disk:?} {in_memory:?}");
        };
        both(&|dir| dir.create_dir(""));
        both(&|dir| dir.create("data/a", b"1"));
        both(&|dir| dir.create_dir("data"));
        both(&|dir| dir.create_dir("data"));
        both(&|dir| dir.create("data/a", b"1"));
        both(&|dir| dir.create("data/a", b"12"));
        both(&|dir| dir.create("data", b"12"));
        both(&|dir| dir.create_dir("data/a"));
        both(&|dir| dir.sync_file("data/a"));
        both(&|dir| dir.sync_file("data/b"));
        both(&|dir| dir.rename("data/a", "data/b"));
        both(&|dir| dir.rename("data/a", "data/b"));
        both(&|dir| dir.rename("data/b", "data"));
        both(&|dir| dir.create_dir("other"));
        both(&|dir| dir.create_dir("other/more"));
        both(&|dir| dir.create("other/more/c", b"3"));
        both(&|dir| dir.rename("data", "other"));
        both(&|dir| dir.rename("other", "other/more/x"));
        both(&|dir| dir.rename("other", "third"));
        both(&|dir| dir.sync_dir("third/more"));
        both(&|dir| dir.sync_dir("other"));
        both(&|dir| dir.open("third/more/c").map(|_| ()));
        both(&|dir| dir.open("third").map(|_| ()));
        both(&|dir| dir.open("nothing").map(|_| ()));
        both(&|dir| dir.remove_file("third"));
        both(&|dir| dir.remove_file("nothing"));
        for path in ["", "data", "third", "third/more"] {
            let sorted = |dir: &dyn Directory| {
                let mut names = dir.list(path).unwrap();
                names.sort();
                names
            };
            assert_eq!(sorted(&local), sorted(&memory), "{path}");
        }
        both(&|dir| dir.remove_dir("third"));
        both(&|dir| dir.remove_dir("third"));
        both(&|dir| dir.list("third").map(|_| ()));
        let files: Vec<String> = memory.files().into_keys().collect();
        assert_eq!(files, ["data/b"]);
    }
}
