//! Permissions of new files: no wider than those of the input.

use std::fs::Metadata;

/// A guard that limits the permissions of new files and directories: a user without access to the input gets none to
/// the output. Replaced files keep their permissions.
#[derive(Debug)]
pub(crate) struct Privacy {
    /// The previous umask of the process.
    #[cfg(unix)]
    mask: rustix::fs::Mode,
}

impl Privacy {
    /// Limits the permissions of outputs made from an input with this metadata.
    #[cfg(unix)]
    pub(crate) fn of(input: &Metadata) -> Privacy {
        use rustix::fs::Mode;
        use rustix::process::umask;
        use std::os::unix::fs::PermissionsExt as _;

        let mode = input.permissions().mode() & 0o777;
        // If the input becomes a directory, users with read permission may also search it. The owner has all
        // permissions.
        let open = mode | (mode & 0o444) >> 2 | 0o700;
        let closed = Mode::from_raw_mode(0o777 & !open);
        // The umask can be read only by setting another one.
        let mask = umask(closed);
        umask(mask | closed);
        Privacy { mask }
    }

    /// On other systems, new files have the permissions of their directory.
    #[cfg(not(unix))]
    pub(crate) fn of(_: &Metadata) -> Privacy {
        Privacy {}
    }
}

#[cfg(unix)]
impl Drop for Privacy {
    fn drop(&mut self) {
        rustix::process::umask(self.mask);
    }
}
