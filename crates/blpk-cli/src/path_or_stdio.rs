//! Names of inputs and outputs on the command line.

use crate::url::Url;
use bloscpack_io::Address;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::PathBuf;

/// An input or output as named on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathOrStdio {
    /// `-`: stdin or stdout.
    Standard,
    File(PathBuf),
    Url(Url),
}

impl From<PathBuf> for PathOrStdio {
    fn from(path: PathBuf) -> PathOrStdio {
        if path.as_os_str() == "-" {
            return PathOrStdio::Standard;
        }
        // An invalid URL counts as a path, and is refused when it is opened.
        match Address::parse(&path) {
            Ok(Address::Path(path)) => PathOrStdio::File(path),
            Ok(address) => Url::of(address).map_or(PathOrStdio::File(path), PathOrStdio::Url),
            Err(_) => PathOrStdio::File(path),
        }
    }
}

/// For messages. A name may hold anything, so control characters are escaped to keep it within its line.
impl std::fmt::Display for PathOrStdio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.name().chars().try_for_each(|c| match c.is_control() {
            true => c.escape_default().try_for_each(|c| f.write_char(c)),
            false => f.write_char(c),
        })
    }
}

impl PathOrStdio {
    /// Returns the bytes of the name, unescaped.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            PathOrStdio::Standard => b"-",
            PathOrStdio::File(path) => path.as_os_str().as_encoded_bytes(),
            PathOrStdio::Url(url) => url.shown().as_bytes(),
        }
    }

    /// Returns the name unescaped, except that bytes that are not text are replaced.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        match self {
            PathOrStdio::Standard => "-".into(),
            PathOrStdio::File(path) => path.to_string_lossy(),
            PathOrStdio::Url(url) => url.shown().into(),
        }
    }
}
