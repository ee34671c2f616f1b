//! Salvages a torn or damaged carray or ctable: finds the readable rows and reports what is lost.
//!
//! The damaged directory is only read; a copy is written. `meta/sizes` contains the number of rows. If it is lost, all
//! readable rows are used. After a lost chunk the following rows are dropped, because their numbers would change. With
//! [`Gaps::Fill`](crate::Gaps::Fill) the rows of a lost chunk get the default value instead. The columns of a table end
//! where the shortest one does.
//!
//! | file | content |
//! |---|---|
//! | `salvage` | the readable rows of one carray |

mod salvage;

use std::path::Path;
use std::sync::Arc;

use blosc_core::Limits;
use bloscpack_format::bcolz::{ROOTDIRS_FILE, RootDirs, STORAGE_FILE, check_name};

use self::salvage::{Counts, Damaged};
use super::lost::LostPart;
use super::report::{Lost, RecoverReport, or_lost};
use super::report_budget::ReportBudget;
use crate::formats::bcolz::carray::Meta;
use crate::formats::bcolz::local::LocalDirectory;
use crate::formats::bcolz::metadata_budget::MetadataBudget;
use crate::formats::bcolz::replayed::Moves;
use crate::formats::bcolz::store::Below;
use crate::formats::bcolz::store::{read_attrs, read_meta};
use crate::formats::bcolz::write::{Column, CtableWriter, NewRoot, Staging};
use crate::source::ReadDirectory;
use crate::{Error, RecoverOptions};

/// Writes the readable rows of a carray or ctable to a new directory.
pub(super) fn recover(dir: LocalDirectory, output: &Path, options: &RecoverOptions) -> Result<RecoverReport, Error> {
    let mut lost = Vec::new();
    let dir = or_lost(Moves::read(&dir, &options.limits), LostPart::Journal, &mut lost)?.on(dir);
    match columns(&dir, &mut lost, &options.limits)? {
        Some(names) => table(&dir, names, output, options, lost),
        None => array(&dir, output, options, lost),
    }
}

/// Returns the columns if the directory is a table or looks like one.
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
    lost.push(Lost::because(LostPart::ColumnList, error));
    Ok(Some(names))
}

fn array(
    dir: &dyn ReadDirectory,
    output: &Path,
    options: &RecoverOptions,
    mut lost: Vec<Lost>,
) -> Result<RecoverReport, Error> {
    let limits = options.limits;
    let mut damaged = Damaged::open(dir, &mut MetadataBudget::new(limits))?;
    let (new_root, new) = NewRoot::create(output, options.overwrite)?;
    let mut column = column(Arc::new(Staging::open(new, limits)?), "", &damaged)?;
    let Counts { kept, total } = damaged.copy_to(&mut column, options, &mut ReportBudget::new(limits))?;
    lost.append(&mut damaged.lost);
    column.flush()?;
    let rows = column.len();
    drop(column);
    new_root.commit()?;
    let nbytes = rows.saturating_mul(damaged.meta.rows.atomsize());
    Ok(RecoverReport { kept, total, nbytes, rows: Some(rows), columns: Vec::new(), lost })
}

fn table(
    dir: &dyn ReadDirectory,
    names: Vec<String>,
    output: &Path,
    options: &RecoverOptions,
    mut lost: Vec<Lost>,
) -> Result<RecoverReport, Error> {
    let limits = options.limits;
    let attrs = or_lost(read_attrs(dir, &limits), LostPart::Attributes, &mut lost)?;
    let (new_root, new) = NewRoot::create(output, options.overwrite)?;
    let root = Arc::new(Staging::open(new, limits)?);
    let (mut names_kept, mut columns) = (Vec::new(), Vec::new());
    let (mut counts, mut atomsize) = (Counts::default(), 0_u64);
    let (mut budget, mut report_budget) = (MetadataBudget::new(limits), ReportBudget::new(limits));
    let mut first_error = None;
    for name in names {
        let below = Below::new(dir, &name);
        let mut lost_here = Vec::new();
        let below = or_lost(Moves::read(&below, &limits), LostPart::Journal, &mut lost_here)?.on(below);
        match Damaged::open(&below, &mut budget) {
            Ok(mut damaged) => {
                let mut new = column(root.clone(), &name, &damaged)?;
                counts.add(damaged.copy_to(&mut new, options, &mut report_budget)?);
                lost_here.append(&mut damaged.lost);
                atomsize = atomsize.saturating_add(damaged.meta.rows.atomsize());
                names_kept.push(name.clone());
                columns.push(new);
            }
            Err(error) => {
                let error = Arc::new(error.unless_out_of_memory()?);
                lost_here.push(Lost::because(LostPart::Column, error.clone()));
                first_error = first_error.or(Some(error));
            }
        }
        lost.extend(lost_here.into_iter().map(|lost| lost.in_column(&name)));
    }
    if let Some(error) = first_error.filter(|_| columns.is_empty()) {
        // The report holds the other reference.
        drop(lost);
        return Err(Arc::into_inner(error).unwrap_or_else(|| Error::NotBcolz { directory: dir.name("") }));
    }
    let rows = columns.iter().map(Column::len).min().unwrap_or(0);
    for (name, column) in names_kept.iter().zip(&mut columns) {
        if column.len() > rows {
            lost.push(Lost::from(LostPart::SurplusRows { rows: rows..column.len() }).in_column(name));
            column.shrink(rows)?;
        }
    }
    let mut table = CtableWriter::with(root, names_kept.clone(), columns);
    table.write_lists(&attrs)?;
    table.flush()?;
    drop(table);
    new_root.commit()?;
    let (Counts { kept, total }, nbytes) = (counts, rows.saturating_mul(atomsize));
    Ok(RecoverReport { kept, total, nbytes, rows: Some(rows), columns: names_kept, lost })
}

/// Creates an empty carray with the parameters of the damaged one.
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
