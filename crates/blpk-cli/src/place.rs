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

/// For texts: a name may hold anything, but no line of a text is made of a part of one.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.name().chars().try_for_each(|c| match c.is_control() {
            true => c.escape_default().try_for_each(|c| f.write_char(c)),
            false => f.write_char(c),
        })
    }
}

impl Place {
    /// The name as it is.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Place::Standard => b"-",
            Place::File(path) => path.as_os_str().as_encoded_bytes(),
        }
    }

    /// The name as it is, but for bytes that are no text.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        match self {
            Place::Standard => "-".into(),
            Place::File(path) => path.to_string_lossy(),
        }
    }
}
