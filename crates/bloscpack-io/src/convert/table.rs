//! Converts all columns of a bcolz table, to another table or to one file per column.

use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::path::Path;

use bloscpack_format::Attrs;
use bloscpack_format::bcolz::Storage;
use bloscpack_format::numpy::NumpyMeta;

use super::copied::{Copied, Wanted};
use super::metadata::{Metadata, lost};
use super::observed::Observed;
use super::report::ConvertReport;
use super::write::{write_array, write_npy};
use crate::error::ArrayRefusal;
use crate::formats::bcolz::{Ctable, CtableWriter, Directory, RowInput, RowStream, WrittenColumn};
use crate::fs::contents::holds_only_files;
use crate::fs::new_directory::NewDirectory;
use crate::fs::spool;
use crate::options::{Event, Typing};
use crate::source::ReadDirectory;
use crate::target::{ColumnFiles, Target};
use crate::{Archive, Array, Cancel, ConvertOptions, DropReason, DroppedAttribute, Error, PlainReader, Threads};

/// Writes the columns and all attributes of a table to the new directory `output`.
pub(super) fn to_table(
    input: impl ReadDirectory,
    output: &Path,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    check_options(options)?;
    let table = Ctable::open_with(input, &options.open_options())?;
    let attrs = table.attrs()?.try_clone()?;
    let archives: Vec<Archive<'_>> =
        table.names().iter().map(|name| table.column_archive(name)).collect::<Result<_, _>>()?;
    let mut columns = Vec::new();
    for ((name, column), archive) in named(&table).zip(&archives) {
        // A killed Python process can leave columns that are longer than the first.
        let meta = meta_of(&table, name)?;
        let attrs = column.attrs()?.try_clone()?;
        columns.push(NewColumn { name, archive, meta, storage: Some(column.storage()), attrs });
    }
    write_table(columns, attrs, output, options)
}

/// A column of a new table.
pub(super) struct NewColumn<'a> {
    pub(super) name: &'a str,
    pub(super) archive: &'a Archive<'a>,
    /// The array in the first plain bytes of the archive, with the number of rows of the table.
    pub(super) meta: NumpyMeta,
    /// The storage of the input, if it is a column.
    pub(super) storage: Option<&'a Storage>,
    pub(super) attrs: Attrs,
}

/// Writes columns of equal length and the attributes of the table to the new directory `output`.
pub(super) fn write_table(
    columns: Vec<NewColumn<'_>>,
    attrs: Attrs,
    output: &Path,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    let (mut named, mut inputs, mut report) = (Vec::new(), Vec::new(), ConvertReport::default());
    let unpack = options.unpack_options();
    for NewColumn { name, archive, meta, storage, .. } in &columns {
        let nbytes = meta.nbytes().unwrap_or(0);
        report.nbytes = report.nbytes.saturating_add(nbytes);
        let copied = copied(archive, meta, nbytes, options)?;
        let params = options.carray_params(meta, *storage, copied.as_ref());
        named.push((*name, params.map_err(|error| error.in_file((*name).to_owned()))?));
        inputs.push(match copied {
            Some(copied) => Rows::Copied(copied),
            None => Rows::Stream(Observed::new(archive.reader(&unpack).take(nbytes), &options.observer)),
        });
    }
    let writer = CtableWriter::create(output, options.overwrite, &named)?;
    let mut writer = writer.auto_observed(options.chosen(None), &options.observer);
    options.observer.tell(Event::Begin { nbytes: report.nbytes });
    writer.append_columns(inputs.into_iter(), &options.threads, &options.cancel)?;
    writer.set_attrs(attrs);
    for NewColumn { name, attrs, .. } in columns {
        writer.set_column_attrs(name, attrs)?;
    }
    writer.finish()?;
    Ok(report)
}

