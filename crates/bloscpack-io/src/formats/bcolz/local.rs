//! A bcolz directory on the file system. Neither paths nor links can lead out of it.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use bloscpack_format::bcolz::LOCK_FILE;

use super::store::Directory;
use crate::Error;
use crate::fs::files::{expect_regular, permissions_for_file, remove_if_there};
use crate::fs::lock::Lock;
use crate::fs::path::sync_directory;
use crate::source::{ReadAt, ReadDirectory, shown};

/// A directory on the file system.
///
/// The root itself may be a link. A link below the root is followed if its target is below the root, too. This does not
/// protect against a process that changes the directory while it is being read.
#[derive(Debug, Clone)]
pub struct LocalDirectory {
    root: PathBuf,
}

impl LocalDirectory {
    /// Opens an existing directory.
    ///
    /// # Errors
    /// [`Error::File`], also if it is a file.
    pub fn open(root: impl AsRef<Path>) -> Result<LocalDirectory, Error> {
        fn inner(root: &Path) -> Result<LocalDirectory, Error> {
            let refuse = |error| Error::file("opening", root, error);
            if !fs::metadata(root).map_err(refuse)?.is_dir() {
                return Err(refuse(io::ErrorKind::NotADirectory.into()));
            }
            Ok(LocalDirectory { root: root.to_owned() })
        }
        inner(root.as_ref())
    }

    /// Returns a directory that need not exist yet: `create_dir("")` creates it.
    #[must_use]
    pub fn new(root: impl AsRef<Path>) -> LocalDirectory {
        let root = root.as_ref();
        LocalDirectory { root: root.to_owned() }
    }

    /// Returns the path of the root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the file system path for `path`. Refuses paths that lead out of the root through their names or through
    /// a link.
    fn resolve(&self, path: &str) -> io::Result<PathBuf> {
        self.look_up(path).map(|(resolved, _)| resolved)
    }

    /// [`resolve`](Self::resolve), and the metadata of the file at the path, if it exists.
    fn look_up(&self, path: &str) -> io::Result<(PathBuf, io::Result<Metadata>)> {
        let outside = || io::Error::new(io::ErrorKind::PermissionDenied, "the path leads out of the directory");
        if path.contains(['\\', '\0']) {
            return Err(outside());
        }
        let mut resolved = self.root.clone();
        let (mut linked, mut found) = (false, Err(io::ErrorKind::IsADirectory.into()));
        for name in path.split('/').filter(|_| !path.is_empty()) {
            let mut components = Path::new(name).components();
            if !matches!((components.next(), components.next()), (Some(Component::Normal(_)), None)) {
                return Err(outside());
            }
            resolved.push(name);
            found = fs::symlink_metadata(&resolved);
            linked |= found.as_ref().is_ok_and(Metadata::is_symlink);
        }
        // A dangling link cannot be read, but a write would create its target, so it must be refused.
        if linked && !fs::canonicalize(&resolved)?.starts_with(fs::canonicalize(&self.root)?) {
            return Err(outside());
        }
        if found.as_ref().is_ok_and(Metadata::is_symlink) {
            found = fs::metadata(&resolved);
        }
        Ok((resolved, found))
    }
}

impl LocalDirectory {
    /// Returns the real paths of the directories that a path goes through, from the root to its end.
    fn passed(&self, path: &str) -> Vec<PathBuf> {
        let mut at = self.root.clone();
        let mut passed: Vec<PathBuf> = fs::canonicalize(&at).into_iter().collect();
        for name in path.split('/') {
            at.push(name);
            passed.extend(fs::canonicalize(&at));
        }
        passed
    }
}

/// Refuses anything but a regular file. Opening a pipe would block until its other end is opened.
fn check_is_file(found: &Metadata) -> io::Result<()> {
    if found.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { expect_regular(found) }
}

impl ReadDirectory for LocalDirectory {
    fn open(&self, path: &str) -> io::Result<Box<dyn ReadAt + '_>> {
        let (path, found) = self.look_up(path)?;
        check_is_file(&found?)?;
        Ok(Box::new(File::open(path)?))
    }

    /// Leaves out links to a directory that the path goes through: following them would never end.
    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let (mut names, mut passed) = (Vec::new(), None);
        for entry in fs::read_dir(self.resolve(path)?)? {
            let entry = entry?;
            if entry.file_type()?.is_symlink()
                && let Ok(target) = fs::canonicalize(entry.path())
                && passed.get_or_insert_with(|| self.passed(path)).contains(&target)
            {
                continue;
            }
            // All names in the format are UTF-8, so other names are skipped.
            names.extend(entry.file_name().into_string());
        }
        Ok(names)
    }

    fn name(&self, path: &str) -> String {
        self.root.join(shown(path)).display().to_string()
    }
}

#[cfg(feature = "write")]
impl Directory for LocalDirectory {
    fn create(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (path, found) = self.look_up(path)?;
        found.as_ref().map_or(Ok(()), check_is_file)?;
        File::create(path)?.write_all(bytes)
    }

