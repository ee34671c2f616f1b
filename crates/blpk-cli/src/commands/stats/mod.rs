//! `blpk stats`: count, range, mean and histogram of an array, or of each column of a table.
//!
//! | file | contents |
//! |---|---|
//! | `described` | an array with its statistics |
//! | `value` | a number of a dtype as text and as JSON |
//! | `text`, `json` | statistics as text, and as JSON |

mod described;
mod json;
mod text;
mod value;

use self::described::Described;
use super::array;
use crate::args::{StatsArgs, dtype};
use crate::events;
use crate::file_kind::{FileKind, kind_of};
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::url;
use anyhow::{Context as _, Result};
use bloscpack_io::bcolz::{LocalDirectory, column_names};
use bloscpack_io::{AnyDirectory, Array, Cancel, OpenOptions, Typing, UnpackOptions};
use std::sync::Arc;

/// A run of `blpk stats`.
pub(super) struct Plan {
    operand: PathOrStdio,
    /// The columns of a table; `None` for an array.
    columns: Vec<Option<String>>,
    /// Whether all columns of a table are described, even if the table has only one.
    is_table: bool,
    typing: Typing,
    as_json: bool,
}

impl Plan {
    pub(super) fn new(args: &StatsArgs) -> Result<Plan> {
        let operand = PathOrStdio::from(args.file.clone());
        let table = if args.column.is_none() { table(&operand)? } else { None };
        let columns = match table {
            Some(table) => {
                let names = column_names(&table, &OpenOptions::new()).with_context(|| operand.to_string())?;
                names.into_iter().map(Some).collect()
            }
            None => vec![args.column.clone()],
        };
        let is_table = columns.len() != 1 || columns.iter().any(|column| *column != args.column);
        // The dtype is parsed only if there is an array to read.
        let dtype = args.dtype.as_deref().filter(|_| !columns.is_empty()).map(dtype).transpose()?;
        Ok(Plan { operand, columns, is_table, typing: Typing::new().dtype(dtype), as_json: args.json })
    }
}

/// Returns the directory, if it is a ctable.
fn table(operand: &PathOrStdio) -> Result<Option<AnyDirectory>> {
    match operand {
        PathOrStdio::File(path) if kind_of(path) == Some(FileKind::Ctable) => {
            Ok(Some(Arc::new(LocalDirectory::open(path)?)))
        }
        PathOrStdio::Url(url) => Ok(url::open(url, None)?.table()),
        _ => Ok(None),
    }
}

pub(super) fn run(plan: &Plan, session: &Session) -> Result<()> {
    let Plan { operand, columns, is_table, typing, as_json } = plan;
    let cancel = session.cancel();
    let described = columns.iter().map(|column| describe(operand, column.as_deref(), typing, session, &cancel));
    let described = described.collect::<Result<Vec<_>>>()?;
    session.report.raw(&match as_json {
        true => json::line(operand, &described, *is_table)?,
        false => text::all(operand, &described)?,
    });
    Ok(())
}

fn describe(
    operand: &PathOrStdio,
    column: Option<&str>,
    typing: &Typing,
    session: &Session,
    cancel: &Cancel,
) -> Result<Described> {
    let source = array::open(operand, column, cancel)?;
    session.report.progress().file(operand, None);
    let name = || match column {
        Some(column) => format!("{operand}: column {column:?}"),
        None => operand.to_string(),
    };
    let array = Array::open_with(source, &OpenOptions::new().typing(typing.clone())).with_context(name)?;
    let options = UnpackOptions::new().threads(session.threads(array.nbytes())?).cancel(cancel.clone());
    let fields = array.stats(&options.observe(events::converting(&session.report))).with_context(name)?;
    let column = column.map(str::to_owned);
    Ok(Described { column, meta: array.meta().clone(), nbytes: array.nbytes(), fields })
}
