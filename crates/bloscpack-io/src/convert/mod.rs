//! From one container to another: the plain bytes, what makes them an array, and the attributes, where both sides have them.
//!
//! | file | what it knows |
//! |---|---|
//! | `options` | what is asked for, and what the input says where it is not |
//! | `write` | the outputs |
//! | `observed` | how far it is |
//! | `rows` | rows in C order, however they lie |
//! | `metadata` | attributes and metalayers, in what the output has for them |
//! | `table` | a table of bcolz: all of its columns at once |
//! | `csv` | tables and arrays as text |

#[cfg(feature = "csv")]
mod csv;
mod metadata;
mod observed;
mod options;
mod rows;
mod table;
mod write;

use std::io::{self, Read};
use std::path::Path;

use bloscpack_format::Attrs;
use bloscpack_format::numpy::NumpyMeta;

#[cfg(feature = "csv")]
pub use self::csv::{convert_array_to_csv, convert_to_csv};
use self::metadata::{Metadata, NPY};
use self::observed::Observed;
pub use self::options::{ConvertOptions, Target};
use self::rows::{RowReader, are_in_order};
use self::table::unpack_options;
pub use self::table::{ColumnFiles, convert_table, convert_table_to_files};
use self::write::{write_array, write_carray, write_frame, write_npy};
use crate::array::{Opened, plain_meta};
use crate::attributes::Layers;
use crate::bloscpack::pack::pack_to_file;
use crate::frame::{ArchiveItems, FrameParams, PlainItems};
use crate::options::Event;
use crate::source::Sequential;
use crate::{Error, LocalSource, ReadAt, Unkept};

/// What was converted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConvertReport {
    /// Plain bytes.
    pub nbytes: u64,
    /// What they are, if that is known.
    pub array: Option<NumpyMeta>,
    /// Attributes and metalayers of the input that the output does not have.
    pub unkept: Vec<Unkept>,
    /// Vlmetalayers of an output that is a frame. C-Blosc2 cannot change one that has more than
    /// [`VlMetalayers::MAX_INTERCHANGE`](bloscpack_format::frame::VlMetalayers::MAX_INTERCHANGE).
    pub vlmetalayers: usize,
}

/// Converts what `input` holds to the file or directory `output`, which appears whole or not at all. Memory is bounded by a few chunks;
/// an array that comes as plain bytes in chunks of another shape goes through a temporary file.
///
/// # Errors
/// [`Error::NotANumpyArray`] if shape and bytes do not go together; what reading the input and writing the output answer.
pub fn convert(
    input: LocalSource,
    output: impl AsRef<Path>,
    target: Target,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    convert_path(input, output.as_ref(), target, options)
}

