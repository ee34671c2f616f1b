//! Without the feature `remote`, there are no URLs.

use crate::report::Report;
use anyhow::Result;
use bloscpack_io::{Address, AnySource, ConvertOptions, ConvertReport, Error};
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

pub(crate) fn open(url: &Url, _: Option<&str>) -> Result<AnySource> {
    match url.0 {}
}

pub(crate) fn check_output(url: &Url, _: bool) -> Result<()> {
    match url.0 {}
}

pub(crate) fn to_zarr(url: &Url) -> Result<fn(AnySource, &ConvertOptions) -> Result<ConvertReport, Error>> {
    match url.0 {}
}

pub(crate) fn check_output_directory(url: &Url) -> Result<()> {
    match url.0 {}
}

pub(crate) fn upload(_: &Path, url: &Url, _: bool) -> Result<()> {
    match url.0 {}
}

pub(crate) fn print_traffic(_: &Report) {}
