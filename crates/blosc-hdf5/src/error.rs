//! Errors of filters, as texts for HDF5's error stack.

use blosc_core::{DecodeError, EncodeError, OutOfMemory};
use bloscpack_format::FormatError;

/// The reason why a filter failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the filter has {found} values, expected at least {expected}")]
    Values { found: usize, expected: usize },
    #[error("{what} of the filter is {found}, expected {expected}")]
    Value { what: &'static str, found: u64, expected: &'static str },
    #[error("the chunk has {found} axes of the lengths {shape:?}, but the dataset has {expected:?}")]
    Shape { found: usize, shape: Vec<u64>, expected: Vec<u64> },
    #[error("the chunk is one of Blosc2, which the filter Blosc does not read")]
    NotBlosc1,
    #[error("the chunk is no contiguous frame")]
    NotAFrame,
    #[error("the chunk is empty")]
    Empty,
    #[error("{0}")]
    Decode(#[from] DecodeError),
    #[error("{0}")]
    Encode(#[from] EncodeError),
    #[error("{0}")]
    Format(#[from] FormatError),
    #[error("{0}")]
    Frame(#[from] bloscpack_io::Error),
    #[error("{0}")]
    Memory(#[from] OutOfMemory),
    #[error("there is no memory for {0} bytes")]
    NoMemory(usize),
    #[error("the process has no HDF5 library with the functions for plugins")]
    NoHdf5,
    #[error("{0} of HDF5 failed")]
    Hdf5(&'static str),
    #[error("a defect of the filter; its message is on the standard error")]
    Panic,
}
