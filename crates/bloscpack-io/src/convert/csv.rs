//! Tables of bcolz as text, for programs that read nothing else: a line for each row, a field for each item of it.

use std::path::Path;

use bloscpack_format::numpy::{Dtype, NumpyError, Scalar};

use super::table::report;
use super::{ConvertOptions, ConvertReport};
use crate::Error;
use crate::atomic::AtomicFile;
use crate::bcolz::{Carray, Ctable, Cursor, Directory, LocalDirectory, Root};
use crate::files::refuse_within;
use crate::options::Event;

/// Fields of a line: more are nothing that a program reads as a table.
const MAX_FIELDS: usize = 16_384;

/// How often to look whether it was called off, in rows.
const ROWS: u64 = 4096;

/// Writes the table in the directory `input`, or one column of it, as comma-separated values to the file `output`, which appears
/// whole or not at all. The first line has the names of the columns; one of several axes becomes as many, `name_0`, `name_1`,
/// …; a carray that is in no table is called `f0`. What the text of an item is, [`Scalar::text_of`] says.
///
/// One chunk of each column is in memory.
///
/// # Errors
/// What opening and reading the table answer; [`Error::NoSuchColumn`]; [`Error::NoText`] for columns that have no text;
/// [`Error::OutputExists`], [`Error::File`], [`Error::Io`], [`Error::Cancelled`].
pub fn convert_to_csv(
    input: &Path,
    column: Option<&str>,
    output: &Path,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    refuse_within(input, output)?;
    match Root::open_with_limits(LocalDirectory::open(input)?, options.limits)? {
        Root::Ctable(table) => {
            let columns = select(&table, column)?;
            write(&columns, table.len(), output, options)?;
            Ok(report(&table))
        }
        Root::Carray(carray) => {
            if let Some(column) = column {
                return Err(Error::NoSuchColumn { column: column.into(), columns: Vec::new() });
            }
            write(&[("f0", &carray)], carray.len(), output, options)?;
            Ok(ConvertReport { nbytes: carray.nbytes(), array: carray.numpy().ok() })
        }
    }
}

type Named<'a, D> = (&'a str, &'a Carray<D>);

fn select<'a>(
    table: &'a Ctable<LocalDirectory>,
    column: Option<&'a str>,
) -> Result<Vec<Named<'a, crate::bcolz::ColumnDirectory<LocalDirectory>>>, Error> {
    let Some(name) = column else {
        return Ok(table.names().iter().map(String::as_str).zip(table.columns()).collect());
    };
    match table.column(name) {
        Some(column) => Ok(vec![(name, column)]),
        None => Err(Error::NoSuchColumn { column: name.into(), columns: table.names().to_vec() }),
    }
}

/// A column, and what an item of it is.
struct Field<'a, D> {
    cursor: Cursor<'a, D>,
    scalar: Scalar,
    /// Bytes of a row.
    atomsize: u64,
}

fn write<D: Directory>(
    columns: &[Named<'_, D>],
    rows: u64,
    output: &Path,
    options: &ConvertOptions,
) -> Result<(), Error> {
    let (mut fields, mut head) = (Vec::new(), Vec::new());
    for (name, column) in columns {
        let scalar = scalar_of(column).map_err(|error| error.in_file(column.directory(), ""))?;
        names(name, column.shape().get(1..).unwrap_or_default(), &mut head)
            .map_err(|error| error.in_file(column.directory(), ""))?;
        fields.push(Field { cursor: column.cursor(), scalar, atomsize: column.rows().atomsize() });
    }
    let mut file = AtomicFile::create(output, options.overwrite)?;
    lines(&mut fields, &head, rows, &mut csv::Writer::from_writer(&mut file), options)?;
    file.commit()
}

fn lines<D: Directory, W: std::io::Write>(
    fields: &mut [Field<'_, D>],
    head: &[String],
    rows: u64,
    writer: &mut csv::Writer<W>,
    options: &ConvertOptions,
) -> Result<(), Error> {
    let writing = |error: csv::Error| Error::io("writing the output")(error.into());
    writer.write_record(head).map_err(writing)?;
    let mut text = Vec::new();
    let atomsize: u64 = fields.iter().map(|field| field.atomsize).fold(0, u64::saturating_add);
    options.observer().tell(Event::Begin { nbytes: rows.saturating_mul(atomsize) });
    for row in 0..rows {
        if row % ROWS == 0 {
            options.cancel.check()?;
            let done = if row == 0 { 0 } else { ROWS };
            options.observer().tell(Event::Plain(done.saturating_mul(atomsize)));
        }
        for Field { cursor, scalar, .. } in &mut *fields {
            for item in cursor.row(row)?.chunks_exact((scalar.itemsize() as usize).max(1)) {
                text.clear();
                scalar.text_of(item, &mut text);
                writer.write_field(&text).map_err(writing)?;
            }
        }
        // Ends the line.
        writer.write_record(None::<&[u8]>).map_err(writing)?;
    }
    writer.flush().map_err(Error::io("writing the output"))
}

/// What an item is, if it has a text.
fn scalar_of<D: Directory>(column: &Carray<D>) -> Result<Scalar, Error> {
    let refuse = |what: String| Err(Error::NoText { what });
    match column.dtype().as_plain() {
        None => Err(bloscpack_format::FormatError::Numpy(NumpyError::Object).into()),
        Some(Dtype::Scalar(scalar)) if scalar.has_text() => Ok(*scalar),
        Some(dtype) => refuse(format!("items of dtype {} have no text", dtype.to_descr())),
    }
}

/// The names of a column's fields.
fn names(name: &str, axes: &[u64], head: &mut Vec<String>) -> Result<(), Error> {
    let fields = axes.iter().try_fold(1_u64, |fields, len| fields.checked_mul(*len));
    let room = MAX_FIELDS.saturating_sub(head.len()) as u64;
    let Some(fields) = fields.filter(|fields| *fields <= room) else {
        return Err(Error::NoText { what: format!("the rows have more than {MAX_FIELDS} items") });
    };
    for mut field in 0..fields {
        let mut at = Vec::new();
        for len in axes.iter().rev() {
            at.push(field % (*len).max(1));
            field /= (*len).max(1);
        }
        let at: String = at.iter().rev().map(|at| format!("_{at}")).collect();
        head.push(format!("{name}{at}"));
    }
    Ok(())
}
