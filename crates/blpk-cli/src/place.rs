//! Names of inputs and outputs on the command line.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::PathBuf;

/// An input or output as named on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// `-`: stdin or stdout.
    Standard,
    File(PathBuf),
}

impl From<PathBuf> for Place {
    fn from(path: PathBuf) -> Place {
        if path.as_os_str() == "-" { Place::Standard } else { Place::File(path) }
    }
}

/// For messages. A name may hold anything, so control characters are escaped to keep it within its line.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.name().chars().try_for_each(|c| match c.is_control() {
            true => c.escape_default().try_for_each(|c| f.write_char(c)),
            false => f.write_char(c),
        })
    }
}

impl Place {
    /// Returns the bytes of the name, unescaped.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Place::Standard => b"-",
            Place::File(path) => path.as_os_str().as_encoded_bytes(),
        }
    }

    /// Returns the name unescaped, except that bytes that are not text are replaced.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        match self {
            Place::Standard => "-".into(),
            Place::File(path) => path.to_string_lossy(),
        }
    }
}
