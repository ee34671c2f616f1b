//! Converts one container to another: the uncompressed bytes, the description of the array in them, and attributes, as
//! far as both formats support them.
//!
//! | file | content |
//! |---|---|
//! | `mod` | chooses the conversion for an input and a target |
//! | `report` | the report of a conversion |
//! | `params` | parameters of the writers, from the options or else from the input |
//! | `copied` | compressed chunks that are copied |
//! | `array` | one array or the uncompressed bytes of one container, to each kind of output |
//! | `destination` | the destination: a path or a URL |
//! | `write` | the outputs |
//! | `observed` | progress |
//! | `metadata` | attributes and metalayers in the form of the output |
//! | `dimensions` | the names of the axes of Zarr arrays |
//! | `spooled` | plain bytes in a temporary file |
//! | `zarr` | arrays and tables as Zarr |
//! | `table` | all columns of a bcolz table |
//! | `group` | a Zarr group as a bcolz table |
//! | `csv` | tables and arrays as text |

mod array;
mod copied;
#[cfg(feature = "csv")]
mod csv;
mod destination;
mod dimensions;
mod group;
mod metadata;
mod observed;
mod params;
mod report;
mod spooled;
mod table;
mod write;
mod zarr;

use std::path::Path;

#[cfg(feature = "csv")]
use self::csv::{array_to_csv, to_csv};
use self::destination::Destination;
pub use self::report::ConvertReport;
use crate::target::{ConvertOption, Target};
use crate::{AnySource, Array, ConvertOptions, Error};
#[cfg(feature = "remote")]
use crate::{Remote, RemoteUrl};

/// Converts the content of `input` to the file or directory `output`, which appears complete or not at all.
///
/// | input | targets |
/// |---|---|
/// | an array or uncompressed bytes in any container | all but [`Target::Columns`] |
/// | a bcolz table | [`Target::Bcolz`], [`Target::Zarr`], [`Target::Csv`] and [`Target::Columns`] |
/// | a Zarr group of arrays with the same number of rows | [`Target::Bcolz`], as a table |
/// | a column of a table or an array of a group, with [`ConvertOptions::column`] | all but [`Target::Columns`] |
///
/// [`Target::Bloscpack`], [`Target::Bcolz`] and [`Target::Zarr`] store Blosc1 chunks, and so do most inputs of these
/// formats. Where the chunks of both hold the same rows, their compressed bytes are copied; the output then has the chunk
/// size of the input. A copied chunk is checked as far as its header: damage inside it is copied too, and
/// [`verify`](crate::verify) finds it. Options that ask for another compression, and
/// [`ConvertOptions::recompress`], make every chunk be decoded and compressed again.
///
/// Memory is bounded by a few chunks. An array whose items are stored as consecutive bytes, in chunks that do not match
/// those of the output, goes through a temporary file. If [`Target::Columns`] replaces a directory, it must contain
/// only column files.
///
/// The first line of [`Target::Csv`] contains the names of the columns. A column of several axes becomes `name_0`,
/// `name_1`, …; an array is the column `f0`, and a struct has a column for each field.
/// [`Scalar::text_of`](bloscpack_format::numpy::Scalar::text_of) defines the text of an item.
///
/// ```no_run
/// use bloscpack_io::{ConvertOptions, LocalSource, Target, convert};
/// let options = ConvertOptions::new().chunkshape(vec![100, 100]);
/// convert(LocalSource::open("image.npy")?, "image.b2nd", Target::Array, &options)?;
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
///
/// # Errors
/// [`Error::UnfitOption`] for an option that the target does not support; [`Error::Unsupported`] for an input that the
/// target does not support; [`Error::NotANumpyArray`] if shape and bytes do not match, or if the options set a dtype or
/// shape for the columns of a table; [`Error::NoSuchColumn`]; [`Error::NoText`] for items without a text form; errors
/// of reading the input and of writing the output.
pub fn convert(
    input: impl Into<AnySource>,
    output: impl AsRef<Path>,
    target: Target,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    convert_to(input.into(), Destination::Path(output.as_ref()), target, options)
}

