//! `blpk completions`, `blpk man`: texts about the program itself.

use crate::args::{self, ManArgs};
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::streams::Output;
use anyhow::{Context as _, Result, anyhow};
use clap_complete::Shell;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The man pages to write.
pub(super) enum Pages {
    /// All of them, as files in this directory.
    All(PathBuf),
    /// The page of this name, to stdout.
    One(String),
}

impl Pages {
    pub(super) fn new(args: &ManArgs) -> Pages {
        match &args.output_dir {
            Some(directory) => Pages::All(directory.clone()),
            None => Pages::One(args.page.as_deref().unwrap_or("blpk").to_owned()),
        }
    }
}

pub(super) fn completions(shell: Shell, session: &Session) -> Result<()> {
    session.report.raw(&String::from_utf8(args::completions(shell))?);
    Ok(())
}

pub(super) fn man(pages: &Pages, session: &Session) -> Result<()> {
    match pages {
        Pages::All(directory) => args::page_names().iter().try_for_each(|name| write(directory, name, session)),
        Pages::One(name) => {
            session.report.raw(&String::from_utf8(page(name)?)?);
            Ok(())
        }
    }
}

fn write(directory: &Path, name: &str, session: &Session) -> Result<()> {
    let operand = PathOrStdio::File(directory.join(format!("{name}.1")));
    let mut output = Output::create(&operand, session.force)?;
    output.write_all(&page(name)?).with_context(|| format!("writing '{operand}'"))?;
    output.commit()
}

fn page(name: &str) -> Result<Vec<u8>> {
    let page = args::man_page(name);
    let page = page.ok_or_else(|| anyhow!("there is no page '{name}', only: {}", args::page_names().join(", ")))?;
    page.context("making the page")
}