    fn sync_file(&self, path: &str) -> io::Result<()> {
        // Windows syncs only files that are open for writing.
        File::options().write(true).open(self.resolve(path)?)?.sync_all()
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let ((from, moved), (to, replaced)) = (self.look_up(from)?, self.look_up(to)?);
        if let (Ok(moved), Ok(replaced)) = (moved, replaced)
            && moved.is_file()
            && replaced.is_file()
            && moved.permissions() != permissions_for_file(&replaced)
        {
            fs::set_permissions(&from, permissions_for_file(&replaced))?;
        }
        fs::rename(from, to)
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        remove_if_there(&self.resolve(path)?)
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        let path = self.resolve(path)?;
        match fs::create_dir(&path) {
            Err(_) if path.is_dir() => Ok(()),
            created => created,
        }
    }

    fn remove_dir(&self, path: &str) -> io::Result<()> {
        match fs::remove_dir_all(self.resolve(path)?) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn sync_dir(&self, path: &str) -> io::Result<()> {
        sync_directory(&self.resolve(path)?)
    }

    fn lock(&self, path: &str) -> io::Result<Lock> {
        Lock::file(self.resolve(path)?.join(LOCK_FILE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out() {
        let above = tempfile::tempdir().unwrap();
        fs::write(above.path().join("secret"), "x").unwrap();
        fs::create_dir_all(above.path().join("root/data")).unwrap();
        fs::write(above.path().join("root/data/in"), "in").unwrap();
        let dir = LocalDirectory::open(&above.path().join("root")).unwrap();
        for path in
            ["../secret", "data/../../secret", "/etc/passwd", "data//in", "./data/in", "data\\in", "data/in/", "a\0"]
        {
            let refused = dir.open(path).map(|_| ()).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied, "{path}");
            assert!(dir.create(path, b"").is_err() && dir.rename("data/in", path).is_err(), "{path}");
        }
        assert_eq!(dir.open("data/in").unwrap().len().unwrap(), 2);
        assert_eq!(dir.open("data").map(|_| ()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(dir.list("").unwrap(), ["data"]);
        let name = dir.name("\x1b[2Jé it's\n/meta/sizes");
        assert!(name.ends_with("\\u{1b}[2Jé it's\\n/meta/sizes"), "{name}");
    }

    #[cfg(unix)]
    #[test]
    fn no_link_leads_out() {
        use std::os::unix::fs::symlink;
        let above = tempfile::tempdir().unwrap();
        let root = above.path().join("root");
        fs::create_dir_all(root.join("data")).unwrap();
        fs::write(above.path().join("secret"), "secret").unwrap();
        fs::write(root.join("data/in"), "in").unwrap();
        symlink(above.path(), root.join("up")).unwrap();
        symlink(above.path().join("secret"), root.join("data/out")).unwrap();
        symlink("data", root.join("inside")).unwrap();
        symlink(above.path().join("nowhere"), root.join("dangling")).unwrap();
        symlink(above.path().join("nowhere"), root.join(LOCK_FILE)).unwrap();
        let through_link = above.path().join("link");
        symlink(&root, &through_link).unwrap();
        for root in [&root, &through_link] {
            let dir = LocalDirectory::open(root).unwrap();
            for path in ["up/secret", "data/out", "dangling"] {
                assert!(dir.open(path).is_err() && dir.create(path, b"!").is_err(), "{path}");
            }
            assert!(dir.lock("").is_err() && dir.list("up").is_err() && dir.remove_dir("up").is_err());
            assert_eq!(dir.open("inside/in").unwrap().len().unwrap(), 2);
        }
        assert_eq!(fs::read(above.path().join("secret")).unwrap(), b"secret");
        assert!(!above.path().join("nowhere").exists());
    }

    /// A listing of everything below the root ends, whatever the links.
    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_round() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        fs::create_dir_all(at("a/c")).unwrap();
        fs::create_dir(at("b")).unwrap();
        for (target, link) in [(".", "self"), ("../..", "a/c/root"), ("..", "b/up"), ("../b", "a/x"), ("../a", "b/y")] {
            symlink(target, at(link)).unwrap();
        }
        let dir = LocalDirectory::open(root.path()).unwrap();
        let (mut paths, mut found) = (vec![String::new()], Vec::new());
        while let Some(path) = paths.pop() {
            for name in dir.list(&path).unwrap() {
                paths.push(if path.is_empty() { name } else { format!("{path}/{name}") });
                found.extend(paths.last().cloned());
                assert!(found.len() < 100, "{found:?}");
            }
        }
        found.sort_unstable();
        assert_eq!(found, ["a", "a/c", "a/x", "b", "b/y", "b/y/c"]);
    }

    #[cfg(unix)]
    #[test]
    fn no_pipe_is_waited_for() {
        use rustix::fs::{CWD, Mode, mkfifoat};
        let root = tempfile::tempdir().unwrap();
        for name in ["pipe", LOCK_FILE] {
            mkfifoat(CWD, root.path().join(name), Mode::RWXU).unwrap();
        }
        let dir = LocalDirectory::open(root.path()).unwrap();
        assert!(dir.open("pipe").is_err() && dir.create("pipe", b"x").is_err() && dir.lock("").is_err());
    }
}
