//! Salvaging a carray or ctable that was torn or damaged: which rows still stand, and what is lost.
//!
//! What is damaged is only read; a copy is written beside it. `meta/sizes` says how many rows there were. If it is lost, all
//! rows that stand are taken. A chunk that is lost takes the rows behind it with it, for they would get other numbers; or, if
//! that is asked for, its rows get the default value. Columns of a table end where the shortest does.
//!
//! | file | what it knows |
//! |---|---|
//! | `salvage` | what stands of one carray |
//! | `report` | what was lost |

mod report;
mod salvage;

use std::path::Path;
use std::sync::Arc;

use blosc_core::Limits;
use bloscpack_format::bcolz::{Attrs, ROOTDIRS_FILE, RootDirs, STORAGE_FILE, check_name};

pub use self::report::{Lost, LostPart, RecoverReport};
use self::salvage::Damaged;
use crate::formats::bcolz::carray::Meta;
use crate::formats::bcolz::kept::Kept;
use crate::formats::bcolz::local::LocalDirectory;
use crate::formats::bcolz::settled::Moves;
use crate::formats::bcolz::store::Below;
use crate::formats::bcolz::store::{read_attrs, read_meta};
use crate::formats::bcolz::write::{Column, CtableWriter, Place, Staging};
use crate::fs::files::refuse_within;
use crate::options::Gaps;
use crate::recover::lost::Told;
use crate::source::ReadDirectory;
use crate::{Cancel, Error, RecoverOptions};

/// Writes what still stands of the carray or ctable `input` to a new directory.
///
/// # Errors
/// [`Error::InFile`] if `meta/storage` of an array does not stand, without which nobody knows what a row is, or of all
/// columns; [`Error::NotBcolz`]; [`Error::InputReplaced`] if the new directory would be the old one, in it, or in the place of one that
/// it is in; [`Error::OutputExists`], [`Error::File`], [`Error::Cancelled`].
pub fn recover(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    options: &RecoverOptions,
) -> Result<RecoverReport, Error> {
    recover_paths(input.as_ref(), output.as_ref(), options)
}

fn recover_paths(input: &Path, output: &Path, options: &RecoverOptions) -> Result<RecoverReport, Error> {
    let RecoverOptions { limits, ref cancel, overwrite, gaps } = *options;
    let dir = LocalDirectory::open(input)?;
    refuse_within(input, output)?;
    let mut lost = Vec::new();
    let moves = match Moves::read(&dir, &limits) {
        Ok(moves) => moves,
        Err(error) => {
            let error = error.unless_out_of_memory()?;
            lost.push(Lost { column: None, what: LostPart::Pending { why: error.report().to_string() } });
            Moves::default()
        }
    };
    let dir = moves.on(dir);
    let how = How { overwrite, gaps, cancel, limits };
    match columns(&dir, &mut lost, &limits)? {
        Some(names) => table(&dir, names, output, how, lost),
        None => array(&dir, output, how, lost),
    }
}

/// How it is done.
struct How<'a> {
    overwrite: bool,
    gaps: Gaps,
    cancel: &'a Cancel,
    limits: Limits,
}

/// The columns, if it is a table, or looks as if it was one.
fn columns(dir: &dyn ReadDirectory, lost: &mut Vec<Lost>, limits: &Limits) -> Result<Option<Vec<String>>, Error> {
    let has_storage = |path: &str| dir.open(&format!("{path}{STORAGE_FILE}")).is_ok();
    let error = match read_meta(dir, ROOTDIRS_FILE, (limits, 1), RootDirs::parse) {
        Ok(found) => return Ok(Some(found.names)),
        Err(error) if error.is_not_found() && has_storage("") => return Ok(None),
        Err(error) => error.unless_out_of_memory()?,
    };
    let names = dir.list("").map_err(|error| Error::io("listing")(error).in_file(dir.name("")))?;
    let mut names: Vec<String> =
        names.into_iter().filter(|name| check_name(name).is_ok() && has_storage(&format!("{name}/"))).collect();
    names.sort();
    if names.is_empty() {
        return Err(Error::NotBcolz { directory: dir.name("") });
    }
    lost.push(Lost { column: None, what: LostPart::RootDirs { why: error.report().to_string() } });
    Ok(Some(names))
}

