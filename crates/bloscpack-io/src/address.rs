//! Names of inputs: paths and URLs.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use crate::Error;
#[cfg(feature = "remote")]
use crate::RemoteUrl;
use crate::source::percent::decode;

/// The name of an input or output: a path, or a URL with the feature `remote`. `file://` is a path.
///
/// ```
/// use bloscpack_io::Address;
/// assert_eq!(Address::parse("file:///data/a%20b.blp")?, Address::Path("/data/a b.blp".into()));
/// assert_eq!(Address::parse("a b.blp")?, Address::Path("a b.blp".into()));
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Address {
    /// A path of the file system.
    Path(PathBuf),
    /// A URL.
    #[cfg(feature = "remote")]
    Url(RemoteUrl),
}

/// The schemes of URLs.
const SCHEMES: [&str; 3] = ["http", "https", "s3"];

impl Address {
    /// Parses a name. Anything without a known scheme and `://` is a path.
    ///
    /// # Errors
    /// [`Error::Io`] for an invalid URL, and for one that needs the feature `remote`.
    pub fn parse(name: impl AsRef<OsStr>) -> Result<Address, Error> {
        fn inner(name: &OsStr) -> Result<Address, Error> {
            let scheme = name.to_str().and_then(|text| text.split_once("://"));
            let is = |scheme: &str, expected: &str| scheme.eq_ignore_ascii_case(expected);
            match scheme {
                Some((scheme, rest)) if is(scheme, "file") => local(rest).map(Address::Path),
                Some((scheme, _)) if SCHEMES.iter().any(|known| is(scheme, known)) => url(name),
                _ => Ok(Address::Path(name.into())),
            }
        }
        inner(name.as_ref())
    }
}

#[cfg(feature = "remote")]
impl Address {
    /// Opens the file or directory, or a column of a ctable that the options name. `remote` is called for a URL only.
    ///
    /// # Errors
    /// As [`LocalSource::open_with`](crate::LocalSource::open_with) and [`Remote::open_source`](crate::Remote::open_source).
    pub fn open(
        &self,
        remote: impl FnOnce() -> Result<crate::Remote, Error>,
        options: &crate::OpenOptions,
    ) -> Result<crate::AnySource, Error> {
        match self {
            Address::Path(path) => Ok(crate::LocalSource::open_with(path, options)?.into()),
            Address::Url(url) => remote()?.open_source(url, options),
        }
    }
}

#[cfg(feature = "remote")]
fn url(name: &OsStr) -> Result<Address, Error> {
    let parsed = name.to_str().unwrap_or_default().parse::<RemoteUrl>();
    parsed.map(Address::Url).map_err(|error| invalid(ErrorKind::InvalidInput, error.to_string()))
}

#[cfg(not(feature = "remote"))]
fn url(_: &OsStr) -> Result<Address, Error> {
    Err(invalid(ErrorKind::Unsupported, "URLs need the feature `remote`, which this program was built without".into()))
}

/// Returns the path of a `file://` URL.
fn local(rest: &str) -> Result<PathBuf, Error> {
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") || path.is_empty() {
        return Err(invalid(ErrorKind::InvalidInput, "invalid URL: expected file:///PATH".into()));
    }
    let path = decode(path, false);
    // `/C:/x` is `C:/x`.
    let drive = path.strip_prefix('/').filter(|rest| cfg!(windows) && rest.get(1..2) == Some(":"));
    Ok(drive.unwrap_or(&path).into())
}

fn invalid(kind: ErrorKind, text: String) -> Error {
    Error::io("opening")(io::Error::new(kind, text))
}

/// Displays a URL without secrets.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Path(path) => path.display().fmt(f),
            #[cfg(feature = "remote")]
            Address::Url(url) => url.fmt(f),
        }
    }
}
