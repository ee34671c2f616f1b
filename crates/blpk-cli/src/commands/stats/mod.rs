//! `blpk stats`: count, range, mean and histogram of an array, or of each column of a table.
//!
//! | file | what it knows |
//! |---|---|
//! | `described` | an array with its statistics |
//! | `value` | a number of a dtype as text and as JSON |
//! | `text`, `json` | how statistics are shown |

mod described;
mod json;
mod text;
mod value;

use self::described::Described;
use super::array;
use crate::args::{StatsArgs, dtype};
use crate::events;
use crate::kind::{Kind, kind_of};
use crate::session::Session;
use crate::streams::Place;
use anyhow::{Context as _, Result};
use bloscpack_io::bcolz::{LocalDirectory, column_names};
use bloscpack_io::{Array, Cancel, Limits, Typing, UnpackOptions};

pub(super) fn run(args: &StatsArgs, session: &Session) -> Result<()> {
    let place = Place::from(args.file.clone());
    let cancel = session.cancel();
    let columns = match (&place, &args.column) {
        (Place::File(path), None) if kind_of(path) == Some(Kind::Ctable) => {
            let names = column_names(&LocalDirectory::open(path)?).with_context(|| place.to_string())?;
            names.into_iter().map(Some).collect()
        }
        _ => vec![args.column.clone()],
    };
    let is_table = columns.len() != 1 || columns.iter().any(|column| *column != args.column);
    let described = columns.into_iter().map(|column| describe(args, &place, column, session, &cancel));
    let described = described.collect::<Result<Vec<_>>>()?;
    session.report.raw(&match args.json {
        true => json::line(&place, &described, is_table)?,
        false => text::all(&place, &described)?,
    });
    Ok(())
}

fn describe(
    args: &StatsArgs,
    place: &Place,
    column: Option<String>,
    session: &Session,
    cancel: &Cancel,
) -> Result<Described> {
    let typing = Typing { dtype: args.dtype.as_deref().map(dtype).transpose()?, ..Typing::default() };
    let source = array::open(place, column.as_deref(), cancel)?;
    session.report.progress().file(place, None);
    let name = || match &column {
        Some(column) => format!("{place}: column {column:?}"),
        None => place.to_string(),
    };
    let array = Array::open(source, &typing, Limits::new()).with_context(name)?;
    let options = UnpackOptions::new().threads(session.threads(array.nbytes())?).cancel(cancel.clone());
    let fields = array.stats(&options.observe(events::converting(&session.report))).with_context(name)?;
    Ok(Described { column, meta: array.meta().clone(), nbytes: array.nbytes(), fields })
}
