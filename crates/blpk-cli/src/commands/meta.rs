//! `blpk meta`: attributes, vlmetalayers and bloscpack metadata, printed and changed.

use crate::args::MetaCommand;
use crate::column_advice::ColumnAdvice;
use crate::file_kind::{FileKind, kind_of};
use crate::files;
use crate::json::line;
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::streams::Output;
use anyhow::{Context as _, Result, anyhow, bail};
use blosc_core::memory;
use bloscpack_format::{Json, msgpack};
use bloscpack_io::{AttributeEdit, Attributes, Error, OpenOptions, edit_attribute, read_attributes};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A run of `blpk meta`.
pub(super) struct Plan {
    container: Container,
    action: Action,
}

/// The file or directory that has the attributes.
struct Container {
    path: PathBuf,
    /// A column of a ctable; `None` for the attributes of the table, and of anything else.
    column: Option<String>,
}

enum Action {
    GetAll,
    Get {
        key: String,
        /// Bytes are written unchanged.
        raw: bool,
    },
    Edit {
        key: String,
        edit: AttributeEdit,
    },
}

impl Plan {
    pub(super) fn new(command: &MetaCommand) -> Result<Plan> {
        let (path, column, action) = match command {
            MetaCommand::Get(args) => {
                let action = args.key.clone().map_or(Action::GetAll, |key| Action::Get { key, raw: args.raw });
                (&args.file, &args.column, action)
            }
            MetaCommand::Set(args) => {
                let value = args.json().map_err(|error| anyhow!("{error}"))?;
                (&args.file, &args.column, Action::Edit { key: args.key.clone(), edit: AttributeEdit::Set(value) })
            }
            MetaCommand::Rm(args) => {
                (&args.file, &args.column, Action::Edit { key: args.key.clone(), edit: AttributeEdit::Remove })
            }
        };
        check(path, column.as_deref())?;
        Ok(Plan { container: Container { path: path.clone(), column: column.clone() }, action })
    }
}

impl Container {
    fn read(&self, key: Option<&str>) -> Result<Attributes> {
        read_attributes(&self.path, key, &OpenOptions::new().column(self.column.as_deref()))
            .with_context(|| self.name())
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }
}

pub(super) fn run(plan: Plan, session: &Session) -> Result<()> {
    let container = &plan.container;
    match plan.action {
        Action::GetAll => get_all(container, session),
        Action::Get { key, raw } => get(container, &key, raw, session),
        Action::Edit { key, edit } => {
            let (path, column) = (&container.path, container.column.as_deref());
            edit_attribute(path, &key, edit, &OpenOptions::new().column(column)).with_context(|| container.name())
        }
    }
}

fn get_all(container: &Container, session: &Session) -> Result<()> {
    let found = container.read(None)?;
    session.report.raw(&line(&Json::Object(found.values.into_members()))?);
    for lost in &found.unreadable {
        session.report.warning(&format!(
            "{}: attribute {:?} cannot be read: {}",
            container.name(),
            lost.name,
            lost.reason
        ));
    }
    Ok(())
}

fn get(container: &Container, key: &str, raw: bool, session: &Session) -> Result<()> {
    let found = container.read(Some(key))?;
    match (found.values.get(key), found.unreadable.first()) {
        (Some(value), _) => match if raw { msgpack::bytes_of(value)? } else { None } {
            None => session.report.raw(&line(value)?),
            Some(bytes) => {
                let mut output = Output::create(&PathOrStdio::Standard, session.force || is_text(&bytes))?;
                output.write_all(&bytes).context("writing the output")?;
                output.commit()?;
            }
        },
        (None, Some(lost)) => {
            bail!("{}: attribute {key:?} cannot be read: {}", container.name(), lost.reason)
        }
        (None, None) => {
            let all = container.read(None)?.values.into_members();
            let names = memory::collect(all.into_iter().map(|(name, _)| name))?;
            return Err(anyhow!(Error::NoSuchAttribute { name: key.to_owned(), names }).context(container.name()));
        }
    }
    Ok(())
}

/// Whether bytes are text that a terminal can show safely: without control characters, which it would obey.
fn is_text(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok_and(|text| text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')))
}

/// Refuses files that have no attributes.
fn check(path: &Path, column: Option<&str>) -> Result<()> {
    if PathOrStdio::from(path.to_owned()) == PathOrStdio::Standard {
        bail!("<file> cannot be '-': a file or directory is needed");
    }
    files::not_url("file", path)?;
    if column.is_some() {
        return files::table_must_exist("file", path);
    }
    match kind_of(path) {
        Some(FileKind::Ctable | FileKind::ZarrGroup) => Ok(()),
        Some(kind @ (FileKind::Npy | FileKind::Chunk)) => {
            bail!("file '{}' is {kind}, which has no attributes", path.display())
        }
        _ => files::must_exist("file", path, ColumnAdvice::UseOption),
    }
}
