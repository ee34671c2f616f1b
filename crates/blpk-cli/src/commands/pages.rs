//! `blpk completions`, `blpk man`: texts about the program itself.

use crate::args::{self, CompletionsArgs, ManArgs};
use crate::session::Session;
use crate::streams::{Output, Place};
use anyhow::{Context as _, Result, anyhow};
use std::io::Write as _;
use std::path::Path;

pub(super) fn completions(args: &CompletionsArgs, session: &Session) -> Result<()> {
    session.report.raw(&String::from_utf8(args::completions(args.shell))?);
    Ok(())
}

pub(super) fn man(args: &ManArgs, session: &Session) -> Result<()> {
    if let Some(directory) = &args.output_dir {
        return args::page_names().iter().try_for_each(|name| write(directory, name, session));
    }
    session.report.raw(&String::from_utf8(page(args.page.as_deref().unwrap_or("blpk"))?)?);
    Ok(())
}

fn write(directory: &Path, name: &str, session: &Session) -> Result<()> {
    let place = Place::File(directory.join(format!("{name}.1")));
    let mut output = Output::create(&place, session.force)?;
    output.write_all(&page(name)?).with_context(|| format!("writing '{place}'"))?;
    output.commit()
}

fn page(name: &str) -> Result<Vec<u8>> {
    let page = args::man_page(name);
    let page = page.ok_or_else(|| anyhow!("there is no page '{name}', only: {}", args::page_names().join(", ")))?;
    page.context("making the page")
}