fn array(
    dir: &dyn ReadDirectory,
    output: &Path,
    How { overwrite, gaps, cancel, limits }: How<'_>,
    mut lost: Vec<Lost>,
) -> Result<RecoverReport, Error> {
    let mut damaged = Damaged::open(dir, &mut Kept::new(limits))?;
    let (place, new) = Place::create(output, overwrite)?;
    let mut column = column(Arc::new(Staging::open(new, limits)?), "", &damaged)?;
    damaged.copy_to(&mut column, gaps, &mut Told::new(limits), cancel)?;
    lost.extend(damaged.lost.into_iter().map(|what| Lost { column: None, what }));
    column.flush()?;
    let rows = column.len();
    drop(column);
    place.commit()?;
    Ok(RecoverReport { columns: Vec::new(), rows, lost })
}

fn table(
    dir: &dyn ReadDirectory,
    names: Vec<String>,
    output: &Path,
    How { overwrite, gaps, cancel, limits }: How<'_>,
    mut lost: Vec<Lost>,
) -> Result<RecoverReport, Error> {
    let attrs = match read_attrs(dir, &limits) {
        Ok(found) => found,
        Err(error) => {
            let error = error.unless_out_of_memory()?;
            lost.push(Lost { column: None, what: LostPart::Attrs { why: error.report().to_string() } });
            Attrs::default()
        }
    };
    let (place, new) = Place::create(output, overwrite)?;
    let root = Arc::new(Staging::open(new, limits)?);
    let (mut kept, mut columns) = (Vec::new(), Vec::new());
    let (mut metadata, mut told) = (Kept::new(limits), Told::new(limits));
    let mut first_error = None;
    for name in names {
        let below = Below::new(dir, &name);
        let mut lost_here = Vec::new();
        let moves = match Moves::read(&below, &limits) {
            Ok(found) => found,
            Err(error) => {
                let error = error.unless_out_of_memory()?;
                lost_here.push(LostPart::Pending { why: error.report().to_string() });
                Moves::default()
            }
        };
        let below = moves.on(below);
        match Damaged::open(&below, &mut metadata) {
            Ok(mut damaged) => {
                let mut new = column(root.clone(), &name, &damaged)?;
                damaged.copy_to(&mut new, gaps, &mut told, cancel)?;
                lost_here.append(&mut damaged.lost);
                kept.push(name.clone());
                columns.push(new);
            }
            Err(error) => {
                let error = error.unless_out_of_memory()?;
                lost_here.push(LostPart::Column { why: error.report().to_string() });
                first_error = first_error.or(Some(error));
            }
        }
        lost.extend(lost_here.into_iter().map(|what| Lost { column: Some(name.clone()), what }));
    }
    if let Some(error) = first_error.filter(|_| columns.is_empty()) {
        return Err(error);
    }
    let rows = columns.iter().map(Column::len).min().unwrap_or(0);
    for (name, column) in kept.iter().zip(&mut columns) {
        if column.len() > rows {
            let what = LostPart::Longer { rows: rows..column.len() };
            lost.push(Lost { column: Some(name.clone()), what });
            column.shrink(rows)?;
        }
    }
    let mut table = CtableWriter::with(root, kept.clone(), columns);
    table.write_lists(&attrs)?;
    table.flush()?;
    drop(table);
    place.commit()?;
    Ok(RecoverReport { columns: kept, rows, lost })
}

/// A new carray like the damaged one, without rows.
fn column(
    root: Arc<Staging<LocalDirectory>>,
    at: &str,
    damaged: &Damaged<'_>,
) -> Result<Column<LocalDirectory>, Error> {
    let mut sizes = damaged.meta.sizes.clone();
    (sizes.nbytes, sizes.cbytes) = (0, 0);
    if let Some(rows) = sizes.shape.first_mut() {
        *rows = 0;
    }
    let meta = Meta::new(damaged.meta.storage.clone(), sizes)?;
    Column::create_with(root, at, meta, &damaged.attrs)
}
