//! Inputs and outputs at URLs: the client of this run, which is created when the first URL is used.

use crate::file_kind::FileKind;
use crate::path_or_stdio::PathOrStdio;
use crate::report::Report;
use crate::session::Session;
use anyhow::{Context as _, Result, bail};
use bloscpack_io::AnySource;
use std::path::PathBuf;

pub(crate) use self::client::Url;

/// Opens a file or directory, or a column of a ctable. Opening it again needs no request.
pub(crate) fn open(url: &Url, column: Option<&str>) -> Result<AnySource> {
    client::open(url, column)
}

/// Returns the kind of a file or directory. Returns `None` for other formats, and if it cannot be read: the caller
/// reads it next, and that error names the cause.
pub(crate) fn kind_of(url: &Url) -> Option<FileKind> {
    kind_of_source(&open(url, None).ok()?)
}

/// The kind of an open file or directory.
pub(crate) fn kind_of_source(source: &AnySource) -> Option<FileKind> {
    match (source.is_directory(), source.table().is_some(), source.bcolz().is_some()) {
        (true, true, _) => Some(FileKind::Ctable),
        (true, false, true) => Some(FileKind::Carray),
        (true, false, false) => Some(FileKind::Frame),
        (false, ..) => bloscpack_io::peek::format_of(source.bytes()).ok().flatten().map(FileKind::from),
    }
}

/// Refuses an output that cannot be written or must not be replaced.
pub(crate) fn check_output(url: &Url, session: &Session) -> Result<()> {
    client::check_output(url, session.force)
}

/// Writes an output by `write`. One at a URL is written to a temporary file or directory of the same name first, and
/// appears when it is complete.
pub(crate) fn write_output(
    output: &PathOrStdio,
    session: &Session,
    write: impl FnOnce(&PathOrStdio) -> Result<()>,
) -> Result<()> {
    let PathOrStdio::Url(url) = output else { return write(output) };
    let staging = tempfile::tempdir().context("creating a temporary directory")?;
    let name = url.file_name();
    if name.is_empty() || name.contains(['/', '\\']) || matches!(name.as_str(), "." | "..") {
        bail!("output '{output}' names no file");
    }
    let path = staging.path().join(name);
    write(&PathOrStdio::File(path.clone()))?;
    session.report.verbose(format!("uploading to '{output}'"));
    client::upload(&path, url, session.force)
}

/// Prints the number of requests and bytes, with `-v`, if there were any.
pub(crate) fn print_traffic(report: &Report) {
    client::print_traffic(report);
}

/// Returns the path in the name of an output, from which its kind follows.
pub(crate) fn output_path(output: &PathOrStdio, typed: &std::path::Path) -> PathBuf {
    match output {
        PathOrStdio::Url(url) => url.path().into(),
        _ => typed.to_owned(),
    }
}

#[cfg(feature = "remote")]
mod client {
    use crate::report::Report;
    use crate::signals;
    use crate::size::double_pretty_size;
    use anyhow::Result;
    use bloscpack_io::{Address, AnySource, OpenOptions, Remote, RemoteOptions, RemoteUrl};
    use std::path::Path;
    use std::sync::OnceLock;

    /// A URL, and its name without secrets.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct Url {
        url: RemoteUrl,
        shown: String,
    }

    impl Url {
        /// Returns the URL that is an address, `None` for a path.
        pub(crate) fn of(address: Address) -> Option<Url> {
            match address {
                Address::Url(url) => Some(Url { shown: url.to_string(), url }),
                _ => None,
            }
        }

        pub(crate) fn shown(&self) -> &str {
            &self.shown
        }

        pub(crate) fn file_name(&self) -> String {
            self.url.file_name()
        }

        pub(crate) fn path(&self) -> String {
            self.url.path()
        }
    }

    static CLIENT: OnceLock<Remote> = OnceLock::new();

    fn client() -> Result<&'static Remote> {
        if let Some(client) = CLIENT.get() {
            return Ok(client);
        }
        let options = RemoteOptions::from_env()?.cancel(signals::cancel());
        Ok(CLIENT.get_or_init({
            let client = Remote::new(options)?;
            || client
        }))
    }

    pub(super) fn open(url: &Url, column: Option<&str>) -> Result<AnySource> {
        Ok(client()?.open_source(&url.url, &OpenOptions::new().column(column))?)
    }

    pub(super) fn check_output(url: &Url, force: bool) -> Result<()> {
        Ok(client()?.check_output(&url.url, force)?)
    }

    pub(super) fn upload(path: &Path, url: &Url, force: bool) -> Result<()> {
        match path.is_dir() {
            true => Ok(client()?.upload_directory(path, &url.url)?),
            false => Ok(client()?.upload_file(path, &url.url, force)?),
        }
    }

    pub(super) fn print_traffic(report: &Report) {
        if let Some(client) = CLIENT.get() {
            let traffic = client.traffic();
            let requests = if traffic.requests == 1 { "request" } else { "requests" };
            let size = double_pretty_size(traffic.bytes);
            report.verbose(format!("network: {} {requests}, {size}", traffic.requests));
        }
    }
}

#[cfg(not(feature = "remote"))]
mod client {
    use crate::report::Report;
    use anyhow::Result;
    use bloscpack_io::{Address, AnySource};
    use std::convert::Infallible;
    use std::path::Path;

    /// There are no URLs without the feature `remote`.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct Url(Infallible);

    impl Url {
        pub(crate) fn of(_: Address) -> Option<Url> {
            None
        }

        pub(crate) fn shown(&self) -> &str {
            match self.0 {}
        }

        pub(crate) fn file_name(&self) -> String {
            match self.0 {}
        }

        pub(crate) fn path(&self) -> String {
            match self.0 {}
        }
    }

    pub(super) fn open(url: &Url, _: Option<&str>) -> Result<AnySource> {
        match url.0 {}
    }

    pub(super) fn check_output(url: &Url, _: bool) -> Result<()> {
        match url.0 {}
    }

    pub(super) fn upload(_: &Path, url: &Url, _: bool) -> Result<()> {
        match url.0 {}
    }

    pub(super) fn print_traffic(_: &Report) {}
}
