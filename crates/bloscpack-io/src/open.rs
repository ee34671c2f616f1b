//! Opens a container. Only this module chooses the implementation for a format.

use bloscpack_format::bcolz::STORAGE_FILE;
use bloscpack_format::detect::PREFIX_LEN;
use bloscpack_format::frame::sframe;
use bloscpack_format::{Format, detect};

use crate::container::Container;
use crate::formats::bcolz::OpenCarray;
use crate::formats::bloscpack::container::BloscpackFile;
use crate::formats::chunk::BareChunk;
use crate::formats::frame::{OpenFrame, SparseIndex};
use crate::formats::npy::PlainFile;
use crate::formats::zarr::{self, OpenZarr, ZipDirectory};
use crate::peek::prefix;
use crate::source::{Input, InputKind, Named, ReadAt};
use crate::{Archive, Error, OpenOptions};

/// The inputs that are accepted besides containers with chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accept {
    /// Nothing else.
    Containers,
    /// A `.npy` file.
    Npy,
    /// A `.npy` file, or raw bytes if the format is not known.
    NpyOrRaw,
    /// Raw bytes, even if they look like a container.
    Raw,
}

impl<'a> Archive<'a> {
    /// Opens a container.
    ///
    /// # Errors
    /// [`Error::Unrecognised`] and [`Error::Unsupported`] for other formats; [`Error::Format`], [`Error::Truncated`]
    /// and [`Error::Chunk`] for damage that opening detects; [`Error::Limit`]; [`Error::Io`].
    pub fn open(input: impl Into<Input<'a>>) -> Result<Self, Error> {
        Archive::open_with(input, &OpenOptions::new())
    }

    /// [`Archive::open`] with other options. Limits and the cancel switch also apply to later reads, unless those are
    /// given options of their own.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub fn open_with(input: impl Into<Input<'a>>, options: &OpenOptions) -> Result<Self, Error> {
        open(input.into(), Accept::Containers, options)
    }
}

/// Opens an input.
pub(crate) fn open<'a>(input: Input<'a>, accept: Accept, options: &OpenOptions) -> Result<Archive<'a>, Error> {
    let limits = options.limits;
    let container: Box<dyn Container + '_> = match input.0 {
        InputKind::Bytes(source) => of_bytes(source, accept, options)?,
        InputKind::SparseFrame(index, chunks) => {
            let index = SparseIndex::read(&*index, &limits)?;
            Box::new(OpenFrame::sparse(index, chunks)?)
        }
        InputKind::Zarr(dir) => Box::new(OpenZarr::open_member(dir, options.column.as_deref(), options)?),
        InputKind::Directory(dir) => {
            let index = dir.open(sframe::INDEX_FILE).ok();
            match index.map(|index| SparseIndex::read(&*index, &limits)).transpose()? {
                Some(index) => Box::new(OpenFrame::sparse(index, Box::new(Named(dir)))?),
                // This file is read anyway to open a carray. Zarr needs up to three requests to be recognised.
                None if dir.open(STORAGE_FILE).is_err() && zarr::format_of(&*dir, &limits)?.is_some() => {
                    Box::new(OpenZarr::open_member(dir, options.column.as_deref(), options)?)
                }
                None => Box::new(OpenCarray::open(dir, &limits)?),
            }
        }
        InputKind::Table => return Err(Error::Unsupported { format: Format::Ctable }),
    };
    Ok(Archive::new(container).limits(limits).cancel(options.cancel.clone()))
}

fn of_bytes<'a>(
    source: Box<dyn ReadAt + 'a>,
    accept: Accept,
    options: &OpenOptions,
) -> Result<Box<dyn Container + 'a>, Error> {
    let (walk, limits) = (options.walk, &options.limits);
    if accept == Accept::Raw {
        return Ok(Box::new(PlainFile::raw(source)?));
    }
    let prefix = prefix(&source, PREFIX_LEN).map_err(Error::reading)?;
    let len = source.len().map_err(Error::reading)?;
    Ok(match detect(&prefix, Some(len)) {
        Some(format @ (Format::Blosc1Chunk | Format::Blosc2Chunk)) => {
            Box::new(BareChunk::open(source, format, &prefix)?)
        }
        Some(Format::Bloscpack { .. }) => Box::new(BloscpackFile::open(source, walk, limits)?),
        Some(Format::Blosc2Frame) => Box::new(OpenFrame::contiguous(source, limits)?),
        Some(Format::Npy) if accept != Accept::Containers => Box::new(PlainFile::npy(source)?),
        Some(format) => return Err(Error::Unsupported { format }),
        None if zarr::is_zip(&prefix) && is_zarr(&source, accept, options)? => {
            let archive = Box::new(ZipDirectory::open_with(source, options)?);
            Box::new(OpenZarr::open_member(archive, options.column.as_deref(), options)?)
        }
        None if accept == Accept::NpyOrRaw => Box::new(PlainFile::raw(source)?),
        None => {
            return Err(Error::Unrecognised { found: prefix.get(..prefix.len().min(16)).unwrap_or_default().to_vec() });
        }
    })
}

/// Returns whether a zip archive holds a Zarr array or group. A damaged archive is refused, unless it may be raw bytes.
fn is_zarr(source: &dyn ReadAt, accept: Accept, options: &OpenOptions) -> Result<bool, Error> {
    let format = ZipDirectory::open_with(source, options).and_then(|zip| zarr::format_of(&zip, &options.limits));
    match format {
        Err(_) if accept == Accept::NpyOrRaw => Ok(false),
        format => Ok(format?.is_some()),
    }
}