fn convert_path(
    input: LocalSource,
    output: &Path,
    target: Target,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    input.refuse_as_output(output)?;
    let typing = options.typing();
    let opened = Opened::open(input, &typing, options.limits)?;
    let known = opened.known()?;
    let archive = match opened {
        Opened::Archive(archive) => archive.cancel(options.cancel.clone()),
        Opened::Plain { source, at, len, meta } => {
            let meta = match meta {
                Some(meta) => meta,
                // `resolve` knows nothing else of raw bytes than how many they are.
                None => typing.resolve(None, 1, len)?.map_or_else(|| plain_meta(1, len), Ok)?,
            };
            return from_plain(&source, at, meta, output, target, options);
        }
    };
    let unpack = unpack_options(options);
    let nbytes = archive.nbytes();
    if nbytes == 0 {
        // Nothing of it will be read, but its chunks can be damaged.
        archive.unpack(io::sink(), &unpack)?;
    }
    let observer = options.observer();
    observer.tell(Event::Begin { nbytes });
    let reader = || Observed::new(archive.reader(&unpack), observer);
    let mut metadata = Metadata::of(&archive, target)?;
    let known = match known {
        None if archive.frame().is_some() => metadata.take_array(nbytes)?,
        known => known,
    };
    let known = typing.resolve(known.as_ref(), archive.typesize() as u64, nbytes)?;
    let (meta, fits) = match known {
        Some(meta) => (meta, true),
        None => (plain_meta(options.typesize.map_or(archive.typesize() as u64, u64::from), nbytes)?, false),
    };
    let array = fits.then(|| meta.clone());
    let mut vlmetalayers = 0;
    let unkept = match target {
        Target::Bloscpack => {
            let (metadata, unkept) = options.bloscpack_metadata(metadata, array.as_ref())?;
            let pack = options.pack_options(array.as_ref(), archive.typesize() as u64, metadata);
            pack_to_file(reader(), Some(nbytes), output, &pack)?;
            unkept
        }
        Target::Npy => {
            write_npy(reader(), output, &meta, nbytes, options)?;
            metadata.into_nothing(NPY)?
        }
        Target::Bcolz => {
            let (attrs, unkept) = metadata.into_attrs()?;
            let old = archive.carray().map(|(storage, _)| storage);
            if are_in_order(&meta) {
                write_carray(reader(), output, &meta, (old, attrs), options)?;
            } else {
                let mut spool = tempfile::tempfile().map_err(Error::io("creating a temporary file"))?;
                archive.unpack(Observed::half(&mut spool, observer), &unpack)?;
                let items = Observed::half(PlainItems::new(spool, 0, &meta)?, observer);
                write_carray(RowReader::new(&items, &meta), output, &meta, (old, attrs), options)?;
            }
            unkept
        }
        Target::Frame => {
            let (layers, unkept) = metadata.into_layers(false, array.as_ref())?;
            vlmetalayers = layers.vlmetalayers.iter().len();
            let typesize = array.as_ref().map_or(archive.typesize() as u64, |meta| meta.dtype.itemsize());
            let params = options
                .frame_params(archive.frame().and_then(|frame| FrameParams::of(&frame.header).ok()), typesize)?;
            write_frame(reader(), output, params, layers, options)?;
            unkept
        }
        Target::Array => {
            let (layers, unkept) = metadata.into_layers(true, Some(&meta))?;
            vlmetalayers = layers.vlmetalayers.iter().len();
            let old = archive.frame().and_then(|frame| FrameParams::of(&frame.header).ok());
            let params = options.array_params(old, meta.dtype.itemsize())?;
            if archive.array().is_some_and(|array| array.shape == meta.shape) {
                write_array(
                    &Observed::new(ArchiveItems(&archive), observer),
                    output,
                    &meta,
                    (params, layers),
                    options,
                )?;
            } else {
                let mut spool = tempfile::tempfile().map_err(Error::io("creating a temporary file"))?;
                archive.unpack(Observed::half(&mut spool, observer), &unpack)?;
                let items = Observed::half(PlainItems::new(spool, 0, &meta)?, observer);
                write_array(&items, output, &meta, (params, layers), options)?;
            }
            unkept
        }
    };
    Ok(ConvertReport { nbytes, array, unkept, vlmetalayers })
}

/// The items of a `.npy` file, or raw bytes, from offset `at` on.
fn from_plain(
    input: &LocalSource,
    at: u64,
    meta: NumpyMeta,
    output: &Path,
    target: Target,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    // Says if the bytes are too few. More than the array has are damage, too, as for the other commands.
    PlainItems::new(input, at, &meta)?;
    let nbytes = meta.nbytes().unwrap_or(0);
    let found = input.len().map_err(Error::io("reading the input"))?.saturating_sub(at);
    if found != nbytes {
        return Err(Error::NotANumpyArray { what: format!("{found} bytes, but its dtype and shape make {nbytes}") });
    }
    let array = options.typing().resolve(Some(&meta), meta.dtype.itemsize(), nbytes)?.unwrap_or(meta);
    let observer = options.observer();
    observer.tell(Event::Begin { nbytes });
    let bytes = || -> Result<_, Error> {
        let bytes = Sequential::new(input, at).map_err(Error::io("reading the input"))?;
        Ok(io::BufReader::with_capacity(1 << 16, Observed::new(bytes.take(nbytes), observer)))
    };
    let itemsize = array.dtype.itemsize();
    let metadata = Metadata::new(Attrs::default(), options.limits);
    match target {
        Target::Bloscpack => {
            let (metadata, _) = options.bloscpack_metadata(metadata, Some(&array))?;
            pack_to_file(bytes()?, Some(nbytes), output, &options.pack_options(Some(&array), itemsize, metadata))?;
        }
        Target::Npy => write_npy(bytes()?, output, &array, nbytes, options)?,
        Target::Bcolz if are_in_order(&array) => {
            write_carray(bytes()?, output, &array, (None, Attrs::default()), options)?;
        }
        Target::Bcolz => {
            let items = Observed::new(PlainItems::new(input, at, &array)?, observer);
            write_carray(RowReader::new(&items, &array), output, &array, (None, Attrs::default()), options)?;
        }
        Target::Frame => {
            let (layers, _) = metadata.into_layers(false, Some(&array))?;
            write_frame(bytes()?, output, options.frame_params(None, itemsize)?, layers, options)?;
        }
        Target::Array => {
            let params = options.array_params(None, itemsize)?;
            let items = Observed::new(PlainItems::new(input, at, &array)?, observer);
            write_array(&items, output, &array, (params, Layers::default()), options)?;
        }
    }
    Ok(ConvertReport { nbytes, array: Some(array), ..ConvertReport::default() })
}