/// Converts the content of `input` to a Zarr array or group at a URL of an object store, as [`convert`] does. Chunks are
/// written as they are made, several at once, and the metadata last, so that no reader finds an unfinished array. There
/// must be no objects below the URL.
///
/// # Errors
/// As [`convert`]; [`Error::OutputExists`] if there are objects; [`Error::InFile`] with the URL.
#[cfg(feature = "remote")]
pub fn convert_to_url(
    input: impl Into<AnySource>,
    remote: &Remote,
    url: &RemoteUrl,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    convert_to(input.into(), Destination::Url(remote, url), Target::Zarr, options)
}

fn convert_to(
    input: AnySource,
    output: Destination<'_>,
    target: Target,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    options.set_options().try_for_each(|option| option.check(target))?;
    output.refuse_input(&input)?;
    if target == Target::Bcolz
        && let Some(store) = group::group_of(&input, options)?
    {
        return group::to_table(store, output.path()?, options);
    }
    match (target, input.table(), options.column.as_deref()) {
        (Target::Csv, ..) => to_csv(input, output.path()?, options),
        (Target::Bcolz, Some(table), None) => table::to_table(table, output.path()?, options),
        (Target::Zarr, Some(table), None) => zarr::to_group(table, output, options),
        (Target::Columns(files), Some(table), None) => table::to_files(table, output.path()?, files, options),
        (_, _, Some(name)) => {
            let column = input.into_column(name, &options.limits)?;
            array::convert(column, output, target, options)
        }
        _ => array::convert(input, output, target, options),
    }
}

/// Writes the items and attributes of an open array to the file or directory `output`, which appears complete or not
/// at all. The array may be in memory: [`Array::plain`]. The targets are those of [`convert`] for an array. `output` must
/// not be the file that the array is read from.
///
/// ```no_run
/// use bloscpack_io::bloscpack_format::numpy::{Dtype, NumpyMeta, Order};
/// use bloscpack_io::{Array, ConvertOptions, Target, convert_array};
/// let meta = NumpyMeta { dtype: Dtype::from_type_string("<f8")?, shape: vec![1000, 1000], order: Order::C };
/// let array = Array::plain(vec![0; 8_000_000], 0, meta)?;
/// convert_array(&array, "zeros.b2nd", Target::Array, &ConvertOptions::new())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`convert`].
pub fn convert_array(
    array: &Array<'_>,
    output: impl AsRef<Path>,
    target: Target,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    fn inner(
        array: &Array<'_>,
        output: &Path,
        target: Target,
        options: &ConvertOptions,
    ) -> Result<ConvertReport, Error> {
        options.set_options().try_for_each(|option| option.check(target))?;
        match target {
            Target::Csv => array_to_csv(array, output, options),
            _ => {
                array::convert_archive(array.archive(), Some(array.meta()), Destination::Path(output), target, options)
            }
        }
    }
    inner(array, output.as_ref(), target, options)
}

impl ConvertOption {
    /// Refuses the option for a target that does not support it.
    ///
    /// # Errors
    /// [`Error::UnfitOption`].
    pub fn check(self, target: Target) -> Result<(), Error> {
        if target.has(self) { Ok(()) } else { Err(Error::UnfitOption { option: self, target }) }
    }
}

#[cfg(not(feature = "csv"))]
fn to_csv(_: AnySource, _: &Path, _: &ConvertOptions) -> Result<ConvertReport, Error> {
    Err(Error::NoText(crate::NoText::NoCsv))
}

#[cfg(not(feature = "csv"))]
fn array_to_csv(_: &Array<'_>, _: &Path, _: &ConvertOptions) -> Result<ConvertReport, Error> {
    Err(Error::NoText(crate::NoText::NoCsv))
}
