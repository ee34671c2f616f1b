//! Converts a Zarr group to a bcolz table: each array becomes a column. The reverse of a table as Zarr.

use std::path::Path;

use bloscpack_format::FormatError;
use bloscpack_format::bcolz::RootDirs;
use bloscpack_format::numpy::NumpyMeta;

use super::metadata::Metadata;
use super::report::ConvertReport;
use super::table::{NewColumn, check_options, write_table};
use crate::formats::bcolz::Below;
use crate::formats::zarr::Group;
use crate::source::{AnyDirectory, Input, ReadDirectory as _};
use crate::target::Target;
use crate::{AnySource, Archive, ConvertOptions, DroppedAttribute, Error};

/// Returns the store of the input if it is a Zarr group that shall be read as a table.
pub(super) fn group_of(input: &AnySource, options: &ConvertOptions) -> Result<Option<AnyDirectory>, Error> {
    if options.column.is_some() || options.typing.raw {
        return Ok(None);
    }
    let store = input.zarr(&options.open_options())?;
    Ok(store.filter(|(_, is_group)| *is_group).map(|(store, _)| store))
}

/// Writes the arrays and all attributes of a group to the new table `output`. The columns are in the order of
/// consolidated metadata, or else sorted by name.
pub(super) fn to_table(store: AnyDirectory, output: &Path, options: &ConvertOptions) -> Result<ConvertReport, Error> {
    check_options(options)?;
    let open = options.open_options();
    let group = Group::open_with(&store, &open)?;
    let names = RootDirs { names: group.arrays_in_order()? };
    if names.names.is_empty() {
        let what = "a Zarr group without arrays is no table, which has columns";
        return Err(Error::NotWritable { directory: store.name(""), what });
    }
    names.check().map_err(|error| Error::from(FormatError::from(error)).in_file(store.name("")))?;
    let open = |name: &String| Archive::open_with(Input::directory(Below::new(store.clone(), name)), &open);
    let archives: Vec<Archive<'_>> = names.names.iter().map(open).collect::<Result<_, _>>()?;
    let (mut columns, mut dropped) = (Vec::<NewColumn<'_>>::new(), Vec::new());
    for (name, archive) in names.names.iter().zip(&archives) {
        let meta = meta_of(archive, columns.first(), &store.name(name))?;
        let (attrs, lost) = Metadata::of(archive, Target::Bcolz)?.into_attrs()?;
        dropped
            .extend(lost.into_iter().map(|lost| DroppedAttribute { name: format!("{name}: {}", lost.name), ..lost }));
        columns.push(NewColumn { name, archive, meta, storage: None, attrs });
    }
    let report = write_table(columns, group.meta().attributes.try_clone()?, output, options)?;
    Ok(ConvertReport { dropped, ..report })
}

/// Returns the array of a column. Refuses one without rows, or with another number of rows than the first column.
fn meta_of(archive: &Archive<'_>, first: Option<&NewColumn<'_>>, name: &str) -> Result<NumpyMeta, Error> {
    let rows = |meta: &NumpyMeta| meta.shape.first().copied();
    let no_rows = || Error::CarrayParams { what: "a zero-dimensional array has no rows" }.in_file(name.to_owned());
    let meta = archive.numpy().ok_or(Error::Unsupported { format: archive.format() })?.clone();
    let found = rows(&meta).ok_or_else(no_rows)?;
    match first.and_then(|first| rows(&first.meta)) {
        Some(expected) if expected != found => Err(Error::ColumnLength { column: name.to_owned(), found, expected }),
        _ => Ok(meta),
    }
}
