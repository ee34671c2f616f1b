//! `.npy` files in and out.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use bloscpack_format::numpy::npy;

use super::{array_meta, for_array};
use crate::formats::bloscpack::pack::pack_seekable;
use crate::fs::atomic::AtomicFile;
use crate::fs::files::refuse_same_file;
use crate::{Archive, Error, PackOptions, PackReport, UnpackOptions, UnpackReport, unpack_stream};

/// Enough for the header of nearly every `.npy` file; longer ones are read in a second step.
const HEADER_GUESS: u64 = 4096;

/// Packs the array of a `.npy` file.
///
/// # Errors
/// [`Error::Format`] if it is no `.npy` file that can be held, [`Error::InputChanged`] if it is cut off, and what
/// [`crate::pack_file`] answers.
pub fn pack_npy_file(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    options: &PackOptions,
) -> Result<PackReport, Error> {
    pack_npy_file_paths(input.as_ref(), output.as_ref(), options)
}

fn pack_npy_file_paths(input: &Path, output: &Path, options: &PackOptions) -> Result<PackReport, Error> {
    let opening = |error| Error::file("opening", input, error);
    let reading = |error| Error::file("reading", input, error);
    let source = File::open(input).map_err(opening)?;
    refuse_same_file(&source, output)?;
    let mut head = Vec::new();
    let mut needed = HEADER_GUESS;
    let (meta, data_at) = loop {
        let missing = needed - head.len() as u64;
        let found = (&source).take(missing).read_to_end(&mut head).map_err(reading)? as u64;
        match npy::parse(&head) {
            Err(error) => match error.bytes_needed() {
                Some(more) if found == missing && more > needed => needed = more,
                _ => return Err(error.into()),
            },
            Ok(parsed) => break parsed,
        }
    };
    let size = meta
        .nbytes()
        .ok_or(bloscpack_format::FormatError::Numpy(bloscpack_format::numpy::NumpyError::ShapeTooLarge))?;
    let data = head[data_at..].chain(source);
    let mut file = AtomicFile::create(output, options.overwrite)?;
    let report = pack_seekable(data, size, &mut file, &for_array(options, &meta)?)?;
    file.commit()?;
    Ok(report)
}

/// Unpacks an array to a `.npy` file.
///
/// # Errors
/// [`Error::NotANumpyArray`] if `input` does not hold an array, or not all of it; what [`crate::unpack_file`] answers.
pub fn unpack_npy_file(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    options: &UnpackOptions,
) -> Result<UnpackReport, Error> {
    fn inner(input: &Path, output: &Path, options: &UnpackOptions) -> Result<UnpackReport, Error> {
        let source = File::open(input).map_err(|error| Error::file("opening", input, error))?;
        refuse_same_file(&source, output)?;
        let meta = array_meta(&Archive::open_with(&source, &options.open_options())?)?;
        let mut file = AtomicFile::create(output, options.overwrite)?;
        file.write_all(&npy::to_bytes(&meta)?).map_err(Error::io("writing the output"))?;
        let report = unpack_stream(source, &mut file, options)?;
        file.commit()?;
        Ok(report)
    }
    inner(input.as_ref(), output.as_ref(), options)
}
