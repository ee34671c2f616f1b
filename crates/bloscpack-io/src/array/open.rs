//! Opening inputs: containers, `.npy` files and raw bytes.

use blosc_core::Limits;
use bloscpack_format::numpy::{NumpyError, NumpyMeta, npy};
use bloscpack_format::{Format, FormatError, detect};

use super::{Typing, plain_meta};
use crate::source::{ReadAt, parse_start};
use crate::{Archive, Error};

/// An input whose kind is known.
#[derive(Debug)]
pub(crate) enum Opened<R> {
    Archive(Box<Archive<R>>),
    /// Items as they are, from offset `at` on. `meta` is that of a `.npy` file.
    Plain {
        source: R,
        at: u64,
        len: u64,
        meta: Option<NumpyMeta>,
    },
}

impl<R: ReadAt> Opened<R> {
    /// Opens a source. It is raw bytes if `typing` says so, or if it has a dtype for an input that is not recognised.
    pub(crate) fn open(source: R, typing: &Typing, limits: Limits) -> Result<Self, Error> {
        if source.directory().is_some() {
            return Ok(Opened::Archive(Box::new(Archive::open_with_limits(source, limits)?)));
        }
        let reading = Error::io("reading the input");
        let len = source.len().map_err(&reading)?;
        let mut prefix = [0; bloscpack_format::detect::PREFIX_LEN];
        let prefix =
            prefix.get_mut(..len.min(bloscpack_format::detect::PREFIX_LEN as u64) as usize).unwrap_or_default();
        source.read_exact_at(0, prefix).map_err(&reading)?;
        match detect(prefix, Some(len)) {
            _ if typing.raw => Ok(Opened::Plain { source, at: 0, len, meta: None }),
            None if typing.dtype.is_some() => Ok(Opened::Plain { source, at: 0, len, meta: None }),
            Some(Format::Npy) => {
                let (meta, at) = parse_start(&source, 4096, npy::parse)?;
                let at = at as u64;
                Ok(Opened::Plain { source, at, len: len.saturating_sub(at), meta: Some(meta) })
            }
            _ => Ok(Opened::Archive(Box::new(Archive::open_with_limits(source, limits)?))),
        }
    }

    /// Bytes of the items. A `.npy` file must have exactly those of its array.
    pub(crate) fn exact_nbytes(&self) -> Result<u64, Error> {
        match self {
            Opened::Archive(archive) => Ok(archive.nbytes()),
            Opened::Plain { len, meta: None, .. } => Ok(*len),
            Opened::Plain { at, len, meta: Some(meta), .. } => {
                let nbytes = meta.nbytes().ok_or(FormatError::Numpy(NumpyError::ShapeTooLarge))?;
                if nbytes != *len {
                    let what = format!("offset {at}: the array takes {nbytes} bytes, but {len} are there");
                    return Err(Error::NotANumpyArray { what });
                }
                Ok(nbytes)
            }
        }
    }

    /// Bytes of an item as far as the container knows.
    pub(crate) fn typesize(&self) -> u64 {
        match self {
            Opened::Archive(archive) => archive.typesize() as u64,
            Opened::Plain { meta, .. } => meta.as_ref().map_or(1, |meta| meta.dtype.itemsize()),
        }
    }

    /// The array that the input says it is. One in a frame without a dtype has its shape all the same.
    pub(crate) fn known(&self) -> Result<Option<NumpyMeta>, Error> {
        match self {
            Opened::Plain { meta, .. } => Ok(meta.clone()),
            Opened::Archive(archive) => match (archive.numpy(), archive.array()) {
                (None, Some(array)) => {
                    let plain = plain_meta(archive.typesize() as u64, archive.nbytes())?;
                    Ok(Some(NumpyMeta { shape: array.shape.clone(), ..plain }))
                }
                (numpy, _) => Ok(numpy.cloned()),
            },
        }
    }
}