/// Writes each column of a table to a separate file in the directory `output`.
pub(super) fn to_files(
    input: impl ReadDirectory,
    output: &Path,
    files: ColumnFiles,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    check_options(options)?;
    let table = Ctable::open_with(input, &options.open_options())?;
    let directory = NewDirectory::create(output, options.overwrite, is_files)?;
    let options = options.clone().overwrite(false);
    let (unpack, observer) = (options.unpack_options(), &options.observer);
    let mut report = report(&table);
    observer.tell(Event::Begin { nbytes: report.nbytes });
    report.dropped = match table.attrs() {
        Ok(attrs) => lost(attrs, "", &DropReason::TableOfFiles)?,
        Err(error) => vec![DroppedAttribute::new("__attrs__", DropReason::unreadable(error)?)?],
    };
    for name in table.names() {
        let meta = meta_of(&table, name)?;
        let nbytes = meta.nbytes().unwrap_or(0);
        let archive = table.column_archive(name)?;
        let bytes = archive.reader(&unpack).take(nbytes);
        let path = directory.path().join(format!("{name}.{}", files.extension()));
        let metadata = Metadata::of(&archive, files.target())?;
        let dropped = match files {
            ColumnFiles::Npy => {
                write_npy(Observed::new(bytes, observer), &path, &meta, nbytes, &options)?;
                metadata.into_nothing(Target::Npy)?
            }
            ColumnFiles::B2nd => {
                let (layers, dropped) = metadata.into_layers(true, Some(&meta))?;
                report.vlmetalayers = report.vlmetalayers.max(layers.vlmetalayers.iter().len());
                let mut spool = spool::create("creating a temporary file")?;
                std::io::copy(&mut Observed::half(bytes, observer), &mut spool).map_err(Error::reading)?;
                let params = options.array_params(None, meta.dtype.itemsize())?;
                let items = Observed::half(Array::plain(spool, 0, meta.clone())?, observer);
                write_array(&items, &path, &meta, (params, layers), &options)?;
                dropped
            }
        };
        report.dropped.extend(
            dropped.into_iter().map(|lost| DroppedAttribute { name: format!("{name}: {}", lost.name), ..lost }),
        );
    }
    directory.commit()?;
    Ok(report)
}

/// Returns the chunks of a column if they can be copied.
fn copied<'a>(
    archive: &'a Archive<'a>,
    meta: &NumpyMeta,
    nbytes: u64,
    options: &'a ConvertOptions,
) -> Result<Option<Copied<'a>>, Error> {
    let chunk_nbytes = options.chunk_rows_nbytes(meta);
    let wanted = Wanted { nbytes, row: meta.row_nbytes(), chunk_nbytes, knows: |_| true };
    Copied::of(archive, &wanted, options)
}

/// The rows of a column.
enum Rows<'a> {
    Copied(Copied<'a>),
    Stream(Observed<'a, io::Take<PlainReader<'a>>>),
}

impl RowInput for Rows<'_> {
    fn append_to<D: Directory>(
        self,
        column: &mut WrittenColumn<D>,
        threads: &Threads,
        cancel: &Cancel,
    ) -> Result<u64, Error> {
        match self {
            Rows::Copied(copied) => (&copied).append_to(column, threads, cancel),
            Rows::Stream(stream) => RowStream(stream).append_to(column, threads, cancel),
        }
    }
}

pub(super) fn report<D: ReadDirectory>(table: &Ctable<D>) -> ConvertReport {
    let nbytes = table.columns().iter().map(|column| table.len().saturating_mul(column.rows().atomsize()));
    ConvertReport { nbytes: nbytes.fold(0, u64::saturating_add), ..ConvertReport::default() }
}

pub(super) fn named<D: ReadDirectory>(
    table: &Ctable<D>,
) -> impl Iterator<Item = (&str, &crate::formats::bcolz::Column<D>)> {
    table.names().iter().map(String::as_str).zip(table.columns())
}

/// Returns a column as a NumPy array with the number of rows of the table.
pub(super) fn meta_of<D: ReadDirectory>(table: &Ctable<D>, name: &str) -> Result<NumpyMeta, Error> {
    let Some(column) = table.column(name) else {
        return Err(Error::NoSuchColumn { column: name.into(), columns: table.names().to_vec() });
    };
    let mut meta = column.numpy().map_err(|error| error.in_file(column.directory().name("")))?;
    if let Some(rows) = meta.shape.first_mut() {
        *rows = table.len();
    }
    Ok(meta)
}

/// Refuses a dtype and shape for a table, because each column has its own.
pub(super) fn check_options(options: &ConvertOptions) -> Result<(), Error> {
    if options.typing == Typing::default() && options.typesize.is_none() {
        return Ok(());
    }
    Err(Error::not_an_array(ArrayRefusal::Columns))
}

/// Returns whether a directory contains only files that such a conversion creates.
fn is_files(path: &Path) -> io::Result<bool> {
    let made = [ColumnFiles::Npy, ColumnFiles::B2nd].map(|files| Some(files.extension()));
    holds_only_files(path, &|name| made.contains(&Path::new(name).extension().and_then(OsStr::to_str)))
}
