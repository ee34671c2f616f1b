//! Permissions of new files: no wider than those of the input.

use std::fs::Metadata;

/// As long as it lives, new files and directories are open to nobody for whom the input is closed. Files that are replaced
/// keep their permissions.
#[derive(Debug)]
pub(crate) struct Privacy {
    /// The mask of the process before.
    #[cfg(unix)]
    mask: rustix::fs::Mode,
}

impl Privacy {
    /// For what is made of an input with this metadata.
    #[cfg(unix)]
    pub(crate) fn of(input: &Metadata) -> Privacy {
        use rustix::fs::Mode;
        use rustix::process::umask;
        use std::os::unix::fs::PermissionsExt as _;

        let mode = input.permissions().mode() & 0o777;
        // Who may read a file may search the directory that becomes of it. The owner may do all.
        let open = mode | (mode & 0o444) >> 2 | 0o700;
        let closed = Mode::from_raw_mode(0o777 & !open);
        // The process's mask is known only by setting another.
        let mask = umask(closed);
        umask(mask | closed);
        Privacy { mask }
    }

    /// Elsewhere new files have the permissions of their directory.
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
