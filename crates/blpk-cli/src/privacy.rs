//! Permissions of new files: no wider than those of the input.

use crate::path_or_stdio::PathOrStdio;
use anyhow::Result;
use std::path::Path;

/// A guard that limits the permissions of new files and directories: a user without access to the input gets none to
/// the output. Replaced files keep their permissions. Guards can be nested; the limits of all of them apply.
#[derive(Debug)]
pub(crate) struct Privacy {
    /// The previous umask of the process.
    #[cfg(unix)]
    mask: rustix::fs::Mode,
}

#[cfg(unix)]
impl Privacy {
    /// Limits the permissions of an output made from an input. A container that is a directory counts with all its
    /// files. Stdin and URLs have no permissions.
    ///
    /// # Errors
    /// A file whose permissions the system does not tell.
    pub(crate) fn of(input: &PathOrStdio, output: &PathOrStdio) -> Result<Privacy> {
        Privacy::of_all([input], output)
    }

    /// [`Privacy::of`] for an output made from several inputs.
    pub(crate) fn of_all<'a>(
        inputs: impl IntoIterator<Item = &'a PathOrStdio>,
        output: &PathOrStdio,
    ) -> Result<Privacy> {
        let group = match output {
            PathOrStdio::File(path) => unix::group_of_new(path),
            PathOrStdio::Standard | PathOrStdio::Url(_) => None,
        };
        let mut mode = unix::ALL;
        for input in inputs {
            if let PathOrStdio::File(path) = input {
                mode &= unix::access_to_tree(path, group)?;
            }
        }
        Ok(Privacy::limited_to(mode))
    }

    /// Limits the permissions of a new directory to those of the directory that it mirrors.
    pub(crate) fn of_directory(mirrored: &Path, new: &Path) -> Result<Privacy> {
        unix::access_to(mirrored, unix::group_of_new(new)).map(Privacy::limited_to)
    }

    fn limited_to(mode: u32) -> Privacy {
        use rustix::fs::Mode;
        use rustix::process::umask;

        // If the output is a directory, users with read permission may also search it. The owner has all permissions.
        let open = mode | (mode & 0o444) >> 2 | 0o700;
        let closed = Mode::from_raw_mode((0o777 & !open) as _); // 16 bits on some systems
        // The umask can be read only by setting another one.
        let mask = umask(closed);
        umask(mask | closed);
        Privacy { mask }
    }
}

/// On other systems, new files have the permissions of their directory.
#[cfg(not(unix))]
impl Privacy {
    pub(crate) fn of(_: &PathOrStdio, _: &PathOrStdio) -> Result<Privacy> {
        Ok(Privacy {})
    }

    pub(crate) fn of_all<'a>(_: impl IntoIterator<Item = &'a PathOrStdio>, _: &PathOrStdio) -> Result<Privacy> {
        Ok(Privacy {})
    }

    pub(crate) fn of_directory(_: &Path, _: &Path) -> Result<Privacy> {
        Ok(Privacy {})
    }
}

#[cfg(unix)]
impl Drop for Privacy {
    fn drop(&mut self) {
        rustix::process::umask(self.mask);
    }
}

#[cfg(unix)]
mod unix {
    use anyhow::{Context as _, Result};
    use rustix::fs::{Access, access};
    use std::fs::{self, Metadata};
    use std::io;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;
    use walkdir::WalkDir;

    /// The permissions of the owner only, and of all users.
    const OWNER: u32 = 0o700;
    pub(super) const ALL: u32 = 0o777;

    /// Returns the permissions that all files of an input have in common.
    pub(super) fn access_to_tree(input: &Path, group: Option<u32>) -> Result<u32> {
        let found = match fs::metadata(input) {
            Ok(found) => found,
            Err(error) => return access_without(input, error),
        };
        let mut mode = allowed(&found, group);
        if !found.is_dir() {
            return Ok(mode);
        }
        // The path itself may be a link, which has all permissions.
        for entry in WalkDir::new(input) {
            if mode & !OWNER == 0 {
                break;
            }
            mode &= match entry.and_then(|entry| entry.metadata()) {
                Ok(found) => allowed(&found, group),
                Err(error) => {
                    let path = error.path().unwrap_or(input).to_owned();
                    access_without(&path, error.into())?
                }
            };
        }
        Ok(mode)
    }

    /// Returns the permissions of a file or directory.
    pub(super) fn access_to(path: &Path, group: Option<u32>) -> Result<u32> {
        match fs::metadata(path) {
            Ok(found) => Ok(allowed(&found, group)),
            Err(error) => access_without(path, error),
        }
    }

    /// Returns the permissions of a file or directory that could not be examined.
    fn access_without(path: &Path, error: io::Error) -> Result<u32> {
        match error.kind() {
            // Another process removed it, or the output is not made because there is no input.
            io::ErrorKind::NotFound => Ok(ALL),
            // If this user may not read it, others may not either.
            io::ErrorKind::PermissionDenied if access(path, Access::READ_OK).is_err() => Ok(OWNER),
            _ => Err(error).with_context(|| format!("reading the permissions of '{}'", path.display())),
        }
    }

    /// Returns the permissions that a new file with this group may have.
    fn allowed(found: &Metadata, group: Option<u32>) -> u32 {
        let mut mode = found.mode() & ALL;
        if found.is_dir() {
            // Reading the files in a directory needs the permission to search it.
            mode &= !((!mode & 0o111) << 2);
        }
        if group.is_none_or(|group| group == found.gid()) {
            return mode;
        }
        // The members of one group are other users for the other file.
        let both = mode & mode >> 3 & 0o007;
        mode & OWNER | both << 3 | both
    }

    /// Returns the group that a new file will have: that of the process on Linux, and that of the directory on other
    /// systems and in directories with the setgid bit.
    pub(super) fn group_of_new(file: &Path) -> Option<u32> {
        let existing = |directory: &Path| {
            let is_here = directory.as_os_str().is_empty();
            fs::metadata(if is_here { Path::new(".") } else { directory }).ok()
        };
        // Missing directories are created, with the same group.
        let directory = file.ancestors().skip(1).find_map(existing)?;
        let inherits = !cfg!(any(target_os = "linux", target_os = "android")) || directory.mode() & 0o2000 != 0;
        Some(if inherits { directory.gid() } else { rustix::process::getegid().as_raw() })
    }
}
