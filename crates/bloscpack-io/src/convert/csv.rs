//! Converts tables and arrays to text for programs that read only text. Each row is a line, each item of it a field.

use std::io;
use std::path::Path;

use bloscpack_format::Attrs;
use bloscpack_format::numpy::Leaf;

use super::metadata::{Metadata, lost};
use super::observed::Observed;
use super::report::ConvertReport;
use super::table::report;
use crate::array::{Array, ItemFormat, ItemWriter, csv_error, each_text, field_names, plain_dtype, text_leaves};
use crate::attributes::append;
use crate::error::ArrayRefusal;
use crate::formats::bcolz::{Carray, Ctable, Cursor, Root};
use crate::fs::atomic::AtomicFile;
use crate::options::Event;
use crate::source::ReadDirectory;
use crate::target::Target;
use crate::{AnyDirectory, AnySource, ConvertOptions, DropReason, DroppedAttribute, Error};

/// The reason why attributes are lost: text cannot store them.
const NONE: DropReason = DropReason::NoMetadata(Target::Csv);

/// Number of rows between two checks for cancellation.
const ROWS: u64 = 4096;

/// Writes a table, one column of it, or an array as comma-separated values to the file `output`.
pub(super) fn to_csv(input: AnySource, output: &Path, options: &ConvertOptions) -> Result<ConvertReport, Error> {
    let is_typed = options.typing.dtype.is_some() || options.typing.shape.is_some();
    match (input.table(), input.carray(), options.column.as_deref()) {
        (Some(table), ..) => of_bcolz(table, output, options),
        (_, _, Some(name)) => opened(input.into_column(name, &options.limits)?, output, options),
        (_, Some(carray), _) if !is_typed => of_bcolz(carray, output, options),
        _ => opened(input, output, options),
    }
}

/// Converts a table, one of its columns, or a carray. One chunk of each column is in memory.
fn of_bcolz(input: AnyDirectory, output: &Path, options: &ConvertOptions) -> Result<ConvertReport, Error> {
    if options.typing.dtype.is_some() || options.typing.shape.is_some() {
        return Err(Error::not_an_array(ArrayRefusal::Table));
    }
    match Root::open_with(input, &options.open_options())? {
        Root::Ctable(table) => {
            let column = options.column.as_deref();
            let columns = select(&table, column)?;
            write(&columns, table.len(), output, options)?;
            let mut dropped = if column.is_none() { lost_of(table.attrs(), "")? } else { Vec::new() };
            for (name, column) in columns {
                append(&mut dropped, lost_of(column.attrs(), &format!("{name}: "))?)?;
            }
            Ok(ConvertReport { dropped, ..report(&table) })
        }
        Root::Carray(carray) => {
            write(&[("f0", &carray)], carray.len(), output, options)?;
            let dropped = lost_of(carray.attrs(), "")?;
            let (nbytes, array) = (carray.nbytes(), carray.numpy().ok());
            Ok(ConvertReport { nbytes, array, dropped, ..ConvertReport::default() })
        }
    }
}

/// Lists attributes, which text cannot store.
fn lost_of(attrs: Result<&Attrs, Error>, prefix: &str) -> Result<Vec<DroppedAttribute>, Error> {
    match attrs.map_err(Error::unless_out_of_memory) {
        Ok(attrs) => Ok(lost(attrs, prefix, &NONE)?),
        Err(Ok(_)) => Ok(vec![DroppedAttribute::new(&format!("{prefix}__attrs__"), NONE)?]),
        Err(Err(refused)) => Err(refused),
    }
}

fn opened(input: AnySource, output: &Path, options: &ConvertOptions) -> Result<ConvertReport, Error> {
    array_to_csv(&Array::open_with(input, &options.open_options())?, output, options)
}

