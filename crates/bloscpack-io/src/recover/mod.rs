//! Salvages damaged containers: a new container of the undamaged chunks, and a report of everything that is lost.
//!
//! | file | content |
//! |---|---|
//! | `mod` | opens the input, refuses it as the output, and chooses the format |
//! | `damaged` | detection of the format, which may have lost its identifying bytes |
//! | `bloscpack` | bloscpack files |
//! | `frame` | Blosc2 frames |
//! | `bcolz` | carrays and ctables |
//! | `report` | the report |
//! | `lost` | the parts that can be lost |
//! | `text` | lines of the report for messages |
//! | `report_budget` | the memory limit of the report |

mod bcolz;
mod bloscpack;
mod damaged;
mod frame;
mod lost;
mod report;
mod report_budget;
mod text;

use std::path::Path;

pub use self::damaged::Damaged;
pub use self::lost::LostPart;
pub use self::report::{Lost, LostReason, RecoverReport};
use crate::formats::bcolz::LocalDirectory;
use crate::fs::files::refuse_within;
use crate::{Error, LocalSource, RecoverOptions};

/// Writes the undamaged parts of the container `input` to a new container of the same kind. [`Damaged::of`] detects the
/// kind. The input is only read.
///
/// | input | output |
/// |---|---|
/// | bloscpack file | a file of version 3 with zeros for lost chunks. Uncompressed bytes end after the last whole chunk; an array gets zeros up to its shape. Metadata is kept if it can be read. |
/// | frame | a frame, contiguous or sparse as the old one. An array gets zeros for lost chunks; other frames leave them out. |
/// | carray, ctable | a carray or ctable that ends before the first lost row, or has the default value for it: [`RecoverOptions::gaps`] |
///
/// # Errors
/// [`Error::Unsupported`] and [`Error::Unrecognised`] for other inputs. [`Error::NoChunks`] if no chunk of a bloscpack
/// file is undamaged. [`Error::Format`] if the header of a frame is damaged. [`Error::InFile`] without the
/// `meta/storage` of a carray or of all columns, which defines what a row is. [`Error::SameFile`] and
/// [`Error::InputReplaced`] for an output that would replace the input. [`Error::OutputExists`], [`Error::Limit`],
/// [`Error::File`], [`Error::Io`], [`Error::Cancelled`].
pub fn recover(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    options: &RecoverOptions,
) -> Result<RecoverReport, Error> {
    fn inner(input: &Path, output: &Path, options: &RecoverOptions) -> Result<RecoverReport, Error> {
        let damaged = Damaged::of(input)?;
        if damaged == Damaged::Bcolz {
            let directory = LocalDirectory::open(input)?;
            refuse_within(input, output)?;
            return bcolz::recover(directory, output, options);
        }
        let source = LocalSource::open(input)?;
        source.refuse_as_output(output)?;
        match damaged {
            Damaged::Bloscpack => bloscpack::recover(&source.into_file(), output, options),
            _ => frame::recover(&source, input, output, options),
        }
    }
    inner(input.as_ref(), output.as_ref(), options)
}
