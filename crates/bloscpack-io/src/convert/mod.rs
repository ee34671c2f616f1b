//! From one container to another: the plain bytes go over, and what makes them an array, where both sides have it.
//!
//! | file | what it knows |
//! |---|---|
//! | `options` | what is asked for, and what the input says where it is not |
//! | `write` | the outputs |
//! | `observed` | how far it is |
//! | `rows` | rows in C order, however they lie |
//! | `table` | a table of bcolz: all of its columns at once |
//! | `csv` | the same as text |

#[cfg(feature = "csv")]
mod csv;
mod observed;
mod options;
mod rows;
mod table;
mod write;

use std::io::{self, Read};
use std::path::Path;

use bloscpack_format::numpy::{NumpyMeta, npy};
use bloscpack_format::{Format, detect};

#[cfg(feature = "csv")]
pub use self::csv::convert_to_csv;
use self::observed::Observed;
use self::options::plain_meta;
pub use self::options::{ConvertOptions, Target};
use self::rows::{RowReader, are_in_order};
use self::table::unpack_options;
pub use self::table::{ColumnFiles, convert_table, convert_table_to_files};
use self::write::{write_array, write_carray, write_frame, write_npy};
use crate::frame::{ArchiveItems, FrameParams, PlainItems};
use crate::options::Event;
use crate::pack::pack_to_file;
use crate::source::{Sequential, parse_start};
use crate::{Archive, Error, LocalSource, ReadAt};

/// What was converted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConvertReport {
    /// Plain bytes.
    pub nbytes: u64,
    /// What they are, if that is known.
    pub array: Option<NumpyMeta>,
}

/// Converts what `input` holds to the file or directory `output`, which appears whole or not at all. Memory is bounded by a few chunks;
/// an array that comes as plain bytes in chunks of another shape goes through a temporary file.
///
/// # Errors
/// [`Error::NotANumpyArray`] if shape and bytes do not go together; what reading the input and writing the output answer.
pub fn convert(
    input: LocalSource,
    output: &Path,
    target: Target,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    input.refuse_as_output(output)?;
    let mut prefix = vec![0; input.len().map_err(Error::io("reading the input"))?.min(16) as usize];
    input.read_exact_at(0, &mut prefix).map_err(Error::io("reading the input"))?;
    if detect(&prefix, None) == Some(Format::Npy) {
        return from_npy(&input, output, target, options);
    }
    let archive = Archive::open_with_limits(input, options.limits)?;
    let unpack = unpack_options(options);
    let nbytes = archive.nbytes();
    let observer = options.observer();
    observer.tell(Event::Begin { nbytes });
    let reader = || Observed::new(archive.reader(&unpack), observer);
    // An array without a dtype has its shape all the same.
    let untyped = |array: &bloscpack_format::frame::B2nd| -> Result<NumpyMeta, Error> {
        Ok(NumpyMeta { shape: array.shape.clone(), ..plain_meta(archive.typesize() as u64, nbytes)? })
    };
    let known = match (archive.numpy(), archive.array()) {
        (None, Some(array)) => Some(untyped(array)?),
        (numpy, _) => numpy.cloned(),
    };
    let known = options.array_meta(known.as_ref(), archive.typesize() as u64, nbytes)?;
    let (meta, fits) = match known {
        Some(meta) => (meta, true),
        None => (plain_meta(options.typesize.map_or(archive.typesize() as u64, u64::from), nbytes)?, false),
    };
    let array = fits.then(|| meta.clone());
    match target {
        Target::Bloscpack => {
            let metadata = archive.metadata().cloned();
            let pack = options.pack_options(array.as_ref(), archive.typesize() as u64, metadata);
            pack_to_file(reader(), Some(nbytes), output, &pack)?;
        }
        Target::Npy => write_npy(reader(), output, &meta, nbytes, options)?,
        Target::Bcolz => {
            let old = archive.attrs()?.and_then(|attrs| archive.carray().map(|(storage, _)| (storage, attrs)));
            if are_in_order(&meta) {
                write_carray(reader(), output, &meta, old, options)?;
            } else {
                let mut spool = tempfile::tempfile().map_err(Error::io("creating a temporary file"))?;
                archive.unpack(Observed::half(&mut spool, observer), &unpack)?;
                let items = Observed::half(PlainItems::new(spool, 0, &meta)?, observer);
                write_carray(RowReader::new(&items, &meta), output, &meta, old, options)?;
            }
        }
        Target::Frame => {
            let typesize = array.as_ref().map_or(archive.typesize() as u64, |meta| meta.dtype.itemsize());
            let params = options
                .frame_params(archive.frame().and_then(|frame| FrameParams::of(&frame.header).ok()), typesize)?;
            write_frame(reader(), output, params, options)?;
        }
        Target::Array => {
            let old = archive.frame().and_then(|frame| FrameParams::of(&frame.header).ok());
            let params = options.array_params(old, meta.dtype.itemsize())?;
            if archive.array().is_some_and(|array| array.shape == meta.shape) {
                write_array(&Observed::new(ArchiveItems(&archive), observer), output, &meta, params, options)?;
            } else {
                let mut spool = tempfile::tempfile().map_err(Error::io("creating a temporary file"))?;
                archive.unpack(Observed::half(&mut spool, observer), &unpack)?;
                let items = Observed::half(PlainItems::new(spool, 0, &meta)?, observer);
                write_array(&items, output, &meta, params, options)?;
            }
        }
    }
    Ok(ConvertReport { nbytes, array })
}

fn from_npy(
    input: &LocalSource,
    output: &Path,
    target: Target,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    let (meta, at) = parse_start(input, 4096, npy::parse)?;
    let at = at as u64;
    // Says if the bytes are too few.
    PlainItems::new(input, at, &meta)?;
    let nbytes = meta.nbytes().unwrap_or(0);
    let array = options.array_meta(Some(&meta), meta.dtype.itemsize(), nbytes)?.unwrap_or(meta);
    let observer = options.observer();
    observer.tell(Event::Begin { nbytes });
    let bytes = || -> Result<_, Error> {
        let bytes = Sequential::new(input, at).map_err(Error::io("reading the input"))?;
        Ok(io::BufReader::with_capacity(1 << 16, Observed::new(bytes.take(nbytes), observer)))
    };
    let itemsize = array.dtype.itemsize();
    match target {
        Target::Bloscpack => {
            pack_to_file(bytes()?, Some(nbytes), output, &options.pack_options(Some(&array), itemsize, None))?;
        }
        Target::Npy => write_npy(bytes()?, output, &array, nbytes, options)?,
        Target::Bcolz if are_in_order(&array) => write_carray(bytes()?, output, &array, None, options)?,
        Target::Bcolz => {
            let items = Observed::new(PlainItems::new(input, at, &array)?, observer);
            write_carray(RowReader::new(&items, &array), output, &array, None, options)?;
        }
        Target::Frame => write_frame(bytes()?, output, options.frame_params(None, itemsize)?, options)?,
        Target::Array => {
            let params = options.array_params(None, itemsize)?;
            let items = Observed::new(PlainItems::new(input, at, &array)?, observer);
            write_array(&items, output, &array, params, options)?;
        }
    }
    Ok(ConvertReport { nbytes, array: Some(array) })
}