/// Converts an array. Each index of the first axis is a line. The items are streamed.
pub(super) fn array_to_csv(array: &Array<'_>, output: &Path, options: &ConvertOptions) -> Result<ConvertReport, Error> {
    let observer = &options.observer;
    observer.tell(Event::Begin { nbytes: array.nbytes() });
    let file = io::BufWriter::new(AtomicFile::create(output, options.overwrite)?);
    let writer = ItemWriter::new(file, ItemFormat::Csv, array.meta(), None)?;
    let mut writer = Observed::new(writer, observer);
    array.copy_items(0..array.len(), &mut writer, &options.unpack_options())?;
    let file = writer.into_inner().finish()?.into_inner();
    file.map_err(|error| Error::writing(error.into_error()))?.commit()?;
    let (nbytes, meta) = (array.nbytes(), array.meta().clone());
    let dropped = Metadata::of(array.archive(), Target::Npy)?.into_nothing(Target::Csv)?;
    Ok(ConvertReport { nbytes, array: Some(meta), dropped, ..ConvertReport::default() })
}

type Named<'a, D> = (&'a str, &'a Carray<D>);

fn select<'a>(
    table: &'a Ctable<AnyDirectory>,
    column: Option<&'a str>,
) -> Result<Vec<Named<'a, crate::formats::bcolz::ColumnDirectory<AnyDirectory>>>, Error> {
    let Some(name) = column else {
        return Ok(table.names().iter().map(String::as_str).zip(table.columns()).collect());
    };
    match table.column(name) {
        Some(column) => Ok(vec![(name, column)]),
        None => Err(Error::NoSuchColumn { column: name.into(), columns: table.names().to_vec() }),
    }
}

/// A column and the type of its items.
struct Field<'a, D> {
    cursor: Cursor<'a, D>,
    leaves: Vec<Leaf>,
    itemsize: usize,
    /// Size of a row in bytes.
    atomsize: u64,
}

fn write<D: ReadDirectory>(
    columns: &[Named<'_, D>],
    rows: u64,
    output: &Path,
    options: &ConvertOptions,
) -> Result<(), Error> {
    let (mut fields, mut head) = (Vec::new(), Vec::new());
    for (name, column) in columns {
        let describe = |head: &mut Vec<String>| {
            let dtype = plain_dtype(column.dtype().as_plain())?;
            let leaves = text_leaves(dtype)?;
            field_names(Some(name), column.shape().get(1..).unwrap_or_default(), &leaves, head)?;
            Ok((leaves, (dtype.itemsize() as usize).max(1)))
        };
        let described = describe(&mut head).map_err(|error: Error| error.in_file(column.directory().name("")));
        let (leaves, itemsize) = described?;
        fields.push(Field { cursor: column.cursor(), leaves, itemsize, atomsize: column.rows().atomsize() });
    }
    let mut file = AtomicFile::create(output, options.overwrite)?;
    lines(&mut fields, &head, rows, &mut csv::Writer::from_writer(&mut file), options)?;
    file.commit()
}

fn lines<D: ReadDirectory, W: std::io::Write>(
    fields: &mut [Field<'_, D>],
    head: &[String],
    rows: u64,
    writer: &mut csv::Writer<W>,
    options: &ConvertOptions,
) -> Result<(), Error> {
    writer.write_record(head).map_err(csv_error)?;
    let mut text = Vec::new();
    let atomsize: u64 = fields.iter().map(|field| field.atomsize).fold(0, u64::saturating_add);
    options.observer.tell(Event::Begin { nbytes: rows.saturating_mul(atomsize) });
    for row in 0..rows {
        if row % ROWS == 0 {
            options.cancel.check()?;
            let done = if row == 0 { 0 } else { ROWS };
            options.observer.tell(Event::Plain(done.saturating_mul(atomsize)));
        }
        for Field { cursor, leaves, itemsize, .. } in &mut *fields {
            for item in cursor.row(row)?.chunks_exact(*itemsize) {
                each_text(leaves, item, &mut text, |text| writer.write_field(text).map_err(csv_error))?;
            }
        }
        // An empty record ends the line.
        writer.write_record(None::<&[u8]>).map_err(csv_error)?;
    }
    writer.flush().map_err(Error::writing)
}
