//! URLs of inputs and outputs, and the client of this run, which is created when the first URL is used.

use crate::report::Report;
use crate::signals;
use crate::size::double_pretty_size;
use anyhow::{Result, bail};
use bloscpack_io::{
    Address, AnySource, ConvertOptions, ConvertReport, Error, OpenOptions, Remote, RemoteOptions, RemoteUrl,
    convert_to_url,
};
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

pub(crate) fn open(url: &Url, column: Option<&str>) -> Result<AnySource> {
    Ok(client()?.open_source(&url.url, &OpenOptions::new().column(column))?)
}

pub(crate) fn check_output(url: &Url, force: bool) -> Result<()> {
    Ok(client()?.check_output(&url.url, force)?)
}

/// Refuses a directory with objects, before anything is written.
pub(crate) fn check_output_directory(url: &Url) -> Result<()> {
    match client()?.check_output_directory(&url.url) {
        Err(Error::OutputExists(_)) => bail!(
            "output '{}': there are objects below it, which would become part of the container; remove them first, \
             because -f does not",
            url.shown
        ),
        checked => Ok(checked?),
    }
}

pub(crate) fn upload(path: &Path, url: &Url, force: bool) -> Result<()> {
    match path.is_dir() {
        true => Ok(client()?.upload_directory(path, &url.url)?),
        false => Ok(client()?.upload_file(path, &url.url, force)?),
    }
}

/// Returns the function that converts a source to Zarr at a URL.
pub(crate) fn to_zarr(
    url: &Url,
) -> Result<impl FnOnce(AnySource, &ConvertOptions) -> Result<ConvertReport, Error> + '_> {
    let remote = client()?;
    Ok(move |source, options: &ConvertOptions| convert_to_url(source, remote, &url.url, options))
}

pub(crate) fn print_traffic(report: &Report) {
    if let Some(client) = CLIENT.get() {
        let traffic = client.traffic();
        let requests = if traffic.requests == 1 { "request" } else { "requests" };
        let size = double_pretty_size(traffic.bytes);
        report.verbose(format!("network: {} {requests}, {size}", traffic.requests));
    }
}
