//! `blpk meta`: attributes, vlmetalayers and bloscpack metadata, printed and changed.

use crate::args::{MetaCommand, MetaGetArgs, MetaSetArgs};
use crate::files;
use crate::json::line;
use crate::kind::{Kind, kind_of};
use crate::session::Session;
use crate::streams::{Output, Place};
use anyhow::{Context as _, Result, anyhow, bail};
use blosc_core::memory;
use bloscpack_format::{Json, msgpack};
use bloscpack_io::{AttributeEdit, Error, Limits, edit_attribute, read_attributes};
use std::io::Write as _;
use std::path::Path;

pub(super) fn run(command: &MetaCommand, session: &Session) -> Result<()> {
    match command {
        MetaCommand::Get(args) => get(args, session),
        MetaCommand::Set(args) => set(args),
        MetaCommand::Rm(args) => {
            let (path, column) = (&args.file, args.column.as_deref());
            edit(path, column, &args.key, AttributeEdit::Remove)
        }
    }
}

fn get(args: &MetaGetArgs, session: &Session) -> Result<()> {
    let (path, column) = (&args.file, args.column.as_deref());
    check(path, column)?;
    let name = || path.display().to_string();
    let read = |key| read_attributes(path, column, key, Limits::new()).with_context(name);
    let found = read(args.key.as_deref())?;
    let Some(key) = &args.key else {
        session.report.raw(&line(&Json::Object(found.values.into_members()))?);
        for lost in &found.unreadable {
            session.report.warning(&format!("{}: attribute {:?} cannot be read: {}", name(), lost.name, lost.why));
        }
        return Ok(());
    };
    match (found.values.get(key), found.unreadable.first()) {
        (Some(value), _) => match if args.raw { msgpack::bytes_of(value)? } else { None } {
            None => session.report.raw(&line(value)?),
            Some(bytes) => {
                let mut output = Output::create(&Place::Standard, session.force || is_text(&bytes))?;
                output.write_all(&bytes).context("writing the output")?;
                output.commit()?;
            }
        },
        (None, Some(lost)) => {
            bail!("{}: attribute {key:?} cannot be read: {}", name(), lost.why)
        }
        (None, None) => {
            let all = read(None)?.values.into_members();
            let names = memory::collect(all.into_iter().map(|(name, _)| name))?;
            return Err(anyhow!(Error::NoSuchAttribute { name: key.clone(), names }).context(name()));
        }
    }
    Ok(())
}

/// Whether bytes are text that a terminal can show: it obeys control characters.
fn is_text(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok_and(|text| text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')))
}

fn set(args: &MetaSetArgs) -> Result<()> {
    let value = args.json().map_err(|error| anyhow!("{error}"))?;
    edit(&args.file, args.column.as_deref(), &args.key, AttributeEdit::Set(value))
}

fn edit(path: &Path, column: Option<&str>, key: &str, edit: AttributeEdit) -> Result<()> {
    check(path, column)?;
    edit_attribute(path, column, key, edit, Limits::new()).with_context(|| path.display().to_string())
}

/// Refuses what has no attributes.
fn check(path: &Path, column: Option<&str>) -> Result<()> {
    if Place::from(path.to_owned()) == Place::Standard {
        bail!("<file> cannot be '-': a file or directory is needed");
    }
    if column.is_some() {
        return files::table_must_exist("file", path);
    }
    match kind_of(path) {
        Some(Kind::Ctable) => Ok(()),
        Some(kind @ (Kind::Npy | Kind::Chunk | Kind::Foreign(_))) => {
            bail!("file '{}' is {kind}, which has no attributes", path.display())
        }
        _ => files::must_exist("file", path),
    }
}
