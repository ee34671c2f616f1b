//! From one container to another: the plain bytes, what makes them an array, and the attributes, where both sides have them.
//!
//! | file | what it knows |
//! |---|---|
//! | `target`, `report` | what it becomes, and what was converted |
//! | `options` | what is asked for, and what the input says where it is not |
//! | `array` | one array or the plain bytes of one container, to each kind of output |
//! | `write` | the outputs |
//! | `observed` | how far it is |
//! | `metadata` | attributes and metalayers, in what the output has for them |
//! | `table` | a table of bcolz: all of its columns at once |
//! | `csv` | tables and arrays as text |

mod array;
#[cfg(feature = "csv")]
mod csv;
mod metadata;
mod observed;
mod options;
mod report;
mod table;
mod target;
mod write;

use std::io;
use std::path::Path;

use self::array::Conversion;
#[cfg(feature = "csv")]
pub use self::csv::{convert_array_to_csv, convert_to_csv};
use self::metadata::Metadata;
pub use self::options::ConvertOptions;
pub use self::report::ConvertReport;
pub use self::table::{ColumnFiles, convert_table, convert_table_to_files};
pub use self::target::Target;
use crate::array::{known, plain_meta};
use crate::open::open;
use crate::options::Event;
use crate::{Error, LocalSource};

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
    let archive = open(input.into(), typing.accepted(), &options.open_options())?;
    let nbytes = archive.nbytes();
    if nbytes == 0 {
        // Nothing of it will be read, but its chunks can be damaged.
        archive.unpack(io::sink(), &options.unpack_options())?;
    }
    options.observer().tell(Event::Begin { nbytes });
    let mut metadata = Metadata::of(&archive, target)?;
    let known = match known(&archive)? {
        None if archive.frame().is_some() => metadata.take_array(nbytes)?,
        known => known,
    };
    let typesize = archive.typesize() as u64;
    let array = typing.resolve(known.as_ref(), typesize, nbytes)?;
    let meta = match &array {
        Some(array) => array.clone(),
        None => plain_meta(options.typesize.map_or(typesize, u64::from), nbytes)?,
    };
    let conversion = Conversion { archive: &archive, array: array.as_ref(), meta: &meta, output, options };
    let mut report = ConvertReport { nbytes, ..ConvertReport::default() };
    report.unkept = match target {
        Target::Bloscpack => conversion.to_bloscpack(metadata)?,
        Target::Npy => conversion.to_npy(metadata)?,
        Target::Bcolz => conversion.to_bcolz(metadata)?,
        Target::Frame => conversion.to_frame(metadata, &mut report)?,
        Target::Array => conversion.to_array(metadata, &mut report)?,
    };
    report.array = array;
    Ok(report)
}
